from collections.abc import Iterable, Sequence
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

class BlockColumns:
    blocks: int
    words: Floats
    linked: Floats
    good: Floats
    sentences: Floats
    commas: Floats
    currency: Floats
    separators: Floats
    solid: Floats
    copies: Floats
    def __init__(
        self,
        rows: Sequence[NDArray[np.int32]],
        block_bounds: tuple[NDArray[np.int32], NDArray[np.int32]],
        chosen: NDArray[np.intp],
        linked_text: NDArray[np.uint8],
        characters: tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.int64]],
        lower: NDArray[np.uint32],
        limit: int,
    ) -> None: ...
    def groups(self, levels: Iterable[int]) -> list[NDArray[np.intp]]: ...
    def overlap(self, wanted: Hashes, max_words: float) -> tuple[Floats, Floats]: ...
    def text_columns(self, title: Hashes, told: Hashes, to: Columns) -> None: ...
    def structure_columns(
        self,
        own_column: NDArray[np.int32],
        ancestor_bit: NDArray[np.uint32],
        role_bits: NDArray[np.uint32],
        roles: NDArray[np.int32],
        marks: tuple[int, int, int, NDArray[np.uint8]],
        to: Columns,
    ) -> None: ...
    def region_columns(self, to: Columns) -> None: ...
    def document_columns(self, kind_of_tag: NDArray[np.int32], to: Columns) -> None: ...
    def lexicon_columns(
        self,
        tables: Sequence[Columns],
        listed: float,
        parts: tuple[Hashes, NDArray[np.int64]],
        counts: tuple[int, int],
        is_heading: NDArray[Any],
        to: Columns,
    ) -> None: ...
