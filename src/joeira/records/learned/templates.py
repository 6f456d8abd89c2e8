"""What the records of a list have in common: its template.

A column of a list is a path that leads from a record to one of its texts or pictures, its leaves.
The columns that at least half of the records have are the template; a good list is mostly template.

`joeira._native.lists` counts the same in C; the numpy code here is what it is tested against, and
what runs without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.arrays import Floats, Hashes, Ints, trees
from joeira.arrays.strings import mixed
from joeira.records.learned.candidates import STEP, Lists, expand

MAX_SAMPLE = 100
"""Records of a list that the template is made from, evenly spaced: more would say the same."""

STRANGER = 0.2
"""Share of the template that a record must have."""
MIN_TEMPLATE = 3
"""Columns of a template that tells records from strangers."""

CORE = 0.8
"""Share of the records that have a column of the core."""

COUNTS: Final = (
    "leaves", "columns", "core", "cells", "present", "outside", "paths", "different", "texts",
    "unique_texts",
)  # fmt: skip
"""What is counted for each list: all leaves; columns of the template, and those that nearly all
records have; different columns of each record, all records together, and those of the template;
leaves outside of it; different tag paths of each record; contents of records, each once; texts, and
those that no other text of the list equals."""


def counts(lists: Lists) -> NDArray[np.int64]:
    """Return one line for each of `COUNTS`, one column per list; no list is without records."""
    if not native_available:
        return counts_by_numpy(lists)
    headed = lists.headed.view(np.uint8)
    return lists.ground.templates.counts(lists.start, lists.stop, lists.first, headed, CORE)


def presence(lists: Lists) -> tuple[Ints, Ints]:
    """Return the size of each list's template, and how many columns of it each record has."""
    if not native_available:
        return presence_by_numpy(lists)
    headed = lists.headed.view(np.uint8)
    return lists.ground.templates.presence(lists.start, lists.stop, lists.first, headed)


def template(lists: Lists) -> dict[str, Floats]:
    """Return how much of each list its template explains."""
    sample = sampled(lists)
    count = dict(zip(COUNTS, counts(sample), strict=True))
    records, size, present, outside = (
        sample.size, count["columns"], count["present"], count["outside"]
    )  # fmt: skip
    total = np.maximum(count["leaves"], 1)
    missing = size * records - present
    repeats = total - present - outside
    return {
        "columns": np.log1p(size),
        "core": np.log1p(count["core"]),
        "fit": present / total,
        "missing": missing / np.maximum(present, 1),
        "outside": outside / total,
        "repeats": np.log(total / np.maximum(count["cells"], 1)),
        "saved": np.log1p(np.maximum(present - missing - (outside + repeats) / 2 - size, 0)),
        "alike": np.log(total / np.maximum(count["paths"], 1)),
        "distinct": count["different"] / records,
        "varied": count["unique_texts"] / np.maximum(count["texts"], 1),
    }


def without_strangers(lists: Lists, min_records: int = 2) -> Lists:
    """Return lists without the records that have next to nothing of the template.

    Advertisements, filters and pagers often look like the records among which they stand. A list
    that would have too few records then stays whole.
    """
    owner = lists.of_record
    sizes, present = presence(lists)
    size = sizes[owner]
    kept = (present >= STRANGER * size) | (size < MIN_TEMPLATE)
    kept |= np.bincount(owner, kept, len(lists))[owner] < min_records
    first_record = np.concatenate(([0], np.cumsum(np.bincount(owner[kept], minlength=len(lists)))))
    return replace(lists, start=lists.start[kept], stop=lists.stop[kept], first=first_record)


def sampled(lists: Lists) -> Lists:
    """Return the lists with the records that stand for each."""
    size = lists.size
    if size.max(initial=0) <= MAX_SAMPLE:
        return lists
    taken = np.minimum(size, MAX_SAMPLE)
    owner = np.repeat(np.arange(len(lists)), taken)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(taken) - taken, taken)
    sample = lists.first[owner] + number * size[owner] // taken[owner]
    first = np.concatenate(([0], np.cumsum(taken)))
    return replace(lists, start=lists.start[sample], stop=lists.stop[sample], first=first)


# By numpy -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Leaves:
    """The texts and pictures of the records of all lists, record after record."""

    number: Ints
    """Among those of the page."""
    row: Ints
    record: Ints
    of_list: Ints


