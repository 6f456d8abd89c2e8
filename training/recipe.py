"""The recipe: tables, features, trees and networks for a set of examples; one fold or all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.blockmodel.columns import FEATURES, NAMES, WITHOUT_METADATA
from joeira.blockmodel.model import BlockModel
from training import network, odds, page_types, trees
from training.pages import LabelledPage, domains

NETWORKS = 1
TREE_WEIGHT = 0.65
SILENCED = (
    (WITHOUT_METADATA, 0.3),
    ({feature.name: 0.0 for feature in FEATURES if feature.family == "wording"}, 0.25),
    ({feature.name: 0.0 for feature in FEATURES if feature.family == "names"}, 0.2),
)
"""Columns as they are on pages of other times, languages and makers, which have no metadata, no
known words and no known class names; and the share of the pages that are fitted like that."""
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Recipe:
    """How much is fitted, and on how many cores."""

    networks: int = NETWORKS
    threads: int = 2
    say: Callable[[str], None] = print


def fit(recipe: Recipe, examples: Sequence[LabelledPage]) -> Arrays:
    """Return the arrays of a block model learned from examples, calibration left open."""
    table, values = _features(examples)
    center, scale = _standard(values)
    recipe.say(f"  features of {len(examples)} pages, {sum(map(len, values))} blocks")
    _silence(values)
    usable = [number for number, value in enumerate(values) if len(value)]
    items = [network.item(examples[i], values[i], center, scale) for i in usable]
    # The networks use one core: another is free for the trees, whose fitting needs no Python.
    with ThreadPoolExecutor(1) as beside:
        fitting = [beside.submit(network.fit, items, seed) for seed in range(recipe.networks)]
        boosted = trees.fit(
            [examples[i] for i in usable], [values[i] for i in usable], recipe.threads
        )
        recipe.say(f"  {len(boosted.column)} trees")
        weights = [fitted.result() for fitted in fitting]
    recipe.say(f"  {recipe.networks} networks")
    arrays: Arrays = {
        **{f"table.{space}": array for space, array in table.items()},
        **boosted.to_arrays("trees"),
        **page_types.fit(examples),
        "tree_weight": np.array(TREE_WEIGHT, np.float32),
        "center": center,
        "scale": scale,
        "networks": np.array(recipe.networks, np.int32),
        "dilations": np.array(network.DILATIONS, np.int32),
        "group_after": np.array(network.GROUP_AFTER, np.int32),
        "calibration": np.array([[-20.0, 20.0], [-20.0, 20.0]]),
        "quality": np.array([[0.0, 1.0], [0.0, 1.0]]),
    }
    for seed, layers in enumerate(weights):
        arrays |= {f"network{seed}.{name}": value for name, value in layers.items()}
    return arrays


def answers(arrays: Arrays, one: LabelledPage) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the logits of the blocks of an example, and the chance of each page type."""
    model = BlockModel.of(arrays)
    table = {key.removeprefix("table."): a for key, a in arrays.items() if key.startswith("table.")}
    logits = model.logits(one.matrix, odds.columns(one, table))
    return logits, model.page_types(one.matrix).astype(np.float64)


def _features(
    examples: Sequence[LabelledPage],
) -> tuple[dict[str, NDArray[np.int8]], list[NDArray[np.float32]]]:
    """Return the tables of all examples, and each example's features without its own domain."""
    shares = {id(one): odds.shares(one) for one in examples if not one.made_up}
    total = odds.totals(shares.values())
    found: dict[int, NDArray[np.float32]] = {}
    for members in domains(examples).values():
        own = [shares[id(one)] for one in members if not one.made_up]
        rest = odds.tables(odds.without(total, own))
        for one in members:
            found[id(one)] = odds.columns(one, rest)
    return odds.tables(total), [found[id(one)] for one in examples]


def _silence(values: Sequence[NDArray[np.float32]]) -> None:
    """Take some features from some pages, so that nothing depends on them."""
    random = np.random.default_rng(0)
    for silent, share in SILENCED:
        columns = [NAMES.index(name) for name in silent]
        for number in np.flatnonzero(random.random(len(values)) < share).tolist():
            values[number][:, columns] = list(silent.values())


def _standard(
    values: Sequence[NDArray[np.float32]],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    every = np.concatenate(values)
    spread = every.std(axis=0, dtype=np.float64) + 1e-3
    return every.mean(axis=0, dtype=np.float64).astype(np.float32), (1 / spread).astype(np.float32)
