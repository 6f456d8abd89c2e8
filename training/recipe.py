"""The recipe: tables, features, trees and networks for a set of examples; one fold or all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.blockmodel.columns import FEATURES, NAMES, PAGE_TYPES
from joeira.blockmodel.model import BlockModel, PageTypes
from training import network, odds, page_types, trees
from training.pages import LabelledPage, domains, folds

NETWORKS = 1
TREE_WEIGHT = 0.65
SILENCED = (
    ([f.name for f in FEATURES if f.scale == "odds" and f.family in ("wording", "heading")], 0.25),
    ([feature.name for feature in FEATURES if feature.family == "names"], 0.2),
)
"""Columns that are 0 on pages of other times, languages and makers, which have no known words and
no known class names; and the share of the pages that are fitted like that."""
TYPE_FOLDS = 4
TYPES_SILENCED = 0.25
"""Share of the pages that are fitted as if their type were anybody's guess: the mean of all."""
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Recipe:
    """How much is fitted, and on how many cores."""

    networks: int = NETWORKS
    threads: int = 2
    say: Callable[[str], None] = print
    after_epoch: Callable[[], None] = lambda: None
    """Called after each pass of a network over the pages, which is what takes the time."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """The features of all examples, none of which knows an answer from its own domain."""

    examples: Sequence[LabelledPage]
    values: Sequence[NDArray[np.float32]]
    types: Sequence[NDArray[np.float32]]
    """The chances of page types of each example."""
    table: Mapping[str, NDArray[np.int8]]
    """The tables of log-odds by all examples."""


def prepare(examples: Sequence[LabelledPage]) -> Prepared:
    """Return the features of examples."""
    types = _unseen_types(examples)
    table, values = _features(examples, types)
    return Prepared(examples, values, types, table)


def fit(recipe: Recipe, known: Prepared, chosen: Sequence[int]) -> Arrays:
    """Return the arrays of a block model learned from some examples, calibration left open."""
    examples = [known.examples[number] for number in chosen]
    values = [known.values[number].copy() for number in chosen]
    center, scale = _standard(values)
    recipe.say(f"  {len(examples)} pages, {sum(map(len, values))} blocks")
    _silence(values)
    usable = [number for number, value in enumerate(values) if len(value)]
    items = [network.item(examples[i], values[i], center, scale) for i in usable]
    # The networks use one core: another is free for the trees, whose fitting needs no Python.
    with ThreadPoolExecutor(1) as beside:
        fitting = [
            beside.submit(network.fit, items, seed, recipe.after_epoch)
            for seed in range(recipe.networks)
        ]
        boosted = trees.fit(
            [examples[i] for i in usable], [values[i] for i in usable], recipe.threads
        )
        recipe.say(f"  {len(boosted.column)} trees")
        weights = [fitted.result() for fitted in fitting]
    recipe.say(f"  {recipe.networks} networks")
    arrays: Arrays = {
        **{f"table.{space}": array for space, array in known.table.items()},
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


def logits(arrays: Arrays, known: Prepared, number: int) -> NDArray[np.float64]:
    """Return the logits of the blocks of an example."""
    model = BlockModel.of(arrays)
    return model.logits(known.examples[number].matrix, known.values[number])


def _unseen_types(examples: Sequence[LabelledPage]) -> list[NDArray[np.float32]]:
    """Return the chances of page types of each example, guessed without pages of its domain."""
    fold = folds(examples, TYPE_FOLDS)
    guess = [
        PageTypes.of(
            page_types.fit([one for one, f in zip(examples, fold, strict=True) if f != number])
        )
        for number in range(TYPE_FOLDS)
    ]
    return [guess[f](one.matrix) for one, f in zip(examples, fold.tolist(), strict=True)]


def _features(
    examples: Sequence[LabelledPage], types: Sequence[NDArray[np.float32]]
) -> tuple[dict[str, NDArray[np.int8]], list[NDArray[np.float32]]]:
    """Return the tables of all examples, and each example's features without its own domain."""
    shares = {id(one): odds.shares(one) for one in examples if not one.made_up}
    total = odds.totals(shares.values())
    type_of = {id(one): chances for one, chances in zip(examples, types, strict=True)}
    found: dict[int, NDArray[np.float32]] = {}
    for members in domains(examples).values():
        own = [shares[id(one)] for one in members if not one.made_up]
        rest = odds.tables(odds.without(total, own))
        for one in members:
            found[id(one)] = odds.columns(one, rest, type_of[id(one)])
    return odds.tables(total), [found[id(one)] for one in examples]


def _silence(values: Sequence[NDArray[np.float32]]) -> None:
    """Take some features from some pages, so that nothing depends on them."""
    random = np.random.default_rng(0)
    for silent, share in SILENCED:
        columns = [NAMES.index(name) for name in silent]
        for number in np.flatnonzero(random.random(len(values)) < share).tolist():
            values[number][:, columns] = 0
    columns = [NAMES.index(f"type_{kind}") for kind in PAGE_TYPES]
    mean = np.mean([value[0, columns] for value in values if len(value)], axis=0)
    for number in np.flatnonzero(random.random(len(values)) < TYPES_SILENCED).tolist():
        values[number][:, columns] = mean


def _standard(
    values: Sequence[NDArray[np.float32]],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    every = np.concatenate(values)
    spread = every.std(axis=0, dtype=np.float64) + 1e-3
    return every.mean(axis=0, dtype=np.float64).astype(np.float32), (1 / spread).astype(np.float32)
