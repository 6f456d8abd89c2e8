"""A thing that structured data describes, whatever the syntax, and how near it is to the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from joeira.page.attributes import without_surrogates

MAX_DEPTH = 6
MAX_CHARS = 20_000
MAX_VALUES = 50
"""Of one property of one item."""

_ARTICLES = ("article", "posting", "blogpost", "report", "review", "story", "newsitem")
_WORKS = {
    "recipe", "product", "event", "videoobject", "question", "book", "movie", "course", "howto",
    "jobposting", "softwareapplication", "podcastepisode", "dataset", "creativework", "chapter",
    "profilepage", "techarticle", "scholarlyarticle", "discussionforumposting",
}  # fmt: skip
_PAGES = {
    "webpage", "itempage", "qapage", "faqpage", "collectionpage", "aboutpage", "contactpage",
    "medicalwebpage", "searchresultspage", "blog",
}  # fmt: skip


@dataclass(frozen=True)
class Item:
    """A thing with types and properties."""

    source: str
    types: tuple[str, ...]
    """Without vocabulary and in lower case: ``newsarticle``."""
    properties: dict[str, list[object]] = field(repr=False)
    """By name without vocabulary: texts, numbers and items."""
    row: int
    path: str = ""
    """Place within its script or tree, for people."""
    nesting: int = 0
    """Number of things that it is a part of."""
    repeated: bool = False
    """Whether the page describes several such things at once: a list, not the subject."""
    rows: dict[str, list[int]] = field(default_factory=dict, repr=False)
    """Rows of the values of each property, where they have their own."""

    @cached_property
    def is_article(self) -> bool:
        """Whether it is some text that people write."""
        return any(name.endswith(_ARTICLES) for name in self.types)

    @cached_property
    def is_work(self) -> bool:
        """Whether it can be the subject of a page of its own."""
        return self.is_article or not _WORKS.isdisjoint(self.types)

    @cached_property
    def is_page(self) -> bool:
        """Whether it is a page."""
        return not _PAGES.isdisjoint(self.types)

    @property
    def weight(self) -> float:
        """How likely it is what the page is about: articles, other works, pages, then the rest."""
        kind = 3 if self.is_article else 2 if self.is_work else 1 if self.is_page else 0
        return kind - 1.5 * self.nesting - 2 * self.repeated

    @property
    def is_aside(self) -> bool:
        """Whether it is something beside the page's subject."""
        return self.nesting > 1 or self.repeated

    def row_of(self, name: str, number: int) -> int:
        """Return the row of a value."""
        rows = self.rows.get(name, [])
        return rows[number] if number < len(rows) else self.row

    def key(self, name: str) -> str:
        """Say which property of what."""
        kind = self.types[0] if self.types else "thing"
        return f"{kind}.{name}" if not self.path else f"{self.path}.{name}"


def plain_name(name: str) -> str:
    """Return the name of a type or property without its vocabulary."""
    if name.isalnum():  # as most are
        return name
    for mark in ("/", "#", ":"):
        name = name.rpartition(mark)[2] or name
    return name.strip()


def texts(value: object, depth: int = 0) -> list[str]:
    """Return the texts of a value: itself, the name of an item, or those of a list."""
    if isinstance(value, str):
        text = " ".join(without_surrogates(value[:MAX_CHARS]).split())
        return [text] if text else []
    if isinstance(value, bool) or depth > MAX_DEPTH:
        return []
    if isinstance(value, int | float):
        return [str(value)]
    if isinstance(value, Item):
        value = value.properties
    if isinstance(value, dict):
        for key in ("name", "@value", "headline", "url", "@id"):
            if key in value:
                return texts(value[key], depth + 1)
        return []
    if isinstance(value, list):
        return [text for each in value[:MAX_VALUES] for text in texts(each, depth + 1)]
    return []
