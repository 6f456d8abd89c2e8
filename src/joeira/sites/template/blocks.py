"""The blocks of one page as a method for whole sites sees them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats, trees
from joeira.blockmodel import model as scoring
from joeira.blockmodel.columns import Matrix, matrix
from joeira.page import Page, tags
from joeira.sites.profile import slot_symbols

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
        table = matrix(page, model.tables)
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
