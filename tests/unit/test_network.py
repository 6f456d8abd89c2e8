"""The small network, against plain loops over places and units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from joeira import native_available
from joeira.arrays.groups import Grouping
from joeira.arrays.inference import CLIP, Network, ObliviousTrees
from support.examples import EXAMPLES

COLUMNS, WIDTH = 5, 3
DILATIONS = (1, 2, 4)
GROUP_AFTER = (0, 2)
Vector = list[float]


def made_up(groupings: int, seed: int = 0, width: int = WIDTH) -> Network:
    random = np.random.default_rng(seed)
    sizes = {
        "inp": (COLUMNS, width),
        "in2": (width, width),
        **{f"conv.{number}": (3 * width, width) for number in range(len(DILATIONS))},
        **{f"grp.{k}": ((1 + groupings) * width, width) for k in range(len(GROUP_AFTER))},
        "pool": (2 * width, width),
        "g1": (width, width),
        "fuse": (width, width),
        "out": (width, 1),
    }
    weights = {}
    for layer, (inputs, outputs) in sizes.items():
        weight = random.normal(size=(inputs, outputs)) * min(1, 3 / width)
        weights[f"{layer}.weight"] = weight.astype(np.float32)
        weights[f"{layer}.bias"] = random.normal(size=outputs).astype(np.float32)
    return Network(weights, DILATIONS, GROUP_AFTER)


def dense(network: Network, layer: str, values: Vector) -> Vector:
    weight = network.weights[f"{layer}.weight"].tolist()
    bias = network.weights[f"{layer}.bias"].tolist()
    assert len(weight) == len(values)
    return [
        sum(value * line[unit] for value, line in zip(values, weight, strict=True)) + bias[unit]
        for unit in range(len(bias))
    ]


def relu(values: Vector) -> Vector:
    return [max(value, 0.0) for value in values]


def plus(first: Vector, second: Vector) -> Vector:
    return [one + other for one, other in zip(first, second, strict=True)]


def mean(vectors: list[Vector], weights: Vector) -> Vector:
    total = max(sum(weights), 1e-6)
    return [
        sum(vector[unit] * weight for vector, weight in zip(vectors, weights, strict=True)) / total
        for unit in range(WIDTH)
    ]


def at(hidden: list[Vector], place: int) -> Vector:
    return hidden[place] if 0 <= place < len(hidden) else [0.0] * WIDTH


def slowly(network: Network, inputs: list[Vector], mass: Vector, groups: list[list[int]]) -> Vector:
    """The layers as their names say, one place and one unit at a time."""
    places = range(len(inputs))
    hidden = [relu(dense(network, "inp", line)) for line in inputs]
    hidden = [plus(line, relu(dense(network, "in2", line))) for line in hidden]
    for number, dilation in enumerate(DILATIONS):
        near = [
            [unit for step in (-dilation, 0, dilation) for unit in at(hidden, i + step)]
            for i in places
        ]
        hidden = [
            plus(line, relu(dense(network, f"conv.{number}", around)))
            for line, around in zip(hidden, near, strict=True)
        ]
        if number in GROUP_AFTER:
            layer = f"grp.{GROUP_AFTER.index(number)}"
            near = [list(line) for line in hidden]
            for group in groups:
                for i in places:
                    members = [hidden[j] for j in places if group[j] == group[i]]
                    near[i] += mean(members, [1.0] * len(members))
            hidden = [plus(hidden[i], relu(dense(network, layer, near[i]))) for i in places]
    pooled = [*mean(hidden, [1.0] * len(hidden)), *mean(hidden, mass)]
    context = relu(dense(network, "pool", pooled))
    shared = dense(network, "g1", context)
    fused = [relu(plus(dense(network, "fuse", line), shared)) for line in hidden]
    return [dense(network, "out", line)[0] for line in fused]


def compare(length: int, groupings: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    network = made_up(groupings, seed)
    inputs = random.normal(size=(length, COLUMNS)).astype(np.float32)
    mass = random.random(length).astype(np.float32)
    groups = [numbered(random.integers(0, 3, length)) for _ in range(groupings)]
    logits = network(network.first(inputs), mass, [Grouping.of(group) for group in groups])
    expected = slowly(network, inputs.tolist(), mass.tolist(), [group.tolist() for group in groups])
    assert logits.dtype == np.float32
    np.testing.assert_allclose(logits, expected, rtol=2e-4, atol=2e-3)


def numbered(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(keys, return_inverse=True)[1]


@EXAMPLES
@given(st.integers(1, 12), st.integers(0, 2), st.integers(0, 999))
def test_plain_loops(length: int, groupings: int, seed: int) -> None:
    compare(length, groupings, seed)


@pytest.mark.skipif(not native_available, reason="the kernels are not compiled or switched off")
@EXAMPLES
@given(st.integers(1, 50), st.sampled_from([8, 16, 24, 32, 40, 48]), st.integers(0, 999))
def test_the_kernel_for_layers_of_any_width(length: int, width: int, seed: int) -> None:
    """Vectors of eight and of sixteen numbers, all lines of a tile or a few."""
    from joeira._native.inference import BlendedLogits

    random, network = np.random.default_rng(seed), made_up(1, seed, width)
    center, scale = random.normal(size=(2, COLUMNS)).astype(np.float32)
    values = random.normal(size=(length, COLUMNS)).astype(np.float32)
    mass = random.random(length).astype(np.float32)
    group = numbered(random.integers(0, 3, length))
    question = np.zeros((1, 1), np.int32)
    leaf = np.zeros((1, 2), np.float32)
    trees = ObliviousTrees(question, question.astype(np.float32), leaf, 0.0)
    columns = np.zeros(1, np.intp), np.ones(1, np.intp)
    kernel = BlendedLogits(trees.kernel, [network.kernel(center, scale)], 0.0, columns, 1e9)
    found = kernel(np.ascontiguousarray(values.T), mass, group[None].astype(np.int32))
    inputs = np.clip((values - center) * scale, -CLIP, CLIP)
    expected = network(network.first(inputs), mass, [Grouping.of(group)])
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_sequences_no_longer_than_the_dilation(length: int) -> None:
    compare(length, 1, 7)


def test_places_without_weight_in_the_context() -> None:
    network = made_up(0)
    inputs = np.ones((2, COLUMNS), np.float32)
    logits = network(network.first(inputs), np.zeros(2, np.float32), [])
    expected = slowly(network, inputs.tolist(), [0.0, 0.0], [])
    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-4)


def test_inputs_stay_as_they_are() -> None:
    network = made_up(1)
    inputs, mass = np.ones((6, COLUMNS), np.float32), np.ones(6, np.float32)
    inputs.flags.writeable = mass.flags.writeable = False
    grouping = Grouping.of(np.zeros(6, np.int64))
    first, second = (network(network.first(inputs), mass, [grouping]) for _ in range(2))
    assert first.tolist() == second.tolist()


def test_means_over_groups() -> None:
    values = np.array([[1, 10], [2, 20], [3, 30], [4, 40]], np.float32)
    means = Grouping.of(np.array([1, 0, 1, 2])).means(values)
    assert means.dtype == np.float32
    assert means.tolist() == [[2, 20], [2, 20], [4, 40]]


@EXAMPLES
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_means_equal_those_of_the_members(keys: list[int]) -> None:
    group = numbered(np.array(keys))
    values = np.arange(2 * len(keys), dtype=np.float32).reshape(-1, 2) ** 2
    expected = [values[group == own].mean(axis=0).tolist() for own in np.unique(group)]
    np.testing.assert_allclose(Grouping.of(group).means(values), expected, rtol=1e-6)
