"""How evenly things are spread over pages, from two sums for each of them.

The entropy of a thing that stands f times on each of some pages is ln(n) - s / n, with n the sum of
f and s the sum of f ln f. Both sums grow page by page, so no page has to be kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def f_log_f(times: NDArray[Any]) -> Floats:
    """Return what one page with each number of copies adds to the second sum."""
    found: Floats = times * np.log(np.maximum(times, 1))
    return found


def spread(total: Floats, logs: Floats) -> Floats:
    """Return the entropy, in nats, of things by the sums of f and of f ln f over pages."""
    some = np.maximum(total, 1)
    # What stands on one page only has no entropy; rounding may not say otherwise.
    found: Floats = np.maximum(np.log(some) - logs / some, 0.0)
    return found


def share_of_even(total: Floats, logs: Floats, pages: float | Floats) -> Floats:
    """Return the entropy as a share of that of a thing on all pages alike; 0 for a single page."""
    most = np.log(np.maximum(pages, 1))
    found: Floats = np.where(most > 0, spread(total, logs) / np.where(most > 0, most, 1), 0.0)
    return np.minimum(found, 1.0)
