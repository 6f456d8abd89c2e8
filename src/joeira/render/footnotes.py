"""Footnotes: short marks in the text, and the notes that they stand for.

A mark is a short link to a place further down, or a bare superscript. What it leads to is a note if
that links back to the very place, if it begins with the same number, or if it stands in a list that
the page names (footnotes, references ...). A note stands by itself, as an item of a list, as a
block, or as a stretch between the anchors of two notes; notes within tables, quotations or other
lists stay what they are. A note that a kept text refers to is part of the content. Readers of
Markdown drop notes that nothing refers to, so a note without a written reference stays text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from operator import attrgetter
from typing import Final, NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.arrays.strings import Words, collapse
from joeira.page import Page, tags
from joeira.page.tables import whole
from joeira.render.events import Footnotes, Note
from joeira.render.note_titles import Titles
from joeira.render.selection import CONTAINERS

MAX_MARK_CHARS: Final = 10  # of a reference, and of a link back
MAX_CLIMB: Final = 20  # levels from a target up to the item of a list that is its note
MIN_WORDS: Final = 3  # of a note in the middle of a line
MAX_WITHIN: Final = 40  # notes in the middle of a line: each is written by a pass of its own
MAX_BLOCKS: Final = 4  # of a note that begins with an anchor: more are a part of the page
MAX_SAME: Final = 10  # notes with the same number
MAX_MARKS: Final = 400  # texts at either end of a note among which its marks are looked for

_SUP: Final = tags.NUMBER["sup"]
_LISTS: Final = tags.table("ul ol menu dir")
_VERBATIM: Final = tags.table("pre listing xmp plaintext code kbd samp")
_EMPHATIC: Final = tags.table("sup strong b a")
_AROUND: Final = " \t\r\n\xa0^↑[](){}.:,;|"  # what stands around marks
_BACK: Final = re.compile(r"[\s\xa0↩↑⤴⏎^⬆︎\ufe0e\ufe0f]+")
_MARK: Final = re.compile(r"[\[(]*(?:\w{0,3}\d{1,4}|[a-z]|[*†‡§¶]{1,4}|note)[\])]*", re.IGNORECASE)
_SUPERSCRIPT: Final = re.compile(r"[\[(]?(\d{1,3}|[*†‡§¶]{1,3})[\])]?")
WITHIN_WORDS: Final = Words(
    "footnote foot-note sidenote side-note marginnote margin-note inlinenote inline-note fncontent "
    "fntext fnbody fn-content fn-text fn-body".split()
)
_WITHIN: Final = re.compile(
    r"side-?note|margin-?note|inline-?(?:foot-?)?note|foot-?note-?(?:content|text|body)|"
    r"(?:^|\s)(?:foot-?note|fn-?(?:content|text|body))(?=$|\s)",
    re.IGNORECASE,
)
_NOT_IN_LABELS: Final = re.compile(r"[\W_]+")


class _Link(NamedTuple):
    """A link within the page, or a superscript, whose target is -1, and the texts it covers."""

    row: int
    target: int
    first: int
    stop: int


_Group = tuple[int, list[_Link]]
"""One past the last row of a note, and the marks that refer to it."""


def find(
    page: Page,
    keep: NDArray[np.bool_],
    *,
    all_notes: bool = True,
    names: str | None = None,
    linked: Iterable[int] | None = None,
) -> Footnotes:
    """Return the footnotes that kept texts refer to: all of them, or those that are kept.

    `names` are all classes in lower case, or '' if it is known that none of them speaks of notes.
    `linked` are the kept linked texts that may be marks, if they are known.
    """
    footnotes = Footnotes()
    if WITHIN_WORDS.are_in(page.class_text if names is None else names):
        _add_within(footnotes, page, keep)
    if linked is None:
        texts = map(page.text, (keep & page.text_linked).nonzero()[0].tolist())
        has_marks = any(map(_is_mark, texts))
    else:
        has_marks = any(_is_mark(page.joined(text, text + 1)) for text in linked)
    short = _short_links(page, keep) if has_marks else []  # to know where they lead takes longer
    superscripts = _superscripts(page)
    if not (short or superscripts):
        return footnotes
    titles = Titles(page)
    writable = _writable(page, keep)
    groups = _by_number(page, [each for each in superscripts if writable(each)], titles)
    groups.update(_by_target(page, [each for each in short if writable(each)]))
    if not groups:
        return footnotes
    contained = trees.inside(CONTAINERS[page.known_tag], page.end)
    alone = [start for start in groups if _stands_alone(page, start, groups[start][0], contained)]
    if not alone:
        return footnotes
    hrefs = page.attributes.column("href", "#") if has_marks else ()
    links = _links(page, zip(*hrefs, strict=True))
    link_rows = [link.row for link in links]
    for start in sorted(alone):
        stop, marks = groups[start]
        is_free = not footnotes.notes or start >= footnotes.notes[-1].stop
        first, last = page.text_index[[start, stop]]
        if is_free and (all_notes or 2 * keep[first:last].sum() > last - first):
            inner = links[bisect_left(link_rows, start) : bisect_left(link_rows, stop)]
            _add(footnotes, (start, stop), (marks, inner), titles)
    _silence_titles(footnotes, titles, keep)
    return footnotes


def _silence_titles(footnotes: Footnotes, titles: Titles, keep: NDArray[np.bool_]) -> None:
    """Leave out the headings of notes: readers of Markdown put notes where they like."""
    page = titles.page
    for heading, note in {titles.above(each.start): each for each in footnotes.notes[::-1]}.items():
        first, last, start = page.text_index[[heading, page.end[heading], note.start]].tolist()
        if heading >= 0 and not keep[last:start].any():
            footnotes.silent.update(range(first, last))


# Marks --------------------------------------------------------------------------------------------


def _is_mark(text: str) -> bool:
    """Return whether a link looks like a mark."""
    text = text.strip()
    return len(text) <= MAX_MARK_CHARS and _MARK.fullmatch(text) is not None


def _short_links(page: Page, keep: NDArray[np.bool_]) -> list[_Link]:
    """Return the short links down the page that begin with a kept text, in page order."""
    rows, starts, index = page.rows_of("a"), page.characters.starts, page.text_index
    first, stop = index.take(rows), index.take(page.end.take(rows))
    # One character comes after each text, so this is too few only for the last of the page.
    chars = starts.take(stop, mode="clip") - starts.take(first, mode="clip") - (stop - first)
    may_be_short = (chars <= MAX_MARK_CHARS) & (first < stop) & keep.take(first, mode="clip")
    some = rows[may_be_short].tolist()
    links = _links(page, ((row, page.attributes.get(row, "href") or "") for row in some))
    down = filter(lambda link: link.target > link.row, links)
    return [link for link in down if link.stop < len(keep) or _is_short(page, link)]


def _links(page: Page, hrefs: Iterable[tuple[int, str]]) -> list[_Link]:
    """Return which of some elements, given with their addresses, are links to places of the page.

    That without a name is the top of the page.
    """
    here = (page.url or "").partition("#")[0]
    file = here.rpartition("/")[2]
    fragments = []
    for row, href in hrefs:
        address, _, fragment = href.strip().partition("#")
        if fragment and (address in ("", here) or not here or address == file):
            fragments.append((row, unquote(fragment)))
    if not fragments:
        return []
    places = _places(page, {name for _, name in fragments})
    linked = [(row, places[name]) for row, name in fragments if name in places]
    rows = np.array([row for row, _ in linked], np.int64)
    spans = zip(linked, *_spans(page, rows), strict=True)
    return [_Link(*link, first, stop) for link, first, stop in spans]


def _places(page: Page, wanted: set[str]) -> dict[str, int]:
    """Return the rows that names lead to: at least those of wanted names."""
    numbers, names = page.ids
    rows = np.flatnonzero(numbers)[::-1]  # of equal ones, the first counts
    of_rows = [names[number] for number in numbers[rows].tolist()]
    places = dict(zip(of_rows, rows.tolist(), strict=True))
    if wanted <= places.keys():
        return places
    anchors = {name or "": row for row, (name,) in page.attributes.read("a[name]", ["name"])}
    return anchors | places


def _spans(page: Page, rows: NDArray[np.integer]) -> tuple[list[int], list[int]]:
    """Return the first text of each of some rows, and one past the last."""
    return page.text_index[rows].tolist(), page.text_index[page.end[rows]].tolist()


def _superscripts(page: Page) -> list[_Link]:
    """Return superscripts that look like marks and hold no link."""
    if not page.tag_counts[_SUP]:
        return []
    rows = page.rows_of("sup")
    marks = []
    for row, first, stop in zip(rows.tolist(), *_spans(page, rows), strict=True):
        text = "".join(page.some_texts(first, min(stop, first + 3))).strip()
        is_mark = first < stop and _SUPERSCRIPT.fullmatch(text)
        if is_mark and not page.text_linked[first:stop].any():
            marks.append(_Link(row, -1, first, stop))
    return marks


def _writable(page: Page, keep: NDArray[np.bool_]) -> Callable[[_Link], bool]:
    """Return what tells whether all texts of a mark are kept, and none is verbatim."""
    verbatim = trees.inside(_VERBATIM[page.known_tag], page.end)
    before: list[int] = (keep & ~verbatim[page.text_rows]).cumsum().tolist()
    before.append(0)  # before the first, whose number is 0

    def is_writable(mark: _Link) -> bool:
        size = mark.stop - mark.first
        return 0 < size == before[mark.stop - 1] - before[mark.first - 1]

    return is_writable


def _is_short(page: Page, link: _Link) -> bool:
    return sum(map(len, page.some_texts(link.first, link.stop))) <= MAX_MARK_CHARS


def _plain_mark(page: Page, mark: _Link) -> str:
    return _plain("".join(page.some_texts(mark.first, mark.stop))) or "*"


def _plain(mark: str) -> str:
    """Return the letters and digits of a mark, as a label."""
    return _NOT_IN_LABELS.sub("", mark).lower()


# Notes --------------------------------------------------------------------------------------------


def _by_target(page: Page, short: list[_Link]) -> dict[int, _Group]:
    """Return the notes that links with short marks lead down to."""
    groups: dict[int, _Group] = {}
    if not short:
        return groups
    blocks: dict[int, set[int]] = {}
    for link in short:
        if page.is_inline[link.target]:
            blocks.setdefault(_owner(page, link.target), set()).add(link.target)
    # Several notes in one paragraph: each reaches to the anchor of the next.
    stops = {
        anchor: after
        for block, anchors in blocks.items()
        if len(anchors) > 1
        for anchor, after in pairwise((*sorted(anchors), int(page.end[block])))
    }
    for link in short:
        start, stop = link.target, stops.get(link.target, -1)
        if stop < 0:
            start = _note_of(page, link.target)
            stop = int(page.end[start])
        if start > link.row:
            groups.setdefault(start, (stop, []))[1].append(link)
    return groups


def _owner(page: Page, row: int) -> int:
    """Return the block that a row is in, or begins."""
    while page.is_inline[row]:
        row = page.parent.item(row)
    return row


def _note_of(page: Page, target: int) -> int:
    """Return the row of the note that a target stands for; -1 if it cannot be one."""
    index, end = page.text_index, page.end
    row = target
    if page.is_inline[target]:
        row = _owner(page, target)
        first, stop = index[row], index[end[row]]
        of_text = np.searchsorted(page.block_bounds[1], [first, stop - 1], "right")
        if index[target] != first or of_text[1] - of_text[0] >= MAX_BLOCKS:
            return -1  # in the middle of a text, or at the head of many
    item = row
    for _ in range(MAX_CLIMB):
        if item <= page.body or index[item] != index[row] or index[end[item]] != index[end[row]]:
            break
        if page.tag[item] == tags.NUMBER["li"]:
            return item
        item = int(page.parent[item])
    return row if row > page.body else -1


def _by_number(page: Page, marks: list[_Link], titles: Titles) -> dict[int, _Group]:
    """Return the notes of superscripts: blocks that begin with the number, or items of a list."""
    by_mark: dict[str, list[_Link]] = {}
    starts = page.block_bounds[1]
    for mark in marks:
        block = int(starts.searchsorted(mark.first, "right")) - 1
        if mark.first > starts[block]:  # at the head of a block, it is the number of a note
            by_mark.setdefault(_plain_mark(page, mark), []).append(mark)
    groups: dict[int, _Group] = {}
    if not by_mark:
        return groups
    last = max(marks[-1].row for marks in by_mark.values())
    left = dict.fromkeys(by_mark, MAX_SAME)
    for row, label in (*_numbered_blocks(page), *_numbered_items(page, titles)):
        referring = by_mark.get(label)
        if not referring or referring[-1].row >= row or not left[label]:
            continue
        if row > last or titles.name_notes(row):
            groups.setdefault(row, (int(page.end[row]), referring))
            left[label] -= 1
    return groups


def _numbered_blocks(page: Page) -> Iterator[tuple[int, str]]:
    """Yield the blocks that begin with an emphasised number, and the number."""
    owners, starts = page.block_bounds
    first = starts[:-1]
    parent = page.parent[page.text_rows[first]]
    emphatic = _EMPHATIC[page.known_tag[parent]].nonzero()[0]
    for block in emphatic.tolist():
        text = page.text(first[block]).strip()
        if text[:1].isalpha():
            continue  # as most do, which takes less time to see
        if _SUPERSCRIPT.fullmatch(text.rstrip(".:")) and starts[block + 1] > first[block] + 1:
            yield int(owners[block]), _plain(text) or "*"


def _numbered_items(page: Page, titles: Titles) -> Iterator[tuple[int, str]]:
    """Yield the items of numbered lists that are named as notes, and their numbers."""
    for row in page.rows_of("ol").tolist():
        if not titles.name_notes(row):
            continue
        items = row + 1 + np.flatnonzero(page.parent[row + 1 : page.end[row]] == row)
        items = items[page.tag[items] == tags.NUMBER["li"]]
        start = whole(page.attributes.get(row, "start"), 9999)
        for number, item in enumerate(items.tolist(), start):
            yield item, str(number)


def _stands_alone(page: Page, start: int, stop: int, contained: NDArray[np.bool_]) -> bool:
    """Return whether a note is in nothing but its list, and holds no heading."""
    kind = page.known_tag
    outside = page.parent[start]
    if page.tag[start] == tags.NUMBER["li"] and _LISTS[kind[outside]]:
        outside = page.parent[outside]
    elif CONTAINERS[kind[start]]:
        return False
    headings = tags.HEADINGS[kind[start:stop]]
    return not (contained[outside] or headings.any())


def _add(
    footnotes: Footnotes,
    note: tuple[int, int],
    links: tuple[list[_Link], list[_Link]],
    titles: Titles,
) -> None:
    """Add a note if it is certain that it is one, and it has text beside its marks."""
    page = titles.page
    references, inner = links
    back = [link for link in inner if _leads_to_one(page, link, references)]
    mark = _plain_mark(page, references[0])
    first, last = (int(page.text_index[row]) for row in note)
    start, stop = _between_marks(page, (first, last), back, mark)
    is_certain = bool(back) or start > first or titles.name_notes(note[0])
    if not is_certain or start >= stop:
        return
    label = mark if mark != "*" and mark not in footnotes.labels else ""
    label = label or f"note{len(footnotes.notes) + 1}"
    footnotes.labels.add(label)
    footnotes.notes.append(Note(label, *note))
    footnotes.added.append((first, last))
    if page.tag[note[0]] == tags.NUMBER["li"]:
        footnotes.lists.add(int(page.parent[note[0]]))
    footnotes.silent.update(range(first, start), range(stop, last))
    if start > first:
        footnotes.texts[start] = collapse(page.text(start)).lstrip(" .):]")
    for link in references:
        footnotes.references[link.first] = label
        footnotes.borders.update((link.first, link.stop))
        footnotes.silent.update(range(link.first + 1, link.stop))
        _take_off_brackets(footnotes, page, link)


def _add_within(footnotes: Footnotes, page: Page, keep: NDArray[np.bool_]) -> None:
    """Add notes that stand in the middle of a line, shown beside it or when pointed at."""
    numbers, classes = page.classes
    named = [n for n in WITHIN_WORDS.are_in_names(classes) if _WITHIN.search(classes[n])]
    if not named:
        return
    rows = trees.outermost((np.isin(numbers, named) & page.is_inline).nonzero()[0], page.end)
    starts, index = page.block_bounds[1], page.text_index
    for row in rows.tolist()[:MAX_WITHIN]:
        first, stop = int(index[row]), int(index[page.end[row]])
        block = int(starts.searchsorted(first, "right")) - 1
        is_inside = first > starts[block] and stop <= starts[block + 1]
        has_mark = stop - first > 1 and not page.text(first).strip(_AROUND + "0123456789*†‡")
        start = first + has_mark
        is_long = page.text_words[start:stop].sum() >= MIN_WORDS
        if is_inside and is_long and keep[first:stop].all():
            label = _plain(page.text(first)) if has_mark else ""
            if not label or label in footnotes.labels:
                label = f"note{len(footnotes.within) + 1}"
            footnotes.labels.add(label)
            footnotes.within.append((label, start, stop))
            footnotes.references[first] = label
            footnotes.borders.update((first, stop))
            footnotes.silent.update(range(first + 1, stop))


def _take_off_brackets(footnotes: Footnotes, page: Page, link: _Link) -> None:
    """Take the brackets off that stand around a reference, or around several."""
    before, after = link.first - 1, link.stop
    if before >= 0 and before not in footnotes.references:
        text = footnotes.texts.get(before, collapse(page.text(before)))
        if text.endswith("["):
            footnotes.texts[before] = text[:-1]
    if after < page.text_count:
        text = footnotes.texts.get(after, collapse(page.text(after)))
        if text.startswith("]"):
            footnotes.texts[after] = text[1:]


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
        text for link in back if _is_short(page, link) for text in range(link.first, link.stop)
    }
    for text in range(start, min(stop, start + MAX_MARKS)):
        words = page.text(text).strip(_AROUND)
        if text in marks or (mark and _plain(words) == mark):
            start = text + 1
        elif words:
            break
    for text in range(stop - 1, max(start, stop - MAX_MARKS) - 1, -1):
        is_arrow = bool(page.text_linked[text] and _BACK.fullmatch(page.text(text)))
        if text in marks or is_arrow:
            stop = text
        elif page.text(text).strip(_AROUND):
            break
    return start, stop
