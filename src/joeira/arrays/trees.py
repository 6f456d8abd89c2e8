"""Trees as preorder arrays: ``parent[i]`` is the row of the parent of row *i*.

The root is row 0; its parent is -1. The subtree of row *i* is the slice ``i:end[i]``.

Every function is a handful of whole-array steps. Walks along ancestors use pointer doubling: after
*k* rounds a row has seen its 2^k nearest ancestors, so the number of rounds is the logarithm of the
depth and never the number of nodes. Code that walks a tree several times makes its `ladder` once.

`nearest` answers for every row of a page at once. Where only a few rows are marked and few ask,
`enclosing` and `outermost` do work that depends on their number, not on the size of the page.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import AnyInts, Bools

Ladder = tuple[AnyInts, ...]

PATH_BASE = np.uint64(0x9E3779B97F4A7C15)
"""Odd multiplier of the path hash (the 64-bit golden ratio)."""

_SHAPE_DEPTH_BASE = 0xD1342543DE82EF95
_SHAPE_ORDER_BASE = 0xDA942042E4DD58B5
_WORD = 1 << 64


def ladder(parent: AnyInts) -> Ladder:
    """Return pointers to the 1st, 2nd, 4th, 8th ... ancestor of every row, the root's to itself."""
    pointers = [np.maximum(parent, 0)]
    while np.bitwise_or.reduce(pointers[-1]):  # faster than `any`
        pointers.append(pointers[-1].take(pointers[-1]))
    return tuple(pointers)


def depths(parent: AnyInts, known: Ladder | None = None) -> NDArray[np.int32]:
    """Return the number of ancestors of every row."""
    depth = (parent >= 0).astype(np.int32)
    for pointer in known or ladder(parent):
        depth = depth + depth.take(pointer)
    return depth


def ends(parent: AnyInts, depth: AnyInts) -> NDArray[np.int32]:
    """Return one past the last descendant of every row.

    The last descendant of a row is the last child of its last child, and so on down to a leaf: with
    every round the way down that a row has gone is twice as long.
    """
    rows = np.arange(len(parent))
    last = rows.copy()
    np.maximum.at(last, parent[1:], rows[1:])
    for _ in range(int(depth.max(initial=0)).bit_length()):
        last = last.take(last)
    return (last + 1).astype(np.int32)


def minimum_over_ancestors(
    value: NDArray[Any], parent: AnyInts, known: Ladder | None = None
) -> NDArray[Any]:
    """Return, for every row, the least value found at the row itself or at any ancestor."""
    for pointer in known or ladder(parent):
        value = np.minimum(value, value.take(pointer))
    return value


def union_over_ancestors(
    bits: NDArray[Any], parent: AnyInts, known: Ladder | None = None
) -> NDArray[Any]:
    """Return, for every row, the bits set at the row itself or at any ancestor."""
    for pointer in known or ladder(parent):
        bits = bits | bits.take(pointer)
    return bits


def decayed_sums(
    value: NDArray[Any], parent: AnyInts, decay: float, known: Ladder | None = None
) -> NDArray[Any]:
    """Return the sum of the values from every row up to the root, each step counting less."""
    total = value.astype(np.float64)
    # Nothing stands above the root: there the factor is 0, so that no path counts its root twice.
    reach = (parent >= 0) * decay
    for pointer in known or ladder(parent):
        total += reach * total.take(pointer)
        reach *= reach.take(pointer)
    return total


def nearest(marked: Bools, parent: AnyInts, known: Ladder | None = None) -> NDArray[np.int32]:
    """Return the nearest marked row at or above every row; -1 where there is none.

    Preorder numbers grow along a path, so the nearest marked ancestor is the largest one.
    """
    rows = np.arange(len(parent), dtype=np.int32)
    nearest_row = np.where(marked, rows, np.int32(-1))
    for pointer in known or ladder(parent):
        nearest_row = np.maximum(nearest_row, nearest_row.take(pointer))
    return nearest_row


def climb(rows: AnyInts, marked: Bools, parent: AnyInts) -> AnyInts:
    """Return the nearest marked row at or above each of some rows; the root must be marked.

    For a mark that is never far: as many steps as the longest way up, each over the rows that have
    not found theirs.
    """
    rows = rows.copy()
    going = (~marked.take(rows)).nonzero()[0]
    while len(going):
        higher = parent.take(rows.take(going))
        rows[going] = higher
        going = going[~marked.take(higher)]
    return rows


def inside(marked: Bools, end: AnyInts) -> Bools:
    """Return which rows lie in the subtree of a marked row, the marked row included."""
    starts = marked.nonzero()[0]
    if not len(starts):
        return np.zeros(len(end), bool)
    covered_until = np.zeros(len(end), end.dtype)
    covered_until[starts] = end[starts]
    return np.arange(len(end), dtype=end.dtype) < np.maximum.accumulate(covered_until)


def subtree_sums(value: NDArray[Any], end: AnyInts) -> NDArray[Any]:
    """Return the sum of ``value`` over the rows of every subtree."""
    total = np.concatenate(([0], np.cumsum(value)))
    sums: NDArray[Any] = total[end] - total[:-1]
    return sums


