"""Blocks: the paragraph-like runs of text of a page.

A block is a run of consecutive texts under the same nearest block-level element, with no other
block-level element between them. Inline elements never break a block.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.arrays.strings import SPACE, UNSPACED
from joeira.page import tags

if TYPE_CHECKING:
    from joeira.page.model import Page


_BASIC_PLANE = 0x10000
_CLOSES = np.zeros(_BASIC_PLANE, bool)
_CLOSES[[ord(mark) for mark in ",.;:!?)]}%…”’»、。，．：；！？）］」』】"]] = True
_OPENS = np.zeros(_BASIC_PLANE, bool)
_OPENS[[ord(mark) for mark in "([{“‘«¿¡$€£¥#@（［「『【"]] = True


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of a page; block *b* holds the texts ``first[b]:first[b + 1]``.

    A light view: what is costly to compute is kept by the page, so that pages never refer to
    themselves and are freed as soon as nobody needs them.
    """

    page: Page

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.owner)

    @property
    def owner(self) -> NDArray[np.int32]:
        """Row of the block-level element of each block."""
        return self.page.block_bounds[0]

    @property
    def first(self) -> NDArray[np.int32]:
        """Number of the first text of each block, and one more entry: the number of texts."""
        return self.page.block_bounds[1]

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each block, white space collapsed."""
        return self.page.block_texts

    @property
    def of_text(self) -> NDArray[np.int32]:
        """Block of each text."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.first))

    def sums(self, per_text: NDArray[Any]) -> NDArray[Any]:
        """Return the sum over the texts of each block."""
        if not len(self):
            return np.zeros(0, per_text.dtype)
        return np.add.reduceat(per_text, self.first[:-1], dtype=np.int64)


def bounds(page: Page) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the owner of each block and where the texts of each block begin."""
    block_level = ~tags.INLINE.take(page.known_tag)
    rows = page.text_rows
    owner = trees.climb(rows, block_level, page.parent).astype(np.int32)
    opened = block_level.cumsum().take(rows)
    new = np.ones(len(rows) + 1, bool)
    new[1:-1] = (owner[1:] != owner[:-1]) | (opened[1:] != opened[:-1])
    first = new.nonzero()[0].astype(np.int32)
    return owner.take(first[:-1]), first


def space_before(page: Page) -> NDArray[np.bool_]:
    """Return, per text, whether a space separates it from the text before.

    White space in the source does; so does the border of an inline element that usually stands
    apart (``span``, ``a``, ``label``, ``img`` ...): "<span>Price</span><span>5</span>" is two
    words, "<b>W</b>ord" is one. Such a border implies no space before a comma, after an opening
    bracket or within Chinese.
    """
    if not page.texts:
        return np.zeros(0, bool)
    loose = ~tags.TIGHT.take(page.known_tag)
    nearest = trees.climb(page.text_rows, loose, page.parent)
    opened = loose.cumsum().take(page.text_rows)
    characters = page.characters
    # Each text is followed by one separator: two back is the last character of the text before.
    first, last = characters.starts[1:], characters.starts[1:] - 2
    of_first, of_last = characters.classes.take(first), characters.classes.take(last)
    closes = _CLOSES.take(characters.codes.take(first), mode="clip")
    opens = _OPENS.take(characters.codes.take(last), mode="clip")
    tight = ((of_first & of_last & UNSPACED) != 0) | closes | opens
    border = (nearest[1:] != nearest[:-1]) | (opened[1:] != opened[:-1])
    before = np.ones(len(page.texts), bool)
    before[1:] = page.gap_before[1:] | (((of_first | of_last) & SPACE) != 0) | (border & ~tight)
    return before


def texts(page: Page) -> tuple[str, ...]:
    """Return the text of each block."""
    spaces = np.where(page.space_before, " ", "").tolist()
    pieces = list(map(add, spaces, page.texts))
    first = page.block_bounds[1].tolist()
    return tuple(" ".join("".join(pieces[start:stop]).split()) for start, stop in pairwise(first))
