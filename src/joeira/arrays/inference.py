"""Inference of learned models in numpy: a small network and boosted oblivious trees.

The network runs over a sequence: dilated convolutions, means over groups, one context vector. Each
layer is one matrix product over the whole sequence.

Every level of an oblivious tree asks the same question of all rows, so such a tree is a table: the
answers to its questions, read as bits, are the number of the leaf. All trees together are one
comparison matrix and one look-up. Many trees ask the same questions, so each is answered once.

`joeira._native.inference` has both in C: sums of trees with the same bits, logits of a network
within 1e-4. The code here is what they are tested against, and what runs without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.arrays.groups import Grouping

if native_available:
    from joeira._native import inference as kernels

Matrix = NDArray[np.float32]
CLIP = 5.0
"""Standardised inputs are cut here, as in training."""

_ONE_THREAD = 1 << 18
"""Multiplications up to which OpenBLAS stays on one thread."""
_PART = 20_000
"""Rows of a long matrix that are prepared at once for a product, to take little memory."""


@dataclass(frozen=True, eq=False)
class Network:
    """Weights of a trained network, by layer name."""

    weights: Mapping[str, Matrix]
    dilations: tuple[int, ...]
    group_after: tuple[int, ...]
    """Numbers of the convolutions after which group means are mixed in."""

    def kernel(self, center: Matrix, scale: Matrix) -> kernels.NetworkLogits:
        """Return the network in C, of columns that it standardises itself: one line per column."""
        return kernels.NetworkLogits(
            self.weights, self.dilations, self.group_after, center, scale, CLIP
        )

    def first(self, inputs: Matrix) -> Matrix:
        """Return the first layer, of standardised columns with one line per place.

        Each place for itself: long sequences come in parts (see `part_bounds`).
        """
        return self._dense("inp", inputs)

    def __call__(self, first: Matrix, mass: Matrix, groupings: Sequence[Grouping]) -> Matrix:
        """Return a logit for each place.

        `first` is the first layer; `mass` is the weight of each place in the context vector.
        """
        # Around the places stand zeros, where the convolutions look beyond the first and the last.
        reach = max(self.dilations)
        padded = np.zeros((len(first) + 2 * reach, first.shape[1]), np.float32)
        # Numpy compares with as many zeros several times as fast as with the number.
        zeros = np.zeros_like(first)
        hidden = np.maximum(first, zeros, out=padded[reach:-reach])
        hidden += _relu(self._dense("in2", hidden), zeros)
        for number, dilation in enumerate(self.dilations):
            hidden += _relu(self._convolution(f"conv.{number}", padded, dilation), zeros)
            if number in self.group_after:
                layer = f"grp.{self.group_after.index(number)}"
                hidden += _relu(self._with_groups(layer, hidden, groupings), zeros)
        weighted = mass @ hidden / max(float(mass.sum()), 1e-6)
        pooled = self._dense("pool", np.concatenate([hidden.mean(axis=0), weighted]))
        context = self._dense("g1", _relu(pooled, zeros[0]))
        fused = _relu(self._dense("fuse", hidden) + context, zeros)
        return self._dense("out", fused)[:, 0]

    def _convolution(self, layer: str, padded: Matrix, dilation: int) -> Matrix:
        """Return a layer over each place and those so far before and after it."""
        reach = max(self.dilations)
        places = len(padded) - 2 * reach
        bounds = part_bounds(places, self.weights[f"{layer}.weight"])
        result = np.empty((places, padded.shape[1]), np.float32)
        for start, stop in pairwise(bounds):
            steps = (reach - dilation, reach, reach + dilation)
            near = [padded[start + step : stop + step] for step in steps]
            result[start:stop] = self._dense(layer, np.concatenate(near, axis=1))
        return result

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


def part_bounds(rows: int, weight: Matrix) -> list[int]:
    """Return where long matrices are cut to be multiplied part by part: the last bits stay."""
    at_once = max(_ONE_THREAD // weight.size, 1)
    step = max(_PART // at_once, 1) * at_once
    return [*range(0, rows, step), rows]


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


_CHUNK = 256
"""Rows per step: what a step writes stays in the cache of a core, and leaves room for the rest."""


@dataclass(frozen=True, eq=False)
class ObliviousTrees:
    """A sum of oblivious trees of one depth, eight levels at most."""

    column: NDArray[np.int32]
    """Per tree and level: the column that the question is about."""
    border: NDArray[np.float32]
    """Per tree and level: the answer is yes above this value."""
    leaf: NDArray[np.float32]
    """Per tree: the values of its leaves."""
    bias: float

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> ObliviousTrees:
        """Return the trees stored under a prefix."""
        return cls(
            arrays[f"{prefix}.column"].astype(np.int32),
            arrays[f"{prefix}.border"].astype(np.float32),
            arrays[f"{prefix}.leaf"].astype(np.float32),
            float(arrays[f"{prefix}.bias"]),
        )

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return what `load` reads, in small types."""
        return {
            f"{prefix}.column": self.column.astype(np.int16),
            f"{prefix}.border": self.border,
            f"{prefix}.leaf": self.leaf,
            f"{prefix}.bias": np.array(self.bias, np.float32),
        }

    def __call__(self, *columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the sum of all trees for each row.

        `columns` has one line per column; it may come in several pieces, the first columns first.
        """
        rows = columns[0].shape[1]
        if not rows:
            return np.zeros(0, np.float32)
        if native_available and len(columns) <= 2:
            none = np.zeros((0, rows), np.float32)
            return self.kernel(columns[0], columns[1] if len(columns) > 1 else none)
        # Of equal size: numpy would sum a last step of a single row in another order.
        size = -(-rows // -(-rows // _CHUNK))
        slices = (slice(first, first + size) for first in range(0, rows, size))
        return np.concatenate(
            [self._score([piece[:, step] for piece in columns]) for step in slices]
        )

    @cached_property
    def _questions(self) -> tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.intp]]:
        """Column and border of the distinct questions, in order, and their numbers by level.

        The deepest level comes first.
        """
        asked = np.stack([self.column.ravel(), self.border.ravel()], dtype=np.float64)
        distinct, number = np.unique(asked, axis=1, return_inverse=True)
        by_level = number.reshape(self.column.shape).T[::-1]
        return distinct[0].astype(np.intp), distinct[1, :, None].astype(np.float32), by_level.copy()

    @cached_property
    def kernel(self) -> kernels.TreeSums:
        """The trees in C."""
        column, border, by_level = self._questions
        by_tree = np.ascontiguousarray(by_level.T, np.int32)
        leaf = np.ascontiguousarray(self.leaf, np.float32)
        return kernels.TreeSums(column.astype(np.int32), border.ravel(), by_tree, leaf, self.bias)

    @cached_property
    def _first_leaf(self) -> NDArray[np.unsignedinteger[Any]]:
        """Number of the first leaf of each tree among all leaves, in the smallest type."""
        trees, leaves = self.leaf.shape
        short = np.min_scalar_type(self.leaf.size)
        return np.arange(0, trees * leaves, leaves, dtype=short)[:, None]

    def _answers(self, columns: Sequence[NDArray[np.float32]]) -> NDArray[np.uint8]:
        """Return 1 for each row and question that is answered with yes, else 0."""
        column, border, _ = self._questions
        answers = np.empty((len(column), columns[0].shape[1]), bool)
        first_column = first = 0
        for piece in columns:
            stop = int(column.searchsorted(first_column + len(piece)))
            asked = column[first:stop] - first_column
            # `take` is faster than an index here.
            np.greater(piece.take(asked, axis=0), border[first:stop], out=answers[first:stop])
            first_column, first = first_column + len(piece), stop
        return answers.view(np.uint8)

    def _score(self, columns: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        by_level = self._questions[2]
        answers = self._answers(columns)
        number = answers.take(by_level[0], axis=0)
        for asked in by_level[1:]:
            number += number  # room for the next bit
            number |= answers.take(asked, axis=0)
        leaf = self.leaf.ravel().take(number + self._first_leaf, mode="clip")  # never out of bounds
        score: NDArray[np.float32] = leaf.sum(axis=0)
        return score + np.float32(self.bias)
