from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira._native.inference import BlendedLogits, Calibration
from joeira._native.page_types import Chances

Floats = NDArray[np.float64]
Columns = NDArray[np.float32]
Table = NDArray[np.int8]
Hashes = NDArray[np.uint64]

def name_parts(
    class_names: tuple[str, ...], id_names: tuple[str, ...]
) -> tuple[Hashes, NDArray[np.int64]]: ...
def hash_text(text: str, lower: NDArray[np.uint32]) -> Hashes: ...

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

class Learned:
    def __init__(
        self, tags: Tags, chances: Chances, tables: list[Table], lists: tuple[int, ...]
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
    def probabilities(
        self,
        logits: BlendedLogits,
        calibrated: Calibration,
        values: Columns,
        levels: Sequence[int],
    ) -> Floats: ...
    def all_columns(
        self,
        learned: Learned,
        told: str,
        roles: tuple[NDArray[np.int32], list[int]],
        declared: list[bool],
        names: tuple[tuple[str, ...], tuple[str, ...]],
    ) -> tuple[Columns, Columns]: ...
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
        tables: list[Table],
        listed: float,
        names: tuple[Hashes, NDArray[np.int64], int, int],
        types: Columns,
        to: Columns,
    ) -> None: ...
