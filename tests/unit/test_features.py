"""The table of features: its form, and values worked by hand on a tiny page."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import log, log1p
from typing import get_args

import numpy as np
import pytest

import joeira
from joeira.blockmodel import columns
from joeira.blockmodel.columns import FEATURES, GROUPS, NAMES, PAGE_TYPES, PLAIN, Knowledge
from joeira.blockmodel.lexicon import SPACES
from joeira.models import Feature, Scale
from joeira.records.learned import features as of_lists
from joeira.segments.learned import features as of_segments
from support.learning import LISTED, made_up_knowledge

KNOWN = made_up_knowledge()
TINY = """<html><head><title>Rain floods town</title>
</head><body>
<nav><a href=1>Home</a></nav>
<article class="post"><h1>Rain floods town</h1>
<p>Heavy rain, $5 <a href=2>more</a> fell on 12 May.</p></article>
<footer hidden>© Ana</footer></body></html>"""
NAV, HEADING, PARAGRAPH, FOOTER = range(4)
WORDS = 1 + 3 + 8 + 1
PAGES = {
    "empty": "",
    "blank": " \n ",
    "only a title": "<title>Only a title</title>",
    "only a script": "<script>var a = '<p>text</p>'</script>",
    "no word": "<p>—</p><p>…</p>",
    "one word": "x",
    "tiny": TINY,
    "deep": "<div>" * 600 + "Some text. " * 20,
    "frameset": "<frameset><frame src=x></frameset>",
    "lone surrogate": "<p class='\ud800'>\ud800 text",
    "unspaced": "<p>" + "漢字" * 500 + "</p>",
    "own tags": "<x-a class='a b'><x-b>one</x-b><x-b>two</x-b></x-a>" * 5,
    "trailing space": "<p>Text.      </p><p>  .  </p>",
}


def values(html: str, name: str) -> list[float]:
    column = columns.matrix(joeira.parse(html)).values[:, NAMES.index(name)]
    return column.astype(float).tolist()


# Form -----------------------------------------------------------------------------------------


def test_names_are_unique() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert len(NAMES) == sum(map(len, GROUPS.values()))


@pytest.mark.parametrize("features", [FEATURES, of_segments.FEATURES, of_lists.FEATURES])
def test_every_feature_says_what_it_is(features: tuple[Feature, ...]) -> None:
    for feature in features:
        assert len(feature.about.split()) >= 3, feature
        assert feature.about == feature.about.strip()
        assert feature.name == feature.name.lower()
        assert feature.scale in get_args(Scale)
        assert not feature.about.startswith("log of"), "that is what the scale tells"
    families = Counter(feature.family for feature in features)
    alone = {family for family, count in families.items() if count == 1}
    assert alone <= {"copies"}, "is it misspelt?"


def test_a_logarithm_can_be_undone() -> None:
    scales: tuple[Scale, ...] = ("log1p", "log", "share", "plain")
    features = {scale: Feature("x", "x", "x", scale) for scale in scales}
    assert features["log1p"].quantity(log1p(41)) == pytest.approx(41)
    assert features["log"].quantity(log(41)) == pytest.approx(41)
    assert features["share"].quantity(0.25) == features["plain"].quantity(0.25) == 0.25


def test_features_that_need_tables_come_last() -> None:
    assert list(GROUPS)[-2:] == ["lexicon", "types"]
    assert len(NAMES) == PLAIN + len(GROUPS["lexicon"]) + len(PAGE_TYPES)
    assert {feature.scale for feature in GROUPS["lexicon"]} == {"odds"}
    assert "odds" not in {feature.scale for feature in FEATURES[:PLAIN]}


def test_every_block_has_the_types_of_its_page() -> None:
    matrix = columns.matrix(joeira.parse(TINY), KNOWN)
    assert matrix.values[:, -len(PAGE_TYPES) :].tolist() == [matrix.types.tolist()] * 4
    assert matrix.listed == pytest.approx(LISTED)


def test_words_of_the_description() -> None:
    html = (
        "<meta name=description content='A small lamp of blue glass'><p>Blue lamp</p>"
        "<p>Menu</p><p>A small lamp of blue glass, made by hand</p>"
    )
    values = columns.matrix(joeira.parse(html)).values
    share, cover = (values[:, NAMES.index(f"told_{name}")] for name in ("share", "cover"))
    assert share.tolist() == pytest.approx([1, 0, 6 / 9])
    assert cover.tolist() == pytest.approx([2 / 6, 0, 1])


def test_a_short_description_says_nothing() -> None:
    html = "<meta name=description content='A lamp'><p>A lamp</p>"
    assert not columns.matrix(joeira.parse(html)).values[:, NAMES.index("told_cover")].any()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("known", [None, KNOWN], ids=["plain", "tables"])
def test_form(name: str, known: Knowledge | None) -> None:
    matrix = columns.matrix(joeira.parse(PAGES[name]), known)
    width = PLAIN if known is None else len(NAMES)
    assert matrix.values.shape == (matrix.view.size, width)
    assert matrix.values.dtype == np.float32
    assert np.isfinite(matrix.values).all()


def test_tables_change_no_plain_column() -> None:
    page = joeira.parse(TINY)
    with_tables, plain = columns.matrix(page, KNOWN), columns.matrix(page)
    assert with_tables.values[:, :PLAIN].tolist() == plain.values.tolist()


def test_empty_tables_say_nothing() -> None:
    nothing = {space: np.zeros(1 << bits, np.int8) for space, bits in SPACES.items()}
    matrix = columns.matrix(joeira.parse(TINY), replace(KNOWN, tables=nothing))
    assert not matrix.values[:, PLAIN : PLAIN + len(GROUPS["lexicon"])].any()


# Values of the tiny page ------------------------------------------------------------------------

BY_HAND = {
    "words": [log1p(1), log1p(3), log1p(8), log1p(1)],
    "link_density": [1, 0, 1 / 8, 0],
    "sentences": [0, 0, log1p(1), 0],
    "commas": [0, 0, log1p(1), 0],
    "separators": [0, 0, 0, 1 / 4],
    "ends_sentence": [0, 0, 1, 0],
    "word_position": [0.5 / WORDS, 2.5 / WORDS, 8 / WORDS, 12.5 / WORDS],
    "from_end": [log1p(4), log1p(3), log1p(2), log1p(1)],
    "copies": [log1p(1)] * 4,
    "title_cover": [0, 1, 1 / 3, 0],
    "from_title": [-log1p(1), 0, log1p(1), log1p(2)],
    "level1_link_density": [2 / WORDS, 1 / 11, 1 / 11, 2 / WORDS],
    "level1_children": [log1p(3), log1p(2), log1p(2), log1p(3)],
    "depth": [0.2, 0.3, 0.3, 0.2],
    "is_p": [0, 0, 1, 0],
    "is_h1": [0, 1, 0, 0],
    "in_article": [0, 1, 1, 0],
    "in_nav": [1, 0, 0, 0],
    "from_h1": [-log1p(1), 0, log1p(1), log1p(2)],
    "has_h1": [1, 1, 1, 1],
    "after_heading": [log1p(1), 0, log1p(1), log1p(2)],
    "before_heading": [log1p(1), 0, log1p(4 + 50 - 2), log1p(4 + 50 - 3)],
    "page_blocks": [log1p(4)] * 4,
    "page_words": [log1p(WORDS)] * 4,
    "page_link_density": [2 / WORDS] * 4,
    "page_articles": [log1p(1)] * 4,
    "page_currency": [log1p(1)] * 4,
}


@pytest.mark.parametrize("name", BY_HAND)
def test_values_by_hand(name: str) -> None:
    assert values(TINY, name) == pytest.approx(BY_HAND[name], rel=1e-6, abs=1e-7)


# What the tiny page does not have ---------------------------------------------------------------


def test_copies_are_blocks_with_the_same_words() -> None:
    html = "<p>Read more!</p><p>read <b>MORE</b></p><p>more read</p><p>read</p>"
    assert values(html, "copies") == pytest.approx([log1p(2), log1p(2), log1p(1), log1p(1)])


def test_numbers_are_copies_of_each_other() -> None:
    assert values("<p>5 May</p><p>17 May</p><p>May</p>", "copies") == pytest.approx(
        [log1p(2), log1p(2), log1p(1)]
    )


def test_repeated_elements() -> None:
    item = "<li class=x><b>one</b> two <a href=1>three</a></li>"
    html = f"<ul>{item * 4}</ul><p>five more words stand here</p>"
    assert values(html, "repeated_most") == pytest.approx([log1p(4)] * 4 + [0])
    assert values(html, "repeated_link_density") == pytest.approx([1 / 3] * 4 + [0])
    assert values(html, "repeated_share") == pytest.approx([12 / 17] * 4 + [0])


def test_items_of_another_class_are_not_alike() -> None:
    html = "<ul>" + "".join(f"<li class=x{k}>one two three</li>" for k in range(4)) + "</ul>"
    assert values(html, "repeated_most") == [0, 0, 0, 0]
    assert values(html, "level0_alike") == pytest.approx([log1p(1)] * 4)


def test_the_core_holds_most_of_the_prose() -> None:
    sentence = "Ten words and a little more stand in this sentence here. "
    article = f"<article><section><p>{sentence}</p><p>{sentence}</p></section></article>"
    html = f"<nav>Home</nav>{article}<footer><p>{sentence}</p></footer>"
    assert values(html, "core40_in") == values(html, "core60_in") == [0, 1, 1, 0]
    assert values(html, "good1") == pytest.approx([1, 2 / 3, 2 / 3, 1 / 3])


def test_windows_reach_a_few_blocks_around() -> None:
    html = "".join("<p><a href=1>one</a></p>" if k == 5 else "<p>one</p>" for k in range(11))
    density = values(html, "window5_link_density")
    assert density[5] == pytest.approx(1 / 11)
    assert density[0] == density[10] == pytest.approx(1 / 6)


def test_windows_do_not_reach_further() -> None:
    html = "<p><a href=1>one</a></p>" + "<p>one</p>" * 7
    assert values(html, "window5_link_density")[6:] == pytest.approx([0, 0], abs=1e-6)


def test_blocks_of_the_head_have_no_row() -> None:
    matrix = columns.matrix(joeira.parse(TINY))
    texts = [matrix.view.page.block_texts[number] for number in matrix.view.chosen]
    assert texts[NAV] == "Home"
    assert texts[FOOTER] == "© Ana"
    assert len(texts) == len(matrix.values) == 4


def test_groups_are_listed_in_order() -> None:
    assert [feature.name for group in GROUPS.values() for feature in group] == list(NAMES)
