"""Values into columns: distinct shapes of records are aligned, and records follow their shape.

The alignment is partial tree alignment (Zhai and Liu 2005, "Web data extraction based on partial
tree alignment", WWW): the leaves of many trees in common columns. Trees are matched by shape, see
`joeira.arrays.matching`. Nothing here recurses.

A list of a hundred thousand records has a few dozen shapes, so aligning the most frequent ones with
each other costs nearly nothing. Rules for lists that have more: the `_MAX_SHAPES` most frequent
ones are aligned, within `_MAX_STEPS` table cells, and of one element at most `_MAX_CHILDREN`
children take part.

A value that was not aligned, because its place was not the only one possible or for these rules,
goes to the column where aligned values of the same path, and the same place among those, are. Those
with a path of their own get new columns, each after the column of the value before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Ints, trees
from joeira.arrays.matching import Shapes, TooManySteps
from joeira.arrays.strings import mixed
from joeira.records.fields.leaves import ELEMENT, RecordNodes


@dataclass(frozen=True)
class Alignment:
    """Which leaf of which tree belongs to which column."""

    columns: int
    """Leaves of the seed, in order."""
    rows: list[list[int] | None]
    """Per tree: the column of each of its leaves, -1 for none; None where effort ran out before."""


def partial_alignment(shapes: Shapes, trees: Sequence[int]) -> Alignment:
    """Align trees, given as shapes, by growing a seed: the largest tree and what fits into it.

    A run of nodes without partner is inserted where its place is the only one possible; a tree with
    runs left over is tried again as long as the seed grows. Trees whose turn comes after the limit
    of the shapes was reached have no row.
    """
    if not trees:
        return Alignment(0, [])
    order = sorted(range(len(trees)), key=lambda tree: -shapes.size[trees[tree]])
    seed = _Seed(shapes, trees[order[0]])
    matches: dict[int, dict[int, int]] = {order[0]: {node: node for node in range(len(seed.shape))}}
    waiting, progress = order[1:], False
    while waiting:
        left_over: list[int] = []
        for tree in waiting:
            nodes = _Nodes.of(shapes, trees[tree])
            try:
                match = seed.match(nodes)
            except TooManySteps:
                left_over.clear()
                break
            inserted, complete = seed.insert(nodes, match)
            progress |= inserted or len(match) > len(matches.get(tree, ()))
            matches[tree] = match
            if not complete:
                left_over.append(tree)
        waiting = left_over if progress else []
        progress = False
    column_of = seed.columns()
    rows: list[list[int] | None] = [None] * len(trees)
    for tree, match in matches.items():
        leaves = _Nodes.of(shapes, trees[tree]).leaves()
        rows[tree] = [column_of.get(match.get(leaf, -1), -1) for leaf in leaves]
    return Alignment(len(column_of), rows)


@dataclass
class _Nodes:
    """The nodes of one tree in preorder."""

    shape: list[int]
    children: list[list[int]]

    @classmethod
    def of(cls, shapes: Shapes, tree: int) -> _Nodes:
        nodes = cls([], [])
        waiting = [(tree, -1)]
        while waiting:
            shape, parent = waiting.pop()
            node = len(nodes.shape)
            nodes.shape.append(shape)
            nodes.children.append([])
            if parent >= 0:
                nodes.children[parent].append(node)
            waiting.extend((child, node) for child in reversed(shapes.children[shape]))
        return nodes

    def leaves(self) -> list[int]:
        return [node for node, below in enumerate(self.children) if not below]


@dataclass
class _Seed:
    """A tree that grows; node 0 is its root."""

    shapes: Shapes
    tree: int
    shape: list[int] = field(init=False)
    children: list[list[int]] = field(init=False)
    parent: list[int] = field(init=False)

    def __post_init__(self) -> None:
        nodes = _Nodes.of(self.shapes, self.tree)
        self.shape, self.children = nodes.shape, nodes.children
        self.parent = [-1] * len(self.shape)
        for node, below in enumerate(self.children):
            for child in below:
                self.parent[child] = node

    def match(self, nodes: _Nodes) -> dict[int, int]:
        """Return the partner in the seed of each node that has one, by tracing back the tables."""
        shapes = self.shapes
        if shapes.symbol[nodes.shape[0]] != shapes.symbol[self.shape[0]]:
            return {}
        match = {}
        waiting = [(0, 0)]
        while waiting:
            own, node = waiting.pop()
            match[node] = own
            if self.shape[own] == nodes.shape[node]:
                waiting.extend(zip(self.children[own], nodes.children[node], strict=True))
                continue
            below = (shapes.children[shape] for shape in (self.shape[own], nodes.shape[node]))
            best = shapes.table(*below)
            i, j = len(self.children[own]), len(nodes.children[node])
            while i and j:
                if best[i][j] == best[i - 1][j]:
                    i -= 1
                elif best[i][j] == best[i][j - 1]:
                    j -= 1
                else:
                    i, j = i - 1, j - 1
                    waiting.append((self.children[own][i], nodes.children[node][j]))
        return match

    def insert(self, nodes: _Nodes, match: dict[int, int]) -> tuple[bool, bool]:
        """Insert what has one possible place; return whether anything was, and everything has."""
        inserted, complete = False, True
        for node, own in list(match.items()):
            below = nodes.children[node]
            partners = [place for place, child in enumerate(below) if child in match]
            for before, after in pairwise([-1, *partners, len(below)]):
                run = below[before + 1 : after]
                if not run:
                    continue
                left = match[below[before]] if before >= 0 else None
                right = match[below[after]] if after < len(below) else None
                place = self._place(own, left, right)
                if place is None:
                    complete = False
                    continue
                self.children[own][place:place] = [self._copy(nodes, n, own, match) for n in run]
                inserted = True
                self._renew(own)
        return inserted, complete

    def _place(self, own: int, left: int | None, right: int | None) -> int | None:
        siblings = self.children[own]
        if left is None and right is None:
            return None if siblings else 0
        if right is None:
            return len(siblings) if siblings[-1] == left else None
        if left is None:
            return 0 if siblings[0] == right else None
        place = siblings.index(left) + 1
        return place if siblings[place] == right else None

    def _copy(self, nodes: _Nodes, top: int, parent: int, match: dict[int, int]) -> int:
        """Copy a subtree into the seed, not yet as anybody's child."""
        first = len(self.shape)
        waiting = [(top, parent)]
        while waiting:
            node, above = waiting.pop()
            copy = match[node] = len(self.shape)
            self.shape.append(nodes.shape[node])
            self.children.append([])
            self.parent.append(above)
            if node != top:
                self.children[above].append(copy)
            waiting.extend((child, copy) for child in reversed(nodes.children[node]))
        return first

    def _renew(self, node: int) -> None:
        """Find the shapes of a node and of those above it, after its children have changed."""
        while node >= 0:
            below = tuple(self.shape[child] for child in self.children[node])
            self.shape[node] = self.shapes.add(self.shapes.symbol[self.shape[node]], below)
            node = self.parent[node]

    def columns(self) -> dict[int, int]:
        """Return the number of each leaf, in document order."""
        numbers: dict[int, int] = {}
        waiting = [0]
        while waiting:
            node = waiting.pop()
            if not self.children[node]:
                numbers[node] = len(numbers)
            waiting.extend(reversed(self.children[node]))
        return numbers


