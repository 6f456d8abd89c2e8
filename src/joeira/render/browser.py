"""Pages rendered by a browser, with their layout (needs ``joeira[browser]`` and Chromium).

What is drawn is the page written anew from its rows (`joeira.render.html`), with its own
style sheets: no scripts run, and nothing is loaded, so images and linked style sheets are missing.
A `Layout` has one value per row of the page.

For people, `picture_of` draws a page as it is, with the linked style sheets that its caller loads.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.errors import UsageError
from joeira.page import Page
from joeira.render.html import Rewriter


@dataclass(frozen=True, eq=False)
class Layout:
    """Boxes in CSS pixels from the top left of the page, and how they look."""

    box: Floats
    """Per row: left, top, right, bottom; all 0 for what is not drawn."""
    background: NDArray[np.integer[Any]]
    """Number of the colour behind each row."""
    font_size: Floats
    font_weight: Floats

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Which rows take up room."""
        left, top, right, bottom = self.box.T
        shown: NDArray[np.bool_] = (right > left) & (bottom > top)
        return shown

    @property
    def area(self) -> Floats:
        """Room that each row takes up."""
        left, top, right, bottom = self.box.T
        area: Floats = np.maximum(right - left, 0) * np.maximum(bottom - top, 0)
        return area


MAX_ROWS: Final = 30_000
"""Rows that are drawn: the rest of a very long page has no boxes."""
TIMEOUT_MS: Final = 20_000

_WIDTH: Final = 1280
_HEIGHT: Final = 1024
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MEASURE: Final = """() => {
  const colours = new Map([["rgba(0, 0, 0, 0)", -1]]);
  return [...document.querySelectorAll("[data-row]")].map(element => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (!colours.has(style.backgroundColor)) colours.set(style.backgroundColor, colours.size);
    const seen = style.visibility === "visible" ? 1 : 0;
    return [
      +element.dataset.row,
      seen * (box.left + scrollX), seen * (box.top + scrollY),
      seen * (box.right + scrollX), seen * (box.bottom + scrollY),
      colours.get(style.backgroundColor), parseFloat(style.fontSize), +style.fontWeight,
    ];
  });
}"""


MAX_PICTURE_HEIGHT: Final = 6_000
NEAR_PAGE: Final = "http://page.invalid/"
"""Where a page without an address is said to be: a name that no computer has."""

Load = Callable[[str], bytes | str | None]
"""From the address of a style sheet to what is in it; None where it cannot be had."""


class Browser:
    """A browser that draws pages; made by `browser`."""

    def __init__(self, context: Any, errors: type[Exception]) -> None:
        """Keep a browser context and the errors it raises."""
        self._context = context
        self._errors = errors

    def layout(self, page: Page) -> Layout | None:
        """Return where everything of a page is; None when the browser gives up on it."""
        tab = self._context.new_page()
        try:
            tab.set_content(_numbered(page), wait_until="domcontentloaded")
            measured = tab.evaluate(_MEASURE)
        except self._errors:
            return None
        finally:
            tab.close()
        return _layout(page, np.array(measured, np.float64).reshape(-1, 8))

    def picture(self, html: str | bytes, url: str | None, load: Load) -> bytes | None:
        """Return a page as a JPEG; None when the browser gives up on it.

        No script runs, and nothing is asked of the network: style sheets come from `load`, and
        everything else that the page names is left out.
        """
        address = url if url and url.startswith(("http://", "https://")) else NEAR_PAGE
        tab = self._context.new_page()
        is_first = iter([True])

        def answer(route: Any) -> None:
            kind = route.request.resource_type
            if kind == "document" and next(is_first, False):
                route.fulfill(body=html, content_type="text/html")
            elif kind == "stylesheet" and (sheet := load(route.request.url)) is not None:
                route.fulfill(body=sheet, content_type="text/css")
            else:
                route.abort()

        try:
            tab.route("**/*", answer)
            tab.goto(address, wait_until="load")
            height = tab.evaluate("document.documentElement.scrollHeight")
            tab.set_viewport_size({"width": _WIDTH, "height": _tallest(height)})
            picture: bytes = tab.screenshot(type="jpeg", quality=70)
        except self._errors:
            return None
        finally:
            tab.close()
        return picture


