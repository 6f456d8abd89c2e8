"""Places of a page in the style tree of its site, as Yi, Liu and Li (2003) define it.

A place is the way from the body down: at each step the whole sequence of children of the element,
and which of them comes next. Two pages share a place as long as all sequences on the way to it are
the same. A style of a place is one sequence of children; the empty one makes the place a leaf.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.arrays.hashing import mixed
from joeira.page import tags
from joeira.page.model import Page
from joeira.page.tags import class_symbols, symbol

_STEP = np.uint64(0x9E3779B97F4A7C15)
_WORD = re.compile(r"\w+")
Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StyleNodes:
    """The places of a page, one after the other in document order."""

    row: Ints
    """Rows of the page, in order."""
    place: Hashes
    style: Hashes
    """The place together with the sequence of its children."""
    above: Hashes
    """Style of the place above; 0 for the body."""
    depth: Ints
    is_leaf: NDArray[np.bool_]
    of_text: Ints
    """Per text of the page: its leaf; -1 outside the body."""


def style_nodes(page: Page) -> StyleNodes:
    """Return the places of a page.

    Elements count with their class. A text counts beside elements only: in an element without
    others, it is what the element holds. What is never shown as text is left out.
    """
    in_tree = _in_tree(page)
    kind = page.tag_symbol + class_symbols(page.classes[1])[page.classes[0]]
    number, _ = trees.sibling_places(page.parent, in_tree)
    below = np.flatnonzero(in_tree & (np.arange(len(page)) > page.body))
    children = np.zeros(len(page), np.uint64)
    # A sum that depends on the order, as each term does on the number of the child.
    np.add.at(
        children, page.parent[below], mixed(kind[below] + number[below].astype(np.uint64) * _STEP)
    )
    step = np.zeros(len(page), np.uint64)
    step[page.body : page.body + 1] = _STEP  # 0 stands for no style
    step[below] = mixed(children[page.parent[below]] * _STEP + number[below].astype(np.uint64))
    place = trees.path_hashes(step, page.parent, page.ladder)
    style = mixed(place * _STEP + children)
    rows = np.flatnonzero(in_tree)
    above = np.where(rows > page.body, style[page.parent[rows]], np.uint64(0))
    number_of = np.cumsum(in_tree) - 1
    holder = np.where(in_tree[page.text_rows], page.text_rows, page.parent[page.text_rows])
    return StyleNodes(
        rows,
        place[rows],
        style[rows],
        above,
        page.depth[rows].astype(np.int64),
        trees.child_counts(page.parent, in_tree.astype(np.int64))[rows] == 0,
        np.where(in_tree[holder], number_of[holder], -1),
    )


def leaf_features(page: Page, nodes: StyleNodes) -> tuple[Ints, Hashes, Ints]:
    """Return the words, link targets and image sources of leaves: leaf, feature, and how often."""
    found: Counter[tuple[int, str]] = Counter()
    for leaf, text in zip(nodes.of_text.tolist(), page.texts, strict=True):
        if leaf >= 0:
            found.update(zip(repeat(leaf), _WORD.findall(text.lower())))
    leaf_of = {row: leaf for leaf, row in enumerate(nodes.row.tolist()) if nodes.is_leaf[leaf]}
    for name in ("href", "src"):
        for row, value in zip(*page.attributes.column(name), strict=True):
            if row in leaf_of:
                found[leaf_of[row], f"{name}={value}"] += 1
    leaves = np.fromiter((leaf for leaf, _ in found), np.int64, len(found))
    features = np.fromiter((symbol(feature) for _, feature in found), np.uint64, len(found))
    return leaves, features, np.fromiter(found.values(), np.int64, len(found))


def _in_tree(page: Page) -> NDArray[np.bool_]:
    """Return which rows are places: elements of the body, and the texts beside elements."""
    elements = np.zeros(len(page), bool)
    if not len(page):
        return elements
    elements[page.body : page.end[page.body]] = True
    elements &= ~page.is_text & ~page.in_head
    elements &= ~trees.inside(tags.NOT_TEXT[page.known_tag], page.end)
    has_elements = trees.child_counts(page.parent, elements.astype(np.int64)) > 0
    beside = page.is_text & elements[page.parent] & has_elements[page.parent]
    found: NDArray[np.bool_] = elements | beside
    return found
