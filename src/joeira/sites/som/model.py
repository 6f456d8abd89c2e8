"""The learned pruning of a site's tree: whether the children of a node are one block.

A support vector machine with a polynomial kernel sees the 23 features of Daoud (2013). The weights
are plain arrays in ``joeira/models``; `python -m training.som` makes them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.models import read_arrays


@dataclass(frozen=True, eq=False)
class PolynomialSVM:
    """The decision function ``sum(weight * (gamma * <vector, x> + coef0) ** degree) + bias``."""

    low: Floats
    """Least value of each column in training: becomes -1."""
    high: Floats
    """Greatest value of each column in training: becomes 1."""
    vectors: Floats
    """Support vectors, scaled."""
    weight: Floats
    """Per support vector."""
    bias: float
    gamma: float
    coef0: float
    degree: int

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> PolynomialSVM:
        """Return the machine stored under a prefix."""
        low, high, vectors, weight = (
            arrays[f"{prefix}.{name}"].astype(np.float64)
            for name in ("low", "high", "vectors", "weight")
        )
        bias, gamma, coef0 = (float(arrays[f"{prefix}.{n}"]) for n in ("bias", "gamma", "coef0"))
        return cls(low, high, vectors, weight, bias, gamma, coef0, int(arrays[f"{prefix}.degree"]))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return what `load` reads."""
        return {f"{prefix}.{name}": np.asarray(value) for name, value in vars(self).items()}

    def __call__(self, rows: Floats) -> Floats:
        """Return the decision value of each row: above 0 is yes."""
        product = scaled(rows, self.low, self.high) @ self.vectors.T
        values: Floats = (self.gamma * product + self.coef0) ** self.degree @ self.weight
        return values + self.bias


def scaled(rows: Floats, low: Floats, high: Floats) -> Floats:
    """Return columns from -1 to 1; a value beyond those of training counts as the nearest."""
    width = np.where(high > low, high - low, 1.0)
    features: Floats = np.clip((rows - low) / width, 0.0, 1.0) * 2 - 1
    return features


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
