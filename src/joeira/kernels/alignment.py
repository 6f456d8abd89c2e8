"""Simple tree matching and partial tree alignment, on shapes instead of trees.

Trees that are alike share one *shape*: a number that stands for a symbol and the shapes of the
children. Two trees of one shape match completely, and what two shapes have in common is computed
once, however many trees have them. Nothing here recurses.

Yang (1991), "Identifying syntactic differences between two programs"; Zhai and Liu (2005), "Web
data extraction based on partial tree alignment", WWW.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product

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

    def matching(self, first: int, second: int) -> int:
        """Return the nodes of the largest top-down match that keeps the order of siblings.

        Raises `TooManySteps` when no more cells may be filled.
        """
        known = self._known(first, second)
        if known is not None:
            return known
        waiting = [(first, second)]
        while waiting:
            pair = waiting[-1]
            if pair in self._common:
                waiting.pop()
                continue
            pairs = set(product(self.children[pair[0]], self.children[pair[1]]))
            missing = [below for below in pairs if self._known(*below) is None]
            if missing:
                waiting.extend(missing)
                continue
            self._common[pair] = self.table(*pair)[-1][-1] + 1
            waiting.pop()
        return self._common[first, second]

    def table(self, first: int, second: int) -> Table:
        """Return the best matches of the first i children of one and the first j of the other."""
        columns = self.children[second]
        self._steps_left -= len(self.children[first]) * len(columns)
        if self._steps_left < 0:
            raise TooManySteps
        best = [[0] * (len(columns) + 1)]
        for child in self.children[first]:
            above, line = best[-1], [0]
            for place, other in enumerate(columns):
                matched = above[place] + (self._known(child, other) or 0)
                line.append(max(above[place + 1], line[-1], matched))
            best.append(line)
        return best

    def _known(self, first: int, second: int) -> int | None:
        if first == second:
            return self.size[first]
        if self.symbol[first] != self.symbol[second]:
            return 0
        return self._common.get((first, second))


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
            shapes.matching(self.shape[own], nodes.shape[node])
            best = shapes.table(self.shape[own], nodes.shape[node])
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
