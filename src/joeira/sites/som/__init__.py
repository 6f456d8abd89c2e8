"""SOM, the site object model: segments of the pages of one site, by merging their trees.

1. The trees of all pages are simplified and laid over each other (`joeira.sites.som.tree`).
2. The tree is pruned by two thresholds: a node with text on some page, and text within `alpha`
   levels below, takes all below it; then, from the leaves up, a node all of whose children are on
   fewer than `beta` pages does. What is left without children, or with text, are the block classes
   of the site. Daoud (2013) prunes by a classifier instead, which was trained on other sites
   (`pruning="svm"`, `joeira.sites.som.pruning`).
3. With `join_text`, paragraphs, headings, lists and the like that are left over below one node are
   one block.

Departures: the printed node key has the tag only; id and place are needed to tell siblings apart,
as the thesis' own figure does. Repeated structure is defined here (the thesis cites other work).
`alpha` is held against the *nearest* text below, which did better than the deepest. Elements
without words are left out, and so is the head. The third step is ours: as published, all children
of a node are merged or none, so that an article with a table in the middle falls into paragraphs.

The learned pruning asks a support vector machine with a polynomial kernel, which sees the 23
features of Daoud (2013), whether the children of a node are one block. The weights are plain arrays
in ``joeira/models``; `python -m training.som` makes them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats, trees
from joeira.models import read_arrays
from joeira.page import Page, tags
from joeira.papers import DAOUD_2013, FERNANDES_2011, Paper
from joeira.params import check, param
from joeira.segments.result import Segments
from joeira.sites.corpus import fingerprint
from joeira.sites.som.pruning import Decision, prune
from joeira.sites.som.tree import Repetition, SiteTree, simplified


@dataclass(frozen=True)
class SOM:
    """Merge the trees of a site, prune what is not a block of its own."""

    pruning: Literal["thresholds", "svm"] = param(
        "thresholds",
        "What prunes: two thresholds, or a classifier that was trained on other sites.",
    )
    alpha: int = param(
        6, "Levels within which text below a node with text belongs to it.", source="thesis", ge=0
    )
    beta: int = param(
        8, "Pages that a node must be on to be told from its siblings.", source="thesis", ge=0
    )
    max_period: int = param(3, "Elements of a repeated pattern, at most.", ge=1)
    min_repeats: int = param(2, "Repetitions of a pattern, at least.", ge=2)
    join_text: bool = param(
        True, "Whether running text that is left over below one node is one block."
    )

    papers: ClassVar[tuple[Paper, ...]] = (FERNANDES_2011, DAOUD_2013)
    origin: ClassVar[Paper | None] = DAOUD_2013

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    @classmethod
    def published(cls) -> SOM:
        """Return the method as published: running text is not joined."""
        return cls(join_text=False)

    @property
    def repetition(self) -> Repetition:
        """What counts as repeated structure."""
        return Repetition(self.max_period, self.min_repeats)

    def fit(self, pages: Iterable[Page], /) -> SOMSite:
        """Return what tells the blocks of the site's pages."""
        return SOMSite(self).update(pages)

    def restore(self, data: dict[str, Any]) -> SOMSite:
        """Return what `SOMSite.to_dict` described."""
        tree = SiteTree.restore(data["tree"])
        return SOMSite(self, tuple(map(str, data["pages"])), tree)

    def owners(self, tree: SiteTree) -> NDArray[np.intp]:
        """Return for each node of a tree the node that it was merged into, itself if into none."""
        if self.pruning == "svm":
            return self.decided(tree, load().decide)
        merged = self._rare(tree, topmost(tree.parent, self._nested_text(tree)))
        return _joined(tree, merged) if self.join_text else merged

    def decided(self, tree: SiteTree, decide: Decision) -> NDArray[np.intp]:
        """Return the same where somebody else decides what is one block."""
        merged = topmost(tree.parent, prune(tree, decide).whole)
        return _joined(tree, merged) if self.join_text else merged

    def _nested_text(self, tree: SiteTree) -> NDArray[np.bool_]:
        """Return which nodes with text have text not far below them."""
        parent = tree.parent
        text = np.array([bool(words) for words in tree.words], bool)
        near: NDArray[np.bool_] = np.zeros(len(parent), bool)
        reach = text
        for _ in range(min(self.alpha, len(parent))):
            higher = np.zeros(len(parent), bool)
            higher[parent[1:][reach[1:]]] = True
            near |= higher
            reach = higher
        near &= text
        return near

    def _rare(self, tree: SiteTree, owner: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the owners after merging, from below, nodes whose children are all rare."""
        parent, frequency = tree.parent, np.array(tree.frequency)
        alive = owner == np.arange(len(parent))
        below = np.flatnonzero(alive)[1:]
        whole = np.zeros(len(parent), bool)
        whole[parent[below]] = True
        whole[parent[below[frequency[below] >= self.beta]]] = False
        return np.minimum(owner, topmost(parent, whole & alive)[owner])


@dataclass(frozen=True, eq=False)
class SOMSite:
    """What SOM knows of a site: the merged tree of its pages."""

    method: SOM
    fingerprints: tuple[str, ...] = ()
    tree: SiteTree = field(default_factory=SiteTree, repr=False)

    def update(self, pages: Iterable[Page], /) -> SOMSite:
        """Return what is known with more pages; pages that are known already count once."""
        tree, known = self.tree.copy(), dict.fromkeys(self.fingerprints)
        for page in pages:
            print_ = fingerprint(page)
            if print_ not in known:
                known[print_] = None
                tree.add(page, self.method.repetition)
        return SOMSite(self.method, tuple(known), tree)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data from which `SOM.restore` makes the same again."""
        return {"pages": list(self.fingerprints), "tree": self.tree.to_dict()}

    @cached_property
    def owner(self) -> NDArray[np.intp]:
        """The node that each node was merged into, itself if into none."""
        return self.method.owners(self.tree)

    @cached_property
    def paths(self) -> list[str]:
        """Path of each node."""
        return self.tree.paths()

    @property
    def classes(self) -> list[tuple[str, int]]:
        """Path and pages of each block class: of what has text after pruning."""
        pages: dict[int, set[int]] = {}
        for node, words in enumerate(self.tree.words):
            if words:
                pages.setdefault(int(self.owner[node]), set()).update(words)
        return [(self.paths[node], len(pages[node])) for node in sorted(pages)]

    def extract(self, page: Page, /) -> Segments:
        """Return the blocks of a page, each labelled with the path of its class.

        Parts of one block that others stand between are segments with one label.
        """
        simple = simplified(page, self.method.repetition)
        own = self.owner[np.array(self.tree.places(page, simple), np.intp)]
        rows = page.text_rows
        leaf = np.searchsorted(simple.rows, rows, side="right") - 1
        block = np.where(leaf >= 0, own[np.maximum(leaf, 0)] if len(own) else 0, -1)
        return Segments.of_runs(page, block, "som", lambda node: self.paths[max(node, 0)])


def topmost(parent: NDArray[np.intp], whole: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for every node the topmost whole node at or above it, itself where there is none."""
    n = len(parent)
    rows = np.arange(n)
    top = trees.minimum_over_ancestors(np.where(whole, rows, n), parent)
    return np.where(top < n, top, rows)


def _joined(tree: SiteTree, owner: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the owners after joining leaves of running text with what is left of their parent."""
    parent, nodes = tree.parent, np.arange(len(owner))
    alive = owner == nodes
    inner = np.zeros(len(owner), bool)
    inner[parent[1:][alive[1:]]] = True
    running = tags.RUNNING[[tags.NUMBER.get(tag, tags.FIRST_FOREIGN) for tag in tree.tags]]
    leaf = alive & ~inner & running & (nodes > 0)
    owners: NDArray[np.intp] = np.where(leaf, parent, nodes)[owner]
    return owners


@dataclass(frozen=True, eq=False)
class PolynomialSVM:
    """The decision function ``sum(weight * (gamma * <vector, x> + coef0) ** degree) + bias``."""

    low: Floats
    """Least value of each column in training: becomes -1."""
    high: Floats
    """Greatest value of each column in training: becomes 1."""
    vectors: Floats
    """Support vectors, scaled."""
    weight: Floats
    """Per support vector."""
    bias: float
    gamma: float
    coef0: float
    degree: int

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> PolynomialSVM:
        """Return the machine stored under a prefix."""
        low, high, vectors, weight = (
            arrays[f"{prefix}.{name}"].astype(np.float64)
            for name in ("low", "high", "vectors", "weight")
        )
        bias, gamma, coef0 = (float(arrays[f"{prefix}.{n}"]) for n in ("bias", "gamma", "coef0"))
        return cls(low, high, vectors, weight, bias, gamma, coef0, int(arrays[f"{prefix}.degree"]))

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return what `load` reads."""
        return {f"{prefix}.{name}": np.asarray(value) for name, value in vars(self).items()}

    def __call__(self, rows: Floats) -> Floats:
        """Return the decision value of each row: above 0 is yes."""
        product = scaled(rows, self.low, self.high) @ self.vectors.T
        values: Floats = (self.gamma * product + self.coef0) ** self.degree @ self.weight
        return values + self.bias


def scaled(rows: Floats, low: Floats, high: Floats) -> Floats:
    """Return columns from -1 to 1; a value beyond those of training counts as the nearest."""
    width = np.where(high > low, high - low, 1.0)
    features: Floats = np.clip((rows - low) / width, 0.0, 1.0) * 2 - 1
    return features


@dataclass(frozen=True, eq=False)
class PruningModel:
    """Weights of the learned pruning."""

    svm: PolynomialSVM

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> PruningModel:
        """Return the model stored in arrays."""
        return cls(PolynomialSVM.load(arrays, "svm"))

    def decide(self, node: int, features: NDArray[np.float64]) -> bool:
        """Return whether the children of a node with these features are one block."""
        del node  # the features say all that is asked for
        return bool(self.svm(features[None])[0] > 0)


@cache
def load() -> PruningModel:
    """Return the shipped model; loaded once."""
    return PruningModel.of(read_arrays("som"))
