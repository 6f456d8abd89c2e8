from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Walk:
    def __init__(
        self,
        types: Sequence[type],
        getters: tuple[Callable[[Any, str], str | None], Callable[[Any], str]],
        numbers: Mapping[str, int],
        flags: NDArray[np.uint8],
    ) -> None: ...
    def __call__(
        self,
        nodes: list[Any],
        with_class: list[Any],
        with_id: list[Any],
        with_role: list[Any],
    ) -> dict[str, Any] | None: ...
