"""For web-poet and scrapy-poet: a page object, and a provider of the parts that others need.

::

    ADDONS = {"scrapy_poet.Addon": 300}
    SCRAPY_POET_PROVIDERS = {"joeira.integrations.web_poet.JoeiraProvider": 500}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from joeira import api
from joeira._lazy import Lazy
from joeira.content.result import Content
from joeira.integrations import missing
from joeira.page import Page, parse
from joeira.records.result import Records
from joeira.segments.result import Segments

try:
    from web_poet import WebPage, field
except ImportError as error:
    raise missing(error, "web-poet") from None
try:  # a page object works without a crawler
    from scrapy.http import Response
    from scrapy_poet import PageObjectInputProvider
except ImportError:
    PageObjectInputProvider = Response = object


class JoeiraPage(WebPage[dict[str, Any]]):
    """A page object with main content and metadata; subclass it to change fields."""

    @Lazy
    def content(self) -> Content:
        """The main content, for fields of other classes."""
        return api.extract(page_of(self.response))

    @field
    def url(self) -> str:
        """The address of the page."""
        return str(self.response.url)

    @field
    def title(self) -> str | None:
        """The title."""
        return self.content.metadata.title

    @field
    def author(self) -> str | None:
        """The authors, as one text."""
        return self.content.metadata.author

    @field
    def date(self) -> str | None:
        """The day of publication."""
        return self.content.metadata.date

    @field
    def language(self) -> str | None:
        """The language of the text."""
        return self.content.metadata.language

    @field
    def markdown(self) -> str:
        """The main content as Markdown."""
        return self.content.markdown()

    @field
    def records(self) -> list[dict[str, str | None]]:
        """The records of the best list, if the page has one."""
        return [
            row for table in api.find_records(self.content.page)[:1] for row in table.to_dicts()
        ]


class JoeiraProvider(PageObjectInputProvider):
    """Provides page objects with `Content`, `Records`, `Segments` or a parsed `Page`."""

    name: ClassVar[str] = "joeira"
    provided_classes: ClassVar[set[Callable[..., Any]]] = {Content, Records, Segments, Page}

    def __call__(self, to_provide: set[Callable[..., Any]], response: Response) -> Sequence[Any]:
        """Return what is asked for, from one parse of the page."""
        page = page_of(response)
        makers: dict[Any, Callable[[Page], Any]] = {
            Content: api.extract,
            Records: api.find_records,
            Segments: api.segment,
            Page: lambda page: page,
        }
        return [makers[kind](page) for kind in to_provide]


def page_of(response: Any) -> Page:
    """Return the page of a response of either library, parsed."""
    return parse(response.text, str(response.url))
