"""``joeira segment``: the regions of a page."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from joeira import catalog
from joeira.cli import inputs, options, writing
from joeira.cli.ending import ExitCode, say
from joeira.cli.inputs import Reader
from joeira.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from joeira.catalog import Extractor
    from joeira.page import Page, Region
    from joeira.segments.result import Segments

EXAMPLES = options.examples(
    "joeira segment page.html",
    "joeira segment page.html --to html > segments.html",
    "joeira segment page.html --method tps --set min_share=0.1 --to json",
    "joeira segment page.html --site blocks.json",
)


class Format(StrEnum):
    """What the segments are written as."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


def segment(
    page: Annotated[
        str, typer.Argument(metavar="INPUT", help="File, http(s) address, or - for stdin.")
    ] = inputs.STDIN,
    *,
    to: Annotated[
        Format, typer.Option("--to", help="Output; html outlines the segments.")
    ] = Format.TEXT,
    method: options.Method = catalog.DEFAULT_SEGMENTS,
    settings: options.Settings = None,
    site: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A site that `joeira site learn --method som` wrote."),
    ] = None,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Write the segments of a page with their labels: every text is in one.

    As html: the page itself, each segment outlined and labelled when pointed at; nothing runs in it
    and nothing is loaded.
    """
    from joeira.page import parse

    segmenter = _segmenter(site, method, settings)
    sources = inputs.expand([page])
    if len(sources) != 1:
        message = f"{page} is a folder; name one page of it"
        raise UsageError(message)
    try:
        document = Reader(max_bytes, timeout, allow_private, url).read(sources[0])
    except InputError as error:
        raise InputError(f"{page}: {error}") from error
    found = segmenter(parse(document.html, document.url, max_bytes=max_bytes))
    if to == Format.JSON:
        data = {"source": page, **found.to_dict()}
        writing.to_stdout(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
    elif to == Format.HTML:
        writing.to_stdout(found.html())
    else:
        writing.to_stdout("\n".join(f"{_label(part)}{part.text}\n" for part in found))
    if not found:
        say(f"{page}: nothing found: {found.reason}")
        raise typer.Exit(ExitCode.NOTHING_FOUND)


def _segmenter(
    site: str | None, method: str, settings: list[str] | None
) -> Callable[[Page], Segments]:
    """Return what segments a page: a learned site, or a method for single pages."""
    if site is None:
        extractor: Extractor[Segments] = catalog.build(
            method, options.read_settings(settings), "segments"
        )
        return extractor.extract
    if method != catalog.DEFAULT_SEGMENTS or settings:
        message = "--site brings its own method: leave out --method and --set"
        raise UsageError(message)
    from joeira import api

    return api.load_site(site).segment


def _label(part: Region) -> str:
    """Return a line that names a segment; nothing where the method has no labels."""
    probability = "" if part.score is None else f" {part.score:.0%}"
    return f"[{part.label}{probability}]\n" if part.label else ""
