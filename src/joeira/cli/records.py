"""What ``joeira records`` writes: all pages as one table, or page after page.

``joeira records``: the data records of pages, as tables.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joeira import catalog
from joeira.cli import inputs, options
from joeira.cli.ending import is_debugging, printable, say, unexpected
from joeira.cli.inputs import Reader, Source
from joeira.cli.writing import drawn, is_terminal
from joeira.errors import JoeiraError, UsageError

if TYPE_CHECKING:
    from joeira.catalog import Extractor
    from joeira.records.result import Records, RecordTable


class Format(StrEnum):
    """What records are written as."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    PARQUET = "parquet"


STREAMS = frozenset({Format.TABLE, Format.JSON, Format.JSONL, Format.MARKDOWN})
"""Formats in which each page stands for itself."""
_SUFFIX = {Format.TABLE: "txt", Format.MARKDOWN: "md"}
_SOURCE, _TABLE = "source", "table"
_LEAST_WIDTH = 12
"""Characters of a terminal that a column needs."""


@dataclass(frozen=True)
class Wanted:
    """What is wanted of each page."""

    form: Format
    top: int | None
    min_records: int
    safe_csv: bool

    @property
    def suffix(self) -> str:
        """Suffix of files."""
        return _SUFFIX.get(self.form, self.form.value)

    @property
    def most(self) -> int | None:
        """Lists of a page: one unless told, since several have different columns."""
        return self.top or (None if self.form == Format.JSON else 1)


@dataclass(frozen=True)
class Found:
    """What was found on one page."""

    source: str
    records: Records
    wanted: Wanted

    @cached_property
    def tables(self) -> list[RecordTable]:
        """The lists that are wanted."""
        enough = [table for table in self.records if len(table) >= self.wanted.min_records]
        return enough[: self.wanted.most]

    def read(self) -> None:
        """Derive the columns now, while the page that may cause trouble is known."""
        for table in self.tables:
            _ = table.columns

    def to_dict(self) -> dict[str, Any]:
        """Return all lists as plain data."""
        return {
            "source": self.source,
            "method": self.records.method,
            "reason": self.records.reason,
            "tables": [table.to_dict() for table in self.tables],
        }

    def rows(self, several: bool) -> list[dict[str, str | None]]:
        """Return the records, with where they come from where there are several places."""
        many = self.wanted.most != 1
        found: list[dict[str, str | None]] = []
        for number, table in enumerate(self.tables, 1):
            where: dict[str, str | None] = {_SOURCE: self.source} if several else {}
            if many:
                where[_TABLE] = str(number)
            # A column of the page with such a name gives way.
            names = [f"{name}_" if name in where else str(name) for name in table.columns]
            found.extend(where | dict(zip(names, row, strict=True)) for row in table.rows())
        return found


def render(found: Sequence[Found], wanted: Wanted, *, several: bool) -> str | bytes:
    """Return what was found on pages, as it is written."""
    if wanted.form == Format.TABLE:
        return "".join(_table(page, several) for page in found)
    if wanted.form == Format.MARKDOWN:
        return "\n".join(_markdown(page, several) for page in found)
    if wanted.form == Format.JSON:
        indent = None if several else 2
        lines = [json.dumps(page.to_dict(), ensure_ascii=False, indent=indent) for page in found]
        return "".join(f"{line}\n" for line in lines)
    rows = [row for page in found for row in page.rows(several)]
    if wanted.form == Format.JSONL:
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    if wanted.form == Format.PARQUET:
        return _parquet(columns, rows)
    from joeira.records.result import to_csv

    values = ([row.get(name) for name in columns] for row in rows)
    return to_csv(columns, values, safe=wanted.safe_csv) if columns else ""


def _markdown(page: Found, several: bool) -> str:
    tables = "\n".join(table.to_markdown() for table in page.tables)
    return f"## {' '.join(page.source.split())}\n\n{tables}" if several else tables


