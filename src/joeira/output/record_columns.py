"""Values into columns: distinct shapes of records are aligned, and records follow their shape.

The most frequent shapes are aligned with each other by partial tree alignment. A list of a hundred
thousand records has a few dozen shapes, so the alignment costs nearly nothing. Rules for lists that
have more: the `_MAX_SHAPES` most frequent ones are aligned, within `_MAX_STEPS` table cells, and of
one element at most `_MAX_CHILDREN` children take part; the values of all other records go to the
column where aligned values of the same path, and the same place among those, are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joeira.kernels import trees
from joeira.kernels.alignment import Shapes, partial_alignment
from joeira.kernels.hashing import mixed
from joeira.output.record_leaves import ELEMENT, RecordNodes
from joeira.output.record_rows import Ints

MAX_COLUMNS = 100
"""The fullest columns of a table; what is in none of them is left over."""
_MIN_FILLED_SHARE = 0.05
"""Share of the records that must have a value for it to be a column."""
_SHORT_LIST = 5
"""In a list of so few records one value is enough; in a longer one it takes two."""

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
    column = _aligned(nodes)
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
    rows = partial_alignment(forest.shapes, [tree for tree, _ in added]).rows

    column = np.full(len(nodes.place), -1, np.int64)
    done = np.zeros(len(first), bool)
    by_shape = np.argsort(shape, kind="stable")
    bounds = np.concatenate(([0], np.cumsum(count)))
    for number, (_, leaves), row in zip(frequent.tolist(), added, rows, strict=True):
        if row is not None:
            alike = roots[by_shape[bounds[number] : bounds[number + 1]]]
            offset = np.array(leaves, np.int64) - roots[first[number]]
            column[alike[:, None] + offset] = row
            done[number] = True
    if not done.all():
        _follow_paths(nodes, column, done[shape])
    return column


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


def _follow_paths(nodes: RecordNodes, column: Ints, done: np.ndarray) -> None:
    """Put values of records that were not aligned where those with the same path are."""
    leaves = nodes.leaves
    record = nodes.record[leaves]
    order, _ = trees.sibling_places(record, nodes.path[leaves])
    key = mixed(nodes.path[leaves] + order.astype(np.uint64))
    known = (column[leaves] >= 0) & done[record]
    if not known.any():
        return
    pairs, count = np.unique(
        np.stack((key[known], column[leaves[known]].astype(np.uint64))), axis=1, return_counts=True
    )
    best = np.lexsort((-count, pairs[0]))
    keys, first = np.unique(pairs[0][best], return_index=True)
    columns = pairs[1][best][first].astype(np.int64)
    asking = np.flatnonzero(~done[record])
    at = np.minimum(np.searchsorted(keys, key[asking]), len(keys) - 1)
    asking, at = asking[keys[at] == key[asking]], at[keys[at] == key[asking]]
    # Two values of a record cannot share a column: the first one has it.
    _, alone = np.unique(record[asking] * (int(columns.max()) + 1) + columns[at], return_index=True)
    column[leaves[asking[alone]]] = columns[at[alone]]
