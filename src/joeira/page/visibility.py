"""Which rows a browser would not show, and why, as far as the document itself tells.

Dropping hidden text would be wrong (tabs and accordions hide real content until a click), so rows
are only flagged; what to do about it is the caller's choice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Case, trees
from joeira.page import css, tags
from joeira.page.css import colour, is_same

if TYPE_CHECKING:
    from joeira.page.model import Page


class Hidden(Case):
    """How the document hides a row."""

    NOT = 0, ""
    ATTRIBUTE = 1, "hidden attribute"
    ARIA = 2, "aria-hidden"
    DISPLAY = 3, "display: none"
    VISIBILITY = 4, "visibility: hidden"
    OPACITY = 5, "opacity: 0"
    FONT_SIZE = 6, "font-size: 0"
    OFF_SCREEN = 7, "moved off-screen"
    COLOUR = 8, "text in the colour of its background"
    DIALOG = 9, "closed dialog"
    DETAILS = 10, "closed details"
    CLIPPED = 11, "clipped to nothing"
    POPOVER = 12, "closed popover"
    NEVER_SHOWN = 13, "never shown by browsers"


_NEVER_SHOWN = ("datalist", "rp")
# No part of a pattern may match what the part beside it matches: that would take quadratic time.
_ZERO = re.compile(r"[+-]?(?:0+(?:\.0*)?|\.0+)(?:px|pt|em|rem|ex|ch|vw|vh|%)?")
_FAR = re.compile(r"-\s*\d{3,}")
_FAR_MOVE = re.compile(r"translate[xy3d]*\([^)]*-\s*\d{4,}")
_SCALE = re.compile(r"scale[xy3d]*\(\s*0*\.?0*\s*[,)]")
_CLIP = re.compile(r"rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?")
_CLIP_PATH = re.compile(
    r"inset\(\s*(?:100|[5-9]\d)%|circle\(\s*0|polygon\(\s*0[^,]*,\s*0[^,]*,\s*0"
)
_FONT_ZERO = re.compile(r"(?:^|\s)0+(?:px|pt|em|rem|%)?(?:/|\s)")
_FADED = re.compile(r"opacity\(\s*0*(?:\.0*)?%?\s*\)")
_BACKGROUND_COLOUR = re.compile(r"#[0-9a-f]{3,8}|rgba?\([^)]*\)|[a-z]+")


def hidden(page: Page) -> NDArray[np.int8]:
    """Return per row how it is hidden, a `Hidden`; an element hides its whole subtree."""
    own = np.zeros(len(page), np.int8)
    white = _stands_on_white(page)
    for row, style in css.styles(page).items():
        own[row] = _style_hides(style, white)
    _set_attributes(page, own)
    own[[0, page.body][: len(page)]] = 0  # until a script shows it: not some text is hidden, all is
    closed = _closed(page, "details")
    if closed:  # hides its children, texts too, but for the summary
        below = np.isin(page.parent, closed) & (page.tag != tags.NUMBER["summary"])
        own[below & (own == 0)] = Hidden.DETAILS
    if not own.any():
        return own
    nearest = trees.nearest(own > 0, page.parent, page.ladder)
    return np.where(nearest >= 0, own[nearest], np.int8(0)).astype(np.int8)


def _set_attributes(page: Page, own: NDArray[np.int8]) -> None:
    """Set how attributes and tags hide each row."""
    names = ("hidden", "aria-hidden", "popover")
    for row, values in page.attributes.read("[hidden],[aria-hidden=true],[popover]", names):
        is_hidden, aria, popover = values
        if is_hidden is not None:
            own[row] = Hidden.ATTRIBUTE
        elif not own[row] and popover is not None:
            own[row] = Hidden.POPOVER
        elif not own[row] and aria == "true":
            own[row] = Hidden.ARIA
    for row in _closed(page, "dialog"):
        own[row] = own[row] or Hidden.DIALOG
    for name in _NEVER_SHOWN:
        own[page.rows_of(name)] = Hidden.NEVER_SHOWN


def _closed(page: Page, name: str) -> list[int]:
    """Return the rows of the elements of a kind that are not open."""
    rows = page.rows_of(name).tolist()
    return [row for row in rows if page.attributes.get(row, "open") is None]


def _stands_on_white(page: Page) -> bool:
    """Return whether the page has no style sheet at all: its background is white."""
    sheets = len(page.rows_of("style")) or page.attributes.select("link[rel~=stylesheet]")
    return not (sheets or page.attributes.select("[bgcolor],[background],[style*=background i]"))


def _style_hides(style: dict[str, str], white: bool) -> Hidden:
    """Return how a style hides its element."""
    say = style.get
    if say("display") == "none":
        return Hidden.DISPLAY
    if say("visibility") in ("hidden", "collapse") or say("content-visibility") == "hidden":
        return Hidden.VISIBILITY
    if _is_zero(say("opacity")) or _FADED.search(say("filter", "")):
        return Hidden.OPACITY
    if _is_zero(say("font-size")) or _FONT_ZERO.search(say("font", "")):
        return Hidden.FONT_SIZE
    if _is_away(style):
        return Hidden.OFF_SCREEN
    if _is_clipped(style):
        return Hidden.CLIPPED
    return Hidden.COLOUR if _is_unseen(style, white) else Hidden.NOT


def _is_zero(value: str | None) -> bool:
    return value is not None and _ZERO.fullmatch(value) is not None


def _is_away(style: dict[str, str]) -> bool:
    if _FAR_MOVE.search(style.get("transform", "")) or _FAR.match(style.get("text-indent", "")):
        return True
    moved = ("left", "top", "right", "bottom", "margin-left", "margin-top")
    return any(_FAR.match(style.get(name, "")) for name in moved)


def _is_clipped(style: dict[str, str]) -> bool:
    if _CLIP.match(style.get("clip", "")) or _CLIP_PATH.match(style.get("clip-path", "")):
        return True
    if _SCALE.search(style.get("transform", "")):
        return True
    cut = any("hidden" in style.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    sizes = ("width", "height", "max-width", "max-height")
    return cut and any(_is_zero(style.get(name)) for name in sizes)


def _is_unseen(style: dict[str, str], white: bool) -> bool:
    text = colour(style.get("color", ""))
    if text is None:
        return False
    said = style.get("background-color") or style.get("background") or ("white" if white else "")
    colours = _BACKGROUND_COLOUR.findall(said)
    behind = colour(colours[0]) if len(colours) == 1 else None
    return text[3] == 0 or (behind is not None and is_same(text, behind))
