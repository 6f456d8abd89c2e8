"""Partial tree alignment: the leaves of many trees in common columns.

Zhai and Liu (2005), "Web data extraction based on partial tree alignment", WWW. Trees are matched
by shape, see `joeira.arrays.matching`. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from joeira.arrays.matching import Shapes, TooManySteps


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
