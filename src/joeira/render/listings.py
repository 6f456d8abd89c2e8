"""Listings: code and other text whose lines mean something.

A page table has no rows for texts that are only white space, so the line breaks and the indentation
between the elements of a `pre` (every highlighted listing has them) are read from its source. Line
numbers, buttons and labels that highlighters put among the code are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress
from typing import Any, Final, NamedTuple

import numpy as np
import turbohtml
from numpy.typing import NDArray

from joeira._lazy import cached_if_short
from joeira._native import native_available
from joeira.arrays.strings import Words
from joeira.arrays.trees import enclosing
from joeira.page import Page, tags

if native_available:
    from joeira._native import listings as kernels

Parts = list[tuple[int, str, str]]
"""Texts of a listing: number, white space before, characters as written."""

_LISTINGS, _PLAIN = "_listings", "_classes_of_plain_code"
NODE_TYPES: Final = (turbohtml.Element, turbohtml.Text, turbohtml.CData)
_LINES: Final = tags.table("br div li tr p")
HINTS: Final = Words(
    "codeblock code-block codesnippet code-snippet codesample code-sample sourcecode source-code "
    "highlightcode highlight-code syntaxhighlighter crayon- js-file-line-container".split()
)
_BLOCK_OF_CODE: Final = re.compile(
    r"(?<!\S)(?:code-?block|code-?snippet|code-?sample|syntaxhighlighter|crayon-(?:syntax|table)"
    r"|source-?code|highlight-?code|js-file-line-container)(?=\s|$)",
    re.IGNORECASE,
)
_BLOCK_BY_NAME: Final = re.compile(
    r"(?i)(?:^|\s)(?:(?:d-)?block|code-?block|hljs|prettyprint|highlight(?:ed)?|source-?code"
    r"|(?:language|lang)-\S+|multiline|chroma|shiki|prism)(?=\s|$)"
)
_SAYS_BLOCK: Final = re.compile(r"(?:^|\s)(?:(?:d-)?block|code-?block|multiline)(?=\s|$)")
_COUNT: Final = re.compile(r"\s*1\s*\n\s*2\s*(?:\n\s*\d+\s*){0,9999}|\s*1\s*")


def listings(page: Page, names: str | None = None) -> dict[int, list[int]]:
    """Return the listings by their first row: rows of preformatted elements and blocks of code.

    A block of code that follows another one directly is a part of the same listing. `names` are all
    classes in lower case, or '' if it is known that none of them speaks of code.
    """
    found: dict[int, list[int]] | None = vars(page).get(_LISTINGS)
    if found is None:  # kept as a lazy value is: those who choose ask, and those who write
        found = vars(page)[_LISTINGS] = _found(page, names)
    return found


def _found(page: Page, names: str | None) -> dict[int, list[int]]:
    pre = tags.preformatted(page)
    rows: list[int] = pre.tolist()
    if rows:
        rows += _with_numbers(page, pre)
    if page.tag_counts[tags.NUMBER["code"]]:
        rows += _blocks(page)
    if HINTS.are_in(page.class_text if names is None else names):
        rows += _blocks_of_code(page, pre)
    return _joined(page, _outermost(page, rows)) if rows else {}


def _outermost(page: Page, rows: list[int]) -> list[int]:
    """Return the rows in order, without those in others; of so few, one by one."""
    alone, reach = [], 0
    for row in sorted(set(rows)):
        if row >= reach:
            alone.append(row)
            reach = page.end.item(row)
    return alone


def _with_numbers(page: Page, pre: NDArray[np.integer]) -> list[int]:
    """Return the tables that set the numbers of lines beside the lines, each in a `pre`."""
    of = enclosing(page.rows_of("table"), page.end, pre)
    rows = []
    for row, table in zip(pre.tolist(), of.tolist(), strict=True):
        if table >= 0:
            first, stop = page.text_index[row], page.text_index[page.end[row]]
            if first < stop and page.text(first).lstrip().startswith("1"):
                text = "\n".join(page.some_texts(first, min(stop, first + 9999)))
                if _COUNT.fullmatch(text):
                    rows.append(table)
    return rows


def _blocks(page: Page) -> list[int]:
    """Return the `code` elements that are shown as blocks: alone where they stand, with lines."""
    rows = page.rows_of("code")
    has_text = np.zeros(len(page), bool)
    has_text[page.parent.take(page.text_rows)] = True
    rows = rows[~has_text.take(page.parent.take(rows))]
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
        if _BLOCK_BY_NAME.search(name) and (_SAYS_BLOCK.search(name) or _has_lines(page, row)):
            blocks.append(row)
    return blocks


def _has_lines(page: Page, row: int) -> bool:
    stop = page.end[row]
    texts = page.some_texts(page.text_index[row], page.text_index[stop])
    has_lines = len(texts) > 1 and bool(_LINES[page.known_tag[row:stop]].any())
    return has_lines or any("\n" in text.strip() for text in texts)


def _blocks_of_code(page: Page, pre: NDArray[np.integer]) -> list[int]:
    """Return the elements without a `pre` that say they are a block of code, and have lines."""
    numbers, names = page.classes
    chosen = [n for n in HINTS.are_in_names(names) if _BLOCK_OF_CODE.search(names[n])]
    rows = []
    for row in tags.rows_with((numbers, len(names), chosen)).tolist() if chosen else ():
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
        more = _parts(page, row, kept, whole)
        if parts and more:
            index, gap, text = more[0]
            more[0] = (index, f"\n{gap}", text)
        parts += more
    return _trimmed(parts)


def _parts(page: Page, row: int, kept: NDArray[np.bool_], whole: bool) -> Parts:
    """Return the texts of one element."""
    end = page.end.item(row)
    first, stop = page.text_index.item(row), page.text_index.item(end)
    keep = kept[first:stop]
    count = np.count_nonzero(keep)
    if not count:
        return []
    texts = page.some_texts(first, stop)
    if whole and count == stop - first and _is_plain(page, row, end):
        code = page.attributes.inner_text(row)
        if _have_same_characters(code, texts):  # not where texts were cleaned
            return [(first, "", code)]
    kinds: NDArray[np.uint8] = _KIND_OF_TAG.take(page.known_tag[row:end])
    numbers = page.classes[0][row:end]
    names = page.classes[1]
    lines = [number for number in {*numbers.tolist()} if _is_line(names[number])]
    if lines:
        kinds[tags.rows_with((numbers, len(names), lines))] |= LINE
    left_out = _left_out(page, row)
    if left_out:
        kinds[[at - row for at in left_out]] |= LEFT_OUT
    sizes = np.subtract(page.end[row:end], np.arange(row, end, dtype=np.int32))
    tokens = page.attributes.written_below(row)
    if tokens is None:
        read = kernels.below if native_available else _below
        tokens = read(*page.attributes.below(row), NODE_TYPES)
    reader = (kernels.Listing if native_available else _Listing)(first)
    return reader.read(tokens, (sizes, kinds), texts, keep.view(np.uint8))


def _is_plain(page: Page, row: int, end: int) -> bool:
    """Return whether all characters below are the code: most listings, coloured or not."""
    if page.notes or not _COLOURS.issuperset(page.known_tag[row + 1 : end].tolist()):
        return False
    if page.text(page.text_index.item(row)).strip().isdigit():
        return False  # perhaps the number of a line
    # Titles of listings are no part of a line, as all is here.
    known: set[int] = vars(page).setdefault(_PLAIN, {0})
    numbers = {*page.classes[0][row + 1 : end].tolist()} - known
    names = map(page.classes[1].__getitem__, numbers)
    if any(_way(name) in _NOT_CODE or _is_line(name) for name in names):
        return False
    known |= numbers  # most listings of a page have the same colours
    return True


def _same_characters(code: str, texts: tuple[str, ...]) -> bool:
    """Return whether texts have the characters of a code, white space aside."""
    return "".join(code.split()) == "".join("".join(texts).split())


_have_same_characters = kernels.same_characters if native_available else _same_characters

BREAK, BLOCK, LINE, NOT_TEXT, LEFT_OUT = (np.uint8(1 << bit) for bit in range(5))
"""A row is the end of a line, on lines of its own, a line by its name, no text, or not code."""
_KIND_OF_TAG: Final = (
    BREAK * tags.table("br")
    + BLOCK * ~(tags.INLINE | tags.table("td th table tbody"))
    + NOT_TEXT * tags.NOT_TEXT
)


class _Line(NamedTuple):
    """An open element that stands on lines of its own."""

    is_block: bool
    parts: int  # texts read before it
    gap: int  # length of the white space read before it


def _below(root: Any, nodes: list[Any], types: tuple[type, type, type]) -> list[str | bool]:
    """Return what is below an element, as `joeira._native.listings` does."""
    tokens: list[str | bool] = []
    opened = [(root, True)]  # False: nothing in it is looked at
    for node in nodes:
        while opened[-1][0] is not node.parent:
            if len(opened) == 1:
                return tokens  # this is below something else
            if opened.pop()[1]:
                tokens.append(False)
        is_shown = opened[-1][1] and type(node) in types
        tokens += [type(node) is types[0] or node.data] if is_shown else []
        if type(node) not in types[1:]:
            opened.append((node, is_shown))
    return tokens


class _Listing:
    """Reads the texts of one element, as `joeira._native.listings` does."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.parts: Parts = []
        self.gap = ""
        self.breaks = False  # does an element on a line of its own begin or end here?

    def read(
        self,
        tokens: list[str | bool],
        rows: tuple[NDArray[np.int32], NDArray[np.uint8]],
        texts: tuple[str, ...],
        keep: NDArray[np.uint8],
    ) -> Parts:
        """Return the texts that are kept."""
        sizes, kinds = rows
        row = index = until = hidden = 0
        opened: list[_Line | None] = []
        for token in tokens:
            if hidden:
                hidden += 0 if isinstance(token, str) else 1 if token else -1
            elif token is True:
                row += 1
                if row >= len(sizes):
                    break  # the page was cut here
                stop = row + int(sizes[row])
                if kinds[row] & LEFT_OUT:
                    until = max(until, stop)
                opened.append(self._enter(int(kinds[row])))
                if kinds[row] & NOT_TEXT:
                    self._leave(opened.pop())
                    row, hidden = stop - 1, 1
            elif token is False:
                self._leave(opened.pop())
            elif not token or token.isspace():
                self.gap += token if row + 1 >= until else ""
            else:
                row += 1
                if index == len(texts):
                    break
                if keep[index] and row >= until:
                    self._add(self.first + index, texts[index])
                elif "\n" in token and not self._has_ended():
                    self.breaks = True
                index += 1
        return self.parts

    def _enter(self, kind: int) -> _Line | None:
        """Begin an element, and return what is known of the line that it stands on."""
        if kind & BREAK:
            self.gap += "\n"
        elif kind & (BLOCK | LINE):
            if not self._has_ended():
                self.gap += "\n"
            return _Line(bool(kind & BLOCK), len(self.parts), len(self.gap))
        return None

    def _leave(self, line: _Line | None) -> None:
        if line is not None:
            is_empty = line.is_block and line.parts == len(self.parts) > 0
            if is_empty and "\n" not in self.gap[line.gap :]:
                self.gap += "\n"
            self.breaks = True

    def _has_ended(self) -> bool:
        return "\n" in self.gap or not self.parts or self.parts[-1][2].endswith("\n")

    def _add(self, index: int, text: str) -> None:
        if self.breaks and not self._has_ended():
            self.gap = f"\n{self.gap}"
        self.parts.append((index, self.gap, text))
        self.gap, self.breaks = "", False


