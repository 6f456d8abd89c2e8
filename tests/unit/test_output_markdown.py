"""Markdown of kept texts."""

from __future__ import annotations

import pytest

import joeira
from joeira.page import tables


def rendered(source: str, url: str | None = None) -> str:
    return joeira.extract(source, "all_text", url=url).markdown()


@pytest.mark.parametrize(
    "source, expected",
    [
        ("", ""),
        ("<h1>a</h1><h3>b</h3>c", "# a\n\n### b\n\nc"),
        ("<p>a<br>b<br><br>c</p>", "a  \nb\n\nc"),
        ("<ul><li>a<ol><li>b<li>c</ol><li>d</ul>", "- a\n  1. b\n  2. c\n- d"),
        ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ("<pre><code class=language-py>a\n  *b*\n</code></pre>", "```py\na\n  *b*\n```"),
        ("<pre>``` x</pre>", "````\n``` x\n````"),
        ("<p>a <code>b_c*`</code></p>", "a `` b_c*` ``"),
        ("<p>a <a href=/b>c</a>.</p>", "a [c](/b)."),
        ("<p>a <img src=/b alt='c]'> d</p>", "a ![c\\]](/b) d"),
        ("a<hr>b", "a\n\n---\n\nb"),
    ],
)
def test_structure(source: str, expected: str) -> None:
    assert rendered(source) == expected


@pytest.mark.parametrize(
    "source, expected",
    [
        ("<p><b>a</b> <i>b</i> <s>c</s></p>", "**a** *b* ~~c~~"),
        ("<p>x<strong>y</strong>z</p>", "x**y**z"),
        ("<p>é <b>água</b> é</p>", "é **água** é"),
        ("<p>中<b>文</b>字</p>", "中**文**字"),
        ("<p>中<b>「文」</b>字</p>", "中「**文**」字"),
        ("<p>a<b>(b)</b>c</p>", "a(**b**)c"),
        ("<p><b>a</b><i>b</i></p>", "**a**_b_"),
        ("<p><b>a</b><i>b</i>c</p>", "**a***b*c"),
        ("<p>a<b><code>b</code></b>c</p>", "a<strong>`b`</strong>c"),
        ("<p>a <b>...</b>b</p>", "a ...b"),
        ("<p><b><i>a</i></b></p>", "***a***"),
        ("<p><em><i>a</i></em> <b><strong>b</strong></b></p>", "*a* **b**"),
        ("<p><code><b>a</b></code> <b><code>c</code></b></p>", "`a` **`c`**"),
        ("<p><b>a<br>b</b></p>", "**a  \nb**"),
        ("<p><b># a</b></p>", "**# a**"),
        ("<b><p>a</p><p>b</p></b>", "**a**\n\n**b**"),
    ],
)
def test_emphasis(source: str, expected: str) -> None:
    assert rendered(source) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("2 * 3 * 4", r"2 \* 3 \* 4"),
        ("_a_ b_c", r"\_a\_ b_c"),
        ("# a", r"\# a"),
        ("1. a", r"1\. a"),
        ("2) a", r"2\) a"),
        ("- a", r"\- a"),
        ("+ a", r"\+ a"),
        ("> a", r"\> a"),
        ("---", r"\---"),
        ("===", r"\==="),
        ("~~~", r"\~\~\~"),
        ("`a`", r"\`a\`"),
        ("[a](b)", r"\[a\](b)"),
        ("![a](b)", r"!\[a\](b)"),
        ("<b>", "&lt;b>"),
        ("&amp;", "&amp;amp;"),
        ("\\", "\\\\"),
    ],
)
def test_text_never_becomes_markup(text: str, expected: str) -> None:
    source = text.replace("&", "&amp;").replace("<", "&lt;")
    assert rendered(f"<p>{source}</p>") == expected


@pytest.mark.parametrize(
    "href, expected",
    [
        ("/a_(b)", "/a_%28b%29"),
        ("/a b", "/a%20b"),
        ("/a&lt;b&gt;", "/a%3Cb%3E"),
        ("/a\n\nb", "/ab"),
        (
            "https://ok.test/)![x](https://evil.test/?leak",
            "https://ok.test/%29!%5Bx%5D%28https://evil.test/?leak",
        ),
    ],
)
def test_addresses_cannot_break_out(href: str, expected: str) -> None:
    assert rendered(f'<p><a href="{href}">t</a></p>') == f"[t]({expected})"


def test_a_table_of_data_becomes_a_grid() -> None:
    source = """<table><caption>Cap</caption>
        <tr><th rowspan=2>a</th><th colspan=2>b|c</th></tr>
        <tr><td>d</td><td><p>e</p><p>f</p></td></tr>
        <tr><td>g</td><td><ul><li>h</li><li>i</li></ul></td></tr></table>"""
    assert rendered(source).splitlines() == [
        "Cap",
        "",
        r"| a | b\|c |  |",
        "| --- | --- | --- |",
        "|  | d | e<br>f |",
        "| g | h<br>i |  |",
    ]


def test_a_layout_table_is_dissolved() -> None:
    source = "<table><tr><td><h2>a</h2><p>b</p><td><ul><li>c</ul></table>"
    assert rendered(source) == "## a\n\nb\n\n- c"


def test_a_table_in_a_layout_table() -> None:
    source = "<table><tr><td>a<table><tr><td>b<td>c</table><td>d</table>"
    assert rendered(source) == "a\n\n| b | c |\n| --- | --- |\n\nd"


@pytest.mark.parametrize("span", ["9007199254740991", "65535", "1000", "-1", "0", "abc", ""])
def test_spans_are_bounded(span: str) -> None:
    row = f"<tr><td colspan={span} rowspan={span}>a<td>b"
    markdown = rendered(f"<table>{row * 300}</table>")
    assert markdown.count("a") == 300
    assert len(markdown) < 100_000


def test_a_ragged_table_is_not_padded_without_end() -> None:
    markdown = rendered("<table><tr>" + "<td>a" * 2000 + "<tr><td>b" * 2000 + "</table>")
    assert len(markdown) < 100_000
    assert markdown.count("b") == 2000


def test_grid_fills_spans_that_reach_beyond_a_row() -> None:
    cells = tables.Grid()
    cells.start_row()
    cells.add("a", 1, 1)
    cells.add("b", 1, 3)
    cells.start_row()
    cells.add("c", 1, 1)
    cells.start_row()
    assert cells.padded() == [["a", "b"], ["c", ""], ["", ""]]


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "blockquote", "table><tr><td", "i><b"])
def test_deep_nesting(tag: str) -> None:
    assert rendered(f"<{tag}>" * 3000 + "needle").count("needle") == 1
