"""Markdown (GFM) of the kept texts, through turbohtml's renderer.

The renderer gets our own safe HTML, prepared in three ways. Tables of data come as plain grids
whose cells hold a line each, because pipe tables know no spans, captions or blocks: what a renderer
cannot write as pipes it leaves as HTML. Tables that only lay out the page are dissolved.
Parentheses in addresses are percent-encoded, so that no reader of Markdown ends a link too early.

Emphasis is our own, see `joeira.output.emphasis`: the renderer falls back to HTML tags wherever a
letter beyond ASCII stands beside it.
"""

from __future__ import annotations

import re
from typing import ClassVar

import numpy as np
import turbohtml
from numpy.typing import NDArray

from joeira.arrays.strings import collapse
from joeira.output import emphasis
from joeira.output.footnote_writer import FootnoteWriter, with_footnotes
from joeira.output.formulas import Formula, draws_tex, split_tex
from joeira.output.grammar import MAX_COLUMN_SPAN, RENAMED, SINGLE, Container, Inline, Run
from joeira.output.show import ALL, Show
from joeira.page import Page
from joeira.page.tables import Grid, data_tables, whole

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
    written = emphasis.with_emphasis(with_footnotes(document.to_markdown(_SETTINGS)))
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
        marks = ("", "") if verbatim else emphasis.MARKS.get(tag)
        return super()._inline(tag) if marks is None else Inline(tag, tag, *marks)

    def _escape(self, text: str) -> str:
        return emphasis.with_bare_underscores(emphasis.without_marks(super()._escape(text)))

    def _address(self, address: str) -> str:
        return super()._address(address).translate(_PARENTHESES)
