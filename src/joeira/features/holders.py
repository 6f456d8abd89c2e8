"""The elements with blocks below them: a tree of its own, a third of the size of the page's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.arrays.lazy import Lazy
from joeira.page import Page

LEVELS = 7

Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Holders:
    """The elements above blocks, numbered in the order of the page; the root is number 0."""

    rows: Numbers
    """Row of each in the page."""
    parent: Numbers
    """Number of the parent of each; -1 for the root."""
    first: Numbers
    """Number of the first block below each, blocks being in the order of their owners."""
    stop: Numbers
    """One past the last block below each."""
    of_block: Numbers
    """Number of the owner of each block."""

    @classmethod
    def of(cls, page: Page, owner: NDArray[np.int32]) -> Holders:
        """Find the elements above blocks, of which there is at least one."""
        before = np.zeros(len(page) + 1, np.intp)
        np.bincount(owner, minlength=len(page)).cumsum(out=before[1:])
        stop = before.take(page.end)
        holds = stop > before[:-1]
        rows = holds.nonzero()[0]
        number = holds.cumsum() - 1
        parent = number.take(page.parent.take(rows))
        parent[0] = -1
        return cls(rows, parent, before.take(rows), stop.take(rows), number.take(owner))

    @Lazy
    def ladder(self) -> trees.Ladder:
        """Pointers to the 1st, 2nd, 4th, 8th ... ancestor of each."""
        return trees.ladder(self.parent)

    @Lazy
    def above_block(self) -> Numbers:
        """Owner of each block and its ancestors, level by level (the root stays the root)."""
        levels = np.empty((LEVELS, len(self.of_block)), np.intp)
        levels[0] = self.of_block
        for level in range(1, LEVELS):
            levels[level] = self.ladder[0].take(levels[level - 1])
        return levels
