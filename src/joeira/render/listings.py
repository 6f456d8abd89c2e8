"""Preformatted text: its characters as written, and the programming language that it declares.

A page table has no rows for texts that are only white space, so the line breaks and the indentation
between the elements of a `pre` (every highlighted listing has them) are read from the source nodes.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.trees import outermost
from joeira.page import Page, tags

Parts = list[tuple[int, str, str]]
"""Texts of a preformatted element: number, white space before, characters as written."""

PREFORMATTED = tags.table("pre listing xmp plaintext")


def preformatted(page: Page) -> NDArray[np.integer]:
    """Return the rows of the preformatted elements that are not inside another one."""
    return outermost(PREFORMATTED.take(page.known_tag).nonzero()[0], page.end)


def code_of(page: Page, row: int, kept: NDArray[np.bool_]) -> Parts:
    """Return the kept texts of a preformatted element: number, white space before it, characters.

    Blank lines at the edges are left out, and so is white space at the end.
    """
    first, stop = int(page.text_index[row]), int(page.text_index[page.end[row]])
    if not kept[first:stop].any():
        return []
    block = np.searchsorted(page.block_bounds[1], np.arange(first, stop), "right").tolist()
    pieces: Parts = []
    gap, index = "", first
    for piece in page.attributes.pieces(row):
        if not piece or piece.isspace():
            gap += piece
            continue
        if index == stop:
            break  # the page was cut here
        line_ended = "\n" in gap or not pieces or pieces[-1][2].endswith("\n")
        if kept[index]:
            if not line_ended and block[index - first] != block[pieces[-1][0] - first]:
                gap = "\n" + gap
            pieces.append((index, gap, page.texts[index]))
            gap = ""
        elif "\n" in piece and not line_ended:
            gap += "\n"
        index += 1
    return _trimmed(pieces)


def _trimmed(found: Parts) -> Parts:
    if not found:
        return found
    index, gap, text = found[0]
    indented = (gap + text).lstrip()
    lead = (gap + text)[: len(gap + text) - len(indented)]
    found[0] = (index, "", lead[lead.rfind("\n") + 1 :] + indented)
    index, gap, text = found[-1]
    found[-1] = (index, gap, text.rstrip())
    return found


_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.-]{1,30})(?=\s|$)"
)
_NO_LANGUAGES = frozenset(
    "auto default ignore no-highlight nohighlight none null plain plain-text plaintext text txt "
    "undefined unknown".split()
)
"""What highlighters write where a language would stand and none was chosen."""


def language_of(page: Page, row: int) -> str:
    """Return the programming language that a listing declares, '' when it declares none.

    It is written on the `pre`, on the `code` in it, or on one of the two elements around.
    """
    places = [row]
    if row + 1 < page.end[row] and page.tag[row + 1] == tags.NUMBER["code"]:
        places.insert(0, row + 1)
    for _ in range(2):
        places.append(max(int(page.parent[places[-1]]), 0))
    for place in places:
        match = _LANGUAGE.search(page.attributes.get(place, "class") or "")
        if match:
            language = match[1].lower()
            return "" if language in _NO_LANGUAGES else language
    return ""
