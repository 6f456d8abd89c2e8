"""What every group of features needs to know about the blocks of a page, computed once.

The elements with blocks below them are a tree of their own, a third of the size of the page's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira._native import native_available
from joeira.arrays import Bools, Floats, Ints, trees
from joeira.arrays.groups import Grouping
from joeira.arrays.strings import (
    COMMA,
    CURRENCY,
    SENTENCE_END,
    SEPARATOR,
    SPACE,
    collapse,
    lower_table,
)
from joeira.page import Page, tags
from joeira.page.blocks import chosen_spaces

if native_available:
    from joeira._native import choosing
    from joeira._native import columns as kernels

MAX_CHARACTERS = 2_000_000
"""So far into a page words are read as words."""
LEVELS = 7

Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Holders:
    """The elements above blocks, numbered in the order of the page; the root is number 0."""

    rows: Numbers
    """Per holder: its row in the page."""
    parent: Numbers
    """Per holder: number of its parent; -1 for the root."""
    first: Numbers
    """Per holder: number of the first block below it, blocks being in the order of their owners."""
    stop: Numbers
    """Per holder: one past the last block below it."""
    of_block: Numbers
    """Per block: number of the holder that owns it."""

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
        """Per holder: pointers to its 1st, 2nd, 4th, 8th ... ancestor."""
        return trees.ladder(self.parent)

    @Lazy
    def above_block(self) -> Numbers:
        """Per level and block: the block's owner, then its ancestors (the root stays the root)."""
        levels = np.empty((LEVELS, len(self.of_block)), np.intp)
        levels[0] = self.of_block
        for level in range(1, LEVELS):
            levels[level] = self.ladder[0].take(levels[level - 1])
        return levels


COUNTED = ("sentences", "commas", "currency", "separators", "solid")
_KINDS = (SENTENCE_END, COMMA, CURRENCY, SEPARATOR, SPACE)
FAR = 50
"""How far after the last block something is that does not come at all."""
GOOD_MIN_WORDS = 10
GOOD_MAX_LINK_DENSITY = 0.5


MAX_BLOCKS = 100_000
"""A page has no more blocks for the model: each takes some 2 kB while the page is read."""


