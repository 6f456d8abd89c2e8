"""What a method is: a frozen dataclass with a paper and one function."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from joeira.page import Page

if TYPE_CHECKING:
    from joeira.content.result import Content
    from joeira.segments.result import Segments

Result = TypeVar("Result", covariant=True)


@dataclass(frozen=True)
class Paper:
    """Where a method was published."""

    authors: str
    year: int
    title: str
    venue: str = ""

    def __str__(self) -> str:
        """Return a one-line citation."""
        venue = f" {self.venue}." if self.venue else ""
        return f"{self.authors} ({self.year}). {self.title}.{venue}"


class Extractor(Protocol[Result]):
    """A method for one page: a frozen dataclass whose fields are its parameters."""

    def extract(self, page: Page, /) -> Result:
        """Return the method's result for a page. Never raises because of what the page contains."""
        ...


class SiteLearner(Protocol[Result]):
    """A method that learns from many pages of one site."""

    def fit(self, pages: Iterable[Page], /) -> Extractor[Result]:
        """Return a new extractor: nothing is ever half-fitted."""
        ...


class LearnedSite(Protocol):
    """What a method learned of a site: a frozen extractor that can learn on and be stored."""

    @property
    def method(self) -> Any:
        """The method, a frozen dataclass."""
        ...

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """One for each different page learned from."""
        ...

    def extract(self, page: Page, /) -> Content | Segments:
        """Return the main content of a page of the site, or its segments."""
        ...

    def update(self, pages: Iterable[Page], /) -> LearnedSite:
        """Return what is learned from more pages, the same as from all at once."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return plain data from which the method's ``restore`` makes the same again."""
        ...
