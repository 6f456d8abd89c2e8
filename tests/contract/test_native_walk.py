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


@pytest.mark.parametrize("wide", ["", "é", "日", "𝒳"])
def test_more_of_one_thing_than_there_is_room_for_at_first(wide: str) -> None:
    check(f"{wide}{'a &amp;&nbsp; b' * 3000}")
    check(f"{wide}a" + "<b>x</b>" * 3000)
    check(f"{wide}a<template>{'<b></b>' * 3000}</template>")
    check("".join(f"<i class='{wide}{number}' id={wide}{number}></i>" for number in range(3000)))


def test_the_kernel_is_what_walks() -> None:
    page = page_of("<p>a", native=True)
    assert "text_index" in vars(page)
    assert "text_index" not in vars(page_of("<p>a", native=False))


MAX_NODES = 1000


@pytest.mark.parametrize(
    "html",
    [
        "<svg><link/></svg>a",
        "<svg><style><g>a</g></style></svg>b",
        "<svg><template><g/></template></svg>a",
        "<math><mi><xmp>a &amp; b</xmp></mi></math>",
        "<plaintext>a</plaintext>b",
        "<svg><script type=application/ld+json>{}</script></svg>",
    ],
)
def test_what_could_be_read_in_two_ways_is_left_to_the_reference(html: str) -> None:
    document = parsing.turbohtml.parse(html, scripting=True)
    assert parsing._tree_markup()(document.html, MAX_NODES) is None
    check(html)


@pytest.mark.parametrize(
    "script",
    [
        "<!--<script></script><script>-->",
        "<!--<script></script>",
        "<!--<SCRIPT/></script\n>a<script>b</script>-->",
        "<!--<scripts></script>",
        "<!--><script>",
        "<!--->a<script>b",
        "<!-- a > b --><script>",
        "a<!-b<script>",
    ],
)
def test_a_script_in_a_comment_in_a_script(script: str) -> None:
    html = f"<script>{script}</script><p>a<script>b</script><p>c"
    document = parsing.turbohtml.parse(html, scripting=True)
    assert parsing._tree_markup()(document.html, MAX_NODES) is not None
    check(html)


@pytest.mark.parametrize(
    "markup",
    ["", "a", "<", "<p", "<p a", "<p a=", '<p a="', '<p a="b"', '<p a="b"c></p>', "</p>", "<p>",
     "<p></b>", "<p></p", "<p></p><p></p>", "<p></p>a", "<!-", "<!--a", "<![CDATA[a]]>", "<?a",
     "<script>", "<script></s", "<p><"],
)  # fmt: skip
@pytest.mark.parametrize("wide", ["", "\u0142", "\U0001f600"])
def test_what_no_parser_writes_is_left_to_the_reference(markup: str, wide: str) -> None:
    assert parsing._tree_markup()(markup, MAX_NODES) is None
    if wide and markup not in ("", "a"):
        assert parsing._tree_markup()(f"<{wide}>{markup}", MAX_NODES) is None


def test_the_limit_of_nodes() -> None:
    markup = "<html><body><p>a</p></body></html>"
    assert parsing._tree_markup()(markup, 4) is not None
    assert parsing._tree_markup()(markup, 3) is None


def test_what_a_page_says_of_itself() -> None:
    page = check(
        "<meta charset=x><META NAME=a content='b &amp; &quot;c&quot;'><meta property=p>"
        "<link rel='x canonical' href=/a?b&amp;c><template><link href=d><meta name=e></template>"
        "<script type=Application/LD+json>{ &amp; }</script><script type=a>b</script>"
        "<body><p><meta content=f>"
    )
    said = page.attributes
    assert said.metas == [
        ("", "", ""), ("a", "", 'b & "c"'), ("", "p", ""), ("e", "", ""), ("", "", "f"),
    ]  # fmt: skip
    assert said.links == [("x canonical", "/a?b&c"), ("", "d")]
    assert said.facts == ["{ &amp; }"]


def test_what_is_noticed_on_the_way() -> None:
    html = f"<p ITEMPROP=a rowspan=2><script>{'a' * 2000}</b></script>"
    page = page_of(html, native=True)
    assert page.attributes.may_have({"itemprop"})
    assert not page.attributes.may_have({"itemscope", "colspan"})
    row = int(page.rows_of("script")[0])
    assert page.attributes.last_markup(row) == 2004
    assert page_of(html, native=False).attributes.last_markup(row) == 2004


@pytest.mark.parametrize("wide", ["", "\u0101", "\U0001f600"])
@pytest.mark.parametrize(
    "value, is_noticed",
    [
        ("comment", True),
        ("https://schema.org/UserComments", True),
        ("OMMENT", True),
        ("ommen", False),
        ("", False),
        ("7", False),
        ("\x0177\x01", True),  # perhaps a value that was left out
        ("\x01a\x01", False),
        ("\x0177\x02", False),
    ],
)
def test_letters_of_values(value: str, is_noticed: bool, wide: str) -> None:
    for name in ("itemprop", "itemtype"):
        page = page_of(f'<p {name}="{value}" item="comment">{wide}a</p>', native=True)
        assert page.attributes.may_have({name})
        assert page.attributes.may_have({f"{name}=omment"}) == is_noticed
    page = page_of(f'<p item="{value}" itempro="comment" itemprops="comment">{wide}a', native=True)
    assert not page.attributes.may_have({"itemprop", "itemprop=omment", "itemtype=omment"})
