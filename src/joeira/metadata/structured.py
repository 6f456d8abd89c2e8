"""Structured data: the things that a page describes in JSON-LD, microdata or RDFa.

An `Item` is such a thing, whatever the syntax, with how near it is to the page itself.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from joeira._lazy import Lazy, cached_if_short
from joeira.metadata.claims import unescaped
from joeira.page import Page
from joeira.page.left_out import without_surrogates

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


class Kind(NamedTuple):
    """What a type of things is."""

    is_article: bool
    is_work: bool
    is_page: bool

    @classmethod
    def of(cls, types: tuple[str, ...]) -> Kind:
        """Return what a thing of some types is: all that any of them is."""
        if len(types) == 1:
            return _kind(types[0])
        kinds = list(map(_kind, types))
        return cls(
            any(kind.is_article for kind in kinds),
            any(kind.is_work for kind in kinds),
            any(kind.is_page for kind in kinds),
        )


@cached_if_short(entries=256, longest=100)  # pages have things of the same few types
def _kind(name: str) -> Kind:
    is_article = name.endswith(_ARTICLES)
    return Kind(is_article, is_article or name in _WORKS, name in _PAGES)


class Properties(Protocol):
    """What a page says of a thing, read when it is asked for: of most things nobody asks."""

    @property
    def stated(self) -> Mapping[str, Any]:
        """What the page states of each property, by its name without vocabulary."""

    def get(self, name: str) -> list[object]:
        """Return the values of a property."""

    def all(self) -> dict[str, list[object]]:
        """Return the values of all properties, in order."""

    def rows(self, name: str) -> list[int]:
        """Return the rows of the values of a property, where they have their own."""


@dataclass(eq=False)  # not frozen, which would take several times as long to make
class Item:
    """A thing with types and properties."""

    source: str
    type_names: tuple[str, ...]
    """Without vocabulary, as the page spells them: ``NewsArticle``."""
    held: Properties = field(repr=False)
    row: int
    path: str = ""
    """Place within its script or tree, for people."""
    nesting: int = 0
    """Number of things that it is a part of."""
    repeated: bool = False
    """Whether the page describes several such things at once: a list, not the subject."""

    @Lazy
    def types(self) -> tuple[str, ...]:
        """The types in lower case: ``newsarticle``."""
        names = self.type_names
        return (names[0].lower(),) if len(names) == 1 else tuple(map(str.lower, names))

    @Lazy
    def stated(self) -> Mapping[str, Any]:
        """What the page states of each property, by its name without vocabulary."""
        return self.held.stated

    @Lazy
    def properties(self) -> dict[str, list[object]]:
        """By name without vocabulary: texts, numbers and items."""
        return self.held.all()

    def values(self, name: str) -> list[object]:
        """Return the values of one property, faster than all of them."""
        return self.held.get(name)

    @Lazy
    def kind(self) -> Kind:
        """What its types make it."""
        return Kind.of(self.types)

    @property
    def is_article(self) -> bool:
        """Whether it is some text that people write."""
        return self.kind.is_article

    @property
    def is_work(self) -> bool:
        """Whether it can be the subject of a page of its own."""
        return self.kind.is_work

    @property
    def is_page(self) -> bool:
        """Whether it is a page."""
        return self.kind.is_page

    def weight(self) -> float:
        """Return how likely it is the page's subject: articles, other works, pages, the rest."""
        is_article, is_work, is_page = self.kind
        kind = 3 if is_article else 2 if is_work else 1 if is_page else 0
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
        rows = self.held.rows(name)
        return rows[number] if number < len(rows) else self.row

    def key(self, name: str) -> str:
        """Say which property of what."""
        kind = self.types[0] if self.types else "thing"
        return f"{kind}.{name}" if not self.path else f"{self.path}.{name}"


