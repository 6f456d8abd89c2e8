"""Boosted oblivious trees, fitted by CatBoost and taken apart into arrays."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from catboost import CatBoostClassifier, Pool
from numpy.typing import NDArray

from joeira.arrays.inference import ObliviousTrees
from joeira.blockmodel.model import with_neighbours
from training.pages import LabelledPage

TREES = 260
DEPTH = 6
LEARNING_RATE = 0.12
MAX_BLOCKS = 150
"""Blocks taken from one page, at random: more of a long page teach little that is new."""


def fit(
    examples: Sequence[LabelledPage], values: Sequence[NDArray[np.float32]], threads: int
) -> ObliviousTrees:
    """Fit trees to examples with their features."""
    random = np.random.default_rng(0)
    taken = [_sample(len(value), random) for value in values]
    rows = [with_neighbours(v).take(some, axis=1).T for v, some in zip(values, taken, strict=True)]
    label = np.concatenate([one.share[some] for one, some in zip(examples, taken, strict=True)])
    weight = 100 * np.concatenate(
        [
            one.times * one.weight[some] * len(one.size) / len(some)
            for one, some in zip(examples, taken, strict=True)
        ]
    )
    used = weight > 0
    model = CatBoostClassifier(
        iterations=TREES,
        depth=DEPTH,
        learning_rate=LEARNING_RATE,
        loss_function="CrossEntropy",
        rsm=0.3,
        bootstrap_type="Bernoulli",
        subsample=0.7,
        l2_leaf_reg=5,
        border_count=32,
        thread_count=threads,
        random_seed=0,
        verbose=0,
        allow_writing_files=False,
    )
    model.fit(Pool(np.concatenate(rows)[used], label[used], weight=weight[used]))
    return arrays_of(model, DEPTH)


def _sample(size: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return which blocks of a page are taken, in order."""
    if size <= MAX_BLOCKS:
        return np.arange(size)
    return np.sort(random.choice(size, MAX_BLOCKS, replace=False))


def arrays_of(model: Any, depth: int) -> ObliviousTrees:
    """Return the trees of a fitted CatBoost model, of one depth, as arrays."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        read = json.loads(path.read_text())
    trees = [tree for tree in read["oblivious_trees"] if tree["splits"]]
    column = np.zeros((len(trees), depth), np.int32)
    border = np.full((len(trees), depth), np.inf, np.float32)
    leaf = np.zeros((len(trees), 1 << depth), np.float32)
    for number, tree in enumerate(trees):
        for level, split in enumerate(tree["splits"]):
            column[number, level] = split["float_feature_index"]
            border[number, level] = split["border"]
        # A tree cut short has fewer leaves; the missing questions are answered no.
        leaf[number, : len(tree["leaf_values"])] = tree["leaf_values"]
    scale, bias = read["scale_and_bias"]
    bias = bias[0] if isinstance(bias, list) else bias
    return ObliviousTrees(column, border, leaf * np.float32(scale), float(bias))
