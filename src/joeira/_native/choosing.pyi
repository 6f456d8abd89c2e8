import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]
Reasons = NDArray[np.int8]

def probabilities(logits: Floats, calibration: Floats) -> Floats: ...
def best_blocks(
    chances: Floats,
    size: Floats,
    weight: float,
    shared_doubt: float,
    cases: tuple[Floats, Floats],
) -> tuple[Bools, float]: ...
def follow_sections(
    blocks: tuple[Numbers, Numbers, Floats, Floats],
    rows: tuple[Numbers, Numbers, Numbers, Numbers],
    chosen: tuple[Bools, Reasons, Floats],
    marks: tuple[int, bool, int, int],
    limits: tuple[float, float, float],
) -> Reasons: ...
def complete_rows(
    blocks: tuple[Numbers, Floats],
    rows: tuple[NDArray[np.int64], Numbers],
    keep: Bools,
    share: float,
) -> None: ...
def complete_parts(
    blocks: tuple[Numbers, Floats],
    rows: tuple[NDArray[np.int64], Numbers],
    keep: Bools,
    chosen: tuple[Floats, Bools],
    terms: tuple[float, bool, int],
) -> None: ...
def repeated_blocks(
    keep: Bools,
    copies: Floats,
    bounds: tuple[Numbers, Numbers],
    characters: tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.int64]],
    space: int,
) -> list[list[int]]: ...
def numbers_above(rows: Numbers, parent: Numbers, numbers: Numbers) -> set[int]: ...
def per_text(
    bounds: tuple[Numbers, Numbers],
    texts: int,
    words: Floats,
    chosen: tuple[Bools, Reasons, Reasons],
    chance: Floats,
) -> tuple[Bools, Reasons | None, Floats, float]: ...
