"""Every public function on one page, with what must be true of its answer whatever the page says.

A probe gets a parsed page and returns a plain value, equal for equal pages. It raises `Broken`
where an answer is not what it has to be; any other error is the function's own. The fuzzer and the
tests of its corpus run the same probes.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any

import turbohtml

import joeira
from joeira import Content, Page, Segments, SiteModel, catalog
from joeira.api import restore_site

Probe = Callable[[Page], object]

URL = "https://example.org/a/b?c=d"
OTHER_PAGES = (
    "<title>One</title><nav><a href=/>Home</a></nav><p>Some words of the first page, and more.",
    "<title>Two</title><nav><a href=/>Home</a></nav><p>The other page says something else here.",
)
"""Other pages of the site that a page is learned with."""
_ATTRIBUTES = {"a": {"href"}, "img": {"src", "alt"}, "ol": {"start"}, "code": {"class"}}
_CELL_ATTRIBUTES = {"colspan", "rowspan"}
_FORBIDDEN = {
    "script",
    "style",
    "svg",
    "math",
    "iframe",
    "object",
    "embed",
    "form",
    "input",
    "base",
}
_SAFE_ADDRESS = re.compile(r"https?:|mailto:|[/#?]|[^:]*$", re.IGNORECASE)


class Broken(AssertionError):
    """An answer is not what it has to be."""


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise Broken(message)


def probes() -> dict[str, Probe]:
    """Return every probe by the name of what it calls."""
    named: dict[str, Probe] = {}
    for entry in catalog.entries("content"):
        named[f"extract, {entry.name}"] = partial(_extract, method=entry.name)
        for name, probe in _OUTPUTS.items() if entry.name in ("learned", "all_text") else ():
            named[f"{name} of {entry.name}"] = partial(_output, method=entry.name, probe=probe)
    for entry in catalog.entries("segments"):
        if not entry.needs:
            named[f"segment, {entry.name}"] = partial(_segment, method=entry.name)
    for entry in catalog.entries("records"):
        named[f"find_records, {entry.name}"] = partial(_find_records, method=entry.name)
    for task in catalog.SITE_TASKS:
        for entry in catalog.entries(task):
            named[f"learn_site, {entry.name}"] = partial(_learn_site, method=entry.name)
    named["regions"] = _regions
    return named


def plain(text: str) -> str:
    """Return a text that can be written to a file: without lone surrogates and NUL."""
    _require(isinstance(text, str), f"{type(text).__name__} instead of text")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Broken(f"a lone surrogate in an output: {error}") from error
    _require("\0" not in text, "a NUL in an output")
    return text


def _plain_data(data: object) -> str:
    return plain(json.dumps(data, ensure_ascii=False, allow_nan=False))


def _solid(texts: Iterable[str]) -> str:
    return "".join("".join(text.split()) for text in texts)


@lru_cache(maxsize=2)
def _content(page: Page, method: str) -> Content:
    """Return the content of a page, of which several probes write something."""
    return joeira.extract(page, method)


def _extract(page: Page, method: str) -> object:
    content = _content(page, method)
    return (
        plain(content.text()),
        content.keep.tobytes(),
        content.scores.tobytes(),
        plain(content.reason),
        content.status,
    )


def _segment(page: Page, method: str) -> object:
    return _check_segments(joeira.segment(page, method))


def _check_segments(segments: Segments) -> object:
    page = segments.page
    texts = _solid(region.text for region in segments)
    in_head = page.in_head[page.text_rows].tolist()
    shown = (text for text, hidden in zip(page.texts, in_head, strict=True) if not hidden)
    is_whole = texts in (_solid(page.texts), _solid(shown))  # the title is no part of the page
    _require(is_whole, "segments are no partition of the texts")
    plain(segments.html())
    return _plain_data(segments.to_dict())


def _find_records(page: Page, method: str) -> object:
    tables = joeira.find_records(page, method)
    answers = [plain(tables.reason)]
    for table in tables:
        rows = list(csv.reader(io.StringIO(plain(table.to_csv())), strict=True))
        _require(len(rows) == len(table) + 1, "a CSV with another number of records")
        _require(all(len(row) == len(table.columns) for row in rows if row), "a ragged CSV")
        answers += [plain(table.to_csv(safe=True)), plain(table.to_markdown()), plain(table.reason)]
        answers += [_plain_data(table.to_dict()), str(table.record_css), str(table.record_xpath)]
    return answers


def _learn_site(page: Page, method: str) -> object:
    model = joeira.learn_site([page, *OTHER_PAGES, page], method)
    written = plain(model.to_json())
    again = restore_site(json.loads(written), "a site")
    answers = [_of_site(each, page) for each in (model, again)]
    _require(answers[0] == answers[1], "a site file that gives other answers")
    return written, answers[0], str(model.drift([page]))


def _of_site(model: SiteModel, page: Page) -> object:
    if catalog.find_site(model.method).task == "site_segments":
        return _check_segments(model.segment(page))
    content = model.extract(page)
    return plain(content.text()), [decision.reason for decision in content.explain()]


def _output(page: Page, method: str, probe: Callable[[Content], object]) -> object:
    return probe(_content(page, method))


def _text(content: Content) -> object:
    return plain(content.text()), plain(content.text(title=True, posts=True))


def _markdown(content: Content) -> object:
    return (
        plain(content.markdown()),
        plain(content.markdown(links=False, images=False, formatting=False, posts=True)),
        plain(content.markdown(title=False, scripts="caret")),
    )


def _html(content: Content) -> object:
    return [
        check_safe(html)
        for html in (content.html(), content.html(links=False, images=False, formatting=False))
    ]


def check_safe(html: str) -> str:
    """Return HTML in which a browser finds nothing that runs or loads but links and images."""
    for element in turbohtml.parse(plain(html)).select("*"):
        cells = _CELL_ATTRIBUTES if element.tag in ("td", "th") else set()
        more = set(element.attrs) - _ATTRIBUTES.get(element.tag, cells)
        _require(not more, f"attributes {sorted(more)} of {element.tag}")
        _require(element.tag not in _FORBIDDEN, f"an element {element.tag}")
        for name in ("href", "src"):
            address = element.attr(name) or ""
            _require(_SAFE_ADDRESS.match(address) is not None, f"an address {address[:50]!r}")
    return html


def _dicts(content: Content) -> object:
    schemas = (None, "trafilatura", "fineweb", "schemaorg")
    return [_plain_data(content.to_dict(schema)) for schema in schemas]


def _metadata(content: Content) -> object:
    return _plain_data(content.metadata.to_dict())


def _explain(content: Content) -> object:
    decisions = list(content.explain())
    for kept in (True, False):
        told = _solid(decision.text for decision in decisions if decision.kept is kept)
        texts = zip(content.page.texts, content.keep.tolist(), strict=True)
        chosen = _solid(text for text, is_kept in texts if is_kept is kept)
        _require(told == chosen, "a decision that is not in the explanation")
    return [_plain_data(decision.to_dict()) for decision in decisions]


def _report(content: Content) -> object:
    report = plain(content.report())
    active = turbohtml.parse(report).select("script, iframe, object, embed, base, form, svg, math")
    _require(not active, "an active element in a report")
    return report


def _parts(content: Content) -> object:
    return [plain(part.text()) for part in _parts_of(content)] + [
        plain(f"{post.heading} {post.author} {post.date} {post.text}")
        for part in (content, content.comments)
        for post in part.posts
    ]


def _parts_of(content: Content) -> Iterator[Content]:
    yield content.visible()
    yield content.comments
    yield content.without_comments()
    yield content.without_tables()


def _visible(content: Content) -> object:
    seen = content.visible()
    return plain(seen.text()), plain(seen.markdown()), _html(seen), _explain(seen)


_OUTPUTS: dict[str, Callable[[Content], Any]] = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "to_dict": _dicts,
    "metadata": _metadata,
    "explain": _explain,
    "report": _report,
    "parts": _parts,
    "visible": _visible,
}


def _regions(page: Page) -> object:
    """Look at the text, the path and the source of some rows."""
    rows = range(0, len(page), max(1, len(page) // 20))
    regions = [page.region(row) for row in rows]
    for region in regions:
        plain(region.html)
    return [(plain(region.text), plain(region.xpath)) for region in regions]
