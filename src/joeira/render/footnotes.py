"""Footnotes: a short link down to a note that links back to it.

Only what is certain is taken for a footnote: a link of a few characters, to an element further down
whose text is kept, with a link back to the very place. A note stands by itself, as an item of a
list or as a block; notes within tables, quotations or other lists stay what they are. Readers of
Markdown drop notes that nothing refers to, so a note without a written reference stays text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from operator import attrgetter
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.arrays.strings import collapse
from joeira.page import Page, tags
from joeira.render.selection import CONTAINERS

MAX_MARK_CHARS = 10
"""Of a reference, and of a link back."""
MAX_CLIMB = 20
"""Levels from a target up to the item of a list that is its note."""
MAX_MARKS = 400
"""Texts at either end of a note among which its marks are looked for."""

_LISTS = tags.table("ul ol menu dir")
_VERBATIM = tags.table("pre listing xmp plaintext code kbd samp")
_AROUND = " \t\r\n\xa0^↑[](){}.:,;|"
"""What stands around marks."""
_MARK = re.compile(r"[\[(]*(?:\w{0,3}\d{1,4}|[a-z]|[^\w\s]{1,4}|note)[\])]*", re.IGNORECASE)
_NOT_IN_LABELS = re.compile(r"[\W_]+")


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
    references: dict[int, list[str]] = field(default_factory=dict)
    """Texts that refer to notes, with their labels."""
    borders: set[int] = field(default_factory=set)
    """References and the texts right after them."""
    silent: set[int] = field(default_factory=set)
    """Texts that the label says already: numbers of notes, and links back."""
    added: set[int] = field(default_factory=set)
    """Texts of notes that were not kept, but are referred to in what is."""
    after_number: set[int] = field(default_factory=set)
    """Texts right after the number of their note, perhaps with a dot or bracket of it."""

    def with_notes(self, page: Page, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which texts are kept together with all notes that kept texts refer to."""
        if not self.added:
            return keep
        together = keep.copy()
        together[list(self.added)] = True
        return together


@dataclass(frozen=True)
class _Link:
    """A link within the page, with the texts that it covers."""

    row: int
    target: int
    first: int
    stop: int


def find(page: Page, keep: NDArray[np.bool_]) -> Footnotes:
    """Return the footnotes among the kept texts."""
    footnotes = Footnotes()
    if not _has_marks(page, keep):
        return footnotes
    links = _links(page)
    down = [link for link in links if link.target > link.row]
    if not down or len(down) == len(links):
        return footnotes
    verbatim = trees.inside(_VERBATIM[page.known_tag], page.end)
    writable = keep & ~verbatim[page.text_rows]
    owner = trees.nearest(~tags.INLINE[page.known_tag], page.parent)
    references: dict[int, list[_Link]] = {}
    for link in down:
        if link.first < link.stop and writable[link.first : link.stop].all():
            mark = "".join(page.texts[link.first : link.stop])
            start = _note_of(page, link.target, owner)
            if start > link.row and len(collapse(mark)) <= MAX_MARK_CHARS:
                references.setdefault(start, []).append(link)
    container = trees.nearest(CONTAINERS[page.known_tag], page.parent, page.ladder)
    link_rows = [link.row for link in links]
    for start in sorted(references):
        if footnotes.notes and start < footnotes.notes[-1].stop:
            continue
        stop = int(page.end[start])
        inner = links[bisect_left(link_rows, start) : bisect_left(link_rows, stop)]
        if _stands_alone(page, start, container):
            _add(footnotes, page, keep, (start, stop), (references[start], inner))
    return footnotes


def _has_marks(page: Page, keep: NDArray[np.bool_]) -> bool:
    """Return whether a kept link looks like a mark: to know where links lead takes longer."""
    short = keep & page.text_linked & (page.text_chars <= MAX_MARK_CHARS)
    return any(_MARK.fullmatch(page.texts[index].strip()) for index in short.nonzero()[0].tolist())


