"""Plain text of the kept texts, written from the stream of events.

Paragraphs stand apart, items of lists on lines with their bullet or number, nested ones indented,
rows of tables as lines of tab-separated cells, terms as ``term: definition``. Superscripts keep
their meaning: ``10^6``, ``x^2``, but ``H2O`` and ``1st``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum
from functools import cache, partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira._native import native_available
from joeira.arrays.strings import Words
from joeira.page import Page, tags
from joeira.page.blocks import chosen_spaces
from joeira.page.tables import (
    Grid,
    column_spans,
    data_tables,
    first_number,
    is_counted,
    needed_rows,
    row_spans,
)
from joeira.render import events, stream
from joeira.render.events import LINE, PARAGRAPH, Element, Event, Footnotes, Layout
from joeira.render.footnotes import MAX_MARK_CHARS, WITHIN_WORDS, find
from joeira.render.formulas import Formulas, has_formulas
from joeira.render.listings import HINTS, code_of
from joeira.render.selection import (
    ANCHOR_STEMS,
    CONTENT_OF_NO_HEADING,
    WORDS,
    kept_listings,
    tasks,
    without_anchors,
)

_PROSE: Final = tags.table("p h1 h2 h3 h4 h5 h6 blockquote pre table")
_OPTION: Final = tags.table("option optgroup")
_TABLE, _SUP = tags.NUMBER["table"], tags.NUMBER["sup"]
_OF_LISTINGS: Final = (*tags.PREFORMATTED.nonzero()[0].tolist(), tags.NUMBER["code"])
_BULLETS: Final = ("-", "-")
_SIMPLE: Final = re.compile(r"[+\-−]?\d+(?:[.,]\d+)*|[^\W\d_]")
"""A power that needs no brackets: a number or a letter."""
_LETTERS: Final = re.compile(r"[^\W\d_]{1,4}\.?|[ºª°™®©]")
"""Superscripts that are part of a word: the letters of 1st, M^me, 2o."""
_NOTE_MARK: Final = re.compile(r"\[?(?:\d{1,3}|[a-z]|[*†‡§¶]+)\]?")
_SPANNING: Final = "td[colspan],th[colspan],td[rowspan],th[rowspan]"
_SPANS: Final = frozenset(("colspan", "rowspan"))
_START: Final = frozenset(("start",))
_SENTENCE_ENDS: Final = frozenset(".,;:!?)]}\"'”’»…")


def render(page: Page, keep: NDArray[np.bool_], parts: Mapping[int, str] | None = None) -> str:
    """Return the kept texts as plain text; `parts` begin at rows, each with words above it."""
    if not np.count_nonzero(keep):  # which takes less time than to ask whether any is
        return ""
    if native_available and not parts:
        text = _quick_text(page, keep)
        if text is not None:
            return text
    return _Writer(page).write(stream.events(page, keep, WORDS, flat=True, parts=parts or {}))


def render_parts(page: Page, keep: NDArray[np.bool_], parts: Mapping[int, str]) -> list[str]:
    """Return the kept texts of each part, given by its first row, after what stands above it."""
    written = []
    events_of_part: list[Event] = []
    for event in stream.events(page, keep, WORDS, flat=True, parts=parts):
        if event[0] == events.PART:
            written.append(_Writer(page).write(events_of_part))
            events_of_part = [event]
        else:
            events_of_part.append(event)
    return [*written, _Writer(page).write(events_of_part)][1:]


class Role(IntEnum):
    """What a tag is to the kernel that writes prose and lists."""

    OTHER = 0
    TEXT = 1
    LIST = 2
    COUNTED_LIST = 3
    ITEM = 4
    QUOTATION = 5
    FIGURE = 6
    CAPTION = 7
    TERMS = 8
    TERM = 9
    DEFINITION = 10
    HEADING = 11
    BREAK = 12
    RULE = 13
    SCRIPT = 14
    LINE = 15
    CELL = 16
    TABLE_CAPTION = 17


_TAGS_OF: Final = {
    Role.TEXT: "#text", Role.LIST: "ul menu dir", Role.COUNTED_LIST: "ol", Role.ITEM: "li",
    Role.QUOTATION: "blockquote", Role.FIGURE: "figure", Role.CAPTION: "figcaption",
    Role.HEADING: "h1 h2 h3 h4 h5 h6", Role.BREAK: "br", Role.RULE: "hr",
    Role.TERMS: "dl", Role.TERM: "dt", Role.DEFINITION: "dd", Role.SCRIPT: "sub sup",
    Role.LINE: "tr", Role.CELL: "td th", Role.TABLE_CAPTION: "caption",
}  # fmt: skip


_Notes = tuple[list[tuple[int, int, str]], set[int], dict[int, str], dict[int, str]]
"""The notes as the kernel takes them: see `Notes` in ``joeira/_native/text.pyi``."""

_TELLING: Final = Words((*ANCHOR_STEMS.words, *HINTS.words, *WITHIN_WORDS.words))
"""Words of which one is in the classes where these tell of anchors, code or notes."""


@cache
def _kernel() -> Any:
    from joeira._native import text as kernels

    roles = CONTENT_OF_NO_HEADING * np.uint8(32) + _PROSE * np.uint8(64) + _OPTION * np.uint8(128)
    for role, names in _TAGS_OF.items():
        roles[tags.table(names)] += np.uint8(role)
    return partial(kernels.Blocks, roles, stream.ANCHOR.fullmatch, events.MAX_FRAMES)


def _quick_text(page: Page, keep: NDArray[np.bool_]) -> str | None:
    """Return the kept texts as the kernel writes them; None if there is something it does not.

    What stays to be looked for is what the page shows in another form than its elements.
    """
    # Few pages have one of the words that each of the steps would look for.
    names = page.class_text if _TELLING.are_in(page.class_text) else ""
    counts = page.tag_counts
    answers = _Answers(page, keep)
    if names:
        answers.keep = without_anchors(page, keep, names)
    if names or any(map(counts.__getitem__, _OF_LISTINGS)):
        answers.listings = kept_listings(page, answers.keep, names)
    is_linked = page.text_linked.view(np.uint8)
    spaces, marks = chosen_spaces(page, (answers.chosen(), is_linked, MAX_MARK_CHARS))
    notes: _Notes | tuple[()] = ()
    if names or marks or counts[_SUP]:
        footnotes = find(page, keep, all_notes=False, names=names, linked=marks)
        if footnotes.within:
            return None
        if footnotes:
            notes = _notes(footnotes)
            for index in footnotes.borders:
                if index < len(spaces):
                    spaces[index] = stream.is_spaced(page, index)
    if has_formulas(page) and Formulas(page, names, with_tex=False).found:
        return None
    is_kept = answers.keep.view(np.uint8)
    special = (data_tables(page).tolist() if counts[_TABLE] else (), answers.listings, notes)
    rows = (page.known_tag, page.end, page.text_index)
    per_text = (is_kept, spaces, is_linked)
    texts = (page.characters.codes, page.characters.starts)
    text: str | None = _kernel()().write(answers, texts, rows, per_text, page.block_bounds, special)
    return text


def _notes(footnotes: Footnotes) -> _Notes:
    """Return what the kernel has to know of notes."""
    notes = [(note.start, note.stop, f"[^{note.label}]") for note in reversed(footnotes.notes)]
    silent = dict.fromkeys(footnotes.silent, "")
    references = {
        text: f"[^{label}]" for text, label in footnotes.references.items() if text not in silent
    }
    dissolved = footnotes.lists.union(start for start, _, _ in notes)
    return notes, dissolved, footnotes.texts | silent, references


class _Answers:
    """Answers what the kernel asks about one page."""

    def __init__(self, page: Page, keep: NDArray[np.bool_]) -> None:
        self.page = page
        self.keep = self.all_kept = keep
        self.listings: dict[int, list[int]] = {}

    def chosen(self) -> NDArray[np.uint8]:
        """Return which texts are kept; 2 for those of listings, which no space is put between."""
        chosen = self.all_kept.view(np.uint8)
        if self.listings:
            chosen, index, end = chosen.copy(), self.page.text_index, self.page.end
            for row, rows in self.listings.items():
                chosen[index[row] : index[end[rows[-1]]]] *= 2
        return chosen

    def is_counted(self, row: int) -> bool:
        """Return whether readers see the numbers of a list."""
        return is_counted(self.page, row)

    def first_number(self, row: int) -> int:
        """Return the number of the first item of a list."""
        return first_number(self.page, row) if self.page.attributes.may_have(_START) else 1

    def boxes(self) -> dict[int, str]:
        """Return the boxes before tasks, by row."""
        return {row: _box(is_done) for row, is_done in tasks(self.page, self.keep).items()}

    def table(self, caption: str, lines: list[list[str]], rows: list[list[int]]) -> str:
        """Return a table of cells whose rows are given."""
        spans = self._spans
        if not spans:
            return _table(caption, lines)
        grid = Grid()
        for cells, rows_of_line in zip(lines, rows, strict=True):
            grid.start_row()
            for cell, row in zip(cells, rows_of_line, strict=True):
                grid.add(cell, *spans.get(row, (1, 1)))
        return _table(caption, grid.padded() or grid.rows)

    @Lazy
    def _spans(self) -> dict[int, tuple[int, int]]:
        """Columns and rows of the cells that cover several."""
        attributes = self.page.attributes
        if not attributes.may_have(_SPANS) or not attributes.values(_SPANNING, "colspan"):
            return {}
        needed = needed_rows(self.page, self.page.spread(self.keep))
        columns, rows = column_spans(self.page, needed), row_spans(self.page, needed)
        return {row: (columns.get(row, 1), rows.get(row, 1)) for row in {*columns, *rows}}

    def listing(self, row: int) -> tuple[str | None, int]:
        """Return a listing, None if no part of it is written, and the row after it."""
        rows = self.listings[row]
        parts = code_of(self.page, rows, self.keep, whole=True)
        return events.Listing("", parts).code if parts else None, self.page.end.item(rows[-1])

    def is_script(self, row: int) -> bool:
        """Return whether a sub or sup is more than the last letters of a word."""
        return not stream.is_of_word(self.page, row)

    def is_raised(self, row: int) -> bool:
        """Return whether a sub or sup is a sup."""
        return self.page.tag.item(row) == _SUP

    @staticmethod
    def bracketed(power: str) -> str:
        """Return a power after which digits or letters follow."""
        return f"^({power.strip('^()')})"

    def close_script(
        self, row: int, pieces: list[str], start: int, is_linked: bool, after_power: int
    ) -> int:
        """Set off what a sub or sup has put into a run; return where digits would continue it."""
        return _close_script(self.page.tag_name(row), pieces, start, is_linked, after_power)


def _box(is_done: bool) -> str:
    return "[x] " if is_done else "[ ] "


def _table(caption: str, rows: list[list[str]]) -> str:
    lines = ["\t".join(row).rstrip("\t") for row in rows]
    return "\n".join(filter(None, (caption, *lines)))


class _Writer:
    """Writes the events of one page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.layout = Layout()
        self.pieces: list[str] = []
        """What the open run holds so far."""
        self.script = -1
        """Where in `pieces` the open sub or sup begins; -1 when none is open."""
        self.after_power = -1
        """Where in `pieces` a text would continue the digits of a power."""
        self.is_linked = False
        """Whether the open sub or sup holds a link."""
        self.grid: Grid | None = None
        self.cell: list[str] = []
        self.term = ""
        self.is_term = False
        self.was_option = False

    def write(self, happenings: list[Event]) -> str:
        """Return the text of all events."""
        for kind, what in happenings:
            if kind == events.TEXT:
                if self.after_power == len(self.pieces) and what[0][:1].isalnum():
                    self.pieces[-1] = _Answers.bracketed(self.pieces[-1])
                self.pieces.append(what[0])
                if self.script >= 0:
                    self.is_linked |= what[1] >= 0 and bool(self.page.text_linked[what[1]])
            elif kind == events.BLOCK:
                self.pieces = [what[1]]
                self._close_run(what[0])
            elif kind == events.OPEN:
                self._open(what)
            elif kind == events.CLOSE:
                self._close(what)
            elif kind == events.BREAK:
                self.pieces.append("\n")
            elif kind == events.LISTING:
                if self.grid is not None:
                    self.cell.append(" ".join(what.code.split()))
                else:
                    self._settle_term()
                    self.layout.add(what.code)
            elif kind == events.PART:
                self.layout.add(what)
            elif kind == events.REFERENCE:
                self.pieces.append(f"[^{what}]")
        return self.layout.text()

    def _open(self, element: Element) -> None:
        if element.level == events.RUN:
            self.pieces, self.after_power = [], -1
        elif element.level == events.WITHIN:
            self.script, self.is_linked = len(self.pieces), False
        elif self.grid is not None:
            if element.tag == "tr":
                self.grid.start_row()
            elif element.tag in {"td", "th", "caption"}:
                self.cell = []
        else:
            self._open_container(element)

    def _open_container(self, element: Element) -> None:
        tag, layout = element.tag, self.layout
        if tag == "table":
            self.grid = Grid()
        elif tag in {"ul", "ol"}:
            layout.open_list(_BULLETS)
            layout.frame.first = "" if tag == "ul" else str(element.value)
        elif tag == "li":
            around = layout.frame
            marker = f"{around.first}. " if around.first else "- "
            if around.first:
                around.first = str(int(around.first) + 1)
            box = "" if element.value is None else _box(element.value)
            layout.open(marker + box, " " * len(marker))
        elif tag == "note":
            layout.open(f"[^{element.value}]: ", "    ")
        elif tag == "dt":
            self._settle_term()
            self.is_term = True

    def _close(self, element: Element) -> None:
        if element.level == events.RUN:
            self._close_run(element)
        elif element.level == events.WITHIN:
            self._close_script(element)
        elif self.grid is not None:
            self._close_in_table(element, self.grid)
        elif element.tag in {"ul", "ol"}:
            self.layout.frame.first = ""
            self.layout.close_list()
        elif element.tag == "li":
            if PARAGRAPH in self.layout.frame.gaps[1:]:
                self.layout.frame.rest = ""  # posts and the like read as paragraphs
            self.layout.close(LINE)
        elif element.tag == "note":
            self.layout.close()
        elif element.tag == "dt":
            self.is_term = False
        elif element.tag == "dl":
            self._settle_term()

    def _close_run(self, element: Element) -> None:
        text = "".join(self.pieces)
        if self.grid is not None:
            self.cell.append(text.replace("\n", " "))
        elif self.is_term:
            self._settle_term()
            self.term = text
        elif self.term:
            term, self.term = self.term, ""
            self.layout.add(f"{term}: {text}", LINE)
        else:
            self.layout.add(text, self._gap(element))

    def _gap(self, element: Element) -> str:
        """Return what stands before a run: in items, only prose stands apart."""
        kind = self.page.known_tag[element.row]
        follows, self.was_option = self.was_option, bool(_OPTION[kind])
        if not self.layout.frame.first or _PROSE[kind]:
            return LINE if follows and self.was_option else PARAGRAPH
        return LINE

    def _settle_term(self) -> None:
        """Write a term that nothing defines."""
        if self.term:
            self.layout.add(self.term, LINE)
            self.term = ""

    def _close_in_table(self, element: Element, grid: Grid) -> None:
        if element.tag == "caption":
            grid.caption += " ".join(self.cell)
        elif element.tag in {"td", "th"}:
            grid.add(" ".join(self.cell), *element.value)
        elif element.tag == "table":
            self.grid = None
            self._settle_term()
            self.layout.add(_table(grid.caption, grid.padded() or grid.rows))

    def _close_script(self, element: Element) -> None:
        start, self.script = self.script, -1
        if start >= 0:
            self.after_power = _close_script(
                element.tag, self.pieces, start, self.is_linked, self.after_power
            )


