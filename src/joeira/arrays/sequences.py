"""Splitting a sequence of symbols where no frequent symbol continues: tag path sequences (TPS).

A border is a place with no frequent symbol on both sides of it. Every symbol is an interval from
its first to its last occurrence, so that borders are the gaps that remain when the intervals of the
frequent symbols are merged: no sets, no intersections. A symbol that occurs *c* times is frequent
for at most *c* thresholds, so all thresholds together look at no more symbols than the sequence is
long.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import AnyInts

_WORK_LIMIT = 20_000_000
"""Symbols looked at in all divisions of one sequence: seconds. Made-up pages reach it, no other."""


@dataclass(frozen=True)
class SplitRule:
    """Where a sequence is split: the readings that the published listing allows."""

    min_imbalance: float = 0.2
    """The parts must differ by more than this share of the sequence (20 %: from the thesis)."""
    size_test: Literal["absolute", "printed"] = "absolute"
    """``printed``: only a right part that is larger passes, as the listing has it."""
    frequent: Literal["at_least", "above"] = "at_least"
    """Whether a symbol as frequent as the threshold counts."""
    policy: Literal["first", "scan_on", "best"] = "first"
    """Per threshold: only its first border, the first that passes, or the most uneven one."""


RESOLVED = SplitRule()
"""The reading of the listing. The published sizes are those of `scan_on` with `above`."""


def main_region(codes: AnyInts, rule: SplitRule = RESOLVED) -> tuple[int, int]:
    """Return the range that is left when the smaller part is dropped again and again."""
    start, stop = 0, len(codes)
    work = 0
    while work < _WORK_LIMIT:
        work += stop - start
        borders = split_points(codes[start:stop], rule)
        if not len(borders):
            break
        if 2 * borders[0] < stop - start:
            start += int(borders[-1])
        else:
            stop = start + int(borders[0])
    return start, stop


def parts(codes: AnyInts, min_length: int = 1, rule: SplitRule = RESOLVED) -> NDArray[np.int64]:
    """Return where the parts begin when every part is split on, the smaller ones too.

    Parts shorter than `min_length` are not split on.
    """
    starts = []
    work = 0
    waiting = [(0, len(codes))]
    while waiting:
        start, stop = waiting.pop()
        work += stop - start
        split = stop - start >= max(min_length, 2) and work < _WORK_LIMIT
        borders = split_points(codes[start:stop], rule).tolist() if split else []
        if borders:
            cuts = [start, *(start + border for border in borders), stop]
            waiting += pairwise(cuts)
        else:
            starts.append(start)
    return np.array(sorted(starts), np.int64)


def split_points(codes: AnyInts, rule: SplitRule = RESOLVED) -> NDArray[np.int64]:
    """Return the border at which a sequence is split, as the length of its left part.

    Several are returned where each of them in turn is the split of what is right of the one before,
    as at the beginning of nearly every page. No border: an empty array.
    """
    size = len(codes)
    first, last, count = _occurrences(codes)
    for threshold in np.unique(count):
        active = count >= threshold if rule.frequent == "at_least" else count > threshold
        first, last, count = first[active], last[active], count[active]
        if len(first) < 2:
            break
        reach = np.maximum.accumulate(last)[:-1]
        borders = reach[first[1:] > reach] + 1
        if active.all() and rule.policy != "best":
            # Nothing was left out, so that what is dropped takes no symbol from the rest: borders
            # and frequencies of the rest are known without looking again.
            dropped = _dropped_in_turn(borders, size, rule)
            if len(dropped):
                return dropped
        chosen = _chosen(borders, size, rule)
        if chosen:
            return np.array([chosen])
    return np.zeros(0, np.int64)


def _occurrences(codes: AnyInts) -> tuple[AnyInts, AnyInts, AnyInts]:
    """Return the first and last place and the number of each symbol, in order of first places."""
    if not len(codes):
        return (np.zeros(0, np.int64),) * 3
    order = np.argsort(codes, kind="stable")
    new = np.ones(len(codes), bool)
    new[1:] = np.diff(codes[order]) != 0
    begin = np.flatnonzero(new)
    count = np.diff(np.append(begin, len(codes)))
    first, last = order[begin], order[begin + count - 1]
    by_place = np.argsort(first)
    return first[by_place], last[by_place], count[by_place]


def _chosen(borders: AnyInts, size: int, rule: SplitRule) -> int:
    """Return the border of one threshold at which to split; 0 for none."""
    if rule.policy == "first":
        borders = borders[:1]
    imbalance = (size - 2 * borders) / size
    if rule.size_test == "absolute":
        imbalance = np.abs(imbalance)
    passing = imbalance > rule.min_imbalance
    if not passing.any():
        return 0
    place = np.argmax(imbalance) if rule.policy == "best" else np.argmax(passing)
    return int(borders[place])


def _dropped_in_turn(borders: AnyInts, size: int, rule: SplitRule) -> NDArray[np.int64]:
    """Return the leading borders of which each splits off a small part of what is left then."""
    before = np.concatenate(([0], borders[:-1]))
    rest = size - before
    passing = (rest - 2 * (borders - before)) / rest > rule.min_imbalance
    count = len(borders) if passing.all() else int(np.argmin(passing))
    return borders[:count].astype(np.int64)
