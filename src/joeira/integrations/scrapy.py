"""For Scrapy: an item pipeline, and a spider mixin that needs no selectors.

::

    ITEM_PIPELINES = {"joeira.integrations.scrapy.JoeiraPipeline": 300}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from joeira import api
from joeira.integrations import missing
from joeira.integrations.documents import Reading
from joeira.page import Page, parse

try:
    from itemadapter import ItemAdapter
    from scrapy.exceptions import DropItem, NotConfigured
except ImportError as error:
    raise missing(error, "scrapy") from None


class JoeiraPipeline:
    """Replaces the HTML of items with ``text`` and metadata.

    Settings: ``JOEIRA_TO`` (format, ``markdown``), ``JOEIRA_METHOD``, ``JOEIRA_VISIBLE_ONLY``,
    ``JOEIRA_HTML_FIELD`` (``html``), ``JOEIRA_DROP_EMPTY``. Items without HTML pass as they are.
    """

    def __init__(self, reading: Reading, html_field: str = "html") -> None:
        """Keep how pages are read, and the field of items that has them."""
        self.reading = reading
        self.html_field = html_field

    @classmethod
    def from_crawler(cls, crawler: Any) -> JoeiraPipeline:
        """Make the pipeline as the settings of a crawler say."""
        settings = crawler.settings
        field = settings.get("JOEIRA_HTML_FIELD", "html")
        if not field:
            raise NotConfigured("JOEIRA_HTML_FIELD is empty")
        reading = Reading(
            to=settings.get("JOEIRA_TO", "markdown"),
            method=settings.get("JOEIRA_METHOD", "learned"),
            visible_only=settings.getbool("JOEIRA_VISIBLE_ONLY"),
            keep_empty=not settings.getbool("JOEIRA_DROP_EMPTY"),
        )
        return cls(reading, field)

    def process_item(self, item: Any, spider: Any = None) -> Any:
        """Return the item with content in the place of HTML; other values stay as they are."""
        values = ItemAdapter(item)
        html = values.get(self.html_field)
        if not isinstance(html, str | bytes):
            return item
        page = self.reading.convert(html, values.get("url"))
        if not self.reading.is_wanted(page):
            raise DropItem(page.metadata.get("reason", "no content"))
        del values[self.html_field]
        fields = values.field_names() if not isinstance(item, dict) else None
        for name, value in {**page.metadata, "text": page.text}.items():
            if values.get(name) is None and (fields is None or name in fields):
                values[name] = value
        return item


class JoeiraSpider:
    """Beside `scrapy.Spider`, gives callbacks that need no selectors.

    ``class Shop(JoeiraSpider, scrapy.Spider)`` with ``name`` and ``start_urls`` is a whole spider:
    it yields the records of a list, from its first page to its last.
    """

    reading = Reading()

    def parse(self, response: Any, **_: Any) -> Iterator[Any]:
        """Yield the records of a list, and the request for its next page."""
        page = page_of(response)
        for table in api.find_records(page)[:1]:
            yield from table.to_dicts()
        yield from self.follow_next(response, page)

    def parse_page(self, response: Any, **_: Any) -> Iterator[dict[str, Any]]:
        """Yield the main content of a page, with metadata."""
        page = self.reading.convert(response.body, response.url)
        if self.reading.is_wanted(page):
            yield {"url": response.url, **page.metadata, "text": page.text}

    def follow_next(self, response: Any, page: Page | None = None) -> Iterator[Any]:
        """Yield the request for the next page of a list, if the page shows a way to it."""
        following = api.find_pages(page or page_of(response)).next
        if following is not None:
            yield response.follow(following.url, self.parse)


def page_of(response: Any) -> Page:
    """Return the page of a response, parsed."""
    return parse(response.text, response.url)
