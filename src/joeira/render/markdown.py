"""Markdown (GFM) of the kept texts, written from the stream of events.

Tables of data are grids whose cells hold a line each, because pipe tables know no spans, captions
or blocks. Parentheses in addresses are percent-encoded, so that no reader of Markdown ends a link
too early. Words never become markup: what could is escaped, ``<`` and ``&`` as character references
because not every reader knows a backslash before them. HTML stands only where Markdown has no form:
line breaks in cells, and sub and sup unless ``scripts="caret"`` asks for ``x^2^`` and ``H~2~O``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joeira.page import Page, tags
from joeira.page.tables import Grid
from joeira.render import events, stream
from joeira.render.emphasis import Code, Mark, Markup, join
from joeira.render.events import LINE, Element, Event, Layout, Listing
from joeira.render.formulas import Formula, draws_tex, split_tex
from joeira.render.selection import ALL, Show

_BULLETS: Final = ("-", "*")
_NUMBERS: Final = (".", ")")
_EMPHASIS: Final = {
    "b": "strong", "strong": "strong", "i": "em", "em": "em", "var": "em",
    "s": "del", "del": "del",
}  # fmt: skip
_VERBATIM: Final = frozenset({"code", "kbd", "samp"})
_SCRIPTS: Final = {"sup": "^", "sub": "~"}
_PARENTHESES: Final = str.maketrans({"(": "%28", ")": "%29"})

_SPECIAL: Final = re.compile(
    r"[*`\[\]~<]"
    r"|\\(?=[!-/:-@\[-`{-~]|$)"  # a backslash before punctuation escapes it
    r"|&(?=\#?\w+;)"
    r"|(?<![^\W_])_|_(?![^\W_])"  # between letters and digits it never is emphasis
)
_AUTOLINK: Final = re.compile(r"https?://[^\s<>\\`*_\[\]]+")
_IMAGE_FILE: Final = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp)(?=$|[?#%&])", re.IGNORECASE)
_REFERENCES: Final = {"<": "&lt;", "&": "&amp;"}
_LINE_START: Final = re.compile(
    r"(?m)^(?:(#{1,6}|[-+>])(?=\s|$)|(\d{1,9})([.)])(?=\s|$)"
    r"|(>|[-=](?=[-= ]*$)|[|:-](?=[-:| ]*-[-:| ]*$)))"  # rules, underlines, heads of tables
)


def escape(text: str) -> str:
    """Return words that stay words wherever in a line they stand."""
    return _SPECIAL.sub(lambda match: _REFERENCES.get(match[0], f"\\{match[0]}"), text)


def _escape_start(match: re.Match[str]) -> str:
    if match[2]:
        return f"{match[2]}\\{match[3]}"
    return f"\\{match[0]}"


def heading(text: str) -> str:
    """Return words as the text of a heading."""
    return _without_closing_marks(escape(text))


def render_title(page: Page, texts: NDArray[np.bool_], formatting: bool) -> str:
    """Return the texts of a heading as the title of all."""
    title = render(page, texts, Show(links=False, images=False, formatting=formatting))
    return f"# {title.lstrip('# ')}" if title else ""


def render(
    page: Page, keep: NDArray[np.bool_], show: Show = ALL, parts: Mapping[int, str] | None = None
) -> str:
    """Return the kept texts as Markdown; `parts` begin at rows, each with a heading above it."""
    return _Writer(page, show).write(stream.events(page, keep, show, flat=True, parts=parts or {}))


class _Writer:
    """Writes the events of one page."""

    def __init__(self, page: Page, show: Show) -> None:
        self.page = page
        self.show = show
        self.layout = Layout()
        self.pieces: list[str | Mark] = []
        """What the open run holds so far."""
        self.links: list[int] = []
        """Where in `pieces` the open links begin."""
        self.code: list[str] | None = None
        """The characters of the open code."""
        self.after_code: list[str | Mark] = []
        self.grid: Grid | None = None
        self.cell: list[str] = []
        """The runs of the open cell."""
        self.term = ""
        """The term that the definitions to come define."""
        self.is_term = False
        self.emphasis: list[str] = []
        """Names of the open emphasis, '' for what is in emphasis of the same name."""
        self.tex_in_text = False
        self.escapes_dollars = False

    def write(self, happenings: list[Event]) -> str:
        """Return the Markdown of all events."""
        self.tex_in_text = self.show.formulas and draws_tex(self.page)
        self.escapes_dollars = self.tex_in_text or any(
            kind == events.FORMULA for kind, _ in happenings
        )
        for kind, what in happenings:
            if kind == events.TEXT:
                self._text(what[0])
            elif kind == events.BLOCK:
                element, text, _ = what
                self._open(element)
                self._text(text)
                self._close_run(element)
            elif kind == events.OPEN:
                self._open(what)
            elif kind == events.CLOSE:
                self._close(what)
            elif kind == events.BREAK:
                self._break()
            elif kind == events.IMAGE:
                address, alternative = what
                self._put(Markup(f"![{escape(alternative)}]({_address(address)})"))
            elif kind == events.FORMULA:
                self._formula(what)
            elif kind == events.LISTING:
                self._listing(what)
            elif kind == events.RULE:
                self.layout.add("***" if self.layout.frame.first else "---")
            elif kind == events.PART:
                self.layout.add(f"### {heading(what)}" if what else "---")
            else:
                self._put(Markup(f"[^{what}]"))
        return self.layout.text()

    # Blocks -----------------------------------------------------------------------------------

    def _open(self, element: Element) -> None:
        if element.level == events.WITHIN:
            self._open_inline(element)
        elif element.level == events.RUN:
            self.pieces, self.links = [], []
            if self.is_term or self._is_summary(element):
                self.pieces.append(Mark("strong", opens=True))
        elif self.grid is not None:
            self._open_in_table(element)
        else:
            self._open_container(element)

    def _open_container(self, element: Element) -> None:
        tag, layout = element.tag, self.layout
        if tag == "table":
            self.grid = Grid()
        elif tag in {"ul", "ol"}:
            layout.open_list(_BULLETS if tag == "ul" else _NUMBERS)
            layout.frame.first = "" if tag == "ul" else str(element.value)
        elif tag == "li":
            self._open_item(element)
        elif tag == "blockquote":
            layout.open("> ", "> ")
        elif tag == "note":
            layout.open(f"[^{element.value}]: ", "    ")
        elif tag == "dt":
            self._settle_term()
            self.is_term = True

    def _open_item(self, element: Element) -> None:
        around = self.layout.frame
        marker = f"{around.first}{around.marker} "
        if around.first:
            around.first = str(min(int(around.first) + 1, 999_999_999))
        box = "" if element.value is None else "[x] " if element.value else "[ ] "
        self.layout.open(marker + box, " " * len(marker))

    def _close(self, element: Element) -> None:
        if element.level == events.WITHIN:
            self._close_inline(element)
        elif element.level == events.RUN:
            self._close_run(element)
        elif self.grid is not None:
            self._close_in_table(element)
        elif element.tag in {"ul", "ol"}:
            self.layout.frame.first = ""
            self.layout.close_list()
        elif element.tag == "li":
            self.layout.close(LINE)
        elif element.tag in {"blockquote", "note"}:
            self.layout.close()
        elif element.tag == "dt":
            self.is_term = False
        elif element.tag == "dl":
            self._settle_term()

    def _close_run(self, element: Element) -> None:
        if self.is_term or self._is_summary(element):
            self.pieces.append(Mark("strong", opens=False))
        text = join(self.pieces)
        if not text:
            return
        if self.grid is not None:
            self.cell.append(text)
            return
        if self.is_term:
            self._settle_term()
            self.term = text
            return
        if self.term:
            term, self.term = self.term, ""
            if element.tag == "p":
                self.layout.add(f"{term}: {text}")
                return
            self.layout.add(term)
        text = _LINE_START.sub(_escape_start, text)
        if element.tag != "p":
            text = f"{'#' * int(element.tag[1])} {_without_closing_marks(text)}"
        self.layout.add(text)

    def _settle_term(self) -> None:
        """Write a term that nothing defines."""
        if self.term:
            self.layout.add(self.term)
            self.term = ""

    def _is_summary(self, element: Element) -> bool:
        return bool(self.page.tag[element.row] == tags.NUMBER["summary"])

    def _listing(self, listing: Listing) -> None:
        code = listing.code
        if self.grid is not None:
            self.cell.append(Code.of(" ".join(code.split())))
            return
        self._settle_term()
        longest = max(map(len, re.findall("`+", code)), default=0)
        fence = "`" * max(3, longest + 1)
        self.layout.add(f"{fence}{listing.language}\n{code}\n{fence}")

    # Tables -----------------------------------------------------------------------------------

    def _open_in_table(self, element: Element) -> None:
        if element.tag == "tr" and self.grid is not None:
            self.grid.start_row()
        elif element.tag in {"td", "th", "caption"}:
            self.cell = []

    def _close_in_table(self, element: Element) -> None:
        grid = self.grid
        if grid is None:
            return
        if element.tag == "caption":
            grid.caption += " ".join(self.cell)
        elif element.tag in {"td", "th"}:
            grid.add("<br>".join(self.cell).replace("|", r"\|"), *element.value)
        elif element.tag == "table":
            self.grid = None
            self._settle_term()
            self.layout.add(grid.caption)
            self._write_grid(grid)

    def _write_grid(self, grid: Grid) -> None:
        rows = grid.padded()
        if rows is None:
            # Too ragged for a grid: the columns mean nothing, so the cells follow one another.
            for row in grid.rows:
                for cell in filter(None, row):
                    self.layout.add(cell.replace(r"\|", "|"))
        elif rows:
            lines = [f"| {' | '.join(row)} |" for row in rows]
            lines.insert(1, f"| {' | '.join(['---'] * len(rows[0]))} |")
            self.layout.add("\n".join(lines))

    # Runs -------------------------------------------------------------------------------------

    def _put(self, piece: str | Mark) -> None:
        if self.code is None:
            self.pieces.append(piece)
        else:
            self.after_code.append(piece)

    def _text(self, text: str) -> None:
        if self.code is not None:
            self.code.append(text)
        elif not self.tex_in_text:
            self.pieces.append(self._escaped(text))
        else:
            for part in split_tex(text):
                if isinstance(part, str):
                    self.pieces.append(self._escaped(part))
                else:
                    self.pieces.append(self._dollars(part, "$$" if part.displayed else "$"))

    def _escaped(self, text: str) -> str:
        escaped = escape(text)
        return escaped.replace("$", r"\$") if self.escapes_dollars else escaped

    def _break(self) -> None:
        if self.code is not None:
            self.code.append(" ")
        else:
            self.pieces.append("<br>" if self.grid is not None else "  \n")

    def _formula(self, formula: Formula) -> None:
        if self.code is not None:
            self.code.append(formula.tex)
        elif formula.displayed and self.grid is None:
            self.pieces.append(Markup(f"$$\n{formula.tex}\n$$"))
        else:
            self.pieces.append(self._dollars(formula, "$"))

    def _dollars(self, formula: Formula, mark: str) -> str:
        tex = formula.tex if self.grid is None else formula.tex.replace("|", r"\vert ")
        return Markup(f"{mark}{tex}{mark}")

    def _open_inline(self, element: Element) -> None:
        tag = element.tag
        if self.code is not None:
            return
        if tag in _VERBATIM:
            self.code = []
        elif tag in _EMPHASIS:
            name = _EMPHASIS[tag]
            is_known = name in self.emphasis or (name == "strong" and self.is_term)
            self.emphasis.append("" if is_known else name)
            if not is_known:
                self.pieces.append(Mark(name, opens=True))
        elif tag == "a":
            if self.pieces and isinstance(self.pieces[-1], str) and self.pieces[-1].endswith("!"):
                self.pieces[-1] = f"{self.pieces[-1][:-1]}\\!"
            self.links.append(len(self.pieces))
            self.pieces.append(Markup("["))
        elif tag in _SCRIPTS:
            self.pieces.append(_SCRIPTS[tag] if self._has_carets else f"<{tag}>")
        elif tag == "q":
            self.pieces.append("“")

    @property
    def _has_carets(self) -> bool:
        return self.show.scripts == "caret"

    def _close_inline(self, element: Element) -> None:
        tag = element.tag
        if self.code is not None:
            if tag in _VERBATIM:
                self._close_code()
        elif tag in _EMPHASIS:
            name = self.emphasis.pop()
            if name:
                self.pieces.append(Mark(name, opens=False))
        elif tag == "a":
            self._close_link(self.links.pop(), element.value)
        elif tag in _SCRIPTS:
            self.pieces.append(_SCRIPTS[tag] if self._has_carets else f"</{tag}>")
        elif tag == "q":
            self.pieces.append("”")

    def _close_link(self, start: int, address: str) -> None:
        inner = self.pieces[start + 1 :]
        if not any(inner):
            del self.pieces[start:]
        elif _is_image(inner) and _IMAGE_FILE.search(address):
            del self.pieces[start]  # an image that leads to itself
        elif inner == [escape(address)] and _AUTOLINK.fullmatch(address):
            self.pieces[start:] = [Markup(f"<{address}>")]
        else:
            self.pieces.append(Markup(f"]({_address(address)})"))

    def _close_code(self) -> None:
        code = "".join(self.code or ())
        self.code = None
        if code:
            self.pieces.append(Code.of(code))
        self.pieces.extend(self.after_code)
        self.after_code = []


def _is_image(pieces: list[str | Mark]) -> bool:
    return len(pieces) == 1 and isinstance(pieces[0], Markup) and pieces[0].startswith("![")


def _address(address: str) -> str:
    return address.translate(_PARENTHESES)


def _without_closing_marks(text: str) -> str:
    """Return the text of a heading, escaped so that its end is not read as closing marks."""
    return f"{text[:-1]}\\#" if text.endswith("#") else text
