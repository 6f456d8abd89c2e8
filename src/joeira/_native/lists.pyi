from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]

Numbers = NDArray[np.int32]

class AlikeRows:
    def __init__(
        self,
        rows: Ints,
        symbols: tuple[Hashes, Hashes, Hashes],
        numbers: tuple[Numbers, Numbers, Numbers, Numbers],
        least: int,
    ) -> None: ...
    def sets(self) -> tuple[Ints, Ints]: ...

def are_whole(
    start: Ints, first: Ints, numbers: tuple[Numbers, Numbers, Numbers], shape: Hashes
) -> NDArray[np.bool_]: ...

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