def counts_by_numpy(lists: Lists) -> NDArray[np.int64]:
    """Return what `counts` does."""
    ground, count, of_list = lists.ground, len(lists), lists.of_record
    page = ground.page
    leaves = _leaves(lists)
    left, right = _leaf_ranges(lists)
    content = np.concatenate(([np.uint64(0)], np.cumsum(ground.contents, dtype=np.uint64)))
    whole = _within(content[right] - content[left], of_list)
    different = of_list[np.unique(whole, return_index=True)[1]]
    path = _within(page.path[leaves.row], leaves.record)
    paths = leaves.of_list[np.unique(path, return_index=True)[1]]
    is_text = page.is_text[leaves.row]
    owner = leaves.of_list[is_text]
    value = _within(ground.contents[leaves.number[is_text]], owner)
    _, same, times = np.unique(value, return_inverse=True, return_counts=True)
    found = [
        np.bincount(leaves.of_list, minlength=count),
        *_column_counts(lists, leaves),
        np.bincount(paths, minlength=count),
        np.bincount(different, minlength=count),
        np.bincount(owner, minlength=count),
        np.bincount(owner, times[same] == 1, count),
    ]
    return np.array(found).astype(np.int64)


def _column_counts(lists: Lists, leaves: _Leaves) -> tuple[NDArray[np.number], ...]:
    """Return the size of the template and how well the records keep to it."""
    count, records = len(lists), lists.size
    column = _within(_paths(lists, leaves), leaves.of_list)
    cell = _within(column, leaves.record)
    _, at, times = np.unique(cell, return_index=True, return_counts=True)
    owner = leaves.of_list[at]
    _, first, of_cell, filled = np.unique(
        column[at], return_index=True, return_inverse=True, return_counts=True
    )
    common = 2 * filled >= records[owner[first]]
    templated = common[of_cell]
    return (
        np.bincount(owner[first], common, count),
        np.bincount(owner[first], filled / records[owner[first]] >= CORE, count),
        np.bincount(owner, minlength=count),
        np.bincount(owner, templated, count),
        np.bincount(owner, times * ~templated, count),
    )


def presence_by_numpy(lists: Lists) -> tuple[Ints, Ints]:
    """Return what `presence` does."""
    leaves = _leaves(lists)
    column = _within(_paths(lists, leaves), leaves.of_list)
    at = np.unique(_within(column, leaves.record), return_index=True)[1]
    _, first, of_cell, filled = np.unique(
        column[at], return_index=True, return_inverse=True, return_counts=True
    )
    holder = leaves.of_list[at[first]]
    common = 2 * filled >= lists.size[holder]
    size = np.bincount(holder, common, len(lists))
    present = np.bincount(leaves.record[at], common[of_cell], len(lists.start))
    return size.astype(np.int64), present.astype(np.int64)


def _leaf_ranges(lists: Lists) -> tuple[Ints, Ints]:
    """Return where the leaves of each record begin and end among those of the page."""
    before = lists.ground.leaves_before
    return before[lists.start], before[lists.stop]


def _leaves(lists: Lists) -> _Leaves:
    left, right = _leaf_ranges(lists)
    record = np.repeat(np.arange(len(left)), right - left)
    number = expand(left, right)
    return _Leaves(number, lists.ground.leaves[number], record, lists.of_record[record])


def _paths(lists: Lists, leaves: _Leaves) -> Hashes:
    """Return the path from each leaf's record down to the leaf.

    The hash of a path is a polynomial, so that the part above the record can be taken away. A
    record of several siblings is entered from their parent.
    """
    page, start, path = lists.page, lists.start, lists.ground.path
    top = np.where(lists.headed[lists.of_record], page.parent[start], start)[leaves.record]
    power = np.full(int(page.depth.max(initial=0)) + 2, trees.PATH_BASE, np.uint64)
    power[0] = 1
    power = np.cumprod(power, dtype=np.uint64)
    below = page.depth[leaves.row] - page.depth[top]
    relative: Hashes = path[leaves.row] - power[below] * path[top]
    return relative


def _within(hashes: Hashes, owner: Ints) -> Hashes:
    """Return hashes that are equal only for equal hashes of the same owner."""
    return mixed(hashes + (owner.astype(np.uint64) + np.uint64(1)) * STEP)
