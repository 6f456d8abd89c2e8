"""Clean, safe HTML of the kept texts and the structure around them, also with marks on each text.

Written from the stream of events, not through a parser's serialiser: only kept rows are rendered,
and the page is never copied or changed to get rid of the others. Nothing is copied from the source
but text and the few attributes named here, so scripts, styles and event handlers have no way in.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joeira.page import Page
from joeira.render import events, stream
from joeira.render.events import Element, Event, Listing
from joeira.render.selection import ALL, Show

_WORDS_ONLY: Final = Show(links=False, images=False, formulas=False)


def render(page: Page, keep: NDArray[np.bool_], show: Show = ALL) -> str:
    """Return the kept texts as clean, safe HTML."""
    return _write(stream.events(page, keep, show))


def render_marked(page: Page, keep: NDArray[np.bool_], marks: Sequence[str]) -> str:
    """Return the kept texts as HTML in spans; `marks` has the start tag of each text's span."""
    return _write(stream.events(page, keep, _WORDS_ONLY, by_text=True), marks)


def _write(happenings: Sequence[Event], marks: Sequence[str] | None = None) -> str:
    out: list[str] = []
    for kind, what in happenings:
        if kind == events.TEXT:
            text, index = what
            out.append(_text(text, index, marks))
        elif kind == events.BLOCK:
            element, text, index = what
            text = _text(text, index, marks)
            out.append(text if element.is_bare else f"<p>{text}</p>")
        elif kind == events.OPEN:
            if not what.is_bare:
                out.append(f"<{what.tag}{_attributes(what)}>")
        elif kind == events.CLOSE:
            if not what.is_bare:
                out.append(f"</{what.tag}>")
        elif kind == events.BREAK:
            out.append("<br>")
        elif kind == events.IMAGE:
            address, alternative = what
            out.append(f'<img src="{escape(address)}" alt="{escape(alternative)}">')
        elif kind == events.FORMULA:
            # The marks by which scripts that draw formulas find them.
            start, stop = ("\\[", "\\]") if what.displayed else ("\\(", "\\)")
            out.append(start + escape(what.tex) + stop)
        elif kind == events.LISTING:
            out.append(_listing(what, marks))
        elif kind == events.RULE:
            out.append("<hr>")
    return "".join(out)


def _text(text: str, index: int, marks: Sequence[str] | None) -> str:
    if marks is None or index < 0:
        return escape(text)
    return f"{marks[index]}{escape(text)}</span>"


def _attributes(element: Element) -> str:
    value = element.value
    if element.tag == "a":
        return f' href="{escape(value)}"'
    if element.tag == "ol":
        return f' start="{value}"' if value != 1 else ""
    if element.tag in {"td", "th"}:
        columns, rows = value
        return (f' colspan="{columns}"' if columns > 1 else "") + (
            f' rowspan="{rows}"' if rows > 1 else ""
        )
    return ""


def _listing(listing: Listing, marks: Sequence[str] | None) -> str:
    language = listing.language
    start = f'<code class="language-{escape(language)}">' if language else "<code>"
    if marks is None:
        return f"<pre>{start}{escape(listing.code)}</code></pre>"
    text = "".join(f"{gap}{marks[i]}{escape(text)}</span>" for i, gap, text in listing.parts)
    return f"<pre><code>{text}</code></pre>"
