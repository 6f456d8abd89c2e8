"""Scores on cases small enough to count by hand, and beside the reference scorer."""

import importlib.util
import math
import os
import random
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from joeira.evaluation import metrics
from joeira.evaluation.datasets import Example
from joeira.evaluation.metrics import COLUMNS, Gold, difference, score

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """The reference scorer, which lies with the data sets."""
    bench = os.environ.get("JOEIRA_BENCH") or ROOT.parent / "shared" / "bench"
    path = Path(bench) / "content" / "score.py"
    if not path.is_file():
        pytest.skip(f"no reference scorer at {path}; set JOEIRA_BENCH to the folder with the data")
    spec = importlib.util.spec_from_file_location("reference_score", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_words_are_a_bag_without_case() -> None:
    # gold a a b c, found A b b: common a b, so 2 of 3 found and 2 of 4 wanted
    assert metrics.word_scores("a a b c", "A, b b!") == pytest.approx((2 / 3, 1 / 2, 4 / 7))


@pytest.mark.parametrize(
    "gold, found, expected",
    [
        ("a b", "", (0, 0, 0)),
        ("a b", "c", (0, 0, 0)),
        ("a b", "b a", (1, 1, 1)),
        ("...", "", (1, 1, 1)),
        ("...", "a", (0, 0, 0)),
    ],
)
def test_words_at_the_edges(gold: str, found: str, expected: tuple[float, ...]) -> None:
    assert metrics.word_scores(gold, found) == expected


def test_cjk_characters_are_words_when_asked() -> None:
    assert metrics.tokens("東京 tower 2024") == ["東京", "tower", "2024"]
    assert metrics.tokens("東京tower", split_cjk=True) == ["東", "京", "tower"]
    assert metrics.word_scores("東京都", "東京")[2] == 0
    assert metrics.word_scores("東京都", "東京", split_cjk=True) == pytest.approx((1, 2 / 3, 0.8))


def test_shingles_are_runs_of_four_words_with_case() -> None:
    # gold: abcd bcde; found: abcd bcdX
    assert metrics.shingle_scores("a b c d e", "a b c d X") == (0.5, 0.5)
    assert metrics.shingle_scores("a b", "a b") == (1, 1)  # a shorter text is one run
    precision, recall = metrics.shingle_scores("a b c d", "")
    assert math.isnan(precision)
    assert recall == 0


def test_snippets_are_counted_without_regard_to_white_space() -> None:
    row = Example("1", "", wanted=("one two", "three"), unwanted=("menu", "login  now"))
    assert metrics.snippet_counts(row, "one\n two. login now") == (1, 1, 1, 1)


def test_scores_are_means_over_pages_with_gold() -> None:
    pages = [Example("1", "", text="a b"), Example("2", "", text="c d"), Example("3", "", text=" ")]
    outputs = ["a b", "c x", "anything"]
    rows = np.array(
        [Gold(page).measure(output) for page, output in zip(pages, outputs, strict=True)]
    )
    words = score("words", rows)
    assert words is not None
    assert (words.pages, words.precision, words.recall, words.f1) == (2, 0.75, 0.75, 0.75)
    assert words.interval == (0.5, 1.0)
    assert score("snippets", rows) is None


def test_snippets_are_pooled_over_pages() -> None:
    rows = np.full((2, metrics.WIDTH), np.nan)
    rows[:, COLUMNS["snippets"]] = [[3, 1, 1, 3], [0, 0, 2, 2]]
    found = score("snippets", rows)
    assert found is not None
    assert (found.precision, found.recall) == (3 / 4, 3 / 6)
    assert (found.found_wanted, found.found_unwanted) == (3 / 6, 1 / 6)
    assert found.accuracy == 8 / 12


def test_difference_is_paired() -> None:
    rows = np.full((20, metrics.WIDTH), np.nan)
    rows[:, COLUMNS["words"]] = np.linspace(0, 0.9, 20)[:, None]
    better = rows.copy()
    better[:, COLUMNS["words"]] += 0.05
    found = difference("words", better, rows)
    assert found is not None
    # Pages differ a lot, but every page improves by the same: no doubt is left.
    assert found.difference == pytest.approx(0.05)
    assert found.interval == pytest.approx((0.05, 0.05))
    assert found.not_better == 0


def random_text(source: random.Random, words: int) -> str:
    vocabulary = ["a", "B", "b", "the", "The", "東京", "京", "สวัสดี", "x1", "--", "école", "\n"]
    return " ".join(source.choices(vocabulary, k=words))


@pytest.mark.quality
@pytest.mark.parametrize("cjk", [False, True])
def test_numbers_are_those_of_the_reference_scorer(reference: ModuleType, cjk: bool) -> None:
    source = random.Random(7)
    pages = []
    outputs: list[dict[str, str]] = [{}, {}]
    for number in range(150):
        page = {"id": str(number), "html": "", "text": random_text(source, source.randrange(30))}
        if number % 3:
            page["with"] = ["a", "the The", "東京 x1"]
            page["without"] = ["B  B", "--"]
        pages.append(page)
        for output in outputs:
            output[str(number)] = random_text(source, source.randrange(20))
    ours = []
    for output in outputs:
        gold = [
            Example(p["id"], "", text=p["text"], wanted=tuple(p.get("with", ())),
                unwanted=tuple(p.get("without", ())))
            for p in pages
        ]  # fmt: skip
        ours.append(np.array([Gold(row, cjk).measure(output[row.id]) for row in gold]))
    theirs = [reference.measure(pages, output, cjk) for output in outputs]
    for rows, measured in zip(ours, theirs, strict=True):
        for metric, expected in reference.summarise(pages, measured).items():
            found = score(metric, rows)
            assert found is not None
            assert found.pages == expected["pages"]
            assert (found.precision, found.recall, found.f1) == pytest.approx(
                (expected["precision"], expected["recall"], expected["f1"])
            )
            assert found.interval == pytest.approx(expected["ci"])
            assert found.accuracy == pytest.approx(expected.get("accuracy"))
    for metric, expected in reference.compare(theirs[0], theirs[1]).items():
        change = difference(metric, ours[1], ours[0])
        assert change is not None
        assert change.difference == pytest.approx(expected["difference"])
        assert change.interval == pytest.approx(expected["ci"])
        assert change.not_better == pytest.approx(expected["p_not_better"], abs=2e-3)
