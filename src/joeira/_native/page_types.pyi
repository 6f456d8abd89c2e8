import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

def chances(
    plain: Floats,
    words: NDArray[np.float64],
    declared: Floats,
    parts: NDArray[np.uint64],
    weights: tuple[Floats, Floats, float, Floats, Floats, Floats],
) -> Floats: ...
