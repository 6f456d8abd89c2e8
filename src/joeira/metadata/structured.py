"""Structured data: the things that a page describes in JSON-LD, microdata or RDFa.

An `Item` is such a thing, whatever the syntax, with how near it is to the page itself.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from joeira._lazy import Lazy
from joeira.arrays import trees
from joeira.arrays.strings import collapse
from joeira.metadata.claims import short_text, unescaped
from joeira.page import Page
from joeira.page.attributes import without_surrogates

MAX_DEPTH = 6
MAX_CHARS = 20_000
MAX_VALUES = 50
"""Of one property of one item."""
MAX_ALIKE = 2
"""So many things of one type are still a subject, stated twice; more are a list."""

_ARTICLES = ("article", "posting", "blogpost", "report", "review", "story", "newsitem")
_WORKS = {
    "recipe", "product", "event", "videoobject", "question", "book", "movie", "course", "howto",
    "jobposting", "softwareapplication", "podcastepisode", "dataset", "creativework", "chapter",
    "profilepage", "techarticle", "scholarlyarticle", "discussionforumposting",
}  # fmt: skip
_PAGES = {
    "webpage", "itempage", "qapage", "faqpage", "collectionpage", "aboutpage", "contactpage",
    "medicalwebpage", "searchresultspage", "blog",
}  # fmt: skip
_BY_READERS = {"review", "userreview", "criticreview", "comment", "usercomments", "answer"}
_READERS_PATH = re.compile(
    r"\.(?:reviews?|comments?|suggestedAnswer|acceptedAnswer)\b", re.IGNORECASE
)


@dataclass(eq=False)  # not frozen, which would take several times as long to make
class Item:
    """A thing with types and properties."""

    source: str
    types: tuple[str, ...]
    """Without vocabulary and in lower case: ``newsarticle``."""
    read: Callable[[], dict[str, list[object]]] = field(repr=False)
    """Returns its properties: of most things nobody asks for them."""
    row: int
    path: str = ""
    """Place within its script or tree, for people."""
    nesting: int = 0
    """Number of things that it is a part of."""
    repeated: bool = False
    """Whether the page describes several such things at once: a list, not the subject."""
    rows: dict[str, list[int]] = field(default_factory=dict, repr=False)
    """Rows of the values of each property, where they have their own."""
    type_names: tuple[str, ...] = ()
    """The types as the page spells them, without vocabulary: ``NewsArticle``."""

    @Lazy
    def properties(self) -> dict[str, list[object]]:
        """By name without vocabulary: texts, numbers and items."""
        return self.read()

    @Lazy
    def is_article(self) -> bool:
        """Whether it is some text that people write."""
        return any(name.endswith(_ARTICLES) for name in self.types)

    @Lazy
    def is_work(self) -> bool:
        """Whether it can be the subject of a page of its own."""
        return self.is_article or not _WORKS.isdisjoint(self.types)

    @Lazy
    def is_page(self) -> bool:
        """Whether it is a page."""
        return not _PAGES.isdisjoint(self.types)

    @property
    def weight(self) -> float:
        """How likely it is what the page is about: articles, other works, pages, then the rest."""
        kind = 3 if self.is_article else 2 if self.is_work else 1 if self.is_page else 0
        return kind - 1.5 * self.nesting - 2 * self.repeated

    @property
    def is_aside(self) -> bool:
        """Whether it is something beside the page's subject."""
        return self.nesting > 1 or self.repeated

    @Lazy
    def is_by_reader(self) -> bool:
        """Whether a reader of the page wrote it: a review or comment below the page's subject."""
        inner = self.nesting > 0 and not _BY_READERS.isdisjoint(self.types)
        return inner or _READERS_PATH.search(self.path) is not None

    def row_of(self, name: str, number: int) -> int:
        """Return the row of a value."""
        rows = self.rows.get(name, [])
        return rows[number] if number < len(rows) else self.row

    def key(self, name: str) -> str:
        """Say which property of what."""
        kind = self.types[0] if self.types else "thing"
        return f"{kind}.{name}" if not self.path else f"{self.path}.{name}"


def _mark_lists(items: list[Item]) -> list[Item]:
    """Return the items of one source, those marked that are alike and too many for a subject."""
    if len(items) > MAX_ALIKE:
        alike = Counter((item.types, item.nesting) for item in items)
        for item in items:
            item.repeated = alike[item.types, item.nesting] > MAX_ALIKE
    return items


