"""A table as a plain grid: spans resolved into empty cells, every row of the same length."""

from __future__ import annotations

from itertools import chain

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

    def html(self) -> str:
        """Return the table as HTML whose cells all cover one column and one row."""
        self._fill_to_end()
        width = max(map(len, self.rows), default=0)
        rows = self.rows
        if width * len(rows) > FREE_FILL + 2 * MAX_FILL * self._cells:
            # Too ragged for a grid: the columns mean nothing, so the cells follow one another.
            return "".join(
                f"<p>{cell[4:-5]}</p>" for cell in chain.from_iterable(rows) if cell != _EMPTY
            )
        body = "".join(f"<tr>{''.join(row)}{_EMPTY * (width - len(row))}</tr>" for row in rows)
        return f"<table>{body}</table>"

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


_EMPTY = "<td></td>"
