import numpy as np
import pytest

import joeira
from joeira.arrays import markup
from joeira.content import BlockFusion


def wrapped(words: list[int], width: int) -> tuple[int, int]:
    """Lines of one run of words and the words on its last line."""
    lengths = np.array(words)
    lines, last = markup.wrapped(lengths, np.ones_like(lengths), np.zeros(1, int), width)
    return int(lines[0]), int(last[0])


def test_word_wrap_of_the_worked_example() -> None:
    # 13, 13 and 4 words of five letters.
    assert wrapped([5] * 30, 80) == (3, 4)


@pytest.mark.parametrize(
    "words, width, expected",
    [
        ([5] * 13, 77, (1, 13)),
        ([5] * 13, 76, (2, 1)),
        ([100], 10, (1, 1)),
        ([3, 100, 3], 10, (3, 1)),
        ([1, 1, 1], 1, (3, 1)),
    ],
)
def test_lines_hold_what_fits(words: list[int], width: int, expected: tuple[int, int]) -> None:
    assert wrapped(words, width) == expected


def test_runs_wrap_apart_from_each_other() -> None:
    lengths = np.array([5, 5, 5, 5, 5])
    lines, last = markup.wrapped(lengths, np.ones(5, int), np.array([0, 1, 4]), 11)
    assert lines.tolist() == [1, 2, 1]
    assert last.tolist() == [1, 1, 1]


SENTENCE = "it is a fact that a row of very short words in a line makes it as dense as can be "
MENU = "<ul>" + "<li>Entertainment</li>" * 5 + "</ul>"


def test_the_densest_block_is_the_main_text() -> None:
    page = joeira.parse(f"<title>a b c d e f g h i</title>{MENU}<p>{SENTENCE * 4}</p>{MENU}")
    content = BlockFusion(min_density=None).extract(page)
    assert content.text().split() == SENTENCE.split() * 4
    reasons = [block.reason for block in content.explain()]
    assert reasons[0] == "belongs to the document head"
    assert reasons[1] == "in a block with 1.0 tokens per line; the densest has 16.8"
    assert reasons[6] == "in the densest block, 16.8 tokens per line"


def test_links_do_not_end_a_block() -> None:
    linked = SENTENCE.replace("a fact", "<a>a fact</a>")
    content = BlockFusion().extract(joeira.parse(f"{MENU}<p>{linked * 3}</p>"))
    assert content.text().split() == SENTENCE.split() * 3


def test_a_threshold_keeps_every_dense_block() -> None:
    page = joeira.parse(f"<p>{SENTENCE}</p>{MENU}<p>{SENTENCE * 3}</p>{MENU}")
    assert len(BlockFusion(min_density=None).extract(page).blocks()) == 1
    assert len(BlockFusion().extract(page).blocks()) == 2
    content = BlockFusion(min_density=10).extract(page)
    assert [text.split()[0] for text in content.blocks()] == ["it", "it"]
    reasons = {block.reason for block in content.explain()}
    assert "in a block with 1.0 tokens per line, less than 10" in reasons


def test_without_its_last_line_a_block_is_denser() -> None:
    page = joeira.parse(f"<p>{'abcde ' * 30}</p>")
    assert BlockFusion().extract(page).scores.tolist() == [10]
    assert BlockFusion(exclude_last_line=True).extract(page).scores.tolist() == [13]


def test_characters_of_scripts_without_spaces_are_tokens() -> None:
    page = joeira.parse("<p>" + "字" * 160 + "</p>")
    assert BlockFusion().extract(page).scores.tolist() == [80]
