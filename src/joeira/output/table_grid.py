"""Tables of data as grids of cells: spans resolved, header told from body.

A cell that covers several columns or rows is in all of them, as in pandas. How far a span may reach
is limited as in `joeira.page.tables`, since anybody can write any number into one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.trees import enclosing
from joeira.output.column_kinds import kind_of
from joeira.page import Page, tags
from joeira.page.tables import FREE_FILL, MAX_FILL, data_tables, whole

_CELL = tags.table("td th")
_TH = tags.NUMBER["th"]
_BOLD = tags.table("b strong")
_MOST_COLUMNS, _MOST_LINES = 1000, 65534
"""What a cell may cover, as browsers have it."""
_LONGEST_NAME = 60
_SAMPLE = 50
"""Lines that are looked at to tell a header from data."""


@dataclass(frozen=True, eq=False)
class TableGrid:
    """One table: page rows of its cells by line and column, -1 where there is none."""

    page: Page
    table: int
    """Row of the table element."""
    lines: Sequence[int]
    """Rows of its ``tr`` elements."""
    cells: NDArray[np.int64]
    header_lines: int
    """Lines at the top that name the columns."""

    @property
    def body(self) -> Sequence[int]:
        """Rows of the lines that hold data."""
        return self.lines[self.header_lines :]

    def names(self) -> list[str]:
        """Return the header of each column; '' where there is none."""
        found = []
        for column in self.cells[: self.header_lines].T.tolist():
            distinct = dict.fromkeys(cell for cell in column if cell >= 0)
            words = dict.fromkeys(self.page.text_of(cell) for cell in distinct)
            found.append(" ".join(filter(None, words)))
        return found


def table_grids(page: Page) -> list[TableGrid]:
    """Return the tables of a page whose rows and columns mean something, in page order."""
    tables = data_tables(page)
    if not len(tables):
        return []
    lines = page.rows_of("tr").astype(np.int64)
    of_line = enclosing(tables, page.end, lines)
    cells = np.flatnonzero(_CELL[page.known_tag])
    cells = cells[page.tag[page.parent[cells]] == tags.NUMBER["tr"]]
    spans = _spans(page)
    return [_grid(page, int(table), lines[of_line == table], cells, spans) for table in tables]


def grid_of(page: Page, lines: NDArray[np.int64]) -> TableGrid | None:
    """Return the table of data that all of these lines belong to; None when there is none."""
    if not len(lines) or (page.tag[lines] != tags.NUMBER["tr"]).any():
        return None
    table = np.unique(enclosing(page.rows_of("table"), page.end, lines))
    grids = [grid for grid in table_grids(page) if len(table) == 1 and grid.table == table[0]]
    return grids[0] if grids else None


def _spans(page: Page) -> dict[int, tuple[int, int]]:
    """Return columns and rows that cells cover, of those that say so; 0 rows: all that follow."""
    selector = "td[colspan],th[colspan],td[rowspan],th[rowspan]"
    found = {}
    for row, (columns, lines) in page.attributes.read(selector, ("colspan", "rowspan")):
        found[row] = (max(whole(columns, _MOST_COLUMNS), 1), whole(lines, _MOST_LINES))
    return found


def _grid(
    page: Page,
    table: int,
    lines: NDArray[np.int64],
    cells: NDArray[np.int64],
    spans: dict[int, tuple[int, int]],
) -> TableGrid:
    first, last = np.searchsorted(cells, (table, page.end[table]))
    own = cells[first:last]
    bounds = np.searchsorted(own, np.append(lines, page.end[table])).tolist()
    budget = FREE_FILL + MAX_FILL * len(own)
    filled: list[list[int]] = []
    hanging: dict[int, tuple[int, int]] = {}  # column -> cell from above, lines it still covers
    for number, (start, stop) in enumerate(pairwise(bounds)):
        line: list[int] = []
        begun = {}
        for cell in own[start:stop].tolist():
            while len(line) in hanging:
                line.append(hanging[len(line)][0])
            columns, rows = spans.get(cell, (1, 1))
            rows = min(rows or len(lines), len(lines) - number)
            if columns * rows - 1 > budget:
                columns = rows = 1
            budget -= columns * rows - 1
            if rows > 1:
                begun.update({len(line) + extra: (cell, rows) for extra in range(columns)})
            line.extend([cell] * columns)
        width = max(hanging, default=-1) + 1
        budget -= max(width - len(line), 0)
        if budget > 0:
            line.extend(hanging.get(column, (-1, 0))[0] for column in range(len(line), width))
        hanging = {
            column: (cell, rows - 1)
            for column, (cell, rows) in (hanging | begun).items()
            if rows > 1 and budget > 0
        }
        filled.append(line)
    width = max(map(len, filled), default=0)
    if width * len(filled) > FREE_FILL + 2 * MAX_FILL * len(own):
        width = int(np.median([len(line) for line in filled]))  # too ragged: the rest means nothing
    grid = np.full((len(filled), width), -1, np.int64)
    for number, line in enumerate(filled):
        grid[number, : len(line)] = line[:width]
    return TableGrid(page, table, lines.tolist(), grid, _header_lines(page, lines, grid))


def _header_lines(page: Page, lines: NDArray[np.int64], grid: NDArray[np.int64]) -> int:
    """Return the number of lines at the top that name the columns; one at least is data.

    Those in ``thead``, or whose cells are all ``th``. Without any of them the first line, if its
    texts are bold, or words above numbers.
    """
    if len(lines) < 2:
        return 0
    there = grid >= 0
    in_head = page.tag[page.parent[lines]] == tags.NUMBER["thead"]
    all_named = ((page.tag[grid] == _TH) | ~there).all(1) & there.any(1)
    named = in_head | all_named
    count = len(lines) if named.all() else int(np.argmin(named))
    if count == 0 and _names_columns(page, grid):
        count = 1
    return min(count, len(lines) - 1)


def _names_columns(page: Page, grid: NDArray[np.int64]) -> bool:
    """Return whether the first line looks like a header."""
    first = [cell for cell in grid[0].tolist() if cell >= 0]
    names = [page.text_of(cell) for cell in first]
    if len(set(names)) < max(len(names), 2) or not all(names):
        return False
    if any(len(name) > _LONGEST_NAME or name[0].isdigit() for name in names):
        return False
    bold = [row for row in range(first[0], int(page.end[first[-1]])) if _BOLD[page.known_tag[row]]]
    of_text = enclosing(np.array(bold, np.int64), page.end, page.text_rows[
        page.text_index[first[0]] : page.text_index[page.end[first[-1]]]
    ])  # fmt: skip
    second = [cell for cell in grid[1].tolist() if cell >= 0]
    if (of_text >= 0).all() and not any(
        _BOLD[page.known_tag[cell + 1 : page.end[cell]]].any() for cell in second
    ):
        return True
    sample = grid[1 : 1 + _SAMPLE].T.tolist()
    kinds = (kind_of(page.text_of(cell) for cell in column if cell >= 0) for column in sample)
    return any(kind in ("number", "price") for kind in kinds)
