"""Which words of a page are gold: small cases worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira.arrays.strings import words
from support.examples import EXAMPLES
from training import alignment
from training.alignment import matched_words

SENTENCE = "heavy rain flooded the old town on monday night"
OTHER = "rescue teams moved forty people to safety"


def matched(blocks: list[str], gold: str) -> list[float]:
    return matched_words([words(block.lower()) for block in blocks], gold).tolist()


def test_blocks_of_the_gold_match_whole() -> None:
    assert matched(["Home", SENTENCE, OTHER, "Imprint"], f"{SENTENCE}\n{OTHER}") == [0, 9, 7, 0]


def test_case_punctuation_and_lines_do_not_matter() -> None:
    gold = "Heavy rain\nflooded the old town, on Monday night!"
    assert matched([SENTENCE.upper()], gold) == [9]


@pytest.mark.parametrize("gold", ["", " \n ", "—", "…\n!"])
def test_gold_without_words(gold: str) -> None:
    assert matched([SENTENCE, ""], gold) == [0, 0]


def test_page_without_words() -> None:
    assert matched([], SENTENCE) == []
    assert matched(["", "—"], SENTENCE) == [0, 0]


def test_navigation_words_inside_gold_sentences_do_not_match() -> None:
    blocks = ["Heavy", "Rain", "Town", SENTENCE, "Monday", "Old"]
    assert matched(blocks, SENTENCE) == [0, 0, 0, 9, 0, 0]


def test_a_lone_word_after_the_gold_does_not_take_its_last_word() -> None:
    assert matched([SENTENCE, "Imprint", "Night"], SENTENCE) == [9, 0, 0]


def test_navigation_words_of_gold_that_the_page_lacks_do_not_match() -> None:
    # Nothing claims the gold's words, and still single words are no evidence.
    assert matched(["Rain", "People", "Safety first"], f"{SENTENCE}. {OTHER} soon") == [0, 0, 0]


def test_short_lines_match_only_where_they_stand() -> None:
    # "Share" closes each of two gold parts; the ones in the menu and the footer are not gold.
    blocks = ["Share", SENTENCE, "Share", OTHER, "Share", "Share"]
    gold = f"{SENTENCE}\nShare\n{OTHER}"
    assert matched(blocks, gold) == [0, 9, 1, 7, 0, 0]


def test_repeated_lines_match_as_often_as_in_the_gold() -> None:
    assert sum(matched(["Reply"] * 5, "Reply\nReply")) == 2
    assert sum(matched(["Reply now"] * 5, "Reply now\nReply now")) == 4
    assert sum(matched(["Reply"] * 2, "Reply\nReply\nReply")) == 2


def test_a_block_that_is_gold_in_part() -> None:
    assert matched([f"{SENTENCE} read more about this here"], SENTENCE) == [9]


def test_gold_out_of_page_order() -> None:
    assert matched([SENTENCE, "menu", OTHER], f"{OTHER}\n{SENTENCE}") == [9, 0, 7]


def test_short_gold_lines_out_of_page_order() -> None:
    assert matched(["by ana", SENTENCE], f"{SENTENCE}\nby ana") == [2, 9]


def test_gold_is_used_once_even_out_of_order() -> None:
    blocks = [SENTENCE, OTHER, SENTENCE, OTHER]
    found = matched(blocks, f"{OTHER}\n{SENTENCE}")
    assert sum(found) == 16
    # Both in gold order: the second copy of the first and the first of the second.
    assert found == [0, 7, 9, 0]


def test_leftover_gold_needs_most_of_a_block() -> None:
    # Three of nine words in gold order elsewhere: less than the needed share of the block.
    block = "heavy rain flooded streets and cellars of other places"
    assert matched([OTHER, block], f"{SENTENCE}\n{OTHER}") == [7, 0]


def test_unspaced_scripts_match_character_by_character() -> None:
    assert matched(["首页", "大雨淹没了老城。", "联系"], "大雨淹没了老城") == [0, 7, 0]


def test_very_common_words_are_left_to_chance() -> None:
    # A word with too many places in the gold matches nowhere: its block is still known.
    count = alignment._MAX_POSITIONS + 1
    gold = "\n".join(f"the item{number}" for number in range(count))
    blocks = [f"the item{number}" for number in range(count)]
    # Half of each block matches as it stands; no word of it is claimed twice.
    assert set(matched(blocks, gold)) == {1.0}


words_of_lines = st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join)


@EXAMPLES
@given(st.lists(words_of_lines, max_size=6), st.lists(words_of_lines, max_size=6))
def test_never_more_than_there_is(blocks: list[str], gold: list[str]) -> None:
    found = matched(blocks, "\n".join(gold))
    assert len(found) == len(blocks)
    for count, block in zip(found, blocks, strict=True):
        assert 0 <= count <= len(words(block))


@EXAMPLES
@given(st.lists(words_of_lines, max_size=6))
def test_a_page_that_is_all_gold_matches_whole(blocks: list[str]) -> None:
    assert matched(blocks, "\n".join(blocks)) == [len(words(block)) for block in blocks]


@EXAMPLES
@given(st.lists(words_of_lines, max_size=4))
def test_words_that_the_gold_lacks_never_match(blocks: list[str]) -> None:
    mixed = [line for block in blocks for line in (block, "x y z")]
    assert not any(matched(mixed, "\n".join(blocks))[1::2])
