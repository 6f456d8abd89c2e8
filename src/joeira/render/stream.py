"""One stream of events from kept rows; text, HTML, Markdown and marked HTML are writers of it.

The stream keeps to a grammar that parses to itself. *Containers* (lists, tables, quotations,
figures) nest as the page nests them; an element in the wrong place gets the parent that it lacks.
Text stands in *runs*: a heading, a paragraph, or the bare text of a list item or cell with a single
run. *Inline* elements are opened inside each run, each at most once, so that none ever encloses a
block. One pass over the rows with a stack; no recursion.

An event is a pair: what happens, and to what. Elements open and close, each pair with the same
`Element`; a text comes with its number, or -1 where a space stands for the white space between
texts. The white space of texts is collapsed; nothing is escaped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import collapse
from joeira.page import Page, addresses, tags
from joeira.page.tables import (
    MAX_COLUMN_SPAN,
    MAX_LIST_START,
    data_tables,
    row_spans,
    whole,
)
from joeira.render.footnotes import Footnotes, find
from joeira.render.formulas import Formula, stands_apart
from joeira.render.listings import code_of, language_of
from joeira.render.selection import CONTAINERS, INLINE, Selection, Show

OPEN, CLOSE, TEXT, BREAK, IMAGE, FORMULA, LISTING, RULE, REFERENCE = range(9)

Event = tuple[int, Any]
"""OPEN and CLOSE with an `Element`, TEXT with characters and their number, IMAGE with address and
alternative text, FORMULA with a `Formula`, LISTING with a `Listing`, REFERENCE with the label of a
note; BREAK and RULE with None."""


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


_KIND_OTHER, _KIND_TEXT, _KIND_CONTAINER, _KIND_INLINE = range(4)
_KIND = np.zeros(tags.FIRST_FOREIGN + 1, np.int8)
_KIND[CONTAINERS] = _KIND_CONTAINER
_KIND[INLINE] = _KIND_INLINE
_KIND[tags.TEXT] = _KIND_TEXT
_AROUND_REFERENCES: Final = frozenset({"a", "sup", "small"})


def events(page: Page, keep: NDArray[np.bool_], show: Show, *, flat: bool = False) -> list[Event]:
    """Return the events of the kept texts.

    Args:
        page: The page.
        keep: Per text, whether it is kept.
        show: What to tell of links, images and emphasis.
        flat: Whether tables that only lay out the page are dissolved, and footnotes told apart:
            what outputs with a form for tables of data and for notes need.
    """
    return _Stream(page, keep, show, flat).run_through()


class _Stream:
    """Turns the selected rows of one page into events."""

    def __init__(self, page: Page, keep: NDArray[np.bool_], show: Show, flat: bool) -> None:
        """Choose the rows, and find the footnotes among them."""
        self.page = page
        self.show = show
        self.is_flat = flat
        self.footnotes = find(page, keep) if flat else Footnotes()
        self.keep = keep = self.footnotes.with_notes(page, keep)
        self.selection = Selection(page, keep, show)
        self.base = addresses.base_of(page) if show.links or show.images else None
        self.spans = row_spans(page, self.selection.needed)
        self.spaces = page.space_before.tolist()
        for index in self.footnotes.borders:
            if index < len(page.texts):
                self.spaces[index] = _is_spaced(page, index)
        self.data_tables = frozenset(data_tables(page).tolist()) if flat else None
        self.is_plain = not (self.footnotes.references or self.selection.formulas.found)
        self.waiting = self.footnotes.notes[::-1]
        self.dissolved = self.footnotes.lists | {note.start for note in self.waiting}
        self.out: list[Event] = []
        self.containers = [Container(Element(CONTAINER, "", -1), "", len(page) + 1)]
        self.inline: list[Element] = []
        self.inline_ends: list[int] = []
        self.run: Run | None = None
        self.heading = (-1, "", -1)
        self.limit = 0
        """The first row at which something ends, or a note begins."""
        self.breaks = 0
        self.after_formula = False

    def run_through(self) -> list[Event]:
        """Return the events of all rows."""
        page, selection = self.page, self.selection
        end = page.end[selection.rows].tolist()
        kinds = _KIND[page.known_tag[selection.rows]]
        kinds[selection.special] = _KIND_OTHER
        blocks = page.blocks.of_text.tolist()
        index = page.text_index[selection.rows].tolist()
        rows = zip(selection.rows.tolist(), end, kinds.tolist(), index, strict=True)
        for row, stop, kind, text in rows:
            if row >= self.limit:
                self._leave(row)
            if kind == _KIND_TEXT:
                if self.is_plain and self._follows(text, blocks[text]):
                    continue
                self._text(row, text, blocks[text])
            elif kind == _KIND_INLINE:
                self._enter_inline(row, stop)
            elif kind == _KIND_CONTAINER:
                self._enter_container(row, stop)
            else:
                self._other(row, stop)
        while len(self.containers) > 1:
            self._close_container()
        self._close_run()
        return self.out

    # Containers -------------------------------------------------------------------------------

    def _leave(self, row: int) -> None:
        while self.inline and self.inline_ends[-1] <= row:
            self.inline.pop()
            self.inline_ends.pop()
        while self.containers[-1].end <= row:
            self._close_container()
        while self.waiting and self.waiting[-1].start <= row:
            note = self.waiting.pop()
            self._place("")
            self._open_container(Element(CONTAINER, "note", note.start, note.label), note.stop)
        self.limit = min(
            self.containers[-1].end,
            self.inline_ends[-1] if self.inline_ends else len(self.page) + 1,
            self.waiting[-1].start if self.waiting else len(self.page) + 1,
        )

    def _enter_container(self, row: int, stop: int) -> None:
        tag = self.page.tag_name(row)
        tag = RENAMED.get(tag, tag)
        if row in self.dissolved or (tag in TABLE_TAGS and not self._is_in_data(row)):
            return
        if self._place(tag):
            self._open_container(Element(CONTAINER, tag, row, self._value(tag, row)), stop)

    def _is_in_data(self, row: int) -> bool:
        """Return whether a part of a table is one of a table of data, where that matters."""
        if self.data_tables is None or row in self.data_tables:
            return True
        return any(outer.tag == "table" for outer in self.containers)

    def _value(self, tag: str, row: int) -> Any:
        read = self.page.attributes
        if tag == "ol":
            return whole(read.get(row, "start"), MAX_LIST_START)
        if tag in {"td", "th"}:
            columns = whole(read.get(row, "colspan"), MAX_COLUMN_SPAN)
            return (max(columns, 1), self.spans.get(row, 1))
        if tag == "li":
            return self.selection.tasks.get(row)
        return None

    def _open_container(self, element: Element, stop: int) -> None:
        self.out.append((OPEN, element))
        self.containers.append(Container(element, element.tag, stop))
        self.limit = min(self.limit, stop)

    def _close_container(self) -> None:
        self._close_run()
        self.out.append((CLOSE, self.containers.pop().element))

    def _place(self, tag: str) -> bool:
        """Make the innermost container one that holds `tag` ('' for a run); False if none can."""
        if self.run is not None:
            self._close_run()
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
            self._close_container()
        missing = MISSING_PARENT.get(tag)
        wanted = set(parents) if parents and not missing else FLOW
        while top.tag not in wanted and top.tag in NEXT:
            self._imply(NEXT[top.tag])
            top = self.containers[-1]
        if missing:
            self._imply(missing)
            return True
        return top.tag in wanted

    def _imply(self, tag: str) -> None:
        value = (1, 1) if tag == "td" else 1 if tag == "ol" else None
        self._open_container(Element(CONTAINER, tag, -1, value), self.containers[-1].end)
        self.containers[-1].implied = True

    # Runs -------------------------------------------------------------------------------------

    def _open_run(self, row: int, block: int) -> Run:
        owner = int(self.selection.owner[row])
        run = self.run
        if run is not None:
            if row < self.heading[0] or run.block == block != -1:
                return run
            if -1 in (run.block, block) and run.owner == owner:
                run.block = max(run.block, block)
                return run
        self._place("")
        stop, name, heading = self.heading
        element = Element(RUN, name, heading) if row < stop else Element(RUN, "p", owner)
        container = self.containers[-1]
        self.out.append((OPEN, element))
        if element.tag == "p" and container.tag in SINGLE:
            if container.first_run is None:
                container.first_run = element
                element.is_bare = True
            else:
                container.first_run.is_bare = False
        self.run = Run(element, owner, block)
        return self.run

    def _close_run(self) -> None:
        self.breaks = 0
        run, self.run = self.run, None
        if run is not None:
            if run.opened:
                self._align(run, [])
            self.out.append((CLOSE, run.element))

    def _align(self, run: Run, wanted: list[Element], between: Event | None = None) -> None:
        """Close and open inline elements until those wanted are open; one event goes between."""
        opened, same = run.opened, 0
        if not (opened or wanted):
            if between is not None:
                self.out.append(between)
            return
        while same < min(len(opened), len(wanted)) and _is_same(opened[same], wanted[same]):
            same += 1
        self.out.extend((CLOSE, inline) for inline in reversed(opened[same:]))
        if between is not None:
            self.out.append(between)
        self.out.extend((OPEN, inline) for inline in wanted[same:])
        run.opened = opened[:same] + wanted[same:]

    def _put(self, row: int, block: int, event: Event, space: bool) -> None:
        """Put text or an image into its run, after a space or a line break if there is one."""
        if self._parts_paragraphs(block):
            self._close_run()
        breaks = self.breaks
        run = self._open_run(row, block)
        between = None
        if breaks and not run.empty and run.element.tag == "p":
            between = _LINE_BREAK
        elif space and not run.empty:
            between = _BLANK
        self.breaks = 0
        self._align(run, self.inline, between)
        self.out.append(event)
        run.empty = False
        run.worded |= block >= 0

    def _parts_paragraphs(self, block: int) -> bool:
        """Return whether line breaks stand for the end of a paragraph: two or more between texts.

        An image stays with the text beside it, the reason for which it was kept.
        """
        run = self.run
        if self.breaks < 2 or block < 0 or run is None:
            return False
        return run.worded and run.element.tag == "p" and self.containers[-1].tag not in SINGLE

    # What stands in runs ----------------------------------------------------------------------

    def _enter_inline(self, row: int, stop: int) -> None:
        tag = self.page.tag_name(row)
        tag = RENAMED.get(tag, tag)
        if any(tag == outer.tag for outer in self.inline):
            return
        if tag in _SCRIPTS and self._is_of_word(row, stop):
            return
        value = None
        if tag == "a":
            href = self.page.attributes.get(row, "href") or ""
            value = addresses.clean(href, self.base, addresses.LINK_SCHEMES)
            if not value:
                return
        self.inline.append(Element(WITHIN, tag, row, value))
        self.inline_ends.append(stop)
        self.limit = min(self.limit, stop)

    def _is_of_word(self, row: int, stop: int) -> bool:
        """Return whether a sub or sup holds nothing, or the letters of 1st, Mme or a trade mark."""
        first, last = (int(self.page.text_index[at]) for at in (row, stop))
        text = collapse("".join(self.page.texts[first:last]))
        return not text or (self.is_flat and _WORD_END.fullmatch(text) is not None)

    def _follows(self, index: int, block: int) -> bool:
        """Add a text right after the one before it, where nothing is between: most texts."""
        run = self.run
        if run is None or run.block != block or self.breaks or self.inline or run.opened:
            return False
        if self.spaces[index] or not self.keep[index - 1]:
            self.out.append(_BLANK)
        self.out.append((TEXT, (collapse(self.page.texts[index]), index)))
        return True

    def _text(self, row: int, index: int, block: int) -> None:
        notes = self.footnotes
        if index in notes.silent:
            return
        run = self.run
        adjacent = index > 0 and self.keep[index - 1] and run is not None and run.block == block
        space = self.spaces[index] or not (adjacent or self.after_formula)
        self.after_formula = False
        if index in notes.references:
            around = self.inline
            self.inline = [outer for outer in around if outer.tag not in _AROUND_REFERENCES]
            for number, label in enumerate(notes.references[index]):
                self._put(row, block, (REFERENCE, label), space and not number)
            self.inline = around
            return
        text = collapse(self.page.texts[index])
        if index in notes.after_number:
            text = text.lstrip(" .):]")
        self._put(row, block, (TEXT, (text, index)), space)

    def _other(self, row: int, stop: int) -> None:
        tag = self.page.tag_name(row)
        if row in self.selection.listings:
            self._listing(row)
        elif row in self.selection.formulas.found:
            self._formula(row)
        elif tag == "br":
            self.breaks += 1
        elif tag == "img":
            self._image(row)
        elif tag == "hr":
            if self.containers[-1].tag in FLOW:
                self._close_run()
                self.out.append((RULE, None))
        else:
            self._close_run()
            self.heading = (stop, tag, row)

    def _image(self, row: int) -> None:
        alt = self.page.attributes.get(row, "alt") if self.show.alternatives else ""
        image = (self.selection.images[row], collapse(alt or ""))
        self._put(row, -1, (IMAGE, image), space=True)

    def _formula(self, row: int) -> None:
        formula = self.selection.formulas.found[row]
        first, stop = (int(self.page.text_index[at]) for at in (row, self.page.end[row]))
        apart = formula.displayed and bool(formula.tex) and self.containers[-1].tag not in SINGLE
        if apart:
            self._close_run()
        if formula.tex:
            shown = Formula(formula.tex, apart)
            event: Event = (FORMULA, shown)
        else:
            event = (TEXT, (formula.characters(self.page, row, self.keep), first))
        space = self.spaces[first] if first < stop else stands_apart(self.page, first)
        self._put(row, -1, event, space)
        if apart:
            self._close_run()
        elif self.run:
            self.run.block = -1  # the text after a formula goes on in the same paragraph
            self.after_formula = True

    def _listing(self, row: int) -> None:
        self._place("")
        parts = code_of(self.page, self.selection.listings[row], self.keep)
        if parts:
            self.out.append((LISTING, Listing(language_of(self.page, row), parts)))


def _is_same(one: Element, other: Element) -> bool:
    """Return whether two inline elements next to each other are written as one."""
    return one is other or (one.tag == other.tag != "a" and one.tag not in _SCRIPTS)


_LINE_BREAK: Final[Event] = (BREAK, None)
_BLANK: Final[Event] = (TEXT, (" ", -1))
_SCRIPTS: Final = frozenset({"sub", "sup"})
_WORD_END: Final = re.compile(r"[^\W\d_]{2,4}\.?|[ºª°™®©]")


def _is_spaced(page: Page, index: int) -> bool:
    """Return whether white space is written before a text: a reference stands close by itself."""
    before = page.texts[index - 1][-1:] if index else ""
    return bool(page.gap_before[index]) or before.isspace() or page.texts[index][:1].isspace()
