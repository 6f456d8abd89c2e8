"""Columns and cells of records that are lines of a table of data: the header names them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.output import column_names
from joeira.output.column_kinds import kind_of
from joeira.output.fields import Cell, Column, Fields
from joeira.output.table_grid import TableGrid
from joeira.page import Page, addresses

_MAX_NAME_CHARS = 80
_PLAIN_SHARE = 0.9

Draft = tuple[Column, list[Cell | None]]


def is_plain(grid: TableGrid) -> bool:
    """Return whether each cell is one value: there is a header, or cells have one block each."""
    if grid.header_lines:
        return True
    page = grid.page
    cells = np.unique(grid.cells[grid.cells >= 0])
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
    names = column_names.unique([column for column, _ in drafts])
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
    found = np.where(count == 1, np.append(rows, -1)[np.minimum(first, len(rows))], -1)
    return found.tolist(), int(count.max(initial=0))


def _address(page: Page, row: int, kind: str, base: str | None) -> str | None:
    if row < 0:
        return None
    if kind == "image":
        return addresses.image_address(page.attributes.of(row), base)
    target = page.attributes.get(row, "href") or ""
    return None if target.startswith("#") else addresses.clean(target, base, addresses.LINK_SCHEMES)