def _links(page: Page) -> list[_Link]:
    """Return the links to places of the page, in page order."""
    here = (page.url or "").partition("#")[0]
    fragments = [
        (row, unquote(href.partition("#")[2]))
        for row, href in zip(*page.attributes.column("href"), strict=True)
        if "#" in href and href.strip().partition("#")[0] in ("", here)
    ]
    if not fragments:
        return []
    named = zip(*page.attributes.column("name"), strict=True)
    places = {name: row for row, name in named if page.tag[row] == tags.NUMBER["a"]}
    numbers, names = page.ids
    rows = np.flatnonzero(numbers)[::-1]  # of equal ones, the first counts
    places.update(zip((names[number] for number in numbers[rows]), rows.tolist(), strict=True))
    index = page.text_index
    return [
        _Link(row, places[name], int(index[row]), int(index[page.end[row]]))
        for row, name in fragments
        if name in places
    ]


def _note_of(page: Page, target: int, owner: NDArray[np.integer]) -> int:
    """Return the row of the note that a target stands for; -1 if it cannot be one."""
    index, end = page.text_index, page.end
    row = target
    if tags.INLINE[page.known_tag[target]]:
        row = int(owner[target])
        first, stop = index[row], index[end[row]]
        of_text = np.searchsorted(page.block_bounds[1], [first, stop - 1], "right")
        if index[target] != first or of_text[0] != of_text[1]:
            return -1  # in the middle of a text, or at the head of several
    item = row
    for _ in range(MAX_CLIMB):
        if item <= page.body or index[item] != index[row] or index[end[item]] != index[end[row]]:
            break
        if page.tag[item] == tags.NUMBER["li"]:
            return item
        item = int(page.parent[item])
    return row if row > page.body else -1


def _stands_alone(page: Page, start: int, container: NDArray[np.int32]) -> bool:
    """Return whether a note is in nothing but its list, and holds no heading."""
    kind = page.known_tag
    outside = page.parent[start]
    if page.tag[start] == tags.NUMBER["li"] and _LISTS[kind[outside]]:
        outside = page.parent[outside]
    elif CONTAINERS[kind[start]]:
        return False
    headings = tags.HEADINGS[kind[start : page.end[start]]]
    return bool(container[outside] < 0 and not headings.any())


def _add(
    found: Footnotes,
    page: Page,
    keep: NDArray[np.bool_],
    note: tuple[int, int],
    links: tuple[list[_Link], list[_Link]],
) -> None:
    """Add a note if it links back to one of its references, and has text beside its marks."""
    references, inner = links
    back = [link for link in inner if _leads_to_one(page, link, references)]
    mark = _plain("".join(page.texts[references[0].first : references[0].stop]))
    first, last = (int(page.text_index[row]) for row in note)
    start, stop = _between_marks(page, (first, last), back, mark)
    if not back or not keep[start:stop].any():
        return
    label = mark if mark and mark not in found.labels else f"note{len(found.notes) + 1}"
    found.labels.add(label)
    found.notes.append(Note(label, *note))
    if page.tag[note[0]] == tags.NUMBER["li"]:
        found.lists.add(int(page.parent[note[0]]))
    found.silent.update(range(first, start), range(stop, last))
    if start > first:
        found.after_number.add(start)
    for link in references:
        found.references[link.first] = [label]
        found.borders.update((link.first, link.stop))
        found.silent.update(range(link.first + 1, link.stop))


def _leads_to_one(page: Page, link: _Link, references: list[_Link]) -> bool:
    """Return whether a link leads to a reference: the link itself, or what has no other text.

    References are in page order and share no text, so only the last that begins before can be it.
    """
    first, stop = page.text_index[link.target], page.text_index[page.end[link.target]]
    before = bisect_right(references, first, key=attrgetter("first"))
    return bool(before and stop <= references[before - 1].stop)


def _between_marks(
    page: Page, texts: tuple[int, int], back: list[_Link], mark: str
) -> tuple[int, int]:
    """Return the texts of a note without its number and links back at either end."""
    start, stop = texts
    marks = {
        text
        for link in back
        if sum(map(len, page.texts[link.first : link.stop])) <= MAX_MARK_CHARS
        for text in range(link.first, link.stop)
    }
    for text in range(start, min(stop, start + MAX_MARKS)):
        words = page.texts[text].strip(_AROUND)
        if text in marks or (mark and _plain(words) == mark):
            start = text + 1
        elif words:
            break
    for text in range(stop - 1, max(start, stop - MAX_MARKS) - 1, -1):
        if text in marks:
            stop = text
        elif page.texts[text].strip(_AROUND):
            break
    return start, stop


def _plain(mark: str) -> str:
    """Return the letters and digits of a mark, as a label."""
    return _NOT_IN_LABELS.sub("", mark).lower()
