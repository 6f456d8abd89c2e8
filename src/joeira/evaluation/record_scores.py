r"""Scores of data records against the records of a page's answer, and their summary over pages.

Records are compared as bags of lower-cased ``\w+`` tokens, one to one, best overlap (Dice) first:

- *text* answers hold the whole text of a record: found when the Dice overlap is at least 0.8;
- *attrs* answers hold some values of a record: found when 0.8 of them are in the record, and the
  record is one: what is left of it does not hold 0.8 of the answer before or after, and it is at
  most 10 times and 50 tokens longer than the answer.

A page is measured once per method: one row of counts (`COLUMNS`), over all tables and over the
first ones alone. Precision and recall are means over pages; a page without output has neither.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from joeira.arrays import Floats
from joeira.evaluation import metrics
from joeira.evaluation.datasets import Example
from joeira.evaluation.metrics import BOOTSTRAP_SAMPLES, interval, resamples

Tables = list[list[str]]
"""What is measured: the texts of the records of each table, best table first."""
Bag = Counter[str]

THRESHOLD = 0.8
COLUMNS = ("wanted", "matched", "returned", "region_found")
WIDTH = 2 * len(COLUMNS) - 1
_ALL, _FIRST = [0, 1, 2, 3], [0, 4, 5, 6]
_WORD = re.compile(r"\w+")


def bag(record: str | Sequence[str]) -> Bag:
    """Return the tokens of a record given as text or as values."""
    text = record if isinstance(record, str) else " ".join(record)
    return Counter(_WORD.findall(text.lower().replace("_", " ")))


def match(wanted: Sequence[Bag], found: Sequence[Bag], mode: str = "text") -> dict[int, int]:
    """Return which found record is which wanted one: best overlap first, each of both once."""
    pairs = sorted(_pairs(wanted, found, mode), key=lambda pair: (-pair[0], pair[1], pair[2]))
    of_wanted: dict[int, int] = {}
    of_found: dict[int, int] = {}
    for _, one, other in pairs:
        if one not in of_wanted and other not in of_found:
            of_wanted[one] = other
            of_found[other] = one
    return of_found


class Gold:
    """The records of one page's answer, prepared so that many outputs can be measured."""

    def __init__(self, row: Example, first_tables: int = 1) -> None:
        """Count the tokens of the answer."""
        self._mode = row.mode
        self._wanted = [words for words in map(bag, row.records) if words]
        self._first_tables = first_tables

    def measure(self, tables: Tables) -> Floats:
        """Return the measurement of an output: counts over all tables and over the first ones."""
        bags = [[bag(record) for record in table] for table in tables if table]
        everywhere = self._counts(bags)
        return np.array([*everywhere, *self._counts(bags[: self._first_tables])[1:]], np.float64)

    def _counts(self, tables: list[list[Bag]]) -> tuple[int, int, int, int]:
        records = [record for table in tables for record in table]
        enough = THRESHOLD * len(self._wanted)
        # A table on its own, so that no other can take what it found.
        region_found = any(
            len(match(self._wanted, table, self._mode)) >= enough
            for table in tables
            if len(table) >= enough
        )
        matched = len(match(self._wanted, records, self._mode))
        return len(self._wanted), matched, len(records), int(region_found)


@dataclass(frozen=True)
class RecordScore:
    """How well records were found over a set of pages."""

    pages: int
    precision: float
    recall: float
    f1: float
    """Harmonic mean of the two means."""
    interval: tuple[float, float]
    """95 % bootstrap interval of `f1`, pages resampled."""
    page_f1: float
    """Mean of the pages' own F1."""
    micro_precision: float
    micro_recall: float
    micro_f1: float
    """The same over all records of all pages."""
    region_rate: float
    """Share of pages on which a single table holds 0.8 of the wanted records."""
    exact: float
    """Share of pages with every wanted record and no other."""
    precision_where_found: float
    """Mean precision over the pages whose region was found: the TPS thesis' precision."""
    f1_where_found: float
    """Harmonic mean of that and the region rate: the thesis' F-measure."""
    wanted: int
    matched: int
    returned: int


