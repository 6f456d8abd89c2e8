from typing import Any

import numpy as np
from numpy.typing import NDArray

class TreeMarkup:
    def __init__(
        self,
        numbers: dict[str, int],
        foreign: int,
        meanings: dict[str, frozenset[str]],
        roles: tuple[str, str],
        watched: tuple[str, ...],
        classes: NDArray[np.uint16],
    ) -> None: ...
    def __call__(self, markup: str, max_nodes: int) -> dict[str, Any] | None: ...
