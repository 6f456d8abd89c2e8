"""Made-up pages with answers and made-up weights, for tests of what is learned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.blockmodel.columns import DECLARED, NAMES, PAGE_TYPES, PLAIN, Knowledge
from joeira.blockmodel.lexicon import SPACES
from joeira.blockmodel.model import GROUP_LEVELS, NEIGHBOUR_COLUMNS, NEIGHBOUR_STEPS
from joeira.evaluation.datasets import Example
from training.pages import LabelledPage, example

PLACES = ("harbour", "market", "library", "station", "bridge", "museum")


def row(number: int, site: int = 0) -> Example:
    """Return a small page in the words of all such pages, with its main text."""
    place = PLACES[number % len(PLACES)]
    story = (
        f"Heavy rain flooded the {place} on day {number}, and rescue teams moved forty people "
        f"to safety before the water reached the old part of the town."
    )
    more = f"The {place} will open again on Friday, the council said."
    html = (
        f"<html><head><title>Rain floods {place}</title></head><body>"
        "<nav class='site-menu'><ul><li><a href=1>Home</a></li><li><a href=2>News</a></li>"
        "<li><a href=3>Contact us</a></li></ul></nav>"
        f"<main id='content'><h1>Rain floods {place}</h1><p>{story}</p><p>{more}</p></main>"
        "<footer class='page-footer'>All rights reserved. <a href=4>Imprint</a></footer>"
        "</body></html>"
    )
    return Example(
        id=f"{site}-{number}",
        html=html,
        url=f"https://www.site{site}.example/{number}",
        page_type="article" if number % 2 else "forum",
        text=f"Rain floods {place}\n{story}\n{more}",
    )


def made_up_example(number: int, site: int = 0, dataset: str = "wcxb-dev") -> LabelledPage:
    """Return the page as an example."""
    found = example(row(number, site), dataset)
    assert found is not None
    return found


def made_up_tables(seed: int = 0) -> dict[str, NDArray[np.int8]]:
    """Return tables of log-odds in sixteenths; a third of the buckets is unknown."""
    random = np.random.default_rng(seed)
    return {
        space: (random.integers(-40, 41, 1 << bits) * (random.random(1 << bits) > 0.33)).astype(
            np.int8
        )
        for space, bits in SPACES.items()
    }


LISTED = 0.3


def made_up_knowledge(seed: int = 0) -> Knowledge:
    """Return made-up tables, and a guess of page types in which a list has the chance `LISTED`."""
    chances = np.array([0.4, 0.1, 0.1, 0.1, LISTED - 0.1, 0.05, 0.05], np.float32)
    return Knowledge(made_up_tables(seed), lambda matrix: chances)


def made_up_weights(seed: int = 0, networks: int = 1, width: int = 4) -> dict[str, NDArray[Any]]:
    """Return all arrays of a block model, laid out as training writes them."""
    random = np.random.default_rng(seed)
    columns = len(NAMES)
    near = columns + 2 * len(NEIGHBOUR_STEPS) * len(NEIGHBOUR_COLUMNS)
    dilations, group_after = (1, 2, 4, 8, 16), (1, 4)
    trees, depth = 20, 6
    arrays: dict[str, NDArray[Any]] = {
        **{f"table.{space}": table for space, table in made_up_tables(seed).items()},
        "trees.column": random.integers(0, near, (trees, depth)).astype(np.int16),
        "trees.border": random.random((trees, depth)).astype(np.float32),
        "trees.leaf": random.normal(size=(trees, 1 << depth)).astype(np.float32) / 2,
        "trees.bias": np.array(0.1, np.float32),
        "tree_weight": np.array(0.5, np.float32),
        "center": random.random(columns).astype(np.float32),
        "scale": np.ones(columns, np.float32),
        "networks": np.array(networks, np.int32),
        "dilations": np.array(dilations, np.int32),
        "group_after": np.array(group_after, np.int32),
        "calibration": np.array([[-20.0, 20.0], [-20.0, 20.0]]),
        "quality": np.array([[0.0, 1.0], [0.0, 1.0]]),
    }
    sizes = {
        "inp": (columns, width),
        "in2": (width, width),
        **{f"conv.{number}": (3 * width, width) for number in range(len(dilations))},
        **{
            f"grp.{number}": ((2 + len(GROUP_LEVELS)) * width, width)
            for number in range(len(group_after))
        },
        "pool": (2 * width, width),
        "g1": (width, width),
        "fuse": (width, width),
        "out": (width, 1),
    }
    for network in range(networks):
        for layer, shape in sizes.items():
            weight = random.normal(size=shape) / np.sqrt(shape[0])
            arrays[f"network{network}.{layer}.weight"] = weight.astype(np.float16)
            arrays[f"network{network}.{layer}.bias"] = random.normal(size=shape[1]).astype(
                np.float16
            )
    return arrays | _made_up_types(random)


def _made_up_types(random: np.random.Generator) -> dict[str, NDArray[Any]]:
    """Return the arrays of a model of page types that takes most pages for articles."""
    columns, kinds = 2 * PLAIN + len(DECLARED), len(PAGE_TYPES)
    return {
        "types.center": random.random(columns).astype(np.float32),
        "types.scale": np.ones(columns, np.float32),
        "types.of_means": random.normal(size=(columns, kinds)).astype(np.float32) / 50,
        "types.of_names": random.normal(size=(1 << SPACES["name"], kinds)).astype(np.float16) / 4,
        "types.bias": (6.0 * (np.arange(kinds) == 0)).astype(np.float32),
    }
