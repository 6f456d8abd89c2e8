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
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from joeira.contracts import Paper
from joeira.errors import require
from joeira.kernels import markup, ranges
from joeira.kernels.strings import SPACE, UNSPACED
from joeira.page import Page
from joeira.results import Content, ReasonTable

Ints = NDArray[np.integer[Any]]

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
        first_text = _block_starts(page)
        token_count, line_count = self._sizes(page, first_text)
        in_head = page.in_head[page.text_rows]
        in_page = np.flatnonzero(~in_head[first_text])
        block_of_text = np.searchsorted(in_page, np.cumsum(_marked(first_text, len(in_head))) - 1)

        starts = ranges.fuse(token_count[in_page], line_count[in_page], self.theta)
        fused_of_block = np.cumsum(_marked(starts, len(in_page) + 1)) - 1
        tokens = np.bincount(fused_of_block[:-1], token_count[in_page], len(starts))
        lines = np.bincount(fused_of_block[:-1], line_count[in_page], len(starts))
        density = np.append(tokens / lines, 0.0)

        highest = float(density.max())
        fused = fused_of_block[block_of_text]
        scores = np.where(in_head, 0.0, density[fused])
        if self.min_density is None:
            keep = ~in_head & (fused == np.argmax(density))
        else:
            keep = ~in_head & (scores >= self.min_density)
        cases = np.where(in_head, _HEAD, np.where(keep, _KEPT, _SPARSE))
        reasons = ReasonTable(cases, self._sentences(highest), scores)
        return Content(page, keep, scores, reasons, "density")

    def _sizes(self, page: Page, first_text: NDArray[np.intp]) -> tuple[Ints, Ints]:
        """Return the tokens and the lines of each block."""
        lengths, gaps, first_token = _tokens(page)
        firsts = first_token[first_text]
        token_count: Ints = np.diff(np.append(firsts, len(lengths)))
        line_count, last_line = markup.wrapped(lengths, gaps, firsts, self.line_width)
        if self.exclude_last_line:
            several = line_count > 1
            return token_count - several * last_line, line_count - several
        return token_count, line_count

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


def _block_starts(page: Page) -> NDArray[np.intp]:
    """Return the number of the first text of each atomic block."""
    tag_counts = markup.without(page.tags_before, page.rows_of("a"), page.end)
    return np.flatnonzero(markup.between(tag_counts, page.text_rows))


def _tokens(page: Page) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the length of each token, the space after it, and the first token of each text."""
    characters = page.characters
    solid = (characters.classes & SPACE) == 0
    alone = (characters.classes & UNSPACED) != 0
    breaks = ~(solid[1:] & solid[:-1]) | alone[1:] | alone[:-1]
    starts = np.flatnonzero(solid & np.append(True, breaks))
    stops = np.flatnonzero(solid & np.append(breaks, True)) + 1
    gaps = np.ones(len(starts), np.intp)
    gaps[:-1] = starts[1:] > stops[:-1]
    return stops - starts, gaps, np.searchsorted(starts, characters.starts)


def _marked(places: NDArray[np.intp], length: int) -> NDArray[np.bool_]:
    marked = np.zeros(length, bool)
    marked[places] = True
    return marked
