"""The metadata of a page: plain values, each with its candidates and their sources.

Fields are read on demand, and what several fields need is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira.errors import UsageError
from joeira.metadata import about, authors, dates, language, title
from joeira.metadata.authors import Names
from joeira.metadata.claims import (
    Candidate,
    Claim,
    Shown,
    Value,
    best,
    best_yet,
    candidates_of,
    ranked,
    settled,
)
from joeira.metadata.statements import Statements, own_things
from joeira.metadata.title import Heading, Titles
from joeira.page import Page

if TYPE_CHECKING:
    from joeira.metadata.product import Product

FIELDS = (
    "title", "author", "date", "modified", "language", "sitename", "hostname", "url", "description",
    "image", "categories", "tags", "license", "pagetype", "feeds", "word_count", "direction",
)  # fmt: skip
"""Names of all values, in the order in which they are shown."""

_MIN_SITENAME = 0.4
_TEXT_SAMPLE = 400
"""So many texts tell the language."""


class Metadata:
    """What a page says about itself; missing values are None or an empty tuple."""

    def __init__(
        self,
        page: Page,
        title: str | None = None,
        pagetype: tuple[str, float] | None = None,
        keep: NDArray[np.bool_] | None = None,
    ) -> None:
        """Store what the fields are read from.

        Args:
            page: The page.
            title: Title that a method found.
            pagetype: Page type that a method predicted, and its probability.
            keep: Which texts of the page are its main content; by default all.
        """
        self._page = page
        self._title = title
        self._pagetype = pagetype
        self._keep = keep
        self._said = Statements(page)

    def __eq__(self, other: object) -> bool:
        """Return whether all values are the same."""
        return isinstance(other, Metadata) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # equal by value

    def __repr__(self) -> str:
        """Return the values that are not missing."""
        known = {name: value for name, value in self.to_dict().items() if value}
        return f"Metadata({', '.join(f'{name}={value!r}' for name, value in known.items())})"

    @property
    def title(self) -> str | None:
        """The title, without the name of the site."""
        return self._text("title")

    @property
    def authors(self) -> tuple[str, ...]:
        """The names of the authors."""
        return self._list("author")

    @property
    def author(self) -> str | None:
        """The names of the authors, separated by semicolons."""
        return "; ".join(self.authors) or None

    @property
    def date(self) -> str | None:
        """The day of publication, as ``YYYY-MM-DD``."""
        return self._text("date")

    @property
    def modified(self) -> str | None:
        """The day of the last change, as ``YYYY-MM-DD``."""
        return self._text("modified")

    @property
    def language(self) -> str | None:
        """The language as a code of two (rarely three) letters."""
        return self._text("language")

    @property
    def direction(self) -> str | None:
        """The direction of reading: ``ltr`` or ``rtl``."""
        return self._text("direction")

    @property
    def sitename(self) -> str | None:
        """The name of the site."""
        return self._text("sitename")

    @property
    def hostname(self) -> str | None:
        """The host of the address."""
        return about.hostname(self._page.url) or about.hostname(self.url)

    @property
    def url(self) -> str | None:
        """The canonical address."""
        return self._text("url")

    @property
    def description(self) -> str | None:
        """A summary in a sentence or two, as the page has it."""
        return self._text("description")

    @property
    def image(self) -> str | None:
        """The address of the main image."""
        return self._text("image")

    @property
    def categories(self) -> tuple[str, ...]:
        """The sections that the page belongs to."""
        return self._list("categories")

    @property
    def tags(self) -> tuple[str, ...]:
        """The keywords of the page."""
        return self._list("tags")

    @property
    def license(self) -> str | None:
        """The licence of the content."""
        return self._text("license")

    @property
    def pagetype(self) -> str | None:
        """The kind of page."""
        return self._text("pagetype")

    @Lazy
    def feeds(self) -> tuple[str, ...]:
        """The addresses of feeds that the page offers."""
        return about.feeds(self._said)

    @Lazy
    def product(self) -> Product | None:
        """The product that the page is about; None for other pages."""
        from joeira.metadata.product import find_product  # most pages are about something else

        return find_product(self._said, self.title, self._title_row, self._pagetype)

    @Lazy
    def structured(self) -> tuple[dict[str, Any], ...]:
        """JSON-LD, microdata and RDFa of the page as plain data, with its main subject first.

        Each has its ``type`` (a list of names), ``source``, ``xpath``, ``path`` within a script,
        and ``properties``. Nested items are inside their parents.
        """
        return tuple(own_things(self._said.items, self._page))

    @property
    def word_count(self) -> int:
        """The number of words of the content; in scripts without spaces, each character is one."""
        words = self._page.text_words
        return int(words.sum() if self._keep is None else words[self._keep].sum())

    def candidates(self, name: str) -> list[Candidate]:
        """Return all candidates for a field, best first; the first is its value.

        Args:
            name: A field that has its own sources, such as ``title``, ``author`` or ``date``.
        """
        if name not in _READERS:
            message = f"no candidates for {name!r}; fields: {', '.join(_READERS)}"
            raise UsageError(message)
        return candidates_of(self._page, self._ranked(name))

    @property
    def sourced_fields(self) -> tuple[str, ...]:
        """The fields that have candidates."""
        return tuple(_READERS)

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain data, with lists for tuples, and the product if any."""
        fields = {name: getattr(self, name) for name in FIELDS}
        fields = {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}
        return fields if self.product is None else {**fields, "product": self.product.to_dict()}

    # How each field is read ---------------------------------------------------------------------

    @Lazy
    def _known(self) -> dict[str, list[Claim]]:
        return {}

    @Lazy
    def _stated(self) -> dict[str, list[Claim]]:
        return {}

    def _read(self, name: str) -> list[Claim]:
        if name not in self._stated:
            self._stated[name] = list(_READERS[name][0](self))
        return self._stated[name]

    def _ranked(self, name: str) -> list[Claim]:
        if name not in self._known:
            claims: Iterable[Claim] = self._read(name)
            if name in _SHOWN:
                is_beside = name == "date" or (name == "author" and self._is_of_things)
                *_, (_, shown) = _SHOWN[name][0](self, self._title_row if is_beside else -1)
                claims = chain(claims, shown)
            witnesses = title.WITNESSES if name == "title" else None
            self._known[name] = ranked(claims, _READERS[name][1], witnesses)
        return self._known[name]

    @Lazy
    def _values(self) -> dict[str, Value | None]:
        return {}

    def _best(self, name: str) -> Value | None:
        """Return the value of a field."""
        if name not in self._values:
            self._values[name] = self._find_best(name)
        return self._values[name]

    def _find_best(self, name: str) -> Value | None:
        if name in _SHOWN and name not in self._known:
            return self._best_shown(name)
        if name == "sitename" or name in self._known:  # titles ask for all of its names
            candidates = self._ranked(name)
            return candidates[0].value if candidates else None
        if name == "title":
            settled_title = self._settled_title()
            return settled_title or best(self._read(name), self._title_keys, title.WITNESSES)
        if name == "pagetype" and self._pagetype:  # trusted more than all markup
            return self._pagetype[0] or None
        return best(self._read(name), _READERS[name][1])

    def _best_shown(self, name: str) -> Value | None:
        """Return the value of a field; what the page shows is read only where it may matter.

        So is which heading shows the title: mostly the value is the same for any.
        """
        if name == "language":
            return language.found_first(self._said, self._sample)
        same, later = _READERS[name][1], _SHOWN[name][1]
        claims = self._read(name)
        value = settled(claims, same, later)
        if value is not None:
            return value
        if name == "author" and not self._is_of_things:
            return self._best_beside(name, -1)
        if "title" not in self._known:
            rows = {_row_of_title(candidates) for candidates in self._title_cases}
            values = {self._best_beside(name, row) for row in rows}
            if len(values) == 1:
                return values.pop()
        return self._best_beside(name, self._title_row)

    def _best_beside(self, name: str, title_row: int) -> Value | None:
        """Return the value of a field on a page that shows its title in a row."""
        same = _READERS[name][1]
        stated = self._read(name)
        for later, shown in _SHOWN[name][0](self, title_row):
            value = best_yet([*stated, *shown], same, later)
            if value is not None:
                return value
        return None

    @Lazy
    def _title_cases(self) -> list[list[Claim]]:
        """The candidates for the title, whichever headings the page shows."""
        cases = self._title_sources.cases()
        return [ranked(self._titles(shown), self._title_keys, title.WITNESSES) for shown in cases]

    def _settled_title(self) -> Value | None:
        """Return the title if it is the same whichever headings the page shows."""
        values = {candidates[0].value for candidates in self._title_cases}
        return values.pop() if len(values) == 1 else None

    def _text(self, name: str) -> str | None:
        value = self._best(name)
        return None if value is None else str(value)

    def _list(self, name: str) -> tuple[str, ...]:
        value = self._best(name) or ()
        return value if isinstance(value, tuple) else (value,)

    @Lazy
    def _title_sources(self) -> Titles:
        return Titles(self._said, self._sitenames)

    @property
    def _title_keys(self) -> Callable[[Value], str]:
        return self._title_sources.keys.__getitem__

    def _titles(self, shown: Sequence[Heading] | None = None) -> Iterable[Claim]:
        if self._title:
            own_title = title.without_site(
                self._title, title.site_keys(self._said, self._sitenames)
            )
            yield Claim(own_title, "method", "title", -1, 0.999)
        yield from self._title_sources.claims(shown)

    @Lazy
    def _names(self) -> Names:
        return Names(frozenset(map(str.casefold, self._sitenames)), self._is_of_things)

    def _shown_authors(self, title_row: int) -> Iterator[Shown]:
        row = title_row if self._is_of_things else -1
        return authors.shown(self._said, self._names, row)

    def _shown_days(self, title_row: int) -> Iterator[Shown]:
        return dates.shown(self._said, title_row, self._is_of_things)

    @Lazy
    def _is_of_things(self) -> bool:
        """Whether the page is about a product or lists things."""
        return about.is_of_things(self._said, self._pagetype)

    @Lazy
    def _sitenames(self) -> list[str]:
        """The names of the site that may be taken off titles."""
        known = [claim for claim in self._ranked("sitename") if claim.confidence > _MIN_SITENAME]
        return [str(claim.value) for claim in known[:4]]

    @Lazy
    def _title_row(self) -> int:
        rows = [claim.row for claim in self._read("title") if claim.source == "heading"]
        if len(rows) > 1:
            return _row_of_title(self._ranked("title"))
        return rows[0] if rows else -1

    @Lazy
    def _sample(self) -> NDArray[np.uint32]:
        """Code points of a part of the main text, by which its language can be told."""
        page = self._page
        keep = ~page.in_head[page.text_rows] if self._keep is None else self._keep
        numbers = keep.nonzero()[0]
        if not len(numbers):
            numbers = np.arange(page.text_count)
        if len(numbers) > _TEXT_SAMPLE:  # the longest, the earlier of equals
            starts = page.characters.starts
            lengths = np.diff(starts, append=len(page.characters.codes)).take(numbers)
            numbers = numbers[np.sort((-lengths).argsort(kind="stable")[:_TEXT_SAMPLE])]
        return language.sample_of(page, numbers)


