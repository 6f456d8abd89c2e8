"""Microdata and RDFa: things described by attributes of the page's own elements."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np

from joeira.arrays import trees
from joeira.arrays.strings import collapse
from joeira.metadata.items import MAX_VALUES, Item, plain_name
from joeira.metadata.visible import short_text
from joeira.page import Page

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
    return [
        *_read_embedded(page, "microdata", "itemscope", "itemtype", "itemprop"),
        *_read_embedded(page, "rdfa", "typeof", "typeof", "property"),
    ]


def _read_embedded(page: Page, source: str, scope: str, kind: str, name: str) -> list[Item]:
    holders, kinds = [], []
    for row, (value,) in islice(page.attributes.read(f"[{scope}]", [kind]), MAX_PROPERTIES):
        holders.append(row)
        kinds.append(value or "")
    if not holders:
        return []
    is_holder = np.zeros(len(page), bool)
    is_holder[holders] = True
    holder_of = trees.nearest(is_holder, page.parent)
    above = [_holder_above(row, page, holder_of) for row in holders]
    depth: dict[int, int] = {}
    for row, outer in zip(holders, above, strict=True):
        depth[row] = depth.get(outer, -1) + 1
    items = {
        row: Item(source, _embedded_types(types), {}, row, nesting=depth[row])
        for row, types in zip(holders, kinds, strict=True)
    }
    names = [name, "content", "datetime", scope, *dict.fromkeys(_ADDRESSES.values())]
    for row, found in islice(page.attributes.read(f"[{name}]", names), MAX_PROPERTIES):
        owner = items.get(_holder_above(row, page, holder_of))
        if owner is None:
            continue
        said = dict(zip(names, found, strict=True))
        for each in (said[name] or "").split():
            prop = plain_name(each)
            values = owner.properties.setdefault(prop, [])
            if len(values) < MAX_VALUES:
                held = items.get(row) if said[scope] is not None else None
                values.append(held or _value(page, row, prop, said.get))
                owner.rows.setdefault(prop, []).append(row)
    return list(items.values())


def _holder_above(row: int, page: Page, holder_of: np.ndarray) -> int:
    parent = int(page.parent[row])
    return int(holder_of[parent]) if parent >= 0 else -1


def _value(page: Page, row: int, prop: str, said: Callable[[str], str | None]) -> str:
    if said("content") is not None:
        return collapse((said("content") or "")[:MAX_EMBEDDED_CHARS])
    if said("datetime"):
        return collapse((said("datetime") or "")[:MAX_EMBEDDED_CHARS])
    address = said(_ADDRESSES.get(page.tag_name(row), ""))
    text = short_text(page, row)
    if address and not (text and prop in _NAMED):
        return collapse(address[:MAX_EMBEDDED_CHARS])
    return text


def _embedded_types(value: str) -> tuple[str, ...]:
    return tuple(plain_name(name).lower() for name in value.split())
