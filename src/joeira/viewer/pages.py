"""The pages that the viewer can show: examples, those it was started with, and those sent to it."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from joeira.errors import FetchError
from joeira.fetch.fetcher import Fetcher
from joeira.render.browser import NEAR_PAGE

MAX_PAGES = 32
MAX_BYTES = 100_000_000
"""So much of what is sent is held; what was not looked at for longest is forgotten first."""

MAX_STYLES = 40
MAX_STYLE_BYTES = 3_000_000
"""Style sheets of one page, and the size of each."""

_EXAMPLES = ("article", "listing", "product", "forum", "documentation", "service")
_MAX_NAME_CHARS = 120
_MAX_TITLE_CHARS = 200
_HEAD_BYTES = 65_536
"""So much of a page is read to learn its title."""
_TITLE = re.compile(rb"<title(?:\s[^>]{0,300})?>([^<]{1,1000})", re.IGNORECASE)
_CHARSET = re.compile(rb"<meta[^>]{0,300}charset=[\"']?([\w-]{1,40})", re.IGNORECASE)


@dataclass(frozen=True)
class Shown:
    """A page, and where what is taught about it is written."""

    name: str
    url: str | None = None
    html: bytes | str = field(default=b"", repr=False)
    path: Path | None = None
    """File that it is read from when it is looked at; what it teaches goes beside it."""
    example: bool = False

    def read(self, max_bytes: int) -> bytes | str:
        """Return the source; one byte more than the limit tells that there was more."""
        if self.path is None:
            return self.html
        with self.path.open("rb") as file:
            return file.read(max_bytes + 1)


class Styles:
    """The style sheets that one page links to: files near it, or from the web where allowed."""

    def __init__(self, page: Path | None, allow_fetch: bool, seconds: float) -> None:
        """Keep where they may come from."""
        self._folder = page.parent.resolve() if page is not None else None
        self._fetcher = (
            Fetcher(seconds, MAX_STYLE_BYTES, False, types=("text/css",)) if allow_fetch else None
        )
        self._left = MAX_STYLES
        self.read = 0
        """So many could be read."""

    def load(self, address: str) -> bytes | str | None:
        """Return a style sheet; None where it may not, or cannot, be read."""
        sheet = self._load(address)
        self.read += sheet is not None
        return sheet

    def _load(self, address: str) -> bytes | str | None:
        self._left -= 1
        if self._left < 0:
            return None
        if address.startswith(NEAR_PAGE):
            return self._read(unquote(urlsplit(address).path).lstrip("/"))
        if self._fetcher is not None:
            with suppress(FetchError):
                return self._fetcher.fetch(address)[1]
        return None

    def _read(self, name: str) -> bytes | None:
        """Return a file below the folder of the page, and of no other place."""
        if self._folder is None or not name.lower().endswith(".css"):
            return None
        with suppress(OSError, ValueError):
            path = (self._folder / name).resolve()
            if path.is_relative_to(self._folder) and path.is_file():
                with path.open("rb") as file:
                    return file.read(MAX_STYLE_BYTES)
        return None


class Pages:
    """Pages by id."""

    def __init__(self, started_with: Iterable[Shown] = ()) -> None:
        """Keep the pages that are always there."""
        self.given = {f"page-{number}": page for number, page in enumerate(started_with)}
        self.examples = {f"example-{page.name}": page for page in examples()}
        self._sent: OrderedDict[str, Shown] = OrderedDict()
        self._sent_bytes = 0

    def add(self, page: Shown) -> str:
        """Hold a page and return its id."""
        number = f"sent-{secrets.token_urlsafe(12)}"  # nobody can guess another's
        self._sent[number] = page
        self._sent_bytes += len(page.html)
        while len(self._sent) > MAX_PAGES or (self._sent_bytes > MAX_BYTES and len(self._sent) > 1):
            _, forgotten = self._sent.popitem(last=False)
            self._sent_bytes -= len(forgotten.html)
        return number

    def get(self, number: str) -> Shown | None:
        """Return a page, if it is there."""
        if number in self._sent:
            self._sent.move_to_end(number)
            return self._sent[number]
        return self.given.get(number) or self.examples.get(number)


def examples() -> Iterator[Shown]:
    """Yield the example pages that come with the package."""
    folder = _folder()
    for name in _EXAMPLES:
        file = folder.joinpath(f"{name}.html")
        if file.is_file():
            yield Shown(name, html=file.read_bytes(), example=True)


def title_of(page: Shown) -> str:
    """Return what a page calls itself, or else its name.

    To list thousands of pages, none of them is parsed.
    """
    try:
        source = page.read(_HEAD_BYTES)
    except OSError:
        return page.name
    head = source[:_HEAD_BYTES]
    if isinstance(head, str):
        head = head.encode("utf-8", "replace")
    title = _TITLE.search(head)
    words = " ".join(unescape(_decode(title[1], head)).split()) if title else ""
    shown = "".join(c for c in words if c.isprintable())
    return shown[:_MAX_TITLE_CHARS] or page.name


def _decode(text: bytes, head: bytes) -> str:
    charset = _CHARSET.search(head)
    for name in ("utf-8", charset[1].decode("ascii") if charset else "cp1252"):
        with suppress(LookupError, UnicodeError):
            return text.decode(name)
    return text.decode("cp1252", "replace")


def clean_name(name: str) -> str:
    """Return a name of a page as it may be shown and stored: printable, and no path."""
    last = re.split(r"[/\\]", name)[-1]
    return "".join(c for c in last if c.isprintable())[:_MAX_NAME_CHARS].strip() or "page"


def _folder() -> Traversable:
    """Return where the examples are: in the package, or beside it in a clone of the project."""
    packed = files("joeira.viewer").joinpath("examples")
    return packed if packed.is_dir() else Path(__file__).parents[3] / "examples"
