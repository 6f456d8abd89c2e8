"""What can be drawn along a page: how markup and paths change from its top to its bottom."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import sequences
from joeira.page import Page
from joeira.page.tag_paths import tag_path_sequence

MAX_POINTS = 2_000
"""More points than this would not be seen."""

Points = list[list[float]]


def document_slope(page: Page) -> Points:
    """Return the share of the page's tags before each text: flat where text is dense.

    Each point is a row and a share. This is the document slope curve, turned by a right angle.
    """
    tags = np.cumsum(page.tags_before)
    chosen = _chosen(len(page.texts))
    rows = page.text_rows[chosen]
    share = tags[rows] / max(1, int(tags[-1])) if len(page) else tags[rows]
    return _points(rows, share)


def tag_paths(page: Page) -> dict[str, Any]:
    """Return the tag path sequence, paths numbered as they appear, and where its main region is."""
    sequence = tag_path_sequence(page)
    if not len(sequence.rows):
        return {"points": [], "paths": 0, "region": None}
    _, first, number = np.unique(sequence.codes, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))
    codes = order[number.reshape(-1)]
    start, stop = sequences.main_region(sequence.codes)
    chosen = _chosen(len(codes))
    region = [int(sequence.rows[start]), int(sequence.rows[stop - 1])] if stop > start else None
    return {
        "points": _points(sequence.rows[chosen], codes[chosen] / max(1, len(first) - 1)),
        "paths": len(first),
        "region": region,
    }


def _chosen(size: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, max(0, size - 1), min(size, MAX_POINTS)).astype(np.int64))


def _points(rows: NDArray[Any], values: NDArray[Any]) -> Points:
    pairs = zip(rows.tolist(), values.tolist(), strict=True)
    return [[row, round(value, 4)] for row, value in pairs]
