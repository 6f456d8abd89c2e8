"""``joeira metadata``: the metadata of pages and its sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joeira import catalog, formats
from joeira.cli import options
from joeira.cli.inputs import Reader
from joeira.cli.page_loop import Answer, OpenPage, PageLoop, Target, heading_for
from joeira.cli.writing import draw, is_terminal, printable

if TYPE_CHECKING:
    from rich.table import Table

    from joeira.metadata import Metadata
    from joeira.metadata.claims import Value

EXAMPLES = options.examples(
    "joeira metadata page.html",
    "joeira metadata pages/ https://example.org/a --to json --candidates",
)


def metadata(
    *,
    pages: options.Pages = None,
    to: Annotated[
        options.MetadataFormat | None,
        typer.Option(
            "--to", help=options.output("metadata", "default: table on a terminal, json otherwise")
        ),
    ] = None,
    candidates: Annotated[
        bool,
        typer.Option("--candidates", help="Show every candidate with its source and XPath."),
    ] = False,
    method: options.Method = catalog.DEFAULT_CONTENT,
    settings: options.Settings = None,
    output: options.Output = None,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Show title, author, date, product and other metadata, and where each comes from."""
    from joeira import api

    extractor = catalog.build(method, options.read_settings(settings), "content")
    on_screen = Target(output, "").is_stdout and is_terminal()
    form = formats.find(to or ("table" if on_screen else "json"))
    reader = Reader(max_bytes, timeout, allow_private, url)
    loop = PageLoop(pages, Target(output, form.suffix), reader, "reading metadata")

    is_drawn = "metadata" in form.drawn_for

    def ask(opened: OpenPage) -> Answer[str | bytes | None]:
        metadata = api.extract(opened.page, extractor).metadata
        is_empty = not len(opened.page.texts) and not metadata.title
        note = "; ".join([*opened.page.notes, *["the page has no text"] * is_empty])
        if is_drawn:
            drawing = draw(_drawing(metadata, candidates), on_screen=loop.on_screen)
            return Answer(drawing, is_empty, note)
        choices = formats.Choices(candidates=candidates)
        output = formats.write("metadata", form.name, metadata, choices)
        return Answer(loop.render(opened, output), is_empty, note)

    raise typer.Exit(loop.write_each(ask, heading_for(form), drawn=is_drawn))


def _drawing(metadata: Metadata, candidates: bool) -> Table:
    """Return a table with a line for each value."""
    from rich.table import Table
    from rich.text import Text

    columns = ["field", "value", *(["source", "xpath", "confidence"] if candidates else [])]
    table = Table(*columns)
    rivals_of = formats.candidates_by_field(metadata) if candidates else {}
    for name, value in _values(metadata):
        if name in rivals_of:
            for number, rival in enumerate(rivals_of[name]):
                place = f"{rival.source} {rival.key}"
                cells = [_plain(rival.value), place, rival.xpath or "", f"{rival.confidence:.2f}"]
                table.add_row(*(Text(printable(c)) for c in ("" if number else name, *cells)))
        elif value:
            rest = [""] * (len(columns) - 2)
            table.add_row(*(Text(printable(cell)) for cell in (name, _plain(value), *rest)))
    for thing in metadata.structured:
        where = [f"{thing['source']} {thing['path']}", thing["xpath"], ""] if candidates else []
        row = ["structured", " ".join(thing["type"]), *where]
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _values(metadata: Metadata) -> Iterator[tuple[str, Any]]:
    """Yield every value; those of the product under names of their own."""
    for name, value in metadata.to_dict().items():
        if name != "product":
            yield name, value
    for name, value in metadata.product.to_dict().items() if metadata.product else ():
        yield f"product.{name}", value


def _plain(value: Value | int | list[str]) -> str:
    return "; ".join(value) if isinstance(value, tuple | list) else str(value)
