"""Structured data: the things that a page describes in JSON-LD, microdata or RDFa.

An `Item` is such a thing, whatever the syntax, with how near it is to the page itself.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from joeira._lazy import Lazy, cached_if_short
from joeira._native import native_available
from joeira.metadata.claims import as_read, unescaped
from joeira.page import Page
from joeira.page.left_out import without_surrogates

if native_available:
    from joeira._native import declarations

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
    """What its types make a thing: all that any of them does."""

    names: tuple[str, ...]
    """The types without vocabulary, as the page spells them: ``NewsArticle``."""
    types: tuple[str, ...]
    """The same in lower case."""
    is_article: bool
    """Whether it is some text that people write."""
    is_work: bool
    """Whether it can be the subject of a page of its own."""
    is_page: bool
    weight: int
    """How likely it is the page's subject: articles, other works, pages, the rest."""

    @classmethod
    def of(cls, stated: Sequence[str]) -> Kind:
        """Return what types make a thing, as the page states them."""
        if len(stated) == 1:
            return _kind(stated[0])
        kinds = list(map(_kind, stated))
        return cls(
            tuple(name for kind in kinds for name in kind.names),
            tuple(name for kind in kinds for name in kind.types),
            any(kind.is_article for kind in kinds),
            any(kind.is_work for kind in kinds),
            any(kind.is_page for kind in kinds),
            max((kind.weight for kind in kinds), default=0),
        )


@cached_if_short(entries=256, longest=100)  # pages have things of the same few types
def _kind(stated: str) -> Kind:
    name = plain_name(stated)
    lowered = name.lower()
    is_article = lowered.endswith(_ARTICLES)
    is_work, is_page = is_article or lowered in _WORKS, lowered in _PAGES
    weight = 3 if is_article else 2 if is_work else int(is_page)
    return Kind((name,), (lowered,), is_article, is_work, is_page, weight)


_NO_KIND = Kind.of(())
"""Of what has no types, as references to other things."""


class Reader(Protocol):
    """Reads what a page says of its things when somebody asks: of most things nobody does."""

    source: str

    def values(self, name: str, stated: Any) -> list[object]:
        """Return the values of a property."""

    def rows(self, stated: Any) -> Sequence[int]:
        """Return the rows of these values, where they have their own."""


class Item:
    """A thing with types and properties."""

    __slots__ = (
        "_reader", "is_article", "is_page", "is_work", "nesting", "path", "repeated", "row",
        "stated", "type_names", "types", "weight",
    )  # fmt: skip

    def __init__(
        self,
        reader: Reader,
        kind: Kind,
        stated: dict[str, Any],
        row: int,
        path: str = "",
        nesting: int = 0,
    ) -> None:
        """Keep what is known.

        Args:
            reader: What reads the values of the properties.
            kind: What its types make it.
            stated: What the page states of each property, by its name without vocabulary.
            row: Where that is.
            path: Place within its script or tree, for people.
            nesting: Number of things that it is a part of.
        """
        self._reader, self.stated = reader, stated
        self.type_names, self.types, self.is_article, self.is_work, self.is_page, weight = kind
        self.row, self.path, self.nesting = row, path, nesting
        self.repeated = False
        """Whether the page describes several such things at once: a list, not the subject."""
        self.weight = weight - 1.5 * nesting
        """How likely it is the page's subject."""

    @property
    def source(self) -> str:
        """The syntax: ``json-ld``, ``microdata`` or ``rdfa``."""
        return self._reader.source

    @property
    def properties(self) -> dict[str, list[object]]:
        """By name without vocabulary: texts, numbers and items."""
        return {name: self.values(name) for name in self.stated}

    def values(self, name: str) -> list[object]:
        """Return the values of one property, faster than all of them."""
        return self._reader.values(name, self.stated[name]) if name in self.stated else []

    @property
    def is_aside(self) -> bool:
        """Whether it is something beside the page's subject."""
        return self.nesting > 1 or self.repeated

    @property
    def is_by_reader(self) -> bool:
        """Whether a reader of the page wrote it: a review or comment below the page's subject."""
        return self.nesting > 0 and (
            not _BY_READERS.isdisjoint(self.types) or _READERS_PATH.search(self.path) is not None
        )

    def row_of(self, name: str, number: int) -> int:
        """Return the row of a value."""
        rows = self._reader.rows(self.stated[name]) if name in self.stated else ()
        return rows[number] if number < len(rows) else self.row

    def key(self, name: str) -> str:
        """Say which property of what."""
        kind = self.types[0] if self.types else "thing"
        return f"{kind}.{name}" if not self.path else f"{self.path}.{name}"


def mark_lists(items: list[Item]) -> list[Item]:
    """Return the items of one source, those marked that are alike and too many for a subject."""
    alike: dict[object, list[Item]] = {}
    for item in items if len(items) > MAX_ALIKE else ():
        alike.setdefault((item.types, item.nesting), []).append(item)
    for each in alike.values():
        if len(each) > MAX_ALIKE:
            for item in each:
                item.repeated = True
                item.weight -= 2
    return items


def plain_name(name: str) -> str:
    """Return the name of a type or property without its vocabulary."""
    if name.isalnum():  # as most are
        return name
    for mark in ("/", "#", ":"):
        name = name.rpartition(mark)[2] or name
    return name.strip()


_NAMING = ("name", "@value", "headline", "url", "@id")
"""Properties that name a thing, the best first."""


