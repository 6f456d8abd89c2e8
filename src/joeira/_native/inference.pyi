from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

class TreeSums:
    def __init__(
        self,
        question_column: NDArray[np.int32],
        question_border: Floats,
        question: NDArray[np.int32],
        leaf: Floats,
        bias: float,
    ) -> None: ...
    def __call__(self, first: Floats, more: Floats) -> Floats: ...

class NetworkLogits:
    def __init__(
        self,
        weights: Mapping[str, Floats],
        dilations: Sequence[int],
        group_after: Sequence[int],
        center: Floats,
        scale: Floats,
        clip: float,
    ) -> None: ...

class BlendedLogits:
    def __init__(
        self,
        trees: TreeSums,
        networks: list[NetworkLogits],
        tree_weight: float,
        neighbours: tuple[Sequence[int], Sequence[int]],
        cap: float,
    ) -> None: ...
    def __call__(
        self, values: Floats, mass: Floats, groups: NDArray[np.int32]
    ) -> NDArray[np.float64]: ...

class Calibration:
    def __init__(self, logits: NDArray[np.float64]) -> None: ...
    def __call__(self, logits: NDArray[np.float64]) -> NDArray[np.float64]: ...
