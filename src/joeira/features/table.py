"""The table of features: names, sentences, and the matrix of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.features import document, lexicon, regions, structure, text
from joeira.features.lexicon import NameParts, Words
from joeira.features.view import BlockView
from joeira.page import Page

GROUPS = {
    "text": text.TEXT_NAMES,
    "structure": structure.NAMES,
    "regions": regions.REGION_NAMES,
    "document": document.DOCUMENT_NAMES,
    "lexicon": lexicon.NAMES,
}
NAMES = tuple(name for group in GROUPS.values() for name, _ in group)
PLAIN = len(NAMES) - len(lexicon.NAMES)
"""Number of columns that need no learned table: they come first."""


def describe() -> dict[str, str]:
    """Return a sentence for every feature."""
    return {name: sentence for group in GROUPS.values() for name, sentence in group}


@dataclass(frozen=True, eq=False)
class Matrix:
    """The features of a page: one row per block outside the head."""

    view: BlockView
    words: Words
    names: NameParts
    values: NDArray[np.float32]


def matrix(page: Page, tables: Mapping[str, NDArray[np.float32]] | None = None) -> Matrix:
    """Return the features of a page; without tables only the first `PLAIN` columns."""
    view = BlockView(page)
    words, names = Words(view), NameParts(page)
    if not view.size:
        width = PLAIN if tables is None else len(NAMES)
        return Matrix(view, words, names, np.zeros((0, width), np.float32))
    groups: list[Callable[[], list[NDArray[Any]]]] = [
        lambda: text.text_columns(view, words),
        lambda: structure.columns(view),
        lambda: regions.region_columns(view),
        lambda: [np.array(document.document_columns(view)).repeat(view.size)],
    ]
    if tables is not None:
        groups.append(lambda: lexicon.columns(view, words, names, tables))
    # Column by column in memory, which is how they come; read as one row per block. Group after
    # group: a page with very many blocks must not hold all columns twice.
    width = PLAIN if tables is None else len(NAMES)
    values = np.empty(width * view.size, np.float32)
    place = 0
    for group, names_of_group in zip(groups, GROUPS.values(), strict=False):
        stop = place + len(names_of_group) * view.size
        np.concatenate(group(), axis=None, out=values[place:stop])
        place = stop
    return Matrix(view, words, names, values.reshape(width, view.size).T)
