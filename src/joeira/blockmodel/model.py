"""The learned block model: features in, calibrated probabilities and the type of the page out.

Two families vote, because they err on different pages: boosted oblivious trees, which see each
block with its neighbours, and a small convolutional network, which sees the whole page. Their
logits are averaged and calibrated. The weights are plain arrays in ``joeira/models``.

The type of a page comes from a linear model of its blocks as a whole and of its names. A page is
one line there: the mean of every plain column over its blocks and over its words, what it declares
itself to be, and which parts of class and id names occur. That separates the types better than a
head on the network of blocks does, and costs two products. Where a page has an address, that of a
forum speaks for one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira._native import native_available
from joeira.arrays.groups import Grouping
from joeira.arrays.inference import CLIP, Network, ObliviousTrees, part_bounds
from joeira.blockmodel import columns
from joeira.blockmodel.columns import NAMES, PAGE_TYPES, PLAIN, Knowledge, Matrix, declared
from joeira.blockmodel.lexicon import SPACES, Table, bucket
from joeira.models import read_arrays, read_card
from joeira.page import Page
from joeira.page.addresses import own_address

if native_available:
    from joeira._native import choosing as kernels
    from joeira._native import inference, page_types

Floats = NDArray[np.float32]

MEANS_CLIP = 4.0
"""Standardised means are cut here: no page is further from the others than that."""
_BLOCK_WORDS = 0.01
"""Words that a block without any counts for."""


def means(matrix: Matrix) -> NDArray[np.float64]:
    """Return the mean of the plain columns over blocks, then over words, and what is `declared`.

    With double precision, as all sums over a page: their order does not show in what is rounded.
    """
    plain = matrix.values[:, :PLAIN].T.astype(np.float64)
    words = matrix.view.words + _BLOCK_WORDS
    # Not by BLAS, which would wake its threads for so small a product.
    over_words = np.einsum("ij,j->i", plain, words / words.sum())
    told = declared(matrix.view.page)
    return np.concatenate([plain.mean(axis=1), over_words, np.array(told, np.float64)])


def name_buckets(matrix: Matrix) -> NDArray[np.int64]:
    """Return the buckets of the parts of names that occur, each once."""
    occurs = np.zeros(1 << SPACES["name"], bool)
    occurs[bucket(matrix.names.parts[0], SPACES["name"])] = True
    return occurs.nonzero()[0]


def name_weight(count: int) -> float:
    """Return what each of so many parts counts: pages with many names are no surer for that."""
    return 1 / float(np.sqrt(max(count, 1)))


@dataclass(frozen=True, eq=False)
class PageTypes:
    """Weights of the model: one column for each page type."""

    center: Floats
    scale: Floats
    of_means: Floats
    of_names: Floats
    """One line for each bucket of names."""
    bias: Floats

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> PageTypes:
        """Return the model stored in arrays."""
        return cls(
            *(
                arrays[f"types.{name}"].astype(np.float32)
                for name in ("center", "scale", "of_means", "of_names", "bias")
            )
        )

    def __call__(self, matrix: Matrix) -> Floats:
        """Return the probability of every type; all 0 for a page without blocks."""
        if not matrix.view.size:
            return np.zeros(len(PAGE_TYPES), np.float32)
        if native_available:
            by_column = np.ascontiguousarray(matrix.values.T)
            told = declared(matrix.view.page)
            return self.kernel(by_column, matrix.view.words, told, matrix.names.parts[0])
        place = np.clip((means(matrix) - self.center) * self.scale, -MEANS_CLIP, MEANS_CLIP)
        buckets = name_buckets(matrix)
        named = self.of_names.take(buckets, axis=0).sum(axis=0, dtype=np.float64)
        named *= name_weight(len(buckets))
        logits = np.einsum("i,ij->j", place, self.of_means) + named + self.bias
        weights = np.exp(logits - logits.max())
        chances: Floats = (weights / weights.sum()).astype(np.float32)
        return chances

    @cached_property
    def kernel(self) -> page_types.Chances:
        """The model in C, where that was compiled."""
        weights = self.center, self.scale, self.of_means, self.of_names, self.bias
        return page_types.Chances(*weights, (MEANS_CLIP, _BLOCK_WORDS))


FORUM_ADDRESS = re.compile(
    r"//(?:forums?|foren)\.|/(?:forums?|foren)(?:[/.?-]|$)|/questions?/|/threads/|"
    r"/(?:viewtopic|viewthread|showthread|showtopic)\b|/t/(?:[^/?#]+/)?\d+",
    re.IGNORECASE,
)
"""What addresses of forums have and others have not: of WCXB's development pages 86 of 111 in
forums, and none of 1381 others."""
FORUM_ODDS = 30.0
"""How many times as likely such an address makes a forum: far less than those counts say, since an
address only names what the page itself should show."""
_ADDRESS_CHARS = 2000


def with_address(types: dict[str, float], address: str | None) -> dict[str, float]:
    """Return the probabilities of page types when the address of the page speaks for a forum.

    An adjustment after the model, which has not seen addresses: pages often have none.
    """
    if not address or not is_forum_address(address):
        return types
    total = 1 + (FORUM_ODDS - 1) * types["forum"]
    return {
        kind: chance * (FORUM_ODDS if kind == "forum" else 1) / total
        for kind, chance in types.items()
    }


def is_forum_address(address: str) -> bool:
    """Return whether an address is like those of forums."""
    return FORUM_ADDRESS.search(address[:_ADDRESS_CHARS]) is not None


NEIGHBOUR_COLUMNS = ("copies", "good3", "level1_words_per_node")
NEIGHBOUR_STEPS = (1, 2)
GROUP_LEVELS = (2, 4)

_NEIGHBOUR_INDEX = [NAMES.index(name) for name in NEIGHBOUR_COLUMNS]
_SHIFTS = [shift for step in NEIGHBOUR_STEPS for shift in (step, -step)]
_LOGIT_CAP = 12.0
_PART = 20_000


@dataclass(frozen=True, eq=False)
class Scores:
    """What the model says about a page."""

    probability: NDArray[np.float64]
    """Per block: the share of its words expected to be content."""
    page_types: dict[str, float]
    """Probability of each page type."""

    @Lazy
    def likeliest_type(self) -> tuple[str, float]:
        """The likeliest page type and its probability."""
        kind = max(self.page_types, key=self.page_types.__getitem__)
        return kind, self.page_types[kind]


@dataclass(frozen=True, eq=False)
class BlockModel:
    """Weights of the block model."""

    tables: Mapping[str, Table]
    trees: ObliviousTrees
    networks: tuple[Network, ...]
    page_types: PageTypes
    center: NDArray[np.float32]
    scale: NDArray[np.float32]
    tree_weight: float
    calibration: NDArray[np.float64]
    """Logits before (first row) and after (second row) calibration."""
    quality: NDArray[np.float64]
    """Expected F1 (first row) and mean F1 measured on unseen pages (second row)."""

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> BlockModel:
        """Return the model stored in arrays."""
        count = int(arrays["networks"])
        dilations = tuple(arrays["dilations"].tolist())
        after = tuple(arrays["group_after"].tolist())
        return cls(
            tables={space: arrays[f"table.{space}"].astype(np.int8) for space in SPACES},
            trees=ObliviousTrees.load(arrays, "trees"),
            networks=tuple(
                Network(_layers(arrays, f"network{number}."), dilations, after)
                for number in range(count)
            ),
            page_types=PageTypes.of(arrays),
            center=arrays["center"].astype(np.float32),
            scale=arrays["scale"].astype(np.float32),
            tree_weight=float(arrays["tree_weight"]),
            calibration=arrays["calibration"].astype(np.float64),
            quality=arrays["quality"].astype(np.float64),
        )

    def features(self, page: Page) -> Matrix:
        """Return all features of a page."""
        return columns.matrix(page, self._knowledge)

    @cached_property
    def _knowledge(self) -> Knowledge:
        chances = self.page_types.kernel if native_available else None
        return Knowledge(self.tables, self.page_types, chances)

    def score(self, matrix: Matrix) -> Scores:
        """Return the probability of every block and of every page type."""
        types = dict(zip(PAGE_TYPES, matrix.types.tolist(), strict=True))
        types = with_address(types, own_address(matrix.view.page))
        if native_available and matrix.view.size:
            steps = self._kernel, self._calibration
            values = np.ascontiguousarray(matrix.values.T)
            return Scores(matrix.view.kernel.probabilities(*steps, values, GROUP_LEVELS), types)
        return Scores(self.probabilities(self.logits(matrix, matrix.values)), types)

    def logits(self, matrix: Matrix, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the logit of every block, for features that may be changed."""
        if not len(values):
            return np.zeros(0)
        if native_available:
            by_column, kernel = np.ascontiguousarray(values.T), matrix.view.kernel
            return self._kernel(by_column, kernel.log_words, kernel.groups(GROUP_LEVELS))
        mass = matrix.view.log_words.astype(np.float32)
        groups = groupings(matrix)
        answers = [
            network(layer, mass, groups)
            for network, layer in zip(self.networks, self._first_layers(values), strict=True)
        ]
        net = sum(answers[1:], answers[0]) / len(answers)
        blend = self.tree_weight * self._tree_logits(values) + (1 - self.tree_weight) * net
        return np.clip(blend.astype(np.float64), -_LOGIT_CAP, _LOGIT_CAP)

    @cached_property
    def _kernel(self) -> inference.BlendedLogits:
        networks = [network.kernel(self.center, self.scale) for network in self.networks]
        neighbours = _NEIGHBOUR_INDEX, _SHIFTS
        return inference.BlendedLogits(
            self.trees.kernel, networks, self.tree_weight, neighbours, _LOGIT_CAP
        )

    @cached_property
    def _calibration(self) -> inference.Calibration:
        return inference.Calibration(self.calibration)

    def _first_layers(self, values: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Return the first layer of each network, from features standardised part by part."""
        bounds = part_bounds(len(values), self.networks[0].weights["inp.weight"])
        parts: list[list[NDArray[np.float32]]] = [[] for _ in self.networks]
        for start, stop in pairwise(bounds):
            inputs = values[start:stop] - self.center
            inputs *= self.scale
            np.clip(inputs, -CLIP, CLIP, out=inputs)
            for layer, network in zip(parts, self.networks, strict=True):
                layer.append(network.first(inputs))
        return [layer[0] if len(layer) == 1 else np.concatenate(layer) for layer in parts]

    def _tree_logits(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the sums of the trees, part by part so that long pages take little memory."""
        margin = max(NEIGHBOUR_STEPS)
        parts = []
        for start in range(0, len(values), _PART):
            first = max(start - margin, 0)
            part = values[first : start + _PART + margin]
            score = self.trees(part.T, neighbours(part))
            parts.append(score[start - first : start - first + _PART])
        return np.concatenate(parts)

    def probabilities(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the calibrated probabilities of logits."""
        if native_available:
            return self._calibration(logits)
        before, after = self.calibration
        probability: NDArray[np.float64] = 1 / (1 + np.exp(-np.interp(logits, before, after)))
        return probability

    def expected_quality(self, expected_f1: float) -> float:
        """Return the F1 to be expected of a page, learned from unseen pages."""
        expected, measured = self._quality
        place = bisect_right(expected, expected_f1)
        if place in (0, len(expected)):
            return measured[min(place, len(expected) - 1)]
        low, high = place - 1, place
        slope = (measured[high] - measured[low]) / (expected[high] - expected[low])
        return slope * (expected_f1 - expected[low]) + measured[low]

    @Lazy
    def _quality(self) -> tuple[list[float], list[float]]:
        """The two rows of `quality`: for a single number lists are faster than arrays."""
        return self.quality[0].tolist(), self.quality[1].tolist()


SHARED_DOUBT = 2.5
"""Standard deviation, in logits, of what the blocks of a page are all likelier or less likely than
the model holds them for: teasers around an article are all content, or none of them is."""
_OFFSETS = np.array([-3.750439717725742, -2.366759410734541, -1.154405394739968, 0.0])
_OFFSETS = np.concatenate((_OFFSETS, -_OFFSETS[2::-1]))
_CHANCES = np.array([0.000548268855972, 0.030757123967586, 0.240123178605013, 0.457142857142857])
_CHANCES = np.concatenate((_CHANCES, _CHANCES[2::-1]))
DOUBTED = _OFFSETS, _CHANCES
"""Seven cases of what follows a normal distribution, by Gauss and Hermite, and their weights."""
_NONE, _ALWAYS = np.zeros(1), np.ones(1)
_SURE = 1e-6


def best_expected_f(
    probability: NDArray[np.float64],
    size: NDArray[np.float64],
    beta: float = 1.0,
    shared_doubt: float = 0.0,
) -> tuple[NDArray[np.bool_], float]:
    """Return the items that maximise the expected F measure, and that measure.

    Items are taken in order of probability; the F of a prefix weighs `size` (words). With `beta`
    above 1 recall counts more, below 1 precision. Items err independently of each other, or, with
    `shared_doubt`, all in one direction: see `SHARED_DOUBT`.
    """
    if native_available:
        doubt = DOUBTED if shared_doubt else (_NONE, _ALWAYS)
        return kernels.best_blocks(probability, size, beta * beta, shared_doubt, doubt)
    keep = np.zeros(len(probability), bool)
    if not len(probability):
        return keep, 0.0
    order = (-probability).argsort(kind="stable")
    size = size.take(order)
    cases, chances = probability.take(order)[None], np.ones(1)
    if shared_doubt:
        cases, chances = _doubted(cases[0], shared_doubt), _CHANCES
    expected = (cases * size).cumsum(axis=1)
    weight = beta * beta
    f = expected / np.maximum(size.cumsum() + weight * expected[:, -1:], 1e-9)
    mean = (1 + weight) * np.einsum("i,ij->j", chances, f)
    best = int(mean.argmax())
    # Where nothing is expected no choice is better than none.
    keep[order[: best + 1]] = mean[best] > 0
    return keep, float(mean[best])


def _doubted(probability: NDArray[np.float64], shared_doubt: float) -> NDArray[np.float64]:
    """Return the probabilities in each case of what all share, whose mean is near what they are."""
    sure = np.clip(probability, _SURE, 1 - _SURE)
    logits = np.log(sure / (1 - sure)) * np.sqrt(1 + np.pi * shared_doubt**2 / 8)
    cases: NDArray[np.float64] = 1 / (1 + np.exp(-(logits + shared_doubt * _OFFSETS[:, None])))
    return np.where(probability > 0, cases, 0.0)


@cache
def load() -> BlockModel:
    """Return the shipped model; loaded once."""
    return BlockModel.of(read_arrays("content"))


def out_of_fold(data_set: str) -> float | None:
    """Return the F1 on pages held out of fitting, for a data set that the model was fitted on."""
    measured = read_card("content")["out_of_fold"].get(data_set)
    return None if measured is None else float(measured["all"])


def with_neighbours(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the columns, one line each, with some columns of the blocks before and after."""
    return np.concatenate((values.T, neighbours(values)))


def neighbours(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return some columns of the blocks before and after each block, one line each."""
    near = values.T.take(_NEIGHBOUR_INDEX, axis=0)
    around = np.zeros((len(_SHIFTS), *near.shape), np.float32)
    for moved, shift in zip(around, _SHIFTS, strict=True):
        if shift > 0:
            moved[:, shift:] = near[:, :-shift]
        else:
            moved[:, :shift] = near[:, -shift:]
    return around.reshape(len(_SHIFTS) * len(near), len(values))


def groupings(matrix: Matrix) -> list[Grouping]:
    """Return the groups over which the networks take means: class paths and near ancestors."""
    above = matrix.view.holders.above_block
    return [matrix.view.class_paths, *(Grouping.of(above[level]) for level in GROUP_LEVELS)]


def _layers(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[np.float32]]:
    return {
        key.removeprefix(prefix): array.astype(np.float32)
        for key, array in arrays.items()
        if key.startswith(prefix)
    }
