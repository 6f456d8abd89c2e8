"""Monotone tables from predictions to truth."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import EXAMPLES
from training import calibration
from training.calibration import isotonic, logit_table, means, reliability

shares = st.lists(st.integers(0, 8), min_size=1, max_size=60).map(lambda n: np.array(n) / 8)


def test_few_points_are_their_own_bins() -> None:
    table = isotonic(np.array([0.9, 0.1, 0.5]), np.array([1.0, 0.0, 0.5]), np.ones(3))
    assert table.tolist() == [[0.1, 0.5, 0.9], [0.0, 0.5, 1.0]]


def test_violators_are_pooled_by_weight() -> None:
    table = isotonic(np.array([1.0, 2.0, 3.0]), np.array([0.6, 0.2, 0.9]), np.array([1.0, 3.0, 1]))
    assert table[1] == pytest.approx([0.3, 0.3, 0.9])


def test_pooling_goes_back_as_far_as_needed() -> None:
    pooled = calibration._pooled(np.array([3.0, 3.0, 4.0, 0.0]), np.ones(4))
    assert pooled.tolist() == [2.5] * 4


def test_many_points_share_bins() -> None:
    predicted = np.linspace(0, 1, 1000)
    table = isotonic(predicted, predicted**2, np.ones(1000))
    assert table.shape == (2, calibration.POINTS)
    assert np.interp(predicted, *table) == pytest.approx(predicted**2, abs=0.03)


@EXAMPLES
@given(shares, st.integers(0, 99))
def test_tables_rise_and_keep_the_mean(predicted: np.ndarray, seed: int) -> None:
    random = np.random.default_rng(seed)
    true, weight = random.random(len(predicted)), random.random(len(predicted)) + 0.1
    x, y = isotonic(predicted, true, weight)
    assert (np.diff(x) >= -1e-12).all()
    assert (np.diff(y) >= 0).all()
    assert true.min() - 1e-9 <= y[0]
    assert y[-1] <= true.max() + 1e-9


@EXAMPLES
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 3)), min_size=1, max_size=7))
def test_pooled_values_are_the_closest(pairs: list[tuple[int, int]]) -> None:
    """Against all ways of cutting the sequence into runs with equal values."""
    value, weight = (np.array([pair[k] for pair in pairs], float) for k in (0, 1))
    found = calibration._pooled(value, weight)
    best = min(
        ((weight * (value - other) ** 2).sum(), other.tolist())
        for other in map(np.array, step_functions(value, weight))
        if (np.diff(other) >= 0).all()
    )
    assert (weight * (value - found) ** 2).sum() == pytest.approx(best[0])
    assert found == pytest.approx(best[1])


def step_functions(value: np.ndarray, weight: np.ndarray) -> list[list[float]]:
    n = len(value)
    found = []
    for size in range(n):
        for cuts in combinations(range(1, n), size):
            bounds = [0, *cuts, n]
            steps: list[float] = []
            for start, stop in pairwise(bounds):
                level = np.average(value[start:stop], weights=weight[start:stop])
                steps += [float(level)] * (stop - start)
            found.append(steps)
    return found


def test_order_does_not_matter() -> None:
    random = np.random.default_rng(3)
    predicted, true, weight = random.permutation(200) / 200, random.random(200), np.ones(200)
    order = random.permutation(200)
    shuffled = isotonic(predicted[order], true[order], weight[order])
    assert shuffled == pytest.approx(isotonic(predicted, true, weight))


def test_logits_stay_finite_where_all_or_nothing_is_true() -> None:
    before, after = logit_table(np.array([-3.0, 3.0]), np.array([0.0, 1.0]), np.ones(2))
    assert before.tolist() == [-3, 3]
    assert (1 / (1 + np.exp(-after))) == pytest.approx([0.002, 0.998])


def test_a_calibrated_model_is_left_as_it_is() -> None:
    random = np.random.default_rng(0)
    logits = np.repeat(np.linspace(-4, 4, 41), 500)
    label = (random.random(len(logits)) < 1 / (1 + np.exp(-logits))).astype(float)
    table = logit_table(logits, label, np.ones(len(logits)))
    assert np.interp(np.linspace(-3, 3, 7), *table) == pytest.approx(np.linspace(-3, 3, 7), abs=0.5)


def test_reliability_by_hand() -> None:
    rows = reliability(
        np.array([0.05, 0.07, 0.95, 1.0]), np.array([0.0, 1.0, 1.0, 1.0]), np.array([3.0, 1, 2, 2])
    )
    assert rows == [
        {"from": 0.0, "predicted": 0.055, "true": 0.25, "share_of_words": 0.5},
        {"from": 0.9, "predicted": 0.975, "true": 1.0, "share_of_words": 0.5},
    ]


@pytest.mark.parametrize("number", range(11))
def test_every_prediction_is_in_one_bin(number: int) -> None:
    # Tenths are where bins meet, and most of them have no exact number.
    (row,) = reliability(np.array([number / 10]), np.ones(1), np.ones(1))
    assert row["share_of_words"] == 1
    assert row["from"] == min(number, 9) / 10


@EXAMPLES
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_bins_hold_everything(predicted: list[float]) -> None:
    rows = reliability(np.array(predicted), np.zeros(len(predicted)), np.ones(len(predicted)))
    assert sum(row["share_of_words"] for row in rows) == pytest.approx(1, abs=1e-3)


def test_means_are_rounded() -> None:
    assert means([0.0, 0.0, 1.0]) == 0.3333
