"""Data tables are kept whole, or at least their rows: a table with holes misleads."""

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
"""Text is beside a table when it is at most so many blocks away."""
WHOLE_TABLE_SHARE = 0.2
"""A table between kept texts is kept when this share of its words is expected to be content."""


def complete_tables(
    view: BlockView, keep: NDArray[np.bool_], probability: NDArray[np.float64]
) -> None:
    """Keep the whole of table rows and of tables of data that are kept in part."""
    tables = data_tables(view.page)
    if len(tables):
        _complete_rows(view, tables, keep)
        _complete_whole(view, tables, keep, probability)


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


def _complete_whole(
    view: BlockView,
    tables: NDArray[np.int64],
    keep: NDArray[np.bool_],
    probability: NDArray[np.float64],
) -> None:
    """Keep the whole of a data table that stands between kept texts and may well be content."""
    table = enclosing(tables, view.page.end, view.owner.astype(np.int64))
    inside = np.flatnonzero(table >= 0)
    if not len(inside):
        return
    number = np.searchsorted(tables, table[inside])
    first, last = np.zeros((2, len(tables)), np.int64)
    first[number[::-1]] = inside[::-1]
    last[number] = inside
    kept = np.concatenate(([0], np.cumsum(keep)))
    before = kept[first] > kept[np.maximum(first - NEAR, 0)]
    after = kept[np.minimum(last + 1 + NEAR, len(keep))] > kept[last + 1]
    words = view.words[inside]
    total = np.bincount(number, words, len(tables))
    expected = np.bincount(number, words * probability[inside], len(tables))
    whole = before & after & (expected >= WHOLE_TABLE_SHARE * np.maximum(total, 1))
    keep[inside] |= whole[number]
