"""Data tables as grids of cells, and records that are rows of one: the header names columns.

A cell that covers several columns or rows is in all of them, as in pandas. How far a span may reach
is limited as in `joeira.page.tables`, since anybody can write any number into one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.trees import enclosing
from joeira.page import Page, addresses, tags
from joeira.page.tables import FREE_FILL, MAX_FILL, data_tables_with_cells
from joeira.records.fields import naming
from joeira.records.fields.kinds import kind_of
from joeira.records.result import Cell, Column, Fields

_TH = tags.NUMBER["th"]
_BOLD = tags.table("b strong")
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
        names = []
        for column in self.cells[: self.header_lines].T.tolist():
            distinct = dict.fromkeys(cell for cell in column if cell >= 0)
            words = dict.fromkeys(self.page.text_of(cell) for cell in distinct)
            names.append(" ".join(filter(None, words)))
        return names


def table_grids(page: Page) -> list[TableGrid]:
    """Return the tables of a page whose rows and columns mean something, in page order."""
    return [_grid(page, number) for number in range(len(data_tables_with_cells(page).rows))]


def grid_of(page: Page, lines: NDArray[np.int64]) -> TableGrid | None:
    """Return the table of data that all of these lines (``tr``) belong to, if there is one."""
    first, *others = np.unique(enclosing(page.rows_of("table"), page.end, lines)).tolist()
    tables = data_tables_with_cells(page).rows
    number = int(tables.searchsorted(first))
    if others or number == len(tables) or tables[number] != first:
        return None
    return _grid(page, number)


def _grid(page: Page, number: int) -> TableGrid:
    tables = data_tables_with_cells(page)
    table, lines = tables.table(number)
    cells, spans = tables.cells, tables.spans
    first, last = np.searchsorted(cells, (table, page.end[table]))
    own = cells[first:last]
    bounds = np.searchsorted(own, np.append(lines, page.end[table])).tolist()
    budget = FREE_FILL + MAX_FILL * len(own)
    filled: list[list[int]] = []
    hanging: dict[int, tuple[int, int]] = {}  # column -> cell from above, lines it still covers
    for place, (start, stop) in enumerate(pairwise(bounds)):
        line: list[int] = []
        begun = {}
        for cell in own[start:stop].tolist():
            while len(line) in hanging:
                line.append(hanging[len(line)][0])
            columns, rows = spans.get(cell, (1, 1))
            rows = min(rows or len(lines), len(lines) - place)
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
    for place, line in enumerate(filled):
        grid[place, : len(line)] = line[:width]
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


_MAX_NAME_CHARS = 80
_PLAIN_SHARE = 0.9

Draft = tuple[Column, list[Cell | None]]


def is_plain(grid: TableGrid, *, with_classes: bool) -> bool:
    """Return whether each cell is one value: there is a header, or cells have one block each.

    Args:
        grid: A table.
        with_classes: Whether cells without header may have classes, which name them else.
    """
    if grid.header_lines:
        return True
    page = grid.page
    cells = np.unique(grid.cells[grid.cells >= 0])
    numbers, classes = page.classes
    if not with_classes and any(classes[number] for number in np.unique(numbers[cells]).tolist()):
        return False
    starts = page.block_bounds[1]
    first, stop = page.text_index[cells], page.text_index[page.end[cells]]
    blocks = np.searchsorted(starts, stop) - np.searchsorted(starts, first)
    return len(cells) > 0 and bool((blocks <= 1).mean() > _PLAIN_SHARE)


def read_grid(grid: TableGrid, lines: NDArray[np.integer[Any]]) -> Fields:
    """Return the columns and cells of some lines of a table."""
    chosen = grid.cells[np.searchsorted(np.array(grid.lines), lines)]
    base = addresses.base_of(grid.page)
    drafts: list[Draft] = []
    for number, (name, cells) in enumerate(zip(grid.names(), chosen.T.tolist(), strict=True), 1):
        named = Column(
            name[:_MAX_NAME_CHARS] or f"column_{number}",
            source="header" if name else "place",
            **_selectors(grid.page, cells),
        )
        drafts.extend(_columns(grid.page, named, cells, base))
    names = naming.unique([column for column, _ in drafts])
    columns = tuple(
        Column(name, column.kind, column.source, column.css, column.xpath)
        for name, (column, _) in zip(names, drafts, strict=True)
    )
    return Fields(columns, tuple(cells for _, cells in drafts))


def _selectors(page: Page, cells: Sequence[int]) -> dict[str, str]:
    """Return selectors for cells that are at one place in all lines, where no span moves them."""
    places = {int(page.element_places[cell]) for cell in cells if cell >= 0}
    if len(places) != 1 or len(set(cells)) < len(cells):
        return {}
    (place,) = places
    return {"css": f":scope > :nth-child({place})", "xpath": f"./*[{place}]"}


def _columns(page: Page, named: Column, cells: Sequence[int], base: str | None) -> Iterator[Draft]:
    """Yield the texts of a column, and the addresses in it; nothing where it is empty."""
    index = page.text_index
    texts = [
        page.joined(int(index[cell]), int(index[page.end[cell]])) if cell >= 0 else ""
        for cell in cells
    ]
    stem = str(named)
    if any(texts):
        kind = kind_of(texts)
        column = Column(stem, kind, named.source, named.css, named.xpath)
        yield (
            column,
            [
                Cell(text, None, cell, page) if text else None
                for text, cell in zip(texts, cells, strict=True)
            ],
        )
        stem = f"{stem}_url"
    for tag, attribute, kind in (("img", "src", "image"), ("a", "href", "link")):
        if kind == "image" and any(texts):
            continue  # a flag, or an icon beside the value
        within, most = _within(page, tag, cells)
        urls = [_address(page, row, kind, base) for row in within]
        if any(urls):
            # A selector would find also those of cells that have several.
            alone = named.css is not None and most == 1
            css = f"{named.css} {tag}::attr({attribute})" if alone else None
            xpath = f"{named.xpath}//{tag}/@{attribute}" if alone else None
            yield (
                Column(stem, kind, kind, css, xpath),
                [
                    Cell(text, url, row, page) if url else None
                    for text, url, row in zip(texts, urls, within, strict=True)
                ],
            )
            stem = f"{named}_url"


def _within(page: Page, tag: str, cells: Sequence[int]) -> tuple[list[int], int]:
    """Return the row of the one element of a kind in each cell, and the most that one cell has.

    The row is -1 where there is none, or several.
    """
    rows = page.rows_of(tag)
    start = np.array(cells, np.int64)
    first = np.searchsorted(rows, start)
    count = np.where(start >= 0, np.searchsorted(rows, page.end[start]) - first, 0)
    places = np.where(count == 1, np.append(rows, -1)[np.minimum(first, len(rows))], -1)
    return places.tolist(), int(count.max(initial=0))


def _address(page: Page, row: int, kind: str, base: str | None) -> str | None:
    if row < 0:
        return None
    if kind == "image":
        return addresses.image_address(page.attributes.of(row), base)
    target = page.attributes.get(row, "href") or ""
    return None if target.startswith("#") else addresses.clean(target, base, addresses.LINK_SCHEMES)
