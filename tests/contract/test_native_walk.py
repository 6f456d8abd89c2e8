"""The walk in C makes the same page, column by column, as the walk in numpy beside it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from joeira._native import native_available
from support.examples import EXAMPLES
from support.hostile import FAMILIES
from support.html import documents
from support.mutants import html5lib_inputs
from support.walks import check, page_of, parsing

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")


@EXAMPLES
@given(documents)
@example("<template>a<p class=x id=y role=main>b<template>c</template></p>d</template><p class=x>e")
@example("<p>a</p> <!-- --> <p>b</p><noscript>c<p>d</noscript>")
@example("<title>a<svg><title>b</title><a>c</a></svg><a>d<div>e</a>f")
def test_any_page(html: str) -> None:
    check(html)


@EXAMPLES
@given(documents, st.integers(1, 12), st.integers(1, 6))
def test_any_limits(html: str, max_nodes: int, max_depth: int) -> None:
    check(html, max_nodes=max_nodes, max_depth=max_depth)


@pytest.mark.parametrize("name", FAMILIES)
def test_hostile_pages(name: str) -> None:
    check(FAMILIES[name].make(FAMILIES[name].small))


def test_pages_by_which_parsers_are_tested() -> None:
    for html in html5lib_inputs():
        check(html)


def test_a_page_that_shows_itself_without_scripts_only() -> None:
    page = check(f"<noscript><p class=a>{'word ' * 400}<a>link</a></noscript>")
    assert not page.scripting
    assert page.texts


@pytest.mark.parametrize("depth", [100, 510, 511, 512, 100_000])
def test_any_depth(depth: int) -> None:
    check("<div>" * depth + "x")


def test_the_kernel_is_what_walks() -> None:
    page = page_of("<p>a", native=True)
    assert "text_index" in vars(page)
    assert "text_index" not in vars(page_of("<p>a", native=False))


def test_nodes_that_are_no_tree_are_left_to_the_reference() -> None:
    document = parsing.turbohtml.parse("<div><p class=a>b</p></div>")
    nodes = list(document.descendants)
    walk = parsing._walks()[True]
    assert walk(nodes, document.select("[class]"), [], []) is not None
    assert walk(nodes[::-1], [], [], []) is None
    assert walk(nodes, document.select("div, p")[::-1], [], []) is None
    assert walk([*nodes, *nodes], [], [], []) is None
