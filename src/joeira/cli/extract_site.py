"""``joeira extract-site``: learn a site and extract the content of its pages in one go."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from joeira import catalog
from joeira.cli import inputs, options
from joeira.cli.extract import SUFFIX, Format, Work
from joeira.cli.inputs import Reader
from joeira.cli.site import SitePages
from joeira.errors import UsageError

EXAMPLES = options.examples(
    "joeira extract-site pages/ -o texts/",
    "joeira extract-site pages/ -o out/ --to markdown --method xcex --set blocks=lossless",
)


def extract_site(
    pages: Annotated[
        list[str], typer.Argument(metavar="PAGES", help="Folders, files or addresses of one site.")
    ],
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for one file per page.")
    ],
    to: Annotated[Format, typer.Option("--to", help="Output.")] = Format.TEXT,
    method: options.Method = catalog.DEFAULT_SITE,
    settings: options.Settings = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Count a page without content as failed.")
    ] = False,
) -> None:
    """Write the main content of all pages of a site, each judged in the light of the others."""
    from joeira import api

    learner = catalog.build(method, options.read_settings(settings), "site")
    read = SitePages(pages, "learning")
    if not read.sources:
        message = "extract-site writes a file for each page: name folders, files or addresses"
        raise UsageError(message)
    places = inputs.plan(read.sources, output, SUFFIX[to], several=True)
    site = api.learn_site(read, learner)
    work = Work(
        extractor=site,
        reader=Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private=False),
        form=to,
        show={"links": True, "images": True, "formatting": True},
        tables=True,
        visible_only=False,
        front_matter=False,
        one_by_one=False,
    )
    ends: Counter[str] = Counter()
    items = list(zip(read.sources, places, strict=True))
    for source, place in inputs.with_progress(items, "extracting", on_screen=False):
        result, end = work.done(source)
        if result is not None:
            inputs.write(place, result)
        ends[end] += 1
    raise typer.Exit(inputs.exit_code(ends, strict=strict))
