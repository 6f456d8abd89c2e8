"""Tables of data and listings are kept whole, or at least the rows: with holes they mislead."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.trees import enclosing
from joeira.features.view import BlockView
from joeira.page import tags
from joeira.page.tables import data_tables

WHOLE_ROW_SHARE = 0.5
"""A row of a data table with this share of its words kept is kept whole."""

NEAR = 3
"""Text is beside a table or a listing when it is at most so many blocks away."""


class Terms(NamedTuple):
    """On what terms the whole of something is kept."""

    min_share: float
    """Share of its words that must be expected to be content."""
    is_between: bool
    """Whether kept text must come after it, too, not only before it."""


TABLE = Terms(0.2, is_between=True)
LISTING = Terms(0.1, is_between=False)
"""The last words of a page may be a listing, and the words of programs tell the model little."""


def complete(view: BlockView, keep: NDArray[np.bool_], probability: NDArray[np.float64]) -> None:
    """Keep the whole of table rows, tables of data and listings that belong to what is kept."""
    tables = data_tables(view.page)
    if len(tables):
        _complete_rows(view, tables, keep)
        _complete_parts(view, tables, keep, probability, TABLE)
    listings = (view.page.tag == tags.NUMBER["pre"]).nonzero()[0]
    if len(listings):
        _complete_parts(view, listings, keep, probability, LISTING)


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
    terms: Terms,
) -> None:
    """Keep all below a row that stands beside kept text and may be content."""
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
    if terms.is_between:
        belongs &= kept[np.minimum(last + 1 + NEAR, len(keep))] > kept[last + 1]
    words = view.words[inside]
    total = np.bincount(number, words, len(rows))
    expected = np.bincount(number, words * probability[inside], len(rows))
    belongs &= expected >= terms.min_share * np.maximum(total, 1)
    keep[inside] |= belongs[number]
