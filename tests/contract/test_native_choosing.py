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
from joeira.blockmodel.choosing import Choice, follow_sections
from joeira.blockmodel.columns import PAGE_TYPES
from joeira.blockmodel.completion import complete
from joeira.blockmodel.model import SHARED_DOUBT, Scores, best_expected_f
from joeira.blockmodel.view import BlockView
from strategies import texts
from support.examples import EXAMPLES

if native_available:
    from joeira._native import choosing as kernel

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")


def both(decide: Any) -> tuple[Any, Any]:
    """Return what kernels and reference say."""
    by_kernel = decide()
    with pytest.MonkeyPatch.context() as patch:
        for module in (choosing, completion, model):
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
    rows = view.page.text_rows[[random.random() < 0.4 for _ in view.page.texts]]
    above, of_twin = both(lambda: choosing.numbers_above(view.page, rows))
    assert above == of_twin


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


ONE = np.ones(1)
FLAG = np.ones(1, bool)
REASON = np.zeros(1, np.int8)
LIMITS = (0.0, 0.0, 0.0)


def test_cases_that_are_not_given() -> None:
    for size, cases in ((np.ones(1), 1), (np.ones(2), 0), (np.ones(2), 17)):
        with pytest.raises(ValueError, match="cases"):
            kernel.best_blocks(np.ones(2), size, 1.0, 0.0, (np.zeros(cases), np.ones(cases)))


@pytest.mark.parametrize(
    "changes",
    [
        {"blocks": (ints(0), ints(0), ONE, np.ones(2))},
        {"blocks": (ints(2), ints(0), ONE, ONE)},
        {"blocks": (ints(-1), ints(0), ONE, ONE)},
        {"blocks": (ints(0), ints(1), ONE, ONE)},
        {"rows": (ints(1, 0), ints(-1, 1), ints(2, 2), ints(1))},
        {"rows": (ints(1, 0), ints(-1), ints(2, 2), ints(1))},
        {"rows": (ints(1, 0), ints(-1, 0), ints(2, 2), ints(2))},
        {"chosen": (FLAG, np.zeros(2, np.int8), ONE)},
    ],
)
def test_sections_of_blocks_that_are_not_there(changes: dict[str, Any]) -> None:
    given = {
        "blocks": (ints(0), ints(0), ONE, ONE),
        "rows": (ints(1, 0), ints(-1, 0), ints(2, 2), ints(1)),
        "chosen": (FLAG, REASON.copy(), ONE),
        "marks": (1, True, 1, 2),
        "limits": LIMITS,
    }
    assert kernel.follow_sections(**given).tolist() == [0]
    with pytest.raises(ValueError, match="blocks that"):
        kernel.follow_sections(**given | changes)


@pytest.mark.parametrize(
    "rows, begins, words",
    [
        (np.array([2]), ints(1), ONE),
        (np.array([-1]), ints(1), ONE),
        (np.array([1, 0]), ints(1), ONE),
        (np.array([0]), ints(1, 0), np.ones(2)),
        (np.array([0]), ints(1), np.ones(2)),
        (np.array([0]), ints(1, 1), np.ones(2)),
    ],
)
def test_wholes_that_are_not_there(rows: Any, begins: Any, words: Any) -> None:
    at = rows.astype(np.int64), ints(2, 2)
    with pytest.raises(ValueError, match="do not fit"):
        kernel.complete_rows((begins, words), at, FLAG.copy(), 0.5)
    with pytest.raises(ValueError, match="do not fit"):
        kernel.complete_parts((begins, words), at, FLAG.copy(), (ONE, FLAG), (0.1, True, 3))


@pytest.mark.parametrize("first, stop", [(0, 3), (-1, 1), (1, 0)])
def test_texts_that_are_not_there(first: int, stop: int) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        kernel.per_text((ints(first), ints(stop)), 2, ONE, (FLAG, REASON, REASON), ONE)
    characters = (np.zeros(2, np.uint32), np.zeros(2, np.uint16), np.array([0, 1], np.int64))
    bounds = (ints(0, first), ints(1, stop))
    with pytest.raises(ValueError, match="do not fit"):
        kernel.repeated_blocks(np.ones(2, bool), np.full(2, 2.0), bounds, characters, 2)


@pytest.mark.parametrize(
    "codes, classes, starts", [(2, 1, [0, 1]), (2, 2, [0, 3]), (2, 2, [-1, 1])]
)
def test_characters_that_are_not_there(codes: int, classes: int, starts: list[int]) -> None:
    characters = (np.zeros(codes, np.uint32), np.zeros(classes, np.uint16), np.array(starts))
    bounds = (ints(0, 0), ints(1, 1))
    with pytest.raises(ValueError, match="do not fit"):
        kernel.repeated_blocks(np.ones(2, bool), np.full(2, 2.0), bounds, characters, 2)
    with pytest.raises(ValueError, match="do not fit"):
        kernel.repeated_blocks(FLAG, np.ones(2), bounds, characters, 2)


def test_rows_that_are_not_of_the_page() -> None:
    tree, numbers = ints(-1, 0, 1), ints(0, 5, 0)
    assert kernel.numbers_above(ints(2), tree, numbers) == {5}
    for rows, parent in ((ints(3), tree), (ints(-1), tree), (ints(2), ints(-1, 2, 1))):
        with pytest.raises(ValueError, match="not of the page"):
            kernel.numbers_above(rows, parent, numbers)
    with pytest.raises(ValueError, match="fit"):
        kernel.numbers_above(ints(2), tree, numbers[:2])


def test_the_calibration_of_logits() -> None:
    known = np.array([[-3.0, -1.0, 0.5, 2.0], [-2.0, -2.0, 0.0, 4.0]])
    block_model = replace(model.load(), calibration=known)
    logits = np.concatenate((np.linspace(-5, 5, 101), known[0]))
    found, wanted = both(lambda: block_model.probabilities(logits))
    assert found.tolist() == wanted.tolist()
    assert len(block_model.probabilities(np.zeros(0))) == 0
    for calibration in (np.zeros((2, 0)), np.zeros((3, 4))):
        with pytest.raises(ValueError, match="calibration"):
            kernel.probabilities(logits, calibration)


def test_a_view_without_blocks() -> None:
    view = BlockView(joeira.parse(""))
    nothing = np.zeros(0, np.int8)
    choice = Choice(np.zeros(0, bool), nothing, nothing, 0.0, 0.0)
    assert choice.per_text(view, np.zeros(0)).kept_words == 0
