"""Array functions: numpy in, numpy out. Nothing here knows what a page is.

The names of the array types that every room uses are declared here, once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]
AnyInts = NDArray[np.integer[Any]]
"""Whole numbers of any width."""
