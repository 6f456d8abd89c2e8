"""The columns and cells of a list of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from joeira.page import Page


class Column(str):
    """The name of a column, which knows what its values are and where they come from."""

    __slots__ = ("css", "kind", "source", "xpath")

    kind: str
    """``text``, ``number``, ``price``, ``date``, ``link`` or ``image``."""
    css: str | None
    """CSS selector (parsel's) of the values within a record; None where CSS cannot say it."""
    xpath: str | None
    """XPath of the values, relative to a record; None where it would be no simple one."""
    source: str
    """Where the name comes from, such as ``class`` or ``label``."""

    def __new__(
        cls,
        name: str,
        kind: str = "text",
        source: str = "",
        css: str | None = None,
        xpath: str | None = None,
    ) -> Column:
        """Make a column."""
        column = super().__new__(cls, name)
        column.kind, column.source, column.css, column.xpath = kind, source, css, xpath
        return column

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Copy and pickle with all that is known."""
        return str(self), self.kind, self.source, self.css, self.xpath

    def to_dict(self) -> dict[str, str | None]:
        """Return all that is known as plain data."""
        return {
            "name": str(self), "kind": self.kind, "source": self.source,
            "css": self.css, "xpath": self.xpath,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of one record."""

    text: str
    """What the page shows, white space collapsed; '' for an image."""
    url: str | None
    """Where a link leads, or where an image is; absolute where the address of the page is known."""
    row: int
    """Row of the page: the element whose text, link or image this is, or the text itself."""
    page: Page = field(repr=False, compare=False)

    @property
    def value(self) -> str:
        """The address of a link or image, else the text."""
        return self.text if self.url is None else self.url

    @property
    def xpath(self) -> str:
        """XPath of the node at `row`."""
        return self.page.xpath(self.row)


@dataclass(frozen=True, eq=False)
class Fields:
    """Columns, and the cells of each column: one per record, None where a record has no value."""

    columns: tuple[Column, ...]
    cells: tuple[Sequence[Cell | None], ...]
    record_css: str | None = None
    record_xpath: str | None = None
