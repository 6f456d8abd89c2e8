"""The learned pruning of a site's tree: whether the children of a node are one block.

A support vector machine with a polynomial kernel sees the 23 features of Daoud (2013). The weights
are plain arrays in ``joeira/models``; `python -m joeira.training.som` makes them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.features.weights import read_arrays
from joeira.kernels.svm import PolynomialSVM


@dataclass(frozen=True, eq=False)
class PruningModel:
    """Weights of the learned pruning."""

    svm: PolynomialSVM

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> PruningModel:
        """Return the model stored in arrays."""
        return cls(PolynomialSVM.load(arrays, "svm"))

    def decide(self, node: int, features: NDArray[np.float64]) -> bool:
        """Return whether the children of a node with these features are one block."""
        del node  # the features say all that is asked for
        return bool(self.svm(features[None])[0] > 0)


@cache
def load() -> PruningModel:
    """Return the shipped model; loaded once."""
    return PruningModel.of(read_arrays("som"))
