"""Content: a mask over the texts of a page that can say why."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import joeira
from joeira.arrays import Case
from joeira.content.result import Content, ReasonTable
from joeira.errors import UsageError
from joeira.page import Page

HTML = "<p>a <b>b</b> c</p><p hidden>d</p>"


class Length(Case):
    SHORT = 0, "too short"
    LONG = 1, "long enough: {score:.2f}"


def content(page: Page, keep: list[bool], note: str = "") -> Content:
    scores = np.arange(len(keep)) / 4
    cases = np.array(keep, np.int8)
    reasons = ReasonTable(cases, Length, scores)
    return Content(page, np.array(keep, bool), scores, reasons, "sample", note=note)


def test_explanations_are_per_block() -> None:
    found = list(content(joeira.parse(HTML), [True, True, True, False]).explain())
    assert [(block.kept, block.text) for block in found] == [(True, "a b c"), (False, "d")]
    assert [block.score for block in found] == [0, 0.75]
    assert [block.reason for block in found] == ["long enough: 0.00", "too short"]
    assert [block.code for block in found] == ["long", "short"]
    assert [block.xpath for block in found] == ["/html/body/p[1]", "/html/body/p[2]"]
    assert [block.hidden for block in found] == ["", "hidden attribute"]
    assert [block.position for block in found] == [(1, 0), (1, 19)]


def test_a_block_kept_in_part_is_told_in_parts() -> None:
    kept_in_part = content(joeira.parse(HTML), [True, False, True, True])
    found = [(block.kept, block.text) for block in kept_in_part.explain()]
    assert found == [(True, "a"), (False, "b"), (True, "c"), (True, "d")]
    assert kept_in_part.blocks() == ["a", "c", "d"]


def test_nothing_to_explain() -> None:
    empty = content(joeira.parse(""), [])
    assert list(empty.explain()) == []
    assert empty.blocks() == []


@pytest.mark.parametrize(
    "keep, note, status, reason",
    [
        ([True] * 4, "", "ok", ""),
        ([True] * 4, "comments cut", "ok", "comments cut"),
        ([False] * 4, "", "empty", "no text looked like content"),
        ([False] * 4, "a menu", "empty", "a menu"),
    ],
)
def test_status_and_reason(keep: list[bool], note: str, status: str, reason: str) -> None:
    result = content(joeira.parse(HTML), keep, note)
    assert bool(result) is any(keep)
    assert (result.status, result.reason) == (status, reason)


def test_status_of_pages_without_text_and_of_cut_pages() -> None:
    empty = content(joeira.parse("<img>"), [])
    assert (empty.status, empty.reason) == ("empty", "the page has no text")
    cut = content(joeira.parse(HTML, max_bytes=4), [True])
    assert (cut.status, cut.reason) == ("cut", "input cut at 4 characters")
    lost = content(joeira.parse(HTML, max_bytes=4), [False])
    assert (lost.status, lost.reason) == ("empty", "input cut at 4 characters")


def test_results_are_frozen() -> None:
    result = content(joeira.parse(HTML), [True] * 4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.method = "other"  # type: ignore[misc]  # what is tested
    with pytest.raises(ValueError, match="read-only"):
        result.keep[0] = False
    with pytest.raises(ValueError, match="read-only"):
        result.scores[0] = 1


def test_a_result_has_one_value_per_text() -> None:
    with pytest.raises(UsageError, match="one value per text"):
        content(joeira.parse(HTML), [True])


def test_description() -> None:
    result = content(joeira.parse(HTML), [True, True, False, False])
    assert repr(result) == "<Content by sample: 2 of 4 texts>"
