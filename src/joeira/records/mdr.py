"""MDR, mining data records: similar neighbouring subtrees.

1. A generalised node is a run of up to `max_node_length` sibling subtrees. A data region is two or
   more generalised nodes of one length, side by side under one parent, each like the next.
2. The tree is searched from the top. Of the children of a node the regions that cover most children
   are taken from left to right, shorter generalised nodes first; only children outside them are
   searched further. Nodes with fewer than `min_depth` levels have no regions.
3. A generalised node of one subtree is a record, or a row of records if its children are alike and
   it is no row of a data table. One of several subtrees is a record, or several that lie across it:
   if all subtrees have as many children, alike within each, the k-th children are record k.
4. A generalised node that holds a list holds several records, so it is searched again (`nested`).
   Where the regions of shorter generalised nodes cover most of a region, they take its place, the
   shortest first. Where the largest regions inside its generalised nodes cover most of it, and at
   least half of these have as many records in them, each of at least `min_nested_size` nodes on the
   median, the region is rows of records: those of all rows are one table.

Two runs are compared by simple tree matching (`comparison` ``tree``): the nodes that match over the
mean number of nodes, at least `min_similarity`; or by the Levenshtein distance of their tag strings
(``string``) over their mean length, at most `max_distance`, as in the paper of 2003. ``tree`` with
0.5 finds most records on the pages of the thesis that introduced the TPS filter.

Readings: phases of a generalised node begin at the start and the ``i - 1`` places after it;
neighbours, not all pairs, must be alike; a ``tr`` with cells of at most two nodes each is a row of
a data table. Of step 4 the paper has the idea, that what lies in a generalised node is looked at
again and a record may be several subtrees there; "most" (three quarters of the nodes), the
like number of records and their size are ours. They tell a row of products from a product with a
list in it.

Departures, each of which finds more records or bounds the time:

- `drop_empty`: subtrees with neither text nor image (separators, spacers) are not compared.
- `prefilter`: only what the TPS filter leaves of the page is searched.
- Elements that show nothing are no nodes; a record has text.
- Lists in lists in lists are searched no deeper than eight levels.
- On pages made to take long, runs with enough common tags count as alike without being aligned.
- Tables are ordered by their number of words; the paper has no order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import AnyInts
from joeira.arrays.matching import Comparison, NeighbourRuns, Shapes, SiblingTree, TooManySteps
from joeira.page import Page, tag_paths, tags
from joeira.papers import LIU_2003, VELLOSO_2014, ZHAI_2005, Paper
from joeira.params import check, param
from joeira.records.result import Records, RecordTable


def edit_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the least number of insertions, deletions and changes between two sequences.

    Bit-parallel (Myers 1999, Hyyrö 2003): the differences of neighbours in a column of the dynamic
    program are the bits of two numbers, so that a step costs a few operations on long integers.
    """
    if not first:
        return len(second)
    places: dict[Hashable, int] = {}
    for place, symbol in enumerate(first):
        places[symbol] = places.get(symbol, 0) | 1 << place
    mask = (1 << len(first)) - 1
    last = 1 << len(first) - 1
    rising, falling, distance = mask, 0, len(first)
    for symbol in second:
        match = places.get(symbol, 0)
        diagonal = (((match & rising) + rising) ^ rising) | match | falling
        right_rising = falling | ~(diagonal | rising)
        right_falling = rising & diagonal
        distance += bool(right_rising & last) - bool(right_falling & last)
        right_rising = right_rising << 1 | 1
        right_falling <<= 1
        rising = (right_falling | ~(diagonal | right_rising)) & mask
        falling = right_rising & diagonal & mask
    return distance


Span = tuple[int, int, int]
"""A region: subtrees of a generalised node, first place and number among all children."""
Parts = list[tuple[int, int]]
"""A record: places ``start, stop`` among all children of the tree, one pair per run."""

