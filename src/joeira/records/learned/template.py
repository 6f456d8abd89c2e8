"""What the records of a list have in common.

A column of the list is a path that leads from a record to one of its texts or pictures. The columns
that at least half of the records have are the template; a good list is mostly template.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from joeira.arrays import Floats, Hashes, Ints, trees
from joeira.arrays.hashing import mixed, slice_hashes
from joeira.page import Page, tags
from joeira.records.learned.candidates import STEP, Lists, expand

MAX_SAMPLE = 100
"""Records of a list that the template is made from, evenly spaced: more would say the same."""

STRANGER = 0.2
"""Share of the template that a record must have."""
MIN_TEMPLATE = 3
"""Columns of a template that tells records from strangers."""

CORE = 0.8
"""Share of the records that have a column of the core."""


@dataclass(frozen=True, eq=False)
class _Leaves:
    """The texts and pictures of the sampled records of all lists, record after record."""

    row: Ints
    record: Ints
    of_list: Ints


def template(lists: Lists) -> dict[str, Floats]:
    """Return how much of each list its template explains."""
    page, count = lists.page, len(lists)
    sample = _sample(lists)
    of_list = lists.of_record[sample]
    chosen, left, right = _leaf_ranges(lists, sample)
    leaves = _leaves(chosen, left, right, of_list)
    records = np.bincount(of_list, minlength=count)
    texts = _text_hashes(page)

    content = np.concatenate(([np.uint64(0)], np.cumsum(texts[chosen], dtype=np.uint64)))
    whole = _within(content[right] - content[left], of_list)
    different = of_list[np.unique(whole, return_index=True)[1]]
    return {
        **_columns(_paths(lists, sample, leaves), leaves, records),
        "alike": _alike(page.path, leaves, count),
        "distinct": np.bincount(different, minlength=count) / records,
        "varied": _varied(texts, leaves, page, count),
    }


def without_strangers(lists: Lists, min_records: int = 2) -> Lists:
    """Return lists without the records that have next to nothing of the template.

    Advertisements, filters and pagers often look like the records among which they stand. A list
    that would have too few records then stays whole.
    """
    every = np.arange(len(lists.start))
    owner = lists.of_record
    leaves = _leaves(*_leaf_ranges(lists, every), owner)
    column = _within(_paths(lists, every, leaves), leaves.of_list)
    at = np.unique(_within(column, leaves.record), return_index=True)[1]
    _, first, of_cell, filled = np.unique(
        column[at], return_index=True, return_inverse=True, return_counts=True
    )
    holder = leaves.of_list[at[first]]
    common = 2 * filled >= lists.size[holder]
    size = np.bincount(holder, common, len(lists))[owner]
    present = np.bincount(leaves.record[at], common[of_cell], len(every))
    kept = (present >= STRANGER * size) | (size < MIN_TEMPLATE)
    kept |= np.bincount(owner, kept, len(lists))[owner] < min_records
    first_record = np.concatenate(([0], np.cumsum(np.bincount(owner[kept], minlength=len(lists)))))
    return replace(lists, start=lists.start[kept], stop=lists.stop[kept], first=first_record)


def _leaf_ranges(lists: Lists, sample: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the texts and pictures of a page, and where those of each record begin and end."""
    page = lists.page
    chosen = np.flatnonzero(page.is_text | (page.tag == tags.NUMBER["img"]))
    left = np.searchsorted(chosen, lists.start[sample])
    return chosen, left, np.searchsorted(chosen, lists.stop[sample])


def _leaves(chosen: Ints, left: Ints, right: Ints, of_list: Ints) -> _Leaves:
    record = np.repeat(np.arange(len(left)), right - left)
    return _Leaves(chosen[expand(left, right)], record, of_list[record])


