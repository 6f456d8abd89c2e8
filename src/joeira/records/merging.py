"""Lists across several pages as one table, and the links from records to their own pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.errors import UsageError
from joeira.page import addresses
from joeira.records.page_links import host_of
from joeira.records.result import Cell, Column, Fields, Record, RecordTable
from joeira.records.wrapper import WrappedTable


@dataclass(frozen=True, eq=False)
class MergedTable(WrappedTable):
    """A list spread over several pages, as one table; each cell knows its page."""

    kept: tuple[Record, ...] = field(kw_only=True, repr=False)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records in the order of the pages, without duplicates."""
        return self.kept


def merge_tables(tables: Sequence[RecordTable], key: str | None = None) -> RecordTable:
    """Return the records of several tables as one table without duplicates.

    The columns are those of all tables, by name. Of records with the same key, the first is kept.

    Args:
        tables: At least one table.
        key: Name of the column that identifies records. The default is the link to the page of a
            record or, if there is none, the whole record.
    """
    if not tables:
        raise UsageError("there are no tables to merge")
    columns = list({str(c): c for table in reversed(tables) for c in reversed(table.columns)}
                   .values())[::-1]  # fmt: skip
    names = [str(column) for column in columns]
    if key is not None and key not in names:
        raise UsageError(f"no column {key!r} to identify records; columns: {', '.join(names)}")
    seen: set[object] = set()
    records: list[Record] = []
    lines: list[list[Cell | None]] = []
    parts: list[NDArray[np.integer[Any]]] = []
    for table in tables:
        place = {str(column): number for number, column in enumerate(table.columns)}
        telling = key if key is not None else detail_links(table).name
        bounds = np.searchsorted(table.record_of, np.arange(len(table) + 1)).tolist()
        for number, (record, cells) in enumerate(zip(table.records, table.cells, strict=True)):
            line = [cells[place[name]] if name in place else None for name in names]
            cell = cells[place[telling]] if telling in place else None
            same: object = cell.value if cell else tuple(c.value if c else None for c in line)
            if same not in seen:
                seen.add(same)
                records.append(record)
                lines.append(line)
                parts.append(table.slices[bounds[number] : bounds[number + 1]])
    first = tables[0]
    cells_of = tuple(zip(*lines, strict=True)) if lines else tuple(() for _ in columns)
    fields = Fields(tuple(columns), cells_of, first.record_css, first.record_xpath)
    return MergedTable(
        first.page,
        first.region,
        np.concatenate(parts) if parts else first.slices[:0],
        np.repeat(np.arange(len(parts)), [len(part) for part in parts]),
        min(table.score for table in tables),
        f"{len(records)} records of {len(tables)} tables",
        given=fields,
        kept=tuple(records),
    )


class DetailLinks(tuple[str | None, ...]):
    """The links of a table's records: one address or None for each; empty without a column."""

    column: Column | None = None

    @property
    def name(self) -> str:
        """Name of the column; '' if there is none."""
        return "" if self.column is None else str(self.column)


def detail_links(table: RecordTable) -> DetailLinks:
    """Return the column of links that lead to the page of each record."""
    base = host_of(addresses.own_address(table.page) or "")
    best, best_score = None, _LEAST_LINK_SCORE
    for number, column in enumerate(table.columns):
        cells = [cell for cell in table.fields.cells[number] if cell is not None]
        if column.kind != "link" or not cells:
            continue
        urls = {cell.url for cell in cells if cell.url}
        inner = sum(host_of(url) in ("", base) for url in urls) / len(urls) if base else 1.0
        words = sum(len(cell.text) for cell in cells) / len(cells)
        score = len(urls) / len(table) + 0.3 * inner + 0.2 * min(words / 20, 1.0)
        if score > best_score:
            best, best_score = number, score
    if best is None:
        return DetailLinks()
    links = DetailLinks(cell.url if cell else None for cell in table.fields.cells[best])
    links.column = table.columns[best]
    return links


_LEAST_LINK_SCORE = 0.7
