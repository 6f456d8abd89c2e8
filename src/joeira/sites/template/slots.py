"""Statistics of the slots of a template: how often filled, how varied, how probable.

From that, and from the blocks of one page as a method for whole sites sees them, comes what the
rest of a site says of each block, in numbers and in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Bools, Case, Floats, Ints, trees
from joeira.arrays.trees import enclosing
from joeira.blockmodel import model as scoring
from joeira.blockmodel.columns import Matrix
from joeira.blockmodel.reasons import Reason, Reasons, sentence
from joeira.page import Page, tags
from joeira.page.tables import data_tables
from joeira.sites.profile import slot_selector, slot_symbols

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


REPEATED_MIN_WORDS = 5
"""A text of so many words does not stand on two pages by chance."""
DENSE_CORE = 0.6
"""Where this much of the words of the element around a block are core, a block loses nothing."""


@dataclass(frozen=True, eq=False)
class SiteFeatures:
    """Statistics of the rest of a site for each block of a page."""

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
    is_detail: Bools
    """Per block: is it in a table of values that vary from page to page?"""
    template_pages: int
    """Number of pages of its template, the page among them."""


@dataclass(frozen=True, eq=False)
class SiteExplanations(Reasons):
    """The reasons for decisions about blocks, put into words on demand."""

    features: SiteFeatures
    keep: Bools
    """Per block: was it kept?"""

    def case(self, index: int) -> Case:
        """Return the case that decided about a text."""
        block = self._block(index)
        if block < 0:
            page = self.features.blocks.page
            return Reason.HEAD if page.in_head[page.text_rows[index]] else Reason.BEYOND
        return Reason.KEPT if self.keep[block] else Reason.DROPPED

    def parts(self, index: int) -> tuple[str, ...]:
        """Return the probability of a text and the evidence of the site."""
        block = self._block(index)
        if block < 0:
            return (sentence(self.case(index)),)
        first, *others = self._phrases(block)
        probability = sentence(self.case(index)).format(score=self.features.probability[block])
        return (f"{probability}: {first}", *others)

    def _block(self, index: int) -> int:
        return int(self.features.blocks.matrix.view.block_of_text[index])

    def _phrases(self, block: int) -> Iterator[str]:
        site, blocks, slots = self.features, self.features.blocks, self.features.slots
        on_pages = site.on_pages[block]
        if on_pages > 1:
            counts = blocks.words[block] >= REPEATED_MIN_WORDS
            short = "" if counts else ", too short to count"
            yield f"same text on {on_pages} of {site.pages} pages{short}"
        yield f"by itself {blocks.scores.probability[block]:.2f}"
        if slots.pages[block] > 1:
            yield f"its slot {slots.mean[block]:.2f} on {slots.pages[block]} pages"
        if site.is_field[block]:
            kind = "a title" if blocks.is_heading[block] else "a field"
            yield f"{kind}: a different text on each page"
        if site.is_detail[block]:
            yield "in a table whose values vary from page to page"
        if blocks.is_comment[block]:
            yield "a comment below the article"
        if on_pages <= 1 and slots.staleness[block] > 0:
            yield f"{slots.staleness[block]:.0%} of the texts next to it recur"
        if site.density[block] < DENSE_CORE:
            yield "apart from the core of the page"


_HEADING = tags.table("h1 h2 h3")


@dataclass(frozen=True, eq=False)
class SiteBlocks:
    """Blocks with the block model's scores, their slot, and the digest of their text in it."""

    page: Page
    matrix: Matrix
    scores: scoring.Scores

    @classmethod
    def of(cls, page: Page) -> SiteBlocks:
        """Score the blocks of a page."""
        model = scoring.load()
        table = model.features(page)
        return cls(page, table, model.score(table))

    @property
    def words(self) -> Floats:
        """Words of each block."""
        return self.matrix.view.words

    @cached_property
    def texts(self) -> list[str]:
        """Text of each block."""
        return [self.page.block_texts[number] for number in self.matrix.view.chosen.tolist()]

    @cached_property
    def digests(self) -> list[str]:
        """A digest of each text and its slot: the same text elsewhere is another one."""
        return [
            blake2b(
                text.encode("utf-8", "surrogatepass"), digest_size=6, salt=slot.to_bytes(8)
            ).hexdigest()
            for text, slot in zip(self.texts, self.slots.tolist(), strict=True)
        ]

    @cached_property
    def is_heading(self) -> NDArray[np.bool_]:
        """Which blocks are headings of the first three ranks."""
        return _HEADING[self.page.known_tag[self.matrix.view.owner]]

    @cached_property
    def is_number(self) -> NDArray[np.bool_]:
        """Which blocks are a bare number, as counters of readers are."""
        return np.array([text.strip().isdecimal() for text in self.texts], bool)

    @cached_property
    def is_comment(self) -> NDArray[np.bool_]:
        """Which blocks are mostly what readers wrote under an article."""
        return self._mostly(self.page.in_comments)

    @cached_property
    def is_linked(self) -> NDArray[np.bool_]:
        """Which blocks are mostly links."""
        return self._mostly(self.page.text_linked)

    def _mostly(self, of_text: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which blocks have more than half of their words in some texts."""
        block_of_text = self.matrix.view.block_of_text
        inside = block_of_text >= 0
        block, words = block_of_text[inside], self.page.text_words[inside]
        part = np.bincount(block, words * of_text[inside], len(self.words))
        return 2 * part > np.bincount(block, words, len(self.words))

    @cached_property
    def slots(self) -> NDArray[np.uint64]:
        """Slot of each block."""
        return slot_symbols(self.page)[self.matrix.view.owner]

    @cached_property
    def slot_set(self) -> tuple[int, ...]:
        """The distinct slots."""
        distinct: list[int] = np.unique(self.slots).tolist()
        return tuple(distinct)


VARIED_ROWS = 2
VARIED_ROW_SHARE = 0.2
"""A table of details has so many rows, and this share of its rows, with a value of its own."""
VARIED_TEXT_SHARE = 0.3
"""Least number of different texts for each block of a place where values vary."""
VARIED_PAGE_SHARE = 0.3
"""Share of the pages of a template that have such a place."""


def in_varied_tables(blocks: SiteBlocks, slots: SlotColumns, is_own: Bools, pages: int) -> Bools:
    """Return which blocks are in tables of details: labels, and values that vary over the pages.

    Args:
        blocks: The blocks of a page.
        slots: What is known of their slots.
        is_own: Which blocks have a text that hardly any other page has in its slot.
        pages: Number of pages of the template.
    """
    page = blocks.page
    is_detail = np.zeros(len(is_own), bool)
    tables = data_tables(page)
    if not len(tables):
        return is_detail
    owner = blocks.matrix.view.owner.astype(np.int64)
    rows = page.rows_of("tr").astype(np.int64)
    table, row = (enclosing(outer, page.end, owner) for outer in (tables, rows))
    inside = np.flatnonzero((table >= 0) & (row >= 0))
    varies = is_own & ~blocks.is_linked & ~blocks.is_comment
    varies &= slots.texts >= VARIED_TEXT_SHARE * slots.blocks
    varies &= slots.pages >= VARIED_PAGE_SHARE * pages
    # Per row of a table with text in it: whether one of its values varies.
    listed, first, number = np.unique(row[inside], return_index=True, return_inverse=True)
    row_varies = np.bincount(number, varies[inside], len(listed)) > 0
    table_of_row = np.searchsorted(tables, table[inside][first])
    count = np.bincount(table_of_row, minlength=len(tables))
    varied = np.bincount(table_of_row, row_varies, len(tables))
    is_varied = (varied >= VARIED_ROWS) & (varied >= VARIED_ROW_SHARE * count)
    is_detail[inside] = is_varied[np.searchsorted(tables, table[inside])]
    return is_detail


def core_density(blocks: SiteBlocks, core: Floats, share: float) -> Floats:
    """Return how much of the smallest element with a share of the core around each block is core.

    Args:
        blocks: The blocks of a page.
        core: Per block, how much of it is core, from 0 to 1.
        share: Part of the whole core that the element must hold.
    """
    page, owner = blocks.page, blocks.matrix.view.owner
    if not len(owner):
        return np.zeros(0)
    rows = len(page)
    words = trees.subtree_sums(np.bincount(owner, blocks.words, rows), page.end)
    inside = trees.subtree_sums(np.bincount(owner, blocks.words * core, rows), page.end)
    holds = inside >= share * inside[0] * (1 - 1e-9)
    holds[0] = True
    around = trees.nearest(holds, page.parent)[owner]
    density: Floats = inside[around] / np.maximum(words[around], 1)
    return density
