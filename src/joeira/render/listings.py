"""Listings: code and other text whose lines mean something.

A page table has no rows for texts that are only white space, so the line breaks and the indentation
between the elements of a `pre` (every highlighted listing has them) are read from the source nodes.
Line numbers, buttons and labels that highlighters put among the code are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import Words
from joeira.arrays.trees import enclosing, outermost
from joeira.page import Page, tags

Parts = list[tuple[int, str, str]]
"""Texts of a listing: number, white space before, characters as written."""

_LINES: Final = tags.table("br div li tr p")
_HINTS: Final = Words(
    "codeblock code-block codesnippet code-snippet codesample code-sample sourcecode source-code "
    "highlightcode highlight-code syntaxhighlighter crayon- js-file-line-container".split()
)
_BLOCK_OF_CODE: Final = re.compile(
    r"(?<!\S)(?:code-?block|code-?snippet|code-?sample|syntaxhighlighter|crayon-(?:syntax|table)"
    r"|source-?code|highlight-?code|js-file-line-container)(?=\s|$)",
    re.IGNORECASE,
)
_BLOCK: Final = re.compile(
    r"(?i)(?:^|\s)(?:(?:d-)?block|code-?block|hljs|prettyprint|highlight(?:ed)?|source-?code"
    r"|(?:language|lang)-\S+|multiline|chroma|shiki|prism)(?=\s|$)"
)
_SAYS_BLOCK: Final = re.compile(r"(?:^|\s)(?:(?:d-)?block|code-?block|multiline)(?=\s|$)")
_COUNT: Final = re.compile(r"\s*1\s*\n\s*2\s*(?:\n\s*\d+\s*){0,9999}|\s*1\s*")


def listings(page: Page) -> dict[int, list[int]]:
    """Return the listings by their first row: rows of preformatted elements and blocks of code.

    A block of code that follows another one directly is a part of the same listing.
    """
    pre = tags.preformatted(page)
    rows: list[int] = pre.tolist()
    if rows:
        rows += _with_numbers(page, pre)
    if page.tag_counts[tags.NUMBER["code"]]:
        rows += _blocks(page)
    if _HINTS.are_in(page.class_text):
        rows += _blocks_of_code(page, pre)
    if not rows:
        return {}
    return _joined(page, outermost(np.unique(rows), page.end).tolist())


def _with_numbers(page: Page, pre: NDArray[np.integer]) -> list[int]:
    """Return the tables that set the numbers of lines beside the lines, each in a `pre`."""
    of = enclosing(page.rows_of("table"), page.end, pre)
    rows = []
    for row, table in zip(pre.tolist(), of.tolist(), strict=True):
        if table >= 0:
            first, stop = page.text_index[row], page.text_index[page.end[row]]
            if first < stop and page.texts[first].lstrip().startswith("1"):
                text = "\n".join(page.texts[first : min(stop, first + 9999)])
                if _COUNT.fullmatch(text):
                    rows.append(table)
    return rows


def _blocks(page: Page) -> list[int]:
    """Return the `code` elements that are shown as blocks: alone where they stand, with lines."""
    rows = page.rows_of("code")
    has_text = np.zeros(len(page), bool)
    has_text[page.parent[page.text_rows]] = True
    rows = rows[~has_text[page.parent[rows]]]
    if not len(rows):
        return []
    numbers, names = page.classes
    parent = page.parent[rows]
    is_alone = page.text_index[parent] == page.text_index[rows]
    is_alone &= page.text_index[page.end[parent]] == page.text_index[page.end[rows]]
    breaks = page.rows_of("br")
    is_broken = breaks.searchsorted(page.end[rows]) > breaks.searchsorted(rows)
    blocks: list[int] = rows[is_alone & is_broken].tolist()
    for row in rows[~(is_alone & is_broken) & (numbers[rows] > 0)].tolist():
        name = names[numbers[row]]
        if _BLOCK.search(name) and (_SAYS_BLOCK.search(name) or _has_lines(page, row)):
            blocks.append(row)
    return blocks


def _has_lines(page: Page, row: int) -> bool:
    stop = page.end[row]
    texts = page.texts[page.text_index[row] : page.text_index[stop]]
    if any("\n" in text.strip() for text in texts):
        return True
    return len(texts) > 1 and bool(_LINES[page.known_tag[row:stop]].any())


def _blocks_of_code(page: Page, pre: NDArray[np.integer]) -> list[int]:
    """Return the elements without a `pre` that say they are a block of code, and have lines."""
    numbers, names = page.classes
    chosen = [n for n in _HINTS.are_in_names(names) if _BLOCK_OF_CODE.search(names[n])]
    rows = []
    for row in np.isin(numbers, chosen).nonzero()[0].tolist() if chosen else ():
        stop = int(page.end[row])
        if pre.searchsorted(row) < pre.searchsorted(stop) or page.tag[row] == tags.NUMBER["body"]:
            continue
        if _FOREIGN_TO_CODE[page.known_tag[row:stop]].any() or not _has_lines(page, row):
            continue
        rows.append(row)
    return rows


def _joined(page: Page, rows: list[int]) -> dict[int, list[int]]:
    joined: dict[int, list[int]] = {}
    last, first = -1, -1
    for row in rows:
        follows = last >= 0 and page.end[last] == row and page.parent[last] == page.parent[row]
        is_code = tags.NUMBER["code"] in (page.tag[row], page.tag[last])
        if follows and is_code:
            joined[first].append(row)
        else:
            first = row
            joined[first] = [row]
        last = row
    return joined


def code_of(
    page: Page, rows: Sequence[int], kept: NDArray[np.bool_], *, whole: bool = False
) -> Parts:
    """Return the kept texts of a listing: number, white space before it, characters.

    Blank lines at the edges are left out, and so is white space at the end. With `whole` the texts
    of a listing may come as one, with the number of the first.
    """
    parts: Parts = []
    for row in rows:
        more = _Listing(page, row, kept, whole).read()
        if parts and more:
            index, gap, text = more[0]
            more[0] = (index, f"\n{gap}", text)
        parts += more
    return _trimmed(parts)


class _Line(NamedTuple):
    """An open element that stands on lines of its own."""

    is_block: bool
    parts: int
    """Texts read before it."""
    gap: int
    """Length of the white space read before it."""


class _Listing:
    """Reads the texts of one element."""

    def __init__(self, page: Page, row: int, kept: NDArray[np.bool_], whole: bool) -> None:
        self.page = page
        self.whole = whole
        self.row = row
        self.kept = kept
        self.first = int(page.text_index[row])
        self.stop = int(page.text_index[page.end[row]])
        self.parts: Parts = []
        self.gap = ""
        self.breaks = False
        """Does an element that stands on a line of its own begin or end here?"""

    def read(self) -> Parts:
        """Return the texts."""
        if not self.kept[self.first : self.stop].any():
            return []
        if self.whole and self._is_plain():
            code = self.page.attributes.inner_text(self.row)
            texts = "".join(self.page.texts[self.first : self.stop])
            if "".join(code.split()) == "".join(texts.split()):  # not where texts were cleaned
                return [(self.first, "", code)]
        page, row, index = self.page, self.row, self.first
        end = page.end[row : page.end[row]].tolist()
        left_out = _left_out(page, self.row)
        until = 0
        lines: list[_Line | None] = []
        for name, text in page.attributes.nodes(self.row):
            if name:
                row += 1
                if row >= end[0]:
                    break  # the page was cut here
                stop = end[row - self.row]
                if row in left_out:
                    until = max(until, stop)
                lines.append(self._enter(row, name))
                if stop > row + 1 and tags.NOT_TEXT[page.known_tag[row]]:
                    row = stop - 1
            elif text is None:
                self._leave(lines.pop())
            elif not text or text.isspace():
                self.gap += text if row + 1 >= until else ""
            else:
                row += 1
                if index == self.stop:
                    break
                if self.kept[index] and row >= until:
                    self._add(index)
                elif "\n" in text and not self._has_ended():
                    self.breaks = True
                index += 1
        return self.parts

    def _is_plain(self) -> bool:
        """Return whether all characters below are the code: most listings, coloured or not."""
        page, row = self.page, self.row
        inner = slice(row + 1, int(page.end[row]))
        is_all = bool(self.kept[self.first : self.stop].all()) and not page.notes
        if not is_all or not _COLOURS[page.known_tag[inner]].all():
            return False
        if page.texts[self.first].strip().isdigit():
            return False  # perhaps the number of a line
        numbers, names = page.classes
        classes = [names[number] for number in set(numbers[inner].tolist())]
        return not any(_way(name) != _IS_CODE or _LINE.search(name) for name in classes)

    def _enter(self, row: int, name: str) -> _Line | None:
        """Begin an element, and return what is known of the line that it stands on."""
        if name == "br":
            self.gap += "\n"
            return None
        is_block = not tags.INLINE[self.page.known_tag[row]] and name not in _IN_LINES
        classes = self.page.classes[1][self.page.classes[0][row]]
        if not is_block and not (classes and _LINE.search(classes)):
            return None
        if not self._has_ended():
            self.gap += "\n"
        return _Line(is_block, len(self.parts), len(self.gap))

    def _leave(self, line: _Line | None) -> None:
        if line is not None:
            is_empty = line.is_block and line.parts == len(self.parts) > 0
            if is_empty and "\n" not in self.gap[line.gap :]:
                self.gap += "\n"
            self.breaks = True

    def _has_ended(self) -> bool:
        return "\n" in self.gap or not self.parts or self.parts[-1][2].endswith("\n")

    def _add(self, index: int) -> None:
        if self.breaks and not self._has_ended():
            self.gap = f"\n{self.gap}"
        self.parts.append((index, self.gap, self.page.texts[index]))
        self.gap, self.breaks = "", False


def _left_out(page: Page, row: int) -> frozenset[int]:
    """Return the elements of a listing that are not part of the code."""
    stop = int(page.end[row])
    texts = page.text_index[row : stop + 1]
    first, last = texts[:-1], page.text_index[page.end[row:stop]]
    places = np.flatnonzero(~page.is_text[row:stop] & (first < last))[1:]
    if not len(places):
        return frozenset()
    names = page.classes[1]
    ways = {number: _way(names[number]) for number in set(page.classes[0][places + row].tolist())}
    chosen = set()
    for place in places.tolist():
        at = row + place
        way, tag = ways[int(page.classes[0][at])], page.tag[at]
        if way == _IS_BESIDE or tag == tags.NUMBER["button"]:
            chosen.add(at)
        elif way == _IS_NUMBERING or tag == tags.NUMBER["td"]:
            if all(_DIGITS.fullmatch(text) for text in page.texts[first[place] : last[place]]):
                chosen.add(at)
        elif way == _IS_HEAD and first[place] == first[0] and _is_head(page, at):
            chosen.add(at)
    return frozenset(chosen | _counting(page, row, (places + row).tolist()))


_IS_CODE, _IS_BESIDE, _IS_NUMBERING, _IS_HEAD = range(4)


def _way(name: str) -> int:
    """Return what the class of an element in a listing says that it is."""
    if not name:
        return _IS_CODE
    if _BESIDE.search(name):
        return _IS_BESIDE
    if _NUMBERING.search(name):
        return _IS_NUMBERING
    return _IS_HEAD if _HEAD.search(name) else _IS_CODE


def _is_head(page: Page, row: int) -> bool:
    """Return whether the first element of a listing is its title: a language, a file."""
    first, last = int(page.text_index[row]), int(page.text_index[page.end[row]])
    if tags.INLINE[page.known_tag[row]] or last - first > MAX_LABELS:
        return False
    text = "".join(page.texts[first:last]).strip()
    return "\n" not in text and len(text) <= _MAX_HEAD_CHARS


def _counting(page: Page, row: int, rows: list[int]) -> set[int]:
    """Return the elements that number the lines: alike, each first on its line, 1, 2, 3 ..."""
    groups: dict[tuple[int, int], list[int]] = {}
    for at in rows:
        text = page.texts[page.text_index[at]].strip()
        is_number = text.isdecimal() and len(text) < 7
        if is_number and page.end[at] == at + 2 and page.is_text[at + 1]:
            groups.setdefault((int(page.tag[at]), int(page.classes[0][at])), []).append(at)
    chosen: set[int] = set()
    for group in groups.values():
        texts = [page.text_index[at] for at in group]
        values = [int(page.texts[text]) for text in texts]
        counts = len(values) > 1 and values == list(range(values[0], values[0] + len(values)))
        if counts and all(_is_first(page, row, at) for at in group):
            chosen.update(group)
    return chosen


def _is_first(page: Page, row: int, at: int) -> bool:
    """Return whether an element has the first text of its line."""
    text = int(page.text_index[at])
    parent = int(page.parent[at])
    if parent != row and page.text_index[parent] == text and page.end[parent] > page.end[at]:
        return True
    return text == page.text_index[row] or page.texts[text - 1].endswith("\n")


def _trimmed(parts: Parts) -> Parts:
    if not parts:
        return parts
    index, gap, text = parts[0]
    indented = (gap + text).lstrip()
    lead = (gap + text)[: len(gap + text) - len(indented)]
    parts[0] = (index, "", lead[lead.rfind("\n") + 1 :] + indented)
    index, gap, text = parts[-1]
    parts[-1] = (index, gap, text.rstrip())
    return parts


_MAX_HEAD_CHARS: Final = 80
MAX_LABELS: Final = 3
_COLOURS: Final = tags.table(
    "#text code span a b i em strong u s var kbd samp font mark ins del tt"
)
_IN_LINES: Final = frozenset({"td", "th", "table", "tbody"})
_FOREIGN_TO_CODE: Final = tags.table(
    "h1 h2 h3 h4 h5 h6 p ul ol dl img figure form blockquote article section pre"
)
_LINE: Final = re.compile(r"(?:^|\s)(?:(?:\w+-)?line|codeline|loc)(?=\s|$)")
_NUMBERING: Final = re.compile(
    r"(?i)(?:^|[\s_-])(?:line-?num(?:ber)?s?|linenos?|line-no|gutter|lnt?|ln-num(?:ber)?s?"
    r"|crayon-nums?|blob-num)(?=$|[\s_-])"
)
_BESIDE: Final = re.compile(
    r"(?i)(?:^|[\s_-])(?:copy|clipboard|toolbar|tooltip|hover-info|popup|popover|sr-only"
    r"|visually-hidden|screen-reader-text)(?=$|[\s_-])"
)
_HEAD: Final = re.compile(
    r"(?i)(?:^|[\s_-])(?:header|title|file-?name|caption|label|lang(?:uage)?)(?=$|[\s_-])"
)
_DIGITS: Final = re.compile(r"[\d\s.:|]+")
