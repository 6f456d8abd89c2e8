"""What the markup of a page states about it: meta elements and structured data, with their rows.

The parser's own readers of structured data do not say where a value stands, so the elements are
read here. Everything is bounded: a page may repeat itself a hundred thousand times.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from joeira._lazy import Lazy, cached_if_short
from joeira.arrays import Bools
from joeira.arrays.strings import collapse
from joeira.arrays.trees import inside
from joeira.metadata.claims import Claim, short_text, unescaped
from joeira.metadata.structured import (
    MAX_VALUES,
    Item,
    mark_lists,
    plain_name,
    read_json_ld,
    texts,
)
from joeira.page import Page
from joeira.page.comments import declares_comments, may_be_of_readers, named_reviews
from joeira.page.left_out import without_surrogates

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


class Statements:
    """The statements of one page, each kind read when it is first asked for."""

    def __init__(self, page: Page) -> None:
        """Keep the page."""
        self.page = page

    @Lazy
    def _raw_metas(self) -> dict[str, list[tuple[str, int, bool]]]:
        """The contents, as they are, of every meta element by its names, in order."""
        by_name: dict[str, list[tuple[str, int, bool]]] = {}
        metas, otherwise = _metas(self.page)
        for number, (row, (name, other, content)) in enumerate(metas):
            if not content:
                continue
            if number not in otherwise and bool(name) != bool(other):  # as most have it
                key = (name or other or "").strip().lower()
                by_name.setdefault(key, []).append((content, row, False))
                continue
            prop, header = otherwise.get(number, ("", ""))
            is_property = bool(prop) and not (name or other)
            for key in {key.strip().lower() for key in (name, other, prop, header) if key}:
                by_name.setdefault(key, []).append((content, row, is_property))
        return by_name

    @Lazy
    def _metas(self) -> dict[str, list[Meta]]:
        return {}

    def named(self, name: str) -> list[Meta]:
        """Return the meta elements of a name that have a content: of most nobody asks for it."""
        if name not in self._raw_metas:
            return []
        if name not in self._metas:
            self._metas[name] = [
                Meta(name, value, row, is_property)
                for content, row, is_property in self._raw_metas[name]
                if (value := collapse(without_surrogates(unescaped(content[:MAX_CHARS]))))
            ]
        return self._metas[name]

    def present(self, names: Iterable[str]) -> list[str]:
        """Return which of some names meta elements have: the page has few of all that there are."""
        return [*filter(self._raw_metas.__contains__, names)]

    def first_named(self, names: Mapping[str, float]) -> Iterator[tuple[Meta, float]]:
        """Yield the first meta element of each of some names, and what is said of the name."""
        for name in self.present(names):
            for meta in self.named(name)[:1]:
                yield meta, names[name]

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
        items.sort(key=Item.weight, reverse=True)  # those that weigh the same stay in order
        return items


_BRITISH_HOST = re.compile(r"\.(?:uk|au|nz|ie|in)/")


def writes_month_first(page: Page) -> bool:
    """Return whether 3/4/2020 is in March: in American English, and English that says no more."""
    language = (page.attributes.get(0, "lang") or "en").lower() if len(page) else "en"
    if not language.startswith("en") or language.endswith(("gb", "au", "nz", "ie", "in", "za")):
        return False
    return _BRITISH_HOST.search(page.url or "") is None


_Metas = tuple[Iterable[tuple[int, tuple[str, ...]]], dict[int, tuple[str, str]]]


def _metas(page: Page) -> _Metas:
    """Return row and name, property and content of each meta element; itemprop and http-equiv."""
    attributes = page.attributes
    said = attributes.metas
    rows: list[int] = page.rows_of("meta").tolist()
    if len(rows) == len(said) and len(rows) <= MAX_META:
        others = attributes.metas_named_otherwise
        return zip(rows, said, strict=True), {number: (prop, head) for number, prop, head in others}
    # Those in templates have no row.
    names = ("name", "property", "content", "itemprop", "http-equiv")
    found = [
        (row, [value or "" for value in values])
        for row, values in islice(attributes.read("meta[content]", names), MAX_META)
    ]
    metas = [(row, (name, other, content)) for row, (name, other, content, *_) in found]
    return metas, {number: (prop, header) for number, (_, (*_, prop, header)) in enumerate(found)}


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
    items: list[Item] = []
    # Many a page names properties of a thing that it never opens: nothing is searched for them.
    if page.attributes.may_have(_ITEMSCOPE):
        items += _read_embedded(page, "microdata", "itemscope", "itemtype", "itemprop")
    if page.attributes.may_have(_TYPEOF):
        items += _read_embedded(page, "rdfa", "typeof", "typeof", "property")
    return items


def _read_embedded(page: Page, source: str, scope: str, kind: str, name: str) -> list[Item]:
    holders, kinds = list[int](), list[str]()
    for row, attribute in islice(page.attributes.described(scope), MAX_PROPERTIES):
        holders.append(row)
        kinds.append(attribute(kind) or "")
    if not holders:
        return []
    held = {row: _Described(page, {}) for row in holders}
    items: dict[int, Item] = {}
    above = _holders_above(page, holders, holders)
    for row, outer, types in zip(holders, above, kinds, strict=True):
        names = tuple(map(plain_name, types.split()))
        depth = items[outer].nesting + 1 if outer >= 0 else 0
        items[row] = Item(source, names, held[row], row, nesting=depth)
    having = page.attributes.described if name == "itemprop" else page.attributes.having
    named = list(islice(having(name), MAX_PROPERTIES))
    above = _holders_above(page, [row for row, _ in named], holders)
    for (row, attribute), outer in zip(named, above, strict=True):
        for each in (attribute(name) or "").split() if outer >= 0 else ():
            places = held[outer].places.setdefault(plain_name(each), [])
            if len(places) < MAX_VALUES:
                inner = items.get(row) if attribute(scope) is not None else None
                places.append((row, attribute, inner))
    return mark_lists(list(items.values()))


def _holders_above(page: Page, rows: Sequence[int], holders: Sequence[int]) -> list[int]:
    """Return the nearest of some elements that each row is in; -1 for none. All are in order."""
    ends = page.end[holders].tolist()
    found: list[int] = []
    around: list[tuple[int, int]] = [(-1, len(page))]
    opened = 0
    for row in rows:
        while opened < len(holders) and holders[opened] < row:
            while around[-1][1] <= holders[opened]:
                around.pop()
            around.append((holders[opened], ends[opened]))
            opened += 1
        while around[-1][1] <= row:
            around.pop()
        found.append(around[-1][0])
    return found


@dataclass(frozen=True)
class _Described:
    """The properties of a thing in the elements of a page."""

    page: Page
    places: dict[str, list[tuple[int, Callable[[str], str | None], Item | None]]]
    """Of each property: rows, what reads their attributes, and the things that they are."""

    @property
    def stated(self) -> Mapping[str, Any]:
        return self.places

    def get(self, name: str) -> list[object]:
        return [
            inner or _value(self.page, row, name, attribute)
            for row, attribute, inner in self.places.get(name, ())
        ]

    def all(self) -> dict[str, list[object]]:
        return {name: self.get(name) for name in self.places}

    def rows(self, name: str) -> list[int]:
        return [row for row, *_ in self.places.get(name, ())]


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
