"""Rows that a browser would not show, and why, judging by the document itself.

Dropping hidden text would be wrong (tabs and accordions hide real content until a click), so rows
are only flagged; what to do about it is the caller's choice. Where only a layout could tell, such
as whether one element covers another, a row counts as shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Case, trees
from joeira.page import cascade, tags
from joeira.page import css_values as values
from joeira.page.css import EM, measure
from joeira.page.css_values import GLOBAL, Colour, colour
from joeira.page.hiding_values import FAINT, GROUNDS, READING, READING_ALONE, TEXT_COLOURS, may_hide
from joeira.page.painting import (
    MOVED,
    UNREADABLE_PX,
    WIDTH,
    Box,
    Grounds,
    Style,
    font_size,
    hints,
)

if TYPE_CHECKING:
    from joeira.page.model import Page


class Hidden(Case):
    """How the document hides a row."""

    NOT = 0, ""
    ATTRIBUTE = 1, "hidden attribute"
    ARIA = 2, "aria-hidden"
    DISPLAY = 3, "display: none"
    VISIBILITY = 4, "visibility: hidden"
    OPACITY = 5, "opacity: 0"
    FONT_SIZE = 6, "font-size: 0"
    OFF_SCREEN = 7, "moved off-screen"
    COLOUR = 8, "text in the colour of its background"
    DIALOG = 9, "closed dialog"
    DETAILS = 10, "closed details"
    CLIPPED = 11, "clipped to nothing"
    POPOVER = 12, "closed popover"
    NEVER_SHOWN = 13, "never shown by browsers"


class Look(NamedTuple):
    """How each row is hidden, and because of which limits hidden text may have passed as seen."""

    hidden: NDArray[np.int8]
    notes: tuple[str, ...]


def look(page: Page) -> Look:
    """Return per row how it is hidden, a `Hidden`, and a note for each limit that was reached."""
    is_alone = _is_alone(page)
    attributes: dict[int, dict[str, str]] = {}
    for name in _ATTRIBUTES:
        for row, value in zip(*page.attributes.column(name), strict=True):
            attributes.setdefault(row, {})[name] = value
    said = dict(_attributes(page, attributes))
    reading = READING_ALONE if is_alone else READING
    styles, notes = cascade.styles(page, reading, hints(page), _undone_by_display(said))
    layers = _layers(page, said, styles)
    hidden, by = _combine(layers)
    if _strike_out_waiting(page, layers, hidden, by):
        shown, _ = _combine(layers)
        if np.count_nonzero(shown) < np.count_nonzero(hidden):
            notes = (*notes, _WAITS)
        hidden = shown
    return Look(hidden, notes)


def look_at(
    page: Page, attributes: Mapping[int, Mapping[str, str]], said_of: cascade.Cascade
) -> NDArray[np.int8]:
    """Return how some rows are hidden, with all their ancestors, by what a cascade says of them."""
    said = {row: how for row, how in _attributes(page, attributes) if row in attributes}
    said_of.add_hidden(_undone_by_display(said))
    said_of.add_others()
    layers = _layers(page, said, said_of.winners())
    _strike_out_waiting(page, layers, *_combine(layers))
    return _combine(layers)[0]


def _is_alone(page: Page) -> bool:
    """Return whether the page has no style sheets but its own."""
    linked = page.attributes.read("link[rel~='stylesheet' i]", ["href"])
    return all((address or "")[:5].lower() == "data:" for _, (address,) in linked)


def _undone_by_display(said: dict[int, Hidden]) -> list[int]:
    return [row for row, how in said.items() if how in _BY_DISPLAY]


def _layers(page: Page, said: dict[int, Hidden], styles: dict[int, Style]) -> list[Layer]:
    """Return what hides rows: attributes and styles, then what is inherited."""
    scene = _Scene(page, styles, _is_alone(page))
    own = np.zeros(len(page), np.int8)
    for row, style in styles.items():
        if how := scene.hides(row, style):
            own[row] = how
    for row, how in said.items():
        display = styles.get(row, {}).get("display", "unset")
        if how not in _BY_DISPLAY or display in GLOBAL or display == "none":
            own[row] = how if how == Hidden.ATTRIBUTE else own[row] or how
    _close_details(page, own)
    own[[0, page.body][: len(page)]] = 0  # until a script shows it: not some text is hidden, all is
    return [(_nearest(page, own > 0), own), *scene.inherited()]


Layer = tuple[NDArray[np.int32], NDArray[np.int8]]
"""The nearest row to each row that may hide it, and how each row hides, if it does."""


def _combine(layers: list[Layer]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Return how each row is hidden, and by which row: the nearest of all layers."""
    rows, _ = layers[0]
    hidden, by = np.zeros(len(rows), np.int8), np.full(len(rows), -1, np.int32)
    for rows, ways in layers:
        closer = (rows > by) & (ways.take(rows) > 0)
        by[closer] = rows[closer]
        hidden[closer] = ways.take(rows[closer])
    return hidden, by


