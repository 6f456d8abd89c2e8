"""Values into columns: distinct shapes of records are aligned, and records follow their shape.

The most frequent shapes are aligned with each other by partial tree alignment. A list of a hundred
thousand records has a few dozen shapes, so the alignment costs nearly nothing. Rules for lists that
have more: the `_MAX_SHAPES` most frequent ones are aligned, within `_MAX_STEPS` table cells, and of
one element at most `_MAX_CHILDREN` children take part.

A value that was not aligned, because its place was not the only one possible or for these rules,
goes to the column where aligned values of the same path, and the same place among those, are. Those
with a path of their own get new columns, each after the column of the value before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.arrays.hashing import mixed
from joeira.arrays.matching import Shapes, TooManySteps
from joeira.kernels.alignment import partial_alignment
from joeira.output.record_leaves import ELEMENT, RecordNodes
from joeira.output.record_rows import Ints

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
    found = []
    for number, tree in enumerate(trees_):
        try:
            matched = shapes.matched([typical], [tree])
        except TooManySteps:
            return list(range(len(trees_)))
        if matched >= _LEAST_ALIKE * (shapes.size[typical] + shapes.size[tree]) / 2:
            found.append(number)
    return found


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
