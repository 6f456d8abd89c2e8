"""Names of columns: our own, or those of FineWeb."""

from __future__ import annotations

import re
from typing import Any

from joeira.batch.job import Job
from joeira.batch.rows import Row

FINEWEB = (
    "text", "id", "dump", "url", "date", "file_path", "language", "language_score", "token_count",
    "status", "reason", "offset",
)  # fmt: skip
"""FineWeb's columns, then what keeps our promise: a page without text says why."""

_DUMP = re.compile(r"CC-MAIN-\d{4}-\d\d")


def columns_of(schema: str, job: Job) -> tuple[str, ...]:
    """Return the names of the columns."""
    return FINEWEB if schema == "fineweb" else job.columns


def shaped(schema: str, columns: tuple[str, ...], row: Row) -> dict[str, Any]:
    """Return a row with the columns of a schema."""
    values = row.to_dict()
    if schema == "fineweb":
        dump = _DUMP.search(row.source)
        values |= {"dump": dump[0] if dump else None, "file_path": row.source, "date": row.crawled}
    return {name: values.get(name) for name in columns}
