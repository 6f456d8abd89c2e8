from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Flags = NDArray[np.uint8]
Notes = tuple[list[tuple[int, int, str]], Iterable[int], dict[int, str], dict[int, str]]
"""First row of each note, one past its last, and its mark, the last note first; rows that are
written as if they were not there; by number, what texts say instead, and marks what they say."""

class Writer(Protocol):
    def is_counted(self, row: int) -> bool: ...
    def boxes(self) -> dict[int, str]: ...
    def table(self, caption: str, lines: list[list[str]], rows: list[list[int]]) -> str: ...
    def first_number(self, row: int) -> int: ...
    def listing(self, row: int) -> tuple[str | None, int]: ...
    def is_script(self, row: int) -> bool: ...
    def is_raised(self, row: int) -> bool: ...
    def bracketed(self, power: str) -> str: ...
    def close_script(
        self, row: int, pieces: list[str], start: int, is_linked: bool, after_power: int
    ) -> int: ...

class Blocks:
    def __init__(
        self, roles: Flags, is_anchor: Callable[[str], object], max_frames: int
    ) -> None: ...
    def write(
        self,
        writer: Writer,
        texts: tuple[NDArray[np.uint32], NDArray[np.int64]],
        rows: tuple[Ints, Ints, Ints],
        per_text: tuple[Flags, Flags, Flags],
        blocks: tuple[Ints, Ints],
        special: tuple[Iterable[int], Iterable[int], Notes | tuple[()]],
    ) -> str | None: ...
