"""Description, image, categories, tags, licence, kind of page, feeds, site and address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from joeira._lazy import cached_if_short
from joeira.metadata.claims import Claim, short_text
from joeira.metadata.statements import Statements
from joeira.metadata.structured import Item, texts
from joeira.page.left_out import without_surrogates

MAX_TAGS = 100
MAX_FEEDS = 20
MAX_TAG_CHARS = 100

_DESCRIPTIONS = {
    "og:description": 0.9, "description": 0.85, "dc.description": 0.8, "dcterms.abstract": 0.8,
    "twitter:description": 0.8, "citation_abstract": 0.8, "sailthru.description": 0.8,
}  # fmt: skip
_IMAGES = {
    "og:image": 0.9, "og:image:url": 0.9, "og:image:secure_url": 0.85, "twitter:image": 0.85,
    "twitter:image:src": 0.85, "parsely-image-url": 0.8, "sailthru.image.full": 0.8,
    "thumbnail": 0.5,
}  # fmt: skip
_IMAGE_ADDRESSES = ("url", "contentUrl", "@id")
_CATEGORIES = {"article:section": 0.85, "parsely-section": 0.85, "category": 0.6, "section": 0.6}
_TAGS = {
    "article:tag": 0.9, "news_keywords": 0.8, "keywords": 0.7, "parsely-tags": 0.85,
    "sailthru.tags": 0.85, "citation_keywords": 0.9, "dc.subject": 0.7, "og:video:tag": 0.7,
}  # fmt: skip
_LICENSES = {"dc.rights": 0.6, "dcterms.license": 0.8, "dcterms.rights": 0.6, "license": 0.7}
_FEED = "link[rel~='alternate' i][type][href]"
_FEED_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
    "application/feed+json",
    "application/rdf+xml",
)
_CREATIVE_COMMONS = re.compile(
    r"creativecommons\.org/(?:licenses/(?P<kind>[a-z-]+)/(?P<version>\d\.\d)|publicdomain/zero/(?P<zero>\d\.\d))",
    re.IGNORECASE,
)
_OF_THINGS = ("product", "listing", "collection")
_PRODUCT_TYPES = ("product", "og:product", "product.item", "product.group")
_THING_TYPES = {
    "product", "individualproduct", "productgroup", "collectionpage", "searchresultspage",
    "itemlist", "offercatalog",
}  # fmt: skip
_SPLIT = re.compile(r"\s*[,;、，|]\s*")


def descriptions(said: Statements) -> Iterator[Claim]:
    """Yield what may be a description of the page."""
    yield from _metas(said, _DESCRIPTIONS)
    yield from _items(said, ("description", "abstract"), 0.8)


def images(said: Statements) -> Iterator[Claim]:
    """Yield addresses of what may be the page's main image."""
    for claim in (
        *_metas(said, _IMAGES),
        *_items(said, ("image", "thumbnailUrl"), 0.8, _image_texts),
    ):
        address = absolute(said.page.url, str(claim.value))
        if address:
            yield claim.saying(address)
    for row, href in said.linked("image_src"):
        address = absolute(said.page.url, href)
        if address:
            yield Claim(address, "link", "image_src", row, 0.8)
            return


def categories(said: Statements) -> Iterator[Claim]:
    """Yield lists of sections that the page belongs to."""
    yield from _lists(said, _CATEGORIES)
    yield from _item_lists(said, "articleSection", 0.85)
    yield from _links(said, "a[rel~='category' i]", "rel=category")


def tags(said: Statements) -> Iterator[Claim]:
    """Yield lists of key words of the page."""
    yield from _lists(said, _TAGS)
    yield from _item_lists(said, "keywords", 0.8)
    yield from _links(said, "a[rel~='tag' i]", "rel=tag")


def licenses(said: Statements) -> Iterator[Claim]:
    """Yield licences: the short name of a Creative Commons one, else what the page says."""
    read = said.page.attributes.read
    for row, (href,) in read("a[rel~='license' i][href], link[rel~='license' i][href]", ["href"]):
        named = _license_name(href or "") or short_text(said.page, row) or href or ""
        yield Claim(named[:200], "link", "rel=license", row, 0.9)
        break
    yield from _items(said, ("license",), 0.85, _license_texts)
    yield from _metas(said, _LICENSES)
    for row, (href,) in read("a[href]", ["href"]):
        short_name = _license_name(href or "")
        if short_name:
            yield Claim(short_name, "link", "href", row, 0.6)
            break


