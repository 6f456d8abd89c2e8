"""``joeira segment``: the segments of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from joeira import catalog, formats
from joeira.cli import options
from joeira.cli.inputs import Reader
from joeira.cli.page_loop import Answer, OpenPage, PageLoop, Target, heading_for
from joeira.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from joeira.catalog import Extractor
    from joeira.page import Page
    from joeira.segments.result import Segments

EXAMPLES = options.examples(
    "joeira segment page.html",
    "joeira segment page.html --to html > segments.html",
    "joeira segment page.html --method tps --set min_share=0.1 --to json",
    "joeira segment page.html --rendered",
    "joeira segment pages/ --site blocks.json -o segments/",
)


def segment(
    *,
    pages: options.Pages = None,
    to: Annotated[
        options.SegmentsFormat,
        typer.Option("--to", help=options.output("segments", "html outlines the segments")),
    ] = "text",
    method: options.Method = catalog.DEFAULT_SEGMENTS,
    settings: options.Settings = None,
    site: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Use a site from `joeira site learn --method som`."),
    ] = None,
    rendered: Annotated[
        bool,
        typer.Option("--rendered", help="Render the pages in a browser and use their layout."),
    ] = False,
    output: options.Output = None,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Write the segments of pages with their labels.

    Every text belongs to one segment. As html, this shows the page with its segments outlined and
    their labels on hover; it runs and loads nothing.
    """
    if rendered:
        settings = [*(settings or ()), "rendered=true"]
    segmenter = _segmenter(site, method, settings)
    form = formats.find(to)
    reader = Reader(max_bytes, timeout, allow_private, url)
    loop = PageLoop(pages, Target(output, form.suffix), reader, "segmenting")
    loop.refuse_whole_pages(form)

    def ask(opened: OpenPage) -> Answer[str | bytes | None]:
        segments = segmenter(opened.page)
        note = segments.reason if segments else f"nothing found: {segments.reason}"
        result = loop.render(opened, formats.write("segments", form.name, segments))
        return Answer(result, not segments, note)

    raise typer.Exit(loop.write_each(ask, heading_for(form)))


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
        message = "--site includes its method; remove --method, --set and --rendered"
        raise UsageError(message)
    from joeira import api

    return api.load_site(site).segment
