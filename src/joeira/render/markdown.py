"""Markdown (GFM) of the kept texts, through turbohtml's renderer.

The renderer gets our own safe HTML, prepared in three ways. Tables of data come as plain grids
whose cells hold a line each, because pipe tables know no spans, captions or blocks: what a renderer
cannot write as pipes it leaves as HTML. Tables that only lay out the page are dissolved.
Parentheses in addresses are percent-encoded, so that no reader of Markdown ends a link too early.

Emphasis and footnotes are our own. The renderer would fall back to HTML tags wherever a letter
beyond ASCII stands beside emphasis, and would escape the brackets of ``[^1]``. Whether ``**``
begins or ends emphasis depends on the characters beside it (CommonMark's *flanking* rules), and
those are known only when the Markdown is finished. Until then Unicode noncharacters, which no text
may hold, stand for both.
"""

from __future__ import annotations

import re
from typing import ClassVar
from unicodedata import category

import numpy as np
import turbohtml
from numpy.typing import NDArray

from joeira.arrays.strings import collapse
from joeira.page import Page
from joeira.page.tables import MAX_COLUMN_SPAN, Grid, data_tables, whole
from joeira.render.footnotes import Footnotes, find
from joeira.render.formulas import Formula, draws_tex, split_tex
from joeira.render.html import RENAMED, SINGLE, Container, Inline, Run, Writer
from joeira.render.selection import ALL, Show

MARKS = {
    "strong": ("\ufdd0", "\ufdd1"),
    "em": ("\ufdd2", "\ufdd3"),
    "del": ("\ufdd4", "\ufdd5"),
}
_SYMBOLS = {"\ufdd0": ("**", "strong"), "\ufdd2": ("*", "em"), "\ufdd4": ("~~", "del")}
_STARTS = frozenset(start for start, _ in MARKS.values())
_STOPS = frozenset(stop for _, stop in MARKS.values())
_ANY = re.compile("[\ufdd0-\ufdd5]")
_RESERVED = re.compile("[\ufdd0-\ufddd]")
_WITHIN_WORD = re.compile(r"(?<=[^\W_])_(?=[^\W_])")
_UNDERSCORE = "\ufddd"


def without_marks(text: str) -> str:
    """Return the text without the characters used as marks, also for formulas and footnotes."""
    return _RESERVED.sub("", text)


def with_bare_underscores(text: str) -> str:
    """Return the text with marks for underscores that nobody needs to escape.

    Between letters and digits an underscore never is emphasis, and escaped names are hard to read.
    """
    return _WITHIN_WORD.sub(_UNDERSCORE, text) if "_" in text else text


def with_emphasis(markdown: str) -> str:
    """Return the Markdown with its marks made stars, tildes, tags or underscores."""
    markdown = markdown.replace(_UNDERSCORE, "_")
    marks = [match.start() for match in _ANY.finditer(markdown)]
    if not marks:
        return markdown
    replaced: dict[int, str] = {}
    starts: list[int] = []
    for place in marks:
        if markdown[place] in _STARTS:
            starts.append(place)
        elif starts:
            start = starts.pop()
            symbol, tag = _SYMBOLS[markdown[start]]
            if _opens(markdown, start) and _closes(markdown, place):
                replaced[start] = replaced[place] = symbol
            else:
                replaced[start], replaced[place] = f"<{tag}>", f"</{tag}>"
    pieces = []
    done = 0
    for place in marks:
        pieces += [markdown[done:place], replaced.get(place, "")]
        done = place + 1
    return "".join(pieces) + markdown[done:]


def _opens(text: str, place: int) -> bool:
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if before in _STOPS:
        return False  # "**a**" and "*b*" side by side would run into each other
    return not _is_space(after) and (not _is_mark(after) or _is_space(before) or _is_mark(before))


def _closes(text: str, place: int) -> bool:
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    return not _is_space(before) and (not _is_mark(before) or _is_space(after) or _is_mark(after))


def _is_space(character: str) -> bool:
    return not character or character.isspace()


def _is_mark(character: str) -> bool:
    """Return whether Markdown takes a character for punctuation; our marks will become some."""
    return category(character)[0] in "PS" or character in _STARTS or character in _STOPS


