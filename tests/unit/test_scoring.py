"""The block model with made-up weights: from features to probabilities."""

from __future__ import annotations

import io

import numpy as np
import pytest

import joeira
from joeira.arrays.inference import CLIP
from joeira.blockmodel.columns import NAMES, PAGE_TYPES, Matrix
from joeira.blockmodel.model import (
    NEIGHBOUR_COLUMNS,
    NEIGHBOUR_STEPS,
    BlockModel,
    groupings,
    with_neighbours,
)
from support.learning import made_up_weights, row

MODEL = BlockModel.of(made_up_weights(networks=2))


def matrix_of(html: str, model: BlockModel = MODEL) -> Matrix:
    return model.features(joeira.parse(html))


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return matrix_of(row(1).html)


def test_a_probability_for_every_block(matrix: Matrix) -> None:
    scores = MODEL.score(matrix)
    assert scores.probability.shape == (matrix.view.size,)
    assert ((scores.probability > 0) & (scores.probability < 1)).all()
    assert len(set(scores.probability.tolist())) > 1


def test_page_types_are_probabilities(matrix: Matrix) -> None:
    types = MODEL.score(matrix).page_types
    assert tuple(types) == PAGE_TYPES
    assert sum(types.values()) == pytest.approx(1)
    assert min(types.values()) > 0


@pytest.mark.parametrize("words", [None, 0.0, 3.0])
def test_logits_are_the_blend_of_both_families(words: float | None) -> None:
    matrix = matrix_of(row(1).html)
    if words is not None:  # columns may be changed in their place: blocks weigh what they did
        matrix.values[:, NAMES.index("words")] = words
    trees = MODEL.trees(with_neighbours(matrix.values))
    inputs = np.clip((matrix.values - MODEL.center) * MODEL.scale, -CLIP, CLIP)
    mass = np.log1p(matrix.view.words).astype(np.float32)
    groups = groupings(matrix)
    nets = [network(network.first(inputs), mass, groups) for network in MODEL.networks]
    expected = 0.5 * trees + 0.5 * (nets[0] + nets[1]) / 2
    assert MODEL.logits(matrix, matrix.values) == pytest.approx(expected, abs=1e-5)


def test_stored_and_loaded_weights_score_alike(matrix: Matrix) -> None:
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **made_up_weights(networks=2))
    stream.seek(0)
    arrays = np.load(stream, allow_pickle=False)
    loaded = BlockModel.of({name: arrays[name] for name in arrays.files})
    first, again = MODEL.score(matrix), loaded.score(matrix_of(row(1).html, loaded))
    assert first.probability.tolist() == again.probability.tolist()
    assert first.page_types == again.page_types


def test_networks_are_told_apart_by_their_whole_number() -> None:
    # "network1" begins the names of "network10" too.
    model = BlockModel.of(made_up_weights(networks=11))
    assert len(model.networks) == 11
    assert all(set(net.weights) == set(model.networks[0].weights) for net in model.networks)


def test_logits_are_capped(matrix: Matrix) -> None:
    weights = made_up_weights()
    weights["trees.bias"] = np.array(1e6, np.float32)
    logits = BlockModel.of(weights).logits(matrix, matrix.values)
    assert logits.tolist() == [12.0] * matrix.view.size


def test_calibration_is_read_off_the_table() -> None:
    weights = made_up_weights() | {"calibration": np.array([[-2.0, 0.0, 2.0], [-1.0, 0.5, 1.0]])}
    found = BlockModel.of(weights).probabilities(np.array([-9.0, -1.0, 0.0, 9.0]))
    assert found == pytest.approx(1 / (1 + np.exp(-np.array([-1.0, -0.25, 0.5, 1.0]))))


def test_quality_is_read_off_the_table() -> None:
    weights = made_up_weights() | {"quality": np.array([[0.2, 0.8], [0.4, 0.9]])}
    model = BlockModel.of(weights)
    assert [model.expected_quality(f) for f in (0.0, 0.5, 1.0)] == pytest.approx([0.4, 0.65, 0.9])


@pytest.mark.parametrize("html", ["", "<title>x</title>", "<script>x</script>"])
def test_a_page_without_blocks(html: str) -> None:
    scores = MODEL.score(matrix_of(html))
    assert not len(scores.probability)
    assert scores.page_types == dict.fromkeys(PAGE_TYPES, 0.0)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 20])
def test_pages_of_few_blocks(count: int) -> None:
    scores = MODEL.score(matrix_of("<p>one two</p>" * count))
    assert len(scores.probability) == count
    assert np.isfinite(scores.probability).all()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
def test_neighbours_by_plain_loops(count: int) -> None:
    random = np.random.default_rng(count)
    values = random.random((count, len(NAMES))).astype(np.float32)
    expected = [values[:, column].tolist() for column in range(len(NAMES))]
    for step in NEIGHBOUR_STEPS:
        for shift in (-step, step):
            for name in NEIGHBOUR_COLUMNS:
                column = values[:, NAMES.index(name)].tolist()
                expected.append(
                    [column[k + shift] if 0 <= k + shift < count else 0 for k in range(count)]
                )
    assert with_neighbours(values).tolist() == expected


def test_groups_are_class_paths_and_near_ancestors() -> None:
    html = (
        "<div><section><ul><li class=a><p>one</p></li><li class=b><p>two</p></li>"
        "<li class=a><p>three</p></li></ul></section></div>"
    )
    by_class, by_grandparent, by_fourth = groupings(matrix_of(html))
    assert by_class.number.tolist() in ([0, 1, 0], [1, 0, 1])
    # Two above a p is the ul that all share; four above it is the div.
    assert by_grandparent.number.tolist() == by_fourth.number.tolist() == [0, 0, 0]
