"""What the markup of a page states about it: meta elements and structured data, with their rows.

The parser's own readers of structured data do not say where a value stands, so the elements are
read here. Everything is bounded: a page may repeat itself a hundred thousand times.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from joeira._lazy import Lazy, cached_if_short
from joeira._native import native_available
from joeira.arrays import Bools
from joeira.arrays.strings import collapse
from joeira.arrays.trees import inside
from joeira.metadata.claims import Claim, as_read, short_text
from joeira.metadata.structured import (
    MAX_VALUES,
    Item,
    Kind,
    mark_lists,
    plain_name,
    read_json_ld,
    texts,
)
from joeira.page import Page
from joeira.page.attributes import Described
from joeira.page.comments import declares_comments, may_be_of_readers, named_reviews
from joeira.page.left_out import without_surrogates

if native_available:
    from joeira._native import declarations

MAX_META = 2_000
MAX_CHARS = 20_000
"""Maximum length of a value: anything longer is not a name, title or description."""

_FAMILIES = {
    "og": "opengraph", "article": "opengraph", "product": "opengraph", "twitter": "twitter",
    "dc": "dublin-core", "dcterms": "dublin-core", "citation": "citation", "parsely": "parsely",
    "sailthru": "sailthru",
}  # fmt: skip
_ITEMSCOPE, _TYPEOF = map(frozenset, (("itemscope",), ("typeof",)))


class Meta(NamedTuple):
    """One ``<meta>`` element with a name and a content."""

    name: str
    """Lower case, with ``:`` and ``.`` as the page has them."""
    content: str
    row: int
    is_property: bool = False
    """Whether only microdata names it: then it is about a thing, which may not be the page."""

    @property
    def source(self) -> str:
        """Family of the name, ``meta`` for any other."""
        return _family(self.name)


@cached_if_short(entries=256, longest=100)  # pages have the same few names
def _family(name: str) -> str:
    prefix = name.replace(".", ":").replace("_", ":").replace("-", ":").partition(":")[0]
    return _FAMILIES.get(prefix, "meta") if prefix != name else "meta"


RawMetas = dict[str, list[tuple[str, int, bool]]]
"""By name: contents, the rows of these, and whether only microdata gives the name."""


class Statements:
    """The statements of one page, each kind read when it is first asked for."""

    def __init__(self, page: Page) -> None:
        """Keep the page."""
        self.page = page
        self._metas: dict[str, list[Meta]] = {}

    @Lazy
    def _raw_metas(self) -> RawMetas:
        """The contents, as they are, of every meta element by its names, in order."""
        said, rows, otherwise = _metas(self.page)
        return (
            declarations.named(said, rows, otherwise)
            if native_available
            else _named(said, rows, otherwise)
        )

    def named(self, name: str) -> list[Meta]:
        """Return the meta elements of a name that have a content: of most nobody asks for it."""
        if name not in self._raw_metas:
            return []
        if name not in self._metas:
            self._metas[name] = [
                Meta(name, value, row, is_property)
                for content, row, is_property in self._raw_metas[name]
                if (value := as_read(content[:MAX_CHARS]))
            ]
        return self._metas[name]

    def present(self, names: Iterable[str]) -> list[str]:
        """Return which of some names meta elements have: the page has few of all that there are."""
        return [*filter(self._raw_metas.__contains__, names)]

    def first_named(self, names: Mapping[str, float], most: int = 1) -> list[tuple[Meta, float]]:
        """Return the first meta elements of each of some names, and what is said of the name."""
        return [
            (meta, names[name]) for name in self.present(names) for meta in self.named(name)[:most]
        ]

    def linked(self, relation: str) -> list[tuple[int, str]]:
        """Return rows and addresses of the ``<link>`` elements of a relation."""
        links = self.page.attributes.links
        if native_available:
            numbers = declarations.related(relation, links)
        else:
            numbers = [n for n, (names, _) in enumerate(links) if relation in names.lower().split()]
        if not numbers:
            return []
        rows: list[int] = self.page.rows_of("link").tolist()
        if len(rows) == len(links):
            return [(rows[number], links[number][1]) for number in numbers]
        # Those in templates have no row.
        found = self.page.attributes.read(f"link[rel~='{relation}' i]", ["href"])
        return [(row, address or "") for row, (address,) in found]

    def own(self, claims: Iterable[Claim]) -> list[Claim]:
        """Return the claims that stand in nothing that readers of the page wrote."""
        claims = list(claims)
        if not claims:
            return claims
        theirs = self.are_by_readers([claim.row for claim in claims])
        return [claim for claim, is_theirs in zip(claims, theirs, strict=True) if not is_theirs]

    def are_by_readers(self, rows: Sequence[int]) -> list[bool]:
        """Return which of some rows lie in what readers of the page wrote."""
        if not rows or ("is_by_readers" not in self.__dict__ and self._are_by_nobody_else(rows)):
            return [False] * len(rows)
        return [bool(self.is_by_readers[row]) for row in rows]

    def _are_by_nobody_else(self, rows: Iterable[int]) -> bool:
        """Return whether that is certain by names: readers wrote no first text in or next to rows.

        Much faster than to find out what they wrote on the whole page.
        """
        page, known = self.page, self._of_nobody_else
        # Views of these are faster than arrays to look single numbers up in.
        index, end, parent = page.text_index.data, page.end.data, page.parent.data
        around: set[int] = set()
        for row in rows:
            filled = row
            while filled > 0 and index[filled] == index[end[filled]]:
                filled = parent[filled]
            text = index[filled]
            above = int(page.text_rows[text]) if text < page.text_count else -1
            while above >= 0 and above not in known and above not in around:
                around.add(above)
                above = parent[above]
        if self._declares_comments or may_be_of_readers(page, around):
            return False
        known |= around
        return True

    @Lazy
    def _of_nobody_else(self) -> set[int]:
        """Rows whose names tell nothing of readers."""
        return set()

    @Lazy
    def _declares_comments(self) -> bool:
        return declares_comments(self.page)

    @Lazy
    def is_by_readers(self) -> Bools:
        """Per row: whether it lies in what readers of the page wrote: comments and reviews."""
        page = self.page
        written = page.in_comments | named_reviews(page)
        if not written.any():
            return np.zeros(len(page), bool)
        before = np.concatenate(([0], np.cumsum(written)))
        start, stop = page.text_index[:-1], page.text_index[page.end]
        return inside((stop > start) & (before[stop] - before[start] == stop - start), page.end)

    @Lazy
    def month_first(self) -> bool:
        """Whether 3/4/2020 is in March on this page."""
        return writes_month_first(self.page)

    @Lazy
    def items(self) -> list[Item]:
        """Things described by JSON-LD, microdata and RDFa, the page's own subject first."""
        items = [*read_json_ld(self.page), *read_embedded(self.page)]
        items.sort(key=attrgetter("weight"), reverse=True)  # of the same weight: in order
        return items

    def items_with(self, names: Iterable[str], most: int) -> list[Item]:
        """Return those of the first items of which some property of a few is stated."""
        has_none = frozenset(names).isdisjoint
        return [item for item in self.items[:most] if not has_none(item.stated)]


