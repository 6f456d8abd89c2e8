"""Tasks: functions that run in worker processes and return rendered results."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from joeira import api, catalog, formats
from joeira.errors import UsageError
from joeira.formats import Choices, PageTables
from joeira.page import Page, parse

if TYPE_CHECKING:
    from joeira.sites.result import SiteModel

_WARM_UP = "<ul><li><a href=x>A page</a> to load<li><a href=y>All</a> models on</ul><p>A text.</p>"


@dataclass(frozen=True)
class Asked:
    """A page, and what is wanted of it."""

    html: bytes | str | None = field(repr=False)
    """None while the page at the address is not yet fetched."""
    url: str | None = None
    method: str | None = None
    format: str = "json"
    options: dict[str, Any] = field(default_factory=dict)
    """Parameters of the method."""
    visible_only: bool = False
    candidates: bool = False
    wrapper: dict[str, Any] | None = field(default=None, repr=False)
    """By which records are read, instead of a method."""

    def built(self, task: str, default: str) -> Any:
        """Return the method to use."""
        if self.wrapper is not None:
            from joeira.records.wrapper import Wrapper

            return Wrapper.from_dict(self.wrapper)
        return catalog.make(self.method or default, task, self.options)

    def page(self) -> Page:
        """Return the parsed page."""
        return parse(self.html or b"", self.url)


@dataclass(frozen=True)
class Rendered:
    """A result, ready to be sent."""

    body: bytes = field(repr=False)
    format: str

    @classmethod
    def of(cls, form: str, result: formats.Output) -> Rendered:
        """Return text as it is and other data as JSON; a lone surrogate becomes ``?``."""
        if isinstance(result, bytes):
            return cls(result, form)
        if isinstance(result, list):
            result = "".join(f"{to_json(row)}\n" for row in result)
        text = result if isinstance(result, str) else to_json(result)
        return cls(text.encode("utf-8", "replace"), form)


def extract(asked: Asked) -> Rendered:
    """Return the main content of a page."""
    method = asked.built("content", catalog.DEFAULT_CONTENT)
    found = api.extract(asked.page(), method, visible_only=asked.visible_only)
    return Rendered.of(asked.format, formats.write("content", asked.format, found))


def records(asked: Asked) -> Rendered:
    """Return the lists of records of a page; in formats for one table, the best of them."""
    found = api.find_records(asked.page(), asked.built("records", catalog.DEFAULT_RECORDS))
    tables = found.tables if formats.find(asked.format).nests_tables else found.tables[:1]
    # Whoever opens it in a spreadsheet did not choose the page.
    choices = Choices(safe=True)
    result = formats.write("records", asked.format, [PageTables(tables)], choices)
    if isinstance(result, dict):
        result = {"method": found.method, "url": asked.url, "reason": found.reason, **result}
    return Rendered.of(asked.format, result)


def pages(asked: Asked) -> Rendered:
    """Return the links of a page to the other pages of its list."""
    links = api.find_pages(asked.page())
    return Rendered.of("json", {"url": asked.url, **links.to_dict()})


def learn_records(
    pages: list[tuple[str, str | None]], examples: list[str] | dict[str, str]
) -> Rendered:
    """Learn the list that pages of a site show; return what reads it, or why there is nothing."""
    try:
        wrapper = api.learn_records((parse(html, url) for html, url in pages), examples)
    except UsageError as error:  # what is asked can be understood, but is not on the pages
        return Rendered.of("json", {"wrapper": None, "reason": str(error)})
    return Rendered.of("json", {"wrapper": wrapper.to_dict(), "reason": ""})


def segments(asked: Asked) -> Rendered:
    """Return the segments of a page."""
    found = api.segment(asked.page(), asked.built("segments", catalog.DEFAULT_SEGMENTS))
    return Rendered.of(asked.format, formats.write("segments", asked.format, found))


def explain(asked: Asked) -> Rendered:
    """Return every decision about a page with its reason."""
    method = asked.built("content", catalog.DEFAULT_CONTENT)
    found = api.extract(asked.page(), method, visible_only=asked.visible_only)
    result = formats.write("explanation", asked.format, found)
    if isinstance(result, dict):
        blocks = result.pop("blocks")
        result = {**result, "url": asked.url, "blocks": blocks}
    return Rendered.of(asked.format, result)


def metadata(asked: Asked) -> Rendered:
    """Return what a page says about itself."""
    found = api.extract(asked.page(), asked.built("content", catalog.DEFAULT_CONTENT)).metadata
    choices = Choices(candidates=asked.candidates)
    return Rendered.of(asked.format, formats.write("metadata", asked.format, found, choices))


def posts(asked: Asked) -> Rendered:
    """Return the posts of a thread, and the comments under an article, each with its author."""
    method = asked.built("content", catalog.DEFAULT_CONTENT)
    found = api.extract(asked.page(), method, visible_only=asked.visible_only)
    result = {
        "method": found.method,
        "url": asked.url,
        "reason": found.reason,
        "posts": [post.to_dict() for post in found.posts],
        "comments": [post.to_dict() for post in found.comments.posts],
    }
    return Rendered.of(asked.format, result)


def learn(
    pages: list[tuple[str, str | None]], method: str, options: dict[str, Any]
) -> tuple[str, int, str]:
    """Learn a site; return the method's name, the number of different pages, and the model."""
    learner = catalog.find_site(method).load()(**options)
    model = api.learn_site((parse(html, url) for html, url in pages), learner)
    return method, model.pages, to_json(model.to_dict())


def extract_by_site(model: str, asked: Asked) -> Rendered:
    """Return the main content of a page by what was learned of its site."""
    found = _restored(model).extract(asked.page())
    found = found.visible() if asked.visible_only else found
    return Rendered.of(asked.format, formats.write("content", asked.format, found))


def segment_by_site(model: str, asked: Asked) -> Rendered:
    """Return the segments of a page by what was learned of its site."""
    found = _restored(model).segment(asked.page())
    return Rendered.of(asked.format, formats.write("segments", asked.format, found))


@lru_cache(maxsize=4)
def _restored(model: str) -> SiteModel:
    """Return a site from its JSON; a process is asked for the same one again and again."""
    return api.restore_site(json.loads(model), "the store")


TASKS = {
    "extract": extract, "records": records, "pages": pages, "segments": segments,
    "explain": explain, "metadata": metadata, "posts": posts,
}  # fmt: skip


def warm_up() -> None:
    """Load what pages will need."""
    for task in TASKS.values():
        task(Asked(_WARM_UP))


def to_json(data: Any) -> str:
    """Return data as JSON, which knows no infinities."""
    try:
        return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"))


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _finite(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
