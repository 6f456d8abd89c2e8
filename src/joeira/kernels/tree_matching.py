"""Simple tree matching, on shapes instead of trees.

Trees that are alike share one *shape*: a number that stands for a symbol and the shapes of the
children. Two trees of one shape match completely, and what two shapes have in common is computed
once, however many trees have them. Nothing here recurses.

Yang (1991), "Identifying syntactic differences between two programs".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joeira.kernels.siblings import SiblingTree

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
