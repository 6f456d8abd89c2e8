"""Events and their grammar, footnotes and lines of text, shared by all writers.

`joeira.render.stream` makes events of the rows of a page; text, HTML and Markdown are written from
them. An event is a pair: what happens, and to what. Elements open and close, each pair with the
same `Element`; a text comes with its number, or -1 where a space stands for the white space between
texts. The white space of texts is collapsed; nothing is escaped.

Markdown and plain text are lines: blocks under one another, in items, quotations and notes that
indent them. Their writers open frames, add blocks and close frames again; a frame that closes
becomes a block of the one around it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.page import Page

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


@dataclass(frozen=True)
class Note:
    """The note of rows ``start:stop``."""

    label: str
    start: int
    stop: int


@dataclass
class Footnotes:
    """What is written of the footnotes of a page; texts are given by their number."""

    notes: list[Note] = field(default_factory=list)
    """In page order; none is inside another."""
    labels: set[str] = field(default_factory=set)
    lists: set[int] = field(default_factory=set)
    """Rows of the lists that hold notes."""
    references: dict[int, str] = field(default_factory=dict)
    """Texts that refer to a note, with its label."""
    borders: set[int] = field(default_factory=set)
    """References and the texts right after them."""
    silent: set[int] = field(default_factory=set)
    """Texts that the label says: numbers of notes, and links back."""
    texts: dict[int, str] = field(default_factory=dict)
    """Texts of which the marks say a part: brackets around references, dots after numbers."""
    within: list[tuple[str, int, int]] = field(default_factory=list)
    """Notes in the middle of a line: label, first text, one past the last."""
    added: list[tuple[int, int]] = field(default_factory=list)
    """Texts of notes, from and to, that are content because kept texts refer to them."""

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.notes or self.within)

    def touched(self, page: Page) -> frozenset[int]:
        """Return the texts that are not written as they are, and those at either end of notes."""
        of_notes = [page.text_index[[note.start, note.stop]] for note in self.notes]
        ends = {int(text) for both in of_notes for text in (*both, both[1] - 1)}
        return frozenset(ends.union(self.references, self.borders, self.silent, self.texts))

    def with_notes(self, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which texts are kept together with the notes that they refer to."""
        if not self.added:
            return keep
        together = keep.copy()
        for first, stop in self.added:
            together[first:stop] = True
        return together


class Place(NamedTuple):
    """Where something stands."""

    row: int
    block: int
    """Number of the block of a text; -1 if it is not text."""
    owner: int
    """Row of the block-level element around it."""


RENAMED: Final = {
    "menu": "ul", "dir": "ul", "strike": "s", "tt": "code", "dfn": "em",
}  # fmt: skip
FLOW: Final = frozenset("li dt dd td th caption blockquote figure figcaption note".split()) | {""}
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
TABLE_TAGS: Final = frozenset("table caption thead tbody tfoot tr td th".split())


@dataclass(slots=True)
class Container:
    """An open container; `implied` ones are closed by whatever does not fit into them."""

    element: Element
    tag: str
    """Name of its element; '' for the whole output."""
    end: int
    implied: bool = False
    first_run: Element | None = None


@dataclass(slots=True)
class Run:
    """The open run of text: its element, its block, and the inline elements open in it."""

    element: Element
    owner: int
    block: int
    opened: list[Element] = field(default_factory=list)
    empty: bool = True
    worded: bool = False
    """Does it hold text, not only images?"""


LINE_BREAK: Final[Event] = (BREAK, None)
BLANK: Final[Event] = (TEXT, (" ", -1))
SCRIPTS: Final = frozenset({"sub", "sup"})


