"""Whatever the page and whatever is kept: nothing is lost, nothing is dangerous, nothing raises."""

from __future__ import annotations

import re

import numpy as np
import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.page import Page
from joeira.render import html, markdown, text

TAGS = (
    "div p ul ol li dl dt dd table tr td th thead caption blockquote pre code h1 h2 figure "
    "figcaption span a b i em strong s q section button article select option center svg math"
).split()
PIECES = (
    "one", " two ", "three\n four", "*x*", "_y_", "# z", "1. w", "é", "日本", "<br>", "<br><br>",
    "<hr>", "<img src=i.png alt=u>", "<img src=javascript:x onerror=alert(1)>", " ", "\n  ",
    "&lt;script&gt;", "|", "\\", "`", "~~", "[k](v)", "<script>alert(1)</script>", "&#xfdd0;",
)  # fmt: skip
ATTRIBUTES = (
    "", "", "", " href=/p", " href='javascript:x'", " href='https://e.org/)![x](https://f.org'",
    " onclick=alert(1)", " style=color:red", " colspan=3", " rowspan=2", " class=language-py",
    " start=7", " colspan=9007199254740991",
)  # fmt: skip


@st.composite
def elements(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    tag = draw(st.sampled_from(TAGS))
    return f"<{tag}{draw(st.sampled_from(ATTRIBUTES))}>{draw(inner)}</{tag}>"


bodies = st.recursive(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map(" ".join),
    lambda inner: st.lists(elements(inner) | inner, max_size=4).map("".join),
    max_leaves=15,
)


@st.composite
def selections(draw: st.DrawFn) -> tuple[Page, np.ndarray]:
    page = joeira.parse(draw(bodies), draw(st.sampled_from([None, "https://e.org/a/b"])))
    keep = draw(st.lists(st.booleans(), min_size=len(page.texts), max_size=len(page.texts)))
    return page, np.array(keep, bool) | draw(st.booleans())


def solid(value: str) -> str:
    """The characters of a text but white space: what no output may lose or reorder."""
    return "".join(value.split())


def kept_text(page: Page, keep: np.ndarray) -> str:
    return "".join(value for value, kept in zip(page.texts, keep, strict=True) if kept)


@given(selections())
def test_text_holds_the_kept_texts_in_order(selected: tuple[Page, np.ndarray]) -> None:
    page, keep = selected
    written = re.sub(r"(?m)^- ", "", text.render(page, keep))
    assert solid(written) == solid(kept_text(page, keep))


@given(selections())
def test_html_parses_to_the_kept_texts(selected: tuple[Page, np.ndarray]) -> None:
    page, keep = selected
    written = html.render(page, keep)
    body = turbohtml.parse(written).select("body")[0]
    assert solid(body.text) == solid(kept_text(page, keep))
    assert body.inner_html.replace('"', "") == written.replace("&quot;", "").replace(
        "&#x27;", "'"
    ).replace('"', "")


@given(selections())
def test_html_is_safe(selected: tuple[Page, np.ndarray]) -> None:
    document = turbohtml.parse(html.render(*selected))
    allowed = {"a": {"href"}, "img": {"src", "alt"}, "ol": {"start"}, "code": {"class"}}
    cells = {"colspan", "rowspan"}
    for element in document.select("body *"):
        names = set(element.attrs)
        assert names <= allowed.get(element.tag, cells if element.tag in ("td", "th") else set())
        assert element.tag not in ("script", "style", "svg", "math", "button", "select", "div")
        for name in names & {"href", "src"}:
            assert re.match(r"https?://|mailto:|[/#?]|[^:]*$", element.attr(name) or "")


@given(bodies)
def test_html_is_idempotent(body: str) -> None:
    once = joeira.extract(body, "all_text").html()
    assert joeira.extract(once, "all_text").html() == once


@given(selections())
def test_markdown_holds_every_word(selected: tuple[Page, np.ndarray]) -> None:
    page, keep = selected
    written = set(re.findall(r"\w", markdown.render(page, keep)))
    assert set(re.findall(r"\w", kept_text(page, keep))) - {"_"} <= written


@given(bodies)
def test_every_output_is_plain_text(body: str) -> None:
    content = joeira.extract(body, "all_text")
    for written in (content.text(), content.html(), content.markdown()):
        assert "\0" not in written
        assert not re.search("[\ufdd1-\ufdd5]", written)


PAYLOADS = {
    "onerror": "<img src=x onerror='alert(1)'>",
    "javascript": "<a href='javascript:alert(1)'>click</a>",
    "javascript with a tab": "<a href='java\tscript:alert(2)'>click</a>",
    "onclick": "<p onclick='alert(3)'>paragraph</p>",
    "srcdoc": "<iframe srcdoc='<script>alert(4)</script>'></iframe>",
    "onload": "<svg onload='alert(5)'><desc>d</desc></svg>",
    "data": "<a href='data:text/html,<script>alert(6)</script>'>open</a>",
    "style": "<p style='background:url(javascript:alert(7))'>styled</p>",
    "markdown link": "<a href='https://ok.test/)![x](https://evil.test/?leak'>paren</a>",
}
DANGEROUS = re.compile(r"alert|on\w+=|srcdoc|javascript:|data:|style=|\]\(https://evil|<script")


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_no_payload_gets_through(payload: str) -> None:
    body = f"<p>Text before, {payload} and text after.</p><p>More.</p>"
    content = joeira.extract(body, "all_text", url="https://e.org/a")
    for written in (content.html(), content.markdown()):
        assert not DANGEROUS.search(written)
        assert "before" in written


HOSTILE = {
    "depth": lambda n: "<div>" * n + "x",
    "formatting": lambda n: "<b><p>x" * n,
    "links around blocks": lambda n: "<a href=x><div>y" * n,
    "nested tables": lambda n: "<table><tr><td>x" * min(n, 400),
    "nested lists": lambda n: "<ul><li>x" * n,
    "stray items": lambda n: "<li>x<section>" * n,
    "quotations": lambda n: "<blockquote>x" * n,
    "cells": lambda n: "<table><tr>" + "<td>x" * n,
    "ragged rows": lambda n: "<table><tr>" + "<td>x" * n + "<tr><td>y" * n,
    "column spans": lambda n: "<table>" + "<tr><td colspan=1000 rowspan=65534>x" * n,
    "row spans": lambda n: "<table>" + "<tr><td rowspan=65534>x<td>y" * n,
    "breaks": lambda n: "x<br>" * n,
    "listings": lambda n: "<pre>x</pre>" * n,
    "nested listings": lambda n: "<pre>x<div>" * n,
    "images": lambda n: "x<img src=a>" * n,
    "figures": lambda n: "<figure><img src=a>x" * n,
    "emphasis": lambda n: "<b>x</b><i>y</i>" * n,
    "stars": lambda n: "*_`" * n,
    "spaces": lambda n: "x" + " " * n + "y",
    "bases": lambda n: "<base href=javascript:>" * n + "<a href=x>y</a>",
    "address": lambda n: f"<a href='/{'a(b ' * n}'>y</a>",
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pages_are_written_whole(make: object) -> None:
    assert callable(make)
    content = joeira.extract(make(2000), "all_text")
    letters = sum(value.count("x") + value.count("y") for value in content.page.texts)
    body = turbohtml.parse(content.html()).select("body")[0].text
    for written in (content.text(), body, content.markdown()):
        assert written.count("x") + written.count("y") >= letters
        assert len(written) < 2_000_000
