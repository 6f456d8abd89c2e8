"""What kind of page it is, by a linear model of its blocks as a whole and of its names.

A page is one line here: the mean of every plain column over its blocks and over its words, and
which parts of class and id names occur. That tells the types better than a head on the network of
blocks does, and costs two products.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.blockmodel.columns import PLAIN, Matrix
from joeira.blockmodel.lexicon import SPACES, bucket

Floats = NDArray[np.float32]

PAGE_TYPES = ("article", "forum", "product", "collection", "listing", "documentation", "service")
CLIP = 4.0
"""Standardised means are cut here: no page is further from the others than that."""
_BLOCK_WORDS = 0.01
"""Words that a block without any counts for."""


def means(matrix: Matrix) -> Floats:
    """Return the mean of the plain columns over the blocks of a page, then over its words."""
    columns = matrix.values[:, :PLAIN].T
    words = matrix.view.words.astype(np.float32) + np.float32(_BLOCK_WORDS)
    words /= words.sum()
    # Not by BLAS, which would wake its threads for so small a product.
    return np.concatenate([columns.mean(axis=1), np.einsum("ij,j->i", columns, words)])


def name_buckets(matrix: Matrix) -> NDArray[np.int64]:
    """Return the buckets of the parts of names that occur, each once."""
    occurs = np.zeros(1 << SPACES["name"], bool)
    occurs[bucket(matrix.names.parts[0], SPACES["name"])] = True
    return occurs.nonzero()[0]


def name_weight(count: int) -> float:
    """Return what each of so many parts counts: pages with many names are no surer for that."""
    return 1 / float(np.sqrt(max(count, 1)))


@dataclass(frozen=True, eq=False)
class PageTypes:
    """Weights of the model: one column for each page type."""

    center: Floats
    scale: Floats
    of_means: Floats
    of_names: Floats
    """One line for each bucket of names."""
    bias: Floats

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> PageTypes:
        """Return the model stored in arrays."""
        return cls(
            *(
                arrays[f"types.{name}"].astype(np.float32)
                for name in ("center", "scale", "of_means", "of_names", "bias")
            )
        )

    def __call__(self, matrix: Matrix) -> Floats:
        """Return the probability of every type; all 0 for a page without blocks."""
        if not matrix.view.size:
            return np.zeros(len(PAGE_TYPES), np.float32)
        place = np.clip((means(matrix) - self.center) * self.scale, -CLIP, CLIP)
        buckets = name_buckets(matrix)
        named = self.of_names.take(buckets, axis=0).sum(axis=0)
        named *= name_weight(len(buckets))
        logits = place @ self.of_means + named + self.bias
        weights = np.exp(logits - logits.max())
        chances: Floats = weights / weights.sum()
        return chances
