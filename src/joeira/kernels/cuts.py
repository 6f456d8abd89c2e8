"""The best way to cut a tree into whole subtrees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.kernels import trees

IntArray = NDArray[np.integer[Any]]


def best_cut(value: NDArray[np.float64], parent: IntArray, depth: IntArray) -> NDArray[np.int32]:
    """Return for every row the root of the part it is in, in the cut of greatest total value.

    A part is a whole subtree, worth the value of its root; a row that is no part is worth what its
    children are worth, a leaf nothing. Equal values leave a subtree whole. Rows above the cut, and
    leaves worth less than nothing, are in no part: they get the number of rows.

    From the deepest level up, one step for each level.
    """
    n = len(parent)
    order = np.argsort(depth, kind="stable")
    first = np.searchsorted(depth[order], np.arange(int(depth.max(initial=-1)) + 2))
    below = np.zeros(n)
    whole = np.zeros(n, bool)
    for level in range(len(first) - 2, -1, -1):
        rows = order[first[level] : first[level + 1]]
        whole[rows] = value[rows] >= below[rows]
        worth = np.maximum(value[rows], below[rows])
        if level:
            np.add.at(below, parent[rows], worth)
    outermost = np.where(whole, np.arange(n, dtype=np.int32), np.int32(n))
    found: NDArray[np.int32] = trees.minimum_over_ancestors(outermost, parent)
    return found