_TREE_WORK_LIMIT = 1_000_000
"""Pairs of subtrees that tree matching may weigh: about a second."""
_STRING_WORK_LIMIT = 2_000_000_000
"""Pairs of tags that edit distances may look at: about two seconds."""
_MOST = 0.75
"""Share of a region's nodes that regions inside it must cover to take its place."""
_DEEPEST = 8
"""Regions within regions that are searched: only pages made for it have more."""
_DEPTH_STEP = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True)
class MDR:
    """Find lists of similar neighbouring subtrees anywhere on the page."""

    comparison: Literal["tree", "string"] = param(
        "tree", "Whether to align subtrees as trees or as strings of tags."
    )
    min_similarity: float = param(
        0.5, "Minimum share of the nodes that match (``tree``).", ge=0, le=1
    )
    max_distance: float = param(
        0.3,
        "Maximum edit distance divided by the mean length (``string``; T of the paper).",
        ge=0,
        le=2,
    )
    max_node_length: int = param(
        10, "Number of subtrees of the longest generalised node (K of the paper).", ge=1, le=100
    )
    min_depth: int = param(3, "Minimum height of a subtree that is searched.", ge=1, le=1000)
    text_nodes: bool = param(True, "Whether texts are nodes.")
    drop_empty: bool = param(True, "Whether to leave out subtrees with neither text nor image.")
    nested: bool = param(True, "Whether to search generalised nodes for nested records.")
    min_nested_size: int = param(8, "Minimum median number of nodes of nested records.", ge=1)
    prefilter: tag_paths.Prefilter = param(
        "none", "Prefilter of the page: none, or its main region by tag paths."
    )

    papers: ClassVar[tuple[Paper, ...]] = (LIU_2003, ZHAI_2005)
    origin: ClassVar[Paper | None] = VELLOSO_2014

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Records:
        """Return the data regions of a page, those with most words first."""
        rows = self._rows(page)
        tree = SiblingTree.induced(page.tag_symbol, page.parent, rows)
        search = _Search(self, tree, rows, page)
        tables = [search.table(region) for region in search.regions()]
        ordered = sorted((table for table in tables if table), key=lambda table: -table.score)
        return Records(page, tuple(ordered), "mdr")

    def _rows(self, page: Page) -> AnyInts:
        """Return the rows that are compared."""
        kept = tag_paths.unfiltered(page, self.prefilter)
        if self.drop_empty:
            kept &= tag_paths.filled(page, kept)
        if not self.text_nodes:
            kept &= ~page.is_text
        rows = np.flatnonzero(kept)
        return rows[rows >= page.body]