MAX_COLUMNS = 100
"""The fullest columns of a table; what is in none of them is left over."""
_MIN_FILLED_SHARE = 0.05
"""Share of the records that must have a value for it to be a column."""
_SHORT_LIST = 5
"""In a list of so few records one value is enough; in a longer one it takes two."""

_LEAST_ALIKE = 0.25
"""Share of the nodes of a record that match those of a typical one, or it is not aligned."""
_MAX_SHAPES = 200
_MAX_STEPS = 1_000_000
_MAX_CHILDREN = 100


@dataclass(frozen=True, eq=False)
class Template:
    """The values of records by record and column."""

    nodes: RecordNodes
    cells: Ints
    """Node of the value of each record (row) in each column; -1 for none."""
    left_over: Ints
    """Values without column."""


def template(nodes: RecordNodes) -> Template:
    """Put the values of records into columns."""
    records = len(nodes.table.roots)
    column = _with_new_columns(nodes, _by_path(nodes, _aligned(nodes)))
    leaves = nodes.leaves
    of_leaf, record = column[leaves], nodes.record[leaves]
    filled = np.bincount(of_leaf[of_leaf >= 0], minlength=int(of_leaf.max(initial=-1)) + 1)
    enough = filled >= max(_MIN_FILLED_SHARE * records, 1 if records <= _SHORT_LIST else 2)
    fullest = np.argsort(-filled, kind="stable")[:MAX_COLUMNS]
    chosen = np.sort(fullest[enough[fullest]])
    number = np.full(len(filled) + 1, -1)
    number[chosen] = np.arange(len(chosen))
    place = number[of_leaf]
    cells = np.full((records, len(chosen)), -1, np.int64)
    cells[record[place >= 0], place[place >= 0]] = leaves[place >= 0]
    return Template(nodes, cells, leaves[place < 0])


def _aligned(nodes: RecordNodes) -> Ints:
    """Return the column of each node that is a value; -1 for none."""
    roots = np.flatnonzero(nodes.parent < 0)
    hashes = trees.shape_hashes(nodes.symbol, nodes.depth, nodes.end)
    _, first, shape, count = np.unique(
        hashes[roots], return_index=True, return_inverse=True, return_counts=True
    )
    frequent = np.lexsort((first, -count))[:_MAX_SHAPES]
    forest = _Forest(nodes, Shapes(_MAX_STEPS))
    added = [forest.add(int(roots[first[number]])) for number in frequent]
    typical = _like_most(forest.shapes, [tree for tree, _ in added], count[frequent])
    frequent, added = frequent[typical], [added[number] for number in typical]
    rows = partial_alignment(forest.shapes, [tree for tree, _ in added]).rows

    column = np.full(len(nodes.place), -1, np.int64)
    by_shape = np.argsort(shape, kind="stable")
    bounds = np.concatenate(([0], np.cumsum(count)))
    for number, (_, leaves), row in zip(frequent.tolist(), added, rows, strict=True):
        if row is not None:
            alike = roots[by_shape[bounds[number] : bounds[number + 1]]]
            offset = np.array(leaves, np.int64) - roots[first[number]]
            column[alike[:, None] + offset] = row
    return column


