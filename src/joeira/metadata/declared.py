"""What a page declares of itself in JSON-LD, microdata and RDFa, as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from joeira.metadata.structured import Item, texts
from joeira.page import Page
from joeira.page.attributes import without_surrogates

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
