import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira.arrays import ranges
from support.examples import EXAMPLES

TAGS = np.array([1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1])
numbers = st.lists(st.integers(-3, 3), max_size=12).map(np.array)


def test_best_range_of_the_worked_example() -> None:
    best = ranges.best_range(1 - 2 * TAGS)
    assert (best.start, best.stop - 1) == (4, 9)
    assert TAGS.sum() + best.score == 12


def test_maximal_runs_of_the_worked_example() -> None:
    runs = ranges.maximal_runs(1 - 2 * TAGS)
    assert runs.starts.tolist() == [2, 4, 13]
    assert (runs.stops - 1).tolist() == [2, 9, 15]
    assert runs.scores.tolist() == [1, 4, 3]


def test_nothing_to_choose_from() -> None:
    assert ranges.best_range(np.zeros(0)) == (0, 0, 0)
    assert len(ranges.maximal_runs(np.zeros(0)).starts) == 0
    assert len(ranges.maximal_runs(np.array([-1, 0, -2])).starts) == 0
    assert ranges.best_range(np.array([-2, -1, -3])) == (1, 2, -1)


def test_positions_know_their_run() -> None:
    runs = ranges.maximal_runs(np.array([1, -5, 2, 2, -5]))
    assert runs.of_positions(np.arange(5)).tolist() == [0, -1, 1, 1, -1]
    none = ranges.maximal_runs(np.array([-1]))
    assert none.of_positions(np.arange(2)).tolist() == [-1, -1]


@EXAMPLES
@given(numbers)
def test_best_range_is_kadane_with_a_new_beginning_at_every_sum_of_zero(values: np.ndarray) -> None:
    best = None
    total, start = 0, 0
    for place, value in enumerate(values.tolist()):
        if place and total <= 0:
            total, start = 0, place
        total += value
        if best is None or total > best[2]:
            best = (start, place + 1, total)
    assert ranges.best_range(values) == (best or (0, 0, 0))


@EXAMPLES
@given(numbers)
def test_best_sum_through_tries_every_range(values: np.ndarray) -> None:
    expected = [
        max(values[i:j].sum() for i in range(place + 1) for j in range(place + 1, len(values) + 1))
        for place in range(len(values))
    ]
    assert ranges.best_sum_through(values).tolist() == expected


@EXAMPLES
@given(numbers)
def test_maximal_runs_take_the_best_and_go_on_left_and_right(values: np.ndarray) -> None:
    def split(low: int, high: int) -> list[tuple[int, int, int]]:
        found = [
            (int(values[i:j].sum()), i - j, -i)
            for i in range(low, high)
            for j in range(i + 1, high + 1)
        ]
        score, shorter, earlier = max(found, default=(0, 0, 0))
        if score <= 0:
            return []
        start, stop = -earlier, -earlier - shorter
        return [*split(low, start), (start, stop, score), *split(stop, high)]

    runs = ranges.maximal_runs(values)
    found = list(zip(*(column.tolist() for column in runs), strict=True))
    assert found == split(0, len(values))


def test_many_runs_with_ever_lower_beginnings_take_linear_time() -> None:
    values = np.tile([1.0, -2.0], 100_000)
    assert len(ranges.maximal_runs(values).starts) == 100_000
    assert len(ranges.maximal_runs(np.tile([2.0, -1.0], 100_000)).starts) == 1


def test_fusion_of_the_worked_example() -> None:
    tokens, lines = np.array([3, 2, 60, 22, 4]), np.array([1, 1, 5, 2, 1])
    starts = ranges.fuse(tokens, lines, 0.38)
    assert starts.tolist() == [0, 2, 4]
    assert np.add.reduceat(tokens, starts).tolist() == [5, 82, 4]
    assert np.add.reduceat(lines, starts).tolist() == [2, 7, 1]


@pytest.mark.parametrize("count", [0, 1])
def test_fusion_of_nothing(count: int) -> None:
    ones = np.ones(count, int)
    assert ranges.fuse(ones, ones, 0.38).tolist() == list(range(count))


@EXAMPLES
@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 4)), max_size=25),
    st.sampled_from([0, 0.2, 0.38, 1]),
)
def test_fusion_goes_from_left_to_right_until_nothing_changes(
    blocks: list[tuple[int, int]], theta: float
) -> None:
    expected = [(tokens, lines, place) for place, (tokens, lines) in enumerate(blocks)]
    changed = True
    while changed:
        changed = False
        place = 0
        while place + 1 < len(expected):
            (a, b, start), (c, d, _) = expected[place], expected[place + 1]
            if abs(a / b - c / d) / max(a / b, c / d) <= theta:
                expected[place : place + 2] = [(a + c, b + d, start)]
                changed = True
            else:
                place += 1
    tokens, lines = np.array(blocks, int).reshape(-1, 2).T
    assert ranges.fuse(tokens, lines, theta).tolist() == [start for *_, start in expected]