def _left_out(page: Page, row: int) -> set[int]:
    """Return the elements of a listing that are not part of the code."""
    stop, names = page.end.item(row), page.classes[1]
    numbers, before = page.classes[0][row:stop], page.text_index.item(row)
    texts = page.some_texts(before, page.text_index.item(stop))
    ways = {number: _way(names[number]) for number in {*numbers.tolist()}}
    telling = [number for number, way in ways.items() if way != _IS_CODE]
    columns = (
        (page.known_tag[row:stop], tags.FIRST_FOREIGN + 1, [_BUTTON, _CELL]),
        (numbers, len(names), telling),
    )
    chosen = set()
    for at in (row + tags.rows_with(*columns)).tolist():
        tag, way = page.tag.item(at), ways[page.classes[0].item(at)]
        first, last = (page.text_index.item(each) - before for each in (at, page.end.item(at)))
        if at == row or tag == tags.TEXT or first == last:
            continue
        if way == _IS_BESIDE or tag == _BUTTON:
            chosen.add(at)
        elif way == _IS_NUMBERING or tag == _CELL:
            if all(map(_DIGITS.fullmatch, texts[first:last])):
                chosen.add(at)
        elif way == _IS_HEAD and first == 0 and _is_head(page, at):
            chosen.add(at)
    groups: dict[tuple[int, int], list[int]] = {}
    for number in compress(range(before, before + len(texts)), map(_NUMBER.fullmatch, texts)):
        at = page.text_rows.item(number) - 1
        if at > row and page.tag[at] != tags.TEXT and page.end[at] == at + 2:  # around one text
            groups.setdefault((page.tag.item(at), page.classes[0].item(at)), []).append(at)
    return chosen.union(*(group for group in groups.values() if _counts(page, row, group)))


