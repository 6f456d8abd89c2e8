from typing import Any

import numpy as np
from numpy.typing import NDArray

def below(root: Any, nodes: list[Any], types: tuple[type, type, type]) -> list[str | bool]: ...
def same_characters(code: str, texts: tuple[str, ...]) -> bool: ...

class Listing:
    def __init__(self, first: int) -> None: ...
    def read(
        self,
        tokens: list[str | bool],
        rows: tuple[NDArray[np.int32], NDArray[np.uint8]],
        texts: tuple[str, ...],
        keep: NDArray[np.uint8],
    ) -> list[tuple[int, str, str]]: ...
