"""Addresses that are safe to follow: http, https, mailto for links, or relative ones.

An address is judged as browsers read it: character references are already resolved, control
characters and white space that browsers skip are removed first.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin

from joeira.page import Page

LINK_SCHEMES = frozenset({"http", "https", "mailto"})
IMAGE_SCHEMES = frozenset({"http", "https"})

_DECLARED = (("link[rel=canonical]", "href"), ("meta[property='og:url']", "content"))
_SKIPPED = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]*)\s*:", re.IGNORECASE)
# Invisible or direction-changing characters hide where an address leads; the rest breaks markup.
_QUOTED = re.compile("[\\s\"'<>`|{}^[\\]\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_NUMBERED_HOST = re.compile(r"(?:https?:)?//\[[0-9a-f:.]*\]", re.IGNORECASE)


def base_of(page: Page) -> str | None:
    """Return the address that relative ones of a page start from; None when there is none."""
    base = page.url if page.url and scheme(page.url) in IMAGE_SCHEMES else None
    for row in page.rows_of("base")[:1]:
        declared = clean(page.attributes.get(int(row), "href") or "", base, IMAGE_SCHEMES)
        if declared and scheme(declared):
            return declared
    return base


def own_address(page: Page) -> str | None:
    """Return the address of a page: the one it was read from, or else the one it declares."""
    if page.url:
        return page.url
    for selector, name in _DECLARED:
        declared = next(filter(None, page.attributes.values(selector, name)), None)
        if declared:
            return declared
    return None


def scheme(address: str) -> str:
    """Return the scheme of an address in lower case; '' when it is relative."""
    match = _SCHEME.match(address)
    return match[1].lower() if match else ""


def clean(address: str, base: str | None, schemes: frozenset[str]) -> str | None:
    """Return an address made absolute and harmless; None when it is not to be followed."""
    address = _SKIPPED.sub("", address).strip().replace("\\", "/")
    if not address or (scheme(address) and scheme(address) not in schemes):
        return None
    if base and not scheme(address):
        try:
            address = urljoin(base, address)
        except ValueError:
            return None
        if scheme(address) not in schemes:
            return None
    host = _NUMBERED_HOST.match(address)
    start = host.end() if host else 0
    return address[:start] + _QUOTED.sub(lambda match: quote(match[0]), address[start:])


def image_address(attributes: dict[str, str], base: str | None) -> str | None:
    """Return the address of an image, also of one that a script would have loaded later."""
    candidates = [attributes.get(name, "") for name in ("src", "data-src", "data-original")]
    for name in ("srcset", "data-srcset"):
        candidates.append(attributes.get(name, "").strip().partition(" ")[0].rstrip(","))
    for candidate in candidates:
        address = clean(candidate, base, IMAGE_SCHEMES)
        if address:
            return address
    return None
