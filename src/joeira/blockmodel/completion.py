"""What is kept whole: rows of tables, tables of data, listings and formulas.

With holes they mislead, and their words tell the model little.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.arrays import Bools, Floats, Ints
from joeira.arrays.trees import enclosing, outermost
from joeira.blockmodel.view import BlockView
from joeira.page import Page, tags
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
FORMULA = Terms(0.0, is_between=False)
"""Signs of formulas, each of them a block of its own, tell the model nothing."""


def complete(view: BlockView, keep: Bools, probability: Floats) -> None:
    """Keep the whole of table rows, tables, listings and formulas that belong to what is kept."""
    count = view.page.tag_counts
    is_drawn = count[_MATH] or _DRAWN in view.page.foreign_names
    some = count[_TABLE] or count[_PRE] or count[_CODE] or is_drawn
    if not some or not np.count_nonzero(keep):
        return
    if count[_TABLE]:
        tables = data_tables(view.page)
        if len(tables):
            _complete_rows(view, tables, keep)
            _complete_parts(view, tables, keep, probability, TABLE)
    if count[_PRE] or count[_CODE]:
        listings = _listings(view.page)
        if len(listings):
            _complete_parts(view, listings, keep, probability, LISTING)
    if is_drawn:
        _complete_parts(view, _formulas(view.page), keep, probability, FORMULA)


_TABLE, _PRE, _CODE, _MATH = map(tags.number, ("table", "pre", "code", "math"))
_LINE, _BUTTON = map(tags.number, ("tr", "button"))
_DRAWN = "mjx-container"


def _listings(page: Page) -> Ints:
    """Return the rows of preformatted text, and of blocks of code that are shown like it."""
    rows: Ints = page.rows_of("pre").astype(np.int64)
    codes = page.rows_of("code")
    if not len(codes) or (len(rows) and (enclosing(rows, page.end, codes) >= 0).all()):
        return rows
    from joeira.render.listings import listings  # few pages need it

    joined = listings(page).values()
    more = sorted({*rows.tolist(), *chain.from_iterable(joined)})
    if not more:  # code within lines, as most is
        return rows
    alone: Ints = outermost(np.array(more, np.int64), page.end).astype(np.int64, copy=False)
    return alone


def _formulas(page: Page) -> Ints:
    """Return the rows of the formulas that are drawn with many elements."""
    rows = page.rows_of("math")
    if _DRAWN in page.foreign_names:
        rows = np.union1d(rows, page.rows_of(_DRAWN))
    return outermost(rows, page.end).astype(np.int64)


def _texts(view: BlockView) -> tuple[NDArray[np.int32], Floats]:
    """Return, per block, the row of its first text, and its words."""
    return view.page.text_rows.take(view.text_bounds[0]), view.words


def _complete_rows(view: BlockView, tables: Ints, keep: Bools) -> None:
    """Keep the whole of a table row of which most is kept."""
    if native_available:
        view.choosing.complete_rows(tables, _LINE, keep, WHOLE_ROW_SHARE)
        return
    page = view.page
    rows = (page.tag == _LINE).nonzero()[0]
    rows = rows[enclosing(tables, page.end, rows) >= 0]
    begins, words = _texts(view)
    row = enclosing(rows, page.end, begins.astype(np.int64))
    inside = np.flatnonzero(row >= 0)
    number = np.searchsorted(rows, row[inside])
    words = words[inside]
    total = np.bincount(number, words, len(rows))
    kept = np.bincount(number, words * keep[inside], len(rows))
    keep[inside] |= (kept >= WHOLE_ROW_SHARE * np.maximum(total, 1))[number]


def _complete_parts(
    view: BlockView,
    rows: Ints,
    keep: Bools,
    probability: Floats,
    terms: Terms,
) -> None:
    """Keep all below a row that stands beside kept text and may be content."""
    if native_available:
        view.choosing.complete_parts(rows, keep, probability, _BUTTON, (*terms, NEAR))
        return
    begins, words = _texts(view)
    part = enclosing(rows, view.page.end, begins.astype(np.int64))
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
    words = words[inside]
    total = np.bincount(number, words, len(rows))
    expected = np.bincount(number, words * probability[inside], len(rows))
    belongs &= expected >= terms.min_share * np.maximum(total, 1)
    keep[inside] |= belongs[number]
