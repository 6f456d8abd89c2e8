from typing import Any

import numpy as np
from numpy.typing import NDArray

class Listing:
    def __init__(self, types: tuple[type, type, type], first: int) -> None: ...
    def read(
        self,
        root: Any,
        nodes: list[Any],
        rows: tuple[NDArray[np.int32], NDArray[np.uint8]],
        texts: tuple[str, ...],
        keep: NDArray[np.uint8],
    ) -> list[tuple[int, str, str]]: ...
