"""The elements with blocks below them: a tree of its own, a third of the size of the page's.

What every feature group needs to know about the blocks of a page, computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats, trees
from joeira.arrays.groups import Grouping
from joeira.arrays.lazy import Lazy
from joeira.arrays.strings import (
    COMMA,
    CURRENCY,
    DIGIT,
    SENTENCE_END,
    SEPARATOR,
    SPACE,
    UPPER,
    WORD,
)
from joeira.page import Page, tags

LEVELS = 7

Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Holders:
    """The elements above blocks, numbered in the order of the page; the root is number 0."""

    rows: Numbers
    """Row of each in the page."""
    parent: Numbers
    """Number of the parent of each; -1 for the root."""
    first: Numbers
    """Number of the first block below each, blocks being in the order of their owners."""
    stop: Numbers
    """One past the last block below each."""
    of_block: Numbers
    """Number of the owner of each block."""

    @classmethod
    def of(cls, page: Page, owner: NDArray[np.int32]) -> Holders:
        """Find the elements above blocks, of which there is at least one."""
        before = np.zeros(len(page) + 1, np.intp)
        np.bincount(owner, minlength=len(page)).cumsum(out=before[1:])
        stop = before.take(page.end)
        holds = stop > before[:-1]
        rows = holds.nonzero()[0]
        number = holds.cumsum() - 1
        parent = number.take(page.parent.take(rows))
        parent[0] = -1
        return cls(rows, parent, before.take(rows), stop.take(rows), number.take(owner))

    @Lazy
    def ladder(self) -> trees.Ladder:
        """Pointers to the 1st, 2nd, 4th, 8th ... ancestor of each."""
        return trees.ladder(self.parent)

    @Lazy
    def above_block(self) -> Numbers:
        """Owner of each block and its ancestors, level by level (the root stays the root)."""
        levels = np.empty((LEVELS, len(self.of_block)), np.intp)
        levels[0] = self.of_block
        for level in range(1, LEVELS):
            levels[level] = self.ladder[0].take(levels[level - 1])
        return levels


COUNTED = (
    "letters",
    "digits",
    "upper",
    "sentences",
    "commas",
    "currency",
    "separators",
    "solid",
)
_KINDS = (WORD, DIGIT, UPPER, SENTENCE_END, COMMA, CURRENCY, SEPARATOR, SPACE)
FAR = 50
"""How far after the last block something is that does not come at all."""
GOOD_MIN_WORDS = 10
GOOD_MAX_LINK_DENSITY = 0.5


@dataclass(frozen=True, eq=False)
class BlockView:
    """The blocks of a page outside its head, with counts per block and per row."""

    page: Page

    @Lazy
    def chosen(self) -> NDArray[np.intp]:
        """Numbers of the blocks that count: those not in the head."""
        return (~self.page.in_head.take(self.page.blocks.owner)).nonzero()[0]

    @Lazy
    def owner(self) -> NDArray[np.int32]:
        """Row of the element of each block."""
        return self.page.blocks.owner.take(self.chosen)

    @Lazy
    def size(self) -> int:
        """Number of blocks."""
        return len(self.chosen)

    @Lazy
    def number(self) -> NDArray[np.intp]:
        """0, 1, 2 ..."""
        return np.arange(self.size)

    @Lazy
    def text_bounds(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """First text of each block, and one past its last."""
        first = self.page.blocks.first
        return first.take(self.chosen), first.take(self.chosen + 1)

    @Lazy
    def counts(self) -> dict[str, Floats]:
        """Characters of each kind per block."""
        characters = self.page.characters
        starts = characters.starts.take(self.page.block_bounds[1][:-1])
        counts = characters.count_kinds(_KINDS, starts).astype(np.float64)
        sizes = np.concatenate((starts[1:], [len(characters.classes)])) - starts
        counts[-1] = sizes - counts[-1]  # the last kind is white space: what is not, is solid
        return dict(zip(COUNTED, counts.take(self.chosen, axis=1), strict=True))

    @Lazy
    def all_words(self) -> NDArray[np.int64]:
        """Words of every block of the page, those of its head too."""
        return self.page.blocks.sums(self.page.text_words)

    @Lazy
    def words(self) -> Floats:
        """Words of each block."""
        return self.all_words.take(self.chosen).astype(np.float64)

    @Lazy
    def log_words(self) -> Floats:
        """Logarithm of one more than the words of each block."""
        return log(self.words)

    @Lazy
    def log_places(self) -> Floats:
        """Logarithm of one more than every distance between blocks: of 0, 1, 2 ..."""
        return log(np.arange(self.size + FAR + 1))

    @Lazy
    def linked(self) -> Floats:
        """Linked words of each block."""
        page = self.page
        linked = page.blocks.sums(page.text_words * page.text_linked)
        return linked.take(self.chosen).astype(np.float64)

    @Lazy
    def at_least_one_word(self) -> Floats:
        """Words of each block, 1 where there is none: a safe divisor."""
        return np.maximum(self.words, 1)

    @Lazy
    def link_density(self) -> Floats:
        """Share of linked words of each block."""
        return self.linked / self.at_least_one_word

    @Lazy
    def punctuation(self) -> Floats:
        """Sentence ends and commas of each block."""
        return self.counts["sentences"] + self.counts["commas"]

    @Lazy
    def total_words(self) -> float:
        """Words of all blocks, at least 1."""
        return max(float(self.words.sum()), 1.0)

    @Lazy
    def good(self) -> Floats:
        """Unlinked words of the blocks that look like prose: long and poor in links."""
        prose = (self.words >= GOOD_MIN_WORDS) & (self.link_density < GOOD_MAX_LINK_DENSITY)
        return np.where(prose, self.words - self.linked, 0.0)

    @Lazy
    def total_good(self) -> float:
        """Words of all good blocks, at least 1."""
        return max(float(self.good.sum()), 1.0)

    @Lazy
    def holders(self) -> Holders:
        """The elements with blocks below them; there must be blocks."""
        return Holders.of(self.page, self.owner)

    @Lazy
    def below(self) -> dict[str, Floats]:
        """Sums over the blocks below every holder."""
        values = np.array(
            [self.words, self.linked, np.ones(self.size), self.punctuation, self.good]
        )
        by_owner = self.owner.argsort(kind="stable")
        total = np.zeros((len(values), self.size + 1))
        values.take(by_owner, axis=1).cumsum(axis=1, out=total[:, 1:])
        sums = total.take(self.holders.stop, axis=1) - total.take(self.holders.first, axis=1)
        return dict(zip(("words", "linked", "blocks", "punctuation", "good"), sums, strict=True))

    @Lazy
    def is_heading(self) -> NDArray[np.bool_]:
        """Which blocks are headings."""
        return tags.HEADINGS.take(self.page.known_tag.take(self.owner))

    @Lazy
    def is_button(self) -> NDArray[np.bool_]:
        """Which blocks are buttons."""
        found: NDArray[np.bool_] = self.page.tag.take(self.owner) == tags.NUMBER["button"]
        return found

    @Lazy
    def tag_gap(self) -> Floats:
        """Elements opened between the block before and this one, at least 1."""
        opened = np.maximum.accumulate(self.owner)
        gap = np.ones(self.size)
        gap[1:] += opened[1:] - opened[:-1]
        return gap

    def inside(self, holder: int) -> NDArray[np.bool_]:
        """Return which blocks lie below a holder."""
        row = self.holders.rows[holder]
        below: NDArray[np.bool_] = (self.owner >= row) & (self.owner < self.page.end[row])
        return below

    @Lazy
    def alike(self) -> Floats:
        """Number of siblings of every holder with its tag and class, itself included."""
        page = self.page
        key = (page.parent.astype(np.int64) << 32) + (page.tag.astype(np.int64) << 20)
        key += page.classes[0]
        return group_sizes(key).take(self.holders.rows)

    @Lazy
    def class_paths(self) -> Grouping:
        """The blocks with equal paths of tags and classes."""
        page, holders = self.page, self.holders
        by_class = page.classes[0].take(holders.rows).astype(np.uint64) * tags.CLASS_STEP
        symbol = page.tag_symbol.take(holders.rows) + by_class
        path = trees.path_hashes(symbol, holders.parent, holders.ladder)
        return Grouping.of(path.take(holders.of_block))


def group_sizes(key: NDArray[Any]) -> Floats:
    """Return, for every entry, how many entries have the same key."""
    groups = Grouping.of(key)
    found: Floats = groups.sizes.take(groups.number).astype(np.float64)
    return found


def log(value: NDArray[Any]) -> Floats:
    """Return the logarithm of one more than each value."""
    logarithm: Floats = np.log1p(value)
    return logarithm


def signed_distance(view: BlockView, block: int) -> Floats:
    """Return the signed logarithmic distance of every block from one block."""
    difference = view.number - block
    away: Floats = np.sign(difference) * view.log_places.take(np.abs(difference))
    return away
