"""``joeira records``: the data records of pages, as tables.

``joeira records learn``: a wrapper, by which the same list is read on other pages of the site.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from joeira import catalog, formats
from joeira.cli import options, writing
from joeira.cli.inputs import Reader
from joeira.cli.page_loop import Answer, OpenPage, PageLoop, Target, head_line, heading_for
from joeira.cli.writing import draw, is_terminal, printable, say
from joeira.errors import UsageError
from joeira.formats import Choices, PageTables
from joeira.records.result import NAMINGS

if TYPE_CHECKING:
    from joeira.catalog import Extractor
    from joeira.cli.page_loop import Heading
    from joeira.cli.writing import ExitCode
    from joeira.formats import Format
    from joeira.records.result import Records, RecordTable
    from joeira.records.wrapper import Wrapper

EXAMPLES = options.examples(
    "joeira records page.html --to csv --safe-csv -o records.csv",
    "joeira records pages/ https://example.org/list --to jsonl --top 1",
    "joeira records page.html --wrapper wrapper.json",
    "joeira records page1.html page2.html --merge --key url",
)
LEARN_EXAMPLES = options.examples(
    "joeira records learn pages/ -o wrapper.json",
    "joeira records learn page.html -o wrapper.json --example 'Moradia T3' --example '285.000 €'",
    "joeira records learn pages/ -o scraper.py --to scrapy",
)
PAGES_EXAMPLES = options.examples(
    "joeira pages list.html --url https://example.org/list",
    "joeira pages https://example.org/list --to json",
    "joeira pages list.html --url https://example.org/list | grep ^next | cut -f 2",
)
_WRAPPER = "wrapper"
_LEAST_WIDTH = 12
"""Characters of a terminal that a column needs."""


class WrapperFormat(StrEnum):
    """What a wrapper is written as."""

    JSON = "json"
    PARSEL = "parsel"
    SCRAPY = "scrapy"
    WEB_POET = "web-poet"


def records(
    *,
    pages: options.Pages = None,
    to: Annotated[
        options.RecordsFormat | None,
        typer.Option(
            "--to", help=options.output("records", "default: table on a terminal, csv otherwise")
        ),
    ] = None,
    method: options.Method = catalog.DEFAULT_RECORDS,
    settings: options.Settings = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="K",
            help="Number of lists per page, best first. Default: 1; all in json.",
        ),
    ] = None,
    min_records: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Minimum number of records in a list. Default: 2."),
    ] = None,
    names: Annotated[
        str,
        typer.Option(
            metavar="common|raw", help="Names of columns: common names, or those of the markup."
        ),
    ] = "common",
    safe_csv: Annotated[
        bool,
        typer.Option("--safe-csv", help="Keep spreadsheets from running values as formulas."),
    ] = False,
    wrapper: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Read the list with a wrapper from `joeira records learn`."
        ),
    ] = None,
    merge: Annotated[
        bool,
        typer.Option(
            "--merge", help="Merge the lists of several pages into one table without duplicates."
        ),
    ] = False,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="With --merge: the column that identifies records. Default: the link to their "
            "own page.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Output file for all pages; or folder, if it exists or ends with /, for one file "
            "each.",
        ),
    ] = None,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Write the lists of records on pages as a table, CSV, JSON, Parquet or Excel."""
    on_screen = Target(output, "").is_stdout and is_terminal()
    form = formats.find(to or ("table" if on_screen else "csv"))
    if safe_csv and form.name != "csv":
        message = "--safe-csv works with csv only"
        raise UsageError(message)
    if on_screen and not form.is_text:
        message = f"{form.name} cannot be written to a terminal; choose a file with -o"
        raise UsageError(message)
    if key is not None and not merge:
        message = "--key works with --merge only"
        raise UsageError(message)
    form.check_needs()
    finder = _finder(wrapper, method, settings)
    target = Target(output, form.suffix, shares_file=True)
    reader = Reader(max_bytes, timeout, allow_private, url)
    loop = PageLoop(pages, target, reader, "finding records")
    if getattr(finder, "scope", "page") == "collection":
        finder = finder.fit(loop.read_all())
        min_records = min_records or 1  # the other pages show what repeats
    # One list unless told, since the columns of several differ.
    most = top or (None if form.nests_tables and not merge else 1)
    least = 1 if wrapper else min_records or 2
    if names not in NAMINGS:
        message = f"no names {names!r}; known: {', '.join(NAMINGS)}"
        raise UsageError(message)
    work = Search(finder, form, most, least, Choices(safe=safe_csv), names)
    raise typer.Exit(work.run_merged(loop, key) if merge else work.run(loop))


