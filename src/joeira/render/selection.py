"""Which rows take part in an output: kept texts, what encloses them, images and breaks."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.trees import enclosing, inside, nearest
from joeira.page import Page, addresses, tags
from joeira.render.formulas import Formulas
from joeira.render.listings import preformatted


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
    code: bool = True
    """Code as something else than words."""
    all_notes: bool = True
    """All footnotes that kept texts refer to, not only those that are kept."""
    scripts: str = "html"
    """How Markdown writes sub and sup: ``html`` (``x<sup>2</sup>``) or ``caret`` (``x^2^``)."""

    @property
    def inline(self) -> NDArray[np.bool_]:
        """Look-up table of the inline elements that are told apart; sub and sup always are."""
        shown = _SCRIPTS | (_CODE & self.code) | (_LINK & self.links)
        return shown | (INLINE & ~_LINK & ~_CODE if self.formatting else False)


CONTAINERS = tags.table(
    "ul ol menu dir li dl dt dd table caption thead tbody tfoot tr td th blockquote figure "
    "figcaption"
)
INLINE = tags.table(
    "em strong b i u s strike del ins sub sup mark small q cite abbr time code kbd samp var tt "
    "dfn a"
)
_LINK = tags.table("a")
_CODE = tags.table("code kbd samp tt")
_SCRIPTS = tags.table("sub sup")
"""Without them the words mean something else: 10<sup>6</sup> is not 106."""
ALL = Show()
WORDS = Show(
    links=False, images=False, formatting=False, formulas=False, code=False, all_notes=False
)

_CELLS = tags.table("td th")
_CONTENT_OF_NO_HEADING = tags.table(
    "ul ol menu dir dl table blockquote figure pre listing xmp plaintext h1 h2 h3 h4 h5 h6"
)
_AROUND_BOXES = tags.table("p label span")
TINY = re.compile(r"\s*[01](?:px)?\s*")


class Selection:
    """The rows to write, in page order, and what is known about them."""

    def __init__(self, page: Page, keep: NDArray[np.bool_], show: Show) -> None:
        """Choose the rows for the kept texts of a page."""
        self.page = page
        self.keep = keep
        kind = page.known_tag
        texts = page.spread(keep)
        self.owner = nearest(~page.is_inline, page.parent)
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
        written = needed & (CONTAINERS | show.inline)[kind]
        written |= leaves
        written[headings] = True
        written |= _between(page, keep, page.rows_of("hr"))
        breaks = page.rows_of("br")
        rows = np.flatnonzero(leaves)
        if len(rows):
            written[breaks[(breaks > rows[0]) & (breaks < rows[-1])]] = True
        self.formulas = Formulas(page, keep, with_tex=show.formulas)
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
        self.tasks = _tasks(page)

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


def _tasks(page: Page) -> dict[int, bool]:
    """Return the items of lists of tasks, and whether each is done."""
    boxes = page.rows_of("input")
    if not len(boxes):
        return {}
    item = page.parent[boxes]
    item = np.where(_AROUND_BOXES[page.known_tag[item]], page.parent[item], item)
    is_first = page.text_index[boxes] == page.text_index[item]
    of_item = is_first & (page.tag[item] == tags.NUMBER["li"])
    tasks: dict[int, bool] = {}
    for row, place in zip(boxes[of_item].tolist(), item[of_item].tolist(), strict=True):
        if place not in tasks:
            attributes = page.attributes.of(row)
            if attributes.get("type", "").lower() == "checkbox":
                tasks[place] = "checked" in attributes
    return tasks


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
