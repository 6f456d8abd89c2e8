"""HTML that is safe to show: of the kept texts, of all texts with marks, and of whole pages.

Written from the stream of events, not through a parser's serialiser: only kept rows are rendered,
and the page is never copied or changed to get rid of the others. Nothing is copied from the source
but text and the few attributes named here, so scripts, styles and event handlers have no way in.

`pruned` writes a page for other programs, not for browsers: all its attributes but those that run.

Whole pages are written anew from their rows, for people to look at. No script, no frame, no image,
no link that leads anywhere: what is written is a fixed set of tags, a few attributes, and text,
each escaped here. Code that shows a page derives from `Rewriter` and says what each element and
text is marked with. One pass over the rows with a stack; no recursion. A content security policy
keeps the browser from loading anything that a style asks for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.page import Page, Region, addresses, tags
from joeira.render import events, stream
from joeira.render.events import Element, Event, Listing
from joeira.render.selection import ALL, Show

_WORDS_ONLY: Final = Show(links=False, images=False, formulas=False)


def render(page: Page, keep: NDArray[np.bool_], show: Show = ALL) -> str:
    """Return the kept texts as clean, safe HTML."""
    return _write(stream.events(page, keep, show))


def render_marked(page: Page, keep: NDArray[np.bool_], marks: Sequence[str]) -> str:
    """Return the kept texts as HTML in spans; `marks` has the start tag of each text's span."""
    return _write(stream.events(page, keep, _WORDS_ONLY, by_text=True), marks)


def _write(happenings: Sequence[Event], marks: Sequence[str] | None = None) -> str:
    out: list[str] = []
    for kind, what in happenings:
        if kind == events.TEXT:
            text, index = what
            out.append(_text(text, index, marks))
        elif kind == events.BLOCK:
            element, text, index = what
            text = _text(text, index, marks)
            out.append(text if element.is_bare else f"<p>{text}</p>")
        elif kind == events.OPEN:
            if not what.is_bare:
                out.append(f"<{what.tag}{_attributes(what)}>")
        elif kind == events.CLOSE:
            if not what.is_bare:
                out.append(f"</{what.tag}>")
        elif kind == events.BREAK:
            out.append("<br>")
        elif kind == events.IMAGE:
            address, alternative = what
            out.append(f'<img src="{escape(address)}" alt="{escape(alternative)}">')
        elif kind == events.FORMULA:
            # The marks by which scripts that draw formulas find them.
            start, stop = ("\\[", "\\]") if what.displayed else ("\\(", "\\)")
            out.append(start + escape(what.tex) + stop)
        elif kind == events.LISTING:
            out.append(_listing(what, marks))
        elif kind == events.RULE:
            out.append("<hr>")
    return "".join(out)


def _text(text: str, index: int, marks: Sequence[str] | None) -> str:
    if marks is None or index < 0:
        return escape(text)
    return f"{marks[index]}{escape(text)}</span>"


def _attributes(element: Element) -> str:
    value = element.value
    if element.tag == "a":
        return f' href="{escape(value)}"'
    if element.tag == "ol":
        return f' start="{value}"' if value != 1 else ""
    if element.tag in {"td", "th"}:
        columns, rows = value
        return (f' colspan="{columns}"' if columns > 1 else "") + (
            f' rowspan="{rows}"' if rows > 1 else ""
        )
    return ""


def _listing(listing: Listing, marks: Sequence[str] | None) -> str:
    language = listing.language
    start = f'<code class="language-{escape(language)}">' if language else "<code>"
    if marks is None:
        return f"<pre>{start}{escape(listing.code)}</code></pre>"
    text = "".join(f"{gap}{marks[i]}{escape(text)}</span>" for i, gap, text in listing.parts)
    return f"<pre><code>{text}</code></pre>"


_KEPT: Final = (
    "class", "id", "style", "colspan", "rowspan", "alt", "dir", "lang", "align", "hidden", "open",
)  # fmt: skip
_LEFT_OUT: Final = tags.NOT_TEXT | tags.HEAD | tags.table("input img source frameset area embed")
_RENAMED: Final = {
    # Their content would be read as raw text, or in another name space, when parsed again.
    **dict.fromkeys(("plaintext", "xmp", "listing"), "pre"),
    **dict.fromkeys(("math", "g", "path", "use", "applet", "marquee", "slot"), "span"),
}


