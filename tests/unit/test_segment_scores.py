"""Scores of segments: the block of each word, and how alike two divisions are."""

import numpy as np
import pytest

from joeira.evaluation import segment_scores
from joeira.evaluation.datasets import Block, Example

pytest.importorskip("lxml", reason="the answers are found by lxml")

HTML = "<body><div id=a>one <b>two</b> three<p>four five</p></div><div>six</div>seven</body>"
ROW = Example("1", HTML, blocks=(Block("/html/body/div[1]"), Block("//p", level=2)))


def test_a_word_is_in_the_innermost_block() -> None:
    marked = segment_scores.marked(ROW)
    assert marked.words == ["one", "two", "three", "four", "five", "six", "seven"]
    assert marked.block.tolist() == [0, 0, 0, 1, 1, -1, -1]


def test_unseen_elements_have_no_words() -> None:
    html = "<head><title>t</title></head><body><script>s</script>a<svg>b</svg> c</body>"
    assert segment_scores.marked(Example("1", html)).words == ["a", "c"]


def test_parts_are_aligned_with_the_words_of_the_answer() -> None:
    words = ["a", "b", "c", "d", "e"]
    assert segment_scores.spread(words, [("A b", 0), ("x d", 1), ("e", 2)]).tolist() == [
        0,
        0,
        -1,
        1,
        2,
    ]
    assert segment_scores.spread(words, []).tolist() == [-1] * 5


def test_the_answer_itself_is_perfect_where_it_covers_the_page() -> None:
    parts = [("one two three", 0), ("four five", 1)]
    found = dict(zip(segment_scores.COLUMNS, segment_scores.Gold(ROW).measure(parts), strict=True))
    assert found == dict.fromkeys(("ari", "nmi", "precision", "recall", "f1"), 1.0) | {
        "segments": 2,
        "blocks": 2,
    }


def test_words_outside_the_answer_cost_precision_but_no_rand_index() -> None:
    found = segment_scores.measure(np.array([0, 0, 1, 1, -1]), np.array([0, 0, 1, 1, 1]))
    scores = dict(zip(segment_scores.COLUMNS, found, strict=True))
    assert scores["ari"] == 1
    # Two words of the first segment fully; two of three words of the second share 2/3.
    assert scores["precision"] == pytest.approx((2 + 2 * 2 / 3 + 0) / 5)
    assert scores["recall"] == 1


def test_a_word_left_out_is_a_segment_of_its_own() -> None:
    gold = np.array([0, 0, 0, 0])
    found = dict(
        zip(segment_scores.COLUMNS, segment_scores.measure(gold, np.full(4, -1)), strict=True)
    )
    assert (found["ari"], found["nmi"], found["f1"]) == (0, 0, 0)


@pytest.mark.parametrize("seed", range(20))
def test_bcubed_is_its_definition(seed: int) -> None:
    generator = np.random.default_rng(seed)
    gold, found = generator.integers(-1, 4, (2, 40))

    def share(word: int) -> float:
        together = np.flatnonzero(found == found[word])
        right = [other for other in together if gold[other] == gold[word] >= 0]
        return len(right) / len(together)

    expected = np.mean([share(word) for word in np.flatnonzero(found >= 0)])
    assert segment_scores.bcubed(gold, found) == pytest.approx(expected)
