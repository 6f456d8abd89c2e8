"""Lines of text: blocks under one another, in items, quotations and notes that indent them.

What Markdown and plain text have in common. A writer opens frames, adds blocks and closes frames
again; a frame that closes becomes a block of the one around it.
"""

from __future__ import annotations

from typing import Final

MAX_FRAMES: Final = 24
"""Frames within one another that indent; what is deeper stands at the same place. Otherwise the
output of a page of nested lists would grow with the square of its size."""

LINE, PARAGRAPH = "\n", "\n\n"


class Frame:
    """The blocks of a list, an item, a quotation, a note or the whole output."""

    __slots__ = ("first", "gaps", "is_list", "is_loose", "last_marker", "marker", "parts", "rest")

    def __init__(self, first: str = "", rest: str = "", *, is_list: bool = False) -> None:
        """Begin without blocks.

        Args:
            first: What stands before its first line.
            rest: What stands before its other lines.
            is_list: Whether its blocks are items.
        """
        self.first = first
        self.rest = rest
        self.is_list = is_list
        self.parts: list[str] = []
        self.gaps: list[str] = []
        self.is_loose = False
        """Whether blank lines stand between its parts."""
        self.marker = ""
        """Of a list: what its items begin with."""
        self.last_marker = ""
        """What the items of the list begin with that it ends with, if it does."""

    def add(self, text: str, gap: str = PARAGRAPH) -> None:
        """Add a block; `gap` stands before it."""
        self.parts.append(text)
        self.gaps.append(gap)
        self.last_marker = ""

    def text(self) -> str:
        """Return all blocks."""
        if len(self.parts) == 1:
            return self.parts[0]
        gaps = self.gaps
        if self.is_list and self.is_loose:
            gaps = [PARAGRAPH] * len(gaps)
        pieces = [piece for pair in zip(gaps, self.parts, strict=True) for piece in pair]
        return "".join(pieces[1:])


class Layout:
    """The open frames of one output."""

    def __init__(self) -> None:
        """Begin with the frame of the whole output."""
        self.frames = [Frame()]

    @property
    def frame(self) -> Frame:
        """The innermost frame."""
        return self.frames[-1]

    def open(self, first: str = "", rest: str = "") -> None:
        """Open a frame whose lines are indented."""
        deep = len(self.frames) > MAX_FRAMES
        self.frames.append(Frame("", "") if deep else Frame(first, rest))

    def open_list(self, markers: tuple[str, str]) -> None:
        """Open a list; the second marker is for one that follows another with the first."""
        frame = Frame(is_list=True)
        frame.marker = markers[self.frame.last_marker == markers[0]]
        self.frames.append(frame)

    def add(self, text: str, gap: str = PARAGRAPH) -> None:
        """Add a block to the innermost frame."""
        if text:
            self.frame.add(text, gap)

    def close_list(self) -> None:
        """Close a list: one after the first words of an item stands close to them."""
        frame = self.frames.pop()
        if frame.parts:
            is_close = len(self.frame.parts) == 1 and not frame.is_loose
            self.frame.add(frame.text(), LINE if is_close and self.frame.first else PARAGRAPH)
            self.frame.last_marker = frame.marker

    def close(self, gap: str = PARAGRAPH) -> None:
        """Close a frame: its lines, indented, are a block of the frame around it."""
        frame = self.frames.pop()
        if not frame.parts:
            return
        if PARAGRAPH in frame.gaps[1:]:
            self.frame.is_loose = True
        if frame.last_marker and len(frame.parts) == 1 and self.frame.is_list:
            self.frame.add(frame.text(), gap)  # an item that holds nothing but a list
        else:
            self.frame.add(indented(frame.text(), frame.first, frame.rest), gap)

    def text(self) -> str:
        """Return what the whole output says."""
        return self.frames[0].text()


def indented(text: str, first: str, rest: str) -> str:
    """Return a text with something before its first and its other lines."""
    if not rest or "\n" not in text:
        return first + text
    blank = rest.rstrip()
    lines = text.split("\n")
    return first + "\n".join([lines[0], *((rest + line) if line else blank for line in lines[1:])])
