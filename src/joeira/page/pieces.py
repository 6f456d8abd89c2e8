"""Pieces of a page: the blocks that methods for whole sites compare across pages.

A piece is a slice of rows with the tags, classes and text in it. Pieces come from an ordered list
of tags (Debnath et al. 2005), or from the paragraph-like blocks, in which no text is lost. Fused
blocks are pieces of similar density (Kohlschütter and Nejdl 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import AnyInts
from joeira.arrays.strings import SPACE, UNSPACED, collapse
from joeira.arrays.trees import outermost
from joeira.page import tags
from joeira.page.model import Page

Cut = Literal["outermost", "innermost", "lossless"]

MAX_PIECES = 2_000
"""Pieces of a page that are compared, each with those of all pages; the rest are in no block."""


@dataclass(frozen=True)
class Piece:
    """Rows ``start:stop`` of a page, and the row of the element they belong to."""

    page: Page
    owner: int
    start: int
    stop: int

    @property
    def texts(self) -> slice:
        """The texts of the page that belong to the piece."""
        index = self.page.text_index
        return slice(int(index[self.start]), int(index[self.stop]))

    @cached_property
    def text(self) -> str:
        """The text of the piece, white space collapsed."""
        return " ".join(map(collapse, self.page.texts[self.texts]))

    @property
    def words(self) -> int:
        """Number of words."""
        return int(self.page.text_words[self.texts].sum())

    @cached_property
    def elements(self) -> list[int]:
        """Rows of the elements of the piece, its owner first."""
        is_text = self.page.is_text[self.start : self.stop].tolist()
        rows = [row for row, text in enumerate(is_text, self.start) if not text]
        return rows if self.owner == self.start else [self.owner, *rows]

    @property
    def tags(self) -> tuple[str, ...]:
        """Tag names in document order."""
        return tuple(map(self.page.tag_name, self.elements))

    @property
    def classes(self) -> frozenset[str]:
        """Every class of every element."""
        numbers, names = self.page.classes
        used = set(numbers[self.elements].tolist())
        return frozenset([name for number in used for name in names[number].split()])

    @property
    def markup_digest(self) -> str:
        """Digest of the markup: names, attributes in order of name, white space collapsed."""
        page = self.page
        texts = iter(page.texts[self.texts])
        apart = self.owner != self.start
        is_text = [False] * apart + page.is_text[self.start : self.stop].tolist()
        depth = (page.depth[self.start : self.stop] - page.depth[self.owner]).tolist()
        rows = [*[self.owner] * apart, *range(self.start, self.stop)]
        lines = []
        for row, level, text in zip(rows, [*[0] * apart, *depth], is_text, strict=True):
            if text:
                item: object = collapse(next(texts))
            else:
                item = (page.tag_name(row), sorted(page.attributes.of(row).items()))
            lines.append(f"{level} {item!r}\n")
        whole = "".join(lines).encode("utf-8", "surrogatepass")
        return blake2b(whole, digest_size=8).hexdigest()

    @property
    def text_digest(self) -> str:
        """Digest of the text."""
        return blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def cut_note(pieces: Sequence[Piece]) -> str:
    """Return what is to be said of a page that may have more pieces than are compared."""
    return f"only the first {MAX_PIECES} blocks are compared" if len(pieces) == MAX_PIECES else ""


def pieces(page: Page, names: Sequence[str], cut: Cut, *, wordless: bool = False) -> list[Piece]:
    """Return the pieces of a page in document order.

    Args:
        page: The page.
        names: Tags in order: each takes apart what the tags before it left.
        cut: Of nested elements with one tag the outermost or the innermost; or "lossless", the
            blocks of the page whatever the tags.
        wordless: Whether elements without a word are pieces too.
    """
    if cut == "lossless":
        return _lossless(page)
    rows = np.full(min(len(page), 1), page.body, np.int64)
    words = np.concatenate(([0], np.cumsum(np.where(page.in_head, 0, page.words))))
    for name in names:
        elements = page.rows_of(name).astype(np.int64)
        if not wordless or tags.VOID[tags.NUMBER.get(name, 0)]:
            elements = elements[words[page.end[elements]] > words[elements]]
        rows = _taken_apart(page, rows, elements, innermost=cut == "innermost")
    kept = (row for row in rows.tolist() if wordless or words[page.end[row]] > words[row])
    return [Piece(page, row, row, int(page.end[row])) for row in kept]


def _taken_apart(
    page: Page, rows: NDArray[np.int64], elements: NDArray[np.int64], *, innermost: bool
) -> NDArray[np.int64]:
    """Return the pieces with these elements replacing the piece around them."""
    around = np.searchsorted(rows, elements, "left") - 1  # a piece does not take itself apart
    inside = (around >= 0) & (elements < page.end[rows[around]]) if len(rows) else around >= 0
    elements, around = elements[inside], around[inside]
    if innermost:
        holds_another = np.zeros(len(elements), bool)
        holds_another[:-1] = elements[1:] < page.end[elements[:-1]]
        new = elements[~holds_another]
    else:
        new = outermost(elements, page.end).astype(np.int64)
    whole = np.ones(len(rows), bool)
    whole[around] = False
    return np.sort(np.concatenate((rows[whole], new)))


def _lossless(page: Page) -> list[Piece]:
    blocks, rows = page.blocks, page.text_rows
    whole = []
    before = -1
    bounds = zip(blocks.owner.tolist(), blocks.first[:-1], blocks.first[1:], strict=True)
    for owner, first, stop in bounds:
        start = int(rows[first])
        # Up to the inline element that holds the block, unless it holds the block before too.
        while before < page.parent[start] != owner:
            start = int(page.parent[start])
        before = int(rows[stop - 1])
        if page.in_head[owner] or not page.text_words[first:stop].any():
            continue
        whole.append(Piece(page, owner, start, before + 1))
    return whole


# Fused blocks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fusion:
    """How blocks are measured and fused."""

    theta: float
    """Share of the larger density by which neighbours may differ."""
    line_width: int
    """Characters that a line holds."""
    exclude_last_line: bool = False
    """Leave the last line of a block of several lines out of both counts."""


def fused_blocks(page: Page, fusion: Fusion) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the number of the fused block of each text, and the density of each block.

    Texts of the head are in no block: what is said of them means nothing. The last density, of one
    block more than there are, is 0.
    """
    from joeira.arrays import ranges  # for two methods only

    first_text = _block_starts(page)
    token_count, line_count = _sizes(page, first_text, fusion)
    in_head = page.in_head[page.text_rows]
    in_page = np.flatnonzero(~in_head[first_text])
    block_of_text = np.searchsorted(in_page, np.cumsum(_marked(first_text, len(in_head))) - 1)

    starts = ranges.fuse(token_count[in_page], line_count[in_page], fusion.theta)
    fused_of_block = np.cumsum(_marked(starts, len(in_page) + 1)) - 1
    tokens = np.bincount(fused_of_block[:-1], token_count[in_page], len(starts))
    lines = np.bincount(fused_of_block[:-1], line_count[in_page], len(starts))
    return fused_of_block[block_of_text], np.append(tokens / lines, 0.0)


