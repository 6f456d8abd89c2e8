"""What is known of the places of a template: how full they are, how varied, how probable.

From that, what the rest of a site says of each block of a page, in numbers and in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from joeira.arrays import Bools, Case, Floats, Ints
from joeira.blockmodel.reasons import Reason, Reasons, sentence
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
    """What is known of each block's slot: per block, what `Slot` has under the same name."""

    mean: Floats
    """Per block: mean probability of content in its slot, weighed by words."""
    pages: Ints
    blocks: Ints
    texts: Ints

    @property
    def staleness(self) -> Floats:
        """Share of the blocks of a list whose text was known before; 0 for other slots."""
        known = 1 - self.texts / np.maximum(self.blocks, 1)
        return known * (self.blocks > self.pages)

    def fields(self, pages: int, *, min_share: float, min_variety: float) -> Bools:
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


def with_page(slots: Mapping[int, Slot], blocks: SiteBlocks, is_new: Bools) -> dict[int, Slot]:
    """Return the slots of a template with those of one more page.

    Args:
        slots: The slots before.
        blocks: The blocks of the page.
        is_new: Which of their texts were not known in their slot.
    """
    known = dict(slots)
    listed, first, which = np.unique(blocks.slots, return_index=True, return_inverse=True)
    # A block of signs counts a little, so that no slot is without weight.
    words = np.maximum(blocks.words, 0.5)
    sums = [
        np.bincount(which, values, len(listed)).tolist()
        for values in (np.ones(len(words)), is_new, words, words * blocks.scores.probability)
    ]
    for number, slot in enumerate(listed.tolist()):
        before = known.get(slot)
        if before is None:
            row = int(blocks.matrix.view.owner[first[number]])
            before = Slot(slot_selector(blocks.page, row), 0, 0, 0, 0.0, 0.0)
        count, new, all_words, content = (column[number] for column in sums)
        known[slot] = Slot(
            before.selector,
            before.pages + 1,
            before.blocks + int(count),
            before.texts + int(new),
            before.words + all_words,
            before.content_words + content,
        )
    while len(known) > MAX_SLOTS:
        least = min(slot.pages for slot in known.values())
        known = {key: slot for key, slot in known.items() if slot.pages > least}
    return known


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
class SiteFeatures:
    """What the rest of a site says of each block of a page, in numbers."""

    blocks: SiteBlocks
    probability: Floats
    """Per block: probability of being content, corrected by the site."""
    pages: int
    """Number of pages of the site, this one among them."""
    on_pages: Ints
    """Per block: number of pages that have its text in its slot."""
    slots: SlotColumns
    is_field: Bools
    """Per block: does it fill a field of the template?"""
    density: Floats
    """Per block: density of the core around it."""


@dataclass(frozen=True, eq=False)
class SiteExplanations(Reasons):
    """Why blocks were kept or not, in words when somebody asks."""

    features: SiteFeatures
    keep: Bools
    """Per block: was it kept?"""

    def case(self, index: int) -> Case:
        """Return the case that decided about a text."""
        block = self._block(index)
        if block < 0:
            return Reason.HEAD
        return Reason.KEPT if self.keep[block] else Reason.DROPPED

    def parts(self, index: int) -> tuple[str, ...]:
        """Return the probability of a text, and what the site says of it."""
        block = self._block(index)
        if block < 0:
            return (sentence(Reason.HEAD),)
        first, *others = self._phrases(block)
        probability = sentence(self.case(index)).format(score=self.features.probability[block])
        return (f"{probability}: {first}", *others)

    def _block(self, index: int) -> int:
        return int(self.features.blocks.matrix.view.block_of_text[index])

    def _phrases(self, block: int) -> Iterator[str]:
        site, blocks, slots = self.features, self.features.blocks, self.features.slots
        on_pages = site.on_pages[block]
        if on_pages > 1:
            yield f"same text on {on_pages} of {site.pages} pages"
        yield f"alone {blocks.scores.probability[block]:.2f}"
        if slots.pages[block] > 1:
            yield f"its slot {slots.mean[block]:.2f} on {slots.pages[block]} pages"
        if site.is_field[block]:
            kind = "a title" if blocks.is_heading[block] else "a field"
            yield f"{kind}: another text on each page"
        if blocks.is_comment[block]:
            yield "a comment under the article"
        if on_pages <= 1 and slots.staleness[block] > 0:
            yield f"{slots.staleness[block]:.0%} of the texts beside it come back"
        if site.density[block] < DENSE_CORE:
            yield "stands apart from the core of the page"
