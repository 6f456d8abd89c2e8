"""From probabilities to a choice: the set with the best expected F measure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def best_expected_f(
    probability: Floats, size: Floats, beta: float = 1.0
) -> tuple[NDArray[np.bool_], float]:
    """Return the items that maximise the expected F measure, and that measure.

    Items are taken in order of probability; the F of a prefix weighs `size` (words). With `beta`
    above 1 recall counts more, below 1 precision.
    """
    keep = np.zeros(len(probability), bool)
    if not len(probability):
        return keep, 0.0
    order = (-probability).argsort(kind="stable")
    expected = (probability * size).take(order).cumsum()
    taken = size.take(order).cumsum()
    weight = beta * beta
    f = (1 + weight) * expected / np.maximum(taken + weight * expected[-1], 1e-9)
    best = int(f.argmax())
    # Where nothing is expected no choice is better than none.
    keep[order[: best + 1]] = f[best] > 0
    return keep, float(f[best])