def pagetypes(said: Statements, guess: tuple[str, float] | None) -> Iterator[Claim]:
    """Yield kinds of page: a method's guess, then what the markup says."""
    if guess:
        yield Claim(guess[0], "method", "pagetype", -1, max(0.95, guess[1]))
    for meta in said.named("og:type")[:1]:
        yield Claim(meta.content.lower()[:50], meta.source, meta.name, meta.row, 0.7)
    for item in said.items[:1]:
        if item.types and item.nesting == 0:
            kind = "article" if item.is_article else item.types[0]
            yield Claim(kind, item.source, "@type", item.row, 0.6)


def is_of_things(said: Statements, guess: tuple[str, float] | None) -> bool:
    """Return whether a page is about a product or lists things, by a method or by its markup."""
    if guess:
        return guess[0] in _OF_THINGS
    if any(meta.content.lower() in _PRODUCT_TYPES for meta in said.named("og:type")[:1]):
        return True
    own = [item for item in said.items[:5] if item.nesting == 0 and not item.repeated]
    kinds = {kind for item in own for kind in item.types}
    return not any(item.is_article for item in own) and not _THING_TYPES.isdisjoint(kinds)


def feeds(said: Statements) -> tuple[str, ...]:
    """Return the addresses of the feeds that the page offers."""
    addresses: dict[str, None] = {}
    for _, (kind, href) in said.page.attributes.read(_FEED, ["type", "href"]):
        if (kind or "").strip().lower() in _FEED_TYPES:
            address = absolute(said.page.url, href)
            if address:
                addresses[address] = None
        if len(addresses) >= MAX_FEEDS:
            break
    return tuple(addresses)


def _metas(said: Statements, names: dict[str, float]) -> Iterator[Claim]:
    for meta, confidence in said.first_named(names):
        yield Claim(meta.content, meta.source, meta.name, meta.row, confidence)


def _items(
    said: Statements, names: Sequence[str], confidence: float, read: object = None
) -> Iterator[Claim]:
    for item in said.items_with(names, 10):
        if not (item.is_work or item.is_page) or item.nesting > 1:
            continue
        for name in names:
            for number, value in enumerate(item.values(name)[:1]):
                values = read(value) if callable(read) else texts(value)
                for text in values[:1]:
                    row = item.row_of(name, number)
                    trust = confidence if item.nesting == 0 else 0.5 * confidence
                    yield Claim(text, item.source, item.key(name), row, trust)


def _image_texts(value: object) -> list[str]:
    if not isinstance(value, Item | dict):
        return texts(value)
    get: Callable[[str], object] = value.values if isinstance(value, Item) else value.get
    return next((found for name in _IMAGE_ADDRESSES if (found := texts(get(name)))), [])


def _license_texts(value: object) -> list[str]:
    return [_license_name(text) or text for text in texts(value)]


def _license_name(address: str) -> str | None:
    match = _CREATIVE_COMMONS.search(address)
    if match is None:
        return None
    if match["zero"]:
        return f"CC0 {match['zero']}"
    return f"CC {match['kind'].upper()} {match['version']}"


def _lists(said: Statements, names: dict[str, float]) -> Iterator[Claim]:
    for name, confidence in names.items():
        metas = said.named(name)
        tags = _tags(meta.content for meta in metas[:MAX_TAGS])
        if tags:
            yield Claim(tags, metas[0].source, name, metas[0].row, confidence)


def _item_lists(said: Statements, name: str, confidence: float) -> Iterator[Claim]:
    for item in said.items[:5]:
        if item.is_work or item.is_page:
            tags = _tags(text for value in item.values(name) for text in texts(value))
            if tags:
                yield Claim(tags, item.source, item.key(name), item.row_of(name, 0), confidence)


def _links(said: Statements, selector: str, key: str) -> Iterator[Claim]:
    rows = said.page.attributes.select(selector)[:MAX_TAGS]
    tags = _tags(short_text(said.page, row) for row in rows)
    if tags:
        yield Claim(tags, "link", key, rows[0], 0.7)


