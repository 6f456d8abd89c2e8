"""Sums of oblivious trees, against a walk down each tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira.arrays import inference
from joeira.arrays.inference import ObliviousTrees
from support.examples import EXAMPLES


def made_up(trees: int, levels: int, columns: int, seed: int = 0) -> ObliviousTrees:
    """Trees with quarters for numbers: their sums are exact in any order."""
    random = np.random.default_rng(seed)
    return ObliviousTrees(
        column=random.integers(0, columns, (trees, levels)).astype(np.int32),
        border=(random.integers(-4, 5, (trees, levels)) / 4).astype(np.float32),
        leaf=(random.integers(-40, 41, (trees, 1 << levels)) / 4).astype(np.float32),
        bias=0.75,
    )


def rows(columns: int, count: int, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    return (random.integers(-5, 6, (columns, count)) / 4).astype(np.float32)


def walk(trees: ObliviousTrees, row: list[float]) -> float:
    """Ask the questions of every tree one after the other, as of a tree with branches."""
    score = trees.bias
    for column, border, leaves in zip(
        trees.column.tolist(), trees.border.tolist(), trees.leaf.tolist(), strict=True
    ):
        below = leaves
        # The last question splits the leaves into halves, the first one into neighbours.
        for number, limit in reversed(list(zip(column, border, strict=True))):
            half = len(below) // 2
            below = below[half:] if row[number] > limit else below[:half]
        (leaf,) = below
        score += leaf
    return score


@EXAMPLES
@given(
    st.integers(1, 6), st.integers(1, 6), st.integers(1, 5), st.integers(1, 9), st.integers(0, 99)
)
def test_walking_each_tree(trees: int, levels: int, columns: int, count: int, seed: int) -> None:
    model, table = made_up(trees, levels, columns, seed), rows(columns, count, seed + 1)
    assert model(table).tolist() == [walk(model, row) for row in table.T.tolist()]


def test_a_value_on_the_border_is_not_above_it() -> None:
    model = ObliviousTrees(
        np.zeros((1, 1), np.int32),
        np.full((1, 1), 0.5, np.float32),
        np.array([[1, 2]], np.float32),
        0.0,
    )
    above = np.nextafter(np.float32(0.5), np.float32(1))
    assert model(np.array([[0.5, above, -1]], np.float32)).tolist() == [1, 2, 1]


def test_questions_without_a_border_are_answered_no() -> None:
    # How trees cut short are stored.
    model = ObliviousTrees(
        np.zeros((1, 2), np.int32),
        np.array([[0, np.inf]], np.float32),
        np.array([[1, 2, 50, 60]], np.float32),
        0.0,
    )
    assert model(np.array([[-1, 1, np.finfo(np.float32).max]], np.float32)).tolist() == [1, 2, 2]


@pytest.mark.parametrize("count", [4, 5, 8, 9])
def test_chunks_change_nothing(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model, table = made_up(7, 6, 5), rows(5, count)
    whole = model(table)
    monkeypatch.setattr(inference, "_CHUNK", 4)
    assert model(table).tolist() == whole.tolist()


def test_rows_beyond_the_real_chunk() -> None:
    model, table = made_up(2, 3, 2), rows(2, inference._CHUNK + 1)
    scores = model(table)
    assert len(scores) == inference._CHUNK + 1
    for row in (0, inference._CHUNK - 1, inference._CHUNK):
        assert scores[row] == walk(model, table[:, row].tolist())


def test_more_trees_than_small_numbers_can_count() -> None:
    # 1100 trees of 64 leaves are more places than 16 bits.
    model, table = made_up(1100, 6, 3), rows(3, 4)
    assert model(table).tolist() == [walk(model, row) for row in table.T.tolist()]


def test_no_rows() -> None:
    scores = made_up(3, 6, 4)(np.zeros((4, 0), np.float32))
    assert scores.dtype == np.float32
    assert not len(scores)


def test_stored_and_loaded() -> None:
    model, table = made_up(5, 6, 4), rows(4, 10)
    stored = {
        "some.column": model.column.astype(np.int16),
        "some.border": model.border.astype(np.float64),
        "some.leaf": model.leaf,
        "some.bias": np.array(model.bias, np.float32),
    }
    loaded = ObliviousTrees.load(stored, "some")
    assert loaded(table).tolist() == model(table).tolist()
    assert loaded(table).dtype == np.float32
