"""Ranges of a sequence: the best one, all maximal ones, and merged similar neighbours.

Ranges are half-open. Every function takes time linear in the sequence; what follows a recurrence
that cannot be a whole-array step is a loop over plain Python numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]


class Run(NamedTuple):
    """A range and the sum of its values."""

    start: int
    stop: int
    score: float


class Runs(NamedTuple):
    """Ranges apart from each other, in order, and the sums of their values."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    scores: NDArray[np.float64]

    def of_positions(self, positions: NDArray[Any]) -> NDArray[np.intp]:
        """Return the number of the range that holds each position; -1 where none does."""
        if not len(self.starts):
            return np.full(len(positions), -1, np.intp)
        number = np.searchsorted(self.starts, positions, side="right") - 1
        return np.where(positions < self.stops[number], number, -1)


def best_range(values: Numbers) -> Run:
    """Return the range with the largest sum; of equal ones the earliest end, then the latest start.

    The same answer as Kadane's loop that begins anew whenever the running sum is not positive.
    """
    if not len(values):
        return Run(0, 0, 0.0)
    total = _prefix_sums(values)
    lowest = np.minimum.accumulate(total[:-1])
    gain = total[1:] - lowest
    last = int(np.argmax(gain))
    start = int(np.flatnonzero(total[: last + 1] == lowest[last])[-1])
    return Run(start, last + 1, float(gain[last]))


def best_sum_through(values: Numbers) -> NDArray[np.float64]:
    """Return, for every position, the largest sum of a range that holds it."""
    total = _prefix_sums(values)
    lowest_before = np.minimum.accumulate(total)[:-1]
    highest_after = np.maximum.accumulate(total[::-1])[::-1][1:]
    return highest_after - lowest_before


def maximal_runs(values: Numbers) -> Runs:
    """Return all maximal scoring runs, in order (Ruzzo and Tompa 1999).

    A run is maximal when every part of it that it begins or ends with has a positive sum and no
    longer range around it has the same property.
    """
    positive = np.flatnonzero(values > 0)
    total = _prefix_sums(values)
    before = total[positive].tolist()
    after = total[positive + 1].tolist()
    # Start, stop, sums before and after, and the nearest earlier run with a smaller sum before it:
    # jumping along those is what makes it linear.
    runs: list[tuple[int, int, float, float, int]] = []
    for place, low, high in zip(positive.tolist(), before, after, strict=True):
        start, left = place, low
        other = len(runs) - 1
        while other >= 0 and runs[other][2] >= left:
            other = runs[other][4]
        while other >= 0 and runs[other][3] < high:
            start, _, left, _, lower = runs[other]
            del runs[other:]
            other = lower
        runs.append((start, place + 1, left, high, other))
    if not runs:
        return Runs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    table = np.array(runs)
    starts, stops = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    return Runs(starts, stops, table[:, 3] - table[:, 2])


def alternate(first: Numbers, second: Numbers) -> NDArray[np.float64]:
    """Return ``first[0], second[0], first[1], second[1], ...``."""
    both = np.empty(2 * len(first))
    both[0::2] = first
    both[1::2] = second
    return both


def fuse(amounts: Numbers, sizes: Numbers, max_difference: float) -> NDArray[np.int64]:
    """Fuse neighbours of similar density until nothing changes; return where each result begins.

    The density is amount over size (both positive), and two densities are similar when they differ
    by at most `max_difference` of the larger one. A pass goes from left to right; what was fused is
    compared with the next neighbour at once.
    """
    starts = np.arange(len(amounts))
    while True:
        density = amounts / sizes
        similar = _relative_difference(density) <= max_difference
        if not similar.any():
            return starts
        first = _fusion_pass(amounts, sizes, similar, max_difference)
        starts = starts[first]
        amounts, sizes = np.add.reduceat(amounts, first), np.add.reduceat(sizes, first)


def _relative_difference(density: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.abs(density[:-1] - density[1:]) / np.maximum(density[:-1], density[1:])


def _fusion_pass(
    amounts: Numbers, sizes: Numbers, similar: NDArray[np.bool_], max_difference: float
) -> NDArray[np.intp]:
    """Return where each range begins after one pass from left to right.

    Only what is fused has a density that is not known beforehand, so the loop visits only that.
    """
    amount, size = amounts.tolist(), sizes.tolist()
    begins = np.ones(len(amount), bool)
    stop = 0
    for start in np.flatnonzero(similar).tolist():
        if start < stop:
            continue
        total, extent = amount[start], size[start]
        stop = start + 1
        while stop < len(amount):
            density, other = total / extent, amount[stop] / size[stop]
            larger = density if density > other else other
            if abs(density - other) / larger > max_difference:
                break
            total += amount[stop]
            extent += size[stop]
            stop += 1
        begins[start + 1 : stop] = False
    return np.flatnonzero(begins)


def _prefix_sums(values: Numbers) -> NDArray[np.float64]:
    total = np.zeros(len(values) + 1)
    np.cumsum(values, out=total[1:])
    return total