def _table(page: Found, several: bool) -> str:
    """Return the lists of a page as drawn for people; wide ones lose their last columns."""
    from rich.table import Table
    from rich.text import Text

    width = shutil.get_terminal_size().columns if is_terminal() else 120
    drawings: list[Any] = [Text(f"==> {page.source} <==", "bold")] if several else []
    for table in page.tables:
        shown = _shown(table, max(width // _LEAST_WIDTH, 1))
        drawing = Table(pad_edge=False)
        for number in shown:
            drawing.add_column(
                Text(printable(table.columns[number])),
                overflow="ellipsis",
                no_wrap=True,
                min_width=_LEAST_WIDTH - 5,
                max_width=max(2 * width // len(shown) - 3, _LEAST_WIDTH - 5),
            )
        for row in table.rows():
            values = (printable(row[number] or "").replace("\t", " ") for number in shown)
            drawing.add_row(*map(Text, values))
        drawings.append(drawing)
        more = [name for number, name in enumerate(table.columns) if number not in shown]
        hidden = f"; not shown: {', '.join(more)}" if more else ""
        drawings.append(Text(printable(f"{len(table)} records; {table.reason}{hidden}"), "dim"))
    return drawn(*drawings)


def _shown(table: RecordTable, most: int) -> list[int]:
    """Return the columns that fit, in order; addresses are the first to go."""
    is_address = [column.kind in ("link", "image") for column in table.columns]
    return sorted(sorted(range(len(is_address)), key=is_address.__getitem__)[:most])


# Parquet ----------------------------------------------------------------------------------------


def check_parquet(*, on_terminal: bool) -> None:
    """Raise `UsageError` where Parquet cannot be written."""
    if on_terminal:
        message = "parquet is no text for a terminal: name a file with -o"
        raise UsageError(message)
    try:
        import pyarrow.parquet  # noqa: F401  (only whether it is there)
    except ImportError:
        message = "parquet needs pyarrow: pip install 'joeira[parquet]'"
        raise UsageError(message) from None


def _parquet(columns: Sequence[str], rows: Sequence[dict[str, str | None]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    data = {
        name: pyarrow.array([row.get(name) for row in rows], pyarrow.string()) for name in columns
    }
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(data), sink)
    written: bytes = sink.getvalue().to_pybytes()
    return written


EXAMPLES = options.examples(
    "joeira records page.html --to csv -o records.csv",
    "joeira records pages/ https://example.org/list --to jsonl --top 1",
)


def records(
    *,
    pages: options.Pages = None,
    to: Annotated[
        Format | None,
        typer.Option("--to", help="Output: table on a terminal, csv elsewhere, unless told."),
    ] = None,
    method: options.Method = catalog.DEFAULT_RECORDS,
    settings: options.Settings = None,
    top: Annotated[
        int | None,
        typer.Option(min=1, metavar="K", help="Lists of a page, best first: 1, but all in json."),
    ] = None,
    min_records: Annotated[
        int, typer.Option(min=1, metavar="N", help="Records that a list must have.")
    ] = 2,
    safe_csv: Annotated[
        bool,
        typer.Option("--safe-csv", help="Keep spreadsheets from running values as formulas."),
    ] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="File for all pages; or folder, when it is one or ends with /, for a file each.",
        ),
    ] = None,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Write the lists of data records that pages show: as a table, CSV, JSON or Parquet."""
    several = inputs.are_several(pages or (), url)
    on_screen = output in (None, inputs.STDIN)
    form = to or (Format.TABLE if on_screen and is_terminal() else Format.CSV)
    if safe_csv and form != Format.CSV:
        message = "--safe-csv is for csv"
        raise UsageError(message)
    if form == Format.PARQUET:
        check_parquet(on_terminal=on_screen and is_terminal())
    reader = Reader(max_bytes, timeout, allow_private, url)
    finder = catalog.build(method, options.read_settings(settings), "records")
    wanted = Wanted(form, top, min_records, safe_csv)
    sources = inputs.expand(pages or ())
    in_folder = output is not None and inputs.is_folder(output)
    # All pages go into one file, unless a folder is asked for.
    places = (
        inputs.plan(sources, output, f".{wanted.suffix}", several=in_folder)
        if in_folder
        else (inputs.plan(sources, output, "", several=False)[:1] or [None])
    )
    work = Work(finder, reader, wanted)
    ends = work.apart(sources, places) if in_folder else work.together(sources, places[0], several)
    raise typer.Exit(inputs.exit_code(ends))


@dataclass(frozen=True)
class Work:
    """What is done with the pages."""

    finder: Extractor[Records]
    reader: Reader
    wanted: Wanted

    def apart(self, sources: Sequence[Source], places: Sequence[Path | None]) -> Counter[str]:
        """Write the records of each page to a file of its own."""
        ends: Counter[str] = Counter()
        items = list(zip(sources, places, strict=True))
        for source, place in inputs.with_progress(items, "finding records", on_screen=False):
            found, end = self._found(source)
            if found is not None:
                inputs.write(place, render([found], self.wanted, several=False))
            ends[end] += 1
        return ends

    def together(
        self, sources: Sequence[Source], place: Path | None, several: bool
    ) -> Counter[str]:
        """Write the records of all pages to one place.

        Formats without columns that all pages share are written page by page.
        """
        ends: Counter[str] = Counter()
        gathered = []
        streams = place is None and self.wanted.form in STREAMS
        on_screen = streams and is_terminal()
        for source in inputs.with_progress(list(sources), "finding records", on_screen=on_screen):
            found, end = self._found(source)
            ends[end] += 1
            if found is not None and streams:
                inputs.write(place, render([found], self.wanted, several=several))
            elif found is not None:
                gathered.append(found)
        if not streams and (ends["ok"] or ends["empty"]):
            inputs.write(place, render(gathered, self.wanted, several=several))
        return ends

    def _found(self, source: Source) -> tuple[Found | None, str]:
        """Return what was found on a page, and how it ended: ok, empty or failed."""
        from joeira.page import parse

        try:
            page = self.reader.read(source)
            table = parse(page.html, page.url, max_bytes=self.reader.max_bytes)
            found = Found(source.name, self.finder.extract(table), self.wanted)
            found.read()
        except JoeiraError as error:
            say(f"{source.name}: {error}")
            return None, "failed"
        except Exception as error:  # a bug must not lose the other pages
            if is_debugging():
                raise
            say(f"{source.name}: {unexpected(error)}")
            return None, "failed"
        if not found.tables or table.notes:
            said = found.records.reason or "no list has so many records"
            say(f"{source.name}: {'' if found.tables else 'nothing found: '}{said}")
        return found, "ok" if found.tables else "empty"
