"""The texts of a listing with the white space between them, as `joeira._native.listings` does it.

What is below an element comes as a list: True where an element begins and False where it ends, and
the characters of texts. Elements and texts that are not blank have rows.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import turbohtml
from numpy.typing import NDArray

Parts = list[tuple[int, str, str]]
"""Texts of a listing: number, white space before, characters as written."""

NODE_TYPES: Final = (turbohtml.Element, turbohtml.Text, turbohtml.CData)

BREAK, BLOCK, LINE, NOT_TEXT, LEFT_OUT = (np.uint8(1 << bit) for bit in range(5))
"""What a row is to those who read listings: the end of a line, on lines of its own, a line by its
name, without text, not part of the code."""


class _Line(NamedTuple):
    """An open element that stands on lines of its own."""

    is_block: bool
    parts: int
    """Texts read before it."""
    gap: int
    """Length of the white space read before it."""


def below(root: Any, nodes: list[Any], types: tuple[type, type, type]) -> list[str | bool]:
    """Return what is below an element, given by its nodes in the order of the source.

    A node is of one of the `types`, those of elements, texts and CDATA, or not looked at: a
    comment, or what holds the content of a template.
    """
    tokens: list[str | bool] = []
    opened = [(root, True)]  # False: nothing in it is looked at
    for node in nodes:
        while opened[-1][0] is not node.parent:
            if len(opened) == 1:
                return tokens  # this is below something else
            if opened.pop()[1]:
                tokens.append(False)
        is_shown = opened[-1][1] and type(node) in types
        if is_shown:
            tokens.append(type(node) is types[0] or node.data)
        if type(node) not in types[1:]:
            opened.append((node, is_shown))
    return tokens


class Listing:
    """Reads the texts of one element, of which `first` is the number of the first."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.parts: Parts = []
        self.gap = ""
        self.breaks = False
        """Does an element that stands on a line of its own begin or end here?"""

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