def plain_name(name: str) -> str:
    """Return the name of a type or property without its vocabulary."""
    if name.isalnum():  # as most are
        return name
    for mark in ("/", "#", ":"):
        name = name.rpartition(mark)[2] or name
    return name.strip()


def texts(value: object, depth: int = 0) -> list[str]:
    """Return the texts of a value: itself, the name of an item, or those of a list."""
    if isinstance(value, str):
        text = " ".join(without_surrogates(unescaped(value[:MAX_CHARS])).split())
        return [text] if text else []
    if isinstance(value, bool) or depth > MAX_DEPTH:
        return []
    if isinstance(value, int | float):
        return [str(value)]
    if isinstance(value, Item):
        value = value.properties
    if isinstance(value, dict):
        for key in ("name", "@value", "headline", "url", "@id"):
            if key in value:
                return texts(value[key], depth + 1)
        return []
    if isinstance(value, list):
        return [text for each in value[:MAX_VALUES] for text in texts(each, depth + 1)]
    return []


def values_of(thing: object, name: str) -> list[object]:
    """Return the values of a property of an item, or of a plain object."""
    if isinstance(thing, Item):
        return thing.properties.get(name, [])
    if isinstance(thing, dict):
        for key, value in thing.items():
            if key == name or (isinstance(key, str) and plain_name(key) == name):
                return value if isinstance(value, list) else [value]
    return []


def texts_of(thing: object, name: str) -> list[str]:
    """Return the first text of each of the first values of a property."""
    return [text for value in values_of(thing, name)[:3] for text in texts(value)[:1]]


MAX_PROPERTIES = 3_000
MAX_EMBEDDED_CHARS = 5_000

_ADDRESSES = {
    "a": "href", "area": "href", "link": "href", "img": "src", "audio": "src", "video": "src",
    "source": "src", "iframe": "src", "embed": "src", "object": "data",
}  # fmt: skip
_NAMED = ("author", "creator", "publisher", "editor", "contributor")
"""Properties that are about people: a link says who by its text, not by its address."""


def read_embedded(page: Page) -> list[Item]:
    """Return the things that microdata and RDFa of a page describe, the outer ones first."""
    if not page.attributes.has_described:
        return []
    microdata = _read_embedded(page, "microdata", "itemscope", "itemtype", "itemprop")
    return [*microdata, *_read_embedded(page, "rdfa", "typeof", "typeof", "property")]


def _read_embedded(page: Page, source: str, scope: str, kind: str, name: str) -> list[Item]:
    holders, kinds = list[int](), list[str]()
    for row, attribute in islice(page.attributes.described(scope), MAX_PROPERTIES):
        holders.append(row)
        kinds.append(attribute(kind) or "")
    if not holders:
        return []
    is_holder = np.zeros(len(page), bool)
    is_holder[holders] = True
    holder_of = trees.nearest(is_holder, page.parent)
    above = [_holder_above(row, page, holder_of) for row in holders]
    depth: dict[int, int] = {}
    for row, outer in zip(holders, above, strict=True):
        depth[row] = depth.get(outer, -1) + 1
    filled: dict[int, dict[str, list[object]]] = {row: {} for row in holders}
    items = {
        row: Item(
            source, _lower(names), filled[row].copy, row, nesting=depth[row], type_names=names
        )
        for row, types in zip(holders, kinds, strict=True)
        for names in [tuple(map(plain_name, types.split()))]
    }
    named = page.attributes.described(name) if name == "itemprop" else page.attributes.having(name)
    for row, attribute in islice(named, MAX_PROPERTIES):
        outer = _holder_above(row, page, holder_of)
        if outer not in items:
            continue
        for each in (attribute(name) or "").split():
            prop = plain_name(each)
            values = filled[outer].setdefault(prop, [])
            if len(values) < MAX_VALUES:
                held = items.get(row) if attribute(scope) is not None else None
                values.append(held or _value(page, row, prop, attribute))
                items[outer].rows.setdefault(prop, []).append(row)
    return _mark_lists(list(items.values()))


