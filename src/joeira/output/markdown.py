"""Placeholder, written next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joeira.page import Page


def render(page: Page, keep: NDArray[np.bool_]) -> str:
    """Return the kept texts, a line each."""
    return "\n".join(text for text, kept in zip(page.texts, keep, strict=True) if kept)
