"""Samples of a site's tree: a node all of whose children are leaves, and 23 features of it.

A sample is asked for once, children before parents and left to right: should the children be one
block? If so they are merged into their parent, which may then be part of a sample itself.

The features are those of Daoud (2013). P is the parent of a sample, C its children, U the siblings
of P. The thesis leaves open some of them; they are read so: pages with text are a union over C;
text is counted in words over all pages; no ancestor with text is distance 0; the parent itself
counts as an ancestor of its children.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.sites.som.tree import SiteTree

NAMES: Final = (
    "children", "depth", "freq_over_most_common_child", "freq_over_rarest_child",
    "pages_with_text_in_children", "levels_to_text_above", "share_of_pages",
    "pages_with_own_text", "words_per_child", "all_children_have_text", "is_block_level",
    "has_block_level_child", "has_inline_child", "children_alike", "like_a_neighbour",
    "sibling_has_children", "sibling_is_leaf", "sibling_is_block_level", "sibling_is_inline",
    "sibling_has_text", "siblings", "children_have_text_on_every_page", "share_of_block_level",
)  # fmt: skip
"""In the order of the thesis: NumeroDeElementos, DistanciaRaiz, MaisComum, and so on."""

BLOCK_LEVEL: Final = frozenset(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav "
    "noframes noscript ol p pre section summary table tbody tfoot thead tr ul".split()
)
"""Every other tag counts as inline, ``td`` included."""

Decision = Callable[[int, NDArray[np.float64]], bool]
"""Whether the children of a node, with these features, are one block."""


@dataclass(frozen=True, eq=False)
class Asked:
    """The samples that were asked for, in order, and what was decided."""

    nodes: NDArray[np.intp]
    features: NDArray[np.float64]
    """One row per sample, one column per name."""
    merged: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    """Per node of the tree: whether it took in all below it."""


def prune(tree: SiteTree, decide: Decision) -> Asked:
    """Ask for every sample of a tree and merge where the answer is yes."""
    state = _State(tree)
    nodes, rows, merged = [], [], []
    for node in state.postorder():
        if not state.children[node] or any(map(state.has_children, state.children[node])):
            continue
        features = state.features(node)
        yes = decide(node, features)
        nodes.append(node)
        rows.append(features)
        merged.append(yes)
        if yes:
            state.merge(node)
    return Asked(
        np.array(nodes, np.intp),
        np.array(rows).reshape(-1, len(NAMES)),
        np.array(merged, bool),
        np.array(state.whole),
    )


class _State:
    """A tree while it is pruned; what is asked of siblings is counted, not looked up again."""

    def __init__(self, tree: SiteTree) -> None:
        self.tree = tree
        parent = tree.parent
        self.parent = parent.tolist()
        self.depth = trees.depths(parent).tolist()
        self.children: list[list[int]] = [[] for _ in self.parent]
        for node, above in enumerate(self.parent[1:], 1):
            self.children[above].append(node)
        self.first_children = [tuple(below) for below in self.children]
        self.tags = tree.tags
        self.like_neighbour = self._like_neighbours()
        self.words = [dict(held) for held in tree.words]
        self.is_block = [tag in BLOCK_LEVEL for tag in self.tags]
        self.whole = [False] * len(self.parent)
        self.text_depth = self._text_depths()
        self.inner_children = [sum(map(self.has_children, below)) for below in self.children]
        self.block_children = [sum(self.is_block[n] for n in below) for below in self.children]
        self.text_children = [sum(bool(self.words[n]) for n in below) for below in self.children]

    def has_children(self, node: int) -> bool:
        return bool(self.children[node])

    def _like_neighbours(self) -> list[bool]:
        """Return which nodes have the tag of the sibling before or after them."""
        alike = [False] * len(self.parent)
        for siblings in self.first_children:
            for one, other in pairwise(siblings):
                if self.tags[one] == self.tags[other]:
                    alike[one] = alike[other] = True
        return alike

    def _text_depths(self) -> list[int]:
        """Return the depth of the nearest node with text at or above each node; -1 for none."""
        depths: list[int] = []
        for node, above in enumerate(self.parent):
            outer = depths[above] if above >= 0 else -1
            depths.append(self.depth[node] if self.words[node] else outer)
        return depths

    def postorder(self) -> list[int]:
        """Return the nodes, children before parents, in order of appearance."""
        stack, order = [0], []
        while stack:
            node = stack.pop()
            order.append(node)
            stack += self.first_children[node]  # the last comes first: all is reversed in the end
        return order[::-1]

    def merge(self, node: int) -> None:
        """Let a node take in its children, which are leaves."""
        own, above = self.words[node], self.parent[node]
        had_text = bool(own)
        for child in self.children[node]:
            for page, words in self.words[child].items():
                own[page] = own.get(page, 0) + words
        self.children[node] = []
        self.whole[node] = True
        if above >= 0:
            self.inner_children[above] -= 1
            self.text_children[above] += bool(own) - had_text

    def features(self, node: int) -> NDArray[np.float64]:
        """Return the features of a sample."""
        tree, children = self.tree, self.children[node]
        count = len(children)
        frequency = tree.frequency[node]
        others = [tree.frequency[child] for child in children]
        held = [self.words[child] for child in children]
        block = sum(self.is_block[child] for child in children)
        text_depth = self.text_depth[node]
        child_depth = self.depth[node] + 1
        return np.array(
            [
                count,
                child_depth,
                frequency / max(others),
                frequency / min(others),
                len(set().union(*held)) / frequency,
                child_depth - text_depth if text_depth >= 0 else 0,
                frequency / tree.pages,
                len(self.words[node]) / frequency,
                sum(sum(words.values()) for words in held) / count,
                all(held),
                self.is_block[node],
                block > 0,
                block < count,
                count > 1 and len({self.tags[child] for child in children}) == 1,
                *self._around(node),
                all(len(words) == frequency for words in held),
                block / count,
            ],
            np.float64,
        )

    def _around(self, node: int) -> list[float]:
        """Return what is asked of the siblings of a sample's parent, which has children itself."""
        above = self.parent[node]
        if above < 0:
            return [0.0] * 7
        others = len(self.first_children[above]) - 1
        inner = self.inner_children[above] - 1
        block = self.block_children[above] - self.is_block[node]
        text = self.text_children[above] - bool(self.words[node])
        return [
            self.like_neighbour[node],
            inner > 0,
            inner < others,
            block > 0,
            block < others,
            text > 0,
            others,
        ]