class Rewriter:
    """Writes the body of one page."""

    def __init__(self, page: Page) -> None:
        """Keep the page, and read the attributes that are written."""
        self.page = page
        self.attributes = _kept_attributes(page)

    def mark(self, row: int) -> str:
        """Return attributes, each after a space, to add to an element."""
        return ""

    def text(self, row: int, text: str) -> str:
        """Return a text as it is written; `text` is escaped already."""
        return text

    def in_place_of(self, row: int) -> str:
        """Return what stands for an element that is left out."""
        return ""

    def style(self, css: str) -> str:
        """Return a style sheet of the page, or the value of a style attribute, as written."""
        return css

    def styles(self) -> str:
        """Return the page's own style sheets."""
        page = self.page
        texts = [page.attributes.inner_text(row) for row in page.rows_of("style").tolist()]
        # What is inside a style element cannot hold its end tag: the parser ended it there.
        return "".join(f"<style>{self.style(css)}</style>\n" for css in texts if "</" not in css)

    def body(self, max_rows: int | None = None) -> str:
        """Return the body as HTML, at most so many rows of it."""
        page = self.page
        out: list[str] = []
        open_tags: list[tuple[int, str]] = []
        end = page.end.tolist()
        left_out = _LEFT_OUT[page.known_tag].tolist()
        void = tags.VOID[page.known_tag].tolist()
        text_index = page.text_index.tolist()
        row = page.body
        stop = len(page) if max_rows is None else min(len(page), row + max_rows)
        while row < stop:
            while open_tags and open_tags[-1][0] <= row:
                out.append(f"</{open_tags.pop()[1]}>")
            if page.tag[row] == tags.TEXT:
                index = text_index[row]
                # White space between elements has no row; without it, words would run together.
                space = " " if page.gap_before[index] else ""
                out.append(space + self.text(row, escape(page.texts[index])))
            elif left_out[row]:
                out.append(self.in_place_of(row))
                row = end[row]
                continue
            else:
                name = self._name(row)
                out.append(f"<{name}{self._written_attributes(row)}{self.mark(row)}>")
                if not void[row]:
                    open_tags.append((end[row], name))
            row += 1
        out += [f"</{name}>" for _, name in reversed(open_tags)]
        return "".join(out)

    def _name(self, row: int) -> str:
        # Names of the page's own making might mean something to a browser some day.
        if self.page.tag[row] >= tags.FIRST_FOREIGN:
            return "span"
        name = self.page.tag_name(row)
        return _RENAMED.get(name, name)

    def _written_attributes(self, row: int) -> str:
        return "".join(
            f' {name}="{escape(self.style(value) if name == "style" else value)}"'
            for name, value in self.attributes.get(row, {}).items()
        )


def _kept_attributes(page: Page) -> dict[int, dict[str, str]]:
    """Return what every element keeps of its attributes."""
    attributes: dict[int, dict[str, str]] = {}
    for name in _KEPT:
        for row, value in zip(*page.attributes.column(name), strict=True):
            attributes.setdefault(row, {})[name] = value or ""
    return attributes


_ATTRIBUTE: Final = re.compile(r"(?!on)[a-z_:][\w:.-]*", re.ASCII | re.IGNORECASE)
_SPACES: Final = re.compile(r"[\x00-\x20]+")


def pruned(page: Page, kept: NDArray[np.bool_]) -> str:
    """Return a page as HTML with only some rows of its body, for other programs to read.

    Everything keeps its place, tag and attributes, but for what could run: scripts, event handlers,
    addresses that are scripts, and other documents within it. In a browser nothing of it is loaded.
    """
    out = [f'<!DOCTYPE html>\n<{_start_tag(page, 0)}>\n<head>\n<meta charset="utf-8">\n{_GUARD}\n']
    in_head = page.in_head & ~trees.inside(tags.NOT_TEXT[page.known_tag], page.end)
    in_head[page.body :] = False
    in_head[page.rows_of("head")] = False
    in_head[page.attributes.select("meta[charset],meta[http-equiv]")] = False
    _write_rows(page, np.flatnonzero(in_head), out)
    out.append("\n</head>\n")
    rows = np.flatnonzero(kept & ~trees.inside(_DOCUMENTS[page.known_tag], page.end))
    _write_rows(page, rows[rows >= page.body], out)
    out.append("\n</html>\n")
    return "".join(out)


