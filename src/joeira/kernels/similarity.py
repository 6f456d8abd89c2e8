"""Groups of similar short texts in a sequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import letter_places, subsequence_length

_BINS = 128
"""Kinds of characters, by the low bits of their codes, that the filter counts."""


def similar_groups(texts: Sequence[str], window: int, min_ratio: float) -> Iterator[list[int]]:
    """Yield the positions of texts that hang together by similarity, groups by first member.

    Two texts at most `window` positions apart are similar when their longest common subsequence has
    at least `min_ratio` of the length of the shorter one. A group is given as soon as it is known
    to be complete, so that who needs only the first does not pay for the rest.
    """
    leader = list(range(len(texts)))
    groups = [[member] for member in leader]
    last = leader.copy()
    places = lru_cache(2 * window)(letter_places)
    unseen = 0
    for second, partners in enumerate(_possible_partners(texts, window, min_ratio)):
        for first in partners:
            if leader[first] == leader[second]:
                continue
            shorter, longer = texts[first], texts[second]
            if len(shorter) > len(longer):
                shorter, longer = longer, shorter
            common = subsequence_length(places(longer), len(longer), shorter)
            if common >= min_ratio * len(shorter):
                kept, merged = sorted((leader[first], leader[second]))
                for member in groups[merged]:
                    leader[member] = kept
                groups[kept] += groups[merged]
                last[kept] = second
        while unseen <= second and last[leader[unseen]] + window <= second:
            if leader[unseen] == unseen:
                yield sorted(groups[unseen])
            unseen += 1
    for first in range(unseen, len(texts)):
        if leader[first] == first:
            yield sorted(groups[first])


def _possible_partners(texts: Sequence[str], window: int, min_ratio: float) -> Iterator[list[int]]:
    """Yield, per text, the earlier ones with enough common characters, the nearest first."""
    counts, lengths = _histograms(texts)
    possible = np.zeros((len(texts), window), bool)
    for distance in range(1, min(window, len(texts) - 1) + 1):
        common = np.minimum(counts[:, :-distance], counts[:, distance:]).sum(axis=0)
        shorter = np.minimum(lengths[:-distance], lengths[distance:])
        possible[distance:, distance - 1] = common >= min_ratio * shorter
    second, steps = np.nonzero(possible)
    bounds = np.searchsorted(second, np.arange(len(texts) + 1)).tolist()
    first = (second - steps - 1).tolist()
    for start, stop in pairwise(bounds):
        yield first[start:stop]


def _histograms(texts: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return how many characters of each kind every text has, and its length."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    cell = np.repeat(np.arange(len(texts)), lengths) + codes % _BINS * np.int64(len(texts))
    counts = np.bincount(cell, minlength=len(texts) * _BINS).astype(np.int32)
    return counts.reshape(_BINS, len(texts)), lengths
