"""One stream of events from kept rows; text, HTML, Markdown and marked HTML are writers of it.

The stream keeps to a grammar that parses to itself. *Containers* (lists, tables, quotations,
figures) nest as the page nests them; an element in the wrong place gets the parent that it lacks.
Text stands in *runs*: a heading, a paragraph, or the bare text of a list item or cell with a single
run. *Inline* elements are opened inside each run, each at most once, so that none ever encloses a
block. One pass over the rows with a stack; no recursion.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import collapse
from joeira.arrays.trees import enclosing, outermost
from joeira.page import Page, addresses, tags
from joeira.page.tables import column_spans, data_tables, first_number, is_counted, row_spans
from joeira.render.events import (
    BLANK,
    BLOCK,
    CLOSE,
    CONTAINER,
    FLOW,
    FORMULA,
    IMAGE,
    LISTING,
    OPEN,
    PARENTS,
    PART,
    REFERENCE,
    RENAMED,
    RULE,
    RUN,
    SCRIPTS,
    SINGLE,
    TABLE_TAGS,
    TEXT,
    WITHIN,
    Element,
    Event,
    Footnotes,
    Grammar,
    Listing,
    Place,
)
from joeira.render.footnotes import find
from joeira.render.formulas import Formula, stands_apart
from joeira.render.languages import language_of
from joeira.render.listings import code_of
from joeira.render.selection import CONTAINERS, INLINE, Selection, Show

_KIND_OTHER, _KIND_TEXT, _KIND_CONTAINER, _KIND_INLINE = range(4)
_KIND = np.zeros(tags.FIRST_FOREIGN + 1, np.int8)
_KIND[CONTAINERS] = _KIND_CONTAINER
_KIND[INLINE] = _KIND_INLINE
_KIND[tags.TEXT] = _KIND_TEXT
_JOINS: Final = np.array([False, False, False, True])
"""By kind: inline elements may hold an image that stands in the block beside them."""
_STICKY: Final = tags.table("img br")
_SINGLE_BLOCK: Final = tags.table("li td th")
_AROUND_REFERENCES: Final = frozenset({"a", "sup", "small"})


_NO_PARTS: Final[Mapping[int, str]] = {}


def events(
    page: Page,
    keep: NDArray[np.bool_],
    show: Show,
    *,
    flat: bool = False,
    by_text: bool = False,
    parts: Mapping[int, str] = _NO_PARTS,
) -> list[Event]:
    """Return the events of the kept texts.

    Args:
        page: The page.
        keep: Per text, whether it is kept.
        show: What to tell of links, images and emphasis.
        flat: Whether tables that only lay out the page are dissolved, and footnotes told apart:
            what outputs with a form for tables of data and for notes need.
        by_text: Whether each text comes by itself, also in blocks that are nothing but text.
        parts: Rows where parts of the page begin, such as posts, and what stands above each. The
            lists and tables that hold them are dissolved.
    """
    notes = find(page, keep, all_notes=show.all_notes) if flat else Footnotes()
    if show.all_notes:
        keep = notes.with_notes(keep)
    passing = _Stream(page, keep, show, notes if flat else None)
    passing.by_text = by_text
    passing.is_plain &= not by_text
    if parts:
        passing.divide(parts)
    stream = passing.run_through()
    for label, first, stop in notes.within:
        inside = np.zeros(len(keep), bool)
        inside[first:stop] = keep[first:stop]
        note = Element(CONTAINER, "note", -1, label)
        stream.append((OPEN, note))
        stream += _Stream(page, inside, show, Footnotes()).run_through()
        stream.append((CLOSE, note))
    return stream


class _Stream(Grammar):
    """Turns the selected rows of one page into events."""

    def __init__(
        self, page: Page, keep: NDArray[np.bool_], show: Show, notes: Footnotes | None
    ) -> None:
        """Choose the rows; without `notes`, tables that lay out the page stay tables."""
        super().__init__(len(page) + 1)
        self.page = page
        self.show = show
        self.is_flat = notes is not None
        self.footnotes = notes or Footnotes()
        self.selection = Selection(page, keep, show)
        self.keep = self.selection.keep
        self.base = addresses.base_of(page) if show.links or show.images else None
        self.spans = row_spans(page, self.selection.needed)
        self.columns = column_spans(page, self.selection.needed)
        self.spaces = page.space_before.tolist()
        for index in self.footnotes.borders:
            if index < len(page.texts):
                self.spaces[index] = is_spaced(page, index)
        self.blocks = page.blocks.of_text.tolist()
        self.data_tables = frozenset(data_tables(page).tolist()) if self.is_flat else None
        self.is_plain = not self.selection.formulas.found
        self.touched = self.footnotes.touched(page)
        self.waiting = self.footnotes.notes[::-1]
        self.parts: list[tuple[int, str]] = []
        self.dissolved = self.footnotes.lists | {note.start for note in self.waiting}
        self.inline_ends: list[int] = []
        self.after_formula = False
        self.by_text = False

    def divide(self, parts: Mapping[int, str]) -> None:
        """Divide the page into parts, given by their first rows, each with words above it."""
        page, selection = self.page, self.selection
        starts = np.sort(np.fromiter(parts, np.int64))
        held = np.array([*selection.listings, *selection.formulas.found], np.int64)
        # What is written as one begins with its first part.
        above = enclosing(outermost(np.sort(held), page.end), page.end, starts)
        begins = np.where(above >= 0, above, starts).tolist()
        self.parts = [*zip(begins, map(parts.__getitem__, starts.tolist()), strict=True)][::-1]
        rows = CONTAINERS[page.known_tag].nonzero()[0]
        held = starts.searchsorted(page.end[rows]) - starts.searchsorted(rows)
        self.dissolved |= set(rows[held > 0].tolist())

    def run_through(self) -> list[Event]:
        """Return the events of all rows."""
        page = self.page
        rows, kinds, lengths = self._rows()
        end = page.end[rows].tolist()
        index = page.text_index[rows].tolist()
        for row, stop, kind, text, length in zip(
            rows.tolist(), end, kinds.tolist(), index, lengths.tolist(), strict=True
        ):
            if row >= self.limit:
                self._leave(row)
            if length:
                if kind == _KIND_TEXT:
                    self._block(row, text, text + length)
                else:
                    self._single(row, stop, (text, text + length))
            elif kind == _KIND_TEXT:
                is_plain = self.is_plain and text not in self.touched
                if not (is_plain and self._follows(row, text)):
                    self._text(row, text, self.blocks[text])
            elif kind == _KIND_INLINE:
                self._enter_inline(row, stop)
            elif kind == _KIND_CONTAINER:
                self._enter_container(row, stop)
            else:
                self._other(row, stop)
        while len(self.containers) > 1:
            self.close_container()
        self.close_run()
        self.out += [(PART, above) for _, above in reversed(self.parts)]  # of which nothing is left
        return self.out

    def _rows(self) -> tuple[NDArray[np.integer], NDArray[np.int8], NDArray[np.integer]]:
        """Return the rows to go through, their kinds, and the texts of those that are whole blocks.

        Most blocks are nothing but text: one row stands for all of their texts.
        """
        page, selection = self.page, self.selection
        rows = selection.rows
        kinds = _KIND[page.known_tag[rows]]
        kinds[selection.special] = _KIND_OTHER
        length = np.zeros(len(rows), np.int64)
        places = (kinds == _KIND_TEXT).nonzero()[0]
        if not (self.is_plain and len(places)):
            return rows, kinds, length
        texts = page.text_index[rows[places]]
        starts = page.block_bounds[1]
        block = starts.searchsorted(texts, "right") - 1
        is_first = texts == starts[block]
        first, size = places[is_first], np.diff(starts)[block[is_first]]
        last = first + size - 1
        # Nothing but the texts of the block, all of them, and nothing that may belong to it beside.
        is_alone = np.concatenate(([True], ~_JOINS[kinds] & ~_STICKY[page.known_tag[rows]], [True]))
        is_whole = np.concatenate((np.cumsum(kinds == _KIND_TEXT), [0]))
        inside = np.minimum(last, len(rows) - 1)
        whole = (last < len(rows)) & (is_whole[inside] - is_whole[first] == size - 1)
        whole &= page.text_index[rows[inside]] == page.text_index[rows[first]] + size - 1
        whole &= is_alone[first] & is_alone[inside + 2]
        if self.touched:
            touched = np.fromiter(self.touched, np.int64)
            whole &= ~np.isin(block[is_first], starts.searchsorted(touched, "right") - 1)
        length[first[whole]] = size[whole]
        following = np.zeros(len(rows) + 1, np.int64)
        np.add.at(following, first[whole] + 1, 1)
        np.subtract.at(following, last[whole] + 1, 1)
        left = following[:-1].cumsum() == 0
        return self._with_single(rows[left], kinds[left], length[left])

    def _with_single(
        self, rows: NDArray[np.integer], kinds: NDArray[np.int8], length: NDArray[np.integer]
    ) -> tuple[NDArray[np.integer], NDArray[np.int8], NDArray[np.integer]]:
        """Let items and cells that hold one such block stand for it, too."""
        page = self.page
        single = np.zeros(len(rows), bool)
        inner, outer = rows[1:], rows[:-1]
        end = page.end[outer]
        following = np.append(inner[1:], len(page) + 1)
        single[:-1] = _SINGLE_BLOCK[page.known_tag[outer]] & (kinds[:-1] == _KIND_CONTAINER)
        single[:-1] &= (length[1:] > 0) & (inner < end) & (following >= end)
        single[:-1] &= page.text_index[inner] == page.text_index[outer]
        places = single.nonzero()[0]
        length[places] = length[places + 1]
        left = np.ones(len(rows), bool)
        left[places + 1] = False
        return rows[left], kinds[left], length[left]

    def _single(self, row: int, stop: int, texts: tuple[int, int]) -> None:
        """Put an item or a cell that holds nothing but one block of text."""
        tag = self.page.tag_name(row)
        first, after = texts
        inner = int(self.page.text_rows[first])
        if self.run is not None:
            self.close_run()
        in_place = self.containers[-1].tag in PARENTS[tag] and row not in self.dissolved
        if self.inline or self.after_formula or inner < self.heading[0] or not in_place:
            self._enter_container(row, stop)
            if inner >= self.limit:
                self._leave(inner)
            self._block(inner, first, after)
            return
        element = Element(CONTAINER, tag, row, self._value(tag, row))
        paragraph = Element(RUN, "p", int(self.selection.owner[inner]))
        paragraph.is_bare = True
        self.out += (
            (OPEN, element),
            (BLOCK, (paragraph, self.page.joined(first, after), first)),
            (CLOSE, element),
        )
        self.breaks = 0

    def _block(self, row: int, first: int, stop: int) -> None:
        """Put a block that is nothing but text."""
        if self.inline or row < self.heading[0] or self.after_formula:
            for index in range(first, stop):
                self._text(int(self.page.text_rows[index]), index, self.blocks[index])
            return
        self.place("")
        element = self.paragraph(int(self.selection.owner[row]))
        page = self.page
        text = collapse(page.texts[first]) if stop - first == 1 else page.joined(first, stop)
        self.out.append((BLOCK, (element, text, first)))
        self.breaks = 0

    def _leave(self, row: int) -> None:
        while self.inline and self.inline_ends[-1] <= row:
            self.inline.pop()
            self.inline_ends.pop()
        while self.containers[-1].end <= row:
            self.close_container()
        while self.waiting and self.waiting[-1].start <= row:
            note = self.waiting.pop()
            self.place("")
            self.open_container(Element(CONTAINER, "note", note.start, note.label), note.stop)
        while self.parts and self.parts[-1][0] <= row:
            self.place("")
            self.out.append((PART, self.parts.pop()[1]))
        self.limit = min(
            self.parts[-1][0] if self.parts else len(self.page) + 1,
            self.containers[-1].end,
            self.inline_ends[-1] if self.inline_ends else len(self.page) + 1,
            self.waiting[-1].start if self.waiting else len(self.page) + 1,
        )

    def _enter_container(self, row: int, stop: int) -> None:
        tag = self.page.tag_name(row)
        tag = RENAMED.get(tag, tag)
        if tag == "ol" and not is_counted(self.page, row):
            tag = "ul"
        if row in self.dissolved or (tag in TABLE_TAGS and not self._is_in_data(row)):
            return
        if self.place(tag):
            self.open_container(Element(CONTAINER, tag, row, self._value(tag, row)), stop)

    def _is_in_data(self, row: int) -> bool:
        """Return whether a part of a table is one of a table of data, where that matters."""
        if self.data_tables is None or row in self.data_tables:
            return True
        return any(outer.tag == "table" for outer in self.containers)

    def _value(self, tag: str, row: int) -> Any:
        if tag == "ol":
            return first_number(self.page, row)
        if tag in {"td", "th"}:
            return (self.columns.get(row, 1), self.spans.get(row, 1))
        if tag == "li":
            return self.selection.tasks.get(row)
        return None

    # What stands in runs ----------------------------------------------------------------------

    def _place_of(self, row: int, block: int) -> Place:
        return Place(row, block, int(self.selection.owner[row]))

    def _enter_inline(self, row: int, stop: int) -> None:
        tag = self.page.tag_name(row)
        tag = RENAMED.get(tag, tag)
        if any(tag == outer.tag for outer in self.inline):
            return
        if tag in SCRIPTS and is_of_word(self.page, row, with_letters=self.is_flat):
            return
        value = None
        if tag == "a":
            href = self.page.attributes.get(row, "href") or ""
            value = addresses.clean(href, self.base, addresses.LINK_SCHEMES)
            if not value or (row < self.heading[0] and href.lstrip().startswith("#")):
                return  # a heading that links to itself says nothing with it
        self.inline.append(Element(WITHIN, tag, row, value))
        self.inline_ends.append(stop)
        self.limit = min(self.limit, stop)

    def _follows(self, row: int, index: int) -> bool:
        """Add a text right after the one before it, where nothing is between: most texts."""
        run = self.run
        if run is None or run.block != self.blocks[index] or row < self.heading[0]:
            return False
        if self.breaks or self.inline or run.opened:
            return False
        if self.spaces[index] or not self.keep[index - 1]:
            self.out.append(BLANK)
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
            self.put(self._place_of(row, block), (REFERENCE, notes.references[index]), space)
            self.inline = around
            return
        text = notes.texts.get(index)
        if text is None:
            text = collapse(self.page.texts[index])
        is_anchor = row < self.heading[0] and bool(ANCHOR.fullmatch(text))
        if text and not (is_anchor and self.page.text_linked[index]):
            self.put(self._place_of(row, block), (TEXT, (text, index)), space)

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
                self.close_run()
                self.out.append((RULE, None))
        else:
            self.close_run()
            self.heading = (stop, tag, row)

    def _image(self, row: int) -> None:
        alt = self.page.attributes.get(row, "alt") if self.show.alternatives else ""
        image = (self.selection.images[row], collapse(alt or ""))
        self.put(self._place_of(row, -1), (IMAGE, image), space=True)

    def _formula(self, row: int) -> None:
        formula = self.selection.formulas.found[row]
        first, stop = (int(self.page.text_index[at]) for at in (row, self.page.end[row]))
        apart = formula.displayed and bool(formula.tex) and self.containers[-1].tag not in SINGLE
        if apart:
            self.close_run()
        if formula.tex:
            shown = Formula(formula.tex, apart)
            event: Event = (FORMULA, shown)
        else:
            event = (TEXT, (formula.characters(self.page, row, self.keep), first))
        space = self.spaces[first] if first < stop else stands_apart(self.page, first)
        self.put(self._place_of(row, -1), event, space)
        if apart:
            self.close_run()
        elif self.run:
            self.run.block = -1  # the text after a formula goes on in the same paragraph
            self.after_formula = True

    def _listing(self, row: int) -> None:
        self.place("")
        parts = code_of(self.page, self.selection.listings[row], self.keep, whole=not self.by_text)
        if parts:
            language = language_of(self.page, row) if self.show.code else ""
            self.out.append((LISTING, Listing(language, parts)))


ANCHOR: Final = re.compile("[#¶§🔗⚓⌗\ufe0e\ufe0f ]+")
"""Signs that headings link to themselves with."""
_WORD_END: Final = re.compile(r"[^\W\d_]{2,4}\.?|[ºª°™®©]")


def is_of_word(page: Page, row: int, *, with_letters: bool = True) -> bool:
    """Return whether a sub or sup holds nothing, or the letters of 1st, Mme or a trade mark."""
    first, last = (int(page.text_index[at]) for at in (row, page.end[row]))
    text = collapse("".join(page.some_texts(first, last)))
    return not text or (with_letters and _WORD_END.fullmatch(text) is not None)


def is_spaced(page: Page, index: int) -> bool:
    """Return whether white space is written before a text: a reference stands close by itself."""
    before = page.text(index - 1)[-1:] if index else ""
    return bool(page.gap_before[index]) or before.isspace() or page.text(index)[:1].isspace()
