"""A table of records as dictionaries, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

Row = Sequence[str | None]

_FORMULA = re.compile(r"[=+\-@\t\r]")
_PLAIN_NUMBER = re.compile(r"[-+]?[\d.,]+\s?%?")
_MARKUP = str.maketrans({"\\": "\\\\", "|": "\\|", "<": "&lt;", "\n": " ", "\r": " "})


def to_dicts(columns: Sequence[str], rows: Iterable[Row]) -> list[dict[str, str | None]]:
    """Return one dictionary per record."""
    names = [str(column) for column in columns]
    return [dict(zip(names, row, strict=True)) for row in rows]


def to_csv(
    columns: Sequence[str], rows: Iterable[Row], *, safe: bool = False, header: bool = True
) -> str:
    """Return CSV; missing values are empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    lines: Iterable[Row] = [columns, *rows] if header else rows
    if safe:
        lines = ([_harmless(value) for value in line] for line in lines)
    writer.writerows(lines)
    return buffer.getvalue()


def to_markdown(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a Markdown table; '' without columns."""
    if not columns:
        return ""
    lines: list[Row] = [columns, ["---"] * len(columns), *rows]
    return "".join(
        f"| {' | '.join((value or '').translate(_MARKUP) for value in line)} |\n" for line in lines
    )


def _harmless(value: str | None) -> str | None:
    """Return a value that no spreadsheet runs as a formula."""
    if value and _FORMULA.match(value) and not _PLAIN_NUMBER.fullmatch(value):
        return f"'{value}"
    return value
