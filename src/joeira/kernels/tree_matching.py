"""Simple tree matching: the largest match of two trees that keeps levels, order and parents.

A match of two subtrees is found by aligning their children, each pair weighted by its own match.
Equal shapes match as a whole, and matches are remembered by shape, so that a list of similar
records costs little more than one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joeira.kernels.siblings import SiblingTree

_CELLS_LIMIT = 1_000_000
"""Pairs of children weighed for one tree: about a second. Then sizes alone are compared."""
_LEVELS_LIMIT = 100
"""Levels that are matched in full: deeper subtrees match as far as their sizes allow."""


class TreeMatcher:
    """Matches between subtrees of one tree."""

    def __init__(self, tree: SiblingTree) -> None:
        """Read the tree into lists, which are quicker to look up one by one."""
        _, shape = np.unique(tree.shape, return_inverse=True)
        _, symbol = np.unique(tree.symbol, return_inverse=True)
        self._shape: list[int] = shape.reshape(-1).tolist()
        self._symbol: list[int] = symbol.reshape(-1).tolist()
        self._size: list[int] = (tree.end - np.arange(len(tree))).tolist()
        self._children: list[int] = tree.children.tolist()
        self._first_child: list[int] = tree.first_child.tolist()
        self._known: dict[tuple[int, int], int] = {}
        self._cells = 0

    def matched(self, first: Sequence[int], second: Sequence[int], level: int = 0) -> int:
        """Return the nodes of one run of siblings that match those of another, level by level."""
        self._cells += len(first) * len(second)
        if self._cells > _CELLS_LIMIT or level > _LEVELS_LIMIT:
            sizes = (sum(self._size[row] for row in rows) for rows in (first, second))
            return min(sizes)
        before = [0] * (len(second) + 1)
        for one in first:
            now = [0]
            symbol = self._symbol[one]
            for column, other in enumerate(second):
                best = max(before[column + 1], now[column])
                if symbol == self._symbol[other]:
                    best = max(best, before[column] + self._subtrees(one, other, level))
                now.append(best)
            before = now
        return before[-1]

    def run(self, start: int, stop: int) -> list[int]:
        """Return the rows of a run of siblings, by their places among all children."""
        return self._children[start:stop]

    def _below(self, row: int) -> list[int]:
        return self.run(*self._first_child[row : row + 2])

    def _subtrees(self, one: int, other: int, level: int) -> int:
        shapes = self._shape[one], self._shape[other]
        if shapes[0] == shapes[1]:
            return self._size[one]
        key = shapes if shapes[0] < shapes[1] else shapes[::-1]
        found = self._known.get(key)
        if found is None:
            first, second = (self._below(row) for row in (one, other))
            found = self._known[key] = 1 + self.matched(first, second, level + 1)
        return found
