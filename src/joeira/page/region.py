"""A region: a view of consecutive rows of a page, and the XPath that finds a node again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from joeira.page import tags

if TYPE_CHECKING:
    from joeira.page.model import Page


@dataclass(frozen=True, eq=False)
class Region:
    """Rows ``start:stop`` of a page."""

    page: Page
    start: int
    stop: int
    label: str | None = None
    score: float | None = None

    @property
    def text(self) -> str:
        """The region's text: its texts, collapsed, joined by one space."""
        page = self.page
        first, last = page.text_index[self.start], page.text_index[self.stop]
        return " ".join(" ".join(text.split()) for text in page.texts[first:last])

    @property
    def xpath(self) -> str:
        """XPath of the region's first node: all of the region when it is one subtree."""
        return self.page.xpath(self.start)

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<Region {self.start}:{self.stop} {self.label or ''} {self.text[:40]!r}>"


def xpath_of(page: Page, row: int) -> str:
    """Return an absolute XPath for a row, as a browser's or lxml's tree of the page has it.

    Names with a colon and the elements of SVG and MathML are matched by ``name()``: a plain name
    test would look for a namespace prefix or for an HTML element.
    """
    steps = []
    while row >= 0:
        steps.append(_step(page, row))
        row = int(page.parent[row])
    return "/" + "/".join(reversed(steps))


def _step(page: Page, row: int) -> str:
    parent = int(page.parent[row])
    name = page.tag_name(row)
    if parent < 0:
        return name
    if page.tag[row] == tags.TEXT:
        return "text()" + _text_position(page, row, parent)
    siblings = np.flatnonzero((page.parent == parent) & (page.tag == page.tag[row]))
    test = name if name.isalnum() and not _is_foreign(page, row) else f"*[name()='{name}']"
    if "'" in name:
        test = f'*[name()="{name}"]'
    if len(siblings) == 1:
        return test
    return f"{test}[{int(np.searchsorted(siblings, row)) + 1}]"


def _text_position(page: Page, row: int, parent: int) -> str:
    """Return the predicate of a text node, counting only texts that are not blank."""
    texts = np.flatnonzero((page.parent == parent) & page.is_text)
    if len(texts) == 1 and page.end[parent] == parent + 2:
        return ""
    return f"[normalize-space()][{int(np.searchsorted(texts, row)) + 1}]"


def _is_foreign(page: Page, row: int) -> bool:
    svg, math = tags.NUMBER["svg"], tags.NUMBER["math"]
    while row >= 0:
        if page.tag[row] in (svg, math):
            return True
        row = int(page.parent[row])
    return False
