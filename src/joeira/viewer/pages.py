"""The pages that the viewer can show: examples, those it was started with, and those sent to it."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

MAX_PAGES = 32
MAX_BYTES = 100_000_000
"""So much of what is sent is held; what was not looked at for longest is forgotten first."""

_EXAMPLES = ("article", "listing", "product", "forum", "documentation", "service")
_MAX_NAME_CHARS = 120
_TITLE = re.compile(rb"<title>([^<]*)</title>", re.IGNORECASE)


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
    """Return what an example calls itself."""
    title = _TITLE.search(page.html if isinstance(page.html, bytes) else page.html.encode())
    return unescape(title[1].decode("utf-8", "replace")) if title else page.name


def clean_name(name: str) -> str:
    """Return a name of a page as it may be shown and stored: printable, and no path."""
    last = re.split(r"[/\\]", name)[-1]
    return "".join(c for c in last if c.isprintable())[:_MAX_NAME_CHARS].strip() or "page"


def _folder() -> Traversable:
    """Return where the examples are: in the package, or beside it in a clone of the project."""
    packed = files("joeira.viewer").joinpath("examples")
    return packed if packed.is_dir() else Path(__file__).parents[3] / "examples"