def mark_lists(items: list[Item]) -> list[Item]:
    """Return the items of one source, those marked that are alike and too many for a subject."""
    if len(items) > MAX_ALIKE:
        alike: dict[object, list[Item]] = {}
        first: dict[tuple[str, ...], Item] = {}
        for item in items:
            other = first.setdefault(item.type_names, item)
            if other is not item:  # known for all of them as soon as for one
                item.__dict__["types"], item.__dict__["kind"] = other.types, other.kind
            alike.setdefault((item.types, item.nesting), []).append(item)
        for each in alike.values():
            if len(each) > MAX_ALIKE:
                for item in each:
                    item.repeated = True
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
    if value is None or isinstance(value, bool) or depth > MAX_DEPTH:
        return []
    if isinstance(value, Item):
        value = value.properties
    if isinstance(value, dict):
        for key in ("name", "@value", "headline", "url", "@id"):
            if key in value:
                return texts(value[key], depth + 1)
        return []
    if isinstance(value, int | float):
        return [str(value)]
    if isinstance(value, list):
        return [text for each in value[:MAX_VALUES] for text in texts(each, depth + 1)]
    return []


def values_of(thing: object, name: str) -> list[object]:
    """Return the values of a property of an item, or of a plain object."""
    if isinstance(thing, Item):
        return thing.values(name)
    if isinstance(thing, dict):
        for key, value in thing.items():
            if key == name or (isinstance(key, str) and plain_name(key) == name):
                return value if isinstance(value, list) else [value]
    return []


def texts_of(thing: object, name: str) -> list[str]:
    """Return the first text of each of the first values of a property."""
    return [text for value in values_of(thing, name)[:3] for text in texts(value)[:1]]


MAX_SCRIPTS = 100
MAX_JSON_LD_CHARS = 2_000_000
"""Of all scripts of a page together."""
MAX_THINGS = 2_000
_DECODER = json.JSONDecoder(strict=False)

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
_HOLDING = (dict, list)


def read_json_ld(page: Page) -> list[Item]:
    """Return the things of all JSON-LD scripts of a page, the references in them resolved."""
    things: list[tuple[int, str, int, dict[str, Any]]] = []
    chars = 0
    attributes = page.attributes
    for row, number in attributes.fact_rows[:MAX_SCRIPTS]:
        source = attributes.inner_text(row) if number < 0 else attributes.facts[number]
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
        for _, _, _, thing in reversed(things)
        if len(thing) > 2 and isinstance(thing.get("@id"), str)
    }
    return mark_lists(
        [
            Item("json-ld", _types(thing), _Stated(thing, by_id), row, path, nesting)
            for row, path, nesting, thing in things
        ]
    )


def _parsed(source: str) -> Any:
    """Return the data of a script; None when it is beyond repair."""
    source = without_surrogates(source).strip().lstrip("\ufeff")
    for attempt in (_unchanged, _unwrapped, _repaired):
        try:
            return _DECODER.decode(attempt(source))
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
                if isinstance(each, _HOLDING)
            ]
            waiting.extend(reversed(below))


def _step(key: str) -> int:
    name = key.lower()
    if name in _SAME:
        return 0
    return 2 if name in _ASIDE else 1


def _types(thing: dict[str, Any]) -> tuple[str, ...]:
    types = thing.get("@type")
    if isinstance(types, str):
        return (plain_name(types),)
    some = types if isinstance(types, list) else ()
    return tuple(plain_name(name) for name in some if isinstance(name, str))


class _Stated:
    """The properties of a thing in JSON-LD, whose values have no rows of their own."""

    def __init__(self, thing: dict[str, Any], by_id: dict[str, Any]) -> None:
        self._thing = thing
        self._by_id = by_id

    @Lazy
    def stated(self) -> Mapping[str, Any]:
        """The values by plain names: by their own where none has a vocabulary."""
        thing = self._thing
        if "".join(thing).replace("@", "").isalnum():
            return thing
        return {plain_name(name): value for name, value in thing.items()}

    def get(self, name: str) -> list[object]:
        named = self.stated
        return self._values(named[name]) if name in named else []

    def all(self) -> dict[str, list[object]]:
        return {name: self._values(value) for name, value in self.stated.items()}

    def rows(self, name: str) -> list[int]:
        return []

    def _values(self, value: object) -> list[object]:
        values = value if isinstance(value, list) else [value]
        return [_resolved(each, self._by_id) for each in values[:MAX_VALUES]]


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
