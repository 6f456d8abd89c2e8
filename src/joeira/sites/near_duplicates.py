"""Pages that are nearly equal: the same page, fetched again after a counter or a list has changed.

What counts as a page of its own must not be taken for one more page of the site that says the same,
or all its texts would look repeated. Pages are compared by shingles (Broder 1997): every run of
`SHINGLE_CHARS` characters inside a block is a number, and a page is sketched by the `SKETCH_SIZE`
smallest of these numbers, after mixing. Of two sketches one can tell which share of all shingles is
common. Blocks of links are left out, since menus and lists of news change and tell pages apart
badly; blocks shorter than a shingle, such as most counters, have none.

Pages of one template share its texts. A shingle therefore weighs the less the more pages have it:
log((n + 1) / pages), for n pages known, and nothing where more than half of them have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Bools, Floats, Ints
from joeira.page import Page

SHINGLE_CHARS: Final = 16
SKETCH_SIZE: Final = 64
MIN_SHINGLES: Final = 16
"""A page with fewer shingles is only the same as one that is equal."""
MAX_SKETCHES: Final = 4096
"""Pages whose sketches are kept: all of them are compared with a new page."""
SAME_SHARE: Final = 0.85
"""Nearly equal pages have this share of their shingles, by weight, in common."""
SAME_SHARE_AT_FIRST: Final = 0.95
"""The same while few pages are known, and so not what their template says."""
KNOWN_PAGES: Final = 4
MAX_CHARS: Final = 200_000
"""Characters of a page that are sketched."""
_BASE = np.uint32(2654435761)
_MIXER = np.uint32(0x85EBCA6B)

Sketch = NDArray[np.uint32]
NO_SKETCH: Final[Sketch] = np.zeros(0, np.uint32)
"""Nearly equal to none."""


def shingles(text: str) -> Sketch:
    """Return a number for every run of `SHINGLE_CHARS` characters without a line break."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    count = len(codes) - SHINGLE_CHARS + 1
    if count <= 0:
        return NO_SKETCH
    numbers = np.zeros(count, np.uint32)
    for place in range(SHINGLE_CHARS):
        numbers = numbers * _BASE + codes[place : place + count]
    breaks = np.concatenate(([0], np.cumsum(codes == ord("\n"))))
    numbers = numbers[breaks[SHINGLE_CHARS:] == breaks[:count]]
    numbers ^= numbers >> np.uint32(16)
    numbers *= _MIXER
    numbers ^= numbers >> np.uint32(13)
    mixed: Sketch = numbers
    return mixed


def smallest(numbers: Sketch, size: int) -> Sketch:
    """Return the smallest different numbers, in order."""
    several = 4 * size  # the same text may stand there more than once
    if len(numbers) > several:
        few = np.unique(np.partition(numbers, several)[:several])
        if len(few) >= size:
            return few[:size]
    return np.unique(numbers)[:size]


def sketch(page: Page) -> Sketch:
    """Return the smallest shingles of the blocks of a page that are not mostly links."""
    blocks = page.blocks
    words = blocks.sums(page.text_words)
    told = (2 * blocks.sums(page.text_words * page.text_linked) <= words) & (words > 0)
    told &= ~page.in_head[blocks.owner]
    texts = page.block_texts
    text = "\n".join([texts[number] for number in np.flatnonzero(told).tolist()])
    return smallest(shingles(text[:MAX_CHARS]), SKETCH_SIZE)


