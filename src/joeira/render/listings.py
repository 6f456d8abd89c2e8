"""Listings: code and other text whose lines mean something, and the language that it declares.

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

from joeira.arrays.trees import enclosing, outermost
from joeira.page import Page, tags

Parts = list[tuple[int, str, str]]
"""Texts of a listing: number, white space before, characters as written."""

PREFORMATTED = tags.table("pre listing xmp plaintext")
_LINES: Final = tags.table("br div li tr p")
_HINTS: Final = ("code", "highlight", "hljs", "crayon", "source")
_BLOCK_OF_CODE: Final = re.compile(
    r"(?:^|\s)(?:code-?block|code-?snippet|code-?sample|syntaxhighlighter|crayon-(?:syntax|table)"
    r"|source-?code|highlight-?code|code-?area)(?=\s|$)",
    re.IGNORECASE,
)
_BLOCK: Final = re.compile(
    r"(?:^|\s)(?:(?:d-)?block|code-?block|hljs|prettyprint|highlight(?:ed)?|source-?code"
    r"|(?:language|lang)-\S+|multiline|chroma|shiki|prism)(?=\s|$)",
    re.IGNORECASE,
)
_SAYS_BLOCK: Final = re.compile(r"(?:^|\s)(?:(?:d-)?block|code-?block|multiline)(?=\s|$)")
_COUNT: Final = re.compile(r"\s*1\s*\n\s*2\s*(?:\n\s*\d+\s*){0,9999}|\s*1\s*")


def listings(page: Page) -> dict[int, list[int]]:
    """Return the listings by their first row: rows of preformatted elements and blocks of code.

    A block of code that follows another one directly is a part of the same listing.
    """
    pre: NDArray[np.integer] = PREFORMATTED.take(page.known_tag).nonzero()[0]
    rows = pre
    if len(pre):
        rows = np.union1d(pre, _with_numbers(page, pre))
    codes = page.rows_of("code")
    if len(codes):
        rows = np.union1d(rows, [row for row in codes.tolist() if _is_block(page, row)])
    if any(hint in page.class_text for hint in _HINTS):
        rows = np.union1d(rows, _blocks_of_code(page, pre))
    rows = outermost(rows.astype(np.int64), page.end)
    return _joined(page, rows.tolist())


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


def _is_block(page: Page, row: int) -> bool:
    """Return whether a `code` is shown as a block: alone where it stands, with lines."""
    name = page.classes[1][page.classes[0][row]]
    if not name or not _BLOCK.search(name):
        return False
    parent = int(page.parent[row])
    if any(text.strip() for text in page.attributes.direct_texts(parent)):
        return False
    return _SAYS_BLOCK.search(name) is not None or _has_lines(page, row)


def _has_lines(page: Page, row: int) -> bool:
    stop = page.end[row]
    texts = page.texts[page.text_index[row] : page.text_index[stop]]
    if any("\n" in text.strip() for text in texts):
        return True
    return len(texts) > 1 and bool(_LINES[page.known_tag[row:stop]].any())


def _blocks_of_code(page: Page, pre: NDArray[np.integer]) -> list[int]:
    """Return the elements without a `pre` that say they are a block of code, and have lines."""
    numbers, names = page.classes
    chosen = [number for number, name in enumerate(names) if _BLOCK_OF_CODE.search(name)]
    rows = []
    for row in np.flatnonzero(np.isin(numbers, chosen)).tolist():
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


def code_of(page: Page, rows: Sequence[int], kept: NDArray[np.bool_]) -> Parts:
    """Return the kept texts of a listing: number, white space before it, characters.

    Blank lines at the edges are left out, and so is white space at the end.
    """
    parts: Parts = []
    for row in rows:
        more = _Listing(page, row, kept).read()
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


_ONE_TEXT_ROWS: Final = 3
"""Rows of a `pre` with one text, perhaps in a `code`: most listings."""


class _Listing:
    """Reads the texts of one element."""

    def __init__(self, page: Page, row: int, kept: NDArray[np.bool_]) -> None:
        self.page = page
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
        if self.stop - self.first == 1 and self.page.end[self.row] - self.row <= _ONE_TEXT_ROWS:
            return [(self.first, "", self.page.texts[self.first])]
        page, row, index = self.page, self.row, self.first
        left_out = _left_out(page, self.row)
        until = 0
        lines: list[_Line | None] = []
        for name, text in page.attributes.nodes(self.row):
            if name:
                row += 1
                if row >= page.end[self.row]:
                    break  # the page was cut here
                if row in left_out:
                    until = max(until, int(page.end[row]))
                lines.append(self._enter(row, name))
                if tags.NOT_TEXT[page.known_tag[row]]:
                    row = int(page.end[row]) - 1
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
    """Return the elements of a listing that are no part of what it lists."""
    stop = int(page.end[row])
    rows = [at for at in range(row + 1, stop) if page.tag[at] != tags.TEXT]
    if len(rows) > _MAX_ELEMENTS:
        return frozenset()
    numbers, names = page.classes
    chosen = set()
    for at in rows:
        first, last = int(page.text_index[at]), int(page.text_index[page.end[at]])
        if first == last:
            continue
        name = names[numbers[at]]
        tag = page.tag[at]
        if tag == tags.NUMBER["button"] or (name and _BESIDE.search(name)):
            chosen.add(at)
        elif (name and _NUMBERING.search(name)) or tag == tags.NUMBER["td"]:
            if all(_DIGITS.fullmatch(text) for text in page.texts[first:last]):
                chosen.add(at)
        elif name and last - first < 4 and first == page.text_index[row] and _is_head(page, at):
            chosen.add(at)
    return frozenset(chosen | _counting(page, row, rows))


def _is_head(page: Page, row: int) -> bool:
    """Return whether the first element of a listing is its title: a language, a file."""
    name = page.classes[1][page.classes[0][row]]
    if tags.INLINE[page.known_tag[row]] or not _HEAD.search(name):
        return False
    return "\n" not in page.text_of(row) and len(page.text_of(row)) <= _MAX_HEAD_CHARS


def _counting(page: Page, row: int, rows: list[int]) -> set[int]:
    """Return the elements that number the lines: alike, each first on its line, 1, 2, 3 ..."""
    groups: dict[tuple[int, int], list[int]] = {}
    for at in rows:
        if page.end[at] == at + 2 and page.is_text[at + 1]:
            text = page.texts[page.text_index[at]].strip()
            if text.isdigit() and len(text) < 7:
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


def language_of(page: Page, row: int) -> str:
    """Return the programming language that a listing declares, '' when it declares none.

    It is written on the element, on the `code` in it, on one of the three elements around it, or
    above it as a label.
    """
    places = [row]
    if row + 1 < page.end[row] and page.tag[row + 1] == tags.NUMBER["code"]:
        places.insert(0, row + 1)
    own = len(places)
    for _ in range(3):
        places.append(max(int(page.parent[places[-1]]), 0))
    places[own] = max(int(page.parent[row]), 0)
    for number, place in enumerate(places):
        language = _declared(page, place, is_own=number < own)
        if language:
            return "" if language in _NO_LANGUAGES else language
    return _label(page, row, places[own:])


def _declared(page: Page, row: int, *, is_own: bool) -> str:
    attributes = page.attributes.of(row)
    for name in _LANGUAGE_ATTRIBUTES:
        value = attributes.get(name, "").strip().lower()
        if value and re.fullmatch(r"[\w+#.-]{1,30}", value):
            return value
    name = attributes.get("class", "")
    match = _LANGUAGE.search(name)
    if match and (match[1] or match[2].lower() in _LANGUAGES):
        return (match[1] or match[2]).lower()
    words = name.lower().split()
    if is_own or not _MARKS_CODE.isdisjoint(words):
        return next((word for word in words if word in _LANGUAGES), "")
    return ""


def _label(page: Page, row: int, around: list[int]) -> str:
    """Return a language that stands alone above a listing, in an element with nothing else."""
    last = int(page.text_index[row])
    for place in around:
        first = int(page.text_index[place])
        if (
            last - first > _MAX_LABELS
            or page.text_index[page.end[place]] > page.text_index[page.end[row]] + _MAX_LABELS
        ):
            break
        for text in page.texts[first:last]:
            word = text.strip().lower()
            if word in _LANGUAGES:
                return word
    return ""


_MAX_ELEMENTS: Final = 100_000
_MAX_HEAD_CHARS: Final = 80
_MAX_LABELS: Final = 3
_IN_LINES: Final = frozenset({"td", "th", "table", "tbody"})
_FOREIGN_TO_CODE: Final = tags.table(
    "h1 h2 h3 h4 h5 h6 p ul ol dl img figure form blockquote article section pre"
)
_LINE: Final = re.compile(r"(?:^|\s)(?:(?:\w+-)?line|codeline|loc)(?=\s|$)")
_NUMBERING: Final = re.compile(
    r"(?:^|[\s_-])(?:line-?num(?:ber)?s?|linenos?|line-no|gutter|lnt?|ln-num(?:ber)?s?"
    r"|crayon-nums?|blob-num)(?=$|[\s_-])",
    re.IGNORECASE,
)
_BESIDE: Final = re.compile(
    r"(?:^|[\s_-])(?:copy|clipboard|toolbar|tooltip|hover-info|popup|popover|sr-only"
    r"|visually-hidden|screen-reader-text)(?=$|[\s_-])",
    re.IGNORECASE,
)
_HEAD: Final = re.compile(
    r"(?:^|[\s_-])(?:header|title|file-?name|caption|label|lang(?:uage)?)(?=$|[\s_-])",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"[\d\s.:|]+")
_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:(?:language-|lang-|highlight-source-|brush:\s*)([\w+#.-]{1,30})"
    r"|(?:highlight|code|syntax)-([\w+#.-]{1,30}))(?=[\s;]|$)"
)
_LANGUAGE_ATTRIBUTES: Final = (
    "data-lang", "data-language", "data-code-lang", "data-code-language", "data-enlighter-language",
    "language",
)  # fmt: skip
_MARKS_CODE: Final = frozenset(
    "hl hljs highlight sourcecode code codehilite chroma shiki prettyprint code-block "
    "codeblock".split()
)
_NO_LANGUAGES: Final = frozenset(
    "auto default ignore no-highlight nohighlight none null plain plain-text plaintext text "
    "txt undefined unknown".split()
)
"""What highlighters write where a language would stand and none was chosen."""
_LANGUAGES: Final = frozenset(
    "abap actionscript ada agda apache apl applescript arduino asm assembly awk bash basic "
    "batch bat c# c++ clojure cmake cobol coffeescript console cpp crystal csharp css cuda "
    "cython dart delphi diff docker dockerfile elixir elm erlang fortran fsharp f# glsl go "
    "golang gradle graphql groovy haskell haxe hcl hlsl html http idris ini java javascript "
    "jinja js json json5 jsonc jsx julia kotlin latex lean lean4 less lisp llvm lua "
    "makefile markdown mathematica matlab mermaid mysql nginx nim nix objective-c "
    "objectivec ocaml octave pascal perl pgsql php plsql postgresql powershell prisma "
    "prolog proto protobuf puppet purescript python py pycon python3 racket reason rescript "
    "ruby rust rs sas sass scala scheme scss sh shell shell-session smalltalk solidity "
    "sparql sql stata svelte svg swift tcl terraform tex toml ts tsx typescript vb vba "
    "vbnet verilog vhdl vim vue wasm xml xquery yaml yml zig zsh".split()
)
