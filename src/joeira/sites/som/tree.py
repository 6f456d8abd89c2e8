"""The site object model: the merged trees of many pages of one site.

1. In each page an element with text of its own takes all text below it, and children of equal
   structure in a row (one pattern of a few elements, repeated) are one leaf (`simplified`).
2. Children are the same on two pages when tag and place among such siblings are, and their ids
   where ids count (`SiteTree.ids`). Every node knows how many pages have it, and how many words it
   has itself on which of them (`SiteTree`).

Elements without words are left out, and so is the head of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.page.model import Page


def repeated_runs(
    symbol: NDArray[Any], group: NDArray[Any], max_period: int, min_repeats: int
) -> list[tuple[int, int]]:
    """Return the runs ``start, stop`` that are one pattern, repeated, left to right.

    A pattern has at most `max_period` symbols and never goes beyond its group; groups follow each
    other. Where several begin at one place, the one that covers most is taken, the shorter pattern
    of two that cover as much.
    """
    n = len(symbol)
    cover = np.zeros(n, np.int64)
    for period in range(1, min(max_period, n - 1) + 1):
        same = np.zeros(n, bool)
        same[:-period] = (symbol[period:] == symbol[:-period]) & (group[period:] == group[:-period])
        # How many places in a row, from each place on, are as the place one period later.
        following = np.where(same, n, np.arange(n))[::-1]
        length = np.minimum.accumulate(following)[::-1] - np.arange(n)
        length = np.where(same, length, 0)
        repeats = length // period + 1
        covered = np.where(repeats >= min_repeats, repeats * period, 0)
        cover = np.maximum(cover, covered)
    runs = []
    stop = 0
    for start in np.flatnonzero(cover).tolist():
        if start >= stop:
            stop = start + int(cover[start])
            runs.append((start, stop))
    return runs


Key = tuple[int, str, str, int]
"""Number of the parent, tag, id ('' where ids do not count), and place among siblings like it."""

ROOT: Final = 0
_PLAIN_ID: Final = re.compile(r"[\w-]+")
_DIGITS: Final = re.compile(r"\d+")
_UNKNOWN: Final = -1


@dataclass(frozen=True)
class Repetition:
    """What counts as repeated structure."""

    max_period: int = 3
    """Elements of a repeated pattern, at most."""
    min_repeats: int = 2
    """Repetitions of a pattern, at least."""


@dataclass(frozen=True, eq=False)
class Simplified:
    """A page after step 1: the rows of its nodes in preorder."""

    rows: NDArray[np.intp]
    parent: NDArray[np.intp]
    """Number of the parent among the nodes; -1 for the root."""
    stop: NDArray[np.intp]
    """One past the last row of each node; a leaf may stand for several siblings."""
    words: NDArray[np.intp]
    """Words of each leaf; 0 for nodes above leaves."""


@dataclass(eq=False)
class SiteTree:
    """The merged tree of the pages of a site; a node is numbered after its parent."""

    number: dict[Key, int] = field(default_factory=dict, repr=False)
    """Node of each key; the root is 0 and has none."""
    frequency: list[int] = field(default_factory=lambda: [0], repr=False)
    """Pages that have each node."""
    words: list[dict[int, int]] = field(default_factory=lambda: [{}], repr=False)
    """Words that each node itself has, by page."""
    pages: int = 0
    ids: bool = True
    """Whether nodes with different ids are different nodes."""

    def copy(self) -> SiteTree:
        """Return a tree that grows on its own."""
        words = [dict(held) for held in self.words]
        return SiteTree(dict(self.number), list(self.frequency), words, self.pages, self.ids)

    def add(self, page: Page, repetition: Repetition) -> list[int]:
        """Lay one more page over the tree; return the node of each node of the simple page."""
        simple = simplified(page, repetition)
        place: list[int] = []
        held = simple.words.tolist()
        for node, key in self._keys(page, simple, place):
            site_node = ROOT if key is None else self.number.setdefault(key, len(self.frequency))
            if site_node == len(self.frequency):
                self.frequency.append(0)
                self.words.append({})
            self.frequency[site_node] += 1
            if held[node]:
                self.words[site_node][self.pages] = held[node]
            place.append(site_node)
        self.pages += 1
        return place

    def places(self, page: Page, simple: Simplified) -> list[int]:
        """Return the node of the tree that each node of a page is; of the parent where unknown."""
        known: list[int] = []
        place: list[int] = []
        above = simple.parent.tolist()
        for node, key in self._keys(page, simple, known):
            # Nothing has a key below an unknown node, so that all below it is unknown, too.
            known.append(ROOT if key is None else self.number.get(key, _UNKNOWN))
            place.append(known[node] if known[node] != _UNKNOWN else place[above[node]])
        return place

    @property
    def parent(self) -> NDArray[np.intp]:
        """Number of the parent of each node; -1 for the root."""
        return np.array([-1, *(key[0] for key in self.number)], np.intp)

    @property
    def tags(self) -> list[str]:
        """Tag of each node."""
        return ["html", *(key[1] for key in self.number)]

    def paths(self) -> list[str]:
        """Return the path of each node, as in ``html/body/div[2]``."""
        paths = ["html"]
        for above, tag, id_, place in self.number:
            named = f"{tag}#{id_}" if id_ else tag
            paths.append(
                f"{paths[above]}/{named}[{place}]" if place > 1 else f"{paths[above]}/{named}"
            )
        return paths

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain data."""
        return {
            "nodes": [list(key) for key in self.number],
            "frequency": self.frequency,
            "words": [[list(item) for item in held.items()] for held in self.words],
            "pages": self.pages,
        }

    @classmethod
    def restore(cls, data: dict[str, Any], ids: bool = True) -> SiteTree:
        """Return the tree that `to_dict` described, or raise `ValueError`."""
        number = {
            (int(above), str(tag), str(id_), int(place)): node
            for node, (above, tag, id_, place) in enumerate(data["nodes"], 1)
        }
        frequency = [int(count) for count in data["frequency"]]
        words = [{int(page): int(count) for page, count in held} for held in data["words"]]
        if not len(data["nodes"]) + 1 == len(number) + 1 == len(frequency) == len(words):
            message = "as many keys, frequencies and words as nodes are needed"
            raise ValueError(message)
        if any(not 0 <= key[0] < node for key, node in number.items()):
            message = "a node comes after its parent"
            raise ValueError(message)
        return cls(number, frequency, words, int(data["pages"]), ids)

    def _keys(
        self, page: Page, simple: Simplified, place: list[int]
    ) -> Iterator[tuple[int, Key | None]]:
        """Yield the nodes of a page with their keys; `place` must grow along."""
        ids, names = page.ids
        names = tuple(template_id(name) if self.ids else "" for name in names)
        seen: dict[tuple[int, str, str], int] = {}
        for node, (row, above) in enumerate(
            zip(simple.rows.tolist(), simple.parent.tolist(), strict=True)
        ):
            if above < 0:
                yield node, None
                continue
            alike = (above, page.tag_name(row), names[ids[row]])
            seen[alike] = seen.get(alike, 0) + 1
            yield node, (place[above], alike[1], alike[2], seen[alike])


