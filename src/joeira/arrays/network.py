"""A small network over a sequence: dilated convolutions, means over groups, one context vector.

Only what inference needs, in numpy. Each layer is one matrix product over the whole sequence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.groups import Grouping

Matrix = NDArray[np.float32]
CLIP = 5.0
"""Standardised inputs are cut here, as in training."""

_ONE_THREAD = 1 << 18
"""Multiplications up to which OpenBLAS stays on one thread."""


@dataclass(frozen=True, eq=False)
class Network:
    """Weights of a trained network, by layer name."""

    weights: Mapping[str, Matrix]
    dilations: tuple[int, ...]
    group_after: tuple[int, ...]
    """Numbers of the convolutions after which group means are mixed in."""

    def __call__(self, inputs: Matrix, mass: Matrix, groupings: Sequence[Grouping]) -> Matrix:
        """Return a logit for each place.

        `inputs` are standardised columns, one line per place; `mass` is the weight of each place in
        the context vector.
        """
        # Around the places stand zeros, where the convolutions look beyond the first and the last.
        reach = max(self.dilations)
        first = self._dense("inp", inputs)
        padded = np.zeros((len(first) + 2 * reach, first.shape[1]), np.float32)
        # Numpy compares with as many zeros several times as fast as with the number.
        zeros = np.zeros_like(first)
        hidden = np.maximum(first, zeros, out=padded[reach:-reach])
        hidden += _relu(self._dense("in2", hidden), zeros)
        for number, dilation in enumerate(self.dilations):
            near = [padded[reach + step :][: len(first)] for step in (-dilation, 0, dilation)]
            mixed = self._dense(f"conv.{number}", np.concatenate(near, axis=1))
            hidden += _relu(mixed, zeros)
            if number in self.group_after:
                layer = f"grp.{self.group_after.index(number)}"
                hidden += _relu(self._with_groups(layer, hidden, groupings), zeros)
        weighted = mass @ hidden / max(float(mass.sum()), 1e-6)
        pooled = self._dense("pool", np.concatenate([hidden.mean(axis=0), weighted]))
        context = self._dense("g1", _relu(pooled, zeros[0]))
        fused = _relu(self._dense("fuse", hidden) + context, zeros)
        return self._dense("out", fused)[:, 0]

    def _dense(self, layer: str, values: Matrix) -> Matrix:
        result = _product(values, self.weights[f"{layer}.weight"])
        result += self.weights[f"{layer}.bias"]
        return result

    def _with_groups(self, layer: str, hidden: Matrix, groupings: Sequence[Grouping]) -> Matrix:
        """Return a layer over each place and the means of its groups, side by side."""
        weight = self.weights[f"{layer}.weight"]
        width = hidden.shape[1]
        result = _product(hidden, weight[:width])
        result += self.weights[f"{layer}.bias"]
        for number, grouping in enumerate(groupings, 1):
            part = weight[number * width : (number + 1) * width]
            result += _product(grouping.means(hidden), part).take(grouping.number, axis=0)
        return result


def _product(values: Matrix, weight: Matrix) -> Matrix:
    """Return a matrix product, in pieces that BLAS computes on one thread.

    Threads for matrices this small cost more than they gain, and more than one thread would make
    the last bits depend on the machine.
    """
    rows = max(_ONE_THREAD // weight.size, 1)
    if values.ndim == 1 or len(values) <= rows:
        return values @ weight
    result = np.empty((len(values), weight.shape[1]), np.float32)
    whole = len(values) // rows * rows
    pieces = values[:whole].reshape(-1, rows, values.shape[1])
    np.matmul(pieces, weight, out=result[:whole].reshape(-1, rows, weight.shape[1]))
    if whole < len(values):
        np.matmul(values[whole:], weight, out=result[whole:])
    return result


def _relu(values: Matrix, zeros: Matrix) -> Matrix:
    return np.maximum(values, zeros, out=values)