_WAITS: Final = "most of the page is hidden until a script shows it, so it counts as visible"
_WAITING_CHARS: Final = 1000
FADING_IN: Final = (Hidden.VISIBILITY, Hidden.OPACITY)
_SHOWN_BY_SCRIPTS: Final = (Hidden.ATTRIBUTE, Hidden.DISPLAY, Hidden.CLIPPED, *FADING_IN)


def _strike_out_waiting(
    page: Page, layers: list[Layer], hidden: NDArray[np.int8], by: NDArray[np.int32]
) -> bool:
    """Strike out what would hide over half of a page: a script will show it. Return if any does.

    One element may hold so much, or many that fade in when readers reach them.
    """
    hidden, by = hidden[page.text_rows], by[page.text_rows]
    half = max(int(page.text_chars.sum()) // 2, _WAITING_CHARS)
    if page.text_chars[hidden > 0].sum() <= half:
        return False
    by_row = np.bincount(by + 1, page.text_chars, len(page) + 1)[1:]
    by_way = np.bincount(hidden, page.text_chars, max(Hidden) + 1)
    fading = [way for way in FADING_IN if by_way[way] > half]
    for _, ways in layers:
        ways[np.isin(ways, fading) | (np.isin(ways, _SHOWN_BY_SCRIPTS) & (by_row > half))] = 0
    return bool(fading) or bool((by_row > half).any())


def _nearest(page: Page, marked: NDArray[np.bool_]) -> NDArray[np.int32]:
    if not marked.any():
        return np.full(len(page), -1, np.int32)
    return trees.nearest(marked, page.parent, page.ladder)


# Attributes ---------------------------------------------------------------------------------------

_BY_DISPLAY: Final = (Hidden.ATTRIBUTE, Hidden.DIALOG, Hidden.POPOVER)
"""Ways to hide that a style sheet can undo, as browsers have them in a style sheet of theirs."""
_NEVER_SHOWN: Final = ("datalist", "rp", "meter")


_ATTRIBUTES: Final = ("hidden", "popover", "aria-hidden", "role")


def _attributes(
    page: Page, attributes: Mapping[int, Mapping[str, str]]
) -> Iterator[tuple[int, Hidden]]:
    """Yield the rows that tags or the values of their attributes hide, and how."""
    for row, said in attributes.items():
        if "hidden" in said:
            yield row, Hidden.ATTRIBUTE
        elif "popover" in said:
            yield row, Hidden.POPOVER
        # It is meant for some readers only. What has a role for the others is meant for them, too.
        elif said.get("aria-hidden") == "true" and not said.get("role"):
            yield row, Hidden.ARIA
    for row in page.attributes.select("dialog:not([open])"):
        yield row, Hidden.DIALOG
    never = [row for name in _NEVER_SHOWN for row in page.rows_of(name).tolist()]
    for row in (*never, *page.attributes.select("progress[value]"), *_options(page)):
        yield row, Hidden.NEVER_SHOWN
    roots = page.attributes.select("template[shadowrootmode]")
    hosts = {int(page.parent[row]): row for row in reversed(roots)}  # only the first is one
    # Without a slot it is shown in place of what stands beside it.
    closed = [host for host, row in hosts.items() if not page.attributes.holds(row, "slot")]
    for row in np.flatnonzero(np.isin(page.parent, closed)).tolist() if closed else ():
        yield row, Hidden.NEVER_SHOWN


def _options(page: Page) -> Iterator[int]:
    """Yield the options that a closed list does not show: all but the one that is selected."""
    options = page.rows_of("option")
    if not len(options):
        return
    selected = set(page.attributes.select("option[selected]"))
    for row in page.attributes.select("select:not([multiple],[size])"):
        first, last = np.searchsorted(options, (row, page.end[row]))
        inside = options[first:last].tolist()
        shown = next((option for option in inside if option in selected), min(inside, default=-1))
        yield from (option for option in inside if option != shown)


def _close_details(page: Page, own: NDArray[np.int8]) -> None:
    """Hide the children of details that are not open, texts too, but for the first summary."""
    closed = page.attributes.select("details:not([open])")
    if closed:
        below = np.isin(page.parent, closed)
        summaries = page.rows_of("summary")
        summaries = summaries[below[summaries]]
        _, first = np.unique(page.parent[summaries], return_index=True)
        below[summaries[first]] = False
        own[below & (own == 0)] = Hidden.DETAILS


# Styles -------------------------------------------------------------------------------------------

_LETTER: Final = 0.6
"""Width of a letter in ems, about."""
_FILTER: Final = re.compile(r"opacity\(\s*([^()]*(?:\([^()]*\))?)\s*\)")
_AS_ABOVE: Final = ("inherit", "unset", "revert", "revert-layer", "currentcolor")
_COLOURED: Final = "a[href],button,input,select,textarea,mark"
"""What browsers give a colour of its own."""


_SIDES: Final = {"left", "right", "top", "bottom"}


class _Scene:
    """The rows in play with their styles, and what they inherit."""

    def __init__(self, page: Page, styles: dict[int, Style], is_alone: bool) -> None:
        self.page = page
        self.styles = styles
        self.is_alone = is_alone
        self.font_rows, self.sizes = self._font_sizes()
        self.fade: dict[int, float] = {}

    def _column(self, name: str) -> tuple[NDArray[np.int32], dict[int, str]]:
        """Return the nearest row of each row that is given a value, and the values."""
        said = {
            row: style[name]
            for row, style in self.styles.items()
            if style.get(name, "unset") not in _AS_ABOVE
        }
        return self._nearest_of(said), said

    def _font_sizes(self) -> tuple[NDArray[np.int32], dict[int, tuple[float, bool]]]:
        """Return the nearest row that sets a font size, and the sizes: pixels, and if absolute."""
        rows, said = self._column("font-size")
        sizes: dict[int, tuple[float, bool]] = {-1: (EM, False)}
        for row in sorted(said):
            above = int(self.page.parent[row])
            size, is_absolute = sizes[int(rows[above]) if above >= 0 else -1]
            sizes[row] = font_size(said[row], size, is_absolute)
        return rows, sizes

    def inherited(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int8]]]:
        """Yield, for each property that descendants have too, the nearest row and what it does."""
        page = self.page
        rows, said = self._column("visibility")
        unseen = [row for row, value in said.items() if value in ("hidden", "collapse")]
        small = [row for row, (size, _) in self.sizes.items() if row >= 0 and size <= UNREADABLE_PX]
        ways = ((rows, unseen, Hidden.VISIBILITY), (self.font_rows, small, Hidden.FONT_SIZE))
        for nearest, hiding, way in ways:
            if hiding:
                how = np.zeros(len(page), np.int8)
                how[hiding] = way
                how[[0, page.body][: len(page)]] = 0
                yield nearest, how
        yield from self._colours()

    # One row --------------------------------------------------------------------------------------

    def hides(self, row: int, style: Style) -> Hidden:
        """Return how a style hides all that is in its element."""
        say = style.get
        if say("display") == "none":
            return Hidden.DISPLAY
        is_box = self._is_box(row, style)
        if is_box and say("content-visibility") == "hidden":
            return Hidden.VISIBILITY
        if self._is_faded(row, style):
            return Hidden.OPACITY
        if not is_box or not any(may_hide(name, value) for name, value in style.items()):
            return Hidden.NOT
        return self._hides_box(row, style)

    def _is_faded(self, row: int, style: Style) -> bool:
        if not ("opacity" in style or "filter" in style or "mask-image" in style):
            return False
        share = measure(style.get("opacity", "1"), whole=1)
        left = 1.0 if share is None else min(max(share, 0.0), 1.0)
        for amount in _FILTER.findall(style.get("filter", "")):
            left *= min(max(measure(amount.strip() or "1", whole=1) or 0.0, 0.0), 1.0)
        masked = values.colours_in(style.get("mask-image", ""))
        if masked and "gradient(" in style["mask-image"]:
            left *= max(1.0 if each is None else each[3] for each in masked)
        above = int(self.page.parent[row])
        while above >= 0 and above not in self.fade:
            above = int(self.page.parent[above])
        self.fade[row] = left * self.fade.get(above, 1.0)
        return self.fade[row] <= FAINT

    def _is_box(self, row: int, style: Style) -> bool:
        """Return whether an element is a box of its own, not a part of a line."""
        if style.get("position") in MOVED or style.get("float", "none") not in ("none", *GLOBAL):
            return True
        display = style.get("display", "")
        if display and display not in GLOBAL:
            return display not in ("inline", "contents")
        # A sheet that is not read may make a box of it.
        return not (self.is_alone and tags.INLINE[self.page.known_tag[row]])

    def _hides_box(self, row: int, style: Style) -> Hidden:
        if self.is_alone and style.keys() <= _SIDES:
            return Hidden.NOT  # these move only what is taken out of the flow
        page = self.page
        em = self.sizes[int(self.font_rows[row])][0]
        first, last = page.text_index[row], page.text_index[page.end[row]]
        letters = int(page.text_chars[first:last].max(initial=0))
        text_width = min(letters * em * _LETTER, WIDTH)
        width = measure(style.get("width", ""), em, WIDTH)
        box = Box(style, em, text_width if width is None else width, text_width, self.is_alone)
        if box.is_away():
            return Hidden.OFF_SCREEN
        return Hidden.CLIPPED if box.is_clipped() else Hidden.NOT

    # Colours --------------------------------------------------------------------------------------

    def _colours(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int8]]]:
        """Yield each text itself, if its colour is that of its ground."""
        page, styles = self.page, self.styles
        if not self._may_be_unseen():
            return
        rows, said = self._column("color")
        fill_rows, fills = self._column("-webkit-text-fill-color")
        ground_rows = self._nearest_of(
            row for row, style in styles.items() if GROUNDS & style.keys()
        )
        other_rows = self._nearest_of(page.attributes.select(_COLOURED))
        grounds = Grounds(page, styles, ground_rows, self.is_alone)
        how = np.zeros(len(page), np.int8)
        texts = page.text_rows
        if not self.is_alone:  # else nothing is known
            texts = texts[(np.maximum(rows, fill_rows)[texts] >= 0)]
        keys = np.stack([column[texts] for column in (rows, fill_rows, ground_rows, other_rows)])
        combined, which = np.unique(keys, axis=1, return_inverse=True)
        unseen = [self._is_unseen((said, fills), row.tolist(), grounds) for row in combined.T]
        how[texts] = np.array([*unseen, False])[which.reshape(-1)] * Hidden.COLOUR
        yield np.arange(len(page), dtype=np.int32), how

    def _nearest_of(self, rows: Iterable[int]) -> NDArray[np.int32]:
        marked = np.zeros(len(self.page), bool)
        marked[list(rows)] = True
        return _nearest(self.page, marked)

    def _may_be_unseen(self) -> bool:
        """Return whether any colour of texts is the colour of any ground."""
        texts = {values.BLACK} if self.is_alone else set()
        grounds: set[Colour | None] = {values.WHITE} if self.is_alone else set()
        for style in self.styles.values():
            for name in TEXT_COLOURS & style.keys():
                texts.add(colour(style[name]) or (0, 0, 0, 0))
            for name in GROUNDS & style.keys():
                grounds.update(values.colours_in(f"({style[name]})"))
        return any(
            text[3] <= FAINT or any(each is None or values.is_same(text, each) for each in grounds)
            for text in texts
        )

    def _is_unseen(
        self, said: tuple[dict[int, str], dict[int, str]], rows: list[int], grounds: Grounds
    ) -> bool:
        row, fill_row, ground_row, other_row = rows
        if fill_row >= 0 and said[1][fill_row] != "initial":
            text, at = colour(said[1][fill_row]), fill_row
        elif other_row > row:  # a link has a colour of its own
            text, at = (values.LINK if self.is_alone else None), other_row
        elif row >= 0 and said[0][row] != "initial":
            text, at = colour(said[0][row]), row
        else:
            text, at = (values.BLACK if self.is_alone else None), row
        if text is None or grounds.may_be_pictures(max(row, at), ground_row):
            return False
        style = self.styles.get(at, {})
        stroke = style.get("-webkit-text-stroke", "0") not in ("0", *GLOBAL)
        if style.get("text-shadow", "none") not in ("none", *GLOBAL) or stroke:
            return False
        if grounds.shine_through(ground_row):
            return False
        if text[3] <= FAINT:
            return True
        return grounds.swallow(ground_row, text)