def _row_of_title(candidates: Sequence[Claim]) -> int:
    """Return the row of the heading that shows the title; -1 where there is none."""
    headings = [claim for claim in candidates if claim.source == "heading"]
    for claim in headings:
        if title.same(claim.value) == title.same(candidates[0].value):
            return claim.row
    return headings[0].row if headings else -1


_READERS: dict[str, tuple[Callable[[Metadata], Iterable[Claim]], Callable[[Value], object]]] = {
    "title": (lambda data: data._titles(), title.same),
    "author": (lambda data: authors.stated(data._said, data._names), authors.same),
    "date": (lambda data: dates.stated(data._said), str),
    "modified": (lambda data: dates.modified(data._said), str),
    "language": (lambda data: language.stated(data._said), str),
    "direction": (lambda data: language.direction(data._said, data._sample), str),
    "sitename": (lambda data: about.sitenames(data._said), title.same),
    "url": (lambda data: about.addresses(data._said), str),
    "description": (lambda data: about.descriptions(data._said), title.same),
    "image": (lambda data: about.images(data._said), str),
    "categories": (lambda data: about.categories(data._said), authors.same),
    "tags": (lambda data: about.tags(data._said), authors.same),
    "license": (lambda data: about.licenses(data._said), str),
    "pagetype": (lambda data: about.pagetypes(data._said, data._pagetype), str),
}
"""How each field with sources of its own is read, and what two values of it have in common.

Not kept in the metadata: what refers to itself, and to a page, lives on after its last use.
"""

_SHOWN: dict[str, tuple[Callable[[Metadata, int], Iterator[Shown]], Mapping[str, float]]] = {
    "author": (lambda data, title_row: data._shown_authors(title_row), authors.SHOWN),
    "date": (lambda data, title_row: data._shown_days(title_row), dates.SHOWN),
    "language": (lambda data, _: language.written(data._sample), language.SHOWN),
}
"""How to read what the page shows, if its title is in a row, where that takes longer than reading
what it states, and the highest confidence in a claim of each source of that kind."""
