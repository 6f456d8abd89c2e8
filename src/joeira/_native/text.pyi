from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Flags = NDArray[np.uint8]

class Writer(Protocol):
    @property
    def frame(self) -> Any: ...
    def is_counted(self, row: int) -> bool: ...
    def open(self, role: Any, row: int) -> None: ...
    def close(self, role: Any) -> None: ...

class Blocks:
    def __init__(self, roles: Flags, is_anchor: Callable[[str], object]) -> None: ...
    def write(
        self,
        writer: Writer,
        texts: tuple[str, ...],
        rows: tuple[Ints, Ints, Ints],
        per_text: tuple[Flags, Flags, Flags],
        blocks: tuple[Ints, Ints],
    ) -> bool: ...
