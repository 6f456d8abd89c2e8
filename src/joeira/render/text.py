"""Plain text: paragraphs apart, list items on lines, table rows as lines of tab-separated cells.

What stands between two kept texts depends only on which elements end and begin there, so the
separators of all texts are decided at once, by array steps, and the page is joined once. An element
that encloses a text *begins* there when its row comes after the text kept before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, compress

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.trees import enclosing, nearest, outermost
from joeira.page import Page, tags
from joeira.page.tables import data_tables
from joeira.render.selection import Listing, listing, preformatted

NOTHING, SPACE, LINE, PARAGRAPH = range(4)
BULLET = 4
"""Added to the separator before a text that begins a list item."""
# A line break of the layout is NUL, which the parser lets through in no text, until the white space
# of the texts is collapsed.
_LINE = "\0"
SEPARATORS = np.array(
    ["", " ", _LINE, _LINE * 2, "- ", " - ", f"{_LINE}- ", f"{_LINE * 2}- "], object
)

_ASCII_SPACES = "\n\t\r\f\v\x1c\x1d\x1e\x1f"
_SPACES = _ASCII_SPACES + "\xa0\x85\u2028\u2029"
_SEVERAL_SPACES = re.compile("  +")

_LIST = tags.table("ul ol dl menu dir select datalist")
_ITEM = tags.table("li dt dd option optgroup")
_LIST_OR_ITEM = _LIST | _ITEM
_CELL = tags.table("td th")
_PROSE = tags.table("p h1 h2 h3 h4 h5 h6 blockquote pre table")


@dataclass(frozen=True, eq=False)
class _Kept:
    """The kept texts: their numbers, rows, the row kept before, and which begin a block."""

    index: NDArray[np.int64]
    rows: NDArray[np.int64]
    before: NDArray[np.int64]
    owner: NDArray[np.int32]
    new_block: NDArray[np.bool_]

    @classmethod
    def of(cls, page: Page, keep: NDArray[np.bool_]) -> _Kept:
        index = keep.nonzero()[0]
        rows = page.text_rows.take(index).astype(np.int64)
        owners, first = page.block_bounds
        block = first.searchsorted(index, "right") - 1
        new_block = np.ones(len(index), bool)
        new_block[1:] = block[1:] != block[:-1]
        return cls(index, rows, np.concatenate(([-1], rows[:-1])), owners.take(block), new_block)


def render(page: Page, keep: NDArray[np.bool_]) -> str:
    """Return the kept texts as plain text."""
    if not keep.any():
        return ""
    kept = _Kept.of(page, keep)
    codes = np.where(kept.new_block, np.int8(PARAGRAPH), _inside_blocks(page, kept))
    _set_formulas(page, kept, codes)
    _set_lists(page, kept, codes)
    tabs = _set_tables(page, kept, codes)
    codes[0] &= BULLET

    separators = SEPARATORS[codes].tolist()
    pieces = list(map(str.strip, compress(page.texts, keep.tobytes())))
    listings = _listings(page, keep)
    verbatim = bool(tabs or listings)
    if verbatim:
        pieces = _collapsed(_LINE.join(pieces)).split(_LINE)
        for where, count in tabs:
            separators[where] += "\t" * count
        for parts in listings:
            _put_listing(parts, kept.index, separators, pieces)
    joined = "".join(chain.from_iterable(zip(separators, pieces, strict=True)))
    return (joined if verbatim else _collapsed(joined)).replace(_LINE, "\n")


def _inside_blocks(page: Page, kept: _Kept) -> NDArray[np.int8]:
    """Return the separators as if all texts were of one block: a space or none, or line breaks."""
    codes = page.space_before.take(kept.index).astype(np.int8)
    codes[1:][kept.index[1:] != kept.index[:-1] + 1] = SPACE
    breaks = (page.tag == tags.NUMBER["br"]).nonzero()[0]
    if len(breaks):
        count = breaks.searchsorted(kept.rows) - breaks.searchsorted(kept.before)
        lines = np.minimum(LINE + count - 1, PARAGRAPH).astype(np.int8)
        codes = np.where(count > 0, lines, codes)
    return codes


def _set_formulas(page: Page, kept: _Kept, codes: NDArray[np.int8]) -> None:
    """Put the characters of formulas on the lines of the text around them."""
    formulas = page.rows_of("math").astype(np.int64)
    if not len(formulas):
        return
    formula = enclosing(formulas, page.end, kept.rows)
    around = nearest(~tags.INLINE[page.known_tag], page.parent)
    owner = np.where(formula >= 0, around[np.maximum(formula, 0)], kept.owner)
    joined = (owner[1:] == owner[:-1]) & ((formula[1:] >= 0) | (formula[:-1] >= 0))
    codes[1:][joined] = np.minimum(codes[1:][joined], SPACE)


def _set_lists(page: Page, kept: _Kept, codes: NDArray[np.int8]) -> None:
    """Put the items of one list on lines of their own, each with a bullet."""
    parts = _LIST_OR_ITEM.take(page.known_tag).nonzero()[0]
    is_item = _ITEM[page.known_tag[parts]]
    item = enclosing(parts[is_item], page.end, kept.rows)
    begins = item > kept.before
    if not begins.any():
        return
    lists = outermost(parts[~is_item], page.end)
    whole = enclosing(lists, page.end, kept.rows)
    same = np.zeros(len(whole), bool)
    same[1:] = (whole[1:] >= 0) & (whole[1:] == whole[:-1])
    # A paragraph inside an item stands apart, and so does the item after it: a post in a list.
    paragraph = kept.new_block & ~begins & _PROSE[page.known_tag[kept.owner]]
    seen = paragraph.cumsum()[begins]
    loose = begins.copy()
    loose[begins] = np.concatenate(([0], seen[:-1])) != seen
    codes[kept.new_block & same & ~paragraph & ~loose] = LINE
    codes[begins & (page.tag[item] == tags.NUMBER["li"])] |= BULLET


def _set_tables(page: Page, kept: _Kept, codes: NDArray[np.int8]) -> list[tuple[int, int]]:
    """Put table rows on lines and cells apart; return how many tabs go before which text."""
    tables = data_tables(page)
    if not len(tables):
        return []
    table = enclosing(tables, page.end, kept.rows)
    inside = (table >= 0).nonzero()[0]
    if not len(inside):
        return []
    rows, before, table = kept.rows[inside], kept.before[inside], table[inside]
    cells = np.flatnonzero(_CELL[page.known_tag])
    cell = enclosing(cells, page.end, rows)
    line = enclosing(np.flatnonzero(page.tag == tags.NUMBER["tr"]), page.end, rows)
    entered = table > before
    same_line = (line >= 0) & (line < before) & ~entered
    same_cell = same_line & (cell < before)
    # A data table holds no other table, so the cells counted between two rows are of one line.
    since = np.where(same_line, np.searchsorted(cells, before), np.searchsorted(cells, line) + 1)
    tabs = np.where(line >= 0, np.searchsorted(cells, rows) - since, 0)
    old = codes[inside]
    code = np.where(entered, PARAGRAPH, LINE)
    code[same_line] = NOTHING
    code[same_cell] = np.minimum(old[same_cell] & ~BULLET, SPACE)
    # A list within a cell stays on the line of its row; only a list around the table shows.
    items = np.flatnonzero(page.tag == tags.NUMBER["li"])
    outside = entered & (enclosing(items, page.end, rows) < table)
    codes[inside] = code | np.where(outside, old & BULLET, 0)
    where = np.flatnonzero(tabs > 0)
    return list(zip(inside[where].tolist(), tabs[where].tolist(), strict=True))


def _collapsed(text: str) -> str:
    """Return a text with its white space collapsed.

    Replacing is several times as fast as splitting into words, most of all when all texts of a page
    are joined. Wide and thin spaces inside a line stay what they are.
    """
    for space in _ASCII_SPACES if text.isascii() else _SPACES:
        text = text.replace(space, " ")
    return _SEVERAL_SPACES.sub(" ", text)


def _listings(page: Page, keep: NDArray[np.bool_]) -> list[Listing]:
    """Return the preformatted elements that hold kept texts."""
    listings = [listing(page, row, keep) for row in preformatted(page).tolist()]
    return list(filter(None, listings))


def _put_listing(
    parts: Listing, index: NDArray[np.int64], separators: list[str], pieces: list[str]
) -> None:
    """Put what is written in a preformatted element in the place of its texts."""
    first = int(np.searchsorted(index, parts[0][0]))
    for place, (_, gap, text) in enumerate(parts, first):
        pieces[place] = text
        if place > first:
            separators[place] = gap
