"""Tables: which of them contain data, what their cells span, and their cells as a grid.

Rows and columns mean something in a table of data; in a layout table a cell is a part of the page
with paragraphs, headings and tables of its own, and writing it on one line would ruin it. Of lists,
which numbers readers see.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import cached_if_short
from joeira._native import native_available
from joeira.arrays.trees import enclosing
from joeira.page import Page, tags

if native_available:
    from joeira._native import tables as kernels

MAX_COLUMN_SPAN: Final = 1000
"""What browsers allow."""
MAX_LIST_START: Final = 999_999_999
"""What Markdown allows."""


def column_spans(page: Page, needed: NDArray[np.bool_]) -> dict[int, int]:
    """Return the columns that each cell with a ``colspan`` covers."""
    if not (_CELL[page.known_tag] & needed).any():
        return {}
    spans = page.attributes.read("td[colspan],th[colspan]", ["colspan"])
    return {row: max(whole(value, MAX_COLUMN_SPAN), 1) for row, (value,) in spans}


def needed_rows(page: Page, leaves: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows hold something that is written, and the cells beside those that do."""
    total = np.concatenate(([0], np.cumsum(leaves)))
    needed: NDArray[np.bool_] = total[page.end] > total[:-1]
    needed[1:] |= _CELL[page.known_tag[1:]] & needed[page.parent[1:]]
    return needed


def row_spans(page: Page, needed: NDArray[np.bool_]) -> dict[int, int]:
    """Return the rows that each cell with a ``rowspan`` covers, counting only rows written."""
    if not (_CELL[page.known_tag] & needed).any():
        return {}
    cells = [row for row in page.attributes.select("td[rowspan],th[rowspan]") if needed[row]]
    if not cells:
        return {}
    lines = page.rows_of("tr")
    order = np.lexsort((lines, page.parent[lines]))
    lines = lines[order]
    place = {row: number for number, row in enumerate(lines.tolist())}
    group_end = np.searchsorted(page.parent[lines], page.parent[lines], "right")
    count = np.concatenate(([0], np.cumsum(needed[lines])))
    spans = {}
    for cell in cells:
        number = place.get(int(page.parent[cell]))
        if number is not None:
            stop = int(group_end[number])
            span = whole(page.attributes.get(cell, "rowspan"), stop - number)
            stop = min(number + span, stop) if span else stop
            spans[cell] = max(int(count[stop] - count[number]), 1)
    return spans


def whole(value: str | None, most: int) -> int:
    """Return a number written in an attribute, at most `most`; 1 when it is none."""
    match = re.match(r"\s*\+?([0-9]+)", value or "")
    if not match:
        return 1
    digits = match[1].lstrip("0")
    return most if len(digits) > 9 else min(int(digits or "0"), most)


MAX_FILL = 4
"""Empty cells added for each cell of the page, at most: a span is a number anybody can write."""
FREE_FILL = 2000
"""Empty cells that any table may add."""


class Grid:
    """Collects the cells of one table, row by row."""

    def __init__(self) -> None:
        """Start with no rows."""
        self.rows: list[list[str]] = []
        self.caption = ""
        self._cells = 0
        self._filled = 0
        self._reserved: dict[int, int] = {}

    def start_row(self) -> None:
        """Begin a row."""
        self._fill_to_end()
        self.rows.append([])

    def add(self, cell: str, columns: int, rows: int) -> None:
        """Add a cell that covers so many columns and rows; the text stands in the first of them."""
        row = self.rows[-1]
        self._cells += 1
        self._fill_reserved(row)
        column = len(row)
        row.append(cell)
        room = FREE_FILL + MAX_FILL * self._cells - self._filled
        if columns * rows - 1 > room:
            columns = rows = 1
        self._filled += columns * rows - 1
        row.extend([_EMPTY] * (columns - 1))
        if rows > 1:
            self._reserved.update((column + extra, rows - 1) for extra in range(columns))

    def padded(self) -> list[list[str]] | None:
        """Return rows of equal length, or None: too ragged, so the columns mean nothing."""
        self._fill_to_end()
        width = max(map(len, self.rows), default=0)
        if width * len(self.rows) > FREE_FILL + 2 * MAX_FILL * self._cells:
            return None
        return [row + [_EMPTY] * (width - len(row)) for row in self.rows]

    def _fill_reserved(self, row: list[str]) -> None:
        while self._reserved.get(len(row), 0) > 0:
            self._reserved[len(row)] -= 1
            row.append(_EMPTY)

    def _fill_to_end(self) -> None:
        """Give the row its part of the spans that reach beyond its last cell."""
        if not self.rows or not self._reserved:
            return
        row = self.rows[-1]
        last = max((column for column, left in self._reserved.items() if left > 0), default=-1)
        while len(row) <= last:
            self._fill_reserved(row)
            if len(row) <= last:
                row.append(_EMPTY)
        self._reserved = {column: left for column, left in self._reserved.items() if left > 0}


