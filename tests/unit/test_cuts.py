"""The best cut of a tree into whole subtrees."""

import numpy as np

from joeira.segments.learned import best_cut

# 0(1(2 3) 4)
PARENT = np.array([-1, 0, 1, 1, 0])
DEPTH = np.array([0, 1, 2, 2, 1])


def cut(*value: float) -> list[int]:
    return best_cut(np.array(value, float), PARENT, DEPTH).tolist()


def test_a_whole_that_is_worth_more_than_its_parts_stays_whole() -> None:
    assert cut(5, 1, 1, 1, 1) == [0, 0, 0, 0, 0]


def test_parts_that_are_worth_more_than_the_whole_are_cut() -> None:
    assert cut(2, 1, 1, 1, 1) == [5, 5, 2, 3, 4]


def test_the_cut_may_be_at_different_depths() -> None:
    assert cut(2, 3, 1, 1, 1) == [5, 1, 1, 1, 4]


def test_equal_values_leave_a_subtree_whole() -> None:
    assert cut(3, 2, 1, 1, 1) == [0, 0, 0, 0, 0]


def test_a_leaf_worth_less_than_nothing_is_in_no_part() -> None:
    assert cut(-1, -1, -1, 1, 1) == [5, 5, 5, 3, 4]


def test_no_rows() -> None:
    empty = np.zeros(0, int)
    assert best_cut(np.zeros(0), empty, empty).tolist() == []