def child_counts(parent: AnyInts, weights: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the number of children of every row, or the sum of their weights."""
    n = len(parent)
    if n == 0:
        return np.zeros(0, np.int64)
    own = None if weights is None else weights[1:]
    return np.bincount(parent[1:], own, minlength=n)


def sibling_places(
    parent: AnyInts, kind: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the place of every row among its siblings of one kind, from 1, and their number."""
    n = len(parent)
    order = np.lexsort((kind, parent))
    new = np.ones(n, bool)
    new[1:] = (np.diff(parent[order]) != 0) | (kind[order[1:]] != kind[order[:-1]])
    first = np.flatnonzero(new)
    size = np.diff(np.append(first, n))
    place = np.zeros(n, np.int32)
    count = np.zeros(n, np.int32)
    place[order] = np.arange(1, n + 1) - np.repeat(first, size)
    count[order] = np.repeat(size, size)
    return place, count


def lowest_common_ancestor(first: int, second: int, parent: AnyInts, end: AnyInts) -> int:
    """Return the deepest row whose subtree holds both rows."""
    row = first
    while not row <= second < end[row]:
        row = int(parent[row])
    return row


def path_hashes(
    symbol: NDArray[np.uint64], parent: AnyInts, known: Ladder | None = None
) -> NDArray[np.uint64]:
    """Return a 64-bit hash of the symbols from the root down to every row.

    Equal paths have equal hashes in every process; distinct ones collide with a probability near
    2^-64 for each pair. A window of 2^k symbols is hashed from two windows of half its length.
    """
    value = symbol.astype(np.uint64)
    # Nothing stands above the root: there the factor is 0, so that no path counts its root twice.
    reach = (parent >= 0).astype(np.uint64) * PATH_BASE
    for pointer in known or ladder(parent):
        value = value + reach * value.take(pointer)
        reach = reach * reach.take(pointer)
    return value


def shape_hashes(symbol: NDArray[np.uint64], depth: AnyInts, end: AnyInts) -> NDArray[np.uint64]:
    """Return a 64-bit hash of the ordered subtree below every row, the row included.

    A subtree is known from the preorder sequence of (symbol, relative depth). The hash is that
    sequence read as a polynomial in two odd variables modulo 2^64; a slice of one prefix sum,
    divided by the variables' powers at its first row, gives every subtree at once.
    """
    n = len(symbol)
    by_depth, undo_depth = _powers(_SHAPE_DEPTH_BASE, int(depth.max(initial=0)) + 1)
    by_order, undo_order = _powers(_SHAPE_ORDER_BASE, n)
    terms = symbol.astype(np.uint64) * by_depth[depth] * by_order
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)))
    return (total[end] - total[:-1]) * undo_depth[depth] * undo_order


def _powers(base: int, count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the first powers of an odd base and of its inverse modulo 2^64."""
    factors = np.full((2, count), base, np.uint64)
    factors[1] = pow(base, -1, _WORD)
    factors[:, :1] = 1
    powers = np.cumprod(factors, axis=1, dtype=np.uint64)
    return powers[0], powers[1]


def enclosing(marked: AnyInts, end: AnyInts, rows: AnyInts) -> NDArray[np.int64]:
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


def outermost(marked: AnyInts, end: AnyInts) -> AnyInts:
    """Return the marked rows that no other marked row encloses."""
    if not len(marked):
        return marked
    reach = np.maximum.accumulate(end[marked])
    alone = np.ones(len(marked), bool)
    alone[1:] = marked[1:] >= reach[:-1]
    return marked[alone]


def lone_subtrees(rows: AnyInts, parent: AnyInts, depth: AnyInts) -> AnyInts:
    """Return the top of the largest subtree around each of some rows that holds no other of them.

    The rows are in order, and none is above another; a single one has the whole tree.
    """
    one, other = rows[:-1].copy(), rows[1:].copy()
    while (apart := one != other).any():
        climbs = depth[one] >= depth[other]
        also = depth[other] >= depth[one]
        one[apart & climbs], other[apart & also] = (
            parent[one[apart & climbs]],
            parent[other[apart & also]],
        )
    shared = np.concatenate(([-1], depth[one], [-1]))
    least = np.maximum(shared[1:], shared[:-1]) + 1
    tops = rows.copy()
    while (going := depth[tops] > least).any():
        tops[going] = parent[tops[going]]
    return tops


def next_as_high(depth: AnyInts, rows: AnyInts, beyond: int) -> NDArray[np.int64]:
    """Return for each of some rows the next of them that is not deeper; `beyond` if none is.

    Args:
        depth: Depth of each of the rows.
        rows: The rows, in order.
        beyond: What stands for the row after the last.
    """
    following = np.full(len(rows), beyond, np.int64)
    waiting: list[int] = []
    for place, level in enumerate(depth.tolist()):
        while waiting and depth[waiting[-1]] >= level:
            following[waiting.pop()] = rows[place]
        waiting.append(place)
    return following
