"""``joeira extract``: the main content of pages."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from joeira import catalog
from joeira.cli import inputs, options
from joeira.cli.ending import is_debugging, say, unexpected
from joeira.cli.inputs import Reader, Source
from joeira.cli.writing import is_terminal
from joeira.errors import JoeiraError, UsageError

if TYPE_CHECKING:
    from joeira.catalog import Extractor
    from joeira.content.result import Content
    from joeira.metadata import Metadata

EXAMPLES = options.examples(
    "joeira extract page.html --to markdown",
    "joeira extract pages/ https://example.org/ --method nce -o texts/",
)


class Format(StrEnum):
    """What the content is written as."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    JSON = "json"


SUFFIX = {Format.TEXT: ".txt", Format.MARKDOWN: ".md", Format.HTML: ".html", Format.JSON: ".json"}


def extract(
    *,
    pages: options.Pages = None,
    to: Annotated[Format | None, typer.Option("--to", help="Output, text unless told.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Same as --to markdown.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Same as --to html.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --to json.")] = False,
    method: options.Method = catalog.DEFAULT_CONTENT,
    settings: options.Settings = None,
    site: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A site that `joeira site learn` wrote, as the method."),
    ] = None,
    precision: options.Precision = False,
    recall: options.Recall = False,
    visible_only: options.VisibleOnly = False,
    links: options.Links = True,
    images: options.Images = True,
    formatting: options.Formatting = True,
    tables: options.Tables = True,
    comments: options.Comments = True,
    schema: options.Schema = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="File; or folder, when it is one, ends with /, or there are several inputs.",
        ),
    ] = None,
    with_metadata: Annotated[
        bool,
        typer.Option("--with-metadata", help="Put title, author, date ... before text, as YAML."),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Count a page without content as failed.")
    ] = False,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Write the main content of pages: text, Markdown, clean HTML or JSON."""
    several = inputs.are_several(pages or (), url)
    as_json |= schema is not None
    chosen = _one_format(to, {Format.MARKDOWN: markdown, Format.HTML: html, Format.JSON: as_json})
    if with_metadata and chosen == Format.HTML:
        message = "--with-metadata is for text and markdown; json always has the metadata"
        raise UsageError(message)
    work = Work(
        extractor=_extractor(method, options.read_settings(settings), precision, recall)
        if site is None
        else _site(site, method != catalog.DEFAULT_CONTENT or settings or precision or recall),
        reader=Reader(max_bytes, timeout, allow_private, url),
        form=chosen,
        show={"links": links, "images": images, "formatting": formatting},
        tables=tables,
        comments=comments,
        schema=schema,
        visible_only=visible_only,
        front_matter=with_metadata and chosen != Format.JSON,
        one_by_one=several and output in (None, inputs.STDIN),
    )
    sources = inputs.expand(pages or ())
    places = inputs.plan(sources, output, SUFFIX[chosen], several=several)
    ends: Counter[str] = Counter()
    items = list(zip(sources, places, strict=True))
    for source, place in inputs.with_progress(
        items, "extracting", on_screen=None in places and is_terminal()
    ):
        result, end = work.done(source)
        if result is not None:
            inputs.write(place, ("\n" if work.has_header and ends else "") + result)
        ends[end] += 1
    raise typer.Exit(inputs.exit_code(ends, strict=strict))


@dataclasses.dataclass(frozen=True)
class Work:
    """What is done with every page."""

    extractor: Extractor[Content]
    reader: Reader
    form: Format
    show: dict[str, bool]
    tables: bool
    visible_only: bool
    front_matter: bool
    one_by_one: bool
    """Several results follow each other on standard output."""
    comments: bool = True
    schema: str | None = None

    @property
    def has_header(self) -> bool:
        """Whether a line before each result names its source, as head(1) does it."""
        return self.one_by_one and self.form != Format.JSON

    def done(self, source: Source) -> tuple[str | None, str]:
        """Return the rendered result of a page, and how it ended: ok, empty or failed."""
        from joeira import api
        from joeira.page import parse

        try:
            page = self.reader.read(source)
            table = parse(page.html, page.url, max_bytes=self.reader.max_bytes)
            content = api.extract(table, self.extractor, visible_only=self.visible_only)
            content = content if self.tables else content.without_tables()
            content = content if self.comments else content.without_comments()
            result = self._rendered(source, content)
        except JoeiraError as error:
            say(f"{source.name}: {error}")
            return None, "failed"
        except Exception as error:  # a bug must not lose the other pages
            if is_debugging():
                raise
            say(f"{source.name}: {unexpected(error)}")
            return None, "failed"
        if not content or content.page.notes:
            say(f"{source.name}: {'' if content else 'nothing extracted: '}{content.reason}")
        return result, "ok" if content else "empty"

    def _rendered(self, source: Source, content: Content) -> str:
        if self.form == Format.JSON:
            data = content.to_dict(self.schema)
            data = data if self.schema else {"source": source.name, **data, **self._fields(content)}
            return (
                json.dumps(data, ensure_ascii=False, indent=None if self.one_by_one else 2) + "\n"
            )
        if self.form == Format.TEXT:
            text = content.text()
        else:
            render = content.markdown if self.form == Format.MARKDOWN else content.html
            text = render(**self.show)
        text = text.rstrip("\n")
        text = f"{text}\n" if text else ""
        if self.front_matter:
            text = front_matter(content.metadata) + text
        return self._header(source) + text

    def _fields(self, content: Content) -> dict[str, dict[str, list[str]]]:
        """Return what the rules of a site read out, where it has any for fields."""
        from joeira.sites.result import SiteModel

        site = self.extractor
        found = site.fields(content.page) if isinstance(site, SiteModel) else {}
        return {"fields": found} if found else {}

    def _header(self, source: Source) -> str:
        if not self.has_header:
            return ""
        header = f"==> {' '.join(source.name.split())} <=="
        # No name may end the comment early.
        return (
            f"<!-- {header.replace('--', '- -')} -->\n"
            if self.form == Format.HTML
            else f"{header}\n"
        )


def _extractor(
    method: str, settings: dict[str, str], precision: bool, recall: bool
) -> Extractor[Content]:
    """Return the method to use; presets are methods of their own."""
    if precision and recall:
        message = "--precision and --recall are opposites: choose one"
        raise UsageError(message)
    if not (precision or recall):
        made: Extractor[Content] = catalog.build(method, settings, "content")
        return made
    name = "precision" if precision else "recall"
    preset = getattr(catalog.find(method, "content").load(), name, None)
    if preset is None or settings:
        message = f"--{name} is for methods that have such a preset, and without --set"
        raise UsageError(message)
    chosen: Extractor[Content] = preset()
    return chosen


def _site(path: str, other_choice: object) -> Extractor[Content]:
    """Return a learned site, which brings its own method."""
    from joeira import api

    if other_choice:
        message = "--site brings its own method and parameters"
        raise UsageError(message)
    return api.load_site(path)


def front_matter(metadata: Metadata) -> str:
    """Return metadata as YAML between lines of dashes; JSON's quotes are YAML's too."""
    lines = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in metadata.to_dict().items()
        if value
    ]
    return "\n".join(("---", *lines, "---", "", ""))


def _one_format(to: Format | None, short: dict[Format, bool]) -> Format:
    asked = {form for form, wanted in short.items() if wanted} | ({to} if to else set())
    if len(asked) > 1:
        message = f"one output at a time, not {' and '.join(sorted(asked))}"
        raise UsageError(message)
    return asked.pop() if asked else Format.TEXT
