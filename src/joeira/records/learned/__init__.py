"""The default record method: candidate lists, ranked by a learned model.

Not from one paper. `joeira.records.learned.candidates` takes every set of look-alike nodes for a
candidate: one tag path at several grains of class, one class anywhere, runs of siblings cut before
each head. Some forty features describe each: its size, how much of its records a common template
explains, how much of it is links, where on the page it is.

Boosted trees answer two questions. Which list? They see each list with its features: on a page of
records, the share of them that the list is expected to get right (F measure). Any list at all? They
see the best list and the page (`joeira.records.learned.presence`): what separates a good list from
a bad one is not what separates a page of records from others.

On a page that reaches `min_presence` lists are taken best first, none overlapping one taken before,
until the expectation falls below `min_score`; the best one is always taken. What is not taken is
still there, as candidates. Records that have next to nothing of what the others have in common are
strangers and left out.

`joeira.models` holds the weights and a card that says what they were learned from and how well they
do; `python -m training.records` makes them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.arrays.inference import ObliviousTrees
from joeira.arrays.trees import lowest_common_ancestor
from joeira.models import read_arrays
from joeira.page import Page, tags
from joeira.papers import Paper
from joeira.params import check, param
from joeira.records.fields.grid import grid_of
from joeira.records.learned.candidates import Lists, candidates, expand
from joeira.records.learned.features import FEATURES, NAMES, list_features
from joeira.records.learned.presence import GOOD_SCORE, page_features, presence_features
from joeira.records.learned.templates import without_strangers
from joeira.records.result import Records, RecordTable

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
    """Probability that the page has a list of records, 0 to 1."""

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
    """Fitted to those and to pages of other kinds: what kind is this one?"""

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> ListModel:
        """Return the model stored in arrays."""
        return cls(ObliviousTrees.load(arrays, "which"), ObliviousTrees.load(arrays, "whether"))

    def score(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the expected F measure of every list on a page of records."""
        return expected(self.which, values)

    def presence(
        self, values: NDArray[np.float32], score: Floats, of_page: NDArray[np.float32]
    ) -> float:
        """Return the probability that a page with these lists, one at least, has records."""
        (presence,) = expected(self.whether, presence_features(values, score, of_page)).tolist()
        return float(presence)

    def rank(self, page: Page, min_records: int = 2) -> Ranked:
        """Return the lists of a page, best first."""
        lists, values = describe(page, min_records)
        score = self.score(values)
        order = np.argsort(-score, kind="stable")
        presence = 0.0
        if len(lists) and not _is_mere_pair(lists, score):
            presence = self.presence(values, score, page_features(page))
        return Ranked(lists.take(order), values[:, order], score[order], presence)


def expected(trees: ObliviousTrees, values: NDArray[np.float32]) -> Floats:
    """Return what trees expect of each column of features, 0 to 1."""
    return 1 / (1 + np.exp(-trees(values).astype(np.float64)))


def _is_mere_pair(lists: Lists, score: Floats) -> bool:
    """Return whether the best list is two nodes with little to say for them.

    Any page has such pairs; the smallest pages, of which none was learned from, have nothing else.
    """
    best = int(score.argmax())
    return bool(lists.size[best] == MIN_RECORDS and score[best] < GOOD_SCORE)


def describe(page: Page, min_records: int = 2) -> tuple[Lists, NDArray[np.float32]]:
    """Return the lists of a page that are worth a look, and their features."""
    lists = candidates(page, min_records)
    before = lists.ground.words
    words = lists.sums(before[lists.stop] - before[lists.start])
    largest = np.argsort(-words * np.log1p(lists.size), kind="stable")[:MAX_LISTS]
    lists = lists.take(largest)
    if not len(lists):
        return lists, np.zeros((len(NAMES), 0), np.float32)
    return lists, list_features(lists)


@cache
def load() -> ListModel:
    """Return the shipped model; loaded once."""
    return ListModel.of(read_arrays("records"))


MIN_RECORDS = 2


_LINE = tags.NUMBER["tr"]