def _tags(lines: Iterator[str]) -> tuple[str, ...]:
    by_key: dict[str, str] = {}
    for line in lines:
        for tag in _SPLIT.split(line):
            if 0 < len(tag) <= MAX_TAG_CHARS and len(by_key) < MAX_TAGS:
                by_key.setdefault(tag.casefold(), tag)
    return tuple(by_key.values())


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
_IN_FULL = re.compile(
    r"https?://[A-Za-z0-9.-]+/[\w/.~%+,@!$*'()=&:-]*(?:\?[\w/.~%+,@!$*'()=&:;-]+)?", re.ASCII
)
"""Addresses that are written as they are most often, with all that belongs to an address."""
_COMMON_HOST_PARTS = {
    "www", "m", "mobile", "blog", "blogs", "news", "en", "de", "shop", "store", "docs", "web", "amp"
}  # fmt: skip


def sitenames(said: Statements) -> Iterator[Claim]:
    """Yield what the page gives as the name of its site."""
    for meta, confidence in said.first_named(_NAMES, 2):
        if len(meta.content) <= MAX_SITENAME_CHARS and not _ADDRESS.fullmatch(meta.content):
            yield Claim(meta.content, meta.source, meta.name, meta.row, confidence)
    for item in said.items:
        if "website" in item.types:
            yield from _named(item, "name", 0.85)
        elif (item.is_work or item.is_page) and "publisher" in item.stated:
            yield from _named(item, "publisher", 0.75)
    for meta in said.named("twitter:site")[:1]:
        handle = meta.content.strip().lstrip("@")
        if handle and " " not in handle and not _ADDRESS.match(handle):
            yield Claim(handle, meta.source, "twitter:site", meta.row, 0.3)


def _named(item: Item, name: str, confidence: float) -> Iterator[Claim]:
    for number, value in enumerate(item.values(name)[:2]):
        for text in texts(value)[:1]:
            if len(text) <= MAX_SITENAME_CHARS and not _ADDRESS.match(text):
                row = item.row_of(name, number)
                yield Claim(text, item.source, item.key(name), row, confidence)


def addresses(said: Statements) -> Iterator[Claim]:
    """Yield what the page gives as its own address, then the one it was found at."""
    page = said.page
    for row, href in said.linked("canonical"):
        address = absolute(page.url, href)
        if address:
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
    is_long = base is not None and len(base) > MAX_ADDRESS_CHARS
    return (_joined if is_long else _joined_once)(base, address)


def _joined(base: str | None, address: str) -> str | None:
    if _IN_FULL.fullmatch(address) and (base is None or _IN_FULL.fullmatch(base)):
        return address  # nothing of it is to be changed
    try:
        full = urljoin(base or "", address)
        parts = urlsplit(full)
    except ValueError:
        return None
    if parts.scheme in ("http", "https") and parts.netloc:
        return full
    return None


_joined_once = lru_cache(64)(_joined)
"""The same address comes from several sources."""


_PLAIN = re.compile(
    r"https?://(?P<host>[a-z0-9.-]+)(?P<path>/[\w/.~%+,@!$*'():;=&-]*)?(?=[?#]|\Z)", re.ASCII
)
"""The beginning of most addresses: to take them apart otherwise takes many times as long."""


def hostname(address: str | None) -> str | None:
    """Return the host of an address."""
    if match := _PLAIN.match(address or ""):
        return match["host"]
    try:
        return urlsplit(address or "").hostname
    except ValueError:
        return None


def path(address: str | None) -> str:
    """Return the path of an address."""
    if match := _PLAIN.match(address or ""):
        return match["path"] or ""
    try:
        return urlsplit(address or "").path
    except ValueError:
        return ""


def host_words(address: str | None) -> frozenset[str]:
    """Return the parts of the host that may name the site, without www, blog and top domain."""
    return _words_of_host(hostname(address) or "")


@cached_if_short(entries=64, longest=300)  # pages of one site mostly follow each other
def _words_of_host(host: str) -> frozenset[str]:
    *labels, top = host.removeprefix("www.").split(".")
    whole = "".join((*labels[-2:], top)).replace("-", "")
    words = {label.replace("-", "") for label in labels if len(label) > 1}
    return frozenset((words | {whole}) - _COMMON_HOST_PARTS)
