"""Tables of data and listings are kept whole, or at least the rows: with holes they mislead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joeira.features.view import BlockView
from joeira.kernels.nesting import enclosing
from joeira.output.tables import data_tables
from joeira.page import tags

WHOLE_ROW_SHARE = 0.5
"""A row of a data table with this share of its words kept is kept whole."""

NEAR = 3
"""Text is beside a table or a listing when it is at most so many blocks away."""
WHOLE_SHARE = 0.2
"""What stands beside kept text is kept when this share of its words is expected to be content."""


def complete(view: BlockView, keep: NDArray[np.bool_], probability: NDArray[np.float64]) -> None:
    """Keep the whole of table rows, tables of data and listings that belong to what is kept."""
    tables = data_tables(view.page)
    if len(tables):
        _complete_rows(view, tables, keep)
        # A table is spoken of before it and after it; a listing may be the end of a page.
        _complete_parts(view, tables, keep, probability, is_between=True)
    listings = (view.page.tag == tags.NUMBER["pre"]).nonzero()[0]
    if len(listings):
        _complete_parts(view, listings, keep, probability, is_between=False)


def _complete_rows(view: BlockView, tables: NDArray[np.int64], keep: NDArray[np.bool_]) -> None:
    """Keep the whole of a table row of which most is kept."""
    page = view.page
    if not keep.any():
        return
    rows = (page.tag == tags.NUMBER["tr"]).nonzero()[0]
    rows = rows[enclosing(tables, page.end, rows) >= 0]
    row = enclosing(rows, page.end, view.owner.astype(np.int64))
    inside = np.flatnonzero(row >= 0)
    number = np.searchsorted(rows, row[inside])
    words = view.words[inside]
    total = np.bincount(number, words, len(rows))
    kept = np.bincount(number, words * keep[inside], len(rows))
    keep[inside] |= (kept >= WHOLE_ROW_SHARE * np.maximum(total, 1))[number]


def _complete_parts(
    view: BlockView,
    rows: NDArray[np.int64],
    keep: NDArray[np.bool_],
    probability: NDArray[np.float64],
    is_between: bool,
) -> None:
    """Keep all below a row that comes after kept text (and before some) and may be content."""
    part = enclosing(rows, view.page.end, view.owner.astype(np.int64))
    # Buttons, to copy or to run what is listed, do something with it and are not part of it.
    inside = np.flatnonzero((part >= 0) & ~view.is_button)
    if not len(inside):
        return
    number = np.searchsorted(rows, part[inside])
    first, last = np.zeros((2, len(rows)), np.int64)
    first[number[::-1]] = inside[::-1]
    last[number] = inside
    kept = np.concatenate(([0], np.cumsum(keep)))
    belongs = kept[first] > kept[np.maximum(first - NEAR, 0)]
    if is_between:
        belongs &= kept[np.minimum(last + 1 + NEAR, len(keep))] > kept[last + 1]
    words = view.words[inside]
    total = np.bincount(number, words, len(rows))
    expected = np.bincount(number, words * probability[inside], len(rows))
    belongs &= expected >= WHOLE_SHARE * np.maximum(total, 1)
    keep[inside] |= belongs[number]
