"""BlockFusion: neighbouring blocks of similar text density are one; the densest is the main text.

1. Atomic blocks are the texts between any two tags; ``a`` does not end a block.
2. The density of a block is its tokens over its lines, wrapped at `line_width` characters.
3. While something changes, neighbours whose densities differ by at most `theta`
   of the larger one are fused; tokens and lines add up.
4. The densest block is the main text. The paper segments pages and says no more; with
   `min_density` all blocks at least that dense are kept instead.

Departures:

- Texts of the head are no blocks.
- Tokens are what white space separates; in scripts without spaces each character is one.
- Of equally dense blocks the first is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from joeira.content.result import Content, ReasonTable
from joeira.contracts import Paper
from joeira.errors import require
from joeira.page import Page
from joeira.page.densities import Fusion, fused_blocks

_HEAD, _SPARSE, _KEPT = range(3)


@dataclass(frozen=True)
class BlockFusion:
    """Keep the block with the highest text density after fusion of alike neighbours.

    A text's score is the density of its fused block in tokens per line; 0 in the head.
    """

    theta: float = 0.38
    """Share of the larger density by which neighbours may differ (from the paper)."""
    line_width: int = 80
    """Characters that a line holds (from the paper)."""
    exclude_last_line: bool = False
    """Leave the last line of a block of several lines out of both counts (it is rarely full)."""
    min_density: float | None = None
    """Keep all blocks with at least so many tokens per line; None keeps only the densest."""

    paper: ClassVar[Paper] = Paper(
        "C. Kohlschütter and W. Nejdl",
        2008,
        "A densitometric approach to web page segmentation",
        "CIKM",
    )

    def __post_init__(self) -> None:
        """Check the parameters."""
        require(
            0 <= self.theta <= 1,
            f"theta must be from 0 to 1, not {self.theta}",
        )
        require(
            self.line_width >= 1,
            f"line_width must be at least 1, not {self.line_width}",
        )
        require(
            self.min_density is None or self.min_density >= 0,
            f"min_density must be None or 0 or more, not {self.min_density}",
        )

    def extract(self, page: Page, /) -> Content:
        """Return the texts of the densest block."""
        fusion = Fusion(self.theta, self.line_width, self.exclude_last_line)
        fused, density = fused_blocks(page, fusion)
        in_head = page.in_head[page.text_rows]
        highest = float(density.max())
        scores = np.where(in_head, 0.0, density[fused])
        if self.min_density is None:
            keep = ~in_head & (fused == np.argmax(density))
        else:
            keep = ~in_head & (scores >= self.min_density)
        cases = np.where(in_head, _HEAD, np.where(keep, _KEPT, _SPARSE))
        reasons = ReasonTable(cases, self._sentences(highest), scores)
        return Content(page, keep, scores, reasons, "density")

    def _sentences(self, highest: float) -> tuple[str, str, str]:
        head = "belongs to the document head"
        if self.min_density is None:
            return (
                head,
                f"in a block with {{score:.1f}} tokens per line; the densest has {highest:.1f}",
                "in the densest block, {score:.1f} tokens per line",
            )
        return (
            head,
            f"in a block with {{score:.1f}} tokens per line, less than {self.min_density:g}",
            f"in a block with {{score:.1f}} tokens per line, at least {self.min_density:g}",
        )
