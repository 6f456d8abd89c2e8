"""A site whose blocks are known: the oracle of the thesis, and the scores of a pruned tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joeira.evaluation import segments
from joeira.evaluation.block_roots import block_roots
from joeira.evaluation.datasets import Row
from joeira.page import Page, parse
from joeira.sites.som.pruning import Decision
from joeira.sites.som.tree import Repetition, SiteTree, simplified


@dataclass(frozen=True, eq=False)
class MarkedSite:
    """The merged tree of a site, with what people marked."""

    pages: Sequence[Page]
    golds: Sequence[segments.Gold]
    tree: SiteTree
    node_of_text: Sequence[NDArray[np.intp]]
    """Per page: the node of the tree that each text belongs to."""
    block_count: NDArray[np.intp]
    """Per node: pages on which it is the root of a block, or took the root in."""

    @classmethod
    def of(cls, rows: Sequence[Row], repetition: Repetition) -> MarkedSite:
        """Return the site of pages with answers."""
        pages = [parse(row.html, row.url) for row in rows]
        tree = SiteTree()
        node_of_text, marked = [], []
        for row, page in zip(rows, pages, strict=True):
            simple = simplified(page, repetition)
            place = np.array([*tree.add(page, repetition), 0], np.intp)  # one more for no node
            node_of_text.append(place[np.searchsorted(simple.rows, page.text_rows, "right") - 1])
            roots = np.array([*block_roots(row, page)], np.intp)
            marked.append(np.unique(place[np.searchsorted(simple.rows, roots, "right") - 1]))
        counts = np.bincount(np.concatenate([*marked, []]).astype(np.intp))
        block_count = np.zeros(len(tree.frequency), np.intp)
        block_count[: len(counts)] = counts
        golds = [segments.Gold(row) for row in rows]
        return cls(pages, golds, tree, node_of_text, block_count)

    def scores(self, owner: NDArray[np.intp]) -> dict[str, float]:
        """Return the mean scores over the pages of a pruned tree."""
        found = []
        for page, gold, nodes in zip(self.pages, self.golds, self.node_of_text, strict=True):
            shown = ~page.in_head[page.text_rows]
            texts = zip(page.texts, owner[nodes].tolist(), shown.tolist(), strict=True)
            found.append(gold.measure([(text, own) for text, own, seen in texts if seen]))
        means = np.mean(found, axis=0).round(4).tolist()
        return dict(zip(segments.COLUMNS, means, strict=True))


def oracle(site: MarkedSite) -> Decision:
    """Return who knows the blocks: the children of a node are one block if none is one itself.

    The block that a child is in is the node with most block roots among the child and what is above
    it; of several the deepest.
    """
    count, parent = site.block_count.tolist(), site.tree.parent.tolist()
    block: list[int] = []
    is_inside = [True] * len(count)
    for node, above in enumerate(parent):
        outer = block[above] if above >= 0 else -1
        is_root = count[node] > 0 and (outer < 0 or count[node] >= count[outer])
        block.append(node if is_root else outer)
        if above >= 0 and block[node] in (-1, node):
            is_inside[above] = False
    return lambda node, features: is_inside[node]
