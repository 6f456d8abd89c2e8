"""Text density: tokens per line of the texts between tags, and neighbours of like density fused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import AnyInts, markup, ranges
from joeira.arrays.strings import SPACE, UNSPACED
from joeira.page.model import Page


@dataclass(frozen=True)
class Fusion:
    """How blocks are measured and fused."""

    theta: float
    """Share of the larger density by which neighbours may differ."""
    line_width: int
    """Characters that a line holds."""
    exclude_last_line: bool = False
    """Leave the last line of a block of several lines out of both counts."""


def fused_blocks(page: Page, fusion: Fusion) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the number of the fused block of each text, and the density of each block.

    Texts of the head are in no block: what is said of them means nothing. The last density, of one
    block more than there are, is 0.
    """
    first_text = _block_starts(page)
    token_count, line_count = _sizes(page, first_text, fusion)
    in_head = page.in_head[page.text_rows]
    in_page = np.flatnonzero(~in_head[first_text])
    block_of_text = np.searchsorted(in_page, np.cumsum(_marked(first_text, len(in_head))) - 1)

    starts = ranges.fuse(token_count[in_page], line_count[in_page], fusion.theta)
    fused_of_block = np.cumsum(_marked(starts, len(in_page) + 1)) - 1
    tokens = np.bincount(fused_of_block[:-1], token_count[in_page], len(starts))
    lines = np.bincount(fused_of_block[:-1], line_count[in_page], len(starts))
    return fused_of_block[block_of_text], np.append(tokens / lines, 0.0)


def _sizes(page: Page, first_text: NDArray[np.intp], fusion: Fusion) -> tuple[AnyInts, AnyInts]:
    """Return the tokens and the lines of each block."""
    lengths, gaps, first_token = _tokens(page)
    firsts = first_token[first_text]
    token_count: AnyInts = np.diff(np.append(firsts, len(lengths)))
    line_count, last_line = markup.wrapped(lengths, gaps, firsts, fusion.line_width)
    if fusion.exclude_last_line:
        several = line_count > 1
        return token_count - several * last_line, line_count - several
    return token_count, line_count


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
