"""How alike two partitions of the same items are: adjusted Rand index and normalised information.

The items are usually the words of a page and the clusters its segments. Words that one side leaves
out get a label of their own, so that both lists are equally long.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from joeira.errors import require

Labels = Sequence[int] | Sequence[str] | NDArray[np.integer]


def adjusted_rand_index(first: Labels, second: Labels) -> float:
    """Return the Rand index corrected for chance: 1 for equal partitions, 0 at chance level.

    May be negative. From counts of the contingency table, in time linear in the items.
    """
    table, rows, columns = _contingency(first, second)
    pairs = _pairs(np.array([len(first)]))
    together = _pairs(table)
    in_first, in_second = _pairs(rows), _pairs(columns)
    expected = in_first * in_second / pairs if pairs else 0.0
    possible = (in_first + in_second) / 2 - expected
    return (together - expected) / possible if possible else 1.0


def normalized_mutual_information(first: Labels, second: Labels) -> float:
    """Return mutual information over the geometric mean of the entropies.

    1 when both sides are one cluster, 0 when only one of them is.
    """
    table, rows, columns = _contingency(first, second)
    entropies = _entropy(rows), _entropy(columns)
    if not any(entropies):
        return 1.0
    if not all(entropies):
        return 0.0
    information = entropies[0] + entropies[1] - _entropy(table)
    return float(max(0.0, information) / np.sqrt(entropies[0] * entropies[1]))


def _contingency(
    first: Labels, second: Labels
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the sizes of the common parts, of the first and of the second clusters."""
    require(len(first) == len(second), "both partitions must label the same items")
    _, left, rows = np.unique(np.asarray(first), return_inverse=True, return_counts=True)
    _, right, columns = np.unique(np.asarray(second), return_inverse=True, return_counts=True)
    _, table = np.unique(left * max(1, len(columns)) + right, return_counts=True)
    return table, rows, columns


def _pairs(sizes: NDArray[np.int64]) -> float:
    return float((sizes * (sizes - 1) // 2).sum())


def _entropy(sizes: NDArray[np.int64]) -> float:
    if len(sizes) < 2:
        return 0.0  # exactly, not up to rounding
    shares = sizes / sizes.sum()
    return float(-(shares * np.log(shares)).sum())