class KnownPages:
    """The sketches of some pages, by fingerprint, and which of them a new page is."""

    def __init__(self, sketches: Mapping[str, Sketch] | None = None) -> None:
        """Take the sketches of pages that are known."""
        self._prints: list[str] = []
        self._matrix = np.zeros((0, SKETCH_SIZE), np.uint32)
        self._sizes = np.zeros(0, np.int64)
        for print_, known in (sketches or {}).items():
            self.add(print_, known)

    @property
    def sketches(self) -> dict[str, Sketch]:
        """The sketch of each page, by fingerprint."""
        rows = zip(self._prints, self._matrix, self._sizes.tolist(), strict=False)
        return {print_: row[:size] for print_, row, size in rows}

    def add(self, print_: str, known: Sketch) -> None:
        """Remember a page, as long as there is room, if it has enough shingles to tell."""
        number = len(self._prints)
        if len(known) < MIN_SHINGLES or number >= MAX_SKETCHES:
            return
        if number == len(self._matrix):
            more = max(2 * number, 16)
            self._matrix = np.resize(self._matrix, (more, SKETCH_SIZE))
            self._sizes = np.resize(self._sizes, more)
        self._prints.append(print_)
        self._matrix[number, : len(known)] = known
        self._matrix[number, len(known) :] = known[-1]
        self._sizes[number] = len(known)

    def without(self, prints: Iterable[str]) -> KnownPages:
        """Return the same pages but for some."""
        gone = frozenset(prints)
        return KnownPages({p: known for p, known in self.sketches.items() if p not in gone})

    def same_as(self, asked: Sketch) -> str | None:
        """Return the fingerprint of the page that a sketch is nearly equal to, if there is one."""
        total = len(self._prints)
        if not total or len(asked) < MIN_SHINGLES:
            return None
        held = self._held(asked)
        weight = _weight(held, total)
        nearest = int((held @ weight).argmax())
        if 2 * int(held[nearest].sum()) < len(asked):
            return None
        other = self._matrix[nearest, : self._sizes[nearest]]
        common = held[nearest]
        only_other = other[~np.isin(other, asked)]
        # Beyond the last number of a full sketch it is not known what the page has.
        last = min(
            (known[-1] for known in (asked, other) if len(known) == SKETCH_SIZE), default=None
        )
        if last is not None:
            common, weight = common[asked <= last], weight[asked <= last]
            only_other = only_other[only_other <= last]
        of_other = float(_weight(self._held(only_other), total).sum())
        shared = float(weight[common].sum())
        both = float(weight.sum()) + of_other
        share = shared / both if both > 0 else 0.0
        least = SAME_SHARE if total >= KNOWN_PAGES else SAME_SHARE_AT_FIRST
        return self._prints[nearest] if share >= least else None

    def _held(self, asked: Sketch) -> Bools:
        """Return which of some shingles, in order, each page has: pages by shingles."""
        total = len(self._prints)
        held = np.zeros((total, len(asked)), bool)
        if len(asked):
            known = self._matrix[:total]
            place = np.minimum(np.searchsorted(asked, known), len(asked) - 1)
            page, column = np.nonzero(asked[place] == known)
            held[page, place[page, column]] = True
        return held


def _weight(held: Bools, total: int) -> Floats:
    pages: Ints = np.maximum(held.sum(axis=0), 1)
    weight: Floats = np.log((total + 1) / pages)
    if total >= KNOWN_PAGES:
        weight[2 * pages > total] = 0.0
    return weight


def to_plain(sketches: Mapping[str, Sketch]) -> dict[str, str]:
    """Return sketches as plain data."""
    return {print_: known.astype(">u4").tobytes().hex() for print_, known in sketches.items()}


def from_plain(data: Any, prints: Iterable[str]) -> dict[str, Sketch]:
    """Return the sketches of pages from plain data; raises `ValueError` where it is none."""
    known = frozenset(prints)
    if not isinstance(data, dict) or not known.issuperset(data):
        message = "a sketch of a page that is not listed"
        raise ValueError(message)
    sketches = {}
    for print_, digits in data.items():
        numbers = np.frombuffer(bytes.fromhex(digits), ">u4").astype(np.uint32)
        if not MIN_SHINGLES <= len(numbers) <= SKETCH_SIZE or (np.diff(numbers) <= 0).any():
            message = "a sketch has different numbers in order"
            raise ValueError(message)
        sketches[print_] = numbers
    return sketches
