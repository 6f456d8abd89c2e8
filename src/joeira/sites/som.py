"""SOM, the site object model: segments of the pages of one site, by merging their trees.

1. In each page an element with text of its own takes all text below it, and children of equal
   structure in a row (one pattern of up to `max_period` elements, repeated) are one leaf.
2. The trees of all pages are laid over each other: children are the same when tag, id and place
   among such siblings are. Every node knows on how many pages it is, and on which it has text.
3. A node with text on some page, and text within `alpha` levels below, takes all below it. Then,
   from the leaves up, a node all of whose children are on fewer than `beta` pages does.

What is left without children, or with text, are the block classes of the site.

Departures: the printed node key has the tag only; id and place are needed to tell siblings apart,
as the thesis' own figure does. Repeated structure is defined here (the thesis cites other work).
`alpha` is held against the *nearest* text below, which did better than the deepest. Elements
without words are left out, and so is the head. The learned pruning is not part of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from joeira.contracts import Paper
from joeira.errors import require
from joeira.kernels import trees
from joeira.kernels.repeats import repeated_runs
from joeira.page import Page, Region
from joeira.results import Segments

Key = tuple[int, str, str, int]
"""Number of the parent, tag, id, and place among the siblings alike in both."""

_ROOT: Final = 0
_UNKNOWN: Final = -1


@dataclass(frozen=True)
class SOM:
    """Merge the trees of a site, prune by two thresholds."""

    alpha: int = 6
    """Levels within which text below a node with text belongs to it (6: from the thesis)."""
    beta: int = 8
    """Pages that a node must be on to be told from its siblings (8: from the thesis)."""
    max_period: int = 3
    """Elements of a repeated pattern, at most."""
    min_repeats: int = 2
    """Repetitions of a pattern, at least."""

    paper: ClassVar[Paper] = Paper(
        "D. Fernandes, E. S. de Moura, A. S. da Silva, B. Ribeiro-Neto and E. Braga",
        2011,
        "A site oriented method for segmenting web pages",
        "SIGIR",
    )

    def __post_init__(self) -> None:
        """Check the parameters."""
        require(self.alpha >= 0, "alpha must be 0 or more")
        require(self.beta >= 0, "beta must be 0 or more")
        require(self.max_period >= 1, "max_period must be 1 or more")
        require(self.min_repeats >= 2, "min_repeats must be 2 or more")

    def fit(self, pages: Iterable[Page], /) -> SiteTree:
        """Return the pruned tree of a site."""
        site = SiteTree(self)
        for page in pages:
            site.add(page)
        return site.pruned()


@dataclass(frozen=True, eq=False)
class Simplified:
    """A page after step 1: the rows of its nodes in preorder."""

    rows: NDArray[np.intp]
    parent: NDArray[np.intp]
    """Number of the parent among the nodes; -1 for the root."""
    stop: NDArray[np.intp]
    """One past the last row of each node; a leaf may stand for several siblings."""
    is_leaf: NDArray[np.bool_]


@dataclass(eq=False)
class SiteTree:
    """The merged tree of the pages of a site."""

    method: SOM
    number: dict[Key, int] = field(default_factory=dict, repr=False)
    """Node of each key; the root is 0 and has none."""
    parent: list[int] = field(default_factory=lambda: [-1], repr=False)
    frequency: list[int] = field(default_factory=lambda: [0], repr=False)
    """Pages that have each node."""
    with_text: list[int] = field(default_factory=lambda: [0], repr=False)
    """Pages on which each node itself has text."""
    owner: NDArray[np.intp] | None = field(default=None, repr=False)
    """After pruning: the node that each node was merged into, itself if into none."""

    def add(self, page: Page) -> None:
        """Lay one more page over the tree."""
        simple = simplified(page, self.method)
        place: list[int] = []
        for node, key in self._keys(page, simple, place):
            found = _ROOT if key is None else self.number.setdefault(key, len(self.parent))
            if found == len(self.parent):
                self.parent.append(place[simple.parent[node]])
                self.frequency.append(0)
                self.with_text.append(0)
            self.frequency[found] += 1
            self.with_text[found] += int(simple.is_leaf[node])
            place.append(found)

    def places(self, page: Page, simple: Simplified) -> list[int]:
        """Return the node of the tree that each node of a page is; of the parent where unknown."""
        place: list[int] = []
        for node, key in self._keys(page, simple, place):
            above = _ROOT if key is None else place[simple.parent[node]]
            place.append(_ROOT if key is None else self.number.get(key, above))
        return place

    def _keys(
        self, page: Page, simple: Simplified, place: list[int]
    ) -> Iterator[tuple[int, Key | None]]:
        """Yield the nodes of a page with their keys; `place` must grow along."""
        ids, names = page.ids
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

    def pruned(self) -> SiteTree:
        """Return the same tree with every node merged that the thresholds merge."""
        parent = np.array(self.parent)
        owner = _merged(parent, self._nested_text(parent))
        owner = self._rare(parent, owner)
        return SiteTree(
            self.method, self.number, self.parent, self.frequency, self.with_text, owner
        )

    def _nested_text(self, parent: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which nodes with text have text not far below them."""
        text = np.array(self.with_text) > 0
        near = np.zeros(len(parent), bool)
        # A child is always numbered after its parent, whatever the order of the pages.
        reach = text.copy()
        for _ in range(self.method.alpha):
            higher = np.zeros(len(parent), bool)
            higher[parent[1:][reach[1:]]] = True
            near |= higher
            reach = higher
        return near & text

    def _rare(self, parent: NDArray[np.intp], owner: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the owners after merging, from below, nodes whose children are all rare."""
        frequency = np.array(self.frequency)
        alive = owner == np.arange(len(parent))
        rare = np.ones(len(parent), bool)
        has_children = np.zeros(len(parent), bool)
        below = np.flatnonzero(alive)[1:]
        has_children[parent[below]] = True
        rare[parent[below[frequency[below] >= self.method.beta]]] = False
        whole = has_children & rare
        whole[owner != np.arange(len(parent))] = False
        merged = _merged(parent, whole)
        return np.minimum(owner, merged[owner])

    @property
    def classes(self) -> list[int]:
        """Nodes that are block classes: what has text after pruning."""
        if self.owner is None:
            return [node for node, pages in enumerate(self.with_text) if pages]
        return sorted({int(self.owner[n]) for n, pages in enumerate(self.with_text) if pages})

    def path(self, node: int) -> str:
        """Return the path of a node, as in ``html/body/div[2]``."""
        key_of = {number: key for key, number in self.number.items()}
        steps = []
        while node != _ROOT:
            _, tag, id_, place = key_of[node]
            named = f"#{id_}" if id_ else ""
            steps.append(f"{tag}{named}[{place}]" if place > 1 else f"{tag}{named}")
            node = self.parent[node]
        return "/".join(["html", *reversed(steps)])

    def extract(self, page: Page, /) -> Segments:
        """Return the blocks of a page, each with the path of its class."""
        simple = simplified(page, self.method)
        place = np.array(self.places(page, simple), np.intp)
        own = place if self.owner is None else self.owner[place]
        leaf = np.searchsorted(simple.rows, page.text_rows, side="right") - 1
        block = np.where(leaf >= 0, own[np.maximum(leaf, 0)] if len(own) else 0, _UNKNOWN)
        begins = np.diff(block, prepend=-2) != 0
        first = np.flatnonzero(begins)
        last = np.append(first[1:], len(block))[: len(first)] - 1
        rows = page.text_rows
        regions = tuple(
            Region(page, int(rows[a]), int(rows[b]) + 1, self.path(max(int(block[a]), 0)))
            for a, b in zip(first, last, strict=True)
        )
        return Segments(page, regions, np.cumsum(begins) - 1, "som")


def _merged(parent: NDArray[np.intp], whole: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for every node the topmost whole node at or above it, itself where there is none."""
    n = len(parent)
    rows = np.arange(n)
    top = trees.minimum_over_ancestors(np.where(whole, rows, n), parent)
    return np.where(top < n, top, rows)


def simplified(page: Page, method: SOM) -> Simplified:
    """Return a page after step 1: nested text and repeated structure become leaves."""
    words = np.where(page.in_head, 0, page.words)
    below = trees.subtree_sums(words, page.end)
    own_text = trees.child_counts(page.parent, words) > 0
    swallowed = np.zeros(len(page), bool)
    swallowed[1:] = trees.inside(own_text, page.end)[page.parent[1:]]
    kept = np.flatnonzero((below > 0) & ~page.is_text & ~swallowed)
    if not len(kept):
        none = np.zeros(0, np.intp)
        return Simplified(none, none, none, np.zeros(0, bool))
    number = np.full(len(page), -1, np.intp)
    number[kept] = np.arange(len(kept))
    parent = np.where(page.parent[kept] >= 0, number[page.parent[kept]], -1)
    return _without_repeats(page, kept, parent, method)


def _without_repeats(
    page: Page, rows: NDArray[np.intp], parent: NDArray[np.intp], method: SOM
) -> Simplified:
    depth = trees.depths(parent)
    end = trees.ends(parent, depth).astype(np.intp)
    shape = trees.shape_hashes(page.tag_symbol[rows], depth, end)
    is_leaf = end == np.arange(len(rows)) + 1
    stop = page.end[rows].astype(np.intp)
    gone = np.zeros(len(rows), bool)
    siblings = np.argsort(parent, kind="stable")[1:]  # by parent, then in page order
    count = trees.child_counts(parent)
    runs = repeated_runs(shape[siblings], parent[siblings], method.max_period, method.min_repeats)
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
    number = np.full(len(rows), -1, np.intp)
    number[left] = np.arange(len(left))
    above = np.where(parent[left] >= 0, number[parent[left]], -1)
    return Simplified(rows[left], above, stop[left], is_leaf[left])
