"""Options that several commands share, written once."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from joeira import catalog, formats
from joeira.errors import UsageError

if TYPE_CHECKING:  # a checker cannot read the table of formats
    ContentFormat: TypeAlias = str
    RecordsFormat: TypeAlias = str
    SegmentsFormat: TypeAlias = str
    MetadataFormat: TypeAlias = str
    ExplanationFormat: TypeAlias = str
else:
    ContentFormat, RecordsFormat, SegmentsFormat, MetadataFormat, ExplanationFormat = (
        StrEnum("Format", {name: name for name in formats.names(task)})
        for task in ("content", "records", "segments", "metadata", "explanation")
    )


class ScriptForm(StrEnum):
    """Ways to write sub and sup in Markdown."""

    HTML = "html"
    CARET = "caret"


class SchemaName(StrEnum):
    """Names of JSON fields that other programs know."""

    TRAFILATURA = "trafilatura"
    FINEWEB = "fineweb"
    SCHEMAORG = "schemaorg"


MAX_BYTES = 20_000_000
TIMEOUT_SECONDS = 30.0


def complete_method(incomplete: str) -> list[str]:
    """Return the names of methods that begin as the user began."""
    return [entry.name for entry in catalog.entries() if entry.name.startswith(incomplete)]


Pages = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT",
        help="Files, folders, http(s) addresses, or - for stdin (the default).",
        show_default=False,
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        metavar="NAME",
        help="Method to use; `joeira methods` lists them.",
        autocompletion=complete_method,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Parameter of the method; repeatable.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="Output file; or folder, if it exists, ends with /, or there are several inputs.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Count a page without content as failed.")]
Url = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Address of a page that is read from a file or stdin."),
]
AllowPrivate = Annotated[
    bool,
    typer.Option("--allow-private", help="Also fetch from private addresses, such as localhost."),
]
Timeout = Annotated[
    float,
    typer.Option(min=0.1, metavar="SECONDS", help="Time limit for fetching a page."),
]
MaxBytes = Annotated[
    int,
    typer.Option(min=1, metavar="BYTES", help="Size limit of a page, uncompressed."),
]
VisibleOnly = Annotated[
    bool,
    typer.Option(
        "--visible-only",
        help="Leave out what readers do not see: hidden text, invisible characters.",
    ),
]
Links = Annotated[
    bool, typer.Option("--links/--no-links", help="Include links, in markdown and html.")
]
Images = Annotated[
    bool, typer.Option("--images/--no-images", help="Include images, in markdown and html.")
]
Formatting = Annotated[
    bool,
    typer.Option("--formatting/--no-formatting", help="Include bold, italic and other formatting."),
]
Title = Annotated[
    bool | None,
    typer.Option(
        "--title/--no-title",
        help="Start with the title that the page shows, kept or not.",
        show_default="in markdown",
    ),
]
Posts = Annotated[
    bool | None,
    typer.Option(
        "--posts/--no-posts",
        help="Write author and date above each post of a thread.",
        show_default="in markdown",
    ),
]
Scripts = Annotated[
    ScriptForm,
    typer.Option(help="Style of sub and sup in markdown: x<sup>2</sup> or x^2^."),
]
Tables = Annotated[bool, typer.Option("--tables/--no-tables", help="Include data tables.")]
Comments = Annotated[
    bool, typer.Option("--comments/--no-comments", help="Include comments that were kept.")
]
Schema = Annotated[
    SchemaName | None,
    typer.Option("--schema", help="JSON with the field names of another program."),
]
Precision = Annotated[
    bool, typer.Option("--precision", help="Keep only what is certainly content (method learned).")
]
Recall = Annotated[
    bool, typer.Option("--recall", help="Keep everything that may be content (method learned).")
]


def output(task: str, more: str = "") -> str:
    """Return the help of ``--to``: all formats of a task, which a narrow terminal would cut."""
    return f"Output format: {', '.join(formats.names(task))}{f'; {more}' if more else ''}."


def read_settings(settings: Sequence[str] | None) -> dict[str, str]:
    """Return ``name=value`` texts as a mapping."""
    pairs = {}
    for setting in settings or ():
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            message = f"--set must be name=value, not {setting!r}"
            raise UsageError(message)
        pairs[name.strip()] = value.strip()
    return pairs


def examples(*lines: str) -> str:
    """Return examples as the epilog of a command; Typer keeps lines that are blank lines apart.

    Square brackets would be taken for markup and vanish, so they are escaped.
    """
    from rich.markup import escape

    return "\n\n".join(("Examples:", *(f"$ {escape(line)}" for line in lines)))