def _holder_above(row: int, page: Page, holder_of: np.ndarray) -> int:
    parent = int(page.parent[row])
    return int(holder_of[parent]) if parent >= 0 else -1


def _value(page: Page, row: int, prop: str, said: Callable[[str], str | None]) -> str:
    if said("content") is not None:
        return collapse((said("content") or "")[:MAX_EMBEDDED_CHARS])
    if said("datetime"):
        return collapse((said("datetime") or "")[:MAX_EMBEDDED_CHARS])
    name = _ADDRESSES.get(page.tag_name(row))
    address = said(name) if name else None
    text = short_text(page, row)
    if address and not (text and prop in _NAMED):
        return collapse(address[:MAX_EMBEDDED_CHARS])
    return text


def _lower(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


MAX_SCRIPTS = 100
MAX_JSON_LD_CHARS = 2_000_000
"""Of all scripts of a page together."""
MAX_THINGS = 2_000

_WRAPPING = re.compile(
    r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*.*?\*/)\s*|(?:-->|//\s*\]\]>|\]\]>|;)\s*$"
)
"""What ends data never begins with white space: a long run of that would take for ever."""
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
    things: list[tuple[int, str, int, dict[str, Any]]] = []
    chars = 0
    selector = "script[type*='ld+json' i]"
    for row in page.attributes.select(selector)[:MAX_SCRIPTS]:
        source = page.attributes.inner_text(row)
        chars += len(source)
        if chars > MAX_JSON_LD_CHARS:
            break
        data = _parsed(source)
        for path, nesting, thing in _things(data):
            if len(things) >= MAX_THINGS:
                break
            things.append((row, path, nesting, thing))
    by_id = {
        thing["@id"]: thing
        for *_, thing in reversed(things)
        if isinstance(thing.get("@id"), str) and len(thing) > 2
    }
    items = []
    for row, path, nesting, thing in things:
        names, read = _types(thing), partial(_properties, thing, by_id)
        items.append(Item("json-ld", _lower(names), read, row, path, nesting, type_names=names))
    return _mark_lists(items)


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
    return _WRAPPING.sub("", _WRAPPING.sub("", source)).strip()


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
    return tuple(plain_name(name) for name in types if isinstance(name, str))


def _properties(thing: dict[str, Any], by_id: dict[str, Any]) -> dict[str, list[object]]:
    properties: dict[str, list[object]] = {}
    for name, value in thing.items():
        values = value if isinstance(value, list) else [value]
        properties[plain_name(name)] = [_resolved(each, by_id) for each in values[:MAX_VALUES]]
    return properties


def _resolved(value: object, by_id: dict[str, Any]) -> object:
    """Return what a reference refers to."""
    if isinstance(value, dict) and len(value) <= 2 and isinstance(value.get("@id"), str):
        return by_id.get(value["@id"], value)
    if isinstance(value, str):
        return unescaped(value)
    return value


MAX_SCRIPT_CHARS = 3_000_000
"""Of all scripts of a page together."""
MAX_OBJECTS = 200
"""So many objects are read from scripts."""
_OBJECT = re.compile(r"[=(:,>]\s*(?=[{\[]\s*[\"{\[])|^\s*(?=[{\[])")
_DECODER = json.JSONDecoder(strict=False)


def script_objects(page: Page, words: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects in scripts that are plain JSON, however deep; nothing is run.

    Args:
        page: The page.
        words: A script with none of these is not read.
    """
    chars = objects = wasted = 0
    for row in page.attributes.select("script:not([src]):not([type*='ld+json' i])")[:MAX_SCRIPTS]:
        source = page.attributes.inner_text(row)
        chars += len(source)
        if chars > MAX_SCRIPT_CHARS or objects > MAX_OBJECTS:
            return
        if not any(word in source for word in words):
            continue
        at = 0
        while objects <= MAX_OBJECTS and wasted <= MAX_SCRIPT_CHARS:
            match = _OBJECT.search(source, at)
            if match is None:
                break
            try:
                data, at = _DECODER.raw_decode(source, match.end())
            except json.JSONDecodeError as error:
                wasted += error.pos - match.start()
                at = match.end() + 1
                continue
            except (ValueError, RecursionError):  # numbers of too many digits, depths of thousands
                break
            objects += 1
            for _, _, thing in _things(data):
                yield row, thing
