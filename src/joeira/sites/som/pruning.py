"""Learned pruning of a site's tree: samples, 23 features of each, and the classifier.

A sample is a node all of whose children are leaves. It is asked for once, children before parents
and left to right: should the children be one block? If so they are merged into their parent, which
may then be part of a sample itself.

The features are those of Daoud (2013). P is the parent of a sample, C its children, U the siblings
of P. The thesis leaves open some of them; they are read so: pages with text are a union over C;
text is counted in words over all pages; no ancestor with text is distance 0; the parent itself
counts as an ancestor of its children.

The machine is a support vector machine for two classes, as in LibSVM, which the thesis used. Its
settings are chosen among `GRID` on sites that it has not learned from (`best_settings`). Printed in
the thesis are degree 3, coef0 10 and gamma -100; with a negative gamma the function is no kernel,
and LibSVM refuses it today. Numbers without an upper end are taken as logarithms. Learning needs
nothing but numpy (`fit`), and weights are plain arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import pairwise, product
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats, trees
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


def prune(tree: SiteTree, decide: Decision, rare_share: float = 0.0) -> Asked:
    """Ask for every sample of a tree and merge where the answer is yes.

    Args:
        tree: The merged tree of a site.
        decide: Who is asked.
        rare_share: Children none of which is on that share of the pages are merged unasked.
    """
    state = _State(tree)
    common = rare_share * tree.pages
    nodes, rows, merged = [], [], []
    for node in state.postorder():
        if not state.children[node] or any(map(state.has_children, state.children[node])):
            continue
        if all(tree.frequency[child] < common for child in state.children[node]):
            state.merge(node)
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


Kernel = Literal["linear", "poly", "rbf"]
_FEATURES: Final = len(NAMES)
_TOLERANCE, _LEAST_CURVATURE = 1e-3, 1e-12
_COLUMNS: Final = 2_000
"""Columns of the kernel's matrix that are kept while a machine learns."""
_FOLDS: Final = 3
DEFAULT_PREFIX: Final = "svm."
"""What the names of a machine's arrays begin with in a file that holds one machine."""
_DIGITS: Final = 2
_UNBOUNDED: Final = [
    NAMES.index(name)
    for name in (
        "children", "freq_over_most_common_child", "freq_over_rarest_child", "words_per_child",
        "siblings",
    )
]  # fmt: skip


@dataclass(frozen=True)
class MachineSettings:
    """Settings of a support vector machine."""

    kernel: Kernel = "poly"
    degree: int = 3
    gamma: float = 1 / _FEATURES
    coef0: float = 1.0
    cost: float = 1.0
    max_steps: int = 5_000
    """The solver stops there: more steps change no decision on unseen sites."""

    @property
    def label(self) -> str:
        """The settings that count for the kernel, in one line."""
        told = {"linear": "", "poly": f" degree={self.degree}"}.get(self.kernel, "")
        told += "" if self.kernel == "linear" else f" gamma={self.gamma:.3g}"
        told += f" coef0={self.coef0:g}" if self.kernel == "poly" else ""
        return f"{self.kernel}{told} C={self.cost:g}"

    def products(self, one: Floats, other: Floats) -> Floats:
        """Return the kernel of each row of one table with each row of the other."""
        inner: Floats = one @ other.T
        if self.kernel == "linear":
            return inner
        if self.kernel == "poly":
            powers: Floats = (self.gamma * inner + self.coef0) ** self.degree
            return powers
        lengths = (one * one).sum(axis=1)[:, None] + (other * other).sum(axis=1)
        likeness: Floats = np.exp(-self.gamma * np.maximum(lengths - 2 * inner, 0.0))
        return likeness


_USUAL: Final = MachineSettings()
GRID: Final = (
    _USUAL,
    replace(_USUAL, degree=2),
    replace(_USUAL, gamma=4 / _FEATURES),
    replace(_USUAL, coef0=10.0),
    replace(_USUAL, cost=0.1),
    *(
        MachineSettings("rbf", gamma=share / _FEATURES, coef0=0.0, cost=cost)
        for share, cost in product((4, 16), (1.0, 10.0))
    ),
    MachineSettings("linear", gamma=1.0, coef0=0.0),
)
"""What settings are chosen from: as in the thesis, one is changed at a time.

Coef0 10 is the thesis'; its gamma of -100 cannot be had.
"""


@dataclass(frozen=True, eq=False)
class Machine:
    """The decision function ``sum(weight * kernel(vector, x)) + bias``."""

    settings: MachineSettings
    low: Floats
    """Least value of each column in training: becomes -1."""
    high: Floats
    """Greatest value of each column in training: becomes 1."""
    vectors: Floats
    """Support vectors, scaled."""
    weight: Floats
    """Per support vector."""
    bias: float

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[Any]], prefix: str = DEFAULT_PREFIX) -> Machine:
        """Return the machine stored in arrays; raise `ValueError` or `KeyError` for other ones."""
        low, high, vectors, weight = (
            np.asarray(arrays[prefix + name], np.float64)
            for name in ("low", "high", "vectors", "weight")
        )
        shapes = low.shape, high.shape, vectors.shape
        if shapes != ((_FEATURES,), (_FEATURES,), (len(weight), _FEATURES)):
            message = f"a machine for {_FEATURES} features is needed"
            raise ValueError(message)
        settings = {
            name: type(default)(arrays[prefix + name].item())
            for name, default in asdict(MachineSettings()).items()
        }
        bias = float(arrays[f"{prefix}bias"])
        return cls(MachineSettings(**settings), low, high, vectors, weight, bias)

    def to_arrays(self, prefix: str = DEFAULT_PREFIX) -> dict[str, NDArray[Any]]:
        """Return what `load` reads."""
        own = {name: value for name, value in vars(self).items() if name != "settings"}
        told = {**asdict(self.settings), **own}
        return {prefix + name: np.asarray(value) for name, value in told.items()}

    def __call__(self, rows: Floats) -> Floats:
        """Return the decision value of each row: above 0 is one block."""
        known = scaled(rows, self.low, self.high)
        return self.settings.products(known, self.vectors) @ self.weight + self.bias

    def decide(self, node: int, features: NDArray[np.float64]) -> bool:
        """Return whether the children of a node with these features are one block."""
        del node  # the features say all that is asked for
        return bool(self(features[None])[0] > 0)


