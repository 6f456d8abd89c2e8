from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]

def group_rows(rows: Ints, key: Hashes, least: int) -> tuple[Ints, Ints]: ...

class PageTemplates:
    def __init__(
        self,
        rows: tuple[Hashes, NDArray[np.int32], NDArray[np.int32], Ints],
        leaves: tuple[Ints, NDArray[np.uint8]],
        contents: tuple[Hashes, Hashes],
    ) -> None: ...
    def counts(
        self, start: Ints, stop: Ints, first: Ints, headed: NDArray[Any], core: float
    ) -> Ints: ...
    def presence(
        self, start: Ints, stop: Ints, first: Ints, headed: NDArray[Any]
    ) -> tuple[Ints, Ints]: ...
