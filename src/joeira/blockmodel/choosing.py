"""From probabilities to a choice: the set with the best expected F measure.

Text that a page shows more than once: one copy is enough.

Pages repeat themselves for reasons that have nothing to do with what they say: a menu for small
screens and one for large ones, slides that turn in a circle, a notice under every item, a quoted
post under each answer.

Tables of data and listings are kept whole, or at least the rows: with holes they mislead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.arrays.trees import enclosing
from joeira.blockmodel.columns import Matrix
from joeira.blockmodel.view import BlockView
from joeira.page import tags
from joeira.page.tables import data_tables


def best_expected_f(
    probability: Floats, size: Floats, beta: float = 1.0
) -> tuple[NDArray[np.bool_], float]:
    """Return the items that maximise the expected F measure, and that measure.

    Items are taken in order of probability; the F of a prefix weighs `size` (words). With `beta`
    above 1 recall counts more, below 1 precision.
    """
    keep = np.zeros(len(probability), bool)
    if not len(probability):
        return keep, 0.0
    order = (-probability).argsort(kind="stable")
    expected = (probability * size).take(order).cumsum()
    taken = size.take(order).cumsum()
    weight = beta * beta
    f = (1 + weight) * expected / np.maximum(taken + weight * expected[-1], 1e-9)
    best = int(f.argmax())
    # Where nothing is expected no choice is better than none.
    keep[order[: best + 1]] = f[best] > 0
    return keep, float(f[best])


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
