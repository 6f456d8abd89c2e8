"""A page with its segments outlined: one self-contained file for a person to look at.

The page is written anew from its rows (`joeira.output.rewritten`). A content security policy keeps
the browser from loading anything that a style asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from joeira.output.rewritten import Rewriter
from joeira.page import Page, Region

_GOLDEN_ANGLE: Final = 137.508
"""Degrees between the hues of neighbours: no two near each other look alike."""

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
)
_STYLE: Final = """
[data-segment] { outline: 3px solid var(--segment) !important; outline-offset: -2px; }
[data-segment]:hover { background: color-mix(in srgb, var(--segment) 18%, transparent) !important; }
[data-segment]:hover::after { content: attr(data-segment); position: fixed; left: 8px; bottom: 8px;
  z-index: 2147483647; padding: 6px 10px; font: bold 16px sans-serif; color: #fff; background: #222;
  border-left: 10px solid var(--segment); }
"""


def outlined(page: Page, segments: Sequence[Region]) -> str:
    """Return the page as HTML: every segment has a colour, and its label when pointed at."""
    writer = _Outliner(page, segments)
    return f"{_head(writer, len(segments))}{writer.body()}\n</html>\n"


class _Outliner(Rewriter):
    """Marks the roots of segments, and of the parts of those that have several."""

    def __init__(self, page: Page, segments: Sequence[Region]) -> None:
        super().__init__(page)
        self.marks = _marks(page, segments)

    def mark(self, row: int) -> str:
        return self.marks.get(row, "")

    def text(self, row: int, text: str) -> str:
        mark = self.marks.get(row)
        return f"<span{mark}>{text}</span>" if mark else text


def _head(writer: Rewriter, count: int) -> str:
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>Segments of {escape(writer.page.url or 'a page')}</title>\n"
        f"{writer.styles()}<style>{_STYLE}{_colours(count)}</style>\n</head>\n"
    )


def _colours(count: int) -> str:
    # Rules, not attributes: an element may have a style of its own, and keeps it.
    hues = (round(number * _GOLDEN_ANGLE % 360) for number in range(count))
    return "".join(
        f'[data-number="{number}"] {{ --segment: hsl({hue} 85% 42%); }}\n'
        for number, hue in enumerate(hues)
    )


def _marks(page: Page, segments: Sequence[Region]) -> dict[int, str]:
    """Return the attribute of each row that is the root of a segment, or of a part of one."""
    marks = {}
    for number, segment in enumerate(segments):
        probability = "" if segment.score is None else f" {segment.score:.0%}"
        label = escape(f"{number + 1} {segment.label or 'segment'}{probability}")
        for row in segment.roots():
            marks[row] = f' data-segment="{label}" data-number="{number}"'
    return marks
