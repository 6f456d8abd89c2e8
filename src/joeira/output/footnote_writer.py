"""Writing footnotes as GFM has them: ``[^1]`` in the text, ``[^1]: ...`` where the note stands.

The renderer of Markdown would escape the brackets, so until it is done Unicode noncharacters, which
no text may hold, stand for them.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from joeira.output.footnotes import Footnotes, find
from joeira.output.grammar import Container
from joeira.output.html import Writer
from joeira.output.show import Show
from joeira.page import Page

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
