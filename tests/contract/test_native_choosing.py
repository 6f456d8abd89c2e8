"""The kernels that choose blocks say what the numpy code beside them says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira._native import native_available
from joeira.blockmodel import choosing, columns, completion, model
from joeira.blockmodel.choosing import Choice, choose, follow_sections
from joeira.blockmodel.columns import PAGE_TYPES
from joeira.blockmodel.completion import complete
from joeira.blockmodel.model import SHARED_DOUBT, Scores, best_expected_f
from joeira.blockmodel.view import BlockView
from joeira.content.learned import Learned
from joeira.page import comments, tags
from strategies import texts
from support.examples import EXAMPLES

if native_available:
    from joeira._native import choosing as kernel

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")


def both(decide: Any) -> tuple[Any, Any]:
    """Return what kernels and reference say."""
    by_kernel = decide()
    with pytest.MonkeyPatch.context() as patch:
        for module in (choosing, comments, completion, model, tags):
            patch.setattr(module, "native_available", False)
        return by_kernel, decide()


chances = st.sampled_from((0.0, 1e-9, 0.2, 0.3, 0.5, 0.7, 0.999, 1.0)) | st.floats(0, 1)


@EXAMPLES
@given(
    st.lists(st.tuples(chances, st.integers(0, 50)), max_size=40),
    st.sampled_from((0.5, 0.9, 1.0, 2.0)),
    st.sampled_from((0.0, SHARED_DOUBT)),
)
def test_the_best_blocks(items: list[tuple[float, int]], beta: float, doubt: float) -> None:
    probability, size = np.array(items, np.float64).reshape(-1, 2).T.copy()
    (keep, most), (twin, most_of_twin) = both(
        lambda: best_expected_f(probability, size, beta, doubt)
    )
    assert most == pytest.approx(most_of_twin, rel=1e-12)
    if keep.tolist() != twin.tolist():  # two sets are equally good, but for the last digits
        order = (-probability).argsort(kind="stable")
        assert keep.take(order).tolist() == sorted(keep.tolist(), reverse=True)


def test_equal_chances_are_taken_in_order() -> None:
    chance = np.array([0.1, 0.9, 0.5, 0.9, 0.5, 0.1, -0.0, 0.0, 0.9])
    for best in range(1, len(chance)):
        size = np.zeros(len(chance))
        order = (-chance).argsort(kind="stable")
        size[order[:best]] = 1
        keep, _ = best_expected_f(chance, size, 10.0)
        assert keep.take(order).tolist() == sorted(keep.tolist(), reverse=True)


STEPS = [7 * number % 300 for number in range(300)]


@pytest.mark.parametrize("places", [range(300), range(300, 0, -1), STEPS])
@pytest.mark.parametrize("low, high", [(0.3, 0.3001), (0.7, 0.7001), (0.0, 1e-9), (0.0, 1.0)])
def test_many_chances_are_taken_in_order(places: Any, low: float, high: float) -> None:
    chance = low + (high - low) * np.array(places) / 300
    chance[::50] = chance[10]
    order = (-chance).argsort(kind="stable")
    for best in (1, 10, 150):
        size = np.zeros(len(chance))
        size[order[:best]] = 1
        keep, _ = best_expected_f(chance, size, 10.0)
        assert keep.take(order).tolist() == sorted(keep.tolist(), reverse=True)


parts = st.recursive(
    texts,
    lambda inner: st.builds(
        "<{0} class={0}>{1}</{0}>".format,
        st.sampled_from(
            "div section p li h1 h2 h3 h4 span a b button code pre table tr td math".split()
        ),
        st.lists(inner, max_size=5).map("".join),
    ),
    max_leaves=40,
)
table = st.lists(st.lists(texts, min_size=1, max_size=3), max_size=4).map(
    lambda rows: (
        "<table>"
        + "".join("<tr>" + "".join(f"<td>{cell}" for cell in row) for row in rows)
        + "</table>"
    )
)


@EXAMPLES
@given(st.lists(parts | table, max_size=8).map("".join), st.randoms(use_true_random=False))
def test_blocks_of_pages(html: str, random: Any) -> None:
    matrix = columns.matrix(joeira.parse(html))
    view, size = matrix.view, matrix.view.size
    probability = np.array([random.choice((0.05, 0.3, 0.6, 0.9)) for _ in range(size)])
    keep = np.array([random.random() < 0.4 for _ in range(size)], bool)
    left_out = np.array([random.choice((0, 0, 0, 4)) for _ in range(size)], np.int8)
    kind = random.choice(PAGE_TYPES)
    scores = Scores(probability, dict.fromkeys(PAGE_TYPES, 0.0) | {kind: 0.9})

    def decide() -> list[Any]:
        kept, out = keep.copy(), left_out.copy()
        complete(view, kept, probability)
        taken_in = follow_sections(view, kept, out, scores)
        choice = Choice(kept, out, taken_in, 0.5, 1.0)
        told = choice.per_text(view, probability)
        revision = None if told.revision is None else told.revision.tolist()
        arrays = (kept, out, taken_in, told.keep, told.probability)
        return [told.kept_words, revision, *(array.tolist() for array in arrays)]

    found, wanted = both(decide)
    assert found == wanted
    repeated, of_twin = both(lambda: choosing.repeated_blocks(matrix, keep))
    assert repeated == of_twin
    blocks = [block for block in range(size) if random.random() < 0.4]
    names = view.page.classes[1]
    with pytest.MonkeyPatch.context() as patch:
        hides = {name for name in names if random.random() < 0.2}
        patch.setattr(choosing, "_is_hiding", hides.__contains__)
        hidden, of_twin = both(lambda: choosing.hidden_blocks(view, blocks))
    assert hidden == of_twin
    groups = [blocks[start : start + 3] for start in range(0, len(blocks), 3)]
    elsewhere, of_twin = both(lambda: choosing._elsewhere(view, groups, 1))
    assert elsewhere == of_twin


kinds = st.sampled_from(PAGE_TYPES)
named = st.sampled_from("comments comment-list Reviews signature hidden sr-only x".split())
said = st.recursive(
    texts,
    lambda inner: st.builds(
        '<{0} class="{1}" id="{2}">{3}</{0}>'.format,
        st.sampled_from("div section p li h1 h2 button form table".split()),
        named,
        named,
        st.lists(inner, max_size=5).map("".join),
    ),
    max_leaves=40,
)


@EXAMPLES
@given(st.lists(said, max_size=8).map("".join), kinds, st.randoms(use_true_random=False))
def test_choices_of_pages(html: str, kind: str, random: Any) -> None:
    words = random.choice((0.0, 3.0, 50.0))
    wanted = Learned(min_content_words=0.0, min_article_words=words, min_copy_words=1.0)
    chance = random.choice((1.0, 0.9, 0.5))
    types = dict.fromkeys(PAGE_TYPES, (1 - chance) / (len(PAGE_TYPES) - 1)) | {kind: chance}
    seed = random.random()

    def decide() -> list[Any]:
        matrix = columns.matrix(joeira.parse(html))
        random.seed(seed)
        probability = np.array(
            [random.choice((0.05, 0.31, 0.62, 0.93)) for _ in range(matrix.view.size)]
        )
        choice = choose(matrix, Scores(probability, types), wanted)
        assert choice.content_words == pytest.approx((probability * matrix.view.words).sum())
        chosen = choice.keep, choice.left_out, choice.taken_in
        named = (comments.named_comments, comments.named_reviews, comments.named_signatures)
        asides = [each(matrix.view.page) for each in named]
        return [
            *(array.tolist() for array in chosen),
            *(None if aside is None else aside.tolist() for aside in asides),
        ]

    found, wanted_choice = both(decide)
    assert found == wanted_choice


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


ONE = np.ones(1)
FLAG = np.ones(1, bool)
REASON = np.zeros(1, np.int8)
LIMITS = (0.0, 0.0, 0.0)
BLOCKS = (ints(0), ints(0), ints(1), ONE, ONE)
ROWS = (ints(1, 0), ints(-1, 0), ints(2, 2), ints(1))


def test_cases_that_are_not_given() -> None:
    for cases in (0, 17):
        with pytest.raises(ValueError, match="cases"):
            kernel.best_blocks(np.ones(2), np.ones(2), 1.0, 0.0, (np.zeros(cases), np.ones(cases)))
    with pytest.raises(ValueError, match="cases"):
        kernel.best_blocks(np.ones(2), np.ones(2), 1.0, 0.0, (np.zeros(2), np.ones(1)))
    for size in (np.ones(1), np.ones(2, np.float32), np.ones(4)[::2], np.ones((2, 1))):
        with pytest.raises(ValueError, match=r"fit|contiguous"):
            kernel.best_blocks(np.ones(2), size, 1.0, 0.0, (np.zeros(1), np.ones(1)))


@pytest.mark.parametrize(
    "blocks, rows",
    [
        ((ints(0), ints(0), ints(1), ONE, np.ones(2)), ROWS),
        ((ints(0), ints(0), ints(1), ONE, ints(1)), ROWS),
        ((ints(2), ints(0), ints(1), ONE, ONE), ROWS),
        ((ints(-1), ints(0), ints(1), ONE, ONE), ROWS),
        ((ints(0), ints(1), ints(2), ONE, ONE), ROWS),
        ((ints(0), ints(-1), ints(1), ONE, ONE), ROWS),
        ((ints(0), ints(0), ints(3), ONE, ONE), ROWS),
        ((ints(0), ints(0), ints(0), ONE, ONE), ROWS),
        (BLOCKS, (ints(1, 0), ints(-1, 1), ints(2, 2), ints(1))),
        (BLOCKS, (ints(1, 0), ints(-1), ints(2, 2), ints(1))),
        (BLOCKS, (ints(1, 0), ints(-1, 0), ints(2, 3), ints(1))),
        (BLOCKS, (ints(1, 0), ints(-1, 0), ints(0, 2), ints(1))),
        (BLOCKS, (ints(1, 0), ints(-1, 0), ints(2, 2), ints(2))),
        (BLOCKS, (ints(1, 0), ints(-1, 0), ints(2, 2), ints(1, 0))),
    ],
)
def test_blocks_that_are_not_of_the_page(blocks: Any, rows: Any) -> None:
    kernel.Choosing(BLOCKS, ROWS)
    with pytest.raises(ValueError, match="blocks that"):
        kernel.Choosing(blocks, rows)


def test_choices_that_are_not_of_the_blocks() -> None:
    step, two = kernel.Choosing(BLOCKS, ROWS), np.ones(2)
    marks = (1, True, 1, 2)
    assert step.follow_sections(FLAG, REASON.copy(), ONE, marks, LIMITS).tolist() == [0]
    flags, reasons = np.ones(2, bool), np.zeros(2, np.int8)
    with pytest.raises(ValueError, match="fit"):
        step.best(two, 1.0, 0.0, (np.zeros(1), ONE))
    for chosen in ((flags, REASON, ONE), (FLAG, reasons, ONE), (FLAG, REASON, two)):
        with pytest.raises(ValueError, match="fit"):
            step.follow_sections(*chosen, marks, LIMITS)
    for keep, left_out in ((flags, REASON), (FLAG, reasons)):
        with pytest.raises(ValueError, match="fit"):
            step.leave_out_tag(keep, left_out, 1, 1)
        with pytest.raises(ValueError, match="fit"):
            step.leave_out_asides(keep, left_out, FLAG, 1.0, 1)
        with pytest.raises(ValueError, match="fit"):
            step.per_text(keep, left_out, REASON, ONE)
    with pytest.raises(ValueError, match="fit"):
        step.leave_out_asides(FLAG, REASON.copy(), flags, 1.0, 1)
    for taken_in, chance in ((reasons, ONE), (REASON, two)):
        with pytest.raises(ValueError, match="fit"):
            step.per_text(FLAG, REASON, taken_in, chance)
    for block in (-1, 1):
        with pytest.raises(ValueError, match="not of the page"):
            step.elsewhere([[block]], 1.0)
        with pytest.raises(ValueError, match="not of the page"):
            step.hidden([block], ints(0, 0), ("", "a"), bool)
    with pytest.raises(ValueError, match="fit"):
        step.hidden([0], ints(0), ("", "a"), bool)
    for number in (-1, 2):
        with pytest.raises(ValueError, match="classes"):
            step.hidden([0], ints(number, 0), ("", "a"), bool)


@pytest.mark.parametrize("rows", [[2], [-1], [1, 0], [0, 0]])
def test_wholes_that_are_not_there(rows: list[int]) -> None:
    step, at = kernel.Choosing(BLOCKS, ROWS), np.array(rows, np.int64)
    below = kernel.Below(*(ROWS[place] for place in (0, 2, 3)))
    characters = (np.zeros(2, np.uint16), np.zeros(1, np.int64))
    for ask in (
        lambda: step.complete_rows(at, 1, FLAG.copy(), 0.5),
        lambda: step.complete_parts(at, FLAG.copy(), ONE, 1, (0.1, True, 3)),
        lambda: below.texts_below(at),
        lambda: below.with_words(at, np.zeros(2, bool), characters, 1),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            ask()


@pytest.mark.parametrize(
    "codes, classes, starts", [(2, 1, [0]), (2, 2, [3]), (2, 2, [-1]), (2, 2, [0, 1])]
)
def test_characters_that_are_not_there(codes: int, classes: int, starts: list[int]) -> None:
    blocks = (ints(0, 0), ints(0, 1), ints(1, 2), np.ones(2), np.ones(2))
    rows = (ints(1, 0, 0), ints(-1, 0, 0), ints(3, 2, 3), ints(1, 2))
    step = kernel.Choosing(blocks, rows)
    starts = starts * 2 if len(starts) == 1 else starts[:1]
    characters = (
        np.zeros(codes, np.uint32),
        np.zeros(classes, np.uint16),
        np.array(starts, np.int64),
    )
    with pytest.raises(ValueError, match="fit"):
        step.repeated_blocks(np.ones(2, bool), np.full(2, 2.0), characters, 2)
    if codes == classes:
        below = kernel.Below(rows[0], rows[2], rows[3])
        with pytest.raises(ValueError, match="fit"):
            below.with_words(np.zeros(1, np.int64), np.zeros(2, bool), characters[1:], 1)


def test_names_that_are_not_there() -> None:
    numbers = ints(0, 2, 1, 2)
    assert kernel.rows_numbered((numbers, 3, [2]), (ints(0, 0, 0, 1), 2, [1])).tolist() == [1, 3]
    for wanted in (-1, 3):
        with pytest.raises(ValueError, match="numbers"):
            kernel.rows_numbered((numbers, 3, [wanted]))
    for wrong in (ints(3), ints(-1)):
        with pytest.raises(ValueError, match="numbers"):
            kernel.rows_numbered((wrong, 3, [1]))
    with pytest.raises(ValueError, match="fit"):
        kernel.rows_numbered((numbers, 3, [2]), (numbers[:2], 3, [2]))
    below = kernel.Below(ints(1, 0), ints(2, 2), ints(1))
    characters = (np.zeros(2, np.uint16), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="tags"):
        below.with_words(np.zeros(1, np.int64), np.zeros(1, bool), characters, 1)
    for end, text_row in ((ints(2, 1), ints(1)), (ints(2, 3), ints(1)), (ints(2, 2), ints(2))):
        with pytest.raises(ValueError, match="do not fit"):
            kernel.Below(ints(1, 0), end, text_row)


def test_the_calibration_of_logits() -> None:
    known = np.array([[-3.0, -1.0, 0.5, 2.0], [-2.0, -2.0, 0.0, 4.0]])
    block_model = replace(model.load(), calibration=known)
    logits = np.concatenate((np.linspace(-5, 5, 101), known[0]))
    found, wanted = both(lambda: block_model.probabilities(logits))
    assert found.tolist() == wanted.tolist()
    assert len(block_model.probabilities(np.zeros(0))) == 0


def test_a_view_without_blocks() -> None:
    view = BlockView(joeira.parse(""))
    nothing = np.zeros(0, np.int8)
    choice = Choice(np.zeros(0, bool), nothing, nothing, 0.0, 0.0)
    assert choice.per_text(view, np.zeros(0)).kept_words == 0
