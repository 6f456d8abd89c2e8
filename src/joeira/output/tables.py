"""Which tables hold data, and which only lay out the page.

Rows and columns mean something in a table of data; in a layout table a cell is a part of the page
with paragraphs, headings and tables of its own, and writing it on one line would ruin it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.trees import enclosing
from joeira.page import Page, tags

MAX_CELL_CHARS = 1000
"""A longer cell with more than one paragraph is a part of the page, not a value."""

_CELL = tags.table("td th")
_NEVER_IN_DATA = tags.table(
    "table h1 h2 h3 h4 h5 h6 pre listing xmp plaintext article section main nav aside form"
)


def data_tables(page: Page) -> NDArray[np.int64]:
    """Return the rows of the tables whose rows and columns mean something.

    A table lays out the page when it has one cell, when it holds another table, a heading, code or
    a section, or when one of its cells holds paragraphs of more than `MAX_CELL_CHARS` characters.
    """
    rows: NDArray[np.int64] = (page.tag == tags.NUMBER["table"]).nonzero()[0]
    if not len(rows):
        return rows
    end = page.end
    cells = _CELL.take(page.known_tag).nonzero()[0]
    of_cell = enclosing(rows, end, cells)
    inner = _NEVER_IN_DATA.take(page.known_tag).nonzero()[0]
    foreign = inner.searchsorted(end[rows]) - inner.searchsorted(rows, "right")
    single = np.bincount(rows.searchsorted(of_cell[of_cell >= 0]), minlength=len(rows)) < 2
    layout = (foreign > 0) | single
    long = _long_cells(page, cells)
    layout[rows.searchsorted(of_cell[long & (of_cell >= 0)])] = True
    return rows[~layout]


def _long_cells(page: Page, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
    total = np.concatenate(([0], np.cumsum(page.text_chars)))
    first, stop = page.text_index[cells], page.text_index[page.end[cells]]
    starts = page.block_bounds[1]
    blocks = starts.searchsorted(stop) - starts.searchsorted(first)
    long: NDArray[np.bool_] = (total[stop] - total[first] > MAX_CELL_CHARS) & (blocks > 1)
    return long