@dataclass(frozen=True, eq=False)
class BlockView:
    """The blocks of a page outside its head, with counts per block and per row."""

    page: Page

    def __getstate__(self) -> dict[str, Any]:
        """Return what is stored of a view: no kernels, which hold memory of their own."""
        kernels = ("kernel", "choosing")
        return {name: value for name, value in vars(self).items() if name not in kernels}

    @Lazy
    def _in_body(self) -> NDArray[np.intp]:
        return (~self.page.in_head.take(self.page.blocks.owner)).nonzero()[0]

    @Lazy
    def chosen(self) -> NDArray[np.intp]:
        """Per block outside the head: its number among all blocks of the page."""
        return self.kernel.chosen if native_available else self._in_body[:MAX_BLOCKS]

    @property
    def cut(self) -> str:
        """What is to be said where the page has more blocks than are read; else ''."""
        found = self.kernel.found if native_available else len(self._in_body)
        if found <= MAX_BLOCKS:
            return ""
        return f"only the first {MAX_BLOCKS} of {found} blocks are read"

    @Lazy
    def owner(self) -> NDArray[np.int32]:
        """Per block: row of its element."""
        if native_available:
            return self.kernel.owner
        return self.page.blocks.owner.take(self.chosen)

    @Lazy
    def size(self) -> int:
        """Number of blocks."""
        return self.kernel.blocks if native_available else len(self.chosen)

    @Lazy
    def number(self) -> NDArray[np.intp]:
        """0, 1, 2 ..."""
        return np.arange(self.size)

    @Lazy
    def text_bounds(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Per block: number of its first text, and one past that of its last."""
        if native_available:
            return self.kernel.text_bounds
        first = self.page.blocks.first
        return first.take(self.chosen), first.take(self.chosen + 1)

    @Lazy
    def block_of_text(self) -> Ints:
        """Per text of the page: number of its block; -1 in the head."""
        number = np.full(len(self.page.blocks), -1, np.int64)
        number[self.chosen] = self.number
        return number.take(self.page.blocks.of_text)

    def per_text(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return a value per block as a value per text of the page; 0 in the head."""
        first = self.page.blocks.first
        of_block = np.zeros(len(first) - 1, values.dtype)
        of_block[self.chosen] = values
        return of_block.repeat(first[1:] - first[:-1])

    def texts_of(self, blocks: Iterable[int]) -> dict[int, str]:
        """Return the text of each of some blocks; how other texts are spaced is not asked."""
        page, (first, stop) = self.page, self.text_bounds
        bounds = {block: (first.item(block), stop.item(block)) for block in blocks}
        several = [bound for bound in bounds.values() if bound[1] - bound[0] > 1]
        spaces: Bools | bytearray = bytearray()
        if several and native_available and "space_before" not in vars(page):
            chosen = np.zeros(len(page.text_rows), np.uint8)
            for start, after in several:
                chosen[start:after] = True
            spaces, _ = chosen_spaces(page, (chosen, page.text_linked.view(np.uint8), 0))
        elif several:
            spaces = page.space_before
        joined = {}
        for block, (start, after) in bounds.items():
            texts: Iterable[str] = page.some_texts(start, after)
            if after - start > 1:
                pieces = zip(texts, spaces[start:after], strict=True)
                texts = [f" {text}" if is_apart else text for text, is_apart in pieces]
            joined[block] = collapse("".join(texts))
        return joined

    @Lazy
    def kernel(self) -> kernels.BlockColumns:
        """Counts and columns of the blocks in C, where that was compiled."""
        page, characters = self.page, self.page.characters
        numbers = page.classes[0], page.ids[0]
        return kernels.BlockColumns(
            (page.tag, page.known_tag, page.parent, page.end, page.depth, *numbers, page.in_head),
            page.block_bounds,
            (characters.codes, characters.classes, characters.starts, page.text_linked),
            lower_table(),
            (MAX_CHARACTERS, MAX_BLOCKS),
        )

    @Lazy
    def choosing(self) -> choosing.Choosing:
        """Steps of a choice among the blocks in C, where that was compiled."""
        page, blocks = self.page, self.kernel
        return choosing.Choosing(
            (blocks.owner, *blocks.text_bounds, blocks.words, blocks.linked),
            (page.tag, page.parent, page.end, page.text_rows),
        )

    @Lazy
    def counts(self) -> dict[str, Floats]:
        """By kind of character: how many each block has."""
        if native_available:
            return dict(zip(COUNTED, self.kernel.kinds, strict=True))
        characters = self.page.characters
        starts = characters.starts.take(self.page.block_bounds[1][:-1])
        counts = characters.count_kinds(_KINDS, starts).astype(np.float64)
        sizes = np.concatenate((starts[1:], [len(characters.classes)])) - starts
        counts[-1] = sizes - counts[-1]  # the last kind is white space: what is not, is solid
        return dict(zip(COUNTED, counts.take(self.chosen, axis=1), strict=True))

    @Lazy
    def all_words(self) -> NDArray[np.int64]:
        """Per block of the page, those of its head too: its words."""
        return self.page.blocks.sums(self.page.text_words)

    @Lazy
    def words(self) -> Floats:
        """Per block: its words."""
        if native_available:
            return self.kernel.words
        return self.all_words.take(self.chosen).astype(np.float64)

    @Lazy
    def log_words(self) -> Floats:
        """Per block: logarithm of one more than its words."""
        return log(self.words)

    @Lazy
    def log_places(self) -> Floats:
        """Logarithm of one more than every distance between blocks: of 0, 1, 2 ..."""
        return log(np.arange(self.size + FAR + 1))

    @Lazy
    def linked(self) -> Floats:
        """Per block: its linked words."""
        if native_available:
            return self.kernel.linked
        page = self.page
        linked = page.blocks.sums(page.text_words * page.text_linked)
        return linked.take(self.chosen).astype(np.float64)

    @Lazy
    def at_least_one_word(self) -> Floats:
        """Per block: its words, 1 where there is none: a safe divisor."""
        return np.maximum(self.words, 1)

    @Lazy
    def link_density(self) -> Floats:
        """Per block: share of its words that are linked."""
        return self.linked / self.at_least_one_word

    @Lazy
    def punctuation(self) -> Floats:
        """Per block: its sentence ends and commas."""
        return self.counts["sentences"] + self.counts["commas"]

    @Lazy
    def total_words(self) -> float:
        """Words of all blocks, at least 1."""
        return max(float(self.words.sum()), 1.0)

    @Lazy
    def good(self) -> Floats:
        """Per block: its unlinked words if it looks like prose, long and poor in links; else 0."""
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
        """By what is counted, per holder: the sum over the blocks below it."""
        values = np.array([self.words, self.linked, self.good])
        by_owner = self.owner.argsort(kind="stable")
        total = np.zeros((len(values), self.size + 1))
        values.take(by_owner, axis=1).cumsum(axis=1, out=total[:, 1:])
        sums = total.take(self.holders.stop, axis=1) - total.take(self.holders.first, axis=1)
        return dict(zip(("words", "linked", "good"), sums, strict=True))

    @Lazy
    def is_heading(self) -> Bools:
        """Per block: is it a heading?"""
        return tags.HEADINGS.take(self.page.known_tag.take(self.owner))

    @Lazy
    def heading_above(self) -> NDArray[np.intp]:
        """Per block: number of the last heading at or before it; -1 where there is none."""
        return np.maximum.accumulate(np.where(self.is_heading, self.number, -1))

    @Lazy
    def first_h1(self) -> int:
        """Number of the first block that is an ``h1``; -1 where there is none."""
        titles = (self.page.tag.take(self.owner) == tags.NUMBER["h1"]).nonzero()[0]
        return int(titles[0]) if len(titles) else -1

    @Lazy
    def has_price(self) -> Bools:
        """Per block: has it a currency sign?"""
        has_price: Bools = self.counts["currency"] > 0
        return has_price

    @Lazy
    def prices_below(self) -> NDArray[np.intp]:
        """Per holder: blocks with a currency sign below it."""
        total = np.zeros(self.size + 1, np.intp)
        self.has_price.take(self.owner.argsort(kind="stable")).cumsum(out=total[1:])
        return total.take(self.holders.stop) - total.take(self.holders.first)

    @Lazy
    def is_button(self) -> Bools:
        """Per block: is it a button?"""
        is_button: Bools = self.page.tag.take(self.owner) == tags.NUMBER["button"]
        return is_button

    def inside(self, holder: int) -> Bools:
        """Return which blocks lie below a holder."""
        row = self.holders.rows[holder]
        below: Bools = (self.owner >= row) & (self.owner < self.page.end[row])
        return below

    @Lazy
    def alike(self) -> Floats:
        """Per holder: number of its siblings with its tag and class, itself included."""
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
    sizes: Floats = groups.sizes.take(groups.number).astype(np.float64)
    return sizes


def log(value: NDArray[Any]) -> Floats:
    """Return the logarithm of one more than each value."""
    logarithm: Floats = np.log1p(value)
    return logarithm


def signed_distance(view: BlockView, block: int) -> Floats:
    """Return the signed logarithmic distance of every block from one block."""
    difference = view.number - block
    away: Floats = np.sign(difference) * view.log_places.take(np.abs(difference))
    return away
