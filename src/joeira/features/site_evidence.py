"""Why blocks of a page were kept or not, by what the rest of its site says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joeira.features.site_blocks import Floats, SiteBlocks
from joeira.features.site_slots import SlotColumns

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
