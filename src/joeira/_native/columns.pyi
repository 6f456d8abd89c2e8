from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Columns = NDArray[np.float32]
Hashes = NDArray[np.uint64]

def name_parts(
    class_names: tuple[str, ...], id_names: tuple[str, ...]
) -> tuple[Hashes, NDArray[np.int64]]: ...
def hash_words(
    codes: NDArray[np.uint32], flags: NDArray[np.uint16], lower: NDArray[np.uint32]
) -> Hashes: ...

class Tags:
    def __init__(
        self,
        own_column: NDArray[np.int32],
        landmark: NDArray[np.uint32],
        is_heading: NDArray[np.bool_],
        kind: NDArray[np.int32],
        numbers: tuple[int, int],
        sizes: tuple[int, int],
    ) -> None: ...

class BlockColumns:
    blocks: int
    found: int
    holders: int
    path_groups: int
    chosen: NDArray[np.intp]
    owner: NDArray[np.int32]
    text_bounds: tuple[NDArray[np.int32], NDArray[np.int32]]
    words: Floats
    log_words: Columns
    linked: Floats
    copies: Floats
    kinds: Floats
    def __init__(
        self,
        rows: Sequence[NDArray[Any]],
        block_bounds: tuple[NDArray[np.int32], NDArray[np.int32]],
        texts: Sequence[NDArray[Any]],
        lower: NDArray[np.uint32],
        limits: tuple[int, int],
    ) -> None: ...
    def groups(self, levels: Sequence[int]) -> NDArray[np.int32]: ...
    def plain_columns(
        self,
        tags: Tags,
        told: Hashes,
        roles: NDArray[np.int32],
        role_bits: list[int],
        to: Columns,
    ) -> None: ...
    def learned_columns(
        self,
        tags: Tags,
        tables: list[Columns],
        listed: float,
        names: tuple[Hashes, NDArray[np.int64], int, int],
        types: Columns,
        to: Columns,
    ) -> None: ...
