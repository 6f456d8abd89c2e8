"""Which of a few marked rows encloses a row, without visiting the rest of the tree.

`joeira.kernels.trees.nearest` answers for every row of a page at once. Here the marked rows and
those that ask are few, and the work depends on their number, not on the size of the page. Rows are
in preorder and the subtree of row *i* is the slice ``i:end[i]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.integer[Any]]


def enclosing(marked: IntArray, end: IntArray, rows: IntArray) -> NDArray[np.int64]:
    """Return the nearest of the marked rows at or above each row; -1 where there is none.

    Among the marked rows before a row, those still open are found by counting how many have ended;
    the nearest enclosing one is then the last that was opened at that level of nesting.
    """
    if not len(marked):
        return np.full(len(rows), -1, np.int64)
    stops = end.take(marked).astype(np.int64)
    if len(stops) == 1 or (marked[1:] >= stops[:-1]).all():
        # Nothing is nested: the last marked row encloses, or none does.
        last = marked.searchsorted(rows, "right") - 1
        return np.where((last >= 0) & (rows < stops.take(last)), marked.take(last), -1)
    stops.sort()
    level = np.arange(1, len(marked) + 1) - stops.searchsorted(marked, "right")
    open_at = marked.searchsorted(rows, "right") - stops.searchsorted(rows, "right")
    size = len(end) + 1
    keys = level * size + marked
    keys.sort()
    place = keys.searchsorted(open_at * size + rows, "right") - 1
    return np.where(open_at > 0, keys.take(place) % size, -1)


def outermost(marked: IntArray, end: IntArray) -> IntArray:
    """Return the marked rows that no other marked row encloses."""
    if not len(marked):
        return marked
    reach = np.maximum.accumulate(end[marked])
    alone = np.ones(len(marked), bool)
    alone[1:] = marked[1:] >= reach[:-1]
    return marked[alone]
