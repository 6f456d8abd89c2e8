import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

def layouts(
    rows: tuple[Ints, Ints, Ints],
    kinds: NDArray[np.uint8],
    lines: Longs,
    texts: tuple[Longs, int, Ints],
    most_chars: int,
) -> tuple[Longs, NDArray[np.bool_], Longs, bool]: ...
