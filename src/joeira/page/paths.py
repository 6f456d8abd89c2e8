"""Symbols of tags and styled tags: the alphabet of tag paths and subtree shapes.

A symbol is a 64-bit number that depends only on names, so that it is the same on every page, in
every process: columns of different pages can be compared directly.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from joeira.page import tags

if TYPE_CHECKING:
    from joeira.page.model import Page


@lru_cache(maxsize=65536)
def symbol(name: str) -> int:
    """Return the 64-bit symbol of a name."""
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest())


CLASS_STEP = np.uint64(0xBF58476D1CE4E5B9)
"""Odd factor that spreads the numbers of a page's classes over all symbols."""

LEAF_SYMBOL = np.uint64(symbol("a leaf of any kind"))

_KNOWN_SYMBOLS = np.array([symbol(name) for name in tags.NAMES], np.uint64)


def tag_symbols(page: Page) -> NDArray[np.uint64]:
    """Return the symbol of every row's tag name."""
    if not page.foreign_names:
        return _KNOWN_SYMBOLS.take(page.tag)
    table = np.zeros(tags.FIRST_FOREIGN + len(page.foreign_names), np.uint64)
    table[: len(_KNOWN_SYMBOLS)] = _KNOWN_SYMBOLS
    table[tags.FIRST_FOREIGN :] = [symbol(name) for name in page.foreign_names]
    return table[page.tag]


def class_symbols(names: tuple[str, ...]) -> NDArray[np.uint64]:
    """Return the symbol of each class attribute; 0 for none."""
    return np.array([_style_symbol("class", name) for name in names], np.uint64)


def styled_symbols(page: Page) -> NDArray[np.uint64]:
    """Return the symbol of every row's tag name together with its class and style."""
    numbers, names = page.classes
    symbols = tag_symbols(page) + class_symbols(names)[numbers]
    rows, values = page.attributes.column("style")
    symbols[rows] += np.array([_style_symbol("style", value) for value in values], np.uint64)
    return symbols


def _style_symbol(attribute: str, value: str) -> int:
    """Return the symbol of a value; 0 when it is blank.

    The attribute is part of it: else a ``<p class="div">`` would equal a ``<div class="p">``.
    """
    words = value.split()
    return symbol(f"{attribute}={' '.join(words)}") if words else 0
