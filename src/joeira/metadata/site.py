"""The site that a page belongs to, and the page's own address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from joeira.metadata.claims import Claim
from joeira.metadata.statements import Statements
from joeira.metadata.structured import Item, texts
from joeira.page.attributes import without_surrogates

MAX_ADDRESS_CHARS = 2_000
MAX_SITENAME_CHARS = 100

_NAMES = {
    "og:site_name": 0.95,
    "application-name": 0.7,
    "apple-mobile-web-app-title": 0.7,
    "al:ios:app_name": 0.5,
    "dc.publisher": 0.5,
    "dcterms.publisher": 0.5,
    "citation_journal_title": 0.5,
    "copyright": 0.2,
}
_ADDRESS = re.compile(r"(?:https?:)?//\S+|/\S*", re.IGNORECASE)
_COMMON_HOST_PARTS = {
    "www", "m", "mobile", "blog", "blogs", "news", "en", "de", "shop", "store", "docs", "web", "amp"
}  # fmt: skip


def sitenames(said: Statements) -> Iterator[Claim]:
    """Yield what the page gives as the name of its site."""
    for name, confidence in _NAMES.items():
        for meta in said.named(name)[:2]:
            if len(meta.content) <= MAX_SITENAME_CHARS and not _ADDRESS.fullmatch(meta.content):
                yield Claim(meta.content, meta.source, name, meta.row, confidence)
    for item in said.items:
        if "website" in item.types:
            yield from _named(item, "name", 0.85)
        elif item.is_work or item.is_page:
            yield from _named(item, "publisher", 0.75)
    for meta in said.named("twitter:site")[:1]:
        handle = meta.content.strip().lstrip("@")
        if handle and " " not in handle and not _ADDRESS.match(handle):
            yield Claim(handle, meta.source, "twitter:site", meta.row, 0.3)


def _named(item: Item, name: str, confidence: float) -> Iterator[Claim]:
    for number, value in enumerate(item.properties.get(name, ())[:2]):
        for text in texts(value)[:1]:
            if len(text) <= MAX_SITENAME_CHARS and not _ADDRESS.match(text):
                row = item.row_of(name, number)
                yield Claim(text, item.source, item.key(name), row, confidence)


def addresses(said: Statements) -> Iterator[Claim]:
    """Yield what the page gives as its own address, then the one it was found at."""
    page = said.page
    for row, (rel, href) in page.attributes.read("link[rel~='canonical' i][href]", ["rel", "href"]):
        address = absolute(page.url, href)
        if rel and address:
            yield Claim(address, "link", "canonical", row, 0.95)
            break
    for meta in said.named("og:url")[:1]:
        address = absolute(page.url, meta.content)
        if address:
            yield Claim(address, meta.source, meta.name, meta.row, 0.85)
    if page.url:
        yield Claim(page.url, "address", "url", -1, 0.8)


def absolute(base: str | None, address: str | None) -> str | None:
    """Return an http address in full; None where it is none."""
    address = without_surrogates((address or "").strip()[:MAX_ADDRESS_CHARS])
    if not address:
        return None
    try:
        full = urljoin(base or "", address)
        parts = urlsplit(full)
    except ValueError:
        return None
    if parts.scheme in ("http", "https") and parts.netloc:
        return full
    return None


def hostname(address: str | None) -> str | None:
    """Return the host of an address."""
    try:
        return urlsplit(address or "").hostname
    except ValueError:
        return None


def path(address: str | None) -> str:
    """Return the path of an address."""
    try:
        return urlsplit(address or "").path
    except ValueError:
        return ""


def host_words(address: str | None) -> set[str]:
    """Return the parts of the host that may name the site, without www, blog and top domain."""
    *labels, top = (hostname(address) or "").removeprefix("www.").split(".")
    whole = "".join((*labels[-2:], top)).replace("-", "")
    words = {label.replace("-", "") for label in labels if len(label) > 1}
    return (words | {whole}) - _COMMON_HOST_PARTS