_BUTTON, _CELL = tags.NUMBER["button"], tags.NUMBER["td"]
_IS_CODE, _IS_BESIDE, _IS_NUMBERING, _IS_HEAD = range(4)
_NOT_CODE: Final = (_IS_BESIDE, _IS_NUMBERING)


@cached_if_short(entries=1 << 12, longest=100)  # listings of a site share their names
def _is_line(name: str) -> bool:
    return _NAMED_LINE.search(name) is not None


@cached_if_short(entries=1 << 12, longest=100)
def _way(name: str) -> int:
    """Return what the class of an element in a listing says that it is."""
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
    text = "".join(page.some_texts(first, last)).strip()
    return "\n" not in text and len(text) <= _MAX_HEAD_CHARS


def _counts(page: Page, row: int, group: list[int]) -> bool:
    """Return whether elements number the lines: each first on its line, 1, 2, 3 ..."""
    values = [int(page.text(page.text_index.item(at))) for at in group]
    if len(values) == 1 or values != [*range(values[0], values[0] + len(values))]:
        return False
    return all(_is_first(page, row, at) for at in group)


def _is_first(page: Page, row: int, at: int) -> bool:
    """Return whether an element has the first text of its line."""
    text = int(page.text_index[at])
    parent = int(page.parent[at])
    if parent != row and page.text_index[parent] == text and page.end[parent] > page.end[at]:
        return True
    return text == page.text_index[row] or page.text(text - 1).endswith("\n")


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
_CODE_TAGS: Final = "#text code span a b i em strong u s var kbd samp font mark ins del tt"
_COLOURS: Final = frozenset(map(tags.NUMBER.__getitem__, _CODE_TAGS.split()))
_FOREIGN_TO_CODE: Final = tags.table(
    "h1 h2 h3 h4 h5 h6 p ul ol dl img figure form blockquote article section pre"
)
_NAMED_LINE: Final = re.compile(r"(?:^|\s)(?:(?:\w+-)?line|codeline|loc)(?=\s|$)")
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
_NUMBER: Final = re.compile(r"\s*\d{1,6}\s*")
