"""An inverted index over sets of small numbers: how much one set shares with every other.

Comparing all pairs of sets looks at pairs that share nothing; the index looks only at the sets that
hold one of the numbers asked for, and counts exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Postings:
    """Which of many sets hold each number."""

    first: Numbers
    """Where the sets that hold a number begin in `holders`; one more entry at the end."""
    holders: Numbers
    sizes: Numbers
    """Size of each set."""

    @classmethod
    def of(cls, sets: Sequence[Sequence[int]], numbers: int) -> Postings:
        """Return the index of sets whose members are below `numbers`, each given once."""
        sizes = np.fromiter(map(len, sets), np.int64, len(sets))
        members = np.fromiter(chain.from_iterable(sets), np.int64, int(sizes.sum()))
        holder = np.repeat(np.arange(len(sets)), sizes)
        order = np.argsort(members, kind="stable")
        first = np.searchsorted(members[order], np.arange(numbers + 1))
        return cls(first, holder[order], sizes)

    def shared(self, numbers: Sequence[int]) -> Numbers:
        """Return how many of the given numbers each set holds."""
        asked = np.asarray(numbers, np.int64)
        places = ranges(self.first[asked], self.first[asked + 1])
        return np.bincount(self.holders[places], minlength=len(self.sizes))


def ranges(starts: Numbers, stops: Numbers) -> Numbers:
    """Return the numbers of every range ``start:stop``, one range after the other."""
    lengths = stops - starts
    before = np.cumsum(lengths) - lengths
    total = int(lengths.sum())
    return np.repeat(starts - before, lengths) + np.arange(total)


def binary_cosine(shared: Numbers, size: int, sizes: Numbers) -> NDArray[np.float64]:
    """Return the cosine of one set with many; 0 where either is empty."""
    product = sizes * size
    cosine: NDArray[np.float64] = shared / np.sqrt(np.where(product > 0, product, 1))
    return cosine
