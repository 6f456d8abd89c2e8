"""Characters and words of many strings at once."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira.arrays import strings
from joeira.arrays.strings import Characters, collapse, common_subsequence_length, words
from support.examples import EXAMPLES


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", []),
        ("two words", ["two", "words"]),
        ("it's 1.5_x", ["it", "s", "1", "5_x"]),
        ("日本go", ["日", "本", "go"]),
        ("한국", ["한", "국"]),
        ("・\u0e3f \U0002ebe1", []),
        ("ação", ["ação"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected
    assert Characters.of([text]).words().tolist() == [len(expected)]


@EXAMPLES
@given(st.lists(st.text(max_size=20), max_size=6))
def test_counts_equal_those_of_each_string(texts: list[str]) -> None:
    characters = Characters.of(texts)
    assert characters.words().tolist() == [len(words(text)) for text in texts]
    assert characters.lengths().tolist() == [len(collapse(text)) for text in texts]


@pytest.mark.parametrize(
    "kind, expected",
    [
        (strings.SPACE, 2),
        (strings.DIGIT, 2),
        (strings.UPPER, 2),
        (strings.SENTENCE_END, 2),
        (strings.COMMA, 1),
        (strings.UNSPACED, 1),
    ],
)
def test_classes_of_characters(kind: int, expected: int) -> None:
    # The separator after each string is white space, and is counted with it.
    own = Characters.of(["É Au, 12.本!"]).count_class(kind)  # type: ignore[arg-type]  # any integer
    assert own.tolist() == [expected + (kind == strings.SPACE)]


KINDS = (strings.WORD, strings.SPACE, strings.DIGIT, strings.COMMA, strings.SEPARATOR) * 2


@pytest.mark.parametrize("times", [1, 7000, 300_000])
def test_kinds_counted_at_once(times: int) -> None:
    # The longer the texts, the fewer counters share a number; a full one must not spill over.
    characters = Characters.of(["a1, ", "7" * times, "b" * times, "," * times, "/ x"])
    found = characters.count_kinds(KINDS, characters.starts)
    assert found.tolist() == [characters.count_class(kind).tolist() for kind in KINDS]


def test_characters_outside_the_basic_plane() -> None:
    characters = Characters.of(["a𝒜b", "😀 😀", "\U00020000"])
    assert characters.words().tolist() == [1, 0, 1]
    assert characters.lengths().tolist() == [3, 3, 1]


def test_no_strings() -> None:
    characters = Characters.of([])
    assert characters.words().tolist() == []
    assert characters.lengths().tolist() == []


def test_lone_surrogates_are_characters() -> None:
    assert Characters.of(["a\ud800b"]).lengths().tolist() == [3]


def test_collapse() -> None:
    assert collapse(" a\n\t b\u00a0c ") == "a b c"


@pytest.mark.parametrize(
    "first, second, expected",
    [("", "", 0), ("abc", "", 0), ("abc", "abc", 3), ("abcbdab", "bdcaba", 4), ("日本", "本日", 1)],
)
def test_common_subsequence(first: str, second: str, expected: int) -> None:
    assert common_subsequence_length(first, second) == expected


@EXAMPLES
@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_common_subsequence_by_trying_all(first: str, second: str) -> None:
    longest = max(
        len(part)
        for size in range(len(first) + 1)
        for part in combinations(first, size)
        if _is_subsequence(part, second)
    )
    assert common_subsequence_length(first, second) == longest


def _is_subsequence(part: tuple[str, ...], text: str) -> bool:
    left = iter(text)
    return all(character in left for character in part)
