"""The learned list model: which candidate lists of a page are its data records.

Boosted trees see each list with its features and answer two questions. Which list? On a page of
records, the share of them that the list is expected to get right (F measure). Any list at all? The
same, but 0 on pages such as articles, where no list is the answer: what tells a good list from a
bad one is not what tells a page of records from others. The weights are plain arrays in
``joeira/models``; `python -m training.records` makes them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.boosting import ObliviousTrees
from joeira.models import read_arrays
from joeira.page import Page
from joeira.records.learned.candidates import Lists, candidates
from joeira.records.learned.features import FEATURES, NAMES, Totals, features

MAX_LISTS = 60
"""Lists that are looked at closely: the largest, in words and records."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """Candidate lists of a page with their features and scores, best first."""

    lists: Lists
    features: NDArray[np.float32]
    """Per feature (`joeira.records.learned.features.FEATURES`) and list: its value."""
    score: NDArray[np.float64]
    """Per list: expected F measure, if this is a page of records."""
    presence: float
    """Expected F measure of the likeliest list, if nothing is known about the page."""

    def of(self, name: str) -> NDArray[np.float32]:
        """Return one feature of every list."""
        line: NDArray[np.float32] = self.features[NAMES.index(name)]
        return line

    def quantity(self, name: str, number: int) -> float:
        """Return what is behind a feature of one list."""
        return FEATURES[NAMES.index(name)].quantity(float(self.of(name)[number]))


@dataclass(frozen=True, eq=False)
class ListModel:
    """Weights of the list model."""

    which: ObliviousTrees
    """Fitted to pages of records."""
    whether: ObliviousTrees
    """Fitted to those and to pages without any."""

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> ListModel:
        """Return the model stored in arrays."""
        return cls(ObliviousTrees.load(arrays, "which"), ObliviousTrees.load(arrays, "whether"))

    def score(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the expected F measure of every list on a page of records."""
        return _expected(self.which, values)

    def presence(self, values: NDArray[np.float32]) -> float:
        """Return the expected F measure of the likeliest list on a page of any kind."""
        return float(_expected(self.whether, values).max(initial=0.0))

    def rank(self, page: Page, min_records: int = 2) -> Ranked:
        """Return the lists of a page, best first."""
        lists, values = described(page, min_records)
        score = self.score(values)
        order = np.argsort(-score, kind="stable")
        presence = self.presence(values)
        return Ranked(lists.take(order), values[:, order], score[order], presence)


def _expected(trees: ObliviousTrees, values: NDArray[np.float32]) -> NDArray[np.float64]:
    expected: NDArray[np.float64] = 1 / (1 + np.exp(-trees(values).astype(np.float64)))
    return expected


def described(page: Page, min_records: int = 2) -> tuple[Lists, NDArray[np.float32]]:
    """Return the lists of a page that are worth a look, and their features."""
    lists, totals = candidates(page, min_records), Totals(page)
    words = lists.sums(totals.words[lists.stop] - totals.words[lists.start])
    largest = np.argsort(-words * np.log1p(lists.size), kind="stable")[:MAX_LISTS]
    lists = lists.take(largest)
    if not len(lists):
        return lists, np.zeros((len(NAMES), 0), np.float32)
    return lists, features(lists, totals)


@cache
def load() -> ListModel:
    """Return the shipped model; loaded once."""
    return ListModel.of(read_arrays("records"))
