"""Entries with equal keys as groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.kernels.lazy import Lazy


@dataclass(frozen=True, eq=False)
class Grouping:
    """A partition of a sequence, its groups numbered in the order of their keys."""

    number: NDArray[np.intp]
    """Group of each entry."""
    order: NDArray[np.intp]
    """All entries, group after group."""
    starts: NDArray[np.intp]
    """Where each group begins in `order`."""
    sizes: NDArray[np.intp]
    """Entries of each group."""

    @classmethod
    def of(cls, key: NDArray[Any]) -> Grouping:
        """Return the groups of entries with equal keys."""
        order = key.argsort(kind="stable")
        in_order = key.take(order)
        new = np.ones(len(key) + 1, bool)
        np.not_equal(in_order[1:], in_order[:-1], out=new[1:-1])
        bounds = new.nonzero()[0]
        sizes = bounds[1:] - bounds[:-1]
        number = np.empty(len(key), np.intp)
        number[order] = np.arange(len(sizes)).repeat(sizes)
        return cls(number, order, bounds[:-1], sizes)

    def means(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the mean over the lines of each group."""
        sums = np.add.reduceat(values.take(self.order, axis=0), self.starts, axis=0)
        return np.divide(sums, self._divisors, out=sums)

    @Lazy
    def _divisors(self) -> NDArray[np.float32]:
        return self.sizes[:, None].astype(np.float32)
