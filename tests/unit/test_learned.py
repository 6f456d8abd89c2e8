"""The learned method with made-up weights: decoding, empty pages, reasons."""

from __future__ import annotations

import numpy as np
import pytest

import joeira
from joeira.blockmodel import columns, explanations, model
from joeira.blockmodel.choosing import Choice, choose
from joeira.blockmodel.columns import FEATURES, NAMES, PAGE_TYPES
from joeira.blockmodel.model import SHARED_DOUBT, BlockModel, Scores, best_expected_f
from joeira.blockmodel.structure import ANCESTOR_TAGS
from joeira.content.learned import Learned
from joeira.errors import BadParameter
from support.learning import made_up_weights, row

MODEL = BlockModel.of(made_up_weights(1))
HTML = row(1).html


@pytest.fixture(autouse=True)
def made_up_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "load", lambda: MODEL)


def test_texts_have_the_scores_of_their_blocks() -> None:
    page = joeira.parse(HTML.replace("Heavy rain", "Heavy <b>rain</b>"))
    matrix = MODEL.features(page)
    chance = MODEL.score(matrix).probability
    keep, _ = best_expected_f(chance, matrix.view.words, Learned().beta, SHARED_DOUBT)
    content = Learned().extract(page)
    number = {int(block): k for k, block in enumerate(matrix.view.chosen)}
    for text, block in enumerate(page.blocks.of_text.tolist()):
        place = number.get(block)
        assert content.scores[text] == (0 if place is None else chance[place])
        assert content.keep[text] == (place is not None and keep[place])


def test_what_a_result_tells() -> None:
    content = Learned(min_content_words=0).extract(joeira.parse(HTML))
    assert content.method == "learned"
    assert content.page_confidence is not None
    assert 0 < content.page_confidence <= 1
    assert content.pagetype is not None
    assert content.pagetype[0] in PAGE_TYPES
    assert content.note == ""


@pytest.mark.parametrize(
    "html, note",
    [
        ("", "no text"),
        ("<script>var page = 'built later'</script>", "no text"),
        ("<title>Loading</title>", "no text"),
        ("<p>Please wait</p>", "too few for a page; perhaps scripts build it"),
        ("<p>x</p>", "too few"),
        ('<p>Our shop</p><div id="root"></div><script src="a.js"></script>', "perhaps scripts"),
        ("<p>You need to enable JavaScript to run this.</p>", "perhaps scripts"),
        ("<p>—</p><p>…</p>", "0 words"),
    ],
)
def test_pages_without_content(html: str, note: str) -> None:
    content = Learned().extract(joeira.parse(html))
    assert not content
    assert not content.keep.any()
    assert note in content.note
    assert content.page_confidence is None
    assert content.pagetype is None


@pytest.mark.parametrize("more, is_kept", [(0, True), (100, False)])
def test_a_short_page_may_be_short_content(more: int, is_kept: bool) -> None:
    """Eight expected words are enough where they are most of the page."""
    matrix = columns.matrix(joeira.parse("<p>" + "short " * 9 + "<p>" + "other " * more))
    chances = np.array([0.9, 0.0])[: matrix.view.size]
    choice = choose(matrix, Scores(chances, dict.fromkeys(PAGE_TYPES, 0.0)), Learned())
    assert choice.keep.any() == is_kept


def test_nothing_is_kept_of_a_page_without_words_whatever_the_floor() -> None:
    assert not Learned(min_content_words=0).extract(joeira.parse("<p>—</p>")).keep.any()


def test_presets_keep_less_and_more() -> None:
    page = joeira.parse(HTML)
    less, usual, more = (
        method.extract(page).keep for method in (Learned.precision(), Learned(), Learned.recall())
    )
    assert (less <= usual).all()
    assert (usual <= more).all()


def choice_of(html: str, **types: float) -> Choice:
    """Return what is kept of a page whose every block is surely content."""
    matrix = columns.matrix(joeira.parse(html))
    scores = Scores(np.full(matrix.view.size, 0.9), dict.fromkeys(PAGE_TYPES, 0.0) | types)
    return choose(matrix, scores, Learned())


REPEATED = "<div><p>A notice of nine words below each and every thing.</p></div>"


@pytest.mark.parametrize("kind", PAGE_TYPES)
def test_copies_are_left_out_but_not_of_documentation(kind: str) -> None:
    choice = choice_of(f"<p>One</p>{REPEATED}<p>Two</p>{REPEATED}<p>Two</p>", **{kind: 0.6})
    assert choice.keep.all()
    assert np.flatnonzero(choice.left_out).tolist() == ([] if kind == "documentation" else [3])


def test_a_copy_says_so() -> None:
    content = Learned(min_content_words=0, beta=1e6).extract(joeira.parse(HTML + 2 * REPEATED))
    last = list(content.explain())[-1]
    assert not last.kept
    assert last.code == "copy"
    assert last.reason.startswith("the same text is kept further up; before: probability")
    assert last.parts[0] == "the same text is kept further up"
    assert last.parts[1].startswith("before: probability")


@pytest.mark.parametrize("beta, floor", [(0, 1), (-1, 1), (1, -1)])
def test_parameters_are_checked(beta: float, floor: float) -> None:
    with pytest.raises(BadParameter):
        Learned(beta=beta, min_content_words=floor)


def test_every_block_has_a_reason() -> None:
    page = joeira.parse(HTML)
    decisions = list(joeira.extract(page, Learned()).explain())
    assert len(decisions) == len(page.blocks)
    for decision in decisions:
        in_head = decision.xpath.startswith("/html/head")
        assert ("document head" in decision.reason) == in_head
        assert in_head or decision.reason.startswith(f"probability {decision.score:.2f}")
        assert decision.code == ("head" if in_head else "kept" if decision.kept else "dropped")
    assert any(":" in decision.reason for decision in decisions)


def test_reasons_are_made_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        pytest.fail("nobody asked")

    monkeypatch.setattr(explanations.BlockExplanations, "parts", never)
    Learned().extract(joeira.parse(HTML)).text()


def test_every_family_with_words_has_features() -> None:
    assert all(explanations._COLUMNS_OF.values())
    families = {feature.family for feature in FEATURES}
    without_words = families - set(explanations._WORDS_FOR)
    assert without_words == {"ancestors", "page"}


@pytest.mark.parametrize("name", [f"in_{tag}" for tag in ANCESTOR_TAGS])
def test_ancestors_tell_the_landmark(name: str) -> None:
    assert FEATURES[NAMES.index(name)].family == "landmark"


@pytest.mark.parametrize("name", ["core40_in", "core60_in", "good3"])
def test_regions_tell_the_container(name: str) -> None:
    assert FEATURES[NAMES.index(name)].family == "container"


def test_the_same_answer_twice() -> None:
    first, again = (Learned().extract(joeira.parse(HTML)) for _ in range(2))
    assert first.scores.tolist() == again.scores.tolist()
    assert np.array_equal(first.keep, again.keep)
    assert [d.reason for d in first.explain()] == [d.reason for d in again.explain()]
