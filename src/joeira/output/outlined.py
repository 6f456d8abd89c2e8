"""A page with its segments outlined: one self-contained file for a person to look at.

The page is written anew from its rows: structure, text and its own style sheets, but no script, no
frame, no image, no link that leads anywhere. A content security policy keeps the browser from
loading anything that a style asks for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Final

from joeira.page import Page, Region, tags

_KEPT: Final = ("class", "id", "style", "colspan", "rowspan", "alt", "dir", "lang", "align")
_LEFT_OUT: Final = tags.NOT_TEXT | tags.HEAD | tags.table("input img source frameset area embed")
_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
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
    marks = _marks(page, segments)
    attributes = _attributes(page)
    out = [_head(page, len(segments))]
    open_tags: list[tuple[int, str]] = []
    end = page.end.tolist()
    left_out = _LEFT_OUT[page.known_tag].tolist()
    void = tags.VOID[page.known_tag].tolist()
    text_index = page.text_index.tolist()
    row = page.body
    while row < len(page):
        while open_tags and open_tags[-1][0] <= row:
            out.append(f"</{open_tags.pop()[1]}>")
        mark = marks.get(row, "")
        if page.tag[row] == tags.TEXT:
            index = text_index[row]
            # White space between elements has no row; without it, words would run together.
            space = " " if page.gap_before[index] else ""
            text = escape(page.texts[index])
            out.append(f"{space}<span{mark}>{text}</span>" if mark else f"{space}{text}")
        elif left_out[row]:
            row = end[row]
            continue
        else:
            name = page.tag_name(row)
            # Names of the page's own making might mean something to a browser some day.
            name = name if page.tag[row] < tags.FIRST_FOREIGN and _NAME.fullmatch(name) else "div"
            out.append(f"<{name}{attributes.get(row, '')}{mark}>")
            if not void[row]:
                open_tags.append((end[row], name))
        row += 1
    out += [f"</{name}>" for _, name in reversed(open_tags)]
    return "".join(out) + "\n</html>\n"


def _head(page: Page, count: int) -> str:
    # What is inside a style element cannot hold its end tag: the parser ended it there.
    styles = [page.attributes.inner_text(row) for row in page.rows_of("style").tolist()]
    own = "".join(f"<style>{text}</style>\n" for text in styles if "</" not in text)
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>Segments of {escape(page.url or 'a page')}</title>\n"
        f"{own}<style>{_STYLE}{_colours(count)}</style>\n</head>\n"
    )


def _colours(count: int) -> str:
    # Rules, not attributes: an element may have a style of its own, and keeps it.
    hues = (round(number * _GOLDEN_ANGLE % 360) for number in range(count))
    return "".join(
        f'[data-number="{number}"] {{ --segment: hsl({hue} 85% 42%); }}\n'
        for number, hue in enumerate(hues)
    )


def _attributes(page: Page) -> dict[int, str]:
    """Return what every element keeps of its attributes, as written in its tag."""
    found: dict[int, str] = {}
    for name in _KEPT:
        for row, value in zip(*page.attributes.column(name), strict=True):
            found[row] = f'{found.get(row, "")} {name}="{escape(value or "")}"'
    return found


def _marks(page: Page, segments: Sequence[Region]) -> dict[int, str]:
    """Return the attribute of each row that is the root of a segment, or of a part of one."""
    marks = {}
    for number, segment in enumerate(segments):
        probability = "" if segment.score is None else f" {segment.score:.0%}"
        label = escape(f"{number + 1} {segment.label or 'segment'}{probability}")
        row = segment.start
        while row < segment.stop:
            marks[row] = f' data-segment="{label}" data-number="{number}"'
            row = int(page.end[row])
    return marks
