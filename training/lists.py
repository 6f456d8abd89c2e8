"""Pages with gold records as training examples.

An example is the features of each candidate list, and how well its records match the gold ones,
with the features of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from joeira.evaluation.datasets import Example
from joeira.evaluation.record_scores import Bag, bag, match
from joeira.page import parse
from joeira.records.learned import describe
from joeira.records.learned.candidates import Lists
from joeira.records.learned.presence import page_features

MAX_EXCESS = 6
"""A list with so many times more records than the gold has is wrong, without a comparison."""


@dataclass(frozen=True, eq=False)
class ListExample:
    """The candidate lists of one page."""

    dataset: str
    kind: str
    """Type of the page; the data set where nobody says."""
    site: str
    features: NDArray[np.float32]
    """Per feature and list: its value."""
    quality: NDArray[np.float64]
    """Precision and recall of each list, one line per list; zeros for a page without answer."""
    of_page: NDArray[np.float32]
    """Features of the page."""

    @property
    def f1(self) -> NDArray[np.float64]:
        """F measure of each list."""
        precision, recall = self.quality.T
        f1: NDArray[np.float64] = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
        return f1


def example(row: Example, dataset: str) -> ListExample:
    """Return a page as an example."""
    page = parse(row.html, row.url)
    lists, features = describe(page)
    quality = np.zeros((len(lists), 2))
    wanted = [words for words in map(bag, row.records) if words]
    if wanted:
        quality[:] = [_quality(wanted, found, row.mode) for found in _bags(lists)]
    site = row.site or urlsplit(row.url or "").hostname or row.id
    kind = row.page_type or dataset
    return ListExample(dataset, kind, f"{dataset}/{site}", features, quality, page_features(page))


def folds(examples: Sequence[ListExample], count: int, seed: int = 0) -> NDArray[np.int64]:
    """Return the fold of each example: the pages of a site stay together."""
    sites = sorted({one.site for one in examples})
    np.random.default_rng(seed).shuffle(sites)
    fold = {site: number % count for number, site in enumerate(sites)}
    return np.array([fold[one.site] for one in examples])


def _bags(lists: Lists) -> list[list[Bag]]:
    """Return the tokens of the records of each list; records that lists share are read once."""
    page = lists.page
    known: dict[tuple[int, int], Bag] = {}
    found = []
    for first, last in zip(lists.first[:-1].tolist(), lists.first[1:].tolist(), strict=True):
        slices = zip(lists.start[first:last].tolist(), lists.stop[first:last].tolist(), strict=True)
        bags = []
        for start, stop in slices:
            if (start, stop) not in known:
                texts = page.texts[page.text_index[start] : page.text_index[stop]]
                known[start, stop] = bag(texts)
            bags.append(known[start, stop])
        found.append(bags)
    return found


def _quality(wanted: list[Bag], found: list[Bag], mode: str) -> tuple[float, float]:
    if len(found) > MAX_EXCESS * len(wanted) + 50:
        return 0.0, 0.0
    matched = len(match(wanted, found, mode))
    return matched / len(found), matched / len(wanted)
