"""The grammar of the HTML that Joeira writes: which element may stand where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

MAX_COLUMN_SPAN: Final = 1000
"""What browsers allow."""
MAX_LIST_START: Final = 999_999_999
"""What Markdown allows."""

RENAMED: Final = {"menu": "ul", "dir": "ul", "strike": "s", "tt": "code", "dfn": "em"}
FLOW: Final = frozenset("li dt dd td th caption blockquote figure figcaption".split()) | {""}
SINGLE: Final = frozenset("li dt dd td th caption figure figcaption".split())
"""Containers whose only run of text needs no paragraph of its own."""
PARENTS: Final = {
    "li": ("ul", "ol"),
    "dt": ("dl",),
    "dd": ("dl",),
    "caption": ("table",),
    "thead": ("table",),
    "tbody": ("table",),
    "tfoot": ("table",),
    "tr": ("thead", "tbody", "tfoot"),
    "td": ("tr",),
    "th": ("tr",),
    "figcaption": ("figure",),
}
NEXT: Final = {
    "ul": "li", "ol": "li", "dl": "dd", "table": "tbody",
    "thead": "tr", "tbody": "tr", "tfoot": "tr", "tr": "td",
}  # fmt: skip
"""The child to open in a container that cannot hold text itself."""
MISSING_PARENT: Final = {"li": "ul", "dt": "dl", "dd": "dl"}


class Inline(NamedTuple):
    """An inline element around a row; equal ones next to each other are written as one."""

    key: object
    tag: str
    start: str
    stop: str


@dataclass
class Container:
    """An open container; `implied` ones are closed by whatever does not fit into them."""

    tag: str
    end: int
    implied: bool = False
    bare: tuple[int, int] | None = None
    """Where the start and end tag of its first run would stand in the output."""
    runs: int = 0


@dataclass
class Run:
    """The open run of text: its tag, its block, and the inline elements open in it."""

    tag: str
    owner: int
    block: int
    opened: list[Inline] = field(default_factory=list)
    empty: bool = True
    worded: bool = False
    """Does it hold text, not only images?"""
