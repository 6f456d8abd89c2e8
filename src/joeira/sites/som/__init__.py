"""SOM, the site object model: segments of the pages of one site, by merging their trees.

1. The trees of all pages are simplified and laid over each other (`joeira.sites.som.tree`).
2. The tree is pruned. A support vector machine that was trained on other sites and sees the 23
   features of Daoud (2013) says, from the leaves up, whether the children of a node are one block
   (`joeira.sites.som.pruning`). Fernandes et al. (2011) prune by two thresholds instead
   (`pruning="thresholds"`): a node with text on some page, and text within `alpha` levels below,
   takes all below it; then, from the leaves up, a node all of whose children are on fewer than
   `beta` pages does. What is left without children, or with text, are the block classes.
3. With `join_text`, paragraphs, headings, lists and the like that are left over below one node are
   one block.

`SOM.published()` is the method as published: the key of a node is its tag and its place among
siblings of that tag, and there is no third step. The id in the key, the third step and `rare_share`
are ours: as published, all children of a node are merged or none, so that an article with a table
in the middle falls into paragraphs, and the machine is asked about every node of a single page,
where one wrong no keeps all around it apart. Either key has a machine of its own. Repeated
structure is defined here (the thesis cites other work). `alpha` is held against the *nearest* text
below, which did better than the deepest. Elements without words are left out, and so is the head.

`python -m training.som` makes the shipped machines again; `joeira site train-segments` makes one
from sites of your own, for ``SOM(model="model.npz")``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Final, Literal
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.errors import BadParameter, InputError
from joeira.models import read_arrays
from joeira.page import Page, tags
from joeira.papers import DAOUD_2013, FERNANDES_2011, Paper
from joeira.params import check, param
from joeira.segments.result import Segments
from joeira.sites.corpus import fingerprint
from joeira.sites.som.pruning import DEFAULT_PREFIX, Decision, Machine, prune
from joeira.sites.som.tree import Repetition, SiteTree, simplified

FEW_PAGES: Final = 8
"""With fewer pages a result says so: the thesis asks that nodes are on eight."""


@dataclass(frozen=True)
class SOM:
    """Merge the trees of a site's pages and prune nodes that are not separate blocks."""

    pruning: Literal["svm", "thresholds"] = param(
        "svm",
        "How to prune: with a classifier trained on other sites, or with two thresholds.",
        source="thesis",
    )
    key: tuple[str, ...] = param(
        ("tag", "id"),
        "What distinguishes siblings besides their position: tag, or tag and id.",
        pattern="^(tag|id)$",
        min_items=1,
    )
    model: str | None = param(
        None,
        "Weights from `joeira site train-segments`; none: the shipped ones for the key.",
    )
    alpha: int = param(
        6,
        "Number of levels within which text below a node with text belongs to it.",
        source="thesis",
        ge=0,
    )
    beta: int = param(
        8,
        "Minimum number of pages of a node that is distinguished from its siblings.",
        source="thesis",
        ge=0,
    )
    rare_share: float = param(
        0.2,
        "Share of the site's pages; children that are all on fewer pages form one block, without "
        "asking the classifier.",
        ge=0,
        le=1,
    )
    max_period: int = param(3, "Maximum number of elements of a repeated pattern.", ge=1)
    min_repeats: int = param(2, "Minimum number of repetitions of a pattern.", ge=2)
    join_text: bool = param(True, "Whether remaining running text below one node forms one block.")

    papers: ClassVar[tuple[Paper, ...]] = (FERNANDES_2011, DAOUD_2013)
    origin: ClassVar[Paper | None] = DAOUD_2013

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)
        if "tag" not in self.key:
            message = f"key must include tag, not only {', '.join(self.key)}"
            raise BadParameter(message)
        if self.model is not None and self.pruning != "svm":
            message = 'model works only with pruning="svm"'
            raise BadParameter(message)
        if self.model is not None:
            read_machine(self.model)  # a missing file is an error before pages are read

    @classmethod
    def published(cls, pruning: Literal["svm", "thresholds"] = "svm") -> SOM:
        """Return the method as published: without ids, and with nothing joined or merged unasked.

        Args:
            pruning: ``svm`` for Daoud (2013), ``thresholds`` for Fernandes et al. (2011).
        """
        return cls(pruning, key=("tag",), rare_share=0.0, join_text=False)

    @property
    def repetition(self) -> Repetition:
        """What counts as repeated structure."""
        return Repetition(self.max_period, self.min_repeats)

    def fit(self, pages: Iterable[Page], /) -> SOMSite:
        """Return what tells the blocks of the site's pages."""
        return SOMSite(self, tree=self.new_tree()).update(pages)

    def new_tree(self) -> SiteTree:
        """Return the tree of a site of which no page is known."""
        return SiteTree(ids="id" in self.key)

    @property
    def machine(self) -> Machine:
        """What decides where the tree is pruned by a machine."""
        return load("id" in self.key) if self.model is None else read_machine(self.model)

    def restore(self, data: dict[str, Any]) -> SOMSite:
        """Return what `SOMSite.to_dict` described."""
        tree = SiteTree.restore(data["tree"], "id" in self.key)
        return SOMSite(self, tuple(map(str, data["pages"])), tree)

    def owners(self, tree: SiteTree) -> NDArray[np.intp]:
        """Return for each node of a tree the node that it was merged into, itself if into none."""
        if self.pruning == "svm":
            return self.decided(tree, self.machine.decide)
        merged = self._rare(tree, topmost(tree.parent, self._nested_text(tree)))
        return _joined(tree, merged) if self.join_text else merged

    def decided(self, tree: SiteTree, decide: Decision) -> NDArray[np.intp]:
        """Return the same where somebody else decides what is one block."""
        merged = topmost(tree.parent, prune(tree, decide, self.rare_share).whole)
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
        segments = Segments.of_runs(page, block, "som", lambda node: self.paths[max(node, 0)])
        return replace(segments, note=self.note) if self.note else segments

    @property
    def note(self) -> str:
        """What is to be said of segments that so few pages tell; empty where there are enough."""
        if self.tree.pages >= FEW_PAGES:
            return ""
        known = f"learned from {self.tree.pages} page{'s' * (self.tree.pages != 1)}"
        if self.method.pruning == "thresholds" and self.tree.pages < self.method.beta:
            return (
                f"{known}, fewer than beta={self.method.beta}: all parts of the site are too rare"
            )
        return f"{known}: use at least {FEW_PAGES} to see what recurs"


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


PUBLISHED_PREFIX: Final = "published."
"""What the names of the arrays begin with that belong to the machine for trees without ids."""


@lru_cache(maxsize=2)
def load(has_ids: bool = True) -> Machine:
    """Return the shipped machine for trees with ids in the keys of nodes, or without; once."""
    return Machine.load(read_arrays("som"), DEFAULT_PREFIX if has_ids else PUBLISHED_PREFIX)


def read_machine(path: str) -> Machine:
    """Return the machine in a file that `joeira site train-segments` wrote."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return Machine.load(arrays)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except (ValueError, KeyError, EOFError, BadZipFile) as error:
        message = f"{path} is not a model from `joeira site train-segments`: {error}"
        raise InputError(message) from error
