"""Metadata from the document head: ``<title>``, ``<meta>`` and the language of ``<html>``."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from joeira.kernels.strings import collapse
from joeira.page import Page

# Names in order of trust: the first that the page fills is taken.
_SOURCES = {
    "author": ("author", "article:author", "dc.creator", "dcterms.creator", "parsely-author"),
    "date": (
        "article:published_time",
        "date",
        "dc.date",
        "dcterms.date",
        "pubdate",
        "datepublished",
    ),
    "description": ("og:description", "description", "dc.description", "twitter:description"),
    "sitename": ("og:site_name", "application-name"),
    "image": ("og:image", "twitter:image"),
    "og_title": ("og:title", "twitter:title", "dc.title"),
}


@dataclass(frozen=True)
class Metadata:
    """What a page says about itself; None where it says nothing."""

    title: str | None = None
    author: str | None = None
    date: str | None = None
    language: str | None = None
    sitename: str | None = None
    hostname: str | None = None
    url: str | None = None
    description: str | None = None
    image: str | None = None
    pagetype: str | None = None


def read(page: Page, title: str | None = None, pagetype: str | None = None) -> Metadata:
    """Return the metadata of a page; a title found by a content method goes first."""
    said = _meta(page)
    found = {
        field: next((said[name] for name in names if said.get(name)), None)
        for field, names in _SOURCES.items()
    }
    og_title = found.pop("og_title")
    language = (page.attributes.get(0, "lang") or "").strip() or None if len(page) else None
    return Metadata(
        title=title or og_title or _title(page),
        language=language,
        url=page.url,
        hostname=_hostname(page.url),
        pagetype=pagetype,
        **found,
    )


def _meta(page: Page) -> dict[str, str]:
    """Return the content of every named meta element, the first of each name."""
    said: dict[str, str] = {}
    for row in page.attributes.select("meta[content]"):
        name = page.attributes.get(row, "property") or page.attributes.get(row, "name")
        value = collapse(page.attributes.get(row, "content") or "")
        if name and value:
            said.setdefault(name.strip().lower(), value)
    return said


def _title(page: Page) -> str | None:
    for name in ("title", "h1"):
        for row in page.rows_of(name):
            text = page.text_of(int(row))
            if text:
                return text
    return None


def _hostname(url: str | None) -> str | None:
    try:
        return urlsplit(url or "").hostname
    except ValueError:
        return None
