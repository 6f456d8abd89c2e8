"""JSON-LD: the things that scripts of a page describe."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from joeira.metadata.items import MAX_VALUES, Item, plain_name
from joeira.page import Page
from joeira.page.attributes import without_surrogates

MAX_SCRIPTS = 100
MAX_JSON_LD_CHARS = 2_000_000
"""Of all scripts of a page together."""
MAX_THINGS = 2_000

_WRAPPING = re.compile(
    r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*.*?\*/)\s*|\s*(?:-->|(?://)?\s*\]\]>|;)\s*$"
)
_TRAILING_COMMA = re.compile(r",(\s*[\]}])")
# Below these a thing is not the page's own subject but something beside it.
_ASIDE = {
    "itemlistelement", "comment", "review", "haspart", "publisher", "author", "relatedlink",
    "suggestedanswer", "acceptedanswer", "isrelatedto", "citation", "mentions", "offers",
    "aggregaterating", "breadcrumb", "blogpost", "about", "creator", "ispartof", "video", "image",
    "liveblogupdate",
}  # fmt: skip
_SAME = {"@graph", "mainentity", "mainentityofpage"}


def read_json_ld(page: Page) -> list[Item]:
    """Return the things of all JSON-LD scripts of a page, the references in them resolved."""
    found: list[tuple[int, str, int, dict[str, Any]]] = []
    chars = 0
    selector = "script[type*='ld+json' i]"
    for row in page.attributes.select(selector)[:MAX_SCRIPTS]:
        source = page.attributes.inner_text(row)
        chars += len(source)
        if chars > MAX_JSON_LD_CHARS:
            break
        data = _parsed(source)
        for path, nesting, thing in _things(data):
            if len(found) >= MAX_THINGS:
                break
            found.append((row, path, nesting, thing))
    by_id = {
        thing["@id"]: thing
        for *_, thing in reversed(found)
        if isinstance(thing.get("@id"), str) and len(thing) > 2
    }
    return [
        Item("json-ld", _types(thing), _properties(thing, by_id), row, path, nesting)
        for row, path, nesting, thing in found
    ]


def _parsed(source: str) -> Any:
    """Return the data of a script; None when it is beyond repair."""
    source = without_surrogates(source).strip().lstrip("\ufeff")
    for attempt in (_unchanged, _unwrapped, _repaired):
        try:
            return json.loads(attempt(source), strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _unchanged(source: str) -> str:
    return source


def _unwrapped(source: str) -> str:
    return _WRAPPING.sub("", _WRAPPING.sub("", source))


def _repaired(source: str) -> str:
    source = _unwrapped(source)
    if "&quot;" in source and '"' not in source:
        source = html.unescape(source)
    return _TRAILING_COMMA.sub(r"\1", source)


def _things(data: Any) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield every object with its path and the number of things it is beside or part of."""
    waiting: list[tuple[str, int, Any]] = [("$", 0, data)]
    seen = 0
    while waiting and seen < 50 * MAX_THINGS:
        seen += 1
        path, nesting, value = waiting.pop()
        if isinstance(value, list):
            below = [(f"{path}[{number}]", nesting, each) for number, each in enumerate(value)]
            waiting.extend(reversed(below[:MAX_THINGS]))
        elif isinstance(value, dict):
            yield path, nesting, value
            below = [
                (f"{path}.{key}", nesting + _step(key), each)
                for key, each in value.items()
                if isinstance(each, dict | list)
            ]
            waiting.extend(reversed(below))


def _step(key: str) -> int:
    name = key.lower()
    if name in _SAME:
        return 0
    return 2 if name in _ASIDE else 1


def _types(thing: dict[str, Any]) -> tuple[str, ...]:
    types = thing.get("@type", ())
    types = types if isinstance(types, list) else [types]
    return tuple(plain_name(name).lower() for name in types if isinstance(name, str))


def _properties(thing: dict[str, Any], by_id: dict[str, Any]) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for name, value in thing.items():
        values = value if isinstance(value, list) else [value]
        found[plain_name(name)] = [_resolved(each, by_id) for each in values[:MAX_VALUES]]
    return found


def _resolved(value: object, by_id: dict[str, Any]) -> object:
    """Return what a reference refers to."""
    if isinstance(value, dict) and len(value) <= 2 and isinstance(value.get("@id"), str):
        return by_id.get(value["@id"], value)
    if isinstance(value, str):
        return html.unescape(value) if "&" in value else value
    return value
