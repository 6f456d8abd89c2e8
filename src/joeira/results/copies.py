"""Text that a page shows more than once: one copy is enough.

Pages repeat themselves for reasons that have nothing to do with what they say: a menu for small
screens and one for large ones, slides that turn in a circle, a notice under every item, a quoted
post under each answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joeira.features.table import Matrix


def later_copies(matrix: Matrix, keep: NDArray[np.bool_], min_words: float) -> NDArray[np.bool_]:
    """Return which kept blocks of at least so many words repeat a kept block above them."""
    later = np.zeros(len(keep), bool)
    long = keep & (matrix.view.words >= min_words)
    # Their hashes take all numbers for the same: only what these cannot tell apart is compared.
    alike = (long & (matrix.words.copies > 1)).nonzero()[0]
    seen: set[str] = set()
    first, stop = matrix.view.text_bounds
    for block in alike.tolist():
        text = matrix.view.page.joined(int(first[block]), int(stop[block]))
        later[block] = text in seen
        seen.add(text)
    return later
