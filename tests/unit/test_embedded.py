"""Text that is in a page but not in its tree."""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.page import embedded
from support.examples import EXAMPLES

SENTENCE = "In {} the river rose overnight, and by morning the lower market was under water."
PARAGRAPHS = [
    f"{SENTENCE.format(year)} Nobody had seen such a flood." for year in range(1900, 1908)
]
HTML = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
PLAIN = "\n".join(PARAGRAPHS)
ARTICLE = {"@type": "NewsArticle", "headline": "A flood", "articleBody": PLAIN}
LINKED_DATA = f'<script type="application/ld+json">{json.dumps([ARTICLE])}</script>'
FLIGHT = json.dumps(
    ["$", "div", None, {"children": [["$", "p", None, {"children": text}] for text in PARAGRAPHS]}]
)
STORED = json.dumps({"post": HTML, "number": 1})

PAGES = {
    "template": (f"<template><h2>Floods</h2>{HTML}</template>", "a <template>"),
    "script": (f"<script type='text/template'>{HTML}</script>", '<script type="text/template">'),
    "articleBody": (LINKED_DATA, 'JSON-LD, under "articleBody"'),
    "next": (
        '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">'
        + json.dumps({"props": {"body": [{"type": "p", "text": text} for text in PARAGRAPHS]}})
        + "</script>",
        'data for scripts (__NEXT_DATA__), under "text"',
    ),
    "list": (
        f'<script type="application/json">{json.dumps({"lines": PARAGRAPHS})}</script>',
        'data for scripts (application/json), under "lines"',
    ),
    "nuxt": (
        "<script>window.__NUXT__=(function(a){return {n:a,html:"
        f"{json.dumps(HTML)}}}}}(1))</script>",
        'data for scripts (__NUXT__), under "html"',
    ),
    "push": (
        f"<script>(self.__next_f=self.__next_f||[]).push([1,{json.dumps('a:' + FLIGHT)}])</script>",
        'data for scripts (__next_f), under "children"',
    ),
    "string": (
        f"<script>window['__STATE__'] = JSON.parse({json.dumps(STORED)})</script>",
        'data for scripts (__STATE__), under "post"',
    ),
    "title": (
        f"<title>A flood\n</head><body>{'<div><ul><li>x</li></ul></div>' * 9}{HTML}",
        "<title>, which is never closed",
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_text_beside_the_tree_is_found(name: str) -> None:
    html, place = PAGES[name]
    page = joeira.parse(f"<html lang='en'><title>A flood</title>{html}", "https://example.org/a")
    if name == "title":
        page = joeira.parse(html, "https://example.org/a")
    content = joeira.extract(page)
    assert content.status == "ok"
    assert content.reason.startswith("the page itself has no content; this text was found in ")
    assert content.reason.endswith(place)
    assert content.explain().reason == content.reason
    for text in PARAGRAPHS:
        assert text in content.text()
        assert text in content.markdown()
        assert f"<p>{text}</p>" in content.html()
    assert [block.text for block in content.explain() if block.kept][-8:] == PARAGRAPHS
    assert content.page.url == "https://example.org/a"
    assert content.metadata.title == "A flood"
    assert content.report()
    assert content.visible().text() == content.text()
    assert pickle.loads(pickle.dumps(content)).text() == content.text()


def test_what_a_page_says_of_itself_goes_with_its_text() -> None:
    head = '<head><meta name="author" content="Ada Byron"><link rel=canonical href="/b"></head>'
    content = joeira.extract(f"{head}<body><div></div>{LINKED_DATA}", url="https://example.org/a")
    assert content
    assert "Ada Byron" in str(content.metadata.authors)
    assert content.metadata.title == "A flood"


def test_a_cloud_of_labels_gives_way_to_an_article_for_sure() -> None:
    labels = "<h1>The flood of 1850</h1><p>Water rose in the old town</p>"
    content = joeira.extract(f"{labels}{LINKED_DATA}")
    assert PARAGRAPHS[0] in content.text()
    assert "the page itself has only" in content.reason
    state = f"<script>window.__S={json.dumps({'text': PLAIN})}</script>"
    kept = joeira.extract(f"<p>{SENTENCE.format(1850)}</p>{state}")
    assert kept.text() == SENTENCE.format(1850)
    assert kept.reason == ""


@pytest.mark.parametrize(
    "html",
    [
        "<script type='application/ld+json'>" + json.dumps({"description": PLAIN}) + "</script>",
        "<script>var text = " + json.dumps(PLAIN) + "</script>",
        "<script>window.__a = 1; f(" + json.dumps(PLAIN) + ")</script>",  # a message of a program
        "<script>window.__a = {text: " + json.dumps("x = [a.b]; {c: d} " * 50) + "}</script>",
        "<script>window.__a = {text: " + json.dumps(PARAGRAPHS[0]) + "}</script>",  # too short
        "<template><p>{{ title }}</p></template>",
    ],
)
def test_other_data_is_no_text(html: str) -> None:
    content = joeira.extract(f"<body>{html}")
    assert not content
    assert "scripts build it" in content.reason


def test_pages_with_content_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_page: object) -> None:
        pytest.fail("nobody asked")

    monkeypatch.setattr(embedded, "longest_text", never)
    assert joeira.extract(HTML)


DATA = '<script type="application/json">{}</script>'
STATE = "<script>window.__a={}</script>"
HOSTILE: dict[str, Callable[[], str]] = {
    "ten megabytes": lambda: DATA.replace(
        "{}", json.dumps([{"t": SENTENCE.format(number)} for number in range(110_000)])
    ),
    "deep lists": lambda: DATA.replace("{}", "[" * 3_000_000),
    "deep objects": lambda: DATA.replace("{}", '{"a":' * 1_500_000),
    "a million variables": lambda: STATE.replace("{}", '{"b":1};window.__a=' * 1_000_000),
    "quotes": lambda: STATE.replace("{}", '"' * 3_000_000),
    "escaped quotes": lambda: STATE.replace("{}", '"\\"' * 2_000_000),
    "backslashes": lambda: STATE.replace("{}", '"' + "\\" * 5_000_000),
    "scripts": lambda: STATE * 100_000,
    "templates": lambda: "<template><p>a</p></template>" * 50_000,
    "tags": lambda: f"<script type='text/template'>{'<a ' * 1_500_000}</script>",
    "a title": lambda: "<title>" + "</a" * 1_500_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_search_is_bounded(name: str) -> None:
    page = joeira.parse(HOSTILE[name]())
    began = time.process_time()
    embedded.longest_text(page)
    assert time.process_time() - began < 10  # about 1 second


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=10,
)


@EXAMPLES
@given(_values, st.integers(0, 200))
def test_strings_of_json_are_found_whatever_is_around(value: object, cut: int) -> None:
    """In whole JSON the text is found as it was; cut JSON harms nobody."""
    data = json.dumps({"before": value, "body": PARAGRAPHS, "after": value})
    found = [literal.text for literal in embedded._prose(data) if literal.key == "body"]
    assert found == PARAGRAPHS
    list(embedded._prose(data[cut : -cut or None]))


@pytest.mark.parametrize(
    "html, waits",
    [
        ("<p>Please enable JavaScript to continue.", True),
        ("<p>Wird geladen ...", True),
        ("<p>Shop<div id=app></div><script src=a.js></script>", True),
        ("<p>Shop<app-root></app-root><script src=a.js></script>", True),
        ("<p>Shop<div id=app>Open</div><script src=a.js></script>", False),
        ("<p>Shop<div id=app></div>", False),
        ("<p>We are closed today.<script src=a.js></script>", False),
    ],
)
def test_pages_that_wait_for_scripts(html: str, waits: bool) -> None:
    assert embedded.waits_for_scripts(joeira.parse(html)) == waits
