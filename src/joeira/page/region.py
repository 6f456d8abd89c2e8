"""A region: a view of consecutive rows of a page, and the XPath that finds a node again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from joeira.page import tags

if TYPE_CHECKING:
    from joeira.page.model import Page

_NAME: Final = re.compile(r"[a-z_][a-z0-9_.-]*(:[a-z_][a-z0-9_.-]*)?")
_XPATH_BLANK: Final = " \t\r\n"


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

    def roots(self) -> Iterator[int]:
        """Yield the rows whose subtrees, one after the other, make up the region."""
        row = self.start
        while row < self.stop:
            yield row
            row = int(self.page.end[row])

    @property
    def html(self) -> str:
        """Raw HTML of the first node, scripts and all: ``Content.html()`` is the safe one."""
        page = self.page
        if page.tag[self.start] == tags.TEXT:
            return escape(page.texts[page.text_index[self.start]], quote=False)
        return page.attributes.node_html(self.start)

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<Region {self.start}:{self.stop} {self.label or ''} {self.text[:40]!r}>"


def xpath_of(page: Page, row: int) -> str:
    """Return an absolute XPath for a row, as a browser's or lxml's tree of the page has it."""
    return next(xpaths_of(page, [row]))


def xpaths_of(page: Page, rows: Iterable[int]) -> Iterator[str]:
    """Yield the XPath of each row; steps that a row shares with the row before are made once."""
    path: list[tuple[int, str]] = [(-1, "")]
    for row in rows:
        while len(path) > 1 and not path[-1][0] <= row < page.end[path[-1][0]]:
            path.pop()
        missing = []
        above = row
        while above != path[-1][0]:
            missing.append(above)
            above = int(page.parent[above])
        for below in reversed(missing):
            path.append((below, f"{path[-1][1]}/{_step(page, below)}"))
        yield path[-1][1]


def _step(page: Page, row: int) -> str:
    if page.tag[row] == tags.TEXT:
        return _text_step(page, row)
    name = page.tag_name(row)
    if page.parent[row] < 0:
        return name
    place, count = (int(column[row]) for column in page.tag_places)
    if not _NAME.fullmatch(name):
        # Parsers disagree about the case of SVG names and about odd characters, not about places.
        return f"*[{int(page.element_places[row])}]"
    # A plain test would look for a namespace prefix before a colon, and for an HTML element.
    plain = ":" not in name and page.attributes.is_html(row)
    test = name if plain else f"*[name()='{name}']"
    return test if count == 1 else f"{test}[{place}]"


def _text_step(page: Page, row: int) -> str:
    """Return the step of a text node among the texts that XPath does not hold to be blank.

    Blank nodes differ between parsers, so they are not counted. What is blank differs too: to XPath
    a no-break space is not, so that texts without a row are counted with those that have one.
    """
    texts = page.attributes.direct_texts(int(page.parent[row]))
    if len(texts) == 1:
        return "text()"
    with_row = [number for number, text in enumerate(texts) if not text.isspace()]
    own = with_row[int(page.tag_places[0][row]) - 1]
    place = sum(1 for text in texts[: own + 1] if text.strip(_XPATH_BLANK))
    return f"text()[normalize-space()][{place}]"