_EMPTY = ""


MAX_CELL_CHARS = 1000
"""A longer cell with more than one paragraph is a part of the page, not a value."""

TINY = re.compile(r"\s*[01](?:px)?\s*")
"""The width or height of a counting pixel."""
_SIZES = ("width", "height")
_MAX_IMAGES = 20
_CELL = tags.table("td th")
_TABLE = tags.NUMBER["table"]
_NEVER_IN_DATA = tags.table(
    "table h1 h2 h3 h4 h5 h6 pre listing xmp plaintext article section main nav aside form"
)


def data_tables(page: Page) -> NDArray[np.int64]:
    """Return the rows of the tables whose rows and columns mean something.

    A table lays out the page when it has one cell or only one that shows something, when it holds
    another table, a heading, lines of code or a section, or when one of its cells holds paragraphs
    of more than `MAX_CELL_CHARS` characters.
    """
    if not page.tag_counts[_TABLE]:
        return _NO_TABLES
    found: Found = page._data_tables
    return found.rows


@dataclass(eq=False)
class Found:
    """What has been found so far of the tables of data of one page."""

    rows: NDArray[np.int64]
    with_cells: DataTables | None = None

    @classmethod
    def of(cls, page: Page) -> Found:
        """Find the tables; there is at least one, of data or not."""
        rows, layout, values = (_quick_layouts if native_available else _layouts)(page)
        for number in ((values == 1) & ~layout).nonzero()[0].tolist():
            layout[number] = not _shows_image(page, int(rows[number]))
        rows = rows[~layout]
        rows.setflags(write=False)
        return cls(rows)


_NO_TABLES: Final = np.zeros(0, np.int64)
_NO_TABLES.setflags(write=False)


_Layouts = tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]
"""Rows of tables, which of them lay out the page, and how many of their cells have texts."""


def _layouts(page: Page) -> _Layouts:
    end = page.end
    rows: NDArray[np.int64] = (page.tag == _TABLE).nonzero()[0]
    cells = _CELL.take(page.known_tag).nonzero()[0]
    of_cell = enclosing(rows, end, cells)
    inner = np.setdiff1d(_NEVER_IN_DATA.take(page.known_tag).nonzero()[0], _lines(page))
    foreign = inner.searchsorted(end[rows]) - inner.searchsorted(rows, "right")
    single = np.bincount(rows.searchsorted(of_cell[of_cell >= 0]), minlength=len(rows)) < 2
    layout = (foreign > 0) | single
    long = _long_cells(page, cells)
    layout[rows.searchsorted(of_cell[long & (of_cell >= 0)])] = True
    filled = (page.text_index[end[cells]] > page.text_index[cells]) & (of_cell >= 0)
    values = np.bincount(rows.searchsorted(of_cell[filled]), minlength=len(rows))
    return rows, layout, values


def _quick_layouts(page: Page) -> _Layouts:
    characters = page.characters
    lines = np.array(_lines(page), np.int64)

    def layouts(chars_before: NDArray[np.int64], chars: int) -> tuple[_Layouts, bool]:
        rows = (page.known_tag, page.end, page.text_index)
        texts = (chars_before, chars, page.block_bounds[1])
        tables, layout, values, is_long = kernels.layouts(
            rows, _kinds(), lines, texts, MAX_CELL_CHARS
        )
        return (tables, layout, values), is_long

    # As written, no text is shorter than with its white space collapsed, which takes time.
    found, is_long = layouts(characters.starts, len(characters.codes))
    if is_long:
        chars = page.text_chars.astype(np.int64)
        found, _ = layouts(chars.cumsum() - chars, int(chars.sum()))
    return found


@cache
def _kinds() -> NDArray[np.uint8]:
    """Return, per known tag, what the kernel knows it by."""
    flags = (tags.table("table"), _CELL, _NEVER_IN_DATA)
    return sum((flag * np.uint8(1 << bit) for bit, flag in enumerate(flags)), np.uint8(0) * _CELL)


