"""The worked example of the two extractors, and the features that may be looked for."""

from __future__ import annotations

import numpy as np
import pytest

import joeira
from joeira.content import FeatureExtractor, KFeatureExtractor
from joeira.content.feature_extractor import FEATURES, Feature

PAGE = (
    f"<title>{'t' * 900}</title><div>{'a' * 80}<img></div>"
    f"<div>{'b' * 20}<a href=x>{'l' * 60}</a></div>"
    f"<div>{'c' * 400}<a href=y>{'l' * 100}</a></div><div>{'<img>' * 9}</div>"
)


@pytest.mark.parametrize("method", [FeatureExtractor(), KFeatureExtractor()])
def test_the_worked_example(method: FeatureExtractor) -> None:
    content = method.extract(joeira.parse(PAGE))
    assert content.blocks() == [f"{'c' * 400}{'l' * 100}"]
    a, b, c = (block for block in content.explain() if block.code != "outside_blocks")
    assert [round(block.score, 3) for block in (a, b, c)] == [0.167, 0, 0.833]
    assert a.reason == "in a block of text that has only 16.7% of it"
    assert b.reason == "in a block of which text is 10%, not more than 50%"
    assert c.reason == "in a block of text that has 83.3% of it"


def test_clusters_keep_the_blocks_that_are_about_as_long() -> None:
    sizes = (400, 10, 380, 12, 390, 100)
    letters = zip("abcdef", sizes, strict=True)
    page = joeira.parse("".join(f"<p>{letter * size}</p>" for letter, size in letters))
    assert [text[0] for text in FeatureExtractor().extract(page).blocks()] == ["a"]
    assert [text[0] for text in KFeatureExtractor().extract(page).blocks()] == ["a", "c", "e"]
    one = KFeatureExtractor(clusters=1).extract(page)
    assert len(one.blocks()) == len(sizes)


HOLDERS: dict[Feature, str] = {
    "text": "<p>words</p>",
    "linked_text": "<p><a href=x>words</a></p>",
    "images": "<p>w<img><img></p>",
    "items": "<ul>w<li><li></ul>",
    "cells": "<table><tr><td>w<td></table>",
    "fields": "<p>w<input><input></p>",
    "embedded": "<p>w<embed><embed></p>",
}


@pytest.mark.parametrize("desired", FEATURES)
def test_any_feature_may_be_looked_for(desired: Feature) -> None:
    holders = [*HOLDERS.values(), f"<p>{'x' * 200}</p>"]
    page = joeira.parse("".join(f"<div>{holder}</div>" for holder in holders))
    content = FeatureExtractor(tags=("div",), desired=desired).extract(page)
    expected = FEATURES.index(desired) if desired != "text" else len(HOLDERS)
    assert np.flatnonzero(content.keep).tolist() == [expected]


def test_a_page_of_links_has_no_block_of_text() -> None:
    content = FeatureExtractor().extract(joeira.parse("<p><a href=x>Home</a></p>"))
    assert content.status == "empty"
    assert content.reason == "no block is dominated by text"
