"""BlockFusion: merge neighbouring blocks of similar text density and keep the dense ones.

1. Atomic blocks are the texts between any two tags; ``a`` does not end a block.
2. The density of a block is its tokens over its lines, wrapped at `line_width` characters.
3. While something changes, neighbours whose densities differ by at most `theta`
   of the larger one are fused; tokens and lines add up.
4. Blocks with at least `min_density` tokens per line are kept.

Departures:

- The paper segments pages and does not choose among the blocks, so step 4 is ours. With None, only
  the densest block is kept.
- Texts of the head are no blocks.
- Tokens are what white space separates; in scripts without spaces each character is one.
- Of equally dense blocks the first is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from joeira.arrays import Case
from joeira.blockmodel.reasons import Reason
from joeira.content.result import Content, ReasonTable
from joeira.page import Page
from joeira.page.pieces import Fusion, fused_blocks
from joeira.papers import KOHLSCHUETTER_2008, Paper
from joeira.params import check, param


class DensityCase(Case):
    """How dense the block of a text is."""

    HEAD = 0, Reason.HEAD.sentence
    NOT_DENSEST = 1, "in a block with {score:.1f} tokens per line; the densest has {highest:.1f}"
    DENSEST = 2, "in the densest block, {score:.1f} tokens per line"
    SPARSE = 3, "in a block with {score:.1f} tokens per line, less than {min_density:g}"
    DENSE = 4, "in a block with {score:.1f} tokens per line, at least {min_density:g}"


@dataclass(frozen=True)
class BlockFusion:
    """Keep the blocks with a high text density after merging similar neighbours.

    The score of a text is the density of its merged block in tokens per line, or 0 in the head.
    """

    theta: float = param(
        0.38,
        "Share of the larger density by which neighbours may differ.",
        source="paper",
        ge=0,
        le=1,
    )
    line_width: int = param(80, "Characters per line.", source="paper", ge=1)
    exclude_last_line: bool = param(
        False,
        "Exclude the last line of a block of several lines from both counts (it is rarely full).",
    )
    min_density: float | None = param(
        7,
        "Keep all blocks with at least this many tokens per line; None keeps only the densest.",
        ge=0,
    )

    papers: ClassVar[tuple[Paper, ...]] = (KOHLSCHUETTER_2008,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Content:
        """Return the texts of the dense blocks."""
        fusion = Fusion(self.theta, self.line_width, self.exclude_last_line)
        fused, density = fused_blocks(page, fusion)
        in_head = page.in_head[page.text_rows]
        scores = np.where(in_head, 0.0, density[fused])
        if self.min_density is None:
            keep = ~in_head & (fused == np.argmax(density))
            cases = np.where(keep, DensityCase.DENSEST, DensityCase.NOT_DENSEST)
        else:
            keep = ~in_head & (scores >= self.min_density)
            cases = np.where(keep, DensityCase.DENSE, DensityCase.SPARSE)
        cases[in_head] = DensityCase.HEAD
        values = {"highest": float(density.max()), "min_density": self.min_density}
        reasons = ReasonTable(cases, DensityCase, scores, values)
        return Content(page, keep, scores, reasons, "density")
