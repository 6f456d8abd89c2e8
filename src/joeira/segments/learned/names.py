"""Stems in the names of classes and ids, as page builders everywhere use them.

`joeira._native.elements` finds them in C; the code here is what it is tested against, and what runs
without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.page import Page

if native_available:
    from joeira._native import elements as kernels

Bits = NDArray[np.uint32]

_BETWEEN: Final = "\0"
"""No name holds it: no HTML parser lets it through."""


class Names:
    """All different names of a page as one text: a stem is looked for once, not in each name."""

    def __init__(self, page: Page) -> None:
        """Join the names of classes, then of ids."""
        (self._class, class_names), (self._id, id_names) = page.classes, page.ids
        self._classes = len(class_names)
        self._count = len(class_names) + len(id_names)
        self._text = _BETWEEN.join((*class_names, *id_names)).lower()

    @cached_property
    def _codes(self) -> NDArray[np.uint32]:
        return np.frombuffer(self._text.encode("utf-32-le", "surrogatepass"), np.uint32)

    @cached_property
    def _start(self) -> NDArray[np.int64]:
        """Where each name begins."""
        sizes = np.array(list(map(len, self._text.split(_BETWEEN)))) + 1
        start: NDArray[np.int64] = np.cumsum(sizes) - sizes
        return start

    def with_stems(self, stems: Mapping[str, str]) -> dict[str, NDArray[np.bool_]]:
        """Return which rows have a class or id with one of several stems in it, by their label.

        Stems are separated by spaces; a dot before or after one says that no letter may be there.
        """
        bits = self.bits(stems)
        return {label: (bits & np.uint32(1 << place)) != 0 for place, label in enumerate(stems)}

    def bits(self, stems: Mapping[str, str], rows: NDArray[np.int64] | None = None) -> Bits:
        """Return the same for each row, or for some, as bits: the first label is the lowest."""
        of_name = self.by_kernel(stems) if native_available else self.by_splitting(stems)
        classes, ids = self._class, self._id
        if rows is not None:
            classes, ids = classes.take(rows), ids.take(rows)
        found: Bits = of_name[: self._classes].take(classes)
        found |= of_name[self._classes :].take(ids)
        return found

    def by_kernel(self, stems: Mapping[str, str]) -> Bits:
        """Return the bits of each different name, classes first."""
        return _finder(tuple(stems.values()))(self._codes, self._count)

    def by_splitting(self, stems: Mapping[str, str]) -> Bits:
        """Return what `by_kernel` does."""
        of_name = np.zeros(self._count, np.uint32)
        for number, wanted in enumerate(stems.values()):
            places: list[int] = []
            for stem in wanted.split():
                places += _places(self._text, stem)
            if places:
                names = np.searchsorted(self._start, places, side="right") - 1
                of_name[names] |= np.uint32(1 << number)
        return of_name


@lru_cache(maxsize=16)  # two in use, others in tests
def _finder(stems: tuple[str, ...]) -> kernels.StemFinder:
    return kernels.StemFinder(
        [
            (stem.strip("."), stem.startswith("."), stem.endswith("."), number)
            for number, wanted in enumerate(stems)
            for stem in wanted.split()
        ]
    )


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