def scaled(rows: Floats, low: Floats, high: Floats) -> Floats:
    """Return columns from -1 to 1; a value beyond those of training counts as the nearest."""
    width = np.where(high > low, high - low, 1.0)
    features: Floats = np.clip((leveled(rows) - low) / width, 0.0, 1.0) * 2 - 1
    return features


def leveled(rows: Floats) -> Floats:
    """Return features with the logarithms of those that have no upper end.

    A site's longest article would leave one value to all other numbers of words.
    """
    features: Floats = rows.copy()
    features[:, _UNBOUNDED] = np.log1p(features[:, _UNBOUNDED])
    return features


def fit(
    asked: Sequence[Asked], settings: MachineSettings | None = None, only: int | None = None
) -> Machine:
    """Return the machine learned from samples; from one feature alone where `only` says which.

    Every site counts the same, however many samples it has, and so do the two classes.
    """
    settings = settings or MachineSettings()
    features = np.concatenate([samples.features for samples in asked])
    if only is not None:
        features = np.where(np.arange(_FEATURES) == only, features, 0.0)
    one_block = np.concatenate([samples.merged for samples in asked])
    low, high = leveled(features).min(axis=0), leveled(features).max(axis=0)
    # Samples that are nearly equal are one with their weight: sites have thousands of list items.
    table = np.column_stack((scaled(features, low, high).round(_DIGITS), one_block))
    rows, row = np.unique(table, axis=0, return_inverse=True)
    vectors, yes = rows[:, :-1], rows[:, -1] > 0
    sizes = np.array([len(samples.merged) for samples in asked])
    count = np.repeat(sizes.sum() / (np.count_nonzero(sizes) * np.maximum(sizes, 1)), sizes)
    times = np.bincount(row.ravel(), count, len(rows))
    several = float(times[~yes].sum())
    rarer = max(1.0, float(times[yes].sum()) / several) if several else 1.0
    sign = np.where(yes, 1.0, -1.0)
    bound: Floats = (settings.cost * times * np.where(yes, 1.0, rarer)).astype(np.float64)
    alpha, bias = _solve(vectors, sign, bound, settings)
    support = np.flatnonzero(alpha)
    return Machine(settings, low, high, vectors[support], (alpha * sign)[support], bias)


def best_settings(
    asked: Sequence[Asked],
    score: Callable[[int, Machine], float],
    grid: Sequence[MachineSettings] = GRID,
) -> tuple[MachineSettings, dict[MachineSettings, float]]:
    """Return the settings that do best on sites a machine has not learned from, and all scores.

    Args:
        asked: The samples of each site.
        score: Takes the number of a site and a machine, and says how well the machine does there.
        grid: What is tried; of equals the first is taken.
    """
    folds = min(_FOLDS, len(asked))
    means: dict[MachineSettings, float] = {}
    for settings in grid:
        scores = []
        for fold in range(folds):
            rest = [samples for number, samples in enumerate(asked) if number % folds != fold]
            machine = fit(rest, settings)
            scores += [score(number, machine) for number in range(fold, len(asked), folds)]
        means[settings] = float(np.mean(scores))
    return max(means, key=means.__getitem__), means


def _solve(
    vectors: Floats, sign: Floats, bound: Floats, settings: MachineSettings
) -> tuple[Floats, float]:
    """Return the weights of a support vector machine and its bias.

    Sequential minimal optimisation: in each step the two weights that gain most, by second-order
    information (Fan, Chen and Lin 2005).
    """

    @lru_cache(maxsize=_COLUMNS)
    def column(row: int) -> Floats:
        return settings.products(vectors, vectors[row : row + 1])[:, 0]

    yes = sign > 0
    alpha = np.zeros(len(sign))
    diagonal = np.array([settings.products(row[None], row[None])[0, 0] for row in vectors])
    slope = sign.copy()
    """How much each sample is still wrong, with its sign: falls to the bias for support vectors."""
    most = least = 0.0
    for _ in range(settings.max_steps):
        grows = np.where(yes, alpha < bound, alpha > 0)
        shrinks = np.where(yes, alpha > 0, alpha < bound)
        if not grows.any() or not shrinks.any():
            break
        first = int(np.where(grows, slope, -np.inf).argmax())
        most, least = float(slope[first]), float(slope[shrinks].min())
        if most - least < _TOLERANCE:
            break
        gap = most - slope
        curvature = diagonal[first] + diagonal - 2 * column(first)
        gain = gap * gap / np.maximum(curvature, _LEAST_CURVATURE)
        second = int(np.where(shrinks & (gap > 0), gain, -1.0).argmax())
        step = min(
            float(gap[second] / max(float(curvature[second]), _LEAST_CURVATURE)),
            float(bound[first] - alpha[first] if yes[first] else alpha[first]),
            float(alpha[second] if yes[second] else bound[second] - alpha[second]),
        )
        alpha[first] += step * sign[first]
        alpha[second] -= step * sign[second]
        slope -= step * (column(first) - column(second))
    np.clip(alpha, 0.0, bound, out=alpha)
    free = (alpha > 0) & (alpha < bound)
    return alpha, float(slope[free].mean()) if free.any() else (most + least) / 2
