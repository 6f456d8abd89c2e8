"""A whole page written anew from its rows: structure, text and styles, and nothing that acts.

No script, no frame, no image, no link that leads anywhere: what is written is a fixed set of tags,
a few attributes, and text, each escaped here. Those who show a page derive from `Rewriter` and say
what each element and text is marked with. One pass over the rows with a stack; no recursion.
"""

from __future__ import annotations

from html import escape
from typing import Final

from joeira.page import Page, tags

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
        self.attributes = _attributes(page)

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


def _attributes(page: Page) -> dict[int, dict[str, str]]:
    """Return what every element keeps of its attributes."""
    found: dict[int, dict[str, str]] = {}
    for name in _KEPT:
        for row, value in zip(*page.attributes.column(name), strict=True):
            found.setdefault(row, {})[name] = value or ""
    return found
