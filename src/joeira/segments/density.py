"""BlockFusion: neighbouring blocks of similar text density are one segment.

1. Atomic blocks are the texts between any two tags; ``a`` does not end a block.
2. The density of a block is its tokens over its lines, wrapped at `line_width` characters.
3. While something changes, neighbours whose densities differ by at most `theta` of the larger one
   are fused; tokens and lines add up.

Departures: texts of the head are a segment of their own. Tokens are what white space separates; in
scripts without spaces each character is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from joeira.page import Page
from joeira.page.pieces import Fusion, fused_blocks
from joeira.papers import KOHLSCHUETTER_2008, Paper
from joeira.params import check, param
from joeira.segments.result import Segments


@dataclass(frozen=True)
class BlockFusion:
    """Merge neighbouring blocks of similar text density."""

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

    papers: ClassVar[tuple[Paper, ...]] = (KOHLSCHUETTER_2008,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Segments:
        """Return the fused blocks."""
        fusion = Fusion(self.theta, self.line_width, self.exclude_last_line)
        fused, _ = fused_blocks(page, fusion)
        in_head = page.in_head[page.text_rows]
        return Segments.of_runs(page, np.where(in_head, -1, fused), "density")