def _like_most(shapes: Shapes, trees_: list[int], counts: Ints) -> list[int]:
    """Return the numbers of the trees that are like the one of middle size.

    A stranger among the records, if it is large, would be what all others are aligned with.
    """
    size = np.array([shapes.size[tree] for tree in trees_])
    by_size = np.argsort(size, kind="stable")
    middle = np.searchsorted(np.cumsum(counts[by_size]), counts.sum() / 2)
    typical = trees_[by_size[middle]]
    columns = []
    for number, tree in enumerate(trees_):
        try:
            matched = shapes.matched([typical], [tree])
        except TooManySteps:
            return list(range(len(trees_)))
        if matched >= _LEAST_ALIKE * (shapes.size[typical] + shapes.size[tree]) / 2:
            columns.append(number)
    return columns


class _Forest:
    """Makes shapes of records."""

    def __init__(self, nodes: RecordNodes, shapes: Shapes) -> None:
        self.nodes = nodes
        self.shapes = shapes
        place, _ = trees.sibling_places(nodes.parent, np.zeros(len(nodes.place), np.int64))
        late = (place > _MAX_CHILDREN) & (nodes.parent >= 0)
        self.left_out = trees.inside(late, nodes.end)
        self.symbols: dict[int, int] = {}

    def add(self, root: int) -> tuple[int, list[int]]:
        """Return the shape of a record, and the nodes that are its leaves."""
        nodes = self.nodes
        stop = int(nodes.end[root])
        members = [node for node in range(root, stop) if not self.left_out[node]]
        children: dict[int, list[int]] = {}
        shape = {}
        for node in reversed(members):
            below = tuple(reversed(children.pop(node, ())))
            word = int(nodes.symbol[node])
            symbol = self.symbols.setdefault(word, len(self.symbols))
            shape[node] = self.shapes.add(symbol, below)
            children.setdefault(int(nodes.parent[node]), []).append(shape[node])
        leaves = [node for node in members if nodes.kind[node] != ELEMENT]
        return shape[root], leaves


def _keys(nodes: RecordNodes) -> NDArray[np.uint64]:
    """Return the path of each value, and its place among those of the record with that path."""
    path = nodes.path[nodes.leaves]
    order, _ = trees.sibling_places(nodes.record[nodes.leaves], path)
    return mixed(path + order.astype(np.uint64))


def _by_path(nodes: RecordNodes, column: Ints) -> Ints:
    """Put values that were not aligned where those with the same path are, if that is free."""
    leaves = nodes.leaves
    record, key = nodes.record[leaves], _keys(nodes)
    known = column[leaves] >= 0
    if known.all() or not known.any():
        return column
    pairs, count = np.unique(
        np.stack((key[known], column[leaves[known]].astype(np.uint64))), axis=1, return_counts=True
    )
    best = np.lexsort((-count, pairs[0]))
    keys, first = np.unique(pairs[0][best], return_index=True)
    columns = pairs[1][best][first].astype(np.int64)
    asking = np.flatnonzero(~known)
    at = np.minimum(np.searchsorted(keys, key[asking]), len(keys) - 1)
    same = keys[at] == key[asking]
    asking, wanted = asking[same], columns[at[same]]
    width = int(columns.max()) + 1
    taken = record[known] * width + column[leaves[known]]
    place = record[asking] * width + wanted
    # Two values of a record cannot share a column: the first one has it.
    _, alone = np.unique(place, return_index=True)
    alone = alone[~np.isin(place[alone], taken)]
    column[leaves[asking[alone]]] = wanted[alone]
    return column


def _with_new_columns(nodes: RecordNodes, column: Ints) -> Ints:
    """Give the values that are left columns by their path, after the column of the value before."""
    leaves = nodes.leaves
    left = np.flatnonzero(column[leaves] < 0)
    if not len(left):
        return column
    _, first, number = np.unique(_keys(nodes)[left], return_index=True, return_inverse=True)
    # The value before, where it has a column and is of the same record.
    aligned = np.where(column[leaves] >= 0, np.arange(len(leaves)), -1)
    before = np.maximum.accumulate(aligned)[left[first]]
    same = (before >= 0) & (nodes.record[leaves[before]] == nodes.record[leaves[left[first]]])
    after = np.where(same, column[leaves[before]], -1)
    old = int(column.max()) + 1
    order = np.lexsort((
        np.concatenate((np.zeros(old, np.int64), 1 + left[first])),
        np.concatenate((np.arange(old), after)),
    ))  # fmt: skip
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    column = np.where(column >= 0, rank[column], -1)
    column[leaves[left]] = rank[old + number]
    return column
