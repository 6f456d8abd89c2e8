"""The whole page as safe HTML in which every text is wrapped in a mark of its own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from joeira.output.html import Writer
from joeira.output.show import Show
from joeira.output.verbatim import listing
from joeira.page import Page

_WORDS_ONLY = Show(links=False, images=False, formulas=False)


def render(page: Page, keep: NDArray[np.bool_], marks: Sequence[str]) -> str:
    """Return the chosen texts as HTML; `marks` has the start tag of a span for each text."""
    return _MarkedWriter(page, keep, marks).write()


class _MarkedWriter(Writer):
    """Writes texts in spans."""

    def __init__(self, page: Page, keep: NDArray[np.bool_], marks: Sequence[str]) -> None:
        super().__init__(page, keep, _WORDS_ONLY)
        self.marks = marks

    def _content(self, index: int) -> str:
        return f"{self.marks[index]}{super()._content(index)}</span>"

    def _listing(self, row: int) -> None:
        self._place("")
        parts = listing(self.page, row, self.keep)
        text = "".join(f"{gap}{self.marks[i]}{escape(text)}</span>" for i, gap, text in parts)
        self.out.append(f"<pre><code>{text}</code></pre>")
