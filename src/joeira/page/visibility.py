"""Which rows a browser would not show, and why, as far as the document itself tells.

Dropping hidden text would be wrong (tabs and accordions hide real content until a click), so rows
are only flagged; what to do about it is the caller's choice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from joeira.kernels import trees
from joeira.page import tags

if TYPE_CHECKING:
    from joeira.page.model import Page

REASONS: Final = (
    "",
    "hidden attribute",
    "aria-hidden",
    "display: none",
    "visibility: hidden",
    "opacity: 0",
    "font-size: 0",
    "moved off-screen",
    "text in the colour of its background",
    "closed dialog",
    "closed details",
)

_SELECTOR = (
    "[hidden],[aria-hidden=true],"
    "[style*=none i],[style*=visibility i],[style*=opacity i],[style*='font-size' i][style*='0'],"
    "[style*=':-'],[style*=': -'],[style*='rect(' i],[style*=color i][style*=background i]"
)
# No part of a pattern may match what the part beside it matches: that would take quadratic time.
_ZERO = r"\s*:\s*(?:0+(?:\.0*)?|\.0+)(?:px|pt|em|rem|%)?\s*(?:!important\s*)?(?:;|$)"
_AWAY = r"(?:^|[;\s])(?:left|top|right|text-indent|margin-left)\s*:\s*-\d{3,}"
_STYLE_RULES: Final = (
    (3, re.compile(r"display\s*:\s*none")),
    (4, re.compile(r"visibility\s*:\s*(?:hidden|collapse)")),
    (5, re.compile(rf"(?:^|[;\s])opacity{_ZERO}")),
    (6, re.compile(rf"font-size{_ZERO}")),
    (7, re.compile(_AWAY)),
    (7, re.compile(r"clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?")),
)
_COLOUR = re.compile(r"(?:^|[;\s])color\s*:\s*([^;!\s]+)")
_BACKGROUND = re.compile(r"background(?:-color)?\s*:\s*([^;!\s]+)")
_STYLE_LIMIT = 2000
"""Characters of a style attribute that are read: longer ones hold data, not layout."""


def hidden(page: Page) -> NDArray[np.int8]:
    """Return the index into `REASONS` for every row; a hidden element hides its whole subtree."""
    own = np.zeros(len(page), np.int8)
    for row, values in page.attributes.read(_SELECTOR, ("hidden", "style", "aria-hidden")):
        own[row] = _reason(*values)
    for row in _closed(page, "dialog"):
        own[row] = own[row] or 9
    closed = _closed(page, "details")
    if closed:  # hides its children, texts too, but for the summary
        below = np.isin(page.parent, closed) & (page.tag != tags.NUMBER["summary"])
        own[below & (own == 0)] = 10
    if not own.any():
        return own
    nearest = trees.nearest(own > 0, page.parent)
    return np.where(nearest >= 0, own[nearest], np.int8(0)).astype(np.int8)


def _closed(page: Page, name: str) -> list[int]:
    """Return the rows of the elements of a kind that are not open."""
    rows = page.rows_of(name).tolist()
    return [row for row in rows if page.attributes.get(row, "open") is None]


def _reason(hidden: str | None, style: str | None, aria_hidden: str | None) -> int:
    if hidden is not None:
        return 1
    if style:
        style = style[:_STYLE_LIMIT].lower()
        for reason, pattern in _STYLE_RULES:
            if pattern.search(style):
                return reason
        colour, background = _COLOUR.search(style), _BACKGROUND.search(style)
        if colour and background and colour[1] == background[1]:
            return 8
    return 2 if aria_hidden == "true" else 0
