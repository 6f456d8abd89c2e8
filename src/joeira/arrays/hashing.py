"""Hashes of all words of a text at once.

The hash of a word is a polynomial in an odd base modulo 2^64 over its characters. A prefix sum over
the whole buffer, divided by the power of the base at the word's first character, gives the hash of
every word without looking at words one by one. One table of powers serves texts of any length: a
power beyond its end is one of the table times one of the base to a multiple of the table's length.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BASE = 0x9E3779B97F4A7C15
_WORD = 1 << 64
_INVERSE = pow(_BASE, -1, _WORD)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)
_BITS = 16
_PART = 1 << _BITS
"""Length of the table of powers: it stays in a processor's cache."""


def slice_hashes(
    values: NDArray[np.unsignedinteger[Any]], starts: NDArray[Any], stops: NDArray[Any]
) -> NDArray[np.uint64]:
    """Return a 64-bit hash of the values in each slice ``starts:stops``."""
    if not len(starts):
        return np.zeros(0, np.uint64)
    n = len(values)
    total = np.zeros(n + 1, np.uint64)
    terms = total[1:]
    np.add(values, np.uint64(1), out=terms)
    power, inverse = _powers()
    for first in range(0, n, _PART):
        part = terms[first : first + _PART]
        part *= power[: len(part)]
        if first:
            part *= np.uint64(pow(_BASE, first, _WORD))
    terms.cumsum(out=terms)
    divisor = inverse.take(starts & (_PART - 1))
    if n >= _PART:
        firsts = range(0, n + 1, _PART)
        by_part = np.array([pow(_INVERSE, first, _WORD) for first in firsts], np.uint64)
        divisor *= by_part.take(starts >> _BITS)
    return mixed((total.take(stops) - total.take(starts)) * divisor)


def mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits, so that the high ones can index a table."""
    hashes = hashes ^ (hashes >> _SHIFT)
    hashes *= _MIX
    hashes ^= hashes >> _SHIFT
    return hashes


def pair_hashes(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of every two neighbours."""
    return mixed(hashes[:-1] * np.uint64(3) + hashes[1:])


def hash_of(text: str) -> int:
    """Return the hash that `slice_hashes` gives the characters of a text."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return int(slice_hashes(codes, np.zeros(1, np.int64), np.array([len(codes)]))[0])


@cache
def _powers() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the first powers of the base, and their inverses."""
    factors = np.full((2, _PART), _BASE, np.uint64)
    factors[1] = _INVERSE
    factors[:, 0] = 1
    powers = np.cumprod(factors, axis=1, dtype=np.uint64)
    powers.flags.writeable = False
    return powers[0], powers[1]