@dataclass(frozen=True)
class Auto:
    """Find the lists that the learned model predicts to be records."""

    min_records: int = param(MIN_RECORDS, "Minimum number of records in a table.", ge=MIN_RECORDS)
    max_tables: int = param(10, "Maximum number of tables to return.", ge=1)
    min_presence: float = param(
        0.13,
        "Probability of a list of records below which a page has none.",
        ge=0,
        le=1,
    )
    min_score: float = param(
        0.1,
        "Expected F measure below which further lists are dropped; most pages have menus.",
        ge=0,
        le=1,
    )

    papers: ClassVar[tuple[Paper, ...]] = ()

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Records:
        """Return the record tables of a page, the most likely first."""
        ranked = load().rank(page, self.min_records)
        chosen = self._chosen(ranked)
        tables = tuple(_table(ranked, number, self.min_records) for number in chosen)
        note = "" if tables else _why_nothing(page, ranked, self.min_presence)
        return Records(page, tables, "learned", note, partial(self._rest, ranked, chosen))

    def _chosen(self, ranked: Ranked) -> list[int]:
        """Return the numbers of the lists to return: good ones that do not overlap."""
        if ranked.presence < self.min_presence:
            return []
        good = ranked.score >= self.min_score
        good[:1] = True
        return _apart(ranked.lists, np.flatnonzero(good).tolist())[: self.max_tables]

    def _rest(self, ranked: Ranked, chosen: list[int]) -> tuple[RecordTable, ...]:
        """Return the other lists that overlap none of those chosen, nor each other."""
        others = [number for number in range(len(ranked.lists)) if number not in chosen]
        apart = _apart(ranked.lists, chosen + others)[len(chosen) :][: self.max_tables]
        return tuple(_table(ranked, number, self.min_records) for number in apart)


def _apart(lists: Lists, numbers: list[int]) -> list[int]:
    """Return the lists that share no row with one before them."""
    taken = np.zeros(len(lists.page), bool)
    apart: list[int] = []
    for number in numbers:
        records = slice(lists.first[number], lists.first[number + 1])
        rows = expand(lists.start[records], lists.stop[records])
        if not taken[rows].any():
            taken[rows] = True
            apart.append(number)
    return apart


def _table(ranked: Ranked, number: int, min_records: int) -> RecordTable:
    page = ranked.lists.page
    own = without_strangers(ranked.lists.take(np.array([number])), min_records)
    order = np.argsort(own.start)
    slices = np.stack((own.start, own.stop), axis=1)[order]
    slices = _without_headings(page, slices)
    first, last = int(slices[0, 0]), int(slices[-1, 1]) - 1
    holder = lowest_common_ancestor(first, last, page.parent, page.end)
    return RecordTable(
        page,
        page.region(holder),
        slices,
        np.arange(len(slices)),
        float(ranked.score[number]),
        partial(_reason, ranked, number, len(slices), holder),
        ranked.presence * float(ranked.score[number] / ranked.score[0]),
    )


def _without_headings(page: Page, slices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leave out the lines of a table of data that name columns, and those of one cell for all."""
    if (page.tag[slices[:, 0]] != _LINE).any():
        return slices
    grid = grid_of(page, slices[:, 0])
    if grid is None or grid.cells.shape[1] < 2:
        return slices
    one_cell = (grid.cells == grid.cells[:, :1]).all(axis=1)
    data = np.array(grid.lines)[grid.header_lines :][~one_cell[grid.header_lines :]]
    kept = slices[np.isin(slices[:, 0], data)]
    return kept if len(kept) >= MIN_RECORDS else slices


def _reason(ranked: Ranked, number: int, count: int, holder: int) -> str:
    page = ranked.lists.page
    fields = round(ranked.quantity("columns", number))
    cover = ranked.quantity("cover", number)
    what = "runs of siblings" if ranked.lists.headed[number] else "items"
    shared = "no field in common"
    if fields:
        filled = 1 / (1 + ranked.quantity("missing", number))
        shared = f"{fields} field{'s' if fields != 1 else ''} that {filled:.0%} of them have"
    where = page.tag_name(holder)
    names = page.classes[1][page.classes[0][holder]].split()
    where = f"{where}.{names[0]}" if names else where
    return f"{count} similar {what} under {where}: {shared}; {cover:.0%} of the page's words"


def _why_nothing(page: Page, ranked: Ranked, min_presence: float) -> str:
    if not page.texts:
        return ""
    if not len(ranked.lists):
        return "nothing on the page repeats"
    return (
        f"no main list of records: the likeliest of {len(ranked.lists)} lists, "
        f"{_table(ranked, 0, MIN_RECORDS).reason}, has a presence of {ranked.presence:.2f}, "
        f"and {min_presence:.2f} is needed"
    )
