"""Names of classes and ids, by the stems that page builders use whatever the language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joeira.page import Page

_BETWEEN: Final = "\0"
"""No name holds it: no HTML parser lets it through."""


class Names:
    """All different names of a page as one text: a stem is looked for once, not in each name."""

    def __init__(self, page: Page) -> None:
        """Join the names of classes, then of ids."""
        (self._class, class_names), (self._id, id_names) = page.classes, page.ids
        self._classes = len(class_names)
        self._text = _BETWEEN.join((*class_names, *id_names)).lower()
        sizes = np.array(list(map(len, self._text.split(_BETWEEN)))) + 1
        self._start = np.concatenate(([0], np.cumsum(sizes)))

    def with_stems(self, stems: Mapping[str, str]) -> dict[str, NDArray[np.bool_]]:
        """Return which rows have a class or id with one of several stems in it, by their label.

        Stems are separated by spaces; a dot before or after one says that no letter may be there.
        """
        places: list[int] = []
        sizes = []
        for wanted in stems.values():
            before = len(places)
            for stem in wanted.split():
                places += _places(self._text, stem)
            sizes.append(len(places) - before)
        name = np.searchsorted(self._start, np.array(places, np.int64), side="right") - 1
        hit = np.zeros((len(stems), len(self._start) - 1), bool)
        hit[np.repeat(np.arange(len(stems)), sizes), name] = True
        by_row = hit[:, : self._classes].take(self._class, axis=1)
        by_row |= hit[:, self._classes :].take(self._id, axis=1)
        return dict(zip(stems, by_row, strict=True))


def _places(text: str, stem: str) -> Iterable[int]:
    """Return where a stem is in a text."""
    plain = stem.strip(".")
    # Cutting at the stem finds all its places at once, at the speed of C.
    between = text.split(plain)
    if len(between) == 1:
        return ()
    length = len(plain)
    edge_before, edge_after = stem.startswith("."), stem.endswith(".")
    places = accumulate((len(part) + length for part in between[1:-1]), initial=len(between[0]))
    if not (edge_before or edge_after):
        return places
    return [
        place
        for place, (before, after) in zip(places, pairwise(between), strict=True)
        if not (edge_before and _is_letter(before[-1:]))
        and not (edge_after and _is_letter(after[:1]))
    ]


def _is_letter(character: str) -> bool:
    return "a" <= character <= "z"
