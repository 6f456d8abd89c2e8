"""The distinct blocks of many pages, with the pages that hold them.

Boilerplate comes in thousands of equal copies: each distinct block is kept once, so that methods
compare a block with every other kind of block and never with every copy of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from joeira.kernels.postings import ranges
from joeira.page.model import Page

Block = TypeVar("Block", bound=Hashable)


def fingerprint(page: Page) -> str:
    """Return a digest of a page's tags and texts: equal for equal pages, in every process."""
    digest = blake2b(page.tag_symbol.tobytes(), digest_size=8)
    digest.update("\n".join(page.texts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class Corpus(Generic[Block]):
    """Distinct blocks of pages."""

    fingerprints: tuple[str, ...] = ()
    """One for each page; the number of a page is its place here."""
    copies: Mapping[Block, Mapping[int, int]] = field(default_factory=dict)
    """Per distinct block: how often it stands on which page."""

    def checked(self) -> Corpus[Block]:
        """Return the corpus itself, or raise `ValueError` when a block stands on no known page."""
        known = range(len(self.fingerprints))
        if not all(page in known for places in self.copies.values() for page in places):
            message = "a block on a page that is not listed"
            raise ValueError(message)
        return self

    def add(self, pages: Iterable[tuple[str, Sequence[Block]]]) -> Corpus[Block]:
        """Return a corpus with more pages, each its fingerprint and blocks; known ones once."""
        known = dict.fromkeys(self.fingerprints)
        copies = {block: dict(places) for block, places in self.copies.items()}
        for print_, blocks in pages:
            if print_ in known:
                continue
            number = len(known)
            known[print_] = None
            for block in blocks:
                places = copies.setdefault(block, {})
                places[number] = places.get(number, 0) + 1
        return Corpus(tuple(known), copies)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The distinct blocks, in order of appearance."""
        return tuple(self.copies)

    @cached_property
    def number_of(self) -> dict[Block, int]:
        """The number of each distinct block."""
        return {block: number for number, block in enumerate(self.copies)}

    @cached_property
    def page_of(self) -> dict[str, int]:
        """The number of the page with a fingerprint."""
        return {print_: number for number, print_ in enumerate(self.fingerprints)}

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the pages of each block begin, with one more entry; and the pages."""
        held = list(self.copies.values())
        first = np.concatenate(([0], np.cumsum([len(places) for places in held], dtype=np.int64)))
        return first, np.fromiter(chain.from_iterable(held), np.int64, int(first[-1]))

    def pages_with(
        self, alike: NDArray[np.bool_], block: Block, page: int | None, *, own_page: bool
    ) -> int:
        """Return the number of pages that hold a block alike to the given one.

        Args:
            alike: Which distinct blocks are alike to it, the block itself perhaps among them.
            block: The block.
            page: Number of the page on which it stands; None for a page from outside.
            own_page: Whether that page counts, if it holds another such block.
        """
        own = self.number_of.get(block, -1)
        others = np.flatnonzero(alike)
        first, pages = self._places
        hit = np.zeros(len(self.fingerprints), bool)
        others = others[others != own]
        hit[pages[ranges(first[others], first[others + 1])]] = True
        again = own >= 0 and bool(alike[own])
        held = hit[page] if page is not None else False
        if again:
            hit[pages[first[own] : first[own + 1]]] = True
        if page is not None:
            hit[page] = own_page and (held or (again and self.copies[block].get(page, 0) > 1))
        return int(hit.sum())
