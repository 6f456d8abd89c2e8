"""Where the nodes of a page are when it is drawn: one value per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Boxes in CSS pixels from the top left of the page, and how they look."""

    box: Floats
    """Per row: left, top, right, bottom; all 0 for what is not drawn."""
    background: NDArray[np.integer[Any]]
    """Number of the colour behind each row."""
    font_size: Floats
    font_weight: Floats

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Which rows take up room."""
        left, top, right, bottom = self.box.T
        shown: NDArray[np.bool_] = (right > left) & (bottom > top)
        return shown

    @property
    def area(self) -> Floats:
        """Room that each row takes up."""
        left, top, right, bottom = self.box.T
        area: Floats = np.maximum(right - left, 0) * np.maximum(bottom - top, 0)
        return area
