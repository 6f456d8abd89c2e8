"""The events that text, HTML and Markdown are written from (`joeira.render.stream` makes them).

An event is a pair: what happens, and to what. Elements open and close, each pair with the same
`Element`; a text comes with its number, or -1 where a space stands for the white space between
texts. The white space of texts is collapsed; nothing is escaped.
"""

from __future__ import annotations

from typing import Any, NamedTuple

OPEN, CLOSE, TEXT, BLOCK, BREAK, IMAGE, FORMULA, LISTING, RULE, REFERENCE, PART = range(11)

Event = tuple[int, Any]
"""OPEN and CLOSE with an `Element`, TEXT with characters and their number, BLOCK with a whole run
that is nothing but text (its `Element` and characters), IMAGE with address and
alternative text, FORMULA with a `Formula`, LISTING with a `Listing`, REFERENCE with the label of a
note, PART with the words that stand above a part; BREAK and RULE with None."""


class Listing(NamedTuple):
    """Preformatted text."""

    language: str
    """Programming language that it declares; '' when it declares none."""
    parts: list[tuple[int, str, str]]
    """Its texts: number, white space before, characters as written."""

    @property
    def code(self) -> str:
        """All of its characters."""
        return "".join(gap + text for _, gap, text in self.parts)


CONTAINER, RUN, WITHIN = range(3)


class Element:
    """An element that the stream opens and closes."""

    __slots__ = ("is_bare", "level", "row", "tag", "value")

    def __init__(self, level: int, tag: str, row: int, value: Any = None) -> None:
        """Keep what is known when it opens."""
        self.level = level
        """Is it a container, a run of text, or within one?"""
        self.tag = tag
        self.row = row
        """Row of the page, -1 if the page has no such element."""
        self.value = value
        """Address of a link, number of a list's first item, columns and rows that a cell covers,
        label of a note, whether an item of a list of tasks is done."""
        self.is_bare = False
        """Whether it is the only run of its container, which needs no paragraph."""
