"""Patterns that repeat in a row: a run of the same few symbols again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def repeated_runs(
    symbol: NDArray[Any], group: NDArray[Any], max_period: int, min_repeats: int
) -> list[tuple[int, int]]:
    """Return the runs ``start, stop`` that are one pattern, repeated, left to right.

    A pattern has at most `max_period` symbols and never goes beyond its group; groups follow each
    other. Where several begin at one place, the one that covers most is taken, the shorter pattern
    of two that cover as much.
    """
    n = len(symbol)
    cover = np.zeros(n, np.int64)
    for period in range(1, min(max_period, n - 1) + 1):
        same = np.zeros(n, bool)
        same[:-period] = (symbol[period:] == symbol[:-period]) & (group[period:] == group[:-period])
        # How many places in a row, from each place on, are as the place one period later.
        following = np.where(same, n, np.arange(n))[::-1]
        length = np.minimum.accumulate(following)[::-1] - np.arange(n)
        length = np.where(same, length, 0)
        repeats = length // period + 1
        covered = np.where(repeats >= min_repeats, repeats * period, 0)
        cover = np.maximum(cover, covered)
    runs = []
    stop = 0
    for start in np.flatnonzero(cover).tolist():
        if start >= stop:
            stop = start + int(cover[start])
            runs.append((start, stop))
    return runs
