"""Rows of data tables are kept whole: a row with holes misleads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joeira.features.view import BlockView
from joeira.kernels.nesting import enclosing
from joeira.output.tables import data_tables
from joeira.page import tags

WHOLE_ROW_SHARE = 0.5
"""A row of a data table with this share of its words kept is kept whole."""


def complete_rows(view: BlockView, keep: NDArray[np.bool_]) -> None:
    """Keep the whole of a table row of which most is kept."""
    page = view.page
    rows = (page.tag == tags.NUMBER["tr"]).nonzero()[0]
    if not len(rows) or not keep.any():
        return
    rows = rows[enclosing(data_tables(page), page.end, rows) >= 0]
    row = enclosing(rows, page.end, view.owner.astype(np.int64))
    inside = np.flatnonzero(row >= 0)
    number = np.searchsorted(rows, row[inside])
    words = view.words[inside]
    total = np.bincount(number, words, len(rows))
    kept = np.bincount(number, words * keep[inside], len(rows))
    keep[inside] |= (kept >= WHOLE_ROW_SHARE * np.maximum(total, 1))[number]
