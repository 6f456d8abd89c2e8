"""What the values of records are: single texts, whole sentences, whole lists, images and links.

A record is reduced to the elements that hold something, with its values as leaves. Three kinds of
texts are taken as one value instead of being split where the markup splits them:

- *Sentences*, which `record_sentences` finds.
- *Prose.* Elements that begin with a long text in most records, hold mainly such texts and are made
  differently from record to record, as posts of a forum are.
- *Lists within a record.* Equal siblings in a row, as tags or paragraphs are, whose number differs
  between records and reaches four, are one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.arrays.hashing import mixed
from joeira.arrays.trees import outermost, subtree_sums
from joeira.output.record_rows import Ints, RecordRows
from joeira.output.record_sentences import sentences
from joeira.page import tags

ELEMENT, TEXT, IMAGE, LINK, LIST = range(5)
"""Kinds of nodes: an element with values below it, or a value."""

_MAX_SEPARATE = 3
"""So many equal siblings stay values of their own even where their number differs."""
_REGULAR_SHARE = 0.8
"""Share of lists that must have one length for their items to be values of their own."""
_CELL = tags.table("td th")
_LONG_TEXT = 20
"""Words from which on a text is prose and not the value of a field."""
_PROSE_SHARE = 0.5
"""Share of the words that are in long texts, and of the elements that begin with one."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RecordNodes:
    """Records reduced to their values and the elements above them, in preorder."""

    table: RecordRows
    place: Ints
    """Place of each node: of the first one, where a value is several siblings."""
    stop: Ints
    """One past the last place of each node."""
    kind: Ints
    symbol: NDArray[np.uint64]

    @cached_property
    def record(self) -> Ints:
        """Record of each node."""
        return self.table.record[self.place]

    @cached_property
    def parent(self) -> Ints:
        """Node above each node; -1 for the roots of records."""
        above = self.table.parent[self.place]
        return np.where(above >= 0, np.searchsorted(self.place, above), -1)

    @cached_property
    def end(self) -> Ints:
        """One past the last node of each subtree."""
        return np.searchsorted(self.place, self.stop)

    @cached_property
    def depth(self) -> Ints:
        """Number of nodes above; all elements above a node are nodes."""
        return self.table.depth[self.place]

    @cached_property
    def path(self) -> NDArray[np.uint64]:
        """Symbol of the way from the root of the record to each node."""
        return trees.path_hashes(self.symbol, self.parent)

    @cached_property
    def leaves(self) -> Ints:
        """Nodes that are values."""
        return np.flatnonzero(self.kind != ELEMENT)

    @cached_property
    def leaf_counts(self) -> Ints:
        """Number of values at or below each node."""
        return subtree_sums(self.kind != ELEMENT, self.end)


def reduced(table: RecordRows) -> RecordNodes:
    """Return the values of records and the elements above them."""
    return _with_lists_whole(_with_prose_whole(_with_sentences_whole(table)))


def _with_sentences_whole(table: RecordRows) -> RecordNodes:
    kind = _value_kinds(table)
    holds = subtree_sums(kind > ELEMENT, table.end) > 0
    holds[table.roots] = True
    first, last = sentences(table, holds)
    stop = table.end.copy()
    stop[first] = table.end[last]
    first = outermost(np.sort(first), stop).astype(np.int64)  # one may be part of another
    keep = holds & ~_covered(len(table), first, stop[first])
    keep[first] = True
    kind[first] = TEXT
    place = np.flatnonzero(keep)
    symbol = np.where(kind == ELEMENT, table.symbol, mixed(kind.astype(np.uint64)))
    return RecordNodes(table, place, stop[place], kind[place], symbol[place])


def _value_kinds(table: RecordRows) -> Ints:
    kind = np.zeros(len(table), np.int64)
    kind[table.is_text] = TEXT
    kind[list(table.images)] = IMAGE
    empty = subtree_sums(kind > ELEMENT, table.end) == 0
    links = np.array(list(table.links), np.int64)
    kind[links[empty[links]]] = LINK
    return kind


def _covered(size: int, first: Ints, stop: Ints) -> Bools:
    change = np.zeros(size + 1, np.int64)
    np.add.at(change, first, 1)
    np.add.at(change, stop, -1)
    return np.cumsum(change)[:-1] > 0


# Prose ------------------------------------------------------------------------------------------


