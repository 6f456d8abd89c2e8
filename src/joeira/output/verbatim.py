"""Preformatted text: white space as written.

A page table has no rows for texts that are only white space, so the line breaks and the indentation
between the elements of a `pre` (every highlighted listing has them) are read from the source nodes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.trees import outermost
from joeira.page import Page, tags

Listing = list[tuple[int, str, str]]
"""Texts of a preformatted element: number, white space before, characters as written."""

PREFORMATTED = tags.table("pre listing xmp plaintext")


def preformatted(page: Page) -> NDArray[np.integer]:
    """Return the rows of the preformatted elements that are not inside another one."""
    return outermost(PREFORMATTED.take(page.known_tag).nonzero()[0], page.end)


def listing(page: Page, row: int, kept: NDArray[np.bool_]) -> Listing:
    """Return the kept texts of a preformatted element: number, white space before it, characters.

    Blank lines at the edges are left out, and so is white space at the end.
    """
    first, stop = int(page.text_index[row]), int(page.text_index[page.end[row]])
    if not kept[first:stop].any():
        return []
    block = np.searchsorted(page.block_bounds[1], np.arange(first, stop), "right").tolist()
    found: Listing = []
    gap, index = "", first
    for piece in page.attributes.pieces(row):
        if not piece or piece.isspace():
            gap += piece
            continue
        if index == stop:
            break  # the page was cut here
        line_ended = "\n" in gap or not found or found[-1][2].endswith("\n")
        if kept[index]:
            if not line_ended and block[index - first] != block[found[-1][0] - first]:
                gap = "\n" + gap
            found.append((index, gap, page.texts[index]))
            gap = ""
        elif "\n" in piece and not line_ended:
            gap += "\n"
        index += 1
    return _trimmed(found)


def _trimmed(found: Listing) -> Listing:
    if not found:
        return found
    index, gap, text = found[0]
    indented = (gap + text).lstrip()
    lead = (gap + text)[: len(gap + text) - len(indented)]
    found[0] = (index, "", lead[lead.rfind("\n") + 1 :] + indented)
    index, gap, text = found[-1]
    found[-1] = (index, gap, text.rstrip())
    return found
