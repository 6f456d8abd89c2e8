"""Slots: places in the template of a site, by the tags and classes from the body down to them.

The same slot of two pages has the same symbol. Numbers in class names count as equal, and classes
of the body do not count, because both often name the page rather than the template.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.page.model import Page
from joeira.page.tags import symbol

_NUMBER = re.compile(r"\d+")
_MAX_STEPS = 6
_PLAIN_CLASS = re.compile(r"[A-Za-z_-][\w-]*")


def slot_symbols(page: Page) -> NDArray[np.uint64]:
    """Return the symbol of every row's slot."""
    numbers, names = page.classes
    table = np.array([_class_symbol(name) for name in names], np.uint64)
    by_class = table[numbers]
    by_class[: page.body + 1] = 0
    return trees.path_hashes(page.tag_symbol + by_class, page.parent)


def slot_selector(page: Page, row: int) -> str:
    """Return a readable CSS selector of a row's slot: its last steps, with a class each."""
    steps: list[str] = []
    while row > page.body and len(steps) < _MAX_STEPS:
        classes = (page.attributes.get(row, "class") or "").split()
        plain = [name for name in classes if _PLAIN_CLASS.fullmatch(name)]
        steps.append(page.tag_name(row) + (f".{plain[0]}" if plain else ""))
        row = int(page.parent[row])
    return " > ".join(reversed(steps)) or page.tag_name(row)


@lru_cache(1 << 12)  # the pages of a site share their classes
def _class_symbol(name: str) -> int:
    words = sorted(set(_NUMBER.sub("0", name).split()))
    return symbol("class=" + " ".join(words)) if words else 0
