"""Writing HTML as containers that nest, and runs of text in them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joeira.output.grammar import (
    FLOW,
    MISSING_PARENT,
    NEXT,
    PARENTS,
    SINGLE,
    Container,
    Inline,
    Run,
)
from joeira.output.selection import Selection
from joeira.output.show import ALL, Show
from joeira.page import Page, addresses
from joeira.page.tables import row_spans


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
