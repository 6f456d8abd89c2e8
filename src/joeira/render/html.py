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

from dataclasses import dataclass, field
from html import escape
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import collapse
from joeira.page import Page, addresses, tags
from joeira.page.tables import attributes_of, row_spans
from joeira.render.formulas import Formula
from joeira.render.selection import ALL, CONTAINERS, INLINE, Selection, Show, language_of, listing

RENAMED: Final = {"menu": "ul", "dir": "ul", "strike": "s", "tt": "code", "dfn": "em"}
FLOW: Final = frozenset("li dt dd td th caption blockquote figure figcaption".split()) | {""}
SINGLE: Final = frozenset("li dt dd td th caption figure figcaption".split())
"""Containers whose only run of text needs no paragraph of its own."""
PARENTS: Final = {
    "li": ("ul", "ol"),
    "dt": ("dl",),
    "dd": ("dl",),
    "caption": ("table",),
    "thead": ("table",),
    "tbody": ("table",),
    "tfoot": ("table",),
    "tr": ("thead", "tbody", "tfoot"),
    "td": ("tr",),
    "th": ("tr",),
    "figcaption": ("figure",),
}
NEXT: Final = {
    "ul": "li", "ol": "li", "dl": "dd", "table": "tbody",
    "thead": "tr", "tbody": "tr", "tfoot": "tr", "tr": "td",
}  # fmt: skip
"""The child to open in a container that cannot hold text itself."""
MISSING_PARENT: Final = {"li": "ul", "dt": "dl", "dd": "dl"}


class Inline(NamedTuple):
    """An inline element around a row; equal ones next to each other are written as one."""

    key: object
    tag: str
    start: str
    stop: str


@dataclass
class Container:
    """An open container; `implied` ones are closed by whatever does not fit into them."""

    tag: str
    end: int
    implied: bool = False
    bare: tuple[int, int] | None = None
    """Where the start and end tag of its first run would stand in the output."""
    runs: int = 0


@dataclass
class Run:
    """The open run of text: its tag, its block, and the inline elements open in it."""

    tag: str
    owner: int
    block: int
    opened: list[Inline] = field(default_factory=list)
    empty: bool = True
    worded: bool = False
    """Does it hold text, not only images?"""


class Runs:
    """The open containers and the open run of one output."""

    def __init__(self, page: Page, keep: NDArray[np.bool_], show: Show = ALL) -> None:
        """Choose the rows to write."""
        self.page = page
        self.keep = keep
        self.show = show
        self.selection = Selection(page, keep, show)
        self.base = addresses.base_of(page)
        self.spans = row_spans(page, self.selection.needed)
        self.spaces = page.space_before.tolist()
        self.out: list[str] = []
        self.containers = [Container("", len(page) + 1)]
        self.inline: list[Inline] = []
        self.inline_ends: list[int] = []
        self.run: Run | None = None
        self.heading = (-1, "")
        self.breaks = 0
        self.after_formula = False

    def _leave(self, row: int) -> None:
        while self.inline and self.inline_ends[-1] <= row:
            self.inline.pop()
            self.inline_ends.pop()
        while self.containers[-1].end <= row:
            self._close_container()

    def _close_container(self) -> None:
        self._close_run()
        self.out.append(f"</{self.containers.pop().tag}>")

    def _open_container(self, tag: str, stop: int, attributes: str = "") -> None:
        self.out.append(f"<{tag}{attributes}>")
        self.containers.append(Container(tag, stop))

    def _place(self, tag: str) -> bool:
        """Make the innermost container one that holds `tag` ('' for a run); False if none can."""
        self._close_run()
        parents = PARENTS.get(tag)
        while True:
            top = self.containers[-1]
            if (top.tag in parents) if parents else (top.tag in FLOW):
                return True
            if not top.implied:
                break
            self._close_container()
        missing = MISSING_PARENT.get(tag)
        wanted = set(parents) if parents and not missing else FLOW
        while top.tag not in wanted and top.tag in NEXT:
            self._imply(NEXT[top.tag])
            top = self.containers[-1]
        if missing:
            self._imply(missing)
            return True
        return top.tag in wanted

    def _imply(self, tag: str) -> None:
        self._open_container(tag, self.containers[-1].end)
        self.containers[-1].implied = True

    def _open_run(self, row: int, block: int) -> Run:
        owner = int(self.selection.owner[row])
        run = self.run
        if run is not None:
            if row < self.heading[0] or run.block == block != -1:
                return run
            if -1 in (run.block, block) and run.owner == owner:
                run.block = max(run.block, block)
                return run
        self._place("")
        tag = self.heading[1] if row < self.heading[0] else "p"
        container = self.containers[-1]
        self.out.append(f"<{tag}>")
        if tag == "p" and container.tag in SINGLE:
            container.runs += 1
            if container.runs == 1:
                container.bare = (len(self.out) - 1, -1)
                self.out[-1] = ""
            elif container.bare:
                first, last = container.bare
                self.out[first], self.out[last] = "<p>", "</p>"
                container.bare = None
        self.run = Run(tag, owner, block)
        return self.run

    def _close_run(self) -> None:
        self.breaks = 0
        run, self.run = self.run, None
        if run is None:
            return
        self._align(run, [])
        container = self.containers[-1]
        bare = container.bare
        if run.tag == "p" and bare and bare[1] < 0:
            container.bare = (bare[0], len(self.out))
            self.out.append("")
        else:
            self.out.append(f"</{run.tag}>")

    def _align(self, run: Run, wanted: list[Inline], space: str = "") -> None:
        """Close and open inline elements until those wanted are open; `space` goes between."""
        if run.opened == wanted:
            self.out.append(space)
            return
        same = 0
        while same < min(len(run.opened), len(wanted)) and run.opened[same] == wanted[same]:
            same += 1
        self.out.extend(inline.stop for inline in reversed(run.opened[same:]))
        self.out.append(space)
        self.out.extend(inline.start for inline in wanted[same:])
        run.opened = wanted

    def _put(self, row: int, block: int, content: str, space: bool) -> None:
        """Write text or an image into its run, after a space or a line break if there is one."""
        if self._parts_paragraphs(block):
            self._close_run()
        breaks = self.breaks
        run = self._open_run(row, block)
        if run.empty:
            between = ""
        elif breaks and run.tag == "p":
            between = "<br>"
        else:
            between = " " if space else ""
        self.breaks = 0
        self._align(run, self.inline.copy(), between)
        self.out.append(content)
        run.empty = False
        run.worded |= block >= 0

    def _parts_paragraphs(self, block: int) -> bool:
        """Return whether line breaks stand for the end of a paragraph: two or more between texts.

        An image stays with the text beside it, the reason for which it was kept.
        """
        run = self.run
        if self.breaks < 2 or block < 0 or run is None:
            return False
        return run.worded and run.tag == "p" and self.containers[-1].tag not in SINGLE


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
