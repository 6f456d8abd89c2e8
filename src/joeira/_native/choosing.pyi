from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]
LongNumbers = NDArray[np.int64]
Reasons = NDArray[np.int8]
Cases = tuple[Floats, Floats]

def best_blocks(
    chances: Floats, size: Floats, weight: float, shared_doubt: float, cases: Cases
) -> tuple[Bools, float]: ...

class Choosing:
    def __init__(
        self,
        blocks: tuple[Numbers, Numbers, Numbers, Floats, Floats],
        rows: tuple[Numbers, Numbers, Numbers, Numbers],
    ) -> None: ...
    def best(
        self, probability: Floats, weight: float, shared_doubt: float, cases: Cases
    ) -> tuple[Bools, float, float]: ...
    def follow_sections(
        self,
        keep: Bools,
        left_out: Reasons,
        probability: Floats,
        marks: tuple[int, bool, int, int],
        limits: tuple[float, float, float],
    ) -> Reasons: ...
    def complete_rows(self, tables: LongNumbers, tag: int, keep: Bools, share: float) -> None: ...
    def complete_parts(
        self,
        rows: LongNumbers,
        keep: Bools,
        probability: Floats,
        apart: int,
        terms: tuple[float, bool, int],
    ) -> None: ...
    def repeated_blocks(
        self,
        keep: Bools,
        copies: Floats,
        characters: tuple[NDArray[np.uint32], NDArray[np.uint16], LongNumbers],
        space: int,
    ) -> list[list[int]]: ...
    def elsewhere(
        self, groups: list[list[int]], min_words: float
    ) -> list[list[tuple[int, int]]]: ...
    def hidden(
        self,
        blocks: Iterable[int],
        class_numbers: Numbers,
        names: tuple[str, ...],
        hides: Callable[[str], bool],
    ) -> set[int]: ...
    def leave_out_tag(self, keep: Bools, left_out: Reasons, tag: int, reason: int) -> None: ...
    def leave_out_asides(
        self, keep: Bools, left_out: Reasons, is_aside: Bools, min_words: float, reason: int
    ) -> None: ...
    def per_text(
        self, keep: Bools, left_out: Reasons, taken_in: Reasons, probability: Floats
    ) -> tuple[Bools, Reasons | None, Floats, float]: ...

def rows_numbered(*columns: tuple[Numbers, int, Sequence[int]]) -> LongNumbers: ...

class Below:
    def __init__(self, known_tag: Numbers, end: Numbers, text_row: Numbers) -> None: ...
    def with_words(
        self,
        rows: LongNumbers,
        kinds: Bools,
        characters: tuple[NDArray[np.uint16], LongNumbers],
        least: int,
    ) -> Bools: ...
    def texts_below(self, rows: LongNumbers, kinds: Bools | None = None) -> Bools: ...
