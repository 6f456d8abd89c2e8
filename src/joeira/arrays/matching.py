"""Comparison of subtrees: which neighbours are similar, and what two trees share.

A tree is given in preorder, so that a run of siblings is one slice of its rows. Whether the run of
*i* children from child *k* on is like the next *i* is decided for all runs at once where sizes,
hashes or counts of symbols tell; only the rest is compared in full, when somebody asks.

That comparison is simple tree matching (Yang 1991, "Identifying syntactic differences between two
programs"), done on shapes instead of trees. Trees that are alike share one *shape*: a number that
stands for a symbol and the shapes of the children. Two trees of one shape match completely, and
what two shapes have in common is computed once, however many trees have them. Nothing here
recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import AnyInts, trees

APART, ALIKE, UNKNOWN = 0, 1, 2
_RUN_BASE = np.uint64(0x9E3779B97F4A7C15)
_COUNTED_SYMBOLS = 64
_CHUNK = 1 << 15


@dataclass(frozen=True, eq=False)
class SiblingTree:
    """A tree in preorder with the children of every row in one array."""

    symbol: NDArray[np.uint64]
    """What a row is: rows of different symbols never match."""
    parent: AnyInts

    @classmethod
    def induced(cls, symbol: NDArray[np.uint64], parent: AnyInts, rows: AnyInts) -> SiblingTree:
        """Return the tree of some rows of a larger one; each but the first has its parent there."""
        place = np.zeros(len(parent), np.int64)
        place[rows] = np.arange(len(rows))
        above = place[parent[rows]]
        above[:1] = -1
        return cls(symbol[rows], above)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.parent)

    @cached_property
    def depth(self) -> AnyInts:
        """Number of ancestors of each row."""
        return trees.depths(self.parent)

    @cached_property
    def end(self) -> AnyInts:
        """One past the last row of each subtree."""
        return trees.ends(self.parent, self.depth)

    @cached_property
    def levels(self) -> AnyInts:
        """Levels of each subtree: 1 for a leaf."""
        deepest = self.depth.astype(np.int64)
        by_depth = np.argsort(self.depth, kind="stable")
        bounds = np.searchsorted(self.depth[by_depth], np.arange(1, self.depth.max(initial=0) + 2))
        for start, stop in reversed(list(pairwise(bounds.tolist()))):
            rows = by_depth[start:stop]
            np.maximum.at(deepest, self.parent[rows], deepest[rows])
        return deepest - self.depth + 1

    @cached_property
    def children(self) -> AnyInts:
        """All rows but the root, those of one parent together and in order."""
        return np.argsort(self.parent, kind="stable")[1:]

    @cached_property
    def first_child(self) -> AnyInts:
        """Where the children of each row begin in `children`, and one more entry for the end."""
        counts = trees.child_counts(self.parent)
        return np.concatenate(([0], np.cumsum(counts)))

    @cached_property
    def shape(self) -> NDArray[np.uint64]:
        """Hash of each subtree."""
        return trees.shape_hashes(self.symbol, self.depth, self.end)


@dataclass(frozen=True)
class Comparison:
    """A way to compare two runs of siblings."""

    is_alike: Callable[[int, int, int], bool]
    """Takes where the first run begins, where the second one does, and where that ends, as numbers
    in `SiblingTree.children`."""
    least_common: Callable[[AnyInts, AnyInts], NDArray[Any]]
    """Takes the sizes of two runs; with fewer common symbols they are apart."""
    counted: NDArray[np.uint64]
    """Symbol of each row of which common ones are counted."""


class NeighbourRuns:
    """Whether neighbouring runs of siblings are alike, each decided at most once."""

    def __init__(self, tree: SiblingTree, longest: int, comparison: Comparison) -> None:
        """Decide what can be decided for all runs of up to `longest` siblings at once."""
        self._is_alike = comparison.is_alike
        decided = _decided(tree, longest, comparison)
        self._known = [row.tolist() for row in decided]

    def alike(self, length: int, place: int) -> bool:
        """Return whether the run of children from a place on is like the next one.

        Both must be children of one row. Places are those in `SiblingTree.children`.
        """
        known = self._known[length - 1]
        if known[place] == UNKNOWN:
            known[place] = int(self._is_alike(place, place + length, place + 2 * length))
        return bool(known[place] == ALIKE)


def _decided(tree: SiblingTree, longest: int, comparison: Comparison) -> NDArray[np.int8]:
    """Return what is known of each length (from 1) and place."""
    rows = tree.children
    decisions = np.zeros((longest, len(rows)), np.int8)
    if not len(rows):
        return decisions
    parent, stops = tree.parent[rows], tree.end[rows]
    counts = _running_counts(comparison.counted)
    hashes = shapes = tree.shape[rows]
    for length in range(1, longest + 1):
        last = len(rows) - 2 * length + 1
        if last < 1:
            break
        if length > 1:
            hashes = hashes[:-1] * _RUN_BASE + shapes[length - 1 :]
        here = np.flatnonzero(parent[:last] == parent[2 * length - 1 :])
        decisions[length - 1, here] = UNKNOWN
        begin, middle, end = rows[here], rows[here + length], stops[here + 2 * length - 1]
        least = comparison.least_common(middle - begin, end - middle)
        small = np.minimum(middle - begin, end - middle) < least
        decisions[length - 1, here[small]] = APART
        open_ = np.flatnonzero(~small)
        for start in range(0, len(open_), _CHUNK):
            some = open_[start : start + _CHUNK]
            at_middle = counts[middle[some]]
            common = np.minimum(at_middle - counts[begin[some]], counts[end[some]] - at_middle)
            too_few = common.sum(axis=1) < least[some]
            decisions[length - 1, here[some[too_few]]] = APART
        same = hashes[here] == hashes[here + length]
        decisions[length - 1, here[same]] = ALIKE
    return decisions


def _running_counts(symbol: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return how often each symbol occurs before each row; rare symbols are counted together."""
    _, number, count = np.unique(symbol, return_inverse=True, return_counts=True)
    rank = np.empty(len(count), np.int64)
    rank[np.argsort(-count, kind="stable")] = np.arange(len(count))
    column = np.minimum(rank, _COUNTED_SYMBOLS - 1)[number.reshape(-1)]
    counts = np.zeros((len(symbol) + 1, int(column.max(initial=0)) + 1), np.int32)
    counts[np.arange(1, len(symbol) + 1), column] = 1
    return np.cumsum(counts, axis=0, dtype=np.int32, out=counts)


