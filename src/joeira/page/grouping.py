"""Consecutive texts as elements: the outermost around them, and the elements in which they part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.page.model import Page


@dataclass(frozen=True)
class Group:
    """An element in which segments part."""

    row: int
    members: tuple[tuple[bool, int], ...]
    """What it divides into: whether it is a group again, and the number of the group or segment."""


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
    found: NDArray[np.int32] = trees.minimum_over_ancestors(
        whole_or_none, page.parent, page.ladder
    )[page.text_rows]
    return found


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
    return tuple(Group(row, tuple(found)) for row, found in zip(rows, members, strict=True))


def parting_rows(page: Page, starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return for each start but the first the innermost row around it and the start before."""
    before, row = starts[:-1], starts[1:].copy()
    for pointer in reversed(page.ladder):
        higher = pointer[row]
        row = np.where(higher > before, higher, row)
    found: NDArray[np.intp] = page.parent[row].astype(np.intp)
    return found
