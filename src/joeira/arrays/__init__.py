"""Array functions: numpy in, numpy out. Nothing here knows what a page is.

The names of the array types that every room uses are declared here, once, and what the numbers of
an array of cases are.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]
AnyInts = NDArray[np.integer[Any]]
"""Whole numbers of any width."""


class Case(IntEnum):
    """One of several cases: a number for arrays, a code for programs, a sentence for people.

    An enum of cases gives every case its number and its English sentence. In a sentence, names in
    braces stand for values that whoever says it has at hand, such as ``{score:.2f}``.
    """

    sentence: str

    def __new__(cls, number: int, sentence: str = "") -> Self:
        """Return the case with a number."""
        case = int.__new__(cls, number)
        case._value_ = number
        case.sentence = sentence
        return case

    @property
    def code(self) -> str:
        """Stable name of the case for programs, such as ``comment``."""
        return self.name.lower()
