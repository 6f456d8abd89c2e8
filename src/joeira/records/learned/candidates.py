"""Candidate lists of a page: sets of similar nodes that may be its data records.

Nodes are alike at several grains: the same tag path, the same path with classes, the same tag below
one parent, the same class anywhere. A group of them is a candidate list, each node a record; or
each node is the head of a record that goes on until the next head (``dt`` and ``dd``, a heading and
its paragraphs, two table rows). All groups come from equal keys of rows: the work is that of a few
sorts, whatever the page repeats. `joeira._native.lists` does without the sorts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira._native import native_available
from joeira.arrays import Hashes, Ints, trees
from joeira.arrays.strings import mixed, slice_hashes
from joeira.page import Page, tags

if native_available:
    from joeira._native import lists as kernels

MIN_WORDS = 4
"""A list with fewer words in all is decoration."""

_NEVER_RECORDS = tags.table("html head body title meta link base option br hr wbr input source")
_CELL = tags.table("td th")
STEP: Final = np.uint64(0x94D049BB133111EB)
"""Odd factor that spreads small numbers over all hashes."""

_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class Ground:
    """A page as all its lists see it; columns are computed when they are first asked for."""

    page: Page

    @Lazy
    def words(self) -> Ints:
        """Words before each row, with one more entry for the end of the page."""
        return running(self.page.words)

    @Lazy
    def family(self) -> Hashes:
        """Per row: number of its first class, digits left out: ``row1`` is as ``row2``."""
        number, names = self.page.classes
        firsts = "\n".join([(name.split(None, 1) or ("",))[0] for name in names])
        known: dict[str, int] = {"": 0}
        of_name = [known.setdefault(n, len(known)) for n in _DIGITS.sub("", firsts).split("\n")]
        return np.array(of_name, np.uint64)[number]

    @Lazy
    def path(self) -> Hashes:
        """Symbol of the path to each row in which tags differ also by family."""
        page = self.page
        return trees.path_hashes(page.tag_symbol + self.family * STEP, page.parent, page.ladder)

    @Lazy
    def leaves(self) -> Ints:
        """Rows of the texts and pictures."""
        return np.flatnonzero(self.page.is_text | (self.page.tag == tags.NUMBER["img"]))

    @Lazy
    def leaves_before(self) -> Ints:
        """Number of leaves before each row, with one more entry for the end of the page."""
        before = np.zeros(len(self.page) + 1, np.int64)
        before[self.leaves + 1] = 1
        return np.cumsum(before, out=before)

    @Lazy
    def contents(self) -> Hashes:
        """Per leaf: a hash of its text; the same number for all pictures."""
        characters = self.page.characters
        stops = np.append(characters.starts[1:], len(characters.codes))
        hashes = np.ones(len(self.leaves), np.uint64)
        is_text = self.page.is_text[self.leaves]
        hashes[is_text] = slice_hashes(characters.codes, characters.starts, stops)
        return hashes

    @Lazy
    def templates(self) -> kernels.PageTemplates:
        """What the records of lists share, in C; only where there are kernels."""
        page, leaves = self.page, self.leaves
        return kernels.PageTemplates(
            (self.path, page.parent, page.depth, self.leaves_before),
            (leaves, page.is_text[leaves].view(np.uint8)),
            (page.path[leaves], self.contents),
        )


def running(column: NDArray[Any]) -> Ints:
    """Return the sum of a column before each entry, and that of all."""
    sums = np.zeros(len(column) + 1, np.int64)
    np.cumsum(column, dtype=np.int64, out=sums[1:])
    return sums


@dataclass(frozen=True, eq=False)
class Lists:
    """Candidate lists; list *c* holds the records ``first[c]:first[c + 1]``."""

    ground: Ground
    start: Ints
    """First row of each record."""
    stop: Ints
    """One past the last row of each record."""
    first: Ints
    """Number of the first record of each list, and one more entry: the number of records."""
    headed: NDArray[np.bool_]
    """Which lists are made of runs of siblings cut before each head."""

    @property
    def page(self) -> Page:
        """The page that the lists are of."""
        return self.ground.page

    def __len__(self) -> int:
        """Return the number of lists."""
        return len(self.headed)

    @property
    def size(self) -> Ints:
        """Number of records of each list."""
        return np.diff(self.first)

    @property
    def of_record(self) -> Ints:
        """List of each record."""
        return np.repeat(np.arange(len(self)), self.size)

    def take(self, chosen: Ints) -> Lists:
        """Return some of the lists, in the order given."""
        record = expand(self.first[chosen], self.first[chosen + 1])
        first = np.concatenate(([0], np.cumsum(self.size[chosen])))
        start, stop, headed = self.start[record], self.stop[record], self.headed[chosen]
        return Lists(self.ground, start, stop, first, headed)

    def sums(self, per_record: NDArray[Any]) -> NDArray[Any]:
        """Return the sum over the records of each list."""
        return np.add.reduceat(per_record, self.first[:-1]) if len(self) else per_record[:0]


def expand(start: Ints, stop: Ints) -> Ints:
    """Return the numbers in all ranges ``start:stop``, one range after the other."""
    size = stop - start
    offset = np.repeat(start - np.cumsum(size) + size, size)
    return offset + np.arange(len(offset))


def candidates(page: Page, min_records: int = 2) -> Lists:
    """Return all lists of a page, each set of records once."""
    ground = Ground(page)
    words = ground.words
    solid = (words[page.end] > words[:-1]) & ~_NEVER_RECORDS[page.known_tag] & ~page.is_text
    texts = page.text_index[page.end] - page.text_index[:-1]
    value = _CELL[page.known_tag] & (texts < 2)  # one text in a cell is a field, not a record
    rows = np.flatnonzero(solid & ~value & ~page.in_head)
    start, first = alike(ground, rows, min_records)
    headed = np.zeros(len(first) - 1, bool)
    plain = Lists(ground, start, page.end[start].astype(np.int64), first, headed)
    plain = plain.take(np.flatnonzero(are_whole(plain)))
    both = _joined(plain, _runs(plain))
    total = both.sums(words[both.stop] - words[both.start])
    return both.take(np.flatnonzero(total >= MIN_WORDS))


def alike(ground: Ground, rows: Ints, min_records: int) -> tuple[Ints, Ints]:
    """Return the rows of each set of nodes that are alike, each set once, and where sets begin."""
    if not native_available:
        return alike_by_numpy(ground, rows, min_records)
    page = ground.page
    start, size = kernels.AlikeRows(
        rows,
        (page.path, page.class_path, ground.family),
        (page.tag, page.parent, page.classes[0], page.end),
        min_records,
    ).sets()
    return start, running(size)


def alike_by_numpy(ground: Ground, rows: Ints, min_records: int) -> tuple[Ints, Ints]:
    """Return what `alike` does."""
    page, family = ground.page, ground.family
    groups = [_groups(rows, key, min_records) for key in _keys(page, rows, family)]
    groups.append(_groups(*_anywhere(page, rows[family[rows] > 0]), min_records))
    start = np.concatenate([row for row, _ in groups])
    first = running(np.concatenate([size for _, size in groups]))
    headed = np.zeros(len(first) - 1, bool)
    every = Lists(ground, start, page.end[start].astype(np.int64), first, headed)
    distinct = every.take(_distinct(every))
    return distinct.start, distinct.first


def _keys(page: Page, rows: Ints, family: NDArray[np.uint64]) -> list[NDArray[np.uint64]]:
    """Return what nodes must share to be alike, at each grain."""
    path = page.path[rows]
    parent = page.parent[rows].astype(np.uint64)
    below = mixed(page.tag[rows].astype(np.uint64) * STEP + parent)
    classes = page.classes[0][rows].astype(np.uint64)
    return [
        path,
        mixed(path + (family[rows] + np.uint64(1)) * STEP),
        mixed(path + (classes + np.uint64(1)) * STEP),
        page.class_path[rows],
        below,
        mixed(below + family[rows] * STEP),
    ]


def _anywhere(page: Page, rows: Ints) -> tuple[Ints, NDArray[np.uint64]]:
    """Return nodes with a class and what they share with others anywhere: tag and class.

    A node inside another of its own kind is left out.
    """
    own = page.classes[0][rows].astype(np.uint64)
    key = mixed(page.tag[rows].astype(np.uint64) * STEP + own)
    order = np.argsort(key, kind="stable")
    rows, key = rows[order], key[order]
    # Groups are laid end to end on one axis, so that nesting is judged within each group.
    group = np.concatenate(([0], np.cumsum(key[1:] != key[:-1]))) if len(key) else key
    base = group.astype(np.int64) * (len(page) + 1)
    reach = np.maximum.accumulate(base + page.end[rows])
    alone = np.ones(len(rows), bool)
    alone[1:] = (base + rows)[1:] >= reach[:-1]
    return rows[alone], key[alone]


def _groups(rows: Ints, key: NDArray[np.uint64], min_records: int) -> tuple[Ints, Ints]:
    """Return the rows of each group with enough members, group after group, and their sizes."""
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1]))) if len(key) else order
    size = np.diff(np.append(first, len(key)))
    enough = size >= min_records
    return rows[order][np.repeat(enough, size)], size[enough]


def _distinct(lists: Lists) -> Ints:
    """Return the first list of each set of records."""
    if not len(lists):
        return np.zeros(0, np.int64)
    mark = lists.sums(mixed(lists.start.astype(np.uint64) * STEP + lists.stop.astype(np.uint64)))
    return np.sort(np.unique(mark, return_index=True)[1])


def are_whole(lists: Lists) -> NDArray[np.bool_]:
    """Return which lists are more than every other item of a longer one.

    Classes tell odd rows from even ones. Where half of a list's nodes or more are followed by a
    sibling of their own shape that is not in it, the list of all of them is a better candidate.
    """
    if not native_available:
        return are_whole_by_numpy(lists)
    page = lists.page
    return kernels.are_whole(
        lists.start, lists.first, (page.parent, page.end, page.text_index), page.shape
    )


def are_whole_by_numpy(lists: Lists) -> NDArray[np.bool_]:
    """Return what `are_whole` does."""
    page, start, group = lists.page, lists.start, lists.of_record
    after = np.minimum(page.end[start], len(page) - 1)
    texts = page.text_index[page.end[start]] - page.text_index[start]
    twin = (page.parent[after] == page.parent[start]) & (page.shape[after] == page.shape[start])
    twin &= texts >= 2  # two bare lines have one shape and may well be two fields of a record
    twin[:-1] &= (start[1:] != after[:-1]) | (group[1:] != group[:-1])
    whole: NDArray[np.bool_] = 2 * lists.sums(twin.astype(np.int64)) < lists.size
    return whole


def _runs(lists: Lists) -> Lists:
    """Return lists whose records begin at the nodes of a list and end where the next one begins.

    The last record below a parent has as many children as is usual in the list.
    """
    page, start, group = lists.page, lists.start, lists.of_record
    if not len(start):
        return lists
    parent = page.parent
    kids = np.argsort(parent, kind="stable")  # the children of each row, parent after parent
    place = np.empty(len(page), np.int64)
    place[kids] = np.arange(len(page))
    last_kid = np.cumsum(np.bincount(parent[1:], minlength=len(page)))  # the root comes first
    here = place[start]
    follows = np.zeros(len(start), bool)
    follows[:-1] = (group[1:] == group[:-1]) & (parent[start[1:]] == parent[start[:-1]])
    gap = np.zeros(len(start), np.int64)
    gap[:-1] = np.where(follows[:-1], here[1:] - here[:-1], 0)
    usual = _medians(group[follows], gap[follows], len(lists))
    reach = np.where(follows, here + gap, here + np.maximum(usual, 1)[group])
    inside = reach <= last_kid[parent[start]]
    stop = page.end[parent[start]].astype(np.int64)
    stop[inside] = kids[reach[inside]]
    kept = np.flatnonzero(usual > 1)  # else strangers between records would be glued to them
    runs = Lists(lists.ground, start, stop, lists.first, np.ones(len(lists), bool))
    return runs.take(kept)


def _medians(group: Ints, value: Ints, count: int) -> Ints:
    """Return the upper median of the values of each group; 0 for a group without any."""
    order = np.lexsort((value, group))
    size = np.bincount(group, minlength=count)
    middle = np.cumsum(size) - size + size // 2
    found = np.zeros(count, np.int64)
    found[size > 0] = value[order][middle[size > 0]]
    return found


def _joined(first: Lists, second: Lists) -> Lists:
    return Lists(
        first.ground,
        np.concatenate((first.start, second.start)),
        np.concatenate((first.stop, second.stop)),
        np.concatenate((first.first, second.first[1:] + first.first[-1])),
        np.concatenate((first.headed, second.headed)),
    )
