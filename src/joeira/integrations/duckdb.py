"""For DuckDB: SQL functions for columns that contain HTML.

::

    register(connection)
    connection.sql("SELECT url, joeira_text(html), joeira_extract(html).title FROM pages")
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from joeira import api
from joeira.batch import Job
from joeira.batch.rows import Capture
from joeira.integrations import missing
from joeira.integrations.frames import COLUMNS
from joeira.page import parse

try:
    import duckdb
except ImportError as error:
    raise missing(error, "duckdb") from None


def register(connection: duckdb.DuckDBPyConnection, job: Job | None = None) -> None:
    """Register the functions with a connection.

    ``joeira_text`` and ``joeira_markdown`` return the main content of a page, NULL where it has
    none; ``joeira_extract`` a struct with text, metadata, status and reason; ``joeira_records``
    the tables of a page as JSON.
    """
    job = job or Job()

    def extract(html: str) -> dict[str, str | None]:
        record = Capture("", None, html)
        row = job.row(record, job.fields(record)).to_dict()
        return {name: row[name] for name in COLUMNS}

    def text(html: str) -> str | None:
        return api.extract(html, visible_only=job.visible_only).text() or None

    def markdown(html: str) -> str | None:
        return api.extract(html, visible_only=job.visible_only).markdown() or None

    def records(html: str) -> str:
        tables = [table.to_dict() for table in api.find_records(parse(html))]
        return json.dumps(tables, ensure_ascii=False)

    string = duckdb.sqltype("VARCHAR")
    struct = duckdb.struct_type(dict.fromkeys(COLUMNS, string))
    functions: dict[str, tuple[Callable[[str], Any], Any]] = {
        "joeira_text": (text, string),
        "joeira_markdown": (markdown, string),
        "joeira_extract": (extract, struct),
        "joeira_records": (records, string),
    }
    for name, (function, kind) in functions.items():
        # Else a function may not return NULL.
        connection.create_function(
            name, _null_for_null(function), [string], kind, null_handling="special"
        )


def _null_for_null(function: Callable[[str], Any]) -> Callable[[str | None], Any]:
    return lambda html: None if html is None else function(html)