def template_id(name: str) -> str:
    """Return the template part of an id: ``post-0`` for ``post-1302``, '' for an address.

    An id that names one page is on no other, and all below it would be apart from them.
    """
    return _DIGITS.sub("0", name) if _PLAIN_ID.fullmatch(name) else ""


def simplified(page: Page, repetition: Repetition) -> Simplified:
    """Return a page after step 1: nested text and repeated structure become leaves."""
    words = np.where(page.in_head, 0, page.words)
    below = trees.subtree_sums(words, page.end)
    own_text = trees.child_counts(page.parent, words) > 0
    swallowed = np.zeros(len(page), bool)
    swallowed[1:] = trees.inside(own_text, page.end)[page.parent[1:]]
    kept = np.flatnonzero((below > 0) & ~page.is_text & ~swallowed)
    if not len(kept):
        none = np.zeros(0, np.intp)
        return Simplified(none, none, none, none)
    number = np.full(len(page), -1, np.intp)
    number[kept] = np.arange(len(kept))
    parent = np.where(page.parent[kept] >= 0, number[page.parent[kept]], -1)
    left, is_leaf, stop = _without_repeats(page, kept, parent, repetition)
    number[kept] = -1
    number[kept[left]] = np.arange(len(left))
    rows = kept[left]
    above = np.where(page.parent[rows] >= 0, number[page.parent[rows]], -1)
    before = np.concatenate(([0], np.cumsum(words)))
    return Simplified(rows, above, stop, np.where(is_leaf, before[stop] - before[rows], 0))


def _without_repeats(
    page: Page, rows: NDArray[np.intp], parent: NDArray[np.intp], repetition: Repetition
) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.intp]]:
    """Return which rows are left, which of these are leaves, and where they stop."""
    depth = trees.depths(parent)
    end = trees.ends(parent, depth).astype(np.intp)
    shape = trees.shape_hashes(page.tag_symbol[rows], depth, end)
    is_leaf = end == np.arange(len(rows)) + 1
    stop = page.end[rows].astype(np.intp)
    gone = np.zeros(len(rows), bool)
    siblings = np.argsort(parent, kind="stable")[1:]  # by parent, then in page order
    count = trees.child_counts(parent)
    runs = repeated_runs(
        shape[siblings], parent[siblings], repetition.max_period, repetition.min_repeats
    )
    # Parents come before what is below them: what is gone already is not looked at again.
    for first, last in runs:
        head, tail, above = siblings[first], siblings[last - 1], parent[siblings[first]]
        if gone[head] or is_leaf[above]:
            continue
        if last - first == count[above]:
            head = above
        gone[head + 1 : end[tail]] = True
        is_leaf[head] = True
        stop[head] = max(stop[head], page.end[rows[tail]])
    left = np.flatnonzero(~gone)
    return left, is_leaf[left], stop[left]