class _Search:
    """The regions of one tree."""

    def __init__(self, method: MDR, tree: SiblingTree, rows: AnyInts, page: Page) -> None:
        self._method = method
        self._tree = tree
        self._page = page
        self._rows = rows
        compare = _by_trees if method.comparison == "tree" else _by_strings
        self._runs = NeighbourRuns(tree, method.max_node_length, compare(method, tree))
        self._children: list[int] = tree.children.tolist()
        self._first_child: list[int] = tree.first_child.tolist()
        self._end: list[int] = tree.end.tolist()
        several = np.diff(tree.first_child) > 1
        self._searched: list[int] = np.flatnonzero(
            several & (tree.levels >= method.min_depth)
        ).tolist()
        self._level = np.zeros(len(tree), np.int8)
        """Per row: within how many regions it lies, as far as they have been looked for."""
        self._longest = method.max_node_length
        self._cell_rows = (page.tag[rows] == tags.NUMBER["tr"]).tolist()

    def regions(self) -> Iterator[Span]:
        """Yield each region that is in no other, from the top down."""
        return self._regions(0, len(self._tree), 0)

    def _regions(self, first_row: int, end_row: int, level: int) -> Iterator[Span]:
        """Yield the outermost regions of some rows, which lie within so many others."""
        searched = self._searched
        for row in searched[bisect_left(searched, first_row) : bisect_left(searched, end_row)]:
            if self._level[row] > level:
                continue
            start, stop = self._first_child[row : row + 2]
            for region in self._identify(start, stop, self._longest):
                first, end = self._rows_of(region[1], region[2])
                self._level[first:end] = level + 1
                yield region

    def _identify(self, start: int, stop: int, longest: int) -> Iterator[Span]:
        """Yield the regions among the children ``start:stop``."""
        while start < stop - 1:
            best = self._best(start, stop, longest)
            if best is None:
                return
            yield best
            start = best[1] + best[2]

    def _best(self, start: int, stop: int, longest: int) -> Span | None:
        """Return the region that covers most children of those that begin first."""
        best = None
        alike = self._runs.alike
        for length in range(1, min(longest, (stop - start) // 2) + 1):
            for phase in range(start, start + length):
                # A region that begins after the best one is never better.
                latest = stop - 2 * length if best is None else min(stop - 2 * length, best[1])
                place = phase
                while place <= latest and not alike(length, place):
                    place += length
                if place > latest:
                    continue
                first = place
                while place <= stop - 2 * length and alike(length, place):
                    place += length
                count = place + length - first
                if best is None or count > best[2]:
                    best = (length, first, count)
            if best is not None and best[1:] == (start, stop - start):
                break
        return best

    # Records ----------------------------------------------------------------------------------

    def table(self, region: Span) -> RecordTable | None:
        """Return the records of a region; None when fewer than two have text."""
        length, place, count = region
        records = self._records_of(region, 1)
        page = self._page
        slices = [[self._slice(*part) for part in record] for record in records]
        filled = [
            record
            for record in slices
            if any(page.text_index[stop] > page.text_index[start] for start, stop in record)
        ]
        if len(filled) < 2:
            return None
        parent = int(self._rows[self._tree.parent[self._children[place]]])
        parts = np.array([part for record in filled for part in record])
        numbers = np.repeat(np.arange(len(filled)), [len(record) for record in filled])
        words = page.text_words[page.text_index[parts[0, 0]] : page.text_index[parts[-1, 1]]]
        subtrees = "subtree" if length == 1 else f"{length} subtrees"
        reason = f"{count // length} neighbours of {subtrees} each are similar"
        if len(records) != count // length:
            reason += f"; they contain {len(records)} records"
        return RecordTable(page, page.region(parent), parts, numbers, float(words.sum()), reason)

    def _records_of(self, region: Span, level: int) -> list[Parts]:
        """Return the records of a region within so many others, itself included."""
        shorter = self._shorter(region) if self._method.nested else []
        if shorter:
            return [record for each in shorter for record in self._records_of(each, level)]
        length, place, count = region
        nodes = range(place, place + count, length)
        by_node = [list(self._records(node, length)) for node in nodes]
        if 2 * sum(len(records) > 1 for records in by_node) < len(by_node):
            by_node = self._rows_of_records(region, level) or by_node
        return [record for records in by_node for record in records]

    def _shorter(self, region: Span) -> list[Span]:
        """Return the regions of the shortest generalised nodes that cover most of a region."""
        length, place, count = region
        enough = _MOST * self._size(place, count)
        for longest in range(1, length):
            shorter = list(self._identify(place, place + count, longest))
            if sum(self._size(*each[1:]) for each in shorter) >= enough:
                return shorter
        return []

    def _rows_of_records(self, region: Span, level: int) -> list[list[Parts]]:
        """Return the records inside each generalised node; none where it is a record itself."""
        if not self._method.nested or level > _DEEPEST:
            return []
        length, place, count = region
        nodes = range(place, place + count, length)
        inside = [self._largest_inside(node, length, level) for node in nodes]
        covered = sum(self._size(*each[1:]) for each in inside if each)
        if covered < _MOST * self._size(place, count):
            return []
        listed = [self._records_of(each, level + 1) if each else [] for each in inside]
        (number, times), *_ = Counter(map(len, filter(None, listed))).most_common(1)
        sizes = [
            sum(self._size(start, stop - start) for start, stop in record)
            for records in listed
            for record in records
        ]
        if 2 * times < len(nodes) or number < 2 or median(sizes) < self._method.min_nested_size:
            return []
        return [
            records or [[(node, node + length)]]
            for node, records in zip(nodes, listed, strict=True)
        ]

    def _largest_inside(self, node: int, length: int, level: int) -> Span | None:
        """Return the region inside a generalised node that has most nodes."""
        if self._is_data_row(node, length):
            return None
        inside = self._regions(*self._rows_of(node, length), level)
        return max(inside, key=lambda region: self._size(*region[1:]), default=None)

    def _records(self, node: int, length: int) -> Iterator[Parts]:
        """Yield the records of a generalised node."""
        below = [self._first_child[row : row + 2] for row in self._children[node : node + length]]
        counts = {stop - start for start, stop in below}
        rows_of_records = len(counts) == 1 and all(self._are_alike(*each) for each in below)
        if rows_of_records and max(counts) > (length == 1) and not self._is_data_row(node, length):
            for number in range(max(counts)):
                yield [(start + number, start + number + 1) for start, _ in below]
        else:
            yield [(node, node + length)]

    def _are_alike(self, start: int, stop: int) -> bool:
        return all(self._runs.alike(1, place) for place in range(start, stop - 1))

    def _is_data_row(self, node: int, length: int) -> bool:
        row = self._children[node]
        cells = self._children[slice(*self._first_child[row : row + 2])]
        plain = all(self._end[cell] - cell <= 2 for cell in cells)
        return length == 1 and self._cell_rows[row] and plain

    def _rows_of(self, place: int, count: int) -> tuple[int, int]:
        """Return the rows of the tree, ``start, stop``, below some children and their own."""
        return self._children[place], self._end[self._children[place + count - 1]]

    def _size(self, place: int, count: int) -> int:
        """Return the number of nodes of some children with all below."""
        start, stop = self._rows_of(place, count)
        return stop - start

    def _slice(self, start: int, stop: int) -> tuple[int, int]:
        """Return the rows of the page from one child to another."""
        first, last = self._rows[self._children[start]], self._rows[self._children[stop - 1]]
        return int(first), int(self._page.end[last])


def _by_trees(method: MDR, tree: SiblingTree) -> Comparison:
    shapes = Shapes(_TREE_WORK_LIMIT)
    shape = shapes.add_tree(tree)
    children = [shape[row] for row in tree.children.tolist()]
    places, end = tree.children.tolist(), tree.end.tolist()
    least = method.min_similarity

    def is_alike(start: int, middle: int, stop: int) -> bool:
        runs = children[start:middle], children[middle:stop]
        nodes = end[places[stop - 1]] - places[start]
        try:
            matched = shapes.matched(*runs)
        except TooManySteps:
            # Counts of common tags have been compared before.
            return True
        return bool(2 * matched >= least * nodes)

    # Only nodes of one level match.
    counted = tree.symbol + tree.depth.astype(np.uint64) * _DEPTH_STEP
    return Comparison(is_alike, lambda one, other: least * (one + other) / 2, counted)


def _by_strings(method: MDR, tree: SiblingTree) -> Comparison:
    children, end = tree.children.tolist(), tree.end.tolist()
    string = tree.symbol.tolist()
    most = method.max_distance
    work = 0

    def is_alike(start: int, middle: int, stop: int) -> bool:
        nonlocal work
        first, second, end_ = children[start], children[middle], end[children[stop - 1]]
        work += (second - first) * (end_ - second)
        if work > _STRING_WORK_LIMIT:
            return True
        distance = edit_distance(string[first:second], string[second:end_])
        return bool(2 * distance <= most * (end_ - first))

    def least_common(one: AnyInts, other: AnyInts) -> NDArray[Any]:
        return np.maximum(one, other) - most * (one + other) / 2

    return Comparison(is_alike, least_common, tree.symbol)