def _paths(lists: Lists, sample: Ints, leaves: _Leaves) -> Hashes:
    """Return the path from each leaf's record down to the leaf.

    The hash of a path is a polynomial, so that the part above the record can be taken away. A
    record of several siblings is entered from their parent.
    """
    page, start = lists.page, lists.start[sample]
    top = np.where(lists.headed[lists.of_record[sample]], page.parent[start], start)[leaves.record]
    path = trees.path_hashes(page.tag_symbol + lists.family * STEP, page.parent)
    power = np.full(int(page.depth.max(initial=0)) + 2, trees.PATH_BASE, np.uint64)
    power[0] = 1
    power = np.cumprod(power, dtype=np.uint64)
    below = page.depth[leaves.row] - page.depth[top]
    relative: Hashes = path[leaves.row] - power[below] * path[top]
    return relative


def _columns(path: Hashes, leaves: _Leaves, records: Ints) -> dict[str, Floats]:
    """Return the size of the template and how well the records keep to it."""
    count = len(records)
    column = _within(path, leaves.of_list)
    cell = _within(column, leaves.record)
    _, at, times = np.unique(cell, return_index=True, return_counts=True)
    owner = leaves.of_list[at]
    _, first, of_cell, filled = np.unique(
        column[at], return_index=True, return_inverse=True, return_counts=True
    )
    common = 2 * filled >= records[owner[first]]
    templated = common[of_cell]
    size = np.bincount(owner[first], common, count)
    total = np.maximum(np.bincount(leaves.of_list, minlength=count), 1)
    present = np.bincount(owner, templated, count)
    outside = np.bincount(owner, times * ~templated, count)
    missing = size * records - present
    repeats = total - present - outside
    return {
        "columns": np.log1p(size),
        "core": np.log1p(np.bincount(owner[first], filled / records[owner[first]] >= CORE, count)),
        "fit": present / total,
        "missing": missing / np.maximum(present, 1),
        "outside": outside / total,
        "repeats": np.log(total / np.maximum(np.bincount(owner, minlength=count), 1)),
        "saved": np.log1p(np.maximum(present - missing - (outside + repeats) / 2 - size, 0)),
    }


def _alike(path: Hashes, leaves: _Leaves, count: int) -> Floats:
    """Return how many leaves of a record share a tag path: many where a record is several."""
    cell = _within(path[leaves.row], leaves.record)
    _, at = np.unique(cell, return_index=True)
    leaf_count = np.bincount(leaves.of_list, minlength=count)
    return np.log(
        np.maximum(leaf_count, 1) / np.maximum(np.bincount(leaves.of_list[at], minlength=count), 1)
    )


def _varied(texts: Hashes, leaves: _Leaves, page: Page, count: int) -> Floats:
    """Return the share of each list's texts that no other text of the list equals."""
    is_text = page.is_text[leaves.row]
    owner = leaves.of_list[is_text]
    value = _within(texts[leaves.row[is_text]], owner)
    _, same, times = np.unique(value, return_inverse=True, return_counts=True)
    return np.bincount(owner, times[same] == 1, count) / np.maximum(
        np.bincount(owner, minlength=count), 1
    )


def _text_hashes(page: Page) -> Hashes:
    """Return a hash of the text of each row; the same number for every other leaf."""
    characters = page.characters
    stops = np.append(characters.starts[1:], len(characters.codes))
    hashes = np.ones(len(page), np.uint64)
    hashes[page.text_rows] = slice_hashes(characters.codes, characters.starts, stops)
    return hashes


def _within(hashes: Hashes, owner: Ints) -> Hashes:
    """Return hashes that are equal only for equal hashes of the same owner."""
    return mixed(hashes + (owner.astype(np.uint64) + np.uint64(1)) * STEP)


def _sample(lists: Lists) -> Ints:
    """Return the records that stand for each list."""
    size = lists.size
    if size.max(initial=0) <= MAX_SAMPLE:
        return np.arange(len(lists.start))
    taken = np.minimum(size, MAX_SAMPLE)
    owner = np.repeat(np.arange(len(lists)), taken)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(taken) - taken, taken)
    sample: Ints = lists.first[owner] + number * size[owner] // taken[owner]
    return sample