_BRITISH_HOST = re.compile(r"\.(?:uk|au|nz|ie|in)/")


def writes_month_first(page: Page) -> bool:
    """Return whether 3/4/2020 is in March: in American English, and English that says no more."""
    language = (page.attributes.get(0, "lang") or "en").lower() if len(page) else "en"
    if not language.startswith("en") or language.endswith(("gb", "au", "nz", "ie", "in", "za")):
        return False
    return _BRITISH_HOST.search(page.url or "") is None


def _metas(page: Page) -> tuple[Sequence[Sequence[str]], list[int], dict[int, tuple[str, str]]]:
    """Return name, property and content of each meta element; rows; itemprop and http-equiv."""
    attributes = page.attributes
    said, rows = attributes.metas, page.rows_of("meta").tolist()
    if len(rows) == len(said) and len(rows) <= MAX_META:
        others = attributes.metas_named_otherwise
        return said, rows, {number: (prop, header) for number, prop, header in others}
    # Those in templates have no row.
    names = ("name", "property", "content", "itemprop", "http-equiv")
    found = list(islice(attributes.read("meta[content]", names), MAX_META))
    values = [[value or "" for value in each] for _, each in found]
    otherwise = {number: (prop, header) for number, (*_, prop, header) in enumerate(values)}
    return [each[:3] for each in values], [row for row, _ in found], otherwise


def _named(
    said: Iterable[Sequence[str]], rows: Iterable[int], otherwise: Mapping[int, tuple[str, str]]
) -> RawMetas:
    """Return the contents by name, with the row and whether only microdata names it."""
    by_name: RawMetas = {}
    for number, ((name, other, content), row) in enumerate(zip(said, rows, strict=True)):
        prop, header = otherwise.get(number, ("", ""))
        is_property = bool(prop) and not (name or other)
        keys = {each.strip().lower() for each in (name, other, prop, header)} - {""}
        for key in keys if content else ():
            by_name.setdefault(key, []).append((content, row, is_property))
    return by_name


MAX_PROPERTIES = 3_000
MAX_EMBEDDED_CHARS = 5_000

_ADDRESSES = {
    "a": "href", "area": "href", "link": "href", "img": "src", "audio": "src", "video": "src",
    "source": "src", "iframe": "src", "embed": "src", "object": "data",
}  # fmt: skip
_NAMED = ("author", "creator", "publisher", "editor", "contributor")
"""Properties that are about people: a link says who by its text, not by its address."""


