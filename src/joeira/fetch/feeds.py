"""Feeds and sitemaps: files that stand for the pages that they list.

RSS, Atom, sitemaps and indexes of sitemaps, plain or gzipped. They are read as a stream of events
in which no entity is ever expanded; of one that is damaged, what stands before the damage counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urljoin
from xml.parsers import expat

from joeira.errors import FetchError
from joeira.fetch.fetcher import Fetcher, inflated

MAX_LISTINGS = 1_000
"""Files that one index of sitemaps may lead to."""
MAX_PAGES = 1_000_000
_MAX_ADDRESS_CHARS = 8_000
_GZIP = b"\x1f\x8b"

_KINDS = {"urlset": "url", "sitemapindex": "sitemap", "rss": "item", "RDF": "item", "feed": "entry"}
"""From the root of a file to the element that stands for a page, or for another file."""


@dataclass
class Listing:
    """What a feed or sitemap names, each once, in its order."""

    pages: dict[str, None] = field(default_factory=dict)
    listings: dict[str, None] = field(default_factory=dict)


Tell = Callable[[str], None]
"""Is told what could not be read."""


def pages_of(address: str, fetcher: Fetcher, tell: Tell = lambda _: None) -> list[str] | None:
    """Return the pages that a feed or sitemap leads to; None if the address is that of a page.

    Files that an index of sitemaps names are read too; one that cannot be read is left out, unless
    nothing else can.
    """
    first = fetch_listing(address, fetcher)
    return None if first is None else all_pages(first, fetcher, tell)


def fetch_listing(address: str, fetcher: Fetcher) -> Listing | None:
    """Return what the file at an address names; None if it is neither a feed nor a sitemap."""
    final, data = fetcher.fetch_listing(address)
    return read_listing(data, final)


def all_pages(first: Listing, fetcher: Fetcher, tell: Tell = lambda _: None) -> list[str]:
    """Return the pages of a listing, and of those that it names."""
    waiting = deque(list(first.listings)[:MAX_LISTINGS])
    pages, seen = dict(first.pages), set(waiting)
    problem: FetchError | None = None
    while waiting and len(pages) < MAX_PAGES:
        address = waiting.popleft()
        try:
            more = fetch_listing(address, fetcher) or Listing()
        except FetchError as error:
            problem = error
            tell(f"{address}: {error}")
            continue
        pages |= more.pages
        new = [url for url in more.listings if url not in seen][: MAX_LISTINGS - len(seen)]
        seen.update(new)
        waiting += new
    if problem is not None and not pages:
        raise problem
    return list(pages)[:MAX_PAGES]


def read_listing(
    data: bytes, base: str | None = None, max_bytes: int = 50_000_000
) -> Listing | None:
    """Return what a file names; None if it is neither a feed nor a sitemap."""
    if data.startswith(_GZIP):
        data = _unpacked(data, max_bytes)
    reader = _Reader(base or "")
    with suppress(expat.ExpatError):  # what was read until then counts
        reader.parser.Parse(data, True)
    return reader.listing if reader.kind else None


def _unpacked(data: bytes, max_bytes: int) -> bytes:
    parts, size = [], 0
    for part in inflated(iter([data])):
        parts.append(part)
        size += len(part)
        if size > max_bytes:
            raise FetchError(f"larger than {max_bytes} bytes unpacked")
    return b"".join(parts)


class _Reader:
    """Collects addresses while a file is parsed."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.listing = Listing()
        self.kind = ""
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._refuse
        self.open: list[str] = []
        self.text: list[str] = []
        self.address = ""

    def _refuse(self, *_: object) -> None:
        raise expat.ExpatError("XML entities are not supported")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if not self.open:
            if name not in _KINDS:
                raise expat.ExpatError("another kind of file")
            self.kind = name
        if name == _KINDS[self.kind]:
            self.address = ""
        elif name == "link" and self.kind == "feed" and self._is_in_record and not self.address:
            is_page = attributes.get("rel", "alternate") == "alternate"
            self.address = attributes.get("href", "") if is_page else ""
        self.open.append(name)
        self.text = []

    def _text(self, text: str) -> None:
        self.text.append(text)

    def _end(self, tag: str) -> None:
        name = self.open.pop()
        if name == _KINDS[self.kind]:
            self._add(self.address)
        elif self._is_in_record and not self.address:
            is_link = name == "loc" or (name == "link" and self.kind in ("rss", "RDF"))
            said = "".join(self.text).strip() if is_link or name == "guid" else ""
            if is_link or said.startswith(("http://", "https://")):
                self.address = said
        self.text = []

    @property
    def _is_in_record(self) -> bool:
        return bool(self.open) and self.open[-1] == _KINDS[self.kind]

    def _add(self, address: str) -> None:
        url = urljoin(self.base, address.strip()) if address.strip() else ""
        if not url.startswith(("http://", "https://")) or len(url) > _MAX_ADDRESS_CHARS:
            return
        place = self.listing.listings if self.kind == "sitemapindex" else self.listing.pages
        place[url] = None
