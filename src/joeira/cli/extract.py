"""``joeira extract``: the main content of pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

import typer

from joeira import catalog, formats
from joeira.cli import options
from joeira.cli.inputs import Reader
from joeira.cli.page_loop import Answer, OpenPage, PageLoop, Target, heading_for
from joeira.errors import UsageError
from joeira.formats import Choices
from joeira.render.schemas import front_matter

if TYPE_CHECKING:
    from joeira.catalog import Extractor
    from joeira.content.result import Content
    from joeira.page import Page

EXAMPLES = options.examples(
    "joeira extract page.html --to markdown",
    "joeira extract pages/ https://example.org/ --method nce -o texts/",
    "joeira extract list.html --method tps --to html --prune -o main.html",
)

_WITH_METADATA = ("json", "xml", "tei", "csv")
_TABLE = "csv"
"""The format in which pages are the rows of one table."""


def extract(
    *,
    pages: options.Pages = None,
    to: Annotated[
        options.ContentFormat | None,
        typer.Option("--to", help=options.output("content", "default: text")),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Same as --to markdown.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Same as --to html.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --to json.")] = False,
    method: options.Method = catalog.DEFAULT_CONTENT,
    settings: options.Settings = None,
    site: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Use a site from `joeira site learn` as the method."),
    ] = None,
    precision: options.Precision = False,
    recall: options.Recall = False,
    visible_only: options.VisibleOnly = False,
    links: options.Links = True,
    images: options.Images = True,
    formatting: options.Formatting = True,
    title: options.Title = None,
    posts: options.Posts = None,
    scripts: options.Scripts = options.ScriptForm.HTML,
    tables: options.Tables = True,
    comments: options.Comments = True,
    schema: options.Schema = None,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune",
            help="HTML for other programs: the original markup without what the method cuts (tps).",
        ),
    ] = False,
    output: options.Output = None,
    with_metadata: Annotated[
        bool,
        typer.Option(
            "--with-metadata", help="Write title, author, date and so on before the text, as YAML."
        ),
    ] = False,
    strict: options.Strict = False,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Write the main content of pages: text, Markdown, clean HTML, XML, TEI, JSON or CSV."""
    form = _one_format(
        to, {"markdown": markdown, "html": html, "json": as_json or schema is not None}
    )
    if with_metadata and form not in ("text", "markdown", *_WITH_METADATA):
        told = ", ".join(_WITH_METADATA)
        message = f"--with-metadata is for text and markdown; {told} always include the metadata"
        raise UsageError(message)
    if prune and form != "html":
        message = "--prune works with html only"
        raise UsageError(message)
    extractor = (
        _extractor(method, options.read_settings(settings), precision, recall)
        if site is None
        else load_site_as_method(
            site, method != catalog.DEFAULT_CONTENT or settings or precision or recall
        )
    )
    work = Extraction(
        extractor=extractor,
        form=form,
        choices=Choices(links, images, formatting, title, posts, scripts.value, schema),
        tables=tables,
        comments=comments,
        visible_only=visible_only,
        with_metadata=with_metadata,
        prune=_pruner(extractor) if prune else None,
    )
    reader = Reader(max_bytes, timeout, allow_private, url)
    target = Target(output, formats.find(form).suffix, shares_file=form == _TABLE)
    loop = PageLoop(pages, target, reader, "extracting")
    raise typer.Exit(work.run(loop, strict=strict))


@dataclass(frozen=True)
class Extraction:
    """What is done with every page."""

    extractor: Extractor[Content]
    form: str
    choices: Choices = field(default_factory=Choices)
    tables: bool = True
    comments: bool = True
    visible_only: bool = False
    with_metadata: bool = False
    prune: Callable[[Page], str] | None = None
    """Writes the page without what the method cuts, in place of its content."""

    def run(self, loop: PageLoop, *, strict: bool) -> int:
        """Write the content of all pages, and return the exit code."""

        def ask(opened: OpenPage) -> Answer[str | bytes | None]:
            content = self._content(opened)
            note = content.reason if not content or content.page.notes else ""
            note = note if content else f"nothing extracted: {note}"
            return Answer(self._render(opened, content, loop), not content, note)

        if self.form == _TABLE and loop.follow_each_other:
            return loop.write_joined(ask, _one_table, strict=strict)
        return loop.write_each(ask, heading_for(formats.find(self.form)), strict=strict)

    def _content(self, opened: OpenPage) -> Content:
        from joeira import api

        content = api.extract(opened.page, self.extractor, visible_only=self.visible_only)
        content = content if self.tables else content.without_tables()
        return content if self.comments else content.without_comments()

    def _render(self, opened: OpenPage, content: Content, loop: PageLoop) -> str | bytes:
        if self.prune:
            return self.prune(opened.page)
        choices = replace(self.choices, source=opened.name)
        output = formats.write("content", self.form, content, choices)
        if isinstance(output, dict):
            if self.choices.schema:
                return loop.to_json(output)
            output = {**output, **self._fields(content)}
        if not isinstance(output, str):
            return loop.render(opened, output)
        text = output.rstrip("\n")
        text = f"{text}\n" if text else ""
        return f"{front_matter(content.metadata.to_dict())}{text}" if self.with_metadata else text

    def _fields(self, content: Content) -> dict[str, dict[str, list[str]]]:
        """Return what the rules of a site read out, where it has any for fields."""
        from joeira.sites.result import SiteModel

        site = self.extractor
        fields = site.fields(content.page) if isinstance(site, SiteModel) else {}
        return {"fields": fields} if fields else {}


def _one_table(tables: list[str | bytes | None]) -> str:
    """Return tables, each of which begins with the same header, as one."""
    texts = [table for table in tables if isinstance(table, str)]
    header, end, _ = texts[0].partition("\n")
    return header + end + "".join(table.partition("\n")[2] for table in texts)


def _extractor(
    method: str, settings: dict[str, str], precision: bool, recall: bool
) -> Extractor[Content]:
    """Return the method to use; presets are methods of their own."""
    if precision and recall:
        message = "--precision and --recall exclude each other; choose one"
        raise UsageError(message)
    if not (precision or recall):
        made: Extractor[Content] = catalog.build(method, settings, "content")
        return made
    name = "precision" if precision else "recall"
    preset = getattr(catalog.find(method, "content").load(), name, None)
    if preset is None or settings:
        message = f"--{name} works only with methods that have such a preset, and without --set"
        raise UsageError(message)
    chosen: Extractor[Content] = preset()
    return chosen


def _pruner(extractor: Extractor[Content]) -> Callable[[Page], str]:
    """Return what writes the pruned page, or raise `UsageError` for a method that prunes none."""
    prune: Callable[[Page], str] | None = getattr(extractor, "prune", None)
    if prune is None:
        message = "--prune works only with methods that cut the page, such as --method tps"
        raise UsageError(message)
    return prune


def load_site_as_method(path: str, other_choice: object) -> Extractor[Content]:
    """Return a learned site, which brings its own method."""
    from joeira import api

    if other_choice:
        message = "--site includes its method and parameters; remove --method and --set"
        raise UsageError(message)
    return api.load_site(path)


def _one_format(to: str | None, shorthands: dict[str, bool]) -> str:
    asked = {form for form, wanted in shorthands.items() if wanted} | ({str(to)} if to else set())
    if len(asked) > 1:
        message = f"choose one output format, not {' and '.join(sorted(asked))}"
        raise UsageError(message)
    return asked.pop() if asked else "text"
