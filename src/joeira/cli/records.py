"""``joeira records``: the data records of pages, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joeira import catalog
from joeira.cli import inputs, options, record_formats, rounds, targets
from joeira.cli.ending import is_debugging, say, unexpected
from joeira.cli.inputs import Reader, Source
from joeira.cli.record_formats import Format, Found, Wanted
from joeira.cli.writing import is_terminal
from joeira.errors import JoeiraError, UsageError

if TYPE_CHECKING:
    from joeira.contracts import Extractor
    from joeira.records.result import Records

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
        record_formats.check_parquet(on_terminal=on_screen and is_terminal())
    reader = Reader(max_bytes, timeout, allow_private, url)
    finder = catalog.build(method, options.read_settings(settings), "records")
    wanted = Wanted(form, top, min_records, safe_csv)
    sources = inputs.expand(pages or ())
    in_folder = output is not None and targets.is_folder(output)
    # All pages go into one file, unless a folder is asked for.
    places = (
        targets.plan(sources, output, f".{wanted.suffix}", several=in_folder)
        if in_folder
        else (targets.plan(sources, output, "", several=False)[:1] or [None])
    )
    work = Work(finder, reader, wanted)
    ends = work.apart(sources, places) if in_folder else work.together(sources, places[0], several)
    raise typer.Exit(rounds.exit_code(ends))


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
        for source, place in rounds.with_progress(items, "finding records", on_screen=False):
            found, end = self._found(source)
            if found is not None:
                targets.write(place, record_formats.render([found], self.wanted, several=False))
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
        streams = place is None and self.wanted.form in record_formats.STREAMS
        on_screen = streams and is_terminal()
        for source in rounds.with_progress(list(sources), "finding records", on_screen=on_screen):
            found, end = self._found(source)
            ends[end] += 1
            if found is not None and streams:
                targets.write(place, record_formats.render([found], self.wanted, several=several))
            elif found is not None:
                gathered.append(found)
        if not streams and (ends["ok"] or ends["empty"]):
            targets.write(place, record_formats.render(gathered, self.wanted, several=several))
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