def scores(
    tables: Sequence[Floats], *, first: bool = False, samples: int = BOOTSTRAP_SAMPLES
) -> list[RecordScore]:
    """Summarise measurements of several methods on the same pages.

    Args:
        tables: A row of counts per page, for each method.
        first: Count the first tables only.
        samples: Number of bootstrap samples.
    """
    counts = [rows[:, _FIRST if first else _ALL] for rows in tables]
    shares = [_shares(rows) for rows in counts]
    side_by_side = np.hstack(shares)
    drawn = resamples(len(side_by_side), samples, 0)
    means = np.concatenate([times @ side_by_side for times in drawn]) / len(side_by_side)
    resampled = [_harmonic(*each.T) for each in np.split(means, len(tables), axis=1)]
    return [_score(*one) for one in zip(counts, shares, resampled, strict=True)]


def noise_removed(before: Floats, after: Floats) -> list[float]:
    """Return the share of unwanted records that a filter took away, page by page.

    As the TPS thesis has it: of the pages whose region the filter kept and that had noise.
    """
    shares = []
    for one, other in zip(before.tolist(), after.tolist(), strict=True):
        if other[_ALL[3]]:
            share = metrics.noise_removed(int(one[2]), int(one[1]), int(other[2]), int(other[1]))
            shares += [] if share is None else [share]
    return shares


def _pairs(
    wanted: Sequence[Bag], found: Sequence[Bag], mode: str
) -> Iterator[tuple[float, int, int]]:
    """Yield the overlap and the numbers of every wanted and found record that may be the same."""
    holders: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for one, words in enumerate(wanted):
        for word, times in words.items():
            holders[word].append((one, times))
    sizes = [words.total() for words in wanted]
    for other, words in enumerate(found):
        shared: Counter[int] = Counter()
        for word, times in words.items():
            for one, wanted_times in holders.get(word, ()):
                shared[one] += min(times, wanted_times)
        size = words.total()
        for one, common in shared.items():
            dice = 2 * common / (sizes[one] + size)
            if mode == "text":
                same = dice >= THRESHOLD
            else:
                fits = common >= THRESHOLD * sizes[one] and size <= 10 * sizes[one] + 50
                same = fits and not _holds_a_neighbour(words - wanted[one], wanted, one)
            if same:
                yield dice, one, other


def _holds_a_neighbour(rest: Bag, wanted: Sequence[Bag], number: int) -> bool:
    neighbours = [wanted[near] for near in (number - 1, number + 1) if 0 <= near < len(wanted)]
    return any((rest & other).total() >= THRESHOLD * other.total() for other in neighbours)


def _shares(counts: Floats) -> Floats:
    """Return precision and recall of each page."""
    wanted, matched, returned, _ = counts.T
    return np.column_stack((matched / np.maximum(returned, 1), matched / np.maximum(wanted, 1)))


def _score(counts: Floats, shares: Floats, resampled: Floats) -> RecordScore:
    precision, recall = shares.mean(axis=0)
    wanted, matched, returned, region_found = counts.sum(axis=0)
    micro_precision, micro_recall = matched / max(returned, 1), matched / max(wanted, 1)
    kept = counts[:, 3] > 0
    where_found = shares[kept, 0].mean() if kept.any() else 0.0
    rate = region_found / len(counts)
    return RecordScore(
        pages=len(counts),
        precision=float(precision),
        recall=float(recall),
        f1=float(_harmonic(precision, recall)),
        interval=interval(resampled),
        page_f1=float(_harmonic(*shares.T).mean()),
        micro_precision=float(micro_precision),
        micro_recall=float(micro_recall),
        micro_f1=float(_harmonic(micro_precision, micro_recall)),
        region_rate=float(rate),
        exact=float((shares == 1).all(axis=1).mean()),
        precision_where_found=float(where_found),
        f1_where_found=float(_harmonic(where_found, rate)),
        wanted=int(wanted),
        matched=int(matched),
        returned=int(returned),
    )


def _harmonic(one: Any, other: Any) -> Any:
    both = one + other
    return 2 * one * other / np.where(both > 0, both, 1)
