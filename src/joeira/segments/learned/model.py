"""The learned segment model: how much of the text of an element belongs together.

Boosted trees see every element of a page with its features. Their answer is the share of pairs of
words below the element that a person would put into one segment. The weights are plain arrays in
``joeira/models``; `python -m training.segments` makes them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.boosting import ObliviousTrees
from joeira.models import read_arrays
from joeira.segments.learned.features import SegmentView, columns


@dataclass(frozen=True, eq=False)
class SegmentModel:
    """Weights of the segment model."""

    trees: ObliviousTrees

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> SegmentModel:
        """Return the model stored in arrays."""
        return cls(ObliviousTrees.load(arrays, "trees"))

    def together(self, view: SegmentView) -> NDArray[np.float64]:
        """Return for every row the share of its pairs of words that belong together."""
        share = np.ones(len(view.page))
        asked = np.flatnonzero(divisible(view))
        logits = self.trees(columns(view, asked)).astype(np.float64)
        share[asked] = 1 / (1 + np.exp(-logits))
        return share


def divisible(view: SegmentView) -> NDArray[np.bool_]:
    """Return which rows have several blocks: a block is never divided."""
    several: NDArray[np.bool_] = view.has_text & (view.blocks > 1)
    return several


@cache
def load() -> SegmentModel:
    """Return the shipped model; loaded once."""
    return SegmentModel.of(read_arrays("segments"))