def _tallest(height: Any) -> int:
    return min(max(int(height), _HEIGHT), MAX_PICTURE_HEIGHT)


def _is_root() -> bool:
    """Return whether this is the user who may do anything; Windows knows no number of one."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@contextmanager
def browser(width: int = _WIDTH) -> Iterator[Browser]:
    """Open a browser that never touches the network, or raise `UsageError` where there is none.

    Args:
        width: Width of the window in pixels.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        message = "rendering pages needs Playwright: pip install 'joeira[browser]'"
        raise UsageError(message) from error
    with sync_playwright() as playwright:
        try:
            program = playwright.chromium.launch(
                executable_path=next(filter(None, map(shutil.which, _NAMES)), None),
                # Chromium's sandbox refuses to run as root, and only then is it left out.
                args=["--no-sandbox"] if _is_root() else [],
            )
        except Error as error:
            message = (
                "rendering pages needs Chromium: install it (Debian: apt install chromium; "
                "anywhere: playwright install chromium)"
            )
            raise UsageError(message) from error
        try:
            context = program.new_context(
                java_script_enabled=False,
                offline=True,
                viewport={"width": width, "height": _HEIGHT},
            )
            context.set_default_timeout(TIMEOUT_MS)
            context.route("**/*", lambda route: route.abort())
            yield Browser(context, Error)
        finally:
            program.close()


def layout_of(page: Page, width: int = _WIDTH) -> Layout | None:
    """Return where everything of one page is; None when the browser gives up on it."""

    def drawn() -> Layout | None:
        with browser(width) as program:
            return program.layout(page)

    # A thread of its own: Playwright refuses to work where an event loop runs, as in notebooks.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(drawn).result()


def picture_of(html: str | bytes, url: str | None, load: Load) -> bytes | None:
    """Return a page as a browser draws it; None when the browser gives up on it.

    Args:
        html: The page.
        url: Its address; without one, linked style sheets are asked for below `NEAR_PAGE`.
        load: Gives the style sheets that the page links to.
    """

    def drawn() -> bytes | None:
        with browser() as program:
            return program.picture(html, url, load)

    with ThreadPoolExecutor(1) as thread:  # as in `layout_of`
        return thread.submit(drawn).result()


class _Numbered(Rewriter):
    """Writes the number of its row with every element and text."""

    def mark(self, row: int) -> str:
        return f' data-row="{row}"'

    def text(self, row: int, text: str) -> str:
        # An element that no style sheet knows: it takes the place of the text and nothing else.
        return f'<joeira-text data-row="{row}">{text}</joeira-text>'


def _numbered(page: Page) -> str:
    writer = _Numbered(page)
    head = f'<meta charset="utf-8">{writer.styles()}'
    return f"<!DOCTYPE html><html><head>{head}</head>{writer.body(MAX_ROWS)}</html>"


def _layout(page: Page, measured: np.ndarray[Any, np.dtype[np.float64]]) -> Layout:
    row = measured[:, 0].astype(np.intp)
    inside = row < len(page)
    row, measured = row[inside], measured[inside]
    box = np.zeros((len(page), 4))
    box[row] = measured[:, 1:5]
    colour = np.full(len(page), -1, np.intp)
    colour[row] = measured[:, 5]
    size, weight = np.zeros(len(page)), np.zeros(len(page))
    size[row], weight[row] = measured[:, 6], measured[:, 7]
    # A background that lets through what is behind it is that of the element around it.
    parent = page.parent.tolist()
    behind = colour.tolist()
    for number, own in enumerate(behind):
        if own < 0 and parent[number] >= 0:
            behind[number] = behind[parent[number]]
    return Layout(box, np.array(behind, np.intp), size, weight)
