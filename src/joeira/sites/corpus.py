"""The distinct blocks of many pages, with the pages that contain them.

Boilerplate comes in thousands of equal copies: each distinct block is kept once, so that methods
compare a block with every other kind of block and never with every copy of it. `Postings` is an
inverted index over sets of small numbers: comparing all pairs of sets would look at pairs that
share nothing; the index looks only at the sets that hold one of the numbers asked for, and counts
exactly.

Of a site with very many pages a sample is kept. Fingerprints are as good as random numbers: pages
whose fingerprint begins with a 0 bit are half of all, those with two a quarter. When more than the
allowed pages are kept, the half that begins with fewer zeros is forgotten. So the sample is the
same in whatever order or parts the pages came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Ints
from joeira.page.model import Page, xpaths_of
from joeira.page.pieces import Piece
from joeira.sites.near_duplicates import NO_SKETCH, KnownPages, Sketch, from_plain, sketch


@dataclass(frozen=True, eq=False)
class Postings:
    """Which of many sets hold each number."""

    first: Ints
    """Where the sets that hold a number begin in `holders`; one more entry at the end."""
    holders: Ints
    sizes: Ints
    """Size of each set."""

    @classmethod
    def of(cls, sets: Sequence[Sequence[int]], numbers: int) -> Postings:
        """Return the index of sets whose members are below `numbers`, each given once."""
        sizes = np.fromiter(map(len, sets), np.int64, len(sets))
        members = np.fromiter(chain.from_iterable(sets), np.int64, int(sizes.sum()))
        holder = np.repeat(np.arange(len(sets)), sizes)
        order = np.argsort(members, kind="stable")
        first = np.searchsorted(members[order], np.arange(numbers + 1))
        return cls(first, holder[order], sizes)

    def shared(self, numbers: Sequence[int]) -> Ints:
        """Return how many of the given numbers each set holds."""
        asked = np.asarray(numbers, np.int64)
        bounds = zip(self.first[asked].tolist(), self.first[asked + 1].tolist(), strict=True)
        holders = [self.holders[start:stop] for start, stop in bounds]
        together = np.concatenate(holders) if holders else np.zeros(0, np.int64)
        return np.bincount(together, minlength=len(self.sizes))


def ranges(starts: Ints, stops: Ints) -> Ints:
    """Return the numbers of every range ``start:stop``, one range after the other."""
    lengths = stops - starts
    before = np.cumsum(lengths) - lengths
    total = int(lengths.sum())
    return np.repeat(starts - before, lengths) + np.arange(total)


def binary_cosine(shared: Ints, size: int, sizes: Ints) -> NDArray[np.float64]:
    """Return the cosine of one set with many; 0 where either is empty."""
    product = sizes * size
    cosine: NDArray[np.float64] = shared / np.sqrt(np.where(product > 0, product, 1))
    return cosine


Block = TypeVar("Block", bound=Hashable)
Kept = TypeVar("Kept")

MAX_PAGES = 1000
"""Pages that methods keep: a share of 20 % is then seen as 16.5 to 23.5 % or closer, 19 in 20."""
_BITS = 64


def fingerprint(page: Page) -> str:
    """Return a digest of a page's tags and texts: equal for equal pages, in every process."""
    digest = blake2b(page.tag_symbol.tobytes(), digest_size=8)
    digest.update("\n".join(page.texts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def identify(page: Page, *, near: bool = True) -> tuple[str, Sketch]:
    """Return the fingerprint of a page, and the sketch by which nearly equal ones are known."""
    return fingerprint(page), sketch(page) if near else NO_SKETCH


def read_fingerprints(stored: Iterable[object]) -> tuple[str, ...]:
    """Return fingerprints that were stored; raises `ValueError` where one is none."""
    prints = tuple(map(str, stored))
    for print_ in prints:
        level_of(print_)
    return prints


def level_of(fingerprint_: str) -> int:
    """Return the number of 0 bits that a fingerprint begins with."""
    return _BITS - int(fingerprint_[: _BITS // 4] or "0", 16).bit_length()


@dataclass
class Sample:
    """Which pages are kept: those from a level on, at most so many."""

    max_pages: int
    levels: Counter[int]
    """Number of pages of each level, also of those not kept."""
    least: int = 0
    """Level from which pages are kept."""

    @classmethod
    def of(cls, fingerprints: Iterable[str], max_pages: int) -> Sample:
        """Return the sample of some pages."""
        sample = cls(max_pages, Counter(map(level_of, fingerprints)))
        sample._raise_level()
        return sample

    @property
    def pages(self) -> int:
        """Number of pages kept."""
        return sum(count for level, count in self.levels.items() if level >= self.least)

    def add(self, level: int) -> bool:
        """Count one more page; return whether pages below `least` are to be forgotten."""
        self.levels[level] += 1
        before = self.least
        self._raise_level()
        return self.least > before

    def new_pages(
        self, pages: Iterable[Page], known: dict[str, None]
    ) -> Iterator[tuple[int, Page]]:
        """Yield the pages to keep that are not known yet, each with its level.

        All new pages are counted, and become known.
        """
        for page in pages:
            print_ = fingerprint(page)
            if print_ in known:
                continue
            known[print_] = None
            level = level_of(print_)
            self.add(level)
            if level >= self.least:
                yield level, page

    def kept(self, by_level: Mapping[int, Kept]) -> dict[int, Kept]:
        """Return what is kept by level without the levels to be forgotten, in order."""
        return {level: by_level[level] for level in sorted(by_level) if level >= self.least}

    def _raise_level(self) -> None:
        while self.least < _BITS and self.pages > self.max_pages:
            self.least += 1


def kept(fingerprints: Sequence[str], max_pages: int) -> frozenset[str]:
    """Return the fingerprints of the pages that a sample keeps."""
    least = Sample.of(fingerprints, max_pages).least
    return frozenset(print_ for print_ in fingerprints if level_of(print_) >= least)


@dataclass(frozen=True)
class JudgedBlock:
    """A block as a method took the page apart, and what it decided about it."""

    text: str
    xpath: str
    """Of the element that the block is, or stands in."""
    similar_pages: int
    """Pages with a block like it; -1 for a block that stands unchanged on another page."""
    is_content: bool

    @property
    def ibdf(self) -> float:
        """Inverse block document frequency: 1 / pages with such a block, 1 if none, -1 if -1."""
        return 1 / self.similar_pages if self.similar_pages else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return the block as plain data."""
        return {
            "text": self.text,
            "xpath": self.xpath,
            "similar_pages": self.similar_pages,
            "ibdf": self.ibdf,
            "is_content": self.is_content,
        }


def judged_blocks(
    pieces: Sequence[Piece], similar_pages: Sequence[int], limit: int
) -> list[JudgedBlock]:
    """Return blocks of a page, content being those like blocks of fewer pages than the limit."""
    if not pieces:
        return []
    xpaths = xpaths_of(pieces[0].page, [piece.owner for piece in pieces])
    return [
        JudgedBlock(piece.text, xpath, count, 0 <= count < limit)
        for piece, xpath, count in zip(pieces, xpaths, similar_pages, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Corpus(Generic[Block]):
    """Distinct blocks of pages, or of a sample of them."""

    max_pages: int
    """Pages whose blocks are kept."""
    fingerprints: tuple[str, ...] = ()
    """One for each page; the number of a page is its place here."""
    copies: Mapping[Block, Mapping[int, int]] = field(default_factory=dict)
    """Per distinct block: how often it stands on which page."""
    sketches: Mapping[str, Sketch] = field(default_factory=dict)
    """By fingerprint: what a page is known by that is nearly equal to it."""

    def checked(self) -> Corpus[Block]:
        """Return the corpus itself, or raise `ValueError` when a block stands on no known page."""
        known = range(len(self.fingerprints))
        if not all(page in known for places in self.copies.values() for page in places):
            message = "a block on a page that is not listed"
            raise ValueError(message)
        return self

    @classmethod
    def restore(
        cls, max_pages: int, data: Mapping[str, Any], copies: Mapping[Block, Mapping[int, int]]
    ) -> Corpus[Block]:
        """Return a corpus that was stored; raises `ValueError` where it cannot be one."""
        prints = read_fingerprints(data["pages"])
        sketches = from_plain(data.get("sketches", {}), prints)
        return Corpus(max_pages, prints, copies, sketches).checked()

    def add(self, pages: Iterable[tuple[tuple[str, Sketch], Sequence[Block]]]) -> Corpus[Block]:
        """Return a corpus with more pages, each its fingerprint, sketch and blocks.

        A page that is known already, or is nearly equal to one, is left out.
        """
        known = dict.fromkeys(self.fingerprints)
        near = KnownPages(self.sketches)
        levels = list(map(level_of, known))
        sample = Sample.of(known, self.max_pages)
        copies = {block: dict(places) for block, places in self.copies.items()}
        for (print_, own), blocks in pages:
            if print_ in known or near.same_as(own) is not None:
                continue
            number = len(known)
            known[print_] = None
            levels.append(level_of(print_))
            if sample.add(levels[-1]):
                copies = _kept(copies, levels, sample.least)
                near = near.without(print_ for print_ in known if level_of(print_) < sample.least)
            if levels[-1] < sample.least:
                continue
            near.add(print_, own)
            for block in blocks:
                places = copies.setdefault(block, {})
                places[number] = places.get(number, 0) + 1
        return Corpus(self.max_pages, tuple(known), copies, near.sketches)

    def page_like(self, page: Page, *, near: bool) -> int | None:
        """Return the number of the kept page that is equal to one, or nearly; else None."""
        number = self.page_of.get(fingerprint(page))
        if number is None and near and self.sketches:
            number = self.page_of.get(self._near.same_as(sketch(page)) or "")
        return number

    @cached_property
    def _near(self) -> KnownPages:
        return KnownPages(self.sketches)

    @cached_property
    def pages(self) -> int:
        """Number of the pages whose blocks are kept."""
        return len(self.page_of)

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
        """The number of the page with a fingerprint, of those whose blocks are kept."""
        known = kept(self.fingerprints, self.max_pages)
        return {print_: n for n, print_ in enumerate(self.fingerprints) if print_ in known}

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


def _kept(
    copies: Mapping[Block, Mapping[int, int]], levels: Sequence[int], least: int
) -> dict[Block, dict[int, int]]:
    """Return the blocks of the pages from a level on."""
    blocks = {
        block: {page: times for page, times in places.items() if levels[page] >= least}
        for block, places in copies.items()
    }
    return {block: places for block, places in blocks.items() if places}


class CorpusSite:
    """A site that keeps the blocks of its pages in a corpus, and knows these pages again by it."""

    method: Any
    corpus: Corpus[Any]

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """One for each page learned from."""
        return self.corpus.fingerprints

    @property
    def sketches(self) -> Mapping[str, Sketch] | None:
        """What pages are known by that are nearly equal; None where only equal ones are known."""
        return self.corpus.sketches if self.method.near_duplicates else None