class Grammar:
    """Opens and closes containers, runs and inline elements, so that they parse to themselves."""

    def __init__(self, stop: int) -> None:
        """Begin with the container of all, which ends before a row."""
        self.out: list[Event] = []
        self.containers = [Container(Element(CONTAINER, "", -1), "", stop)]
        self.inline: list[Element] = []
        """The inline elements around the row that is come to."""
        self.run: Run | None = None
        self.heading = (-1, "", -1)
        """Of the last heading: one past its last row, its tag, its row."""
        self.limit = 0
        """The first row at which something ends, or a part begins."""
        self.breaks = 0
        """Line breaks since the last text."""

    def paragraph(self, owner: int) -> Element:
        """Return a new paragraph; the only one of a container is bare."""
        element = Element(RUN, "p", owner)
        container = self.containers[-1]
        if container.tag in SINGLE:
            if container.first_run is None:
                container.first_run = element
                element.is_bare = True
            else:
                container.first_run.is_bare = False
        return element

    # Containers -------------------------------------------------------------------------------

    def open_container(self, element: Element, stop: int) -> None:
        """Open a container that ends before a row."""
        self.out.append((OPEN, element))
        self.containers.append(Container(element, element.tag, stop))
        self.limit = min(self.limit, stop)

    def close_container(self) -> None:
        """Close the innermost container."""
        self.close_run()
        self.out.append((CLOSE, self.containers.pop().element))

    def place(self, tag: str) -> bool:
        """Make the innermost container one that holds `tag` ('' for a run); False if none can."""
        if self.run is not None:
            self.close_run()
        top = self.containers[-1]
        if not tag and top.tag in FLOW:
            return True
        parents = PARENTS.get(tag)
        while True:
            top = self.containers[-1]
            if (top.tag in parents) if parents else (top.tag in FLOW):
                return True
            if not top.implied:
                break
            self.close_container()
        missing = MISSING_PARENT.get(tag)
        wanted = set(parents) if parents and not missing else FLOW
        while top.tag not in wanted and top.tag in NEXT:
            self.imply(NEXT[top.tag])
            top = self.containers[-1]
        if missing:
            self.imply(missing)
            return True
        return top.tag in wanted

    def imply(self, tag: str) -> None:
        """Open a container that the page leaves out."""
        value = (1, 1) if tag == "td" else 1 if tag == "ol" else None
        self.open_container(Element(CONTAINER, tag, -1, value), self.containers[-1].end)
        self.containers[-1].implied = True

    # Runs -------------------------------------------------------------------------------------

    def open_run(self, row: int, block: int, owner: int) -> Run:
        """Return the run that a text or an image belongs to, new or open."""
        run = self.run
        if run is not None:
            if row < self.heading[0] or run.block == block != -1:
                return run
            if -1 in (run.block, block) and run.owner == owner:
                run.block = max(run.block, block)
                return run
        self.place("")
        stop, name, heading = self.heading
        element = Element(RUN, name, heading) if row < stop else self.paragraph(owner)
        self.out.append((OPEN, element))
        self.run = Run(element, owner, block)
        return self.run

    def close_run(self) -> None:
        """Close the open run, if there is one."""
        self.breaks = 0
        run, self.run = self.run, None
        if run is not None:
            if run.opened:
                self.align(run, [])
            self.out.append((CLOSE, run.element))

    def align(self, run: Run, wanted: list[Element], between: Event | None = None) -> None:
        """Close and open inline elements until those wanted are open; one event goes between."""
        opened, same = run.opened, 0
        if not (opened or wanted):
            if between is not None:
                self.out.append(between)
            return
        while same < min(len(opened), len(wanted)) and is_same(opened[same], wanted[same]):
            same += 1
        self.out.extend((CLOSE, inline) for inline in reversed(opened[same:]))
        if between is not None:
            self.out.append(between)
        self.out.extend((OPEN, inline) for inline in wanted[same:])
        run.opened = opened[:same] + wanted[same:]

    def put(self, place: Place, event: Event, space: bool) -> None:
        """Put text or an image into its run, after a space or a line break if there is one."""
        row, block, owner = place
        if self.parts_paragraphs(block):
            self.close_run()
        breaks = self.breaks
        run = self.open_run(row, block, owner)
        between = None
        if breaks and not run.empty and run.element.tag == "p":
            between = LINE_BREAK
        elif space and not run.empty:
            between = BLANK
        self.breaks = 0
        self.align(run, self.inline, between)
        self.out.append(event)
        run.empty = False
        run.worded |= block >= 0

    def parts_paragraphs(self, block: int) -> bool:
        """Return whether line breaks stand for the end of a paragraph: two or more between texts.

        An image stays with the text beside it, the reason for which it was kept.
        """
        run = self.run
        if self.breaks < 2 or block < 0 or run is None:
            return False
        return run.worded and run.element.tag == "p" and self.containers[-1].tag not in SINGLE

    # What stands in runs ----------------------------------------------------------------------


