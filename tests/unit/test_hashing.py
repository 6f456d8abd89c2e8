"""Hashes of all words of a text at once, against whole numbers of any size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira.arrays import strings
from support.examples import EXAMPLES

WORD = 1 << 64
BASE = 0x9E3779B97F4A7C15
MIX = 0xBF58476D1CE4E5B9


def mix(value: int) -> int:
    value = ((value ^ (value >> 31)) * MIX) % WORD
    return value ^ (value >> 31)


def polynomial(codes: list[int]) -> int:
    return mix(sum((code + 1) * BASE**place for place, code in enumerate(codes)) % WORD)


def hashes_of(text: str, slices: list[tuple[int, int]]) -> list[int]:
    codes = np.array([ord(character) for character in text], np.uint32)
    bounds = np.array(slices, np.int64).reshape(-1, 2)
    return strings.slice_hashes(codes, bounds[:, 0], bounds[:, 1]).tolist()


def test_equal_words_have_equal_hashes_wherever_they_stand() -> None:
    text = "the cat saw the cat"
    the, cat, saw, again, last = hashes_of(text, [(0, 3), (4, 7), (8, 11), (12, 15), (16, 19)])
    assert the == again
    assert cat == last
    assert len({the, cat, saw}) == 3


def test_hashes_are_the_same_in_every_process() -> None:
    # Learned tables are indexed by these numbers: they may never change.
    assert strings.hash_of("rain") == polynomial([114, 97, 105, 110]) == 12013354253038857583


@EXAMPLES
@given(st.text(max_size=30), st.data())
def test_slices_equal_big_number_arithmetic(text: str, data: st.DataObject) -> None:
    place = st.integers(0, len(text))
    drawn = data.draw(st.lists(st.tuples(place, place)))
    slices = [(min(pair), max(pair)) for pair in drawn]
    expected = [polynomial([ord(c) for c in text[start:stop]]) for start, stop in slices]
    assert hashes_of(text, slices) == expected


@EXAMPLES
@given(st.lists(st.text(max_size=12), max_size=30, unique=True))
def test_different_words_have_different_hashes(words: list[str]) -> None:
    assert len({strings.hash_of(word) for word in words}) == len(words)


@pytest.mark.parametrize(
    "first, other", [("ab", "ba"), ("a", "aa"), ("", "\0"), ("\0", "\0\0"), ("a", "A"), ("é", "e")]
)
def test_near_words_differ(first: str, other: str) -> None:
    assert strings.hash_of(first) != strings.hash_of(other)


STEP = 1 << 16


def test_words_across_the_end_of_the_table_of_powers() -> None:
    # The table of powers has 2^16 entries; words on both sides of its end are alike.
    far = STEP - 2
    text = "word" + "x" * (far - 4) + "word" + "y" * 10 + "word"
    first, second, third = hashes_of(text, [(0, 4), (far, far + 4), (far + 14, far + 18)])
    assert first == second == third == strings.hash_of("word")


@pytest.mark.parametrize("length", [STEP - 1, STEP, STEP + 1, 2 * STEP, 3 * STEP + 5, 20 * STEP])
def test_slices_of_long_texts_equal_those_of_short_ones(length: int) -> None:
    codes = (np.arange(length, dtype=np.uint32) * 7919) % 1000
    near = [place + shift for place in range(0, length + 1, STEP) for shift in (-9, -1, 0, 1)]
    starts = np.array([place for place in near if 0 <= place <= length])
    stops = np.minimum(starts + 13, length)
    hashes = strings.slice_hashes(codes, starts, stops).tolist()
    assert hashes == [
        strings.hash_of("".join(map(chr, codes[start:stop].tolist())))
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)
    ]
    whole = strings.slice_hashes(codes, np.array([0]), np.array([length]))[0]
    assert int(whole) == polynomial_by_steps(codes.tolist())


def polynomial_by_steps(codes: list[int]) -> int:
    total = 0
    for code in reversed(codes):
        total = (total * BASE + code + 1) % WORD
    return mix(total)


def test_lone_surrogates_are_hashed() -> None:
    assert strings.hash_of("\ud800") == polynomial([0xD800])


def test_values_of_any_unsigned_kind() -> None:
    bounds = np.array([0]), np.array([3])
    small, large = (np.array([1, 2, 3], kind) for kind in (np.uint8, np.uint64))
    assert strings.slice_hashes(small, *bounds) == strings.slice_hashes(large, *bounds)


def test_mixing_loses_nothing() -> None:
    values = np.arange(5000, dtype=np.uint64)
    mixed = strings.mixed(values)
    assert mixed.tolist() == [mix(value) for value in range(5000)]
    assert len(np.unique(mixed)) == 5000
    # The high bits index the tables: small numbers must spread over them.
    assert len(np.unique(mixed >> np.uint64(56))) == 256


def test_nothing_in_nothing_out() -> None:
    none = np.zeros(0, np.uint64)
    assert hashes_of("", []) == hashes_of("text", []) == []
    assert hashes_of("", [(0, 0)]) == [strings.hash_of("")] == [0]
    assert not len(strings.mixed(none))
