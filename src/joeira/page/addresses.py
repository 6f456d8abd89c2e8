"""Addresses that are safe to follow: http, https, mailto for links, or relative ones.

An address is judged as browsers read it: character references are already resolved, control
characters and white space that browsers skip are removed first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from urllib.parse import quote, urljoin

from joeira._native import native_available
from joeira.page import Page

if native_available:
    from joeira._native import declarations

LINK_SCHEMES = frozenset({"http", "https", "mailto"})
IMAGE_SCHEMES = frozenset({"http", "https"})

MAX_DECLARED = 100
"""Links and metas that declare an address, of each as many as are looked at."""
_SKIPPED = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)
_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]*)\s*:", re.IGNORECASE)
# Invisible or direction-changing characters hide where an address leads; the rest breaks markup.
_QUOTED = re.compile("[\\s\"'<>`|{}^[\\]\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_HARMLESS = re.compile(r"https?://[a-zA-Z0-9._~:/?#@!$&()*+,;=%-]++")
"""Addresses with a scheme that is always allowed, and with nothing that is skipped or quoted."""
_NUMBERED_HOST = re.compile(r"(?:https?:)?//\[[0-9a-f:.]*\]", re.IGNORECASE)


def base_of(page: Page) -> str | None:
    """Return the address that relative ones of a page start from; None when there is none."""
    own = own_address(page)
    base = own if own and scheme(own) in IMAGE_SCHEMES else None
    for row in page.rows_of("base")[:1]:
        declared = clean(page.attributes.get(int(row), "href") or "", base, IMAGE_SCHEMES)
        if declared and scheme(declared):
            return declared
    return base


def own_address(page: Page) -> str | None:
    """Return the address of a page: the one it was read from, or else the one it declares."""
    if page.url:
        return page.url
    for value in _declared(page):
        address = clean(value, None, IMAGE_SCHEMES)
        if address and scheme(address):
            return address
    return None


def _declared(page: Page) -> Iterable[str]:
    """Return the addresses that a page says are its own, as it writes them."""
    said = page.attributes
    if native_available:
        return declarations.addresses(said.links, said.metas, MAX_DECLARED)
    links = (address for relation, address in said.links if _is_among("canonical", relation))
    metas = (content for _, name, content in said.metas if _is_among("og:url", name))
    return chain(islice(links, MAX_DECLARED), islice(metas, MAX_DECLARED))


def _is_among(word: str, words: str) -> bool:
    return bool(words) and word in words.lower().split()


def scheme(address: str) -> str:
    """Return the scheme of an address in lower case; '' when it is relative."""
    match = _SCHEME.match(address)
    return match[1].lower() if match else ""


def _says_other(address: str, schemes: frozenset[str]) -> bool:
    """Return whether an address has a scheme that is not allowed, if need be behind a veil."""
    said = scheme(_INVISIBLE.sub("", address) if not address.isascii() else address)
    return bool(said) and said not in schemes


def clean(address: str, base: str | None, schemes: frozenset[str]) -> str | None:
    """Return an address made absolute and harmless; None when it is not to be followed."""
    if _HARMLESS.fullmatch(address):  # as nearly all are
        return address
    address = _SKIPPED.sub("", address).strip().replace("\\", "/")
    if not address or _says_other(address, schemes):
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


def image_address(
    attributes: dict[str, str], base: str | None, sources: Sequence[str] = ()
) -> str | None:
    """Return the address of an image: the largest version, also one to be loaded later.

    Args:
        attributes: Attributes of the image.
        base: What relative addresses start from.
        sources: What the image may also be shown from, as ``srcset`` writes it, the best first.
    """
    own = attributes.get("src", "")
    sets = [*sources, *(attributes[name] for name in _SETS if name in attributes)]
    candidates = [largest(value) for value in sets]
    if own and not _is_placeholder(own):
        candidates.append(own)
    else:
        candidates += [attributes[name] for name in _LATER if name in attributes]
        told = (value for name, value in attributes.items() if name.startswith("data-"))
        candidates += [value for value in told if _IMAGE_FILE.fullmatch(value)]
        candidates.append(own)
    for candidate in candidates:
        address = clean(candidate, base, IMAGE_SCHEMES) if candidate else None
        if address and not _is_blank(address):
            return address
    return None


def _is_blank(address: str) -> bool:
    """Return whether the name of an image's file says that it shows nothing."""
    return address.partition("?")[0].rpartition("/")[2].partition(".")[0].lower() in _BLANKS


def _is_placeholder(address: str) -> bool:
    """Return whether the name of an image's file says that another image is shown later."""
    file = address.partition("?")[0].rpartition("/")[2].lower()
    if any(name in file for name in _PLACEHOLDERS):
        return not _PLACEHOLDERS.isdisjoint(_WORD.findall(file))
    return address.lstrip().startswith("data:") or _is_blank(address)


def largest(candidates: str) -> str:
    """Return the address of the largest of the images that a ``srcset`` names."""
    best, size, address = "", -1.0, ""
    for word in candidates[:_MAX_SET_CHARS].split():
        if not address:
            address = word.rstrip(",")
            if not word.endswith(","):
                continue
            width, rest = 1.0, ""
        else:
            told = _DESCRIPTOR.match(word)
            width, rest = (float(told[1]), told[2]) if told else (1.0, "")
        if width > size:
            best, size = address, width
        address = rest
    return best or address


_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_LATER = (
    "data-src", "data-lazy-src", "data-original", "data-lazy", "data-actualsrc", "data-orig-file",
    "data-hi-res-src", "data-full-src", "data-url",
)  # fmt: skip
_MAX_SET_CHARS = 50_000
_DESCRIPTOR = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)[wxh],?(.*)", re.DOTALL)
_IMAGE_FILE = re.compile(
    r"(?:https?:|/|\.)?[^\s<>\"']{1,1500}\.(?:jpe?g|png|webp|gif|avif|svg)(?:\?\S{0,500})?"
)
_WORD = re.compile(r"[a-z0-9]+")
_BLANKS = frozenset(
    "blank spacer pixel transparent 1x1 clear cleardot clearpixel trans trans-pixel shim".split()
)
_PLACEHOLDERS = frozenset("placeholder lazy lazyload loading loader grey gray dummy".split())
