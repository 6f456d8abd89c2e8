from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

class Elements:
    words: Floats
    blocks: Floats
    has_text: NDArray[np.bool_]
    alike_children: Floats
    def __init__(
        self,
        rows: tuple[Ints, ...],
        counts: tuple[Ints, Ints],
        begins: NDArray[np.uint8],
        in_head: NDArray[np.uint8],
    ) -> None: ...
    def columns(
        self,
        rows: NDArray[np.int64],
        tables: tuple[Ints, ...],
        image: int,
        to: NDArray[np.float32],
    ) -> None: ...
    def holds_landmark(self, kind_of: NDArray[np.uint8]) -> NDArray[np.bool_]: ...

def best_cut(value: Floats, parent: NDArray[Any], depth: NDArray[Any]) -> Ints: ...
def union_over_ancestors(bits: NDArray[np.uint32], parent: Ints) -> NDArray[np.uint32]: ...

class StemFinder:
    def __init__(self, stems: list[tuple[str, bool, bool, int]]) -> None: ...
    def __call__(self, codes: NDArray[np.uint32], names: int) -> NDArray[np.uint32]: ...