_REFERENCE = re.compile("\ufdd8([^\ufdd9]*)\ufdd9")
_NOTE = re.compile("\ufdda([^\ufddb]*)\ufddb\\s*(.*?)\\s*\ufddc", re.DOTALL)
_BEFORE_LINE = re.compile(r"\n(?=[^\n])")
_AROUND_REFERENCES = frozenset({"a", "sup", "small"})


def with_footnotes(markdown: str) -> str:
    """Return Markdown with the footnotes that it holds as GFM writes them."""
    return _NOTE.sub(_note, _REFERENCE.sub(r"[^\1]", markdown))


def _note(match: re.Match[str]) -> str:
    return f"[^{match[1]}]: " + _BEFORE_LINE.sub("\n    ", match[2])


def _spaced(page: Page, index: int) -> bool:
    """Return whether white space is written before a text: a reference stands close by itself."""
    before = page.texts[index - 1][-1:] if index else ""
    return bool(page.gap_before[index]) or before.isspace() or page.texts[index][:1].isspace()


class FootnoteWriter(Writer):
    """Writes marks for footnotes; what is read from it goes through `with_footnotes`."""

    def __init__(self, page: Page, keep: NDArray[np.bool_], show: Show) -> None:
        """Choose the rows to write, and find the footnotes among them."""
        super().__init__(page, keep, show)
        self.footnotes = find(page, keep, self.selection) if show.links else Footnotes()
        for index in self.footnotes.borders:
            if index < len(page.texts):
                self.spaces[index] = _spaced(page, index)
        self.waiting = self.footnotes.notes[::-1]
        self.dissolved = self.footnotes.lists | {note.start for note in self.waiting}

    def _leave(self, row: int) -> None:
        super()._leave(row)
        while self.waiting and self.waiting[-1].start <= row:
            note = self.waiting.pop()
            self._place("")
            self.out.append(f"<p>\ufdda{note.label}\ufddb</p>")
            self.containers.append(Container("", note.stop))

    def _close_container(self) -> None:
        if self.containers[-1].tag:
            super()._close_container()
            return
        self._close_run()
        self.containers.pop()
        self.out.append("<p>\ufddc</p>")

    def _enter_container(self, row: int, stop: int) -> None:
        if row not in self.dissolved:
            super()._enter_container(row, stop)

    def _text(self, row: int, index: int, block: int) -> None:
        if index in self.footnotes.silent:
            return
        around = self.inline
        if index in self.footnotes.references:
            self.inline = [outer for outer in around if outer.tag not in _AROUND_REFERENCES]
        super()._text(row, index, block)
        self.inline = around

    def _content(self, index: int) -> str:
        label = self.footnotes.references.get(index)
        if label is not None:
            return f"\ufdd8{label}\ufdd9"
        content = super()._content(index)
        return content.lstrip(" .):]") if index in self.footnotes.after_number else content


_TABLE_TAGS = frozenset("table caption thead tbody tfoot tr td th".split())
_VERBATIM = frozenset({"code", "kbd", "samp"})
_CAPTURED = frozenset({"caption", "td", "th"})
_PARENTHESES = str.maketrans({"(": "%28", ")": "%29"})
_FORMULA = re.compile("\ufdd6([0-9]+)\ufdd7")
"""Stands for a formula until the renderer, which would escape TeX, is done."""
_SETTINGS = turbohtml.Markdown(tables=turbohtml.Markdown.Tables(header="first", cell_blocks="html"))


def render(page: Page, keep: NDArray[np.bool_], show: Show = ALL) -> str:
    """Return the kept texts as Markdown."""
    writer = _MarkdownWriter(page, keep, show)
    html = writer.write()
    if not html:
        return ""
    document = turbohtml.parse(html, allow_declarative_shadow_roots=False)
    written = with_emphasis(with_footnotes(document.to_markdown(_SETTINGS)))
    return _FORMULA.sub(lambda match: writer.tex[int(match[1])], written) if writer.tex else written


