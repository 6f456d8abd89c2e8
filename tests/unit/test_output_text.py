"""Plain text of kept texts."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

import joeira
from joeira.render import text


def rendered(html: str, *dropped: str) -> str:
    page = joeira.parse(html)
    keep = np.array([value.strip() not in dropped for value in page.texts], bool)
    return text.render(page, keep)


@pytest.mark.parametrize(
    "html, expected",
    [
        ("", ""),
        ("<p>a</p><p>b</p>", "a\n\nb"),
        ("<h1>Head</h1><p>a</p>", "Head\n\na"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("<p>  a \n b\t<b>c</b>d </p>", "a b cd"),
        ("<p>a&nbsp; b\u2028c</p>", "a b c"),
        ("<p>a<br>b</p>", "a\nb"),
        ("<p>a<br><br>b</p>", "a\n\nb"),
        ("<p>a<br><br><br>b</p>", "a\n\nb"),
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<p>x</p><ul><li>a</ul><p>y</p>", "x\n\n- a\n\ny"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n- b"),
        ("<ol><li>a<ul><li>b</ul>c<li>d</ol>", "1. a\n   - b\n   c\n2. d"),
        ("<ul><li><h3>T</h3><p>d</p><li>e</ul>", "- T\n\nd\n\n- e"),
        ("<ul><li><p>a</p><p>b</p></ul>", "- a\n\nb"),
        ("<ul><li><div>a</div><div>b</div><li>c</ul>", "- a\n  b\n- c"),
        ("<dl><dt>t<dd>d<dt>u<dd>e</dl>", "t: d\nu: e"),
        ("<select><option>a<option>b</select>", "a\nb"),
        ("<blockquote>a<p>b</p></blockquote>", "a\n\nb"),
        ("<figure><img alt=x><figcaption>a</figcaption></figure>", "a"),
    ],
)
def test_blocks_and_lists(html: str, expected: str) -> None:
    assert rendered(html) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a\tb\nc\td"),
        ("<table><tr><td><td>b<tr><td>c<td><td>e</table>", "\tb\nc\t\te"),
        ("<table><caption>C</caption><tr><th>a<th>b</table>", "C\na\tb"),
        ("x<table><tr><td>a<td>b</table>y", "x\n\na\tb\n\ny"),
        ("<table><tr><td><p>a</p><p>b</p><td>c<br>d</table>", "a b\tc d"),
        ("<table><tr><td><ul><li>a<li>b</ul><td>c</table>", "a b\tc"),
        ("<table><tr><td>a<b>b</b><td>c</table>", "ab\tc"),
        ("<ul><li><table><tr><td>a<td>b</table></ul>", "- a\tb"),
        # Layout: one cell, a heading, another table.
        ("<table><tr><td><p>a</p><p>b</p></table>", "a\n\nb"),
        ("<table><tr><td><h2>a</h2>b<td>c</table>", "a\n\nb\n\nc"),
        (
            "<table><tr><td>x<td><table><tr><td>a<td>b</table></table>",
            "x\n\na\tb",
        ),
    ],
)
def test_tables(html: str, expected: str) -> None:
    assert rendered(html) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<pre>a\n  b\n\n\nc</pre>", "a\n  b\n\n\nc"),
        ("<pre>\n\n  a\n</pre><p>b</p>", "  a\n\nb"),
        ("<pre><b>a</b>\n    <i>b</i>  <u>c</u></pre>", "a\n    b  c"),
        ("<pre>a<br>  b</pre>", "a\n  b"),
        ("<pre><div>a</div><div> b</div></pre>", "a\n b"),
        ("<pre><div>a\n</div><div>b</div></pre>", "a\nb"),
        ("<pre>a<svg> \n </svg><script>\n</script>b</pre>", "ab"),
        ("<p>x</p><pre>a  b</pre><p>y  z</p>", "x\n\na  b\n\ny z"),
        ("<ul><li>x<pre>a\n b</pre></ul>", "- x\n\na\n b"),
        ("<pre>a<pre>  b</pre></pre>", "a\n  b"),
        ("<xmp><b>  x</b></xmp>", "<b>  x</b>"),
    ],
)
def test_preformatted(html: str, expected: str) -> None:
    assert rendered(html) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<p>see <a>this</a>, (<a>that</a>).</p>", "see this, (that)."),
        ("<span>Price</span><span>5</span>", "Price 5"),
        ("<span>$</span><span>5</span>", "$5"),
        ("<p>中<a>文</a>字</p>", "中文字"),
        ("<p>中<a>web</a>字</p>", "中web字"),
        ("<p>a <a>b</a> .</p>", "a b ."),
    ],
)
def test_spaces_at_the_borders_of_links(html: str, expected: str) -> None:
    assert rendered(html) == expected


@pytest.mark.parametrize(
    "html, dropped, expected",
    [
        ("<p>a</p><p>x</p><p>b</p>", "x", "a\n\nb"),
        ("<p>a<b>x</b>b</p>", "x", "a b"),
        ("<ul><li>x<li>b<li>c</ul>", "x", "- b\n- c"),
        ("<ul><li>x <ul><li>b</ul><li>c</ul>", "x", "- b\n- c"),
        ("<ul><li><b>x</b> a<li>c</ul>", "x", "- a\n- c"),
        ("<table><tr><td>x<td>b<tr><td>c<td>d</table>", "x", "\tb\nc\td"),
        ("<pre>a\n<b>x\n</b>  c</pre>", "x", "a\n  c"),
        ("<p>x</p>", "x", ""),
    ],
)
def test_dropped_texts_leave_no_trace(html: str, dropped: str, expected: str) -> None:
    assert rendered(html, dropped) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<p>10<sup>6</sup> m<sup>2</sup></p>", "10^6 m^2"),
        ("<p>x<sup>n+1</sup>, 10<sup>-3</sup>, e<sup>x</sup></p>", "x^(n+1), 10^-3, e^x"),
        ("<p>10<sup>6</sup>5</p>", "10^(6)5"),
        ("<p>H<sub>2</sub>O, 10<sub>2</sub></p>", "H2O, 10_2"),
        ("<p>the 1<sup>st</sup>, M<sup>me</sup> X, 2<sup>o</sup>, Joeira<sup>®</sup></p>",
         "the 1st, Mme X, 2o, Joeira®"),
        ("<p>here<sup><a>1</a></sup>, there<sup><a href=#x>[2]</a></sup>.</p>", "here, there."),
        ("<p>The end.<sup>3</sup></p>", "The end.[3]"),
        ("<p>A<sup><a id=r href=#n>1</a></sup></p><p id=n>N <a href=#r>up</a></p>",
         "A[^1]\n\n[^1]: N"),
    ],
)  # fmt: skip
def test_superscripts_never_change_a_value(html: str, expected: str) -> None:
    assert rendered(html) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<ol start=4><li>a<ol><li>b<li>c</ol><li>d</ol>", "4. a\n   1. b\n   2. c\n5. d"),
        ("<ul><li>a<ul><li>b<ul><li>c</ul></ul></ul>", "- a\n  - b\n    - c"),
        ("<ul><li><input type=checkbox checked>a<li><input type=checkbox> b</ul>",
         "- [x] a\n- [ ] b"),
        ("<ul><li><label><input type=radio>a</label></ul>", "- a"),
        ("<dl><dt>a<dt>b<dd>c<dd>d</dl>", "a\nb: c\n\nd"),
        ("<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td colspan=2>d<td>e</table>",
         "a\tb\n\tc\nd\t\te"),
        ("<h2>T</h2>a", "T\n\na"),
    ],
)  # fmt: skip
def test_structure_shows(html: str, expected: str) -> None:
    assert rendered(html) == expected


def test_time_is_linear() -> None:
    def seconds(count: int) -> float:
        row = "<tr><td>a<td>b<ul><li>c<li>d</ul>"
        body = f"<table>{row * count}</table>" + "<pre>x\n y</pre><ul><li>e</ul>" * count
        content = joeira.extract(body, "all_text")
        return min(timed(content.text) for _ in range(3))  # the least disturbed one

    def timed(call: Callable[[], object]) -> float:
        start = time.process_time()
        call()
        return time.process_time() - start

    seconds(100)
    assert seconds(8000) < 20 * max(seconds(1000), 0.01)
