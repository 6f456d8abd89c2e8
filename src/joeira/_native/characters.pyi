from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def has_surrogates(text: str) -> bool: ...
def classify(
    strings: Sequence[str], table: NDArray[np.uint16]
) -> tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.int64], bool]: ...
def sizes(
    classes: NDArray[np.uint16], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