def _close_script(
    tag: str, pieces: list[str], start: int, is_linked: bool, after_power: int
) -> int:
    """Set off a power from its base, and an index from a number.

    Return where in `pieces` a text would continue the digits of a power.
    """
    inner = "".join(pieces[start:])
    before = pieces[start - 1][-1:] if start else ""
    del pieces[start:]
    if is_linked and _NOTE_MARK.fullmatch(inner):
        # The mark of a note that is not here goes, with the space before it.
        if pieces[-1:] == [" "]:
            pieces.pop()
        return after_power
    pieces.append(_scripted(tag, before, inner))
    return len(pieces) if pieces[-1][:1] == "^" else -1


def _scripted(tag: str, before: str, inner: str) -> str:
    if not inner or not before or before.isspace():
        return inner
    if tag == "sub":
        return f"_{inner}" if before.isdigit() and inner[:1].isdigit() else inner
    if _LETTERS.fullmatch(inner) and (before.isdigit() or len(inner) > 1):
        return inner
    if before in _SENTENCE_ENDS:
        return f"[{inner}]" if _NOTE_MARK.fullmatch(inner) and before != ")" else inner
    if not before.isalnum():
        return inner
    return f"^{inner}" if _SIMPLE.fullmatch(inner) else f"^({inner})"
