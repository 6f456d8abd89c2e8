"""Splitting sequences of symbols: the worked examples of the tag path sequence filter."""

import numpy as np
import pytest

from joeira.arrays.sequences import SplitRule, main_region, parts, split_points


def regions(menu: int, main: int, adverts: int) -> list[int]:
    """Return the page of the thesis' listing: three lists of spans, each with its own class."""
    return [1, 2, 3, *[4] * menu, 3, *[5] * main, 3, *[6] * adverts, 2]


@pytest.mark.parametrize(
    "codes, expected",
    [
        ([], (0, 0)),
        ([7], (0, 1)),
        ([1, 2, 1, 2], (0, 4)),
        ([1, 2, 3, 4, 4, 3, 4, 4], (2, 8)),
        (regions(4, 10, 4), (7, 19)),
        (regions(4, 6, 4), (7, 15)),
        (regions(5, 5, 5), (2, 15)),
    ],
)
def test_main_region(codes: list[int], expected: tuple[int, int]) -> None:
    assert main_region(np.array(codes, np.int64)) == expected


@pytest.mark.parametrize(
    "codes, expected",
    [
        (regions(4, 10, 4), (7, 24)),
        (regions(4, 6, 4), (7, 20)),
        (regions(5, 5, 5), (8, 21)),
    ],
)
def test_as_printed_the_left_part_is_never_kept(
    codes: list[int], expected: tuple[int, int]
) -> None:
    assert main_region(np.array(codes), SplitRule(size_test="printed")) == expected


@pytest.mark.parametrize(
    "start, stop, expected",
    [(0, 24, 1), (1, 24, 18), (1, 19, 1), (2, 19, 5), (7, 19, None)],
)
def test_each_division(start: int, stop: int, expected: int | None) -> None:
    found = split_points(np.array(regions(4, 10, 4))[start:stop])
    assert found[:1].tolist() == ([] if expected is None else [expected])


def test_small_parts_at_the_beginning_are_dropped_at_once() -> None:
    assert split_points(np.array([1, 2, 3, 4, 4, 4, 4, 4])).tolist() == [1, 2, 3]


def test_a_border_that_fails_ends_the_scan_unless_it_goes_on() -> None:
    codes = np.array([1, 1, 1, 1, 2, 2, 2, 2, 3])
    assert main_region(codes) == (0, 9)
    assert main_region(codes, SplitRule(policy="scan_on")) == (0, 8)


def test_the_most_uneven_border_may_come_later() -> None:
    codes = np.array([1, 1, 2, 2, 2, 2, 2, 2, 3])
    assert split_points(codes).tolist() == [2]
    assert split_points(codes, SplitRule(policy="best")).tolist() == [8]


def test_parts_are_split_on_both_sides() -> None:
    codes = np.array(regions(4, 10, 4))
    assert parts(codes).tolist() == [0, 1, 2, 3, 7, 19, 23]
    assert parts(codes, min_length=25).tolist() == [0]
    assert parts(np.zeros(0, np.int64)).tolist() == [0]


@pytest.mark.parametrize("times", [1, 3])
def test_a_sequence_of_parts_alone_is_split_in_a_few_steps(times: int) -> None:
    codes = np.repeat(np.arange(100_000), times)
    start, stop = main_region(codes)
    assert stop == len(codes)
    assert start == len(codes) - 2 * times
    assert len(parts(codes, min_length=2 * times + 1)) == len(codes) / times - 1


def test_a_sequence_made_to_take_long_is_given_up() -> None:
    count = 20_000
    opened = np.arange(count)
    between = np.repeat(opened[:, None] + count, 3, axis=1)
    codes = np.concatenate((np.column_stack((opened, between)).ravel(), opened[::-1]))
    start, stop = main_region(codes)
    assert 0 < start < stop < len(codes)
