"""A page as all its lists see it: what candidates, features and templates have in common."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira._native import native_available
from joeira.arrays import Hashes, Ints, trees
from joeira.arrays.strings import slice_hashes
from joeira.page import Page, tags

if native_available:
    from joeira._native import lists as kernels

STEP: Final = np.uint64(0x94D049BB133111EB)
"""Odd factor that spreads small numbers over all hashes."""

_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class Ground:
    """Columns of a page, computed when they are first asked for."""

    page: Page

    @Lazy
    def words(self) -> Ints:
        """Words before each row, with one more entry for the end of the page."""
        return running(self.page.words)

    @Lazy
    def family(self) -> Hashes:
        """Per row: number of its first class, digits left out: ``row1`` is as ``row2``."""
        number, names = self.page.classes
        firsts = "\n".join([(name.split(None, 1) or ("",))[0] for name in names])
        known: dict[str, int] = {"": 0}
        of_name = [known.setdefault(n, len(known)) for n in _DIGITS.sub("", firsts).split("\n")]
        return np.array(of_name, np.uint64)[number]

    @Lazy
    def path(self) -> Hashes:
        """Symbol of the path to each row in which tags differ also by family."""
        page = self.page
        return trees.path_hashes(page.tag_symbol + self.family * STEP, page.parent, page.ladder)

    @Lazy
    def leaves(self) -> Ints:
        """Rows of the texts and pictures."""
        return np.flatnonzero(self.page.is_text | (self.page.tag == tags.NUMBER["img"]))

    @Lazy
    def leaves_before(self) -> Ints:
        """Number of leaves before each row, with one more entry for the end of the page."""
        before = np.zeros(len(self.page) + 1, np.int64)
        before[self.leaves + 1] = 1
        return np.cumsum(before, out=before)

    @Lazy
    def contents(self) -> Hashes:
        """Per leaf: a hash of its text; the same number for all pictures."""
        characters = self.page.characters
        stops = np.append(characters.starts[1:], len(characters.codes))
        hashes = np.ones(len(self.leaves), np.uint64)
        is_text = self.page.is_text[self.leaves]
        hashes[is_text] = slice_hashes(characters.codes, characters.starts, stops)
        return hashes

    @Lazy
    def templates(self) -> kernels.PageTemplates:
        """What the records of lists share, in C; only where there are kernels."""
        page, leaves = self.page, self.leaves
        return kernels.PageTemplates(
            (self.path, page.parent, page.depth, self.leaves_before),
            (leaves, page.is_text[leaves].view(np.uint8)),
            (page.path[leaves], self.contents),
        )


def running(column: NDArray[Any]) -> Ints:
    """Return the sum of a column before each entry, and that of all."""
    sums = np.zeros(len(column) + 1, np.int64)
    np.cumsum(column, dtype=np.int64, out=sums[1:])
    return sums
