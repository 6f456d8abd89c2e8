"""Names of classes and ids, by the stems that page builders use whatever the language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
        sizes = (len(name) + 1 for name in self._text.split(_BETWEEN))
        self._start = np.cumsum([0, *sizes])

    def with_stems(self, stems: Mapping[str, str]) -> dict[str, NDArray[np.bool_]]:
        """Return which rows have a class or id with one of several stems in it, by their label.

        Stems are separated by spaces; a dot before or after one says that no letter may be there.
        """
        found = {}
        for label, wanted in stems.items():
            places = [place for stem in wanted.split() for place in _places(self._text, stem)]
            hit = np.zeros(len(self._start) - 1, bool)
            hit[np.searchsorted(self._start, np.array(places, np.int64), side="right") - 1] = True
            found[label] = hit[: self._classes][self._class] | hit[self._classes :][self._id]
        return found


def _places(text: str, stem: str) -> Iterator[int]:
    """Yield where a stem is in a text, once in each name."""
    plain = stem.strip(".")
    edge_before, edge_after = stem.startswith("."), stem.endswith(".")
    place = text.find(plain)
    while place >= 0:
        stop = place + len(plain)
        if (edge_before and _is_letter(text[place - 1 : place])) or (
            edge_after and _is_letter(text[stop : stop + 1])
        ):
            place = text.find(plain, place + 1)
            continue
        yield place
        end_of_name = text.find(_BETWEEN, stop)
        place = text.find(plain, end_of_name) if end_of_name >= 0 else -1


def _is_letter(character: str) -> bool:
    return "a" <= character <= "z"
