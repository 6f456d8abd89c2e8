import numpy as np
import pytest

import joeira
from joeira.arrays import markup
from joeira.content import CETR, cetr

CHARS = np.array([8, 0, 43, 0, 36, 2])
TAGS = np.array([6, 1, 0, 1, 2, 4])
"""Characters and tags of the lines of the worked example."""


def test_ratios_of_the_worked_example() -> None:
    ratios = markup.tag_ratios(CHARS, TAGS)
    assert ratios == pytest.approx([4 / 3, 0, 43, 0, 18, 0.5])
    smoothed = markup.smooth(ratios, 1)
    expected = [0.968, 12.150, 19.430, 16.718, 8.271, 5.296]
    assert smoothed == pytest.approx(expected, abs=0.0005)
    assert np.std(smoothed) == pytest.approx(6.378, abs=0.0005)
    assert np.flatnonzero(smoothed >= np.std(smoothed)).tolist() == [1, 2, 3, 4]


def test_smoothing_is_harmless_on_little() -> None:
    assert markup.smooth(np.zeros(0), 2).tolist() == []
    assert markup.smooth(np.array([4.0]), 3) == pytest.approx([4])
    assert markup.smooth(np.array([1.0, 9.0]), 0).tolist() == [1, 9]


PARAGRAPH = "<p>A long paragraph of real article text, with hardly any tag in it at all.</p>"
MENU = "<div><a>Home</a><a>News</a><a>Mail</a><a>Maps</a></div>"


@pytest.mark.parametrize("variant", ["threshold", "clustering"])
def test_lines_with_many_characters_per_tag(variant: str) -> None:
    page = joeira.parse(MENU * 4 + PARAGRAPH * 4 + MENU * 4)
    content = CETR(variant=variant).extract(page)
    kept = [block.text for block in content.explain() if block.kept]
    assert sum(text.startswith("A long") for text in kept) == 4
    # Smoothing, and the change of the ratio, take in the menus next to the article.
    assert sum(text.startswith("Home") for text in kept) <= 4


def test_lines_break_at_block_tags_line_ends_and_br() -> None:
    page = joeira.parse("<div>one <b>two</b>\nthree<br>four</div>")
    content = CETR(radius=0).extract(page)
    # <div>one <b>two</b> | three<br> | four</div>; "\nthree" begins with a line end.
    assert content.scores.tolist() == pytest.approx([6 / 3, 6 / 3, 5, 4])


def test_a_text_on_several_lines_counts_by_its_characters() -> None:
    page = joeira.parse("<pre>a\nbbb</pre>")
    content = CETR(radius=0).extract(page)
    # Ratios 1 (one tag) and 3: (1 * 1 + 3 * 3) / 4.
    assert content.scores.tolist() == [2.5]


def test_reasons_name_ratio_and_limit() -> None:
    content = CETR().extract(joeira.parse(MENU * 3 + PARAGRAPH))
    reasons = [block.reason for block in content.explain()]
    assert reasons[0].startswith("smoothed tag ratio 1.")
    assert "characters per tag, less than" in reasons[0]
    assert "characters per tag, at least" in reasons[-1]


def test_three_means_with_one_at_the_origin() -> None:
    points = np.array([[0.1, 0], [0, 0.2], [9, 0], [10, 1], [1, 8], [0, 9.0]])
    assert cetr.means_with_origin(points).tolist() == [0, 0, 1, 1, 2, 2]
    assert cetr.means_with_origin(np.zeros((0, 2))).tolist() == []
    assert cetr.means_with_origin(np.zeros((3, 2))).tolist() == [0, 0, 0]
