"""What programs may rely on: every decision has a code, and each code says one thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import joeira
from joeira import catalog
from joeira.arrays import Case
from joeira.blockmodel.reasons import Reason, sentence
from joeira.page.visibility import Hidden

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.html"))
METHODS = [entry.name for entry in catalog.entries("content")]
SITE_METHODS = [entry.name for entry in catalog.entries("site") if entry.name != "som"]


def enums(of: type[Case] = Case) -> Iterator[type[Case]]:
    """Yield the enums of cases that the package declares, of all methods."""
    for entry in catalog.METHODS:
        if not entry.needs:
            entry.load()
    for enum in of.__subclasses__():
        if enum.__module__.startswith("joeira."):
            yield enum
            yield from enums(enum)


def test_one_code_has_one_sentence() -> None:
    said: dict[str, set[str]] = {}
    for enum in enums():
        for case in enum if enum is not Hidden else ():
            assert re.fullmatch(r"[a-z][a-z_]*[a-z]", case.code)
            said.setdefault(case.code, set()).add(case.sentence)
    assert {"comment", "in_range", "outside_blocks"} <= set(said)
    assert {code: words for code, words in said.items() if len(words) > 1} == {}


def test_reasons_leave_zero_for_none() -> None:
    assert 0 not in [int(reason) for reason in Reason]
    assert [int(way) for way in Hidden] == list(range(len(Hidden)))


def test_a_language_without_a_sentence_has_the_english_one() -> None:
    for reason in Reason:
        assert sentence(reason) == sentence(reason, "xx") == reason.sentence


def test_the_documentation_lists_the_codes_that_methods_share() -> None:
    text = (ROOT / "docs" / "learned.md").read_text("utf-8")
    table = re.findall(r"^\| `([a-z_]+)`((?:, `[a-z_]+`)*) \|", text, re.MULTILINE)
    codes = [code for first, rest in table for code in (first, *re.findall(r"[a-z_]+", rest))]
    assert codes == [reason.code for reason in Reason]


def contents() -> Iterator[joeira.Content]:
    pages = [joeira.parse(path.read_bytes()) for path in EXAMPLES]
    for name in METHODS:
        for page in pages:
            yield joeira.extract(page, name)
    for name in SITE_METHODS:
        site = joeira.learn_site(pages, name)
        ruled = site.with_rules([joeira.sites.result.Rule("p", "content")])
        for page in pages:
            yield site.extract(page)
            yield ruled.extract(page)


@pytest.fixture(scope="module")
def every_content() -> list[joeira.Content]:
    return list(contents())


def test_every_decision_has_a_code_and_words(every_content: list[joeira.Content]) -> None:
    known = {case.code for enum in enums() for case in enum}
    seen = set()
    for whole in every_content:
        for content in (whole, whole.visible(), whole.without_tables(), whole.comments):
            for block in content.explain():
                assert block.reason == "; ".join(block.parts)
                assert block.to_dict()["code"] == block.code
                assert all(block.parts)
                assert "{" not in block.reason or "{" in block.text
                seen.add(block.code)
    assert seen <= known
    assert {"kept", "dropped", "head", "rule", "in_range", "text_child"} <= seen


def test_a_code_belongs_to_what_was_decided(every_content: list[joeira.Content]) -> None:
    """Of one method, texts with one code are all kept or all dropped, unless a rule decided."""
    kept: dict[tuple[str, str], set[bool]] = {}
    for content in every_content:
        for block in content.explain():
            if block.code != "rule":
                kept.setdefault((content.method, block.code), set()).add(block.kept)
    assert {key for key, decisions in kept.items() if len(decisions) > 1} == set()
