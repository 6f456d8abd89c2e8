"""``joeira why``: which block contains some words, whether it was kept, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joeira import catalog, formats
from joeira.cli import options, writing
from joeira.cli.extract import load_site_as_method
from joeira.cli.inputs import Document, Reader, is_input
from joeira.cli.page_loop import Answer, OpenPage, PageLoop, Target, heading_for, write
from joeira.cli.writing import printable
from joeira.content.explanation import folded, holding
from joeira.errors import UsageError

if TYPE_CHECKING:
    from joeira.catalog import Extractor
    from joeira.content.explanation import BlockDecision
    from joeira.content.result import Content
    from joeira.formats import Format
    from joeira.page import Page

EXAMPLES = options.examples(
    'joeira why page.html "a few words of the page" --html report.html',
    'joeira why pages/ "a few words" --to json',
    'joeira why page.html "a few words" --site site.json',
)


def why(
    *,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT... [WORDS]",
            help="Files, folders, http(s) addresses, or - for stdin; then words of the page, in "
            "quotation marks. Without words, every block is shown.",
            show_default=False,
        ),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="The words, if they could be mistaken for an input."),
    ] = None,
    to: Annotated[
        options.ExplanationFormat | None,
        typer.Option("--to", help=options.output("explanation", "default: text")),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --to json.")] = False,
    method: options.Method = catalog.DEFAULT_CONTENT,
    settings: options.Settings = None,
    site: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Use a site from `joeira site learn` as the method."),
    ] = None,
    visible_only: options.VisibleOnly = False,
    output: options.Output = None,
    html: Annotated[
        str | None,
        typer.Option(
            metavar="OUT",
            help="Also write a web page that shows every decision; OUT works like -o.",
        ),
    ] = None,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Show whether some words of a page were kept, with what score, and why.

    Of several pages, it shows only those that contain the words.
    """
    if as_json and to not in (None, "json"):
        message = f"choose one output format, not {to} and json"
        raise UsageError(message)
    form = formats.find("json" if as_json else to or "text")
    pages, words = _pages_and_words(arguments or [], words)
    reader = Reader(max_bytes, timeout, allow_private, url)
    outcomes = ("with these words", "without them") if words is not None else ("ok", "empty")
    loop = PageLoop(pages, Target(output, form.suffix), reader, "looking", outcomes)
    loop.refuse_whole_pages(form)
    reports = None if html is None else _reports(html, loop)
    if site is None:
        extractor = catalog.build(method, options.read_settings(settings), "content")
    else:
        extractor = load_site_as_method(site, method != catalog.DEFAULT_CONTENT or settings)
    inquiry = Inquiry(words, form, extractor, visible_only, reports)
    is_drawn = "explanation" in form.drawn_for
    raise typer.Exit(loop.write_each(inquiry.of(loop), heading_for(form), drawn=is_drawn))


def _pages_and_words(
    arguments: Sequence[str], words: str | None
) -> tuple[Sequence[str], str | None]:
    """Return the inputs and the words: of several arguments the last, unless it can be read."""
    if words is None and len(arguments) > 1 and not is_input(arguments[-1]):
        *arguments, words = arguments
    if words is not None and not words.strip():
        message = "the words are empty; omit them to see every block"
        raise UsageError(message)
    return arguments, words


def _reports(output: str, loop: PageLoop) -> dict[str, Path | None]:
    """Return where the report on each page goes."""
    form = formats.find("html")
    target = Target(output, form.suffix)
    if loop.several and target.is_stdout:
        message = "several web pages need a folder; choose one with --html"
        raise UsageError(message)
    places = target.places(loop.sources, several=loop.several)
    return dict(zip((source.name for source in loop.sources), places, strict=True))


