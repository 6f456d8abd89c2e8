"""The rows of all records of a list as one table of their own, record after record.

Each record gets a root of its own above its parts, so that a record made of several siblings is one
tree like any other. Positions in this table are called *places*, to tell them from page rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Ints, trees
from joeira.arrays.strings import mixed
from joeira.page import Page, addresses, tags
from joeira.page.tables import TINY

_NO_VALUE = tags.table("select datalist script style template noscript head")
"""Elements whose contents are not fields of a record."""
_CLASS_TOKENS = 12
"""Tokens of a class attribute that are looked at: longer ones are made by machines."""
_MIN_TOKEN_SHARE = 0.6
"""Share of records below which a token does not compete with another of the same element."""


@dataclass(frozen=True, eq=False)
class RecordRows:
    """The rows of records; the first place of each record is its root, which has row -1."""

    page: Page
    rows: Ints
    """Page row of each place."""
    record: Ints
    """Record of each place."""
    parent: Ints
    """Place of the parent; -1 for roots."""
    end: Ints
    """One past the last place of each subtree."""
    depth: Ints
    roots: Ints
    """Place of the root of each record."""

    @classmethod
    def of(
        cls, page: Page, slices: NDArray[np.integer[Any]], record_of: NDArray[np.integer[Any]]
    ) -> RecordRows:
        """Lay out the rows of records, given as parts."""
        starts, stops = slices.astype(np.int64).T.reshape(2, -1)
        of_part = record_of.astype(np.int64)
        sizes = np.maximum(stops - starts, 0)
        offset = np.cumsum(sizes) - sizes + of_part + 1
        count = int(of_part[-1]) + 1 if len(of_part) else 0
        total = int(sizes.sum()) + count
        places = np.repeat(offset - starts, sizes)  # place minus row
        inside = np.repeat(starts, sizes)
        rows = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + inside
        places = places + rows

        roots = np.searchsorted(of_part, np.arange(count))
        roots = offset[roots] - 1 if count else roots
        own = np.repeat(of_part, sizes)
        above = page.parent[rows].astype(np.int64)
        parent = np.where(above >= inside, places - rows + above, roots[own] if count else 0)
        depth = page.depth[rows] - page.depth[inside] + 1
        end = np.minimum(page.end[rows], np.repeat(stops, sizes)) - rows + places

        columns = np.full((5, total), -1, np.int64)
        columns[:, places] = rows, own, parent, end, depth
        columns[1, roots] = np.arange(count)
        columns[3, roots] = np.append(roots[1:], total) if count else roots
        columns[4, roots] = 0
        return cls(page, columns[0], columns[1], columns[2], columns[3], columns[4], roots)

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self.rows)

    @cached_property
    def tag(self) -> Ints:
        """Known tag number of each place; -1 for roots."""
        return np.where(self.rows >= 0, self.page.known_tag[self.rows], -1)

    @cached_property
    def base(self) -> str | None:
        """Address that relative ones start from."""
        return addresses.base_of(self.page)

    # What a record is made of ------------------------------------------------------------------

    @cached_property
    def is_text(self) -> NDArray[np.bool_]:
        """Which places are texts that may be values."""
        unwanted = trees.inside(_NO_VALUE[self.tag] & (self.rows >= 0), self.end)
        texts: NDArray[np.bool_] = (self.tag == tags.TEXT) & ~unwanted
        return texts

    @cached_property
    def images(self) -> dict[int, str]:
        """Addresses of the images, by place; counting pixels are left out."""
        address_of = {}
        for place in np.flatnonzero(self.tag == tags.NUMBER["img"]).tolist():
            attributes = self.page.attributes.of(int(self.rows[place]))
            address = addresses.image_address(attributes, self.base)
            tiny = any(TINY.fullmatch(attributes.get(name, "")) for name in ("width", "height"))
            if address and not tiny:
                address_of[place] = address
        return address_of

    @cached_property
    def links(self) -> dict[int, str]:
        """Addresses that links lead to, by place."""
        rows, values = self.page.attributes.column("href")
        href = dict(zip(rows, values, strict=True))
        address_of = {}
        known: dict[str, str | None] = {"": None}  # a picture and a title often lead to one page
        for place in np.flatnonzero(self.tag == tags.NUMBER["a"]).tolist():
            target = href.get(int(self.rows[place]), "")
            if target not in known:
                within = target.startswith("#")
                known[target] = (
                    None if within else addresses.clean(target, self.base, addresses.LINK_SCHEMES)
                )
            address = known[target]
            if address:
                address_of[place] = address
        return address_of

    # Symbols -----------------------------------------------------------------------------------

    @cached_property
    def symbol(self) -> NDArray[np.uint64]:
        """Symbol of each place: its tag and what its author calls it, unless it is a whole part.

        Records of one list are alike, whatever tells odd ones from even or new ones from old.
        """
        known = self.page.tag[self.rows].astype(np.uint64)
        called = np.where(self.depth == 1, 0, self.called[0]).astype(np.uint64) << np.uint64(32)
        return mixed(np.where(self.rows >= 0, known + called + np.uint64(1), np.uint64(0)))

    @cached_property
    def called(self) -> tuple[Ints, list[str]]:
        """Number of what each element is called, by its itemprop or class, and the names; 0: none.

        Of the classes of an element that one counts which tells most: on nearly as many records as
        any other of them, and on the fewest elements.
        """
        numbers, values = self.page.classes
        number_of_place = np.where(self.rows >= 0, numbers[self.rows], 0)
        used = np.unique(number_of_place)
        names: dict[str, int] = {"": 0}
        tokens = [
            [names.setdefault(word, len(names)) for word in _words(values[n])]
            for n in used.tolist()
        ]
        best = self._most_telling(np.searchsorted(used, number_of_place), tokens, len(names))
        name_of_place = best[np.searchsorted(used, number_of_place)]
        place_of = {int(row): place for place, row in enumerate(self.rows.tolist()) if row >= 0}
        for row, value in zip(*self.page.attributes.column("itemprop"), strict=True):
            if row in place_of and value.strip():
                name_of_place[place_of[row]] = names.setdefault(f"@{value.split()[0]}", len(names))
        return name_of_place, list(names)

    def words_of(self, place: int) -> list[str]:
        """Return the classes of an element, the one that tells most first."""
        called, names = self.called
        numbers, values = self.page.classes
        words = _words(values[numbers[self.rows[place]]])
        return sorted(words, key=lambda word: word != names[called[place]])

    def _most_telling(self, kind: Ints, tokens: list[list[int]], count: int) -> Ints:
        """Return the chosen token of each distinct class attribute."""
        sizes = np.array([len(own) for own in tokens])
        flat = np.array([token for own in tokens for token in own], np.int64)
        first = np.cumsum(sizes) - sizes
        repeat = sizes[kind]
        token = flat[np.repeat(first[kind] - (np.cumsum(repeat) - repeat), repeat)
                     + np.arange(int(repeat.sum()))]  # fmt: skip
        uses = np.bincount(token, minlength=count)
        pairs = np.unique(token * (len(self.roots) + 1) + np.repeat(self.record, repeat))
        records = np.bincount(pairs // (len(self.roots) + 1), minlength=count)
        best = np.zeros(len(tokens), np.int64)
        for number, own in enumerate(tokens):
            least = max(2.0, _MIN_TOKEN_SHARE * max((int(records[t]) for t in own), default=0))
            rivals = [t for t in own if records[t] >= least]
            best[number] = min(rivals, key=lambda t: (int(uses[t]), -int(records[t])), default=0)
        return best


def _words(value: str) -> list[str]:
    return list(dict.fromkeys(value.split()))[:_CLASS_TOKENS]
