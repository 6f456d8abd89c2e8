"""Partitions and blocks: the worked examples of the theses, and a literal twin."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira.errors import BadParameter
from joeira.evaluation.metrics import block_score, noise_removed, tree_reduction
from joeira.evaluation.segment_scores import adjusted_rand_index, normalized_mutual_information


@pytest.mark.parametrize(
    "first, second, rand, information",
    [
        ([1, 1, 1, 2, 2, 2], [1, 1, 2, 2, 2, 2], 36 / 111, 0.479139),
        ([1, 2, 1, 2], [1, 1, 2, 2], -0.5, 0),
        ([1, 1, 1], [5, 5, 5], 1, 1),
        ([1, 1, 1, 1], [1, 2, 3, 4], 0, 0),
        (["a", "a", "b"], ["x", "x", "y"], 1, 1),
        ([], [], 1, 1),
        ([1], [2], 1, 1),
    ],
)
def test_partitions(first: list[int], second: list[int], rand: float, information: float) -> None:
    assert adjusted_rand_index(first, second) == pytest.approx(rand)
    assert normalized_mutual_information(first, second) == pytest.approx(information, abs=1e-6)


def test_partitions_label_the_same_items() -> None:
    with pytest.raises(BadParameter, match="same items"):
        adjusted_rand_index([1, 2], [1])


def rand_by_pairs(first: list[int], second: list[int]) -> float:
    """SOM, equation 2.1, pair by pair."""
    counts = {(same, also): 0 for same in (True, False) for also in (True, False)}
    for i, j in combinations(range(len(first)), 2):
        counts[first[i] == first[j], second[i] == second[j]] += 1
    tp, fn = counts[True, True], counts[True, False]
    fp, tn = counts[False, True], counts[False, False]
    pairs = tp + fp + fn + tn
    expected = (tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)
    possible = pairs**2 - expected
    return (pairs * (tp + tn) - expected) / possible if possible else 1.0


labels = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25)


@given(labels)
def test_rand_index_is_that_of_the_pairs(pairs: list[tuple[int, int]]) -> None:
    first, second = map(list, zip(*pairs, strict=True))
    assert adjusted_rand_index(first, second) == pytest.approx(rand_by_pairs(first, second))


def test_scores_are_those_of_scikit_learn() -> None:
    theirs = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    random = np.random.default_rng(0)
    for size in (2, 7, 40):
        one, other = random.integers(0, 5, (2, size))
        assert adjusted_rand_index(one, other) == pytest.approx(
            theirs.adjusted_rand_score(one, other)
        )
        assert normalized_mutual_information(one, other) == pytest.approx(
            theirs.normalized_mutual_info_score(one, other, average_method="geometric")
        )


@given(labels)
def test_information_is_symmetric_and_bounded(pairs: list[tuple[int, int]]) -> None:
    first, second = map(list, zip(*pairs, strict=True))
    found = normalized_mutual_information(first, second)
    assert 0 <= found <= 1 + 1e-9
    assert found == pytest.approx(normalized_mutual_information(second, first))


def test_blocks_of_the_published_example() -> None:
    # A Bola at a content weight of 50 %: tp 25, fp 24, fn 60, 184 candidates; all truth extracted.
    candidates = set(range(184))
    truth = set(range(85))
    predicted = set(range(25)) | set(range(100, 124))
    found = block_score(candidates, predicted, truth)
    assert found.precision == pytest.approx(0.51, abs=0.005)
    assert found.recall == pytest.approx(0.29, abs=0.005)
    assert found.accuracy == pytest.approx(0.54, abs=0.005)
    assert found.share_not_wrongly_kept == pytest.approx(0.87, abs=0.005)


def test_truth_that_was_never_a_candidate_costs_recall() -> None:
    found = block_score({1, 2}, {1}, {1, 9})
    assert (found.precision, found.recall, found.accuracy) == (1, 0.5, 1)


def test_blocks_at_the_edges() -> None:
    nothing = block_score({1}, set(), set())
    assert (nothing.precision, nothing.recall, nothing.f1, nothing.accuracy) == (0, 1, 0, 1)
    assert block_score({1}, {1}, set()).recall == 0
    with pytest.raises(BadParameter, match="candidate"):
        block_score({1}, {2}, {1})


def test_noise_of_the_published_pages() -> None:
    assert noise_removed(82, 20, 20, 20) == 1  # YouTube
    assert noise_removed(164, 10, 93, 10) == pytest.approx(0.4610, abs=5e-5)  # Bradesco
    assert noise_removed(10, 10, 10, 10) is None
    assert tree_reduction(200, 50) == -0.75
