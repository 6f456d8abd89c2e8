"""The choice with the best expected F measure, against all choices there are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira.blockmodel.model import SHARED_DOUBT, best_expected_f
from support.examples import EXAMPLES

chances = st.sampled_from([0.0, 0.01, 0.2, 0.3, 0.5, 0.5, 0.7, 0.9, 1.0])
items = st.lists(st.tuples(chances, st.integers(0, 50)), max_size=7)
betas = st.sampled_from([0.25, 0.5, 1.0, 2.0, 4.0])


def measure(pairs: list[tuple[float, int]], keep: tuple[bool, ...], beta: float) -> float:
    """F of a choice, by precision and recall of the expected words."""
    hit = sum(p * n for (p, n), kept in zip(pairs, keep, strict=True) if kept)
    taken = sum(n for (_, n), kept in zip(pairs, keep, strict=True) if kept)
    wanted = sum(p * n for p, n in pairs)
    if not hit:
        return 0.0
    precision, recall = hit / taken, hit / wanted
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def choose(pairs: list[tuple[float, int]], beta: float = 1.0) -> tuple[tuple[bool, ...], float]:
    probability, size = (np.array([pair[k] for pair in pairs], float) for k in (0, 1))
    keep, best = best_expected_f(probability, size, beta)
    assert keep.dtype == bool
    assert isinstance(best, float)
    return tuple(keep.tolist()), best


@EXAMPLES
@given(items, betas)
def test_no_choice_is_better(pairs: list[tuple[float, int]], beta: float) -> None:
    keep, best = choose(pairs, beta)
    every = product((False, True), repeat=len(pairs))
    assert best == pytest.approx(max(measure(pairs, other, beta) for other in every))
    assert best == pytest.approx(measure(pairs, keep, beta))


@EXAMPLES
@given(items, betas)
def test_the_kept_are_the_likeliest(pairs: list[tuple[float, int]], beta: float) -> None:
    keep, _ = choose(pairs, beta)
    kept = [p for (p, _), own in zip(pairs, keep, strict=True) if own]
    left = [p for (p, _), own in zip(pairs, keep, strict=True) if not own]
    assert not kept or not left or min(kept) >= max(left)


@EXAMPLES
@given(items)
def test_more_weight_on_recall_keeps_no_less(pairs: list[tuple[float, int]]) -> None:
    kept = [
        sum(n for (_, n), own in zip(pairs, choose(pairs, beta)[0], strict=True) if own)
        for beta in (0.25, 0.5, 1.0, 2.0, 4.0)
    ]
    assert kept == sorted(kept)


def test_a_worked_choice() -> None:
    # 100 sure words and 100 at a third: 2 * 100 / (100 + 133) beats 2 * 133 / (200 + 133).
    pairs = [(1 / 3, 100), (1.0, 100)]
    assert choose(pairs) == ((False, True), pytest.approx(200 / (100 + 400 / 3)))
    assert choose(pairs, beta=2)[0] == (True, True)


def test_sizes_count_as_words() -> None:
    # The same chances: one word at .45 costs nothing, five hundred would.
    assert choose([(0.9, 100), (0.48, 1)])[0] == (True, True)
    assert choose([(0.9, 100), (0.3, 500)], beta=0.5)[0] == (True, False)


def test_nothing_to_choose_from() -> None:
    assert choose([]) == ((), 0.0)


@pytest.mark.parametrize("pairs", [[(0.0, 5), (0.0, 3)], [(0.7, 0), (0.2, 0)], [(0.0, 0)]])
def test_nothing_is_kept_where_nothing_is_expected(pairs: list[tuple[float, int]]) -> None:
    assert choose(pairs) == ((False,) * len(pairs), 0.0)


def test_shared_doubt_parts_an_article_from_its_teasers() -> None:
    probability, size = np.array([0.97, 0.3]), np.array([100.0, 900.0])
    assert best_expected_f(probability, size)[0].tolist() == [True, True]
    assert best_expected_f(probability, size, 1.0, SHARED_DOUBT)[0].tolist() == [True, False]
    likely = np.array([0.97, 0.4])
    assert best_expected_f(likely, size, 1.0, SHARED_DOUBT)[0].tolist() == [True, True]


@EXAMPLES
@given(items, betas)
def test_the_kept_are_the_likeliest_in_doubt_too(
    pairs: list[tuple[float, int]], beta: float
) -> None:
    probability, size = (np.array([pair[k] for pair in pairs], float) for k in (0, 1))
    keep, best = best_expected_f(probability, size, beta, SHARED_DOUBT)
    assert 0 <= best <= 1 + 1e-9
    if keep.any() and not keep.all():
        assert probability[keep].min() >= probability[~keep].max()


def test_doubt_changes_no_page_that_is_certain() -> None:
    probability, size = np.array([1.0, 1.0, 0.0]), np.array([50.0, 10.0, 70.0])
    keep, best = best_expected_f(probability, size, 1.0, SHARED_DOUBT)
    assert keep.tolist() == [True, True, False]
    assert best == pytest.approx(1, abs=1e-3)
