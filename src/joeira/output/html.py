"""Clean, safe HTML of the kept texts and the structure around them.

Written row by row, not through a parser's serialiser: only kept rows are rendered, and the page is
never copied or changed to get rid of the others. Nothing is copied from the source but text and the
few attributes named here, so scripts, styles and event handlers have no way in.

The writer keeps to a grammar that parses to itself. *Containers* (lists, tables, quotations,
figures) nest as the page nests them; an element in the wrong place gets the parent that it lacks.
Text stands in *runs*: a heading, a paragraph, or the bare text of a list item or cell with a single
run. *Inline* elements are opened inside each run, each at most once, so that none ever encloses a
block. One pass over the rows with a stack; no recursion.
"""

from __future__ import annotations

from html import escape
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import collapse
from joeira.output.formulas import Formula
from joeira.output.grammar import FLOW, RENAMED, SINGLE, Inline
from joeira.output.runs import Runs
from joeira.output.selection import CONTAINERS, INLINE, language_of
from joeira.output.show import ALL, Show
from joeira.output.verbatim import listing
from joeira.page import Page, addresses, tags
from joeira.page.tables import attributes_of

_KIND_OTHER, _KIND_TEXT, _KIND_CONTAINER, _KIND_INLINE = range(4)
_KIND = np.zeros(tags.FIRST_FOREIGN + 1, np.int8)
_KIND[CONTAINERS] = _KIND_CONTAINER
_KIND[INLINE] = _KIND_INLINE
_KIND[tags.TEXT] = _KIND_TEXT


def render(page: Page, keep: NDArray[np.bool_], show: Show = ALL) -> str:
    """Return the kept texts as clean, safe HTML."""
    return Writer(page, keep, show).write()


class Writer(Runs):
    """Writes the selected rows of one page."""

    renamed: ClassVar[dict[str, str]] = RENAMED

    def write(self) -> str:
        """Return the HTML of the selected rows."""
        page, selection = self.page, self.selection
        end = page.end[selection.rows].tolist()
        kinds = _KIND[page.known_tag[selection.rows]].tolist()
        blocks = page.blocks.of_text.tolist()
        index = page.text_index[selection.rows].tolist()
        for row, stop, kind, text in zip(selection.rows.tolist(), end, kinds, index, strict=True):
            self._leave(row)
            if kind == _KIND_TEXT:
                self._text(row, text, blocks[text])
            elif kind == _KIND_INLINE:
                self._enter_inline(row, stop)
            elif kind == _KIND_CONTAINER:
                self._enter_container(row, stop)
            else:
                self._other(row, stop)
        while len(self.containers) > 1:
            self._close_container()
        self._close_run()
        return "".join(self.out)

    def _enter_inline(self, row: int, stop: int) -> None:
        tag = self.page.tag_name(row)
        tag = self.renamed.get(tag, tag)
        if any(tag == outer.tag for outer in self.inline) or not self.show.has(tag):
            return
        inline = self._inline(tag)
        if tag == "a":
            href = self.page.attributes.get(row, "href") or ""
            address = addresses.clean(href, self.base, addresses.LINK_SCHEMES)
            if not address:
                return
            inline = Inline(row, tag, f'<a href="{self._address(address)}">', "</a>")
        self.inline.append(inline)
        self.inline_ends.append(stop)

    def _inline(self, tag: str) -> Inline:
        return Inline(tag, tag, f"<{tag}>", f"</{tag}>")

    def _address(self, address: str) -> str:
        """Return a clean address as it is written in an attribute."""
        return escape(address)

    def _enter_container(self, row: int, stop: int) -> None:
        tag = self.page.tag_name(row)
        tag = self.renamed.get(tag, tag)
        if self._place(tag):
            self._open_container(tag, stop, attributes_of(self.page, tag, row, self.spans))

    def _text(self, row: int, index: int, block: int) -> None:
        run = self.run
        adjacent = index > 0 and self.keep[index - 1] and run is not None and run.block == block
        space = self.spaces[index] or not (adjacent or self.after_formula)
        self.after_formula = False
        self._put(row, block, self._content(index), space)

    def _content(self, index: int) -> str:
        """Return a text as it is written."""
        return self._escape(collapse(self.page.texts[index]))

    def _escape(self, text: str) -> str:
        return escape(text)

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
                self._close_run()
                self.out.append("<hr>")
        else:
            self._close_run()
            self.heading = (stop, tag)

    def _image(self, row: int) -> None:
        alt = self.page.attributes.get(row, "alt") if self.show.alternatives else ""
        alt = self._escape(collapse(alt or ""))
        address = self._address(self.selection.images[row])
        self._put(row, -1, f'<img src="{address}" alt="{alt}">', space=True)

    def _formula(self, row: int) -> None:
        formula = self.selection.formulas.found[row]
        first, stop = (int(self.page.text_index[at]) for at in (row, self.page.end[row]))
        kept = (self._content(index) for index in range(first, stop) if self.keep[index])
        content = self._tex(formula) if formula.tex else " ".join(kept)
        apart = formula.displayed and bool(formula.tex) and self.containers[-1].tag not in SINGLE
        if apart:
            self._close_run()
        self._put(row, -1, content, space=first == stop or self.spaces[first])
        if apart:
            self._close_run()
        elif self.run:
            self.run.block = -1  # the text after a formula goes on in the same paragraph
            self.after_formula = True

    def _tex(self, formula: Formula) -> str:
        """Return TeX between the marks by which scripts that draw formulas find it."""
        start, stop = ("\\[", "\\]") if formula.displayed else ("\\(", "\\)")
        return start + escape(formula.tex) + stop

    def _listing(self, row: int) -> None:
        self._place("")
        text = "".join(gap + text for _, gap, text in listing(self.page, row, self.keep))
        language = language_of(self.page, row)
        start = f'<code class="language-{escape(language)}">' if language else "<code>"
        self.out.append(f"<pre>{start}{self._escape(text)}</code></pre>")
