"""The guess of the page type, against plain loops."""

from __future__ import annotations

import math

import pytest

from joeira.blockmodel.columns import (
    DECLARED,
    PAGE_TYPES,
    PLAIN,
    Knowledge,
    Matrix,
    declared,
    matrix,
)
from joeira.blockmodel.lexicon import SPACES, bucket
from joeira.blockmodel.model import MEANS_CLIP, PageTypes, with_address
from joeira.page import parse
from joeira.page.addresses import own_address
from support.learning import made_up_knowledge, made_up_weights, row

MODEL = PageTypes.of(made_up_weights())


def slowly(found: Matrix) -> list[float]:
    """One column, one name and one type at a time."""
    words = [count + 0.01 for count in found.view.words.tolist()]
    blocks = found.values[:, :PLAIN].tolist()
    columns = [[line[column] for line in blocks] for column in range(PLAIN)]
    plain = [sum(column) / len(column) for column in columns]
    weighed = [
        sum(value * weight for value, weight in zip(column, words, strict=True)) / sum(words)
        for column in columns
    ]
    names = set(bucket(found.names.parts[0], SPACES["name"]).tolist())
    logits = []
    for kind in range(len(PAGE_TYPES)):
        total = float(MODEL.bias[kind])
        for number, mean in enumerate([*plain, *weighed, *map(float, declared(found.view.page))]):
            place = (mean - float(MODEL.center[number])) * float(MODEL.scale[number])
            total += min(max(place, -MEANS_CLIP), MEANS_CLIP) * float(MODEL.of_means[number, kind])
        total += sum(float(MODEL.of_names[name, kind]) for name in names) / math.sqrt(len(names))
        logits.append(total)
    weights = [math.exp(logit - max(logits)) for logit in logits]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_plain_loops(number: int) -> None:
    found = matrix(parse(row(number).html))
    types = MODEL(found)
    assert types.tolist() == pytest.approx(slowly(found), abs=1e-4)
    assert types.sum() == pytest.approx(1)


def test_learned_columns_make_no_difference() -> None:
    page = parse(row(1).html)
    complete = matrix(page, Knowledge(made_up_knowledge().tables, MODEL))
    assert MODEL(complete).tolist() == MODEL(matrix(page)).tolist() == complete.types.tolist()


def named(html: str) -> list[str]:
    return [name for name, holds in zip(DECLARED, declared(parse(html)), strict=True) if holds]


@pytest.mark.parametrize(
    "head, hits",
    [
        ("", ["og_none"]),
        ("<meta property=og:type content='website'>", ["og_website"]),
        ("<meta name=og:type content='product.item'>", ["og_product"]),
        ("<meta property=og:type content=Article>", ["og_article"]),
        ("<meta property=og:type>", ["og_none"]),
    ],
)
def test_kinds_of_the_open_graph(head: str, hits: list[str]) -> None:
    assert named(f"<head>{head}</head><p>text</p>") == hits


def test_types_of_linked_data_come_from_all_scripts() -> None:
    script = '<script type="application/ld+json">{{"@type" : "{}"}}</script>'
    html = script.format("Product") + script.format("FAQPage") + "<p>text</p>"
    assert named(html) == ["og_none", "schema_product", "schema_questions", "schema_any"]


def test_damaged_linked_data_says_nothing() -> None:
    html = '<script type="application/ld+json">{"@type" nothing}</script><p>text</p>'
    assert named(html) == ["og_none"]


def test_what_a_page_declares_changes_the_guess() -> None:
    page = "<meta property=og:type content=product><p>Rain fell all day</p>"
    assert MODEL(matrix(parse(page))).tolist() != MODEL(matrix(parse(page[43:]))).tolist()


def test_a_page_without_blocks_is_of_no_type() -> None:
    assert MODEL(matrix(parse(""))).tolist() == [0.0] * len(PAGE_TYPES)


def test_a_page_without_names_has_a_type() -> None:
    types = MODEL(matrix(parse("<p>Rain fell all day</p>")))
    assert types.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "address, speaks",
    [
        ("https://example.org/forum/a-topic", True),
        ("https://forums.example.org/a", True),
        ("https://example.org/phpBB/viewtopic.php?t=1", True),
        ("https://example.org/t/a-topic/123", True),
        ("https://example.org/t/123", True),
        ("https://example.org/questions/12/how", True),
        ("https://example.org/threads/a-topic.12/", True),
        ("https://example.org/t/office-chairs", False),
        ("https://example.org/platforms/a", False),
        ("https://example.org/" + "a" * 9999 + "/forum/", False),
        ("", False),
        (None, False),
    ],
)
def test_the_address_of_a_forum_speaks_for_one(address: str | None, speaks: bool) -> None:
    types = dict.fromkeys(PAGE_TYPES, 0.0) | {"article": 0.9, "forum": 0.1}
    found = with_address(types, address)
    assert math.isclose(sum(found.values()), 1)
    assert found["forum"] == pytest.approx(30 * 0.1 / (30 * 0.1 + 0.9) if speaks else 0.1)
    assert with_address(dict.fromkeys(PAGE_TYPES, 0.0), address)["forum"] == 0


def test_a_page_may_declare_its_address() -> None:
    declared = (
        '<link rel="canonical" href="https://example.org/a"><meta property="og:url" content="b">'
    )
    assert own_address(parse(declared)) == "https://example.org/a"
    assert own_address(parse(declared, "https://example.org/c")) == "https://example.org/c"
    assert own_address(parse('<link rel=canonical><meta property="og:url" content="b">')) is None
    assert own_address(parse("<p>a")) is None
