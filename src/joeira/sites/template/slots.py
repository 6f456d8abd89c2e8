"""What is known of the places of a template: how full they are, how varied, how probable.

Why blocks of a page were kept or not, by what the rest of its site says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.sites.profile import slot_selector
from joeira.sites.template.blocks import SiteBlocks

MAX_SLOTS = 4096
"""Slots remembered for each template; beyond, those on the fewest pages are forgotten."""


class Slot(NamedTuple):
    """What is known of a place in a template."""

    selector: str
    pages: int
    blocks: int
    texts: int
    """Different texts among the blocks."""
    words: float
    content_words: float
    """Words expected to be content, by the block model alone."""


@dataclass(frozen=True, eq=False)
class SlotColumns:
    """What is known of each block's slot."""

    mean: Floats
    """Mean probability of content, weighed by words."""
    pages: NDArray[np.int64]
    blocks: NDArray[np.int64]
    texts: NDArray[np.int64]

    @property
    def staleness(self) -> Floats:
        """Share of the blocks of a list whose text was known before; 0 for other slots."""
        known = 1 - self.texts / np.maximum(self.blocks, 1)
        return known * (self.blocks > self.pages)

    def fields(self, pages: int, *, min_share: float, min_variety: float) -> NDArray[np.bool_]:
        """Return which blocks fill a field: a slot with one block a page, another text on each.

        Args:
            pages: Number of pages of the template.
            min_share: Share of them that must have the slot.
            min_variety: Least number of different texts for each block of the slot.
        """
        single = self.blocks <= ALMOST_SINGLE * self.pages
        usual = self.pages >= min_share * pages
        return single & usual & (self.texts >= min_variety * self.blocks)


ALMOST_SINGLE = 1.2
"""Blocks for each page of a slot that has one: a page out of five may have a second one."""


def with_page(
    slots: Mapping[int, Slot], blocks: SiteBlocks, is_new: NDArray[np.bool_]
) -> dict[int, Slot]:
    """Return the slots of a template with those of one more page.

    Args:
        slots: The slots before.
        blocks: The blocks of the page.
        is_new: Which of their texts were not known in their slot.
    """
    found = dict(slots)
    listed, first, which = np.unique(blocks.slots, return_index=True, return_inverse=True)
    # A block of signs counts a little, so that no slot is without weight.
    words = np.maximum(blocks.words, 0.5)
    sums = [
        np.bincount(which, values, len(listed)).tolist()
        for values in (np.ones(len(words)), is_new, words, words * blocks.scores.probability)
    ]
    for number, slot in enumerate(listed.tolist()):
        before = found.get(slot)
        if before is None:
            row = int(blocks.matrix.view.owner[first[number]])
            before = Slot(slot_selector(blocks.page, row), 0, 0, 0, 0.0, 0.0)
        count, new, all_words, content = (column[number] for column in sums)
        found[slot] = Slot(
            before.selector,
            before.pages + 1,
            before.blocks + int(count),
            before.texts + int(new),
            before.words + all_words,
            before.content_words + content,
        )
    while len(found) > MAX_SLOTS:
        least = min(slot.pages for slot in found.values())
        found = {key: slot for key, slot in found.items() if slot.pages > least}
    return found


def columns(slots: Mapping[int, Slot], blocks: SiteBlocks) -> SlotColumns:
    """Return what is known of the slot of each block; of an unknown one, the block itself."""
    known = [slots.get(slot, _UNKNOWN) for slot in blocks.slots.tolist()]
    words, content, *counts = (
        np.array([getattr(slot, name) for slot in known])
        for name in ("words", "content_words", "pages", "blocks", "texts")
    )
    pages, number, texts = (column.astype(np.int64) for column in counts)
    mean = np.where(pages > 0, content / np.maximum(words, 0.5), blocks.scores.probability)
    return SlotColumns(mean, pages, number, texts)


_UNKNOWN = Slot("", 0, 0, 0, 0.0, 0.0)


DENSE_CORE = 0.6
"""Where this much of the words of the element around a block are core, a block loses nothing."""


@dataclass(frozen=True, eq=False)
class SiteEvidence:
    """Why blocks were kept or not, in words when somebody asks."""

    blocks: SiteBlocks
    probability: Floats
    repeats: tuple[int, NDArray[np.int64]]
    """Number of pages, and per block on how many of them its slot has its text."""
    slots: SlotColumns
    is_field: NDArray[np.bool_]
    density: Floats
    """Per block: density of the core around it."""

    def of(self, index: int) -> str:
        """Return the reason for what was decided about a text."""
        block = int(self.blocks.block_of_text[index])
        if block < 0:
            return "belongs to the document head"
        said = []
        pages, on_pages = self.repeats
        if on_pages[block] > 1:
            said.append(f"same text on {on_pages[block]} of {pages} pages")
        said.append(f"alone {self.blocks.scores.probability[block]:.2f}")
        if self.slots.pages[block] > 1:
            said.append(f"its slot {self.slots.mean[block]:.2f} on {self.slots.pages[block]} pages")
        if self.is_field[block]:
            kind = "a title" if self.blocks.is_heading[block] else "a field"
            said.append(f"{kind}: another text on each page")
        if self.blocks.is_comment[block]:
            said.append("a comment under the article")
        if on_pages[block] <= 1 and self.slots.staleness[block] > 0:
            said.append(f"{self.slots.staleness[block]:.0%} of the texts beside it come back")
        if self.density[block] < DENSE_CORE:
            said.append("stands apart from the core of the page")
        return f"probability {self.probability[block]:.2f}: {'; '.join(said)}"
