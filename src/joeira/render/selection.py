"""Which rows of a page take part in an output: kept texts, what encloses them, images and breaks.

Preformatted text keeps its white space. A page table has no rows for texts that are only white
space, so the line breaks and the indentation between the elements of a `pre` (every highlighted
listing has them) are read from the source nodes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.trees import enclosing, inside, nearest, outermost
from joeira.page import Page, addresses, tags
from joeira.render.formulas import Formulas


@dataclass(frozen=True)
class Show:
    """What to write of links, images and emphasis; the words are always written."""

    links: bool = True
    images: bool = True
    formatting: bool = True
    """Bold, italic and the like; code stays code."""
    formulas: bool = True
    """As TeX where the page has it, not as the characters that it is drawn with."""
    alternatives: bool = True
    """The texts that stand for images, which readers do not see."""

    def has(self, tag: str) -> bool:
        """Return whether an inline element is shown."""
        return self.links if tag == "a" else self.formatting or tag in _MEANT


_MEANT = frozenset("code kbd samp sub sup".split())
"""Inline elements without which the words mean something else."""
ALL = Show()


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
    pieces: Listing = []
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


CONTAINERS = tags.table(
    "ul ol menu dir li dl dt dd table caption thead tbody tfoot tr td th blockquote figure "
    "figcaption"
)
INLINE = tags.table(
    "em strong b i u s strike del ins sub sup mark small q cite abbr time code kbd samp var tt "
    "dfn a"
)
_CELLS = tags.table("td th")
_CONTENT_OF_NO_HEADING = tags.table(
    "ul ol menu dir dl table blockquote figure pre listing xmp plaintext h1 h2 h3 h4 h5 h6"
)
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.-]{1,30})(?=\s|$)"
)
_NO_LANGUAGES = frozenset(
    "auto default ignore no-highlight nohighlight none null plain plain-text plaintext text txt "
    "undefined unknown".split()
)
"""What highlighters write where a language would stand and none was chosen."""
TINY = re.compile(r"\s*[01](?:px)?\s*")


class Selection:
    """The rows to write, in page order, and what is known about them."""

    def __init__(self, page: Page, keep: NDArray[np.bool_], show: Show) -> None:
        """Choose the rows for the kept texts of a page."""
        self.page = page
        self.keep = keep
        kind = page.known_tag
        texts = page.spread(keep)
        self.owner = nearest(~tags.INLINE[kind], page.parent)
        self.images = _images(page, keep, self.owner) if show.images else {}
        leaves = texts.copy()
        leaves[list(self.images)] = True
        total = np.concatenate(([0], np.cumsum(leaves)))
        needed = total[page.end] > total[:-1]
        listings = preformatted(page)
        words = np.concatenate(([0], np.cumsum(texts)))
        listings = listings[words[page.end[listings]] > words[listings]]
        needed[1:] |= _CELLS[kind[1:]] & needed[page.parent[1:]]
        headings = self._headings(needed)
        written = needed & (CONTAINERS[kind] | INLINE[kind])
        written |= leaves
        written[headings] = True
        written |= _between(page, keep, page.rows_of("hr"))
        breaks = page.rows_of("br")
        rows = np.flatnonzero(leaves)
        if len(rows):
            written[breaks[(breaks > rows[0]) & (breaks < rows[-1])]] = True
        self.formulas = Formulas(page, keep & show.formulas)
        written &= ~self.formulas.covered
        formulas = list(self.formulas.found)
        written[formulas] = True
        self.owner[formulas] = self.owner[page.parent[formulas]]  # all formulas stand in a line
        in_listing = np.zeros(len(page), bool)
        in_listing[listings] = True
        written &= ~inside(in_listing, page.end)
        written[listings] = True
        self.rows = np.flatnonzero(written)
        self.needed = needed
        self.listings = frozenset(listings.tolist())
        self.headings = frozenset(headings.tolist())

    def _headings(self, needed: NDArray[np.bool_]) -> NDArray[np.integer]:
        """Return the headings that hold only text: one around a list or a table is no heading."""
        page = self.page
        blocks = np.flatnonzero(_CONTENT_OF_NO_HEADING[page.known_tag] & needed)
        headings = np.flatnonzero(tags.HEADINGS[page.known_tag] & needed)
        inner = np.searchsorted(blocks, page.end[headings]) - np.searchsorted(
            blocks, headings, "right"
        )
        alone: NDArray[np.integer] = headings[inner == 0]
        return alone


def _between(page: Page, keep: NDArray[np.bool_], rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mark the rows of which both the text before and the text after are kept."""
    padded = np.concatenate(([False], keep, [False]))
    index = page.text_index[rows]
    marked = np.zeros(len(page), bool)
    marked[rows] = padded[index] & padded[index + 1]
    return marked


def _images(page: Page, keep: NDArray[np.bool_], owner: NDArray[np.int32]) -> dict[int, str]:
    """Return the images that stand inside the kept content, with their addresses.

    That is an image in a figure with kept text, one beside kept text in the same paragraph, or one
    of which both the text before and the text after are kept. Counting pixels are left out.
    """
    rows = page.rows_of("img")
    if not len(rows) or not keep.any():
        return {}
    kept = page.text_rows[keep]
    figure = enclosing(page.rows_of("figure"), page.end, rows)
    in_figure = np.searchsorted(kept, page.end[figure]) > np.searchsorted(kept, figure)
    chosen = (in_figure & (figure >= 0)) | _between(page, keep, rows)[rows]
    owners = np.concatenate(([-1], np.where(keep, owner[page.text_rows], -1), [-1]))
    index = page.text_index[rows]
    chosen |= (owners[index] == owner[rows]) | (owners[index + 1] == owner[rows])
    base = addresses.base_of(page)
    address_of = {}
    for row in rows[chosen].tolist():
        attributes = page.attributes.of(row)
        address = addresses.image_address(attributes, base)
        if address and not any(TINY.fullmatch(attributes.get(n, "")) for n in ("width", "height")):
            address_of[row] = address
    return address_of


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