def _with_prose_whole(nodes: RecordNodes) -> RecordNodes:
    elements = np.flatnonzero((nodes.kind == ELEMENT) & (nodes.parent >= 0))
    if not len(elements):
        return nodes
    words = _words(nodes)
    long = words * (words >= _LONG_TEXT)
    _, group = np.unique(nodes.path[elements], return_inverse=True)
    groups = int(group.max()) + 1

    def total(per_element: NDArray[Any]) -> NDArray[np.float64]:
        return np.bincount(group, per_element, groups).astype(np.float64)

    count = total(np.ones(len(elements)))
    first_leaf = nodes.leaves[np.searchsorted(nodes.leaves, elements)]
    shapes = trees.shape_hashes(nodes.symbol, nodes.depth, nodes.end)[elements]
    _, shape = np.unique(shapes, return_inverse=True)
    prose = total(subtree_sums(long, nodes.end)[elements]) >= _PROSE_SHARE * np.maximum(
        total(subtree_sums(words, nodes.end)[elements]), 1
    )
    prose &= total(long[first_leaf] > 0) >= _PROSE_SHARE * count
    prose &= total(nodes.leaf_counts[elements]) > count  # else it is one text in every record
    prose &= _most_frequent_share(group, shape) < _REGULAR_SHARE
    chosen = outermost(elements[prose[group]], nodes.end).astype(np.int64)
    kind, symbol = nodes.kind.copy(), nodes.symbol.copy()
    kind[chosen] = TEXT
    symbol[chosen] = mixed(symbol[chosen] + np.uint64(TEXT))
    keep = ~_covered(len(nodes.place), chosen + 1, nodes.end[chosen])
    return RecordNodes(nodes.table, nodes.place[keep], nodes.stop[keep], kind[keep], symbol[keep])


def _words(nodes: RecordNodes) -> Ints:
    """Return the words of each text that is a value; 0 for other nodes."""
    table = nodes.table
    running = np.concatenate(([0], np.cumsum(table.page.words)))
    first = np.maximum(table.rows[nodes.place], 0)
    last = np.maximum(table.rows[nodes.stop - 1], 0)
    return np.where(nodes.kind == TEXT, running[last + 1] - running[first], 0)


# Lists within a record --------------------------------------------------------------------------


def _with_lists_whole(nodes: RecordNodes) -> RecordNodes:
    table = nodes.table
    order = np.argsort(nodes.parent, kind="stable")
    order = order[nodes.parent[order] >= 0]
    if not len(order):
        return nodes
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(nodes.parent[order]) != 0) | (
        nodes.symbol[order[1:]] != nodes.symbol[order[:-1]]
    )
    first = np.flatnonzero(new)
    length = np.diff(np.append(first, len(order)))
    head, tail = order[first], order[first + length - 1]
    _, group = np.unique(nodes.path[head], return_inverse=True)
    longest = np.zeros(int(group.max()) + 1, np.int64)
    np.maximum.at(longest, group, length)
    usual = _most_frequent_share(group, length)
    irregular = (longest[group] > _MAX_SEPARATE) & (usual[group] < _REGULAR_SHARE)
    irregular &= ~(_CELL[table.tag[nodes.place[head]]])
    head, tail = head[irregular], tail[irregular]
    by_place = np.argsort(head)
    head, tail = head[by_place], tail[by_place]
    end = nodes.end.copy()
    end[head] = end[tail]
    stop, kind, symbol = nodes.stop.copy(), nodes.kind.copy(), nodes.symbol.copy()
    stop[head] = nodes.stop[tail]
    keep = ~_covered(len(nodes.place), head, end[head])
    keep[outermost(head, end)] = True
    only_images = (kind[head] == IMAGE) | (kind[head] == LINK)
    kind[head] = np.where(only_images, kind[head], LIST)
    symbol[head] = mixed(symbol[head] + np.uint64(LIST))
    return RecordNodes(table, nodes.place[keep], stop[keep], kind[keep], symbol[keep])


def _most_frequent_share(group: Ints, value: Ints) -> NDArray[np.float64]:
    """Return, per group, the share of its most frequent value."""
    span = int(value.max()) + 1
    pairs, count = np.unique(group * span + value, return_counts=True)
    most = np.zeros(int(group.max()) + 1)
    np.maximum.at(most, pairs // span, count)
    return most / np.bincount(group)
