import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

class Chances:
    def __init__(
        self,
        center: Floats,
        scale: Floats,
        of_means: Floats,
        of_names: Floats,
        bias: Floats,
        limits: tuple[float, float],
    ) -> None: ...
    def __call__(
        self,
        plain: Floats,
        words: NDArray[np.float64],
        declared: list[bool],
        parts: NDArray[np.uint64],
    ) -> Floats: ...
