"""Each word of a page is either kept or dropped, and every text is where its XPath says."""

from __future__ import annotations

import lxml.html
import numpy as np
import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.arrays import Case
from joeira.content import explanation
from joeira.content.result import Content, ReasonTable
from support.command_line import EXAMPLES as PAGES
from support.examples import EXAMPLES
from support.html import agreed_trees, documents


def solid(text: str) -> str:
    return "".join(text.split())


class Drawn(Case):
    BY_LOT = 0, "drawn"


def decided(page: joeira.Page, keep: list[bool]) -> Content:
    scores = np.zeros(len(keep))
    reasons = ReasonTable(np.zeros(len(keep), np.int8), Drawn, scores)
    return Content(page, np.array(keep, bool), scores, reasons, "drawn")


@EXAMPLES
@given(documents, st.data())
def test_every_word_is_kept_or_dropped_once(html: str, data: st.DataObject) -> None:
    page = joeira.parse(html)
    size = len(page.texts)
    keep = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    content = decided(page, keep)
    for told in (content, content.visible()):
        decisions = list(told.explain())
        texts = zip(page.texts, told.keep, strict=True)
        chosen = {True: "", False: ""}
        for text, kept in texts:
            chosen[bool(kept)] += solid(text)
        for kept, expected in chosen.items():
            assert solid("".join(d.text for d in decisions if d.kept is kept)) == expected


@EXAMPLES
@given(agreed_trees)
def test_every_text_is_found_at_its_xpath(html: str) -> None:
    tree = lxml.html.document_fromstring(html)
    for decision in joeira.extract(html, "all_text").explain():
        (node,) = tree.xpath(decision.xpath)
        assert solid(decision.text) in solid(node.text_content())


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.html")), ids=lambda path: path.stem)
def test_every_kept_text_of_the_examples_is_found_at_its_xpath(path) -> None:
    tree = turbohtml.parse(path.read_bytes(), scripting=True)  # lxml implies no <tbody>
    kept = [decision for decision in joeira.extract(path.read_bytes()).explain() if decision.kept]
    assert kept
    for decision in kept:
        (node,) = tree.xpath(decision.xpath)
        assert solid(decision.text) in solid(node.text)


def test_blocks_beyond_the_limit_are_one_decision_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    page = joeira.parse("".join(f"<p>word{number}" for number in range(9)))
    content = decided(page, [number % 2 == 0 for number in range(9)])
    in_full, blocks = list(content.explain()), content.blocks()
    monkeypatch.setattr(explanation, "MAX_EXPLAINED", 4)
    *first, kept, dropped = content.explain()
    assert first == in_full[:4]
    assert (kept.kept, kept.text, kept.xpath) == (True, "word4\nword6\nword8", "/html/body/p[5]")
    assert kept.reason == "3 more blocks, too many to explain individually"
    assert (dropped.kept, dropped.text) == (False, "word5\nword7")
    assert dropped.to_dict()["score"] is None
    assert dropped.code == "unexplained"
    assert content.blocks() == blocks == [f"word{number}" for number in range(0, 9, 2)]
    report = content.report()
    assert "the last 5 blocks of the page" in report
    assert "All 9 blocks as a list" in report
    assert "5 of 9 words, 5 blocks" in report
    assert "word8" in report  # it was kept
    assert "word7" not in report.partition("<details>")[0]