def is_same(one: Element, other: Element) -> bool:
    """Return whether two inline elements next to each other are written as one."""
    return one is other or (one.tag == other.tag != "a" and one.tag not in SCRIPTS)


MAX_FRAMES: Final = 24
"""Frames within one another that indent; what is deeper stands at the same place. Otherwise the
output of a page of nested lists would grow with the square of its size."""

LINE, PARAGRAPH = "\n", "\n\n"


class Frame:
    """The blocks of a list, an item, a quotation, a note or the whole output."""

    __slots__ = ("first", "gaps", "is_list", "is_loose", "last_marker", "marker", "parts", "rest")

    def __init__(self, first: str = "", rest: str = "", *, is_list: bool = False) -> None:
        """Begin without blocks.

        Args:
            first: What stands before its first line.
            rest: What stands before its other lines.
            is_list: Whether its blocks are items.
        """
        self.first = first
        self.rest = rest
        self.is_list = is_list
        self.parts: list[str] = []
        self.gaps: list[str] = []
        self.is_loose = False
        """Whether blank lines stand between its parts."""
        self.marker = ""
        """Of a list: what its items begin with."""
        self.last_marker = ""
        """What the items of the list begin with that it ends with, if it does."""

    def add(self, text: str, gap: str = PARAGRAPH) -> None:
        """Add a block; `gap` stands before it."""
        self.parts.append(text)
        self.gaps.append(gap)
        self.last_marker = ""

    def text(self) -> str:
        """Return all blocks."""
        if len(self.parts) == 1:
            return self.parts[0]
        gaps = self.gaps
        if self.is_list and self.is_loose:
            gaps = [PARAGRAPH] * len(gaps)
        pieces = [piece for pair in zip(gaps, self.parts, strict=True) for piece in pair]
        return "".join(pieces[1:])


class Layout:
    """The open frames of one output."""

    def __init__(self) -> None:
        """Begin with the frame of the whole output."""
        self.frames = [Frame()]

    @property
    def frame(self) -> Frame:
        """The innermost frame."""
        return self.frames[-1]

    def open(self, first: str = "", rest: str = "") -> None:
        """Open a frame whose lines are indented."""
        deep = len(self.frames) > MAX_FRAMES
        self.frames.append(Frame("", "") if deep else Frame(first, rest))

    def open_list(self, markers: tuple[str, str]) -> None:
        """Open a list; the second marker is for one that follows another with the first."""
        frame = Frame(is_list=True)
        frame.marker = markers[self.frame.last_marker == markers[0]]
        self.frames.append(frame)

    def add(self, text: str, gap: str = PARAGRAPH) -> None:
        """Add a block to the innermost frame."""
        if text:
            self.frame.add(text, gap)

    def close_list(self) -> None:
        """Close a list: one after the first words of an item stands close to them."""
        frame = self.frames.pop()
        if frame.parts:
            is_close = len(self.frame.parts) == 1 and not frame.is_loose
            self.frame.add(frame.text(), LINE if is_close and self.frame.first else PARAGRAPH)
            self.frame.last_marker = frame.marker

    def close(self, gap: str = PARAGRAPH) -> None:
        """Close a frame: its lines, indented, are a block of the frame around it."""
        frame = self.frames.pop()
        if not frame.parts:
            return
        if PARAGRAPH in frame.gaps[1:]:
            self.frame.is_loose = True
        if frame.last_marker and len(frame.parts) == 1 and self.frame.is_list:
            self.frame.add(frame.text(), gap)  # an item that holds nothing but a list
        else:
            self.frame.add(indented(frame.text(), frame.first, frame.rest), gap)

    def text(self) -> str:
        """Return what the whole output says."""
        return self.frames[0].text()


def indented(text: str, first: str, rest: str) -> str:
    """Return a text with something before its first and its other lines."""
    if not rest or "\n" not in text:
        return first + text
    blank = rest.rstrip()
    lines = text.split("\n")
    return first + "\n".join([lines[0], *((rest + line) if line else blank for line in lines[1:])])