def _write_rows(page: Page, rows: NDArray[np.intp], out: list[str]) -> None:
    """Write rows that come with all above them, up to one that is written already."""
    open_tags: list[tuple[int, str]] = []
    for row in rows.tolist():
        while open_tags and open_tags[-1][0] <= row:
            out.append(f"</{open_tags.pop()[1]}>")
        if page.tag[row] == tags.TEXT:
            index = page.text_index[row]
            out.append(" " * bool(page.gap_before[index]) + escape(page.texts[index], quote=False))
            continue
        out.append(f"<{_start_tag(page, row)}>")
        if not tags.VOID[page.known_tag[row]]:
            open_tags.append((int(page.end[row]), page.tag_name(row)))
    out += [f"</{name}>" for _, name in reversed(open_tags)]


def _start_tag(page: Page, row: int) -> str:
    """Return the name of an element and its attributes, but for those that could run."""
    attributes = (
        f' {name}="{escape(value)}"'
        for name, value in page.attributes.of(row).items()
        if _ATTRIBUTE.fullmatch(name) and name.lower() != "srcdoc" and not _runs(value)
    )
    return page.tag_name(row) + "".join(attributes)


def _runs(value: str) -> bool:
    """Return whether an attribute would be a script if it were an address."""
    value = _SPACES.sub("", value)
    scheme = addresses.scheme(value)
    return scheme in ("javascript", "vbscript") or (scheme == "data" and value[5:11] != "image/")


_DOCUMENTS: Final = tags.table("applet embed frame iframe object")
"""Elements that load another document into the page."""
_GOLDEN_ANGLE: Final = 137.508
"""Degrees between the hues of neighbours: no two near each other look alike."""

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
)
_GUARD: Final = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
_STYLE: Final = """
[data-segment] { outline: 3px solid var(--segment) !important; outline-offset: -2px; }
[data-segment]:hover { background: color-mix(in srgb, var(--segment) 18%, transparent) !important; }
[data-segment]:hover::after { content: attr(data-segment); position: fixed; left: 8px; bottom: 8px;
  z-index: 2147483647; padding: 6px 10px; font: bold 16px sans-serif; color: #fff; background: #222;
  border-left: 10px solid var(--segment); }
"""


def outlined(page: Page, segments: Sequence[Region]) -> str:
    """Return the page as HTML: every segment has a colour, and its label when pointed at."""
    writer = _Outliner(page, segments)
    return f"{_head(writer, len(segments))}{writer.body()}\n</html>\n"


class _Outliner(Rewriter):
    """Marks the roots of segments, and of the parts of those that have several."""

    def __init__(self, page: Page, segments: Sequence[Region]) -> None:
        super().__init__(page)
        self.marks = _marks(page, segments)

    def mark(self, row: int) -> str:
        return self.marks.get(row, "")

    def text(self, row: int, text: str) -> str:
        mark = self.marks.get(row)
        return f"<span{mark}>{text}</span>" if mark else text


def _head(writer: Rewriter, count: int) -> str:
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f"{_GUARD}\n"
        f"<title>Segments of {escape(writer.page.url or 'a page')}</title>\n"
        f"{writer.styles()}<style>{_STYLE}{_colours(count)}</style>\n</head>\n"
    )


def _colours(count: int) -> str:
    # Rules, not attributes: an element may have a style of its own, and keeps it.
    hues = (round(number * _GOLDEN_ANGLE % 360) for number in range(count))
    return "".join(
        f'[data-number="{number}"] {{ --segment: hsl({hue} 85% 42%); }}\n'
        for number, hue in enumerate(hues)
    )


def _marks(page: Page, segments: Sequence[Region]) -> dict[int, str]:
    """Return the attribute of each row that is the root of a segment, or of a part of one."""
    marks = {}
    for number, segment in enumerate(segments):
        probability = "" if segment.score is None else f" {segment.score:.0%}"
        label = escape(f"{number + 1} {segment.label or 'segment'}{probability}")
        for row in segment.roots():
            marks[row] = f' data-segment="{label}" data-number="{number}"'
    return marks