class _MarkdownWriter(FootnoteWriter):
    """Writes HTML that the Markdown renderer can render without loss."""

    renamed: ClassVar[dict[str, str]] = {
        **RENAMED,
        "b": "strong",
        "i": "em",
        "s": "del",
        "strike": "del",
        # Markdown has no lists of definitions: terms become bold items.
        "dl": "ul",
        "dt": "li",
        "dd": "li",
    }

    def __init__(self, page: Page, keep: NDArray[np.bool_], show: Show) -> None:
        super().__init__(page, keep, show)
        self.data_tables = frozenset(data_tables(page).tolist())
        self.grid: Grid | None = None
        self.around: list[str] = []
        self.spans_of_cell = (1, 1)
        self.tex: list[str] = []
        self.draws_tex = show.formulas and draws_tex(page)

    def _content(self, index: int) -> str:
        verbatim = any(outer.tag in _VERBATIM for outer in self.inline)
        if verbatim or not self.draws_tex or index in self.footnotes.references:
            return super()._content(index)
        parts = split_tex(collapse(self.page.texts[index]))
        return "".join(
            self._escape(part) if isinstance(part, str) else self._tex(part) for part in parts
        )

    def _tex(self, formula: Formula) -> str:
        apart = formula.displayed and self.containers[-1].tag not in SINGLE
        mark = "$$" if apart else "$"
        tex = formula.tex if self.grid is None else formula.tex.replace("|", r"\vert ")
        self.tex.append(f"{mark}{tex}{mark}")
        return f"\ufdd6{len(self.tex) - 1}\ufdd7"

    def _enter_container(self, row: int, stop: int) -> None:
        tag = self.page.tag_name(row)
        if self.grid is None and tag in _TABLE_TAGS and row not in self.data_tables:
            return
        if self.grid is not None and tag not in _TABLE_TAGS:
            return
        if tag in {"td", "th"}:
            columns = whole(self.page.attributes.get(row, "colspan"), MAX_COLUMN_SPAN)
            self.spans_of_cell = (max(columns, 1), self.spans.get(row, 1))
        super()._enter_container(row, stop)
        if tag == "dt" and not any(outer.tag == "strong" for outer in self.inline):
            self.inline.append(self._inline("strong"))
            self.inline_ends.append(stop)

    def _open_container(self, tag: str, stop: int, attributes: str = "") -> None:
        if tag not in _TABLE_TAGS:
            super()._open_container(RENAMED.get(tag, tag), stop, attributes)
            return
        if tag == "table":
            self.grid = Grid()
        elif tag == "tr" and self.grid:
            self.grid.start_row()
        elif tag in _CAPTURED:
            self.around, self.out = self.out, []
        self.containers.append(Container(tag, stop))

    def _close_container(self) -> None:
        tag = self.containers[-1].tag
        if tag not in _TABLE_TAGS or self.grid is None:
            super()._close_container()
            return
        self._close_run()
        self.containers.pop()
        if tag == "table":
            caption = f"<p>{self.grid.caption}</p>" if self.grid.caption else ""
            self.out.append(caption + self.grid.html())
            self.grid = None
        elif tag in _CAPTURED:
            content = "".join(self.out)
            self.out = self.around
            if tag == "caption":
                self.grid.caption += content
            else:
                self.grid.add(f"<{tag}>{content}</{tag}>", *self.spans_of_cell)

    def _open_run(self, row: int, block: int) -> Run:
        run = self.run
        if self.grid is not None and run is not None and self.containers[-1].tag in _CAPTURED:
            run.block = block
            return run
        return super()._open_run(row, block)

    def _put(self, row: int, block: int, content: str, space: bool) -> None:
        run = self.run
        if self.grid is not None and run is not None and block not in (run.block, -1):
            self.breaks = max(self.breaks, 1)
        super()._put(row, block, content, space)

    def _inline(self, tag: str) -> Inline:
        verbatim = any(outer.tag in _VERBATIM for outer in self.inline)
        marks = ("", "") if verbatim else MARKS.get(tag)
        return super()._inline(tag) if marks is None else Inline(tag, tag, *marks)

    def _escape(self, text: str) -> str:
        return with_bare_underscores(without_marks(super()._escape(text)))

    def _address(self, address: str) -> str:
        return super()._address(address).translate(_PARENTHESES)
