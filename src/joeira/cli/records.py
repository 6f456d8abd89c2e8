"""``joeira records``: the data records of pages, as tables."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joeira import catalog, formats
from joeira.cli import options
from joeira.cli.inputs import Reader
from joeira.cli.page_loop import Answer, OpenPage, PageLoop, Target, head_line, heading_for
from joeira.cli.writing import draw, is_terminal, printable
from joeira.errors import UsageError
from joeira.formats import Choices, PageTables
from joeira.records.result import NAMINGS

if TYPE_CHECKING:
    from joeira.catalog import Extractor
    from joeira.cli.page_loop import Heading
    from joeira.cli.writing import ExitCode
    from joeira.formats import Format
    from joeira.records.result import Records, RecordTable

EXAMPLES = options.examples(
    "joeira records page.html --to csv --safe-csv -o records.csv",
    "joeira records pages/ https://example.org/list --to jsonl --top 1",
)
_LEAST_WIDTH = 12
"""Characters of a terminal that a column needs."""


def records(
    *,
    pages: options.Pages = None,
    to: Annotated[
        options.RecordsFormat | None,
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
    names: Annotated[
        str,
        typer.Option(
            metavar="common|raw", help="Names of columns: as people give them, or of the markup."
        ),
    ] = "common",
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
    on_screen = Target(output, "").is_stdout and is_terminal()
    form = formats.find(to or ("table" if on_screen else "csv"))
    if safe_csv and form.name != "csv":
        message = "--safe-csv is for csv"
        raise UsageError(message)
    if on_screen and not form.is_text:
        message = f"{form.name} is no text for a terminal: name a file with -o"
        raise UsageError(message)
    form.check_needs()
    finder = catalog.build(method, options.read_settings(settings), "records")
    target = Target(output, form.suffix, shares_file=True)
    reader = Reader(max_bytes, timeout, allow_private, url)
    loop = PageLoop(pages, target, reader, "finding records")
    # One list unless told, since the columns of several differ.
    most = top or (None if form.nests_tables else 1)
    if names not in NAMINGS:
        message = f"no names {names!r}; known: {', '.join(NAMINGS)}"
        raise UsageError(message)
    work = Search(finder, form, most, min_records, Choices(safe=safe_csv), names)
    raise typer.Exit(work.run(loop))


@dataclass(frozen=True)
class Lists:
    """The lists of one page."""

    records: Records
    most: int | None
    min_records: int
    names: str = "common"

    @cached_property
    def tables(self) -> list[RecordTable]:
        """The lists that are wanted."""
        enough = [table for table in self.records if len(table) >= self.min_records]
        return [table.with_names(self.names) for table in enough[: self.most]]

    @property
    def note(self) -> str:
        """What people should know about them."""
        if self.tables and not self.records.page.notes:
            return ""
        reason = self.records.reason or "no list has so many records"
        return reason if self.tables else f"nothing found: {reason}"


@dataclass(frozen=True)
class Search:
    """What is done with every page."""

    finder: Extractor[Records]
    form: Format
    most: int | None
    """Lists of a page that are wanted; None for all."""
    min_records: int
    choices: Choices
    names: str = "common"
    """How columns are named."""

    def run(self, loop: PageLoop) -> ExitCode:
        """Write the records of all pages, and return the exit code."""
        if "records" in self.form.drawn_for:
            return loop.write_each(self._ask(loop, self._draw), head_line, drawn=True)
        if not self.form.joins_pages or not loop.follow_each_other:
            heading: Heading | None = heading_for(self.form)
            heading = _markdown_heading if self.form.name == "markdown" else heading
            return loop.write_each(self._ask(loop, self._render), heading)
        return loop.write_joined(self._ask(loop, self._page_tables), self._join)

    def _ask(
        self, loop: PageLoop, render: Callable[[OpenPage, Lists, PageLoop], Any]
    ) -> Callable[[OpenPage], Answer[Any]]:
        """Return how a page is asked for what is written of it."""

        def ask(opened: OpenPage) -> Answer[Any]:
            found = self.finder.extract(opened.page)
            lists = Lists(found, self.most, self.min_records, self.names)
            for table in lists.tables:
                _ = table.columns  # derived now, while the page that may cause trouble is known
            return Answer(render(opened, lists, loop), not lists.tables, lists.note)

        return ask

    def _page_tables(self, opened: OpenPage, lists: Lists, loop: PageLoop) -> PageTables:
        source = opened.name if loop.follow_each_other else None
        return PageTables(lists.tables, source, self.most != 1)

    def _join(self, pages: list[PageTables]) -> str | bytes:
        output = formats.write("records", self.form.name, pages, self.choices)
        assert isinstance(output, str | bytes)
        return output

    def _render(self, opened: OpenPage, lists: Lists, loop: PageLoop) -> str | bytes:
        page = self._page_tables(opened, lists, loop)
        output = formats.write("records", self.form.name, [page], self.choices)
        if isinstance(output, dict):
            records = lists.records
            output = {"method": records.method, "reason": records.reason, **output}
        return loop.render(opened, output)

    def _draw(self, _: OpenPage, lists: Lists, loop: PageLoop) -> str:
        """Return the lists of a page as drawn for people; on a screen, wide ones are cut."""
        from rich.text import Text

        drawings: list[Any] = []
        for table in lists.tables:
            width = shutil.get_terminal_size().columns if loop.on_screen else None
            drawing, unseen = _drawing(table, width)
            more = f"; not shown: {', '.join(unseen)}" if unseen else ""
            about = printable(f"{len(table)} records; {table.reason}{more}")
            drawings += [drawing, Text(about, "dim")]
        return draw(*drawings, on_screen=loop.on_screen)


def _markdown_heading(name: str) -> str:
    return f"## {' '.join(name.split())}\n\n"


def _drawing(table: RecordTable, width: int | None) -> tuple[Any, list[str]]:
    """Return a drawing of a list, and the columns that have no room in it."""
    from rich.table import Table
    from rich.text import Text

    numbers = list(range(len(table.columns)))
    if width is not None:
        numbers = _fitting(table, max(width // _LEAST_WIDTH, 1))
    drawing = Table(pad_edge=False)
    for number in numbers:
        widest = None if width is None else max(2 * width // len(numbers) - 3, _LEAST_WIDTH - 5)
        drawing.add_column(
            Text(printable(table.columns[number])),
            overflow="ellipsis",
            no_wrap=True,
            min_width=_LEAST_WIDTH - 5,
            max_width=widest,
        )
    for row in table.rows():
        values = (printable(row[number] or "").replace("\t", " ") for number in numbers)
        drawing.add_row(*map(Text, values))
    return drawing, [name for number, name in enumerate(table.columns) if number not in numbers]


def _fitting(table: RecordTable, most: int) -> list[int]:
    """Return the columns that fit, in order; addresses are the first to go."""
    is_address = [column.kind in ("link", "image") for column in table.columns]
    return sorted(sorted(range(len(is_address)), key=is_address.__getitem__)[:most])
