"""What is done with a page: functions that run in worker processes and return rendered results."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from joeira import api, catalog
from joeira.page import Page, parse

if TYPE_CHECKING:
    from joeira.content.result import Content
    from joeira.sites.result import SiteModel

MEDIA_TYPES = {
    "json": "application/json",
    "jsonl": "application/jsonl",
    "text": "text/plain; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}
FORMATS = {
    "extract": ("json", "text", "markdown", "html"),
    "records": ("json", "jsonl", "csv", "markdown"),
    "segments": ("json", "text", "html"),
    "explain": ("json", "html"),
}
"""By task; the first is what is given unless asked otherwise."""
_WARM_UP = "<ul><li><a href=x>A page</a> to load<li><a href=y>All</a> models on</ul><p>A text.</p>"


@dataclass(frozen=True)
class Asked:
    """A page, and what is wanted of it."""

    html: bytes | str = field(repr=False)
    url: str | None = None
    method: str | None = None
    format: str = "json"
    options: dict[str, Any] = field(default_factory=dict)
    """Parameters of the method."""
    visible_only: bool = False

    def built(self, task: str, default: str) -> Any:
        """Return the method to use."""
        return catalog.find(self.method or default, task).load()(**self.options)

    def page(self) -> Page:
        """Return the parsed page."""
        return parse(self.html, self.url)


@dataclass(frozen=True)
class Rendered:
    """A result, ready to be sent."""

    body: bytes = field(repr=False)
    format: str

    @classmethod
    def of(cls, form: str, result: Any) -> Rendered:
        """Return text as it is and other data as JSON; a lone surrogate becomes ``?``."""
        text = result if isinstance(result, str) else to_json(result)
        return cls(text.encode("utf-8", "replace"), form)


def extract(asked: Asked) -> Rendered:
    """Return the main content of a page."""
    method = asked.built("content", catalog.DEFAULT_CONTENT)
    found = api.extract(asked.page(), method, visible_only=asked.visible_only)
    return rendered(found, asked.format)


def rendered(found: Content, form: str) -> Rendered:
    """Return content in a format."""
    makers: dict[str, Callable[[], Any]] = {
        "json": found.to_dict,
        "text": found.text,
        "markdown": found.markdown,
        "html": found.html,
    }
    return Rendered.of(form, makers[form]())


def records(asked: Asked) -> Rendered:
    """Return the lists of records of a page; in formats for one table, the best of them."""
    found = api.find_records(asked.page(), asked.built("records", catalog.DEFAULT_RECORDS))
    if asked.format == "json":
        said = {"method": found.method, "url": asked.url, "reason": found.reason}
        return Rendered.of("json", {**said, "tables": [table.to_dict() for table in found]})
    if not found:
        return Rendered.of(asked.format, "")
    best = found[0]
    if asked.format == "csv":
        return Rendered.of("csv", best.to_csv(safe=True))
    if asked.format == "markdown":
        return Rendered.of("markdown", best.to_markdown())
    return Rendered.of("jsonl", "".join(f"{to_json(row)}\n" for row in best.to_dicts()))


def segments(asked: Asked) -> Rendered:
    """Return the segments of a page."""
    found = api.segment(asked.page(), asked.built("segments", catalog.DEFAULT_SEGMENTS))
    if asked.format == "html":
        return Rendered.of("html", found.html())
    if asked.format == "text":
        return Rendered.of("text", "\n\n".join(part.text for part in found))
    return Rendered.of("json", found.to_dict())


def explain(asked: Asked) -> Rendered:
    """Return every decision about a page with its reason."""
    method = asked.built("content", catalog.DEFAULT_CONTENT)
    found = api.extract(asked.page(), method, visible_only=asked.visible_only)
    if asked.format == "html":
        return Rendered.of("html", found.report())
    explanation = found.explain()
    blocks = [block.to_dict() for block in explanation]
    return Rendered.of("json", {**explanation.to_dict(), "url": asked.url, "blocks": blocks})


def learn(
    pages: list[tuple[str, str | None]], method: str, options: dict[str, Any]
) -> tuple[str, int, str]:
    """Learn a site; return the method's name, the number of different pages, and the model."""
    learner = catalog.find(method, "site").load()(**options)
    model = api.learn_site((parse(html, url) for html, url in pages), learner)
    return method, model.pages, to_json(model.to_dict())


def extract_by_site(model: str, asked: Asked) -> Rendered:
    """Return the main content of a page by what was learned of its site."""
    found = _restored(model).extract(asked.page())
    return rendered(found.visible() if asked.visible_only else found, asked.format)


@lru_cache(maxsize=4)
def _restored(model: str) -> SiteModel:
    """Return a site from its JSON; a process is asked for the same one again and again."""
    return api.restore_site(json.loads(model), "the store")


TASKS = {"extract": extract, "records": records, "segments": segments, "explain": explain}


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
