"""The segments of a page: a partition of its texts into regions.

A segment is a region: the outermost element around its texts. Groups are the elements that contain
several segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.errors import UsageError
from joeira.page import Page, Region

OUTSIDE: Final = -1
"""Segment number of texts that the page does not show, such as the title in the head."""


@dataclass(frozen=True)
class Group:
    """An element that contains several segments."""

    row: int
    members: tuple[tuple[bool, int], ...]
    """Its parts: whether each is a group, and the number of that group or segment."""


def whole_roots(page: Page, part: NDArray[Any]) -> NDArray[np.int32]:
    """Return for each text the outermost row all of whose texts are in the text's part.

    Parts are consecutive texts, numbered in page order.
    """
    first, stop = page.text_index[:-1], page.text_index[page.end]
    rows = np.arange(len(page), dtype=np.int32)
    if not len(part):
        return rows[:0]
    last = np.clip(stop - 1, 0, len(part) - 1)
    whole = (stop > first) & (part[np.minimum(first, last)] == part[last])
    whole_or_none = np.where(whole, rows, np.int32(len(page)))
    roots: NDArray[np.int32] = trees.minimum_over_ancestors(
        whole_or_none, page.parent, page.ladder
    )[page.text_rows]
    return roots


def grouped(page: Page, starts: Sequence[int]) -> tuple[Group, ...]:
    """Return the elements in which segments that start at these rows part, outer ones first."""
    if len(starts) < 2:
        return ()
    borders = parting_rows(page, np.array(starts, np.intp)).tolist()
    rows = sorted(set(borders))
    number = {row: place for place, row in enumerate(rows)}
    held: list[tuple[int, int, bool, int]] = []
    """Outer group, row, whether it is a group, and its number."""
    around: list[int] = []
    for row in rows:
        while around and page.end[around[-1]] <= row:
            around.pop()
        if around:
            held.append((number[around[-1]], row, True, number[row]))
        around.append(row)
    # The group of a segment is the inner one of those in which it parts from its neighbours.
    for segment, sides in enumerate(zip([-1, *borders], [*borders, -1], strict=True)):
        held.append((number[max(sides)], starts[segment], False, segment))
    members: list[list[tuple[bool, int]]] = [[] for _ in rows]
    for outer, _, is_group, own in sorted(held):
        members[outer].append((is_group, own))
    return tuple(Group(row, tuple(texts)) for row, texts in zip(rows, members, strict=True))


def parting_rows(page: Page, starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return for each start but the first the innermost row around it and the start before."""
    before, row = starts[:-1], starts[1:].copy()
    for pointer in reversed(page.ladder):
        higher = pointer[row]
        row = np.where(higher > before, higher, row)
    parting: NDArray[np.intp] = page.parent[row].astype(np.intp)
    return parting


@dataclass(frozen=True, eq=False)
class Segments(Sequence[Region]):
    """The segments of a page in page order; every text of the body is in exactly one."""

    page: Page = field(repr=False)
    regions: tuple[Region, ...]
    labels: NDArray[np.integer[Any]] = field(repr=False)
    """Number of the segment of each text (``page.texts``); `OUTSIDE` in the document's head."""
    method: str
    note: str = ""
    """Remark of the method about the page as a whole."""

    def __post_init__(self) -> None:
        """Freeze the column."""
        if len(self.labels) != len(self.page.texts):
            message = "labels must have one value per text of the page"
            raise UsageError(message)
        self.labels.flags.writeable = False

    @classmethod
    def of_runs(
        cls, page: Page, part: NDArray[Any], method: str, label: Callable[[int], str] | None = None
    ) -> Segments:
        """Return segments from the part of each text; neighbours in the same part form one.

        Args:
            page: The page.
            part: Number of the part of each text.
            method: Name of the method.
            label: From the number of a part to the label of its segments.
        """
        shown = page.text_rows >= page.body
        begins = shown.copy()
        begins[1:] &= (part[1:] != part[:-1]) | ~shown[:-1]
        number = np.where(shown, np.cumsum(begins) - 1, OUTSIDE)
        first = np.flatnonzero(begins)
        root = whole_roots(page, number)
        last = np.append(first[1:], len(part))[: len(first)] - 1
        labels = [label(int(part[text])) if label else None for text in first]
        regions = tuple(
            Region(page, *bounds)
            for bounds in zip(
                root[first].tolist(), page.end[root[last]].tolist(), labels, strict=True
            )
        )
        return cls(page, regions, number, method)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The elements that contain several segments, each with its parts; outer before inner."""
        return grouped(self.page, [region.start for region in self.regions])

    @property
    def children(self) -> tuple[Group | Region, ...]:
        """The top-level parts of the page: groups of segments and single segments."""
        return self.members(self.groups[0]) if self.groups else self.regions

    def members(self, group: Group) -> tuple[Group | Region, ...]:
        """Return the parts of a group in page order."""
        return tuple(
            self.groups[number] if is_group else self.regions[number]
            for is_group, number in group.members
        )

    @overload
    def __getitem__(self, index: int) -> Region: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Region, ...]: ...

    def __getitem__(self, index: int | slice) -> Region | tuple[Region, ...]:
        """Return one segment, or a slice of them."""
        return self.regions[index]

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.regions)

    def __iter__(self) -> Iterator[Region]:
        """Yield the segments in page order."""
        return iter(self.regions)

    @property
    def reason(self) -> str:
        """Reason for the result as a whole, such as why it is empty."""
        notes = [*self.page.notes, *([self.note] if self.note else [])]
        if not self and not notes:
            notes = ["the page has no text"]
        return "; ".join(notes)

    def html(self) -> str:
        """Return the page with every segment outlined, as one file that runs and loads nothing."""
        from joeira.render.html import outlined

        return outlined(self.page, self.regions)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "url": self.page.url,
            "method": self.method,
            "reason": self.reason,
            "segments": [
                {"label": part.label, "score": part.score, "xpath": part.xpath, "text": part.text}
                for part in self.regions
            ],
            "groups": [
                {
                    "xpath": self.page.xpath(group.row),
                    "groups": [number for is_group, number in group.members if is_group],
                    "segments": [number for is_group, number in group.members if not is_group],
                }
                for group in self.groups
            ],
        }
