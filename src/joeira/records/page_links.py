"""The links of a page, the text between them, and the roles that their words suggest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Final
from urllib.parse import urlsplit

from joeira.page import Page, addresses

NEXT, PREVIOUS, FIRST, LAST = "next", "previous", "first", "last"
ROLES: Final = (NEXT, PREVIOUS, FIRST, LAST)
MAX_WORDS_CHARS = 30
"""Maximum length of the text of a navigation link."""


@dataclass(frozen=True)
class Anchor:
    """A link of the page."""

    row: int
    url: str
    text: str
    """What it shows or, for a picture, what that says."""
    hints: str
    """Its rel, class, id and title in lower case, and the classes right around it."""
    rel: frozenset[str]
    gap: str
    """Text between the link before and this one."""

    @cached_property
    def value(self) -> int | None:
        """The page number that it shows."""
        number = _NUMBER.fullmatch(self.text)
        return int(number[1]) if number else None

    @cached_property
    def pattern(self) -> str:
        """The address with 0 for every number in it."""
        return DIGITS.sub("0", self.url)


_TABLE_PARTS = frozenset(("td", "th", "tr", "tbody", "thead"))
_NUMBER = re.compile(r"[\[(\s]*(\d{1,5})[\])\s.]*")
DIGITS = re.compile(r"\d+")
MAX_TEXT_CHARS = 60
_MAX_LINKS = 5_000


class Links:
    """The links of a page in page order, with what stands between them."""

    def __init__(self, page: Page) -> None:
        """Read the links of a page."""
        self.page = page
        self.base = addresses.base_of(page)
        self.own = _without_fragment(addresses.own_address(page) or "")
        self.anchors: list[Anchor] = []
        index = page.text_index
        before = 0
        names = ("href", "rel", "class", "id", "title", "aria-label")
        for row, values in page.attributes.read("a[href]", names):
            href, rel, *said = (value or "" for value in values)
            first, last = int(index[row]), int(index[page.end[row]])
            text = page.joined(first, last) if last - first <= MAX_TEXT_CHARS else "..."
            gap = squeezed(page, before, first)
            url = self.address(href)
            if url is None or len(self.anchors) >= _MAX_LINKS:
                continue
            before = last
            around = " ".join(self._names_around(row))
            title = said[2] or said[3]
            text = text or title or self._picture(row)
            hints = " ".join((*said[:2], title, around)).lower()
            rels = frozenset(rel.lower().split())
            self.anchors.append(Anchor(row, url, text[:MAX_TEXT_CHARS], hints, rels, gap))

    def address(self, href: str) -> str | None:
        """Return where a link leads; None for scripts and places on the page itself."""
        if not href.strip() or href.strip().startswith("#"):
            return None
        address = addresses.clean(href, self.base, addresses.LINK_SCHEMES)
        if not address or address.startswith("mailto:"):
            return None
        # The next page of a list is on the same host; buttons that share it show numbers too.
        return address if not self.own or host_of(address) in ("", host_of(self.own)) else None

    def _names_around(self, row: int) -> Iterator[str]:
        """Yield the classes and ids of the elements right around a link."""
        page = self.page
        left = 3
        while left:
            row = int(page.parent[row])
            if row <= 0:
                return
            left -= page.tag_name(row) not in _TABLE_PARTS  # up to the table itself
            yield page.classes[1][page.classes[0][row]]
            yield page.ids[1][page.ids[0][row]]

    def _picture(self, row: int) -> str:
        """Return what the picture in a link says."""
        page = self.page
        for inner in range(row + 1, min(int(page.end[row]), row + 10)):
            attributes = page.attributes.of(inner) if not page.is_text[inner] else {}
            for name in ("alt", "title", "aria-label"):
                if attributes.get(name):
                    return attributes[name]
        return ""

    def is_here(self, anchor: Anchor) -> bool:
        """Return whether a link leads to the page itself."""
        return bool(self.own) and _without_fragment(anchor.url) == self.own


def squeezed(page: Page, first: int, last: int) -> str:
    """Return texts as a line; long ones only as being long."""
    if last - first > MAX_TEXT_CHARS:
        return "." * MAX_TEXT_CHARS
    return page.joined(first, last) if last > first else ""


def host_of(url: str) -> str:
    """Return the host of an address; '' where it has none, or none that can be read."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _without_fragment(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


# Words ------------------------------------------------------------------------------------------


@cache
def roles_of_words() -> dict[str, str]:
    """Return the roles that words name, in many languages."""
    text = files("joeira.records").joinpath("page_words.txt").read_text("utf-8")
    lines = [line.partition(": ") for line in text.splitlines() if not line.startswith("#")]
    return {word: role for role, _, words in reversed(lines) for word in words.split(", ")}


_ARROWS = {
    **dict.fromkeys(("›", ">", "→", "▶", "►", "»", "⟩", "❯", "→→", "⇒", "▸", "&gt;"), NEXT),
    **dict.fromkeys(("‹", "<", "←", "◀", "◄", "«", "⟨", "❮", "←←", "⇐", "◂", "&lt;"), PREVIOUS),
    **dict.fromkeys((">>", "»»", "››", ">|", "⏭", ">>|", "»|"), LAST),
    **dict.fromkeys(("<<", "««", "‹‹", "|<", "⏮", "|<<", "|«"), FIRST),
}
TRIMMED = re.compile(r"[\s.:;,…\-–—()\[\]<>«»‹›←→▶◀►◄❯❮|/]+")
_ROLE_HINT = re.compile(r"(?<![a-z])(next|prev|previous|first|last)(?![a-z])")
SAID_BY_NAME = {"prev": PREVIOUS, "previous": PREVIOUS}


def role_in_words(anchor: Anchor) -> str | None:
    """Return what the text of a link says it leads to, or else an arrow, or its class."""
    if len(anchor.text) > MAX_WORDS_CHARS:
        return None
    words = TRIMMED.sub(" ", anchor.text).strip().casefold()
    role_of = roles_of_words()
    if words in role_of:
        return role_of[words]
    if not words:
        arrow = "".join(anchor.text.split())
        hinted = hinted_role(anchor)
        return hinted or _ARROWS.get(arrow)
    if anchor.value is None and len(words.split()) > 1:
        # "Next 20 results", "nächste Seite »": the first word counts where it is no other thing.
        head = words.split()[0]
        pages = _PAGE_WORDS.search(words)
        if pages and head in role_of:
            return role_of[head]
    return None


_PAGE_WORDS = re.compile(
    r"\bpages?\b|seite|página|pagina|strona|stran|страниц|sida|side\b|\bposts?\b|entries|results|\d"
)


def hinted_role(anchor: Anchor) -> str | None:
    """Return what the rel or the class of a link says it leads to."""
    for role in (NEXT, "prev", FIRST, LAST):
        if role in anchor.rel:
            return SAID_BY_NAME.get(role, role)
    own = anchor.hints
    words = {SAID_BY_NAME.get(word, word) for word in _ROLE_HINT.findall(own)}
    return words.pop() if len(words) == 1 else None