class _Syntax(NamedTuple):
    """The names of attributes by which things are described."""

    source: str
    scope: str
    """An element with this is a thing."""
    kind: str
    """Its types."""
    name: str
    """The properties of the thing around an element that it gives a value of."""


_MICRODATA = _Syntax("microdata", "itemscope", "itemtype", "itemprop")
_RDFA = _Syntax("rdfa", "typeof", "typeof", "property")


def read_embedded(page: Page) -> list[Item]:
    """Return the things that microdata and RDFa of a page describe, the outer ones first."""
    items: list[Item] = []
    # Many a page names properties of a thing that it never opens: nothing is searched for them.
    if page.attributes.may_have(_ITEMSCOPE):
        items += _read_embedded(page, _MICRODATA, page.attributes.described)
    if page.attributes.may_have(_TYPEOF):
        items += _read_embedded(page, _RDFA, page.attributes.having(_RDFA.scope, _RDFA.name))
    return items


def _read_embedded(page: Page, syntax: _Syntax, elements: Iterable[Described]) -> list[Item]:
    source, scope, types, name = syntax
    reader, end = _Embedded(page, source), page.end.data
    items: list[Item] = []
    around: list[Item] = []
    properties = 0
    for row, values in elements:
        while around and end[around[-1].row] <= row:
            around.pop()
        item, depth = None, around[-1].nesting + 1 if around else 0
        if scope in values and len(items) < MAX_PROPERTIES:
            kind = Kind.of(values.get(types, "").split())
            item = Item(reader, kind, {}, row, nesting=depth)
            items.append(item)
        if name in values and properties < MAX_PROPERTIES:
            properties += 1
            for each in values[name].split() if around else ():
                places = around[-1].stated.setdefault(plain_name(each), [])
                if len(places) < MAX_VALUES:
                    places.append((row, values, item))
        if item:
            around.append(item)
    return mark_lists(items)


_Place = tuple[int, dict[str, str], Item | None]
"""Row and attributes of an element that gives a property, and the thing that it is."""


class _Embedded:
    """The things in the elements of a page."""

    def __init__(self, page: Page, source: str) -> None:
        self._page, self.source = page, source

    def values(self, name: str, stated: Sequence[_Place]) -> list[object]:
        return [item or _value(self._page, row, name, said) for row, said, item in stated]

    def rows(self, stated: Sequence[_Place]) -> Sequence[int]:
        return [row for row, *_ in stated]


def _value(page: Page, row: int, prop: str, said: Mapping[str, str]) -> str:
    stated = said.get("content", said.get("datetime"))
    if stated or "content" in said:
        return collapse((stated or "")[:MAX_EMBEDDED_CHARS])
    address = said.get(_ADDRESSES.get(page.tag_name(row), ""))
    text = short_text(page, row)
    if address and not (text and prop in _NAMED):
        return collapse(address[:MAX_EMBEDDED_CHARS])
    return text


MAX_OWN_THINGS = 50
MAX_OWN_VALUES = 5_000
"""Of all things of a page together."""
MAX_OWN_DEPTH = 24
_EMPTY: tuple[object, ...] = (None, "", [], {})


def own_things(items: Sequence[Item], page: Page) -> list[dict[str, Any]]:
    """Return what a page declares of itself, as plain data without what is empty."""
    left = [MAX_OWN_VALUES]
    return [
        {
            "type": list(item.type_names),
            "source": item.source,
            "xpath": page.xpath(item.row),
            "path": item.path,
            "properties": _plain(item, left),
        }
        for item in items
        if item.nesting == 0 and item.types
    ][:MAX_OWN_THINGS]


def _plain(value: object, left: list[int], depth: int = 0) -> Any:
    """Return a value as plain data; None for what is empty, too deep or one too many."""
    left[0] -= 1
    if left[0] < 0 or depth > MAX_OWN_DEPTH:
        return None
    if isinstance(value, str):
        return next(iter(texts(value)), None)
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Item):
        kind = {"@type": list(value.type_names)} if depth else {}
        pairs = ((key, _plain(each, left, depth + 1)) for key, each in value.properties.items())
        filled = ((key, each) for key, each in pairs if each and key not in ("@context", "@type"))
        return {**kind, **{key: each[0] if len(each) == 1 else each for key, each in filled}}
    if isinstance(value, dict):
        pairs = ((str(key)[:200], _plain(each, left, depth + 1)) for key, each in value.items())
        return {without_surrogates(key): each for key, each in pairs if each not in _EMPTY}
    if isinstance(value, list):
        values = (_plain(each, left, depth + 1) for each in value)
        return [each for each in values if each not in _EMPTY]
    return None
