import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Flags = NDArray[np.uint8]

def inline_rows(
    rows: tuple[Ints, Ints, Ints, Ints], inline_tags: Flags, first_foreign: int
) -> tuple[NDArray[np.bool_], Ints]: ...
def bounds(
    inline: Flags, parent: Ints, text_rows: Ints, known_tag: Ints | None = None
) -> tuple[Ints, Ints]: ...
def tag_counts(known_tag: Ints, known: int) -> list[int]: ...
def rows_of(tag: Ints, number: int) -> Ints: ...
def boxes(
    rows: tuple[Ints, Ints, Ints, Ints], kinds: Flags, keep: Flags | None
) -> list[tuple[int, int]]: ...
def spaces(
    rows: tuple[Ints, Ints, Ints],
    kind_of_tag: Flags,
    texts: tuple[Ints, Flags, Ints],
    characters: tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.int64]],
    marks: Flags,
    chosen: tuple[Flags, Flags, int] | None = None,
) -> tuple[bytearray, list[int], list[int]]: ...
