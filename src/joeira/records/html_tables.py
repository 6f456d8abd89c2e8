"""HTML tables: the rows of each data table are records.

Steps: find the tables whose rows and columns mean something; leave out the lines that name the
columns; every other line is a record. Larger tables come first.

No paper: this is what a table says of itself. Tables that lay out the page are left out as
`joeira.page.tables` tells them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from joeira.page import Page
from joeira.papers import Paper
from joeira.params import check, param
from joeira.records.fields.grid import TableGrid, table_grids
from joeira.records.result import Records, RecordTable


@dataclass(frozen=True)
class HTMLTables:
    """Return the rows of data tables, with columns named by their header."""

    min_records: int = param(2, "Minimum number of records in a table.", ge=1)
    papers: ClassVar[tuple[Paper, ...]] = ()

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Records:
        """Return the tables of data, those with most cells first."""
        tables = [_records(grid) for grid in table_grids(page)]
        tables = [table for table in tables if len(table) >= self.min_records]
        note = "" if tables else "the page has no table of data"
        return Records(page, tuple(sorted(tables, key=lambda table: -table.score)), "tables", note)


def _records(grid: TableGrid) -> RecordTable:
    lines = np.array(grid.body, np.int64)
    cells = grid.cells[grid.header_lines :]
    full = (cells >= 0).any(axis=1)
    lines = lines[full]
    header = "its header names the columns" if grid.header_lines else "it has no header"
    return RecordTable(
        grid.page,
        grid.page.region(grid.table),
        np.stack((lines, grid.page.end[lines]), axis=1),
        np.arange(len(lines)),
        float((cells >= 0).sum()),
        f"a table of {len(lines)} rows; {header}",
    )
