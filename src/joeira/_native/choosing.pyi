import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.uint8]
Floats = NDArray[np.float64]

def best_prefix(
    probability: Floats,
    size: Floats,
    weight: float,
    shared_doubt: float,
    cases: tuple[Floats, Floats],
) -> tuple[int, float]: ...
def section_ends(
    begins: NDArray[np.int32],
    headings: NDArray[np.intp],
    level: NDArray[np.int64],
    parent: NDArray[np.int32],
    end: NDArray[np.int32],
) -> NDArray[np.int64]: ...
def follow_sections(
    blocks: tuple[NDArray[np.int32], Floats, Floats, Flags],
    tree: tuple[NDArray[np.int32], NDArray[np.int32]],
    headings: tuple[NDArray[np.intp], NDArray[np.int64], int],
    chosen: tuple[Flags, Flags, Floats],
    limits: tuple[float, float, float],
) -> Flags: ...
