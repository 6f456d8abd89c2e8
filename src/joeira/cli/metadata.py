"""``joeira metadata``: what a page says about itself, and where it says so."""

from __future__ import annotations

import dataclasses
import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joeira import catalog
from joeira.cli import inputs, options, writing
from joeira.cli.ending import ExitCode, printable, say
from joeira.cli.inputs import Reader
from joeira.errors import UsageError

if TYPE_CHECKING:
    from joeira.metadata import Metadata
    from joeira.metadata.claims import Value

EXAMPLES = options.examples(
    "joeira metadata page.html",
    "joeira metadata https://example.org/a --to json --candidates",
)


class Format(StrEnum):
    """How metadata is written."""

    TABLE = "table"
    JSON = "json"


def metadata(
    *,
    page: Annotated[
        str, typer.Argument(metavar="PAGE", help="File, http(s) address, or - for stdin.")
    ],
    to: Annotated[
        Format | None,
        typer.Option("--to", help="Output: table on a terminal, json elsewhere, unless told."),
    ] = None,
    candidates: Annotated[
        bool,
        typer.Option("--candidates", help="Show every value considered, its source and XPath."),
    ] = False,
    method: options.Method = catalog.DEFAULT_CONTENT,
    settings: options.Settings = None,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Show title, author, date, language and the like of a page, and where each comes from."""
    from joeira import api
    from joeira.page import parse

    sources = inputs.expand([page])
    if len(sources) != 1:
        message = "metadata is read of one page at a time"
        raise UsageError(message)
    extractor = catalog.build(method, options.read_settings(settings), "content")
    document = Reader(max_bytes, timeout, allow_private, url).read(sources[0])
    table = parse(document.html, document.url, max_bytes=max_bytes)
    found = api.extract(table, extractor).metadata
    form = to or (Format.TABLE if writing.is_terminal() else Format.JSON)
    if form == Format.JSON:
        data = {"source": sources[0].name, **found.to_dict()}
        if candidates:
            data["candidates"] = _candidates(found)
        writing.to_stdout(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
    else:
        _show(found, candidates)
    if not len(table.texts) and not found.title:
        say(f"{page}: the page has no text")
        raise typer.Exit(ExitCode.NOTHING_FOUND)


def _candidates(found: Metadata) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [dataclasses.asdict(candidate) for candidate in found.candidates(name)]
        for name in found.sourced_fields
    }


def _show(found: Metadata, candidates: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    columns = ["field", "value", *(["source", "xpath", "confidence"] if candidates else [])]
    table = Table(*columns)
    for name, value in found.to_dict().items():
        if candidates and name in found.sourced_fields:
            for number, rival in enumerate(found.candidates(name)):
                place = f"{rival.source} {rival.key}"
                cells = [_plain(rival.value), place, rival.xpath or "", f"{rival.confidence:.2f}"]
                table.add_row(*(Text(printable(c)) for c in ("" if number else name, *cells)))
        elif value:
            rest = [""] * (len(columns) - 2)
            table.add_row(*(Text(printable(cell)) for cell in (name, _plain(value), *rest)))
    writing.show(table)


def _plain(value: Value | int | list[str]) -> str:
    return "; ".join(value) if isinstance(value, tuple | list) else str(value)
