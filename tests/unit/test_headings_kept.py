"""Headings ride with what they head."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import joeira
from joeira.blockmodel import columns
from joeira.blockmodel.choosing import choose, section_ends
from joeira.blockmodel.columns import PAGE_TYPES
from joeira.blockmodel.model import Scores
from joeira.blockmodel.reasons import Reason
from joeira.blockmodel.view import BlockView
from joeira.content.learned import Learned
from joeira.content.result import revise
from joeira.page import tags
from support.examples import EXAMPLES
from support.html import documents

TEXT = "<p>" + "text " * 30 + "</p>"
OTHER = "<p class=x>" + "other " * 30 + "</p>"


def heading_cases(html: str, chance: float, kind: str = "article") -> list[str]:
    """Return what becomes of each heading that is as likely, where only `TEXT` is content.

    Headings that say so are surely content.
    """
    matrix = columns.matrix(joeira.parse(html))
    view = matrix.view
    texts = [view.page.block_texts[block] for block in view.chosen]
    sure = np.array([0.99 if text.startswith(("text", "surely")) else 0.01 for text in texts])
    chances = np.where(view.is_heading, np.maximum(sure, chance), sure)
    scores = Scores(chances, dict.fromkeys(PAGE_TYPES, 0.0) | {kind: 1.0})
    choice = choose(matrix, scores, Learned(min_copy_words=99))
    revision = np.maximum(choice.left_out, choice.taken_in)
    return [
        Reason(revision[block]).code if revision[block] else "kept" if choice.keep[block] else "-"
        for block in np.flatnonzero(view.is_heading)
    ]


@pytest.mark.parametrize(
    "html, chance, cases",
    [
        (f"{TEXT}<h2>a</h2>{TEXT}", 0.3, ["heads_kept"]),
        (f"{TEXT}<h2>a</h2>{OTHER}", 0.3, ["-"]),
        (f"{TEXT}<h2>a</h2>{OTHER}{TEXT}", 0.3, ["heads_kept"]),
        (f"{TEXT}<h2>a</h2>{TEXT}", 0.1, ["-"]),  # surely no part of the text
        (f"{TEXT}<h2><a href=x>a</a></h2>{TEXT}", 0.3, ["-"]),  # leads away
        (f"{TEXT}<h2>a</h2><h3>b</h3>{TEXT}<h2>c</h2>{OTHER}", 0.3, ["heads_kept"] * 2 + ["-"]),
        (f"{TEXT}<aside><h2>a</h2>{OTHER}</aside>{TEXT}", 0.3, ["-"]),
        (f"{TEXT}<div><h2>a</h2></div>{TEXT}", 0.3, ["heads_kept"]),
        # Cards without a text of their own, between kept texts of one section.
        (f"<h1>t</h1>{TEXT}<h2>a</h2>{TEXT}<h3>b</h3><h3>c</h3><h4>d</h4>{TEXT}", 0.3, None),
        # Titles are for others to decide.
        (f"<h1>a</h1>{TEXT}", 0.3, ["-"]),
        (f"<h2>a</h2>{TEXT}", 0.3, ["heads_kept"]),
        (f"<h2>a</h2>{OTHER}{TEXT}", 0.3, ["-"]),
        (f"<h1>a</h1><h2>b</h2>{TEXT}", 0.3, ["-", "heads_kept"]),
    ],
)
def test_what_becomes_of_headings(html: str, chance: float, cases: list[str] | None) -> None:
    found = heading_cases(html, chance)
    if cases is None:
        assert found == ["-", *["heads_kept"] * 4]
    else:
        assert found == cases


def test_a_heading_of_nothing_goes_unless_it_is_content_by_itself() -> None:
    many = "".join(f"<h3>{name} name</h3>{OTHER}" for name in "abc")
    page = f"{TEXT}{many}"
    low = Learned(beta=9, min_copy_words=99)
    for chance, code in ((0.39, "heads_nothing"), (0.41, "kept")):
        matrix = columns.matrix(joeira.parse(page))
        sure = np.where(matrix.view.number == 0, 0.99, 0.01)
        chances = np.where(matrix.view.is_heading, chance, sure)
        types = dict.fromkeys(PAGE_TYPES, 0.0) | {"article": 1.0}
        choice = choose(matrix, Scores(chances, types), low)
        heads = np.flatnonzero(matrix.view.is_heading)
        assert choice.keep[heads].all()
        codes = {Reason(code).code if code else "kept" for code in choice.left_out[heads]}
        assert codes == {code}


def test_headings_under_a_heading_without_a_text() -> None:
    cards = "<h3>a</h3><h3>b</h3>"
    html = f"<h1>surely</h1>{TEXT}<h2>surely</h2>{cards}<h2>c</h2>{cards}<h2>surely</h2>{TEXT}"
    assert heading_cases(html, 0.3) == [*["kept"] * 2, *["heads_kept"] * 3, "-", "-", "kept"]


def test_forums_have_other_headings() -> None:
    assert heading_cases(f"{TEXT}<h2>a</h2>{TEXT}", 0.3, "forum") == ["-"]


def test_headings_say_why() -> None:
    content = joeira.extract(f"<h1>t</h1>{TEXT}<h2>a</h2>{TEXT}<h2>b</h2>{OTHER}")
    cases = np.array([0, 0, Reason.HEADS_KEPT, 0, Reason.HEADS_NOTHING, 0])
    keep = np.array([True, True, True, True, False, True])
    said = {block.text: block for block in revise(content, keep, cases).explain()}
    assert said["a"].code == "heads_kept"
    assert said["a"].reason.startswith("the heading of a kept section; before: probability")
    assert said["b"].code == "heads_nothing"
    assert said["b"].reason.startswith("the heading of a dropped section; before: probability")


@EXAMPLES
@given(documents)
def test_sections_against_a_slow_twin(html: str) -> None:
    """A section ends with the next heading as high, or with what holds heading and next text."""
    page = joeira.parse(html)
    view = BlockView(page)
    headings = view.is_heading.nonzero()[0]
    if not len(headings):
        return
    level = page.tag.take(view.owner.take(headings)).astype(np.int64) - tags.NUMBER["h1"]
    begins = page.text_rows[view.text_bounds[0]].tolist()
    for heading, own, stop in zip(
        headings.tolist(), level.tolist(), section_ends(view, headings, level).tolist(), strict=True
    ):
        expected = heading + 1
        if expected < view.size:
            holder = int(page.parent[begins[heading]])
            while page.end[holder] <= begins[heading + 1]:
                holder = int(page.parent[holder])
            while (
                expected < view.size
                and begins[expected] < page.end[holder]
                and not any(
                    h == expected and o <= own for h, o in zip(headings, level, strict=True)
                )
            ):
                expected += 1
        assert stop == expected
