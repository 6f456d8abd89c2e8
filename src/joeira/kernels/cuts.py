"""The best way to cut a tree into whole subtrees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees

IntArray = NDArray[np.integer[Any]]


def best_cut(
    value: NDArray[np.float64],
    parent: IntArray,
    depth: IntArray,
    known: trees.Ladder | None = None,
) -> NDArray[np.int32]:
    """Return for every row the root of the part it is in, in the cut of greatest total value.

    A part is a whole subtree, worth the value of its root; a row that is no part is worth what its
    children are worth, a leaf nothing. Equal values leave a subtree whole. Rows above the cut, and
    leaves worth less than nothing, are in no part: they get the number of rows.

    From the deepest level up, one step for each level.
    """
    n = len(parent)
    order = np.argsort(depth, kind="stable")
    first = [0, *np.cumsum(np.bincount(depth)).tolist()]
    # By level from here on: every step works on a slice.
    own, above = value[order], parent[order]
    below = np.zeros(n)
    for level in range(len(first) - 2, 0, -1):
        slice_ = slice(first[level], first[level + 1])
        worth = np.maximum(own[slice_], below[order[slice_]])
        np.add.at(below, above[slice_], worth)
    outermost = np.where(value >= below, np.arange(n, dtype=np.int32), np.int32(n))
    found: NDArray[np.int32] = trees.minimum_over_ancestors(outermost, parent, known)
    return found