def _shows_image(page: Page, table: int) -> bool:
    """Return whether a table holds an image that is more than a spacer."""
    images = np.flatnonzero(page.tag[table : page.end[table]] == tags.NUMBER["img"]) + table
    return any(
        not any(TINY.fullmatch(page.attributes.get(row, size) or "") for size in _SIZES)
        for row in images[:_MAX_IMAGES].tolist()
    )


def _lines(page: Page) -> list[int]:
    """Return preformatted texts of one line, which a cell can hold."""
    return [row for row in tags.preformatted(page).tolist() if _is_line(page, row)]


def _is_line(page: Page, row: int) -> bool:
    first, stop = int(page.text_index[row]), int(page.text_index[page.end[row]])
    return stop - first == 1 and "\n" not in page.text(first).strip()


def _long_cells(page: Page, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
    total = np.concatenate(([0], np.cumsum(page.text_chars)))
    first, stop = page.text_index[cells], page.text_index[page.end[cells]]
    starts = page.block_bounds[1]
    blocks = starts.searchsorted(stop) - starts.searchsorted(first)
    long: NDArray[np.bool_] = (total[stop] - total[first] > MAX_CELL_CHARS) & (blocks > 1)
    return long


_MAX_ROW_SPAN = 65534


@dataclass(frozen=True, eq=False)
class DataTables:
    """The tables of data of one page: where the lines and cells of each of them are."""

    rows: NDArray[np.int64]
    """Rows of the tables, in page order."""
    lines: NDArray[np.int64]
    """Rows of the ``tr`` elements, table after table."""
    first_line: NDArray[np.intp]
    """Per table: where its lines begin; one more entry for the end of the last."""
    cells: NDArray[np.int64]
    """Rows of all cells of the page that are in a line."""
    spans: dict[int, tuple[int, int]]
    """Columns and rows that a cell covers, if it says so; 0 rows: all that follow."""

    @classmethod
    def of(cls, page: Page) -> DataTables:
        """Find them all at once: a page may have thousands."""
        rows = data_tables(page)
        if not len(rows):
            none = np.zeros(0, np.int64)
            return cls(none, none, np.zeros(1, np.intp), none, {})
        lines = page.rows_of("tr").astype(np.int64)
        of_line = enclosing(rows, page.end, lines)
        order = of_line.argsort(kind="stable")
        first_line = of_line[order].searchsorted(np.append(rows, len(page)))
        cells = np.flatnonzero(_CELL[page.known_tag])
        cells = cells[page.tag[page.parent[cells]] == tags.NUMBER["tr"]]
        selector = "td[colspan],th[colspan],td[rowspan],th[rowspan]"
        spans = {
            row: (max(whole(columns, MAX_COLUMN_SPAN), 1), whole(down, _MAX_ROW_SPAN))
            for row, (columns, down) in page.attributes.read(selector, ("colspan", "rowspan"))
        }
        return cls(rows, lines[order], first_line, cells, spans)

    def table(self, number: int) -> tuple[int, NDArray[np.int64]]:
        """Return the row of a table and the rows of its lines."""
        first, stop = self.first_line[number], self.first_line[number + 1]
        return int(self.rows[number]), self.lines[first:stop]


def data_tables_with_cells(page: Page) -> DataTables:
    """Return the tables of data of a page; it keeps them."""
    if not page.tag_counts[_TABLE]:
        return DataTables.of(page)
    found: Found = page._data_tables
    if found.with_cells is None:
        found.with_cells = DataTables.of(page)
    return found.with_cells


# Lists --------------------------------------------------------------------------------------------

_UNCOUNTED: Final = re.compile(
    r"comment|thread|post|repl(?:y|ies)|review|breadcrumb|un-?styled|no-?style|list-(?:style-)?none",
    re.IGNORECASE,
)
"""Classes of numbered lists whose numbers nobody sees."""


def is_counted(page: Page, row: int) -> bool:
    """Return whether readers see the numbers of a numbered list."""
    numbers, names = page.classes
    return not _is_uncounted(names[numbers[row]])


@cached_if_short(entries=1 << 12, longest=100)  # pages of a site share their names
def _is_uncounted(name: str) -> bool:
    return _UNCOUNTED.search(name) is not None


def first_number(page: Page, row: int) -> int:
    """Return the number of the first item of a list."""
    return whole(page.attributes.get(row, "start"), MAX_LIST_START)
