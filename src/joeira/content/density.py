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
from joeira.page import Page
from joeira.page.densities import Fusion, fused_blocks
from joeira.papers import KOHLSCHUETTER_2008, Paper
from joeira.params import check, param

_HEAD, _SPARSE, _KEPT = range(3)


@dataclass(frozen=True)
class BlockFusion:
    """Keep the block with the highest text density after fusion of alike neighbours.

    A text's score is the density of its fused block in tokens per line; 0 in the head.
    """

    theta: float = param(
        0.38,
        "Share of the larger density by which neighbours may differ.",
        source="paper",
        ge=0,
        le=1,
    )
    line_width: int = param(80, "Characters that a line holds.", source="paper", ge=1)
    exclude_last_line: bool = param(
        False,
        "Leave the last line of a block of several lines out of both counts (it is rarely full).",
    )
    min_density: float | None = param(
        None,
        "Keep all blocks with at least so many tokens per line; None keeps only the densest.",
        ge=0,
    )

    papers: ClassVar[tuple[Paper, ...]] = (KOHLSCHUETTER_2008,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

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