@dataclass(frozen=True)
class Inquiry:
    """What is asked of every page."""

    words: str | None
    form: Format
    extractor: Extractor[Content]
    visible_only: bool
    reports: dict[str, Path | None] | None
    """Where a web page about each page goes; None if nobody wants them."""

    def of(self, loop: PageLoop) -> Callable[[OpenPage], Answer[str | bytes | None]]:
        """Return how a page is asked."""

        def ask(opened: OpenPage) -> Answer[str | bytes | None]:
            content = self._content(opened.page)
            if self.reports is not None:
                write(self.reports[opened.name], content.report())
                if self.words is None:
                    return Answer(None, not content)
            blocks = _blocks(content, self.words)
            is_absent = blocks.match in ("none", "nearest")
            if is_absent and loop.several:
                return Answer(None, is_empty=True)
            notes = [content.reason] if content.reason and self.form.name != "json" else []
            notes += [_absence(blocks, opened.document)] if is_absent else []
            result = self._render(opened, content, blocks, loop)
            return Answer(result, is_absent or not blocks.blocks, "; ".join(notes))

        return ask

    def _content(self, page: Page) -> Content:
        from joeira import api

        return api.extract(page, self.extractor, visible_only=self.visible_only)

    def _render(
        self, opened: OpenPage, content: Content, blocks: Blocks, loop: PageLoop
    ) -> str | bytes:
        if "explanation" in self.form.drawn_for:
            brief = self.words is None
            text = "".join(
                _draw(block, brief=brief, in_colour=loop.on_screen) for block in blocks.blocks
            )
            return f"{text.rstrip()}\n" if loop.follow_each_other else text
        output = formats.write("explanation", self.form.name, content)
        if isinstance(output, dict):
            output = {"words": self.words, "match": blocks.match, **output}
            output["blocks"] = [block.to_dict() for block in blocks.blocks]
            output |= self._own_blocks(opened.page)
            if not loop.follow_each_other:  # who asks about one page knows which
                return loop.to_json(output)
        return loop.render(opened, output)

    def _own_blocks(self, page: Page) -> dict[str, list[dict[str, Any]]]:
        """Return the blocks of the page as the method of a site took it apart, if it did."""
        from joeira.sites.result import SiteModel

        site = self.extractor
        if not isinstance(site, SiteModel) or not hasattr(site.learned, "blocks"):
            return {}
        own = site.blocks(page)
        if self.words is not None:
            own = [own[number] for number in holding([block.text for block in own], self.words)]
        return {"site_blocks": [block.to_dict() for block in own]}


@dataclass(frozen=True)
class Blocks:
    """The blocks of a page that a question is about."""

    words: str | None
    match: str
    """``all`` (no words given), ``exact``, ``nearest`` or ``none``."""
    blocks: Sequence[BlockDecision]


def _blocks(content: Content, words: str | None) -> Blocks:
    if words is None:
        return Blocks(words, "all", list(content.explain()))
    return Blocks(words, *content.explain().about(words))


def _absence(blocks: Blocks, document: Document) -> str:
    """Return the answer for words that are not in the text of a page."""
    source = document.html
    if isinstance(source, bytes):
        source = source.decode("utf-8", "replace")
    message = "these words are not in the text of the page"
    if folded(blocks.words or "") in folded(unescape(source)):
        message += ", but they are in its source: in an attribute, a script, a comment or similar"
    if blocks.blocks:
        message += "; the block above shares the most words with them"
    return message


def _draw(block: BlockDecision, *, brief: bool, in_colour: bool) -> str:
    """Return a block in words: two lines when it is one of all, else everything about it."""
    mark, colour = ("kept   ", "green") if block.kept else ("dropped", "red")
    mark = writing.coloured(mark, colour) if in_colour else mark
    line = f"line {block.position[0]}" if block.position else "no line"
    head = f"{mark}  score {block.score:.3f}  {line}"
    if brief:
        shown = block.text if len(block.text) <= 100 else f"{block.text[:99]}…"
        return f"{head}  {printable(block.reason)}\n  {printable(shown)}\n"
    rows = {
        "reason": block.reason,
        "hidden": block.hidden,
        "unseen": block.invisible,
        "xpath": block.xpath,
        "text": block.text,
    }
    lines = (f"  {name:<6} {printable(value)}\n" for name, value in rows.items() if value)
    return f"{head}\n{''.join(lines)}\n"