def texts(value: object, depth: int = 0) -> list[str]:
    """Return the texts of a value: itself, the name of an item, or those of a list."""
    if isinstance(value, str):
        text = as_read(value[:MAX_CHARS])
        return [text] if text else []
    if value is None or isinstance(value, bool) or depth > MAX_DEPTH:
        return []
    if isinstance(value, Item):
        name = next((name for name in _NAMING if name in value.stated), None)
        return [] if name is None else texts(value.values(name), depth + 1)
    if isinstance(value, dict):
        name = next((name for name in _NAMING if name in value), None)
        return [] if name is None else texts(value[name], depth + 1)
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
MAX_SEEN = 50 * MAX_THINGS
"""So many objects and lists of a script are looked at."""
_DECODER = json.JSONDecoder(strict=False)

_WRAPPING = re.compile(
    r"^\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*.*?\*/)\s*|(?:-->|//\s*\]\]>|\]\]>|;)\s*$"
)
"""What ends data never begins with white space: a long run of that would take for ever."""
_OPENING, _CLOSING = ("<!", "/"), (">", ";")
"""Where there is something around data it begins or ends with one of these."""
_TRAILING_COMMA = re.compile(r",(\s*[\]}])")
# Below these a thing is not the page's own subject but something beside it.
_ASIDE = {
    "itemlistelement", "comment", "review", "haspart", "publisher", "author", "relatedlink",
    "suggestedanswer", "acceptedanswer", "isrelatedto", "citation", "mentions", "offers",
    "aggregaterating", "breadcrumb", "blogpost", "about", "creator", "ispartof", "video", "image",
    "liveblogupdate",
}  # fmt: skip
_STEPS = {**dict.fromkeys(_ASIDE, 2), "@graph": 0, "mainentity": 0, "mainentityofpage": 0}
"""How much deeper a thing is than the one that has it by some name: otherwise by one."""
_HOLDING = (dict, list)


def read_json_ld(page: Page) -> list[Item]:
    """Return the things of all JSON-LD scripts of a page, the references in them resolved."""
    linked, items = _Linked(), list[Item]()
    chars = 0
    attributes = page.attributes
    for row, number in attributes.fact_rows[:MAX_SCRIPTS]:
        source = attributes.inner_text(row) if number < 0 else attributes.facts[number]
        chars += len(source)
        if chars > MAX_JSON_LD_CHARS:
            break
        for path, nesting, thing in _things(_parsed(source))[: MAX_THINGS - len(items)]:
            linked.things.append(thing)
            types = thing.get("@type")
            kind = _kind(types) if isinstance(types, str) else _kind_of(types)
            items.append(Item(linked, kind, _named(thing), row, path, nesting))
    return mark_lists(items)


def _parsed(source: str) -> Any:
    """Return the data of a script; None when it is beyond repair."""
    tried, source = None, without_surrogates(source).strip().lstrip("\ufeff")
    for change in (None, _unwrapped, _repaired):
        source = change(source) if change else source
        if source == tried:
            continue
        tried = source
        try:
            return _DECODER.decode(source)
        except (ValueError, RecursionError):
            continue
    return None


def _unwrapped(source: str) -> str:
    if not source.lstrip().startswith(_OPENING) and not source.endswith(_CLOSING):
        return source.strip()  # to look for what is not there would take as long as to read it
    return _WRAPPING.sub("", _WRAPPING.sub("", source)).strip()


def _repaired(source: str) -> str:
    if "&quot;" in source and '"' not in source:
        source = html.unescape(source)
    return _TRAILING_COMMA.sub(r"\1", source)


def _things(data: Any) -> list[tuple[str, int, dict[str, Any]]]:
    """Return every object with its path and the number of things it is beside or part of."""
    if native_available:
        return declarations.things(data, _STEPS, MAX_THINGS, MAX_SEEN)
    found: list[tuple[str, int, dict[str, Any]]] = []
    waiting: list[tuple[str, int, Any]] = [("$", 0, data)]
    seen = 0
    while waiting and seen < MAX_SEEN:
        seen += 1
        path, nesting, value = waiting.pop()
        if isinstance(value, list):
            values = enumerate(value[:MAX_THINGS])
            below = [(f"{path}[{number}]", nesting, each) for number, each in values]
        elif isinstance(value, dict):
            found.append((path, nesting, value))
            below = [
                (f"{path}.{key}", nesting + _STEPS.get(key.lower(), 1), each)
                for key, each in value.items()
            ]
        else:
            below = []
        waiting += [each for each in reversed(below) if isinstance(each[2], _HOLDING)]
    return found


def _kind_of(types: object) -> Kind:
    if not isinstance(types, list):
        return _NO_KIND
    return Kind.of([name for name in types if isinstance(name, str)])


def _named(thing: dict[str, Any]) -> dict[str, Any]:
    """Return the values by plain names: by their own where none has a vocabulary."""
    if native_available:
        is_plain = declarations.are_plain(thing)
    else:
        is_plain = "".join(thing).replace("@", "").isalnum()
    return thing if is_plain else {plain_name(name): value for name, value in thing.items()}


class _Linked:
    """The things of JSON-LD, whose values have no rows of their own."""

    source = "json-ld"

    def __init__(self) -> None:
        self.things: list[dict[str, Any]] = []

    @Lazy
    def _by_id(self) -> dict[str, dict[str, Any]]:
        return {
            thing["@id"]: thing
            for thing in reversed(self.things)
            if len(thing) > 2 and isinstance(thing.get("@id"), str)
        }

    def values(self, name: str, stated: Any) -> list[object]:
        if isinstance(stated, list):
            return [self._resolved(each) for each in stated[:MAX_VALUES]]
        return [self._resolved(stated)]

    def rows(self, stated: Any) -> Sequence[int]:
        return ()

    def _resolved(self, value: object) -> object:
        """Return what a reference refers to."""
        if isinstance(value, str):
            return unescaped(value)
        if isinstance(value, dict) and len(value) <= 2 and isinstance(value.get("@id"), str):
            return self._by_id.get(value["@id"], value)
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
