"""The style sheets that a page brings itself."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote

from joeira.page import css

if TYPE_CHECKING:
    from joeira.page.model import Page


def sheets(page: Page) -> Iterator[str]:
    """Yield the style sheets for screens that the page itself brings."""
    selector = "style,link[rel~=stylesheet i][href^='data:' i]"
    wanted = ("type", "media", "rel", "href", "disabled")
    for row, (kind, media, relation, address, disabled) in page.attributes.read(selector, wanted):
        if (kind or "text/css").strip().lower() != "text/css" or not css.media_apply(media or ""):
            continue
        if relation is None:
            yield page.attributes.inner_text(row)
        elif disabled is None and "alternate" not in relation.lower():
            yield sheet_in(address or "")


def sheet_in(address: str) -> str:
    """Return the style sheet that an address holds."""
    head, _, data = address.strip().partition(",")
    if not head.lower().startswith("data:text/css"):
        return ""
    try:
        data = unquote(data)
        return b64decode(data).decode("utf-8", "replace") if "base64" in head.lower() else data
    except ValueError:
        return ""
