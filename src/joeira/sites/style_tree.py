"""Site style tree: leaves whose words, links and images are the same on the pages of the site.

Yi, Liu and Li (2003):

1. merge the pages of a site into one tree. An element node has style nodes: the sequences of its
   children found on the pages, each with the number of pages that use it; each child of a style is
   an element node again;
2. the importance of an element node grows with the diversity of its styles: entropy over pages;
3. the importance of a leaf grows with the diversity of what it holds: one less the mean entropy of
   its words, link targets and image sources over the pages that have it;
4. the composite importance of a node mixes its own with that of its descendants, the more of the
   latter, the fewer styles it has;
5. a subtree of nodes with little importance is noise; what is left of a page is content.

A text is in a noisy subtree exactly when its leaf is noise, so that extraction asks for leaves
only; `SiteStyleTree.importances` gives the composite importance of all nodes. The tree is kept as
sorted columns: a node is the hash of the styles on the way to it, and no page is compared with
another one.

A place of a page in the tree is the way from the body down: at each step the whole sequence of
children of the element, and which of them comes next. Two pages share a place as long as all
sequences on the way to it are the same. A style of a place is one sequence of children; the empty
one makes the place a leaf.

Departures. Nodes are distinguished by their tag and class, the paper's display attributes being out
of use; text beside elements is a leaf of its own; scripts and the like are left out. An element
that has children on some pages only is judged by its empty style as by any other. The paper's
threshold is chosen for each site; here it is a parameter. A page given twice counts once; a page
that was not learned from is judged as one more page of the set. Of a site with more than
`max_pages` pages a sample is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Case, Floats, Hashes, Ints, trees
from joeira.arrays.groups import Keyed
from joeira.arrays.strings import mixed
from joeira.content.result import Content, ReasonTable
from joeira.page import Page, tags
from joeira.page.tags import class_symbols, symbol
from joeira.papers import YI_2003, Paper
from joeira.params import check, param
from joeira.sites._words import f_log_f, share_of_even, spread
from joeira.sites.corpus import MAX_PAGES, Sample, fingerprint, kept, read_fingerprints

_STEP = np.uint64(0x9E3779B97F4A7C15)
_WORD = re.compile(r"\w+")
_ITS_PLACE = "its place in the site's style tree "


class PlaceCase(Case):
    """What the site has at the place of a text."""

    OUTSIDE_BODY = 0, "outside the body"
    SAME_EVERYWHERE = 1, _ITS_PLACE + "has the same contents on every page, importance {score:.2f}"
    VARIED_PLACE = 2, _ITS_PLACE + "varies between pages, importance {score:.2f}"
    OWN_PLACE = 3, _ITS_PLACE + "is on no other page"


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


Tables = tuple[Keyed, Keyed]
"""Of styles, and of what the leaves hold."""

_PAGES_AT_ONCE = 32
"""Pages whose tables are merged at once; more would only take more memory."""


@dataclass(frozen=True)
class StyleTree:
    """Keep the texts whose places in the site's style tree vary from page to page."""

    noise_threshold: float = param(
        0.2, "Composite importance below which a node is noise.", ge=0, le=1
    )
    gamma: float = param(
        0.9,
        "Weight of the importance of a node's own style against that of its descendants.",
        ge=0,
        le=1,
    )
    max_pages: int = param(
        MAX_PAGES,
        "Maximum number of pages to keep: of more, a sample that does not depend on their order.",
        ge=1,
    )

    papers: ClassVar[tuple[Paper, ...]] = (YI_2003,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def fit(self, pages: Iterable[Page], /) -> SiteStyleTree:
        """Return what tells the content of the site's pages."""
        return SiteStyleTree(self).update(pages)

    def restore(self, data: dict[str, Any]) -> SiteStyleTree:
        """Return what `SiteStyleTree.to_dict` described."""
        return SiteStyleTree(
            self,
            read_fingerprints(data["pages"]),
            {int(level): _restored(tables) for level, tables in data["levels"].items()},
        )


_STYLES = {"place": np.uint64, "above": np.uint64, "depth": np.int64, "pages": np.int64}
_FEATURES = {"style": np.uint64, "times": np.int64, "logs": np.float64}


@dataclass(frozen=True, eq=False)
class SiteStyleTree:
    """The style tree of a site as two tables: of styles, and of what the leaves hold.

    Each level of the sample of pages (`joeira.sites.corpus.level_of`) has its own, so that pages
    can be forgotten.
    """

    method: StyleTree
    fingerprints: tuple[str, ...] = field(default=(), repr=False)
    """One for each page learned from."""
    levels: Mapping[int, Tables] = field(default_factory=dict, repr=False)

    def update(self, pages: Iterable[Page], /) -> SiteStyleTree:
        """Return a site with more pages."""
        prints = dict.fromkeys(self.fingerprints)
        sample = Sample.of(prints, self.method.max_pages)
        parts = {level: [tables] for level, tables in self.levels.items()}
        for level, page in sample.new_pages(pages, prints):
            parts = sample.kept(parts)
            nodes = style_nodes(page)
            own = parts.setdefault(level, [])
            own.append((_styles_of(nodes), _features_of(page, nodes)))
            if len(own) > _PAGES_AT_ONCE:
                parts[level] = [_merged(own)]
        merged = {level: _merged(own) for level, own in sample.kept(parts).items()}
        return SiteStyleTree(self.method, tuple(prints), merged)

    @cached_property
    def _tables(self) -> Tables:
        empty = Keyed.empty(_STYLES), Keyed.empty(_FEATURES)
        return _merged([empty, *self.levels.values()])

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as plain data."""
        return {
            "pages": list(self.fingerprints),
            "levels": {
                str(level): {"styles": styles.to_dict(), "features": features.to_dict()}
                for level, (styles, features) in self.levels.items()
            },
        }

    def extract(self, page: Page, /) -> Content:
        """Return the texts of a page in leaves that matter."""
        nodes = style_nodes(page)
        importance, pages = self.leaf_importances(page, nodes)
        leaf = nodes.of_text
        scores = np.append(importance, 0.0)[leaf]
        kept = scores >= self.method.noise_threshold
        alone = np.append(pages, 0)[leaf] == 1
        varied = np.where(alone, PlaceCase.OWN_PLACE, PlaceCase.VARIED_PLACE)
        cases = np.where(kept, varied, PlaceCase.SAME_EVERYWHERE)
        outside = (leaf < 0) | page.in_head[page.text_rows]
        cases[outside] = PlaceCase.OUTSIDE_BODY
        reasons = ReasonTable(cases, PlaceCase, scores)
        return Content(page, kept & ~outside, scores, reasons, "style_tree")

    def leaf_importances(self, page: Page, nodes: StyleNodes) -> tuple[Floats, NDArray[np.int64]]:
        """Return the importance of a page's places as leaves, and the pages that have each."""
        more = 0 if fingerprint(page) in self._known else 1
        styles, _ = self._tables
        at = styles.find(nodes.style)
        pages = np.append(styles["pages"], 0)[at] + more
        entropy, count = (sums[at] for sums in self._leaf_sums)
        if more:
            entropy, count = self._with_own(page, nodes, entropy, count)
        return _leaf_importance(entropy, count, pages), pages

    def _with_own(
        self, page: Page, nodes: StyleNodes, entropy: Floats, count: Floats
    ) -> tuple[Floats, Floats]:
        """Return the sums over the leaves' features once a page from outside is counted."""
        leaf, feature, times = leaf_features(page, nodes)
        _, features = self._tables
        at = features.find(mixed(nodes.style[leaf] + feature))
        before = [np.append(features[name], 0)[at] for name in ("times", "logs")]
        after = spread(before[0] + times, before[1] + f_log_f(times))
        gain = after - spread(before[0].astype(np.float64), before[1])
        size = len(entropy)
        new = np.bincount(leaf, before[0] == 0, size)
        return entropy + np.bincount(leaf, gain, size), count + new

    @cached_property
    def _known(self) -> frozenset[str]:
        """Fingerprints of the pages that are kept."""
        return kept(self.fingerprints, self.method.max_pages)

    @cached_property
    def _leaf_sums(self) -> tuple[Floats, Floats]:
        """Per style, and 0 for one unknown: the sum of its features' entropies, their number."""
        styles, features = self._tables
        at = styles.find(features["style"])
        entropy = spread(features["times"].astype(np.float64), features["logs"])
        size = len(styles)
        found = (np.bincount(at, weights, size + 1) for weights in (entropy, np.ones(len(at))))
        entropies, count = (np.append(sums[:size], 0.0) for sums in found)
        return entropies, count

    def importances(self) -> tuple[Hashes, Floats]:
        """Return every element node of the tree and its composite importance."""
        styles, _ = self._tables
        places, first, of_style = np.unique(styles["place"], return_index=True, return_inverse=True)
        size = len(places)
        pages = styles["pages"].astype(np.float64)
        together, logs = (
            np.bincount(of_style, column, size).astype(np.float64)
            for column in (pages, f_log_f(pages))
        )
        own = _node_importance(together, logs)
        count = np.bincount(of_style, minlength=size)
        above = styles.find(styles["above"][first])
        children = np.bincount(above, minlength=len(styles) + 1)
        is_leaf = children[:-1] == 0
        as_leaf = _leaf_importance(self._leaf_sums[0][:-1], self._leaf_sums[1][:-1], pages)
        below = np.append(np.where(is_leaf, as_leaf, 0.0), 0.0)
        only_leaf = np.bincount(of_style, ~is_leaf, size) == 0
        found = np.zeros(size)
        for at, ways in _levels(styles["depth"][first], styles["depth"]):
            mean = np.bincount(of_style[ways], pages[ways] * below[ways], size)[at] / together[at]
            mixture = composite_importance(own[at], mean, count[at], self.method.gamma)
            found[at] = np.where(only_leaf[at], mean, mixture)
            np.add.at(below, above[at], found[at] / children[above[at]])
        return places, found


def composite_importance(own: Floats, below: Floats, styles: NDArray[Any], gamma: float) -> Floats:
    """Return the importance of inner nodes by their own, their styles' and the number of styles."""
    weight = gamma**styles
    found: Floats = (1 - weight) * own + weight * below
    return found


def _levels(
    place_depth: NDArray[np.int64], style_depth: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the places and the styles of each depth, the deepest first."""
    orders = [(depth, np.argsort(depth, kind="stable")) for depth in (place_depth, style_depth)]
    for level in np.unique(place_depth)[::-1]:
        places, styles = (
            order[slice(*np.searchsorted(depth[order], (level, level + 1)))]
            for depth, order in orders
        )
        yield places, styles


def _node_importance(pages: Floats, logs: Floats) -> Floats:
    return np.where(pages > 1, share_of_even(pages, logs, pages), 1.0)


def _leaf_importance(entropy: Floats, count: Floats, pages: NDArray[Any]) -> Floats:
    """Return the importance of leaves by the sum of their features' entropies and their number."""
    most = np.log(np.maximum(pages, 2)) * np.maximum(count, 1)
    found: Floats = np.where(count > 0, np.clip(1 - entropy / most, 0.0, 1.0), 0.0)
    return np.where(pages > 1, found, 1.0)


def _styles_of(nodes: StyleNodes) -> Keyed:
    return Keyed(
        nodes.style,
        {
            "place": nodes.place,
            "above": nodes.above,
            "depth": nodes.depth,
            "pages": np.ones(len(nodes.style), np.int64),
        },
    )


def _features_of(page: Page, nodes: StyleNodes) -> Keyed:
    leaf, feature, times = leaf_features(page, nodes)
    style = nodes.style[leaf]
    return Keyed(mixed(style + feature), {"style": style, "times": times, "logs": f_log_f(times)})


def _restored(data: dict[str, Any]) -> Tables:
    return Keyed.restore(data["styles"], _STYLES), Keyed.restore(data["features"], _FEATURES)


def _merged(tables: Sequence[Tables]) -> Tables:
    styles, features = zip(*tables, strict=True)
    return Keyed.merged(styles, sums=("pages",)), Keyed.merged(features, sums=("times", "logs"))