def _finder(wrapper: str | None, method: str, settings: list[str] | None) -> Any:
    """Return what finds the records: a method, or a wrapper."""
    if wrapper is None:
        return catalog.build(method, options.read_settings(settings), "records")
    if method != catalog.DEFAULT_RECORDS or settings:
        message = "--wrapper cannot be combined with --method or --set"
        raise UsageError(message)
    from joeira.records.wrapper import Wrapper

    return Wrapper.load(wrapper)


def learn(
    pages: Annotated[
        list[str], typer.Argument(metavar="INPUT", help="Files, folders or http(s) addresses.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Output file for the wrapper.")
    ],
    example: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A value in the list; repeatable."),
    ] = None,
    to: Annotated[
        WrapperFormat,
        typer.Option(help="Write a wrapper, or a Python program that does not need Joeira."),
    ] = WrapperFormat.JSON,
    allow_private: options.AllowPrivate = False,
) -> None:
    """Learn the list on some pages of a site, to read it on other pages of that site."""
    from joeira import api

    reader = Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private)
    loop = PageLoop(pages, Target(output, "", shares_file=True), reader, "learning")
    read = [page for _, _, page in loop.answers(lambda opened: Answer(opened.page))]
    if not read:
        say("none of the pages could be read")
        raise typer.Exit(loop.exit_code())
    wrapper = api.learn_records(read, example or ())
    is_json = to is WrapperFormat.JSON
    writing.to_file(Path(output), wrapper.to_json() if is_json else wrapper.to_python(to.value))
    names = ", ".join(column.name for column in wrapper.columns)
    say(f"{output}: {wrapper.counts[1]} records of {wrapper.pages} pages; columns {names}")
    raise typer.Exit(loop.exit_code())


class PagesFormat(StrEnum):
    """What links to the other pages of a list are written as."""

    TEXT = "text"
    JSON = "json"


def find_pages(
    *,
    pages: options.Pages = None,
    to: Annotated[
        PagesFormat, typer.Option("--to", help="One line per link, or JSON with all details.")
    ] = PagesFormat.TEXT,
    output: options.Output = None,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
) -> None:
    """Write the links to the other pages of a list: next, previous, numbered and so on."""
    from joeira.records.pagination import find_page_links

    form = formats.find(to.value)
    reader = Reader(options.MAX_BYTES, timeout, allow_private, url)
    loop = PageLoop(pages, Target(output, form.suffix), reader, "finding links")

    def ask(opened: OpenPage) -> Answer[str | bytes | None]:
        links = find_page_links(opened.page)
        note = "" if links else "nothing found: no links to other pages of a list"
        if to is PagesFormat.JSON:
            return Answer(loop.render(opened, links.to_dict()), not links, note)
        lines = (f"{role}\t{printable(link.url)}\n" for role, link in links.by_role())
        return Answer("".join(lines), not links, note)

    raise typer.Exit(loop.write_each(ask, heading_for(form)))


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
        reason = self.records.reason or "no list has that many records"
        return reason if self.tables else f"nothing found: {reason}"


@dataclass(frozen=True)
class Search:
    """What is done with every page."""

    finder: Extractor[Records] | Wrapper
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

    def run_merged(self, loop: PageLoop, key: str | None) -> ExitCode:
        """Write the lists of all pages as one table, and return the exit code."""
        from joeira.records.merging import merge_tables

        def tables_of(_: OpenPage, lists: Lists, __: PageLoop) -> list[RecordTable]:
            return lists.tables

        def join(pages: list[list[RecordTable]]) -> str | bytes:
            tables = [table for page in pages for table in page]
            merged = [merge_tables(tables, key)] if tables else []
            if "records" in self.form.drawn_for:
                drawings = [_drawing(table, None)[0] for table in merged]
                return draw(*drawings, on_screen=False)
            output = formats.write("records", self.form.name, [PageTables(merged)], self.choices)
            return _plain(output)

        return loop.write_joined(self._ask(loop, tables_of), join)

    def _ask(
        self, loop: PageLoop, render: Callable[[OpenPage, Lists, PageLoop], Any]
    ) -> Callable[[OpenPage], Answer[Any]]:
        """Return how a page is asked for what is written of it."""

        def ask(opened: OpenPage) -> Answer[Any]:
            found = self.finder.extract(opened.page)
            lists = Lists(found, self.most, self.min_records, self.names)
            for table in lists.tables:
                _ = table.columns  # derived now, while the page that may cause trouble is known
            note = lists.note
            if lists.tables and lists.records.method == _WRAPPER:
                check = cast("Wrapper", self.finder).check(opened.page)
                note = "; ".join(filter(None, (note, str(check) if check.changed else "")))
            return Answer(render(opened, lists, loop), not lists.tables, note)

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


def _plain(output: formats.Output) -> str | bytes:
    """Return what a writer gave as it is written: data as JSON."""
    if isinstance(output, dict):
        return json.dumps(output, ensure_ascii=False, indent=2) + "\n"
    if isinstance(output, list):
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in output)
    return output


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