def _sizes(page: Page, first_text: NDArray[np.intp], fusion: Fusion) -> tuple[AnyInts, AnyInts]:
    """Return the tokens and the lines of each block."""
    from joeira.arrays import markup

    lengths, gaps, first_token = _tokens(page)
    firsts = first_token[first_text]
    token_count: AnyInts = np.diff(np.append(firsts, len(lengths)))
    line_count, last_line = markup.wrapped(lengths, gaps, firsts, fusion.line_width)
    if fusion.exclude_last_line:
        several = line_count > 1
        return token_count - several * last_line, line_count - several
    return token_count, line_count


def _block_starts(page: Page) -> NDArray[np.intp]:
    """Return the number of the first text of each atomic block."""
    from joeira.arrays import markup

    tag_counts = markup.without(page.tags_before, page.rows_of("a"), page.end)
    return np.flatnonzero(markup.between(tag_counts, page.text_rows))


def _tokens(page: Page) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the length of each token, the space after it, and the first token of each text."""
    characters = page.characters
    solid = (characters.classes & SPACE) == 0
    alone = (characters.classes & UNSPACED) != 0
    breaks = ~(solid[1:] & solid[:-1]) | alone[1:] | alone[:-1]
    starts = np.flatnonzero(solid & np.append(True, breaks))
    stops = np.flatnonzero(solid & np.append(breaks, True)) + 1
    gaps = np.ones(len(starts), np.intp)
    gaps[:-1] = starts[1:] > stops[:-1]
    return stops - starts, gaps, np.searchsorted(starts, characters.starts)


def _marked(places: NDArray[np.intp], length: int) -> NDArray[np.bool_]:
    marked = np.zeros(length, bool)
    marked[places] = True
    return marked
