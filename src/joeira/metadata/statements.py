"""What the markup of a page states about it: meta elements and structured data, with their rows.

The parser's own readers of structured data do not say where a value stands, so the elements are
read here. Everything is bounded: a page may repeat itself a hundred thousand times.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from joeira._lazy import Lazy
from joeira.arrays import Bools
from joeira.arrays.strings import collapse
from joeira.arrays.trees import inside
from joeira.metadata import structured
from joeira.metadata.claims import unescaped
from joeira.metadata.structured import Item, texts
from joeira.page import Page
from joeira.page.attributes import without_surrogates
from joeira.page.comments import named_reviews

MAX_META = 2_000
MAX_CHARS = 20_000
"""Maximum length of a value: anything longer is not a name, title or description."""

_FAMILIES = {
    "og": "opengraph", "article": "opengraph", "product": "opengraph", "twitter": "twitter",
    "dc": "dublin-core", "dcterms": "dublin-core", "citation": "citation", "parsely": "parsely",
    "sailthru": "sailthru",
}  # fmt: skip


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
        prefix = self.name.replace(".", ":").replace("_", ":").replace("-", ":").partition(":")[0]
        return _FAMILIES.get(prefix, "meta") if prefix != self.name else "meta"


class Statements:
    """The statements of one page, each kind read when it is first asked for."""

    def __init__(self, page: Page) -> None:
        """Keep the page."""
        self.page = page

    @Lazy
    def _raw_metas(self) -> dict[str, list[tuple[str, int, bool]]]:
        """The contents, as they are, of every meta element by its names, in order."""
        by_name: dict[str, list[tuple[str, int, bool]]] = {}
        names = ("property", "name", "itemprop", "http-equiv", "content")
        for row, values in islice(self.page.attributes.read("meta[content]", names), MAX_META):
            *keys, content = values
            if not content:
                continue
            is_property = bool(keys[2]) and not (keys[0] or keys[1])
            for key in {key.strip().lower() for key in keys if key}:
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
    def items(self) -> list[Item]:
        """Things described by JSON-LD, microdata and RDFa, the page's own subject first."""
        items = [*structured.read_json_ld(self.page), *structured.read_embedded(self.page)]
        return sorted(items, key=lambda item: -item.weight)


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
