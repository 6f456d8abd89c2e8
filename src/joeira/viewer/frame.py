"""The page as it is shown in the viewer's frame: safe, and marked with the numbers of its rows.

Every element says its row, every text its row and its block, so that the viewer can colour what a
method decided and find again what somebody clicks. Nothing in it runs, loads or leads anywhere; the
frame it is put in forbids the same once more (see ``docs/viewer.md``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files

from joeira.page import Page, tags
from joeira.render.whole_page import Rewriter

MAX_ROWS = 150_000
"""So much of a page is shown; more would make the browser slow, not the reader wiser."""

POLICY = (
    "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'none'; base-uri 'none'"
)
TEXT_ELEMENT = "joeira-text"
IMAGE_ELEMENT = "joeira-image"

_VIEWPORT_UNIT = re.compile(r"(?<![\w.#-])(\d{1,5}(?:\.\d{1,4})?)[sld]?(?:vh|vmin|vmax|vb)\b", re.I)
_VIEWPORT_HEIGHT = 800
"""The frame is as high as its page, so heights told in parts of a window need one to refer to."""
_IMPORT = re.compile(r"@import\b[^;}]*;?", re.I)
_LOADED = re.compile(r"(?:url|src|image-set)\((?!\s*[\"']?data:image/)[^)]*\)?", re.I)
_RASTER = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]{1,200000}")
_PLAIN_TEXT = tags.table("option optgroup select datalist")
"""Elements whose text cannot hold other elements."""


def framed(page: Page, block_of_text: Sequence[int]) -> str:
    """Return the page as a document for the frame; `block_of_text` numbers the block of a text."""
    writer = _Marker(page, block_of_text)
    body = writer.body(MAX_ROWS)
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"{writer.styles()}<style data-viewer>{_style()}</style>\n</head>\n{body}\n</html>\n"
    )


@cache
def _style() -> str:
    return files("joeira.viewer").joinpath("static", "frame.css").read_text("utf-8")


class _Marker(Rewriter):
    """Marks everything with its row."""

    def __init__(self, page: Page, block_of_text: Sequence[int]) -> None:
        super().__init__(page)
        self.blocks = block_of_text
        self.index = page.text_index
        self.plain = _PLAIN_TEXT[page.known_tag[page.parent]]

    def mark(self, row: int) -> str:
        return f' data-r="{row}"'

    def text(self, row: int, text: str) -> str:
        if self.plain[row]:
            return text
        block = self.blocks[self.index[row]]
        return f'<{TEXT_ELEMENT} data-r="{row}" data-b="{block}">{text}</{TEXT_ELEMENT}>'

    def style(self, css: str) -> str:
        # The policy of the frame refuses to load anything; this spares the browser the attempt.
        css = _LOADED.sub("none", _IMPORT.sub("", css))
        return _VIEWPORT_UNIT.sub(
            lambda found: f"{float(found[1]) * _VIEWPORT_HEIGHT / 100:g}px", css
        )

    def in_place_of(self, row: int) -> str:
        """Return a box with an image's words, or the image where the page itself holds it."""
        page = self.page
        if page.tag[row] != tags.NUMBER["img"]:
            return ""
        source = page.attributes.get(row, "src") or ""
        alt = escape(page.attributes.get(row, "alt") or "")
        if _RASTER.fullmatch(source):
            return f'<img data-r="{row}" alt="{alt}" src="{escape(source)}">'
        return f'<{IMAGE_ELEMENT} data-r="{row}">{alt}</{IMAGE_ELEMENT}>'
