import numpy as np
from numpy.typing import NDArray

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
