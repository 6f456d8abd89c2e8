"""Levenshtein distance of two sequences of symbols, a whole column per step."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def edit_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the least number of insertions, deletions and changes between two sequences.

    Bit-parallel (Myers 1999, Hyyrö 2003): the differences of neighbours in a column of the dynamic
    program are the bits of two numbers, so that a step costs a few operations on long integers.
    """
    if not first:
        return len(second)
    places: dict[Hashable, int] = {}
    for place, symbol in enumerate(first):
        places[symbol] = places.get(symbol, 0) | 1 << place
    mask = (1 << len(first)) - 1
    last = 1 << len(first) - 1
    rising, falling, distance = mask, 0, len(first)
    for symbol in second:
        match = places.get(symbol, 0)
        diagonal = (((match & rising) + rising) ^ rising) | match | falling
        right_rising = falling | ~(diagonal | rising)
        right_falling = rising & diagonal
        distance += bool(right_rising & last) - bool(right_falling & last)
        right_rising = right_rising << 1 | 1
        right_falling <<= 1
        rising = (right_falling | ~(diagonal | right_rising)) & mask
        falling = right_rising & diagonal & mask
    return distance