Table = list[list[int]]


class TooManySteps(Exception):
    """The limit of a `Shapes` was reached."""


class Shapes:
    """Ordered trees, each distinct one stored once; a shape is a number."""

    def __init__(self, max_steps: int | None = None) -> None:
        """Start with no shapes; matching stops after filling so many cells of tables."""
        self.symbol: list[int] = []
        self.children: list[tuple[int, ...]] = []
        self.size: list[int] = []
        """Nodes of each shape."""
        self._steps_left = float("inf") if max_steps is None else max_steps
        self._number: dict[tuple[int, tuple[int, ...]], int] = {}
        self._common: dict[tuple[int, int], int] = {}

    def add(self, symbol: int, children: tuple[int, ...] = ()) -> int:
        """Return the shape of a node with these children."""
        number = self._number.setdefault((symbol, children), len(self.symbol))
        if number == len(self.symbol):
            self.symbol.append(symbol)
            self.children.append(children)
            self.size.append(1 + sum(self.size[child] for child in children))
        return number

    def add_tree(self, tree: SiblingTree) -> list[int]:
        """Return the shape of every row of a tree."""
        _, first, number = np.unique(tree.shape, return_index=True, return_inverse=True)
        of_row: list[int] = number.reshape(-1).tolist()
        shape_of = [0] * len(first)
        below = number.reshape(-1)[tree.children].tolist()
        starts: list[int] = tree.first_child.tolist()
        # The subtrees of a row come before it when small ones are added first.
        by_size = np.argsort((tree.end - np.arange(len(tree)))[first], kind="stable")
        rows = first[by_size]
        columns = (by_size.tolist(), rows.tolist(), tree.symbol[rows].tolist())
        for each, row, symbol in zip(*columns, strict=True):
            inside = below[starts[row] : starts[row + 1]]
            shape_of[each] = self.add(symbol, tuple([shape_of[child] for child in inside]))
        return [shape_of[each] for each in of_row]

    def matched(self, first: Sequence[int], second: Sequence[int]) -> int:
        """Return the nodes of the largest match of two runs of siblings that keeps order and level.

        Raises `TooManySteps` when no more cells may be filled.
        """
        same, *rests = self._trimmed(first, second)
        return same + self.table(*rests)[-1][-1]

    def table(self, first: Sequence[int], second: Sequence[int]) -> Table:
        """Return the best matches of the first i trees of one run and the first j of the other."""
        waiting = self._missing(first, second)
        while waiting:
            pair = waiting[-1]
            if pair in self._common:
                waiting.pop()
                continue
            same, *rests = self._trimmed(*(self.children[shape] for shape in pair))
            missing = self._missing(*rests)
            if missing:
                waiting += missing
            else:
                self._common[pair] = 1 + same + self._filled(*rests)[-1][-1]
        return self._filled(first, second)

    def _filled(self, first: Sequence[int], second: Sequence[int]) -> Table:
        """Return the table of two runs whose trees have been matched before."""
        self._steps_left -= len(first) * len(second)
        if self._steps_left < 0:
            raise TooManySteps
        symbol, common = self.symbol, self._common
        best = [[0] * (len(second) + 1)]
        for one in first:
            above, line, last = best[-1], [0], 0
            for place, other in enumerate(second):
                last = max(last, above[place + 1])
                if symbol[one] == symbol[other]:
                    pair = (one, other) if one < other else (other, one)
                    weight = self.size[one] if one == other else common[pair]
                    last = max(last, above[place] + weight)
                line.append(last)
            best.append(line)
        return best

    def _trimmed(
        self, first: Sequence[int], second: Sequence[int]
    ) -> tuple[int, Sequence[int], Sequence[int]]:
        """Return the nodes of equal trees at the ends of two runs, and what is between.

        Nothing matches more than an equal tree, so some best match has these pairs.
        """
        same, start, stop, other_stop = 0, 0, len(first), len(second)
        while start < min(stop, other_stop) and first[start] == second[start]:
            same += self.size[first[start]]
            start += 1
        while start < min(stop, other_stop) and first[stop - 1] == second[other_stop - 1]:
            stop, other_stop = stop - 1, other_stop - 1
            same += self.size[first[stop]]
        return same, first[start:stop], second[start:other_stop]

    def _missing(self, first: Sequence[int], second: Sequence[int]) -> list[tuple[int, int]]:
        """Return the pairs of trees of two runs that have not been matched yet."""
        symbol, common = self.symbol, self._common
        pairs = [
            (one, other) if one < other else (other, one)
            for one in first
            for other in second
            if one != other and symbol[one] == symbol[other]
        ]
        return [pair for pair in pairs if pair not in common]
