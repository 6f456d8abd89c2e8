"""Clean, safe HTML of kept texts."""

from __future__ import annotations

import numpy as np
import pytest
import turbohtml

import joeira
from joeira.render import html


def rendered(source: str, *dropped: str, url: str | None = None) -> str:
    page = joeira.parse(source, url)
    keep = np.array([value.strip() not in dropped for value in page.texts], bool)
    return html.render(page, keep)


@pytest.mark.parametrize(
    "source, expected",
    [
        ("", ""),
        ("text", "<p>text</p>"),
        ("<div>a<div>b</div>c</div>", "<p>a</p><p>b</p><p>c</p>"),
        ("<h2 class=x id=y>a <b>b</b></h2>", "<h2>a <b>b</b></h2>"),
        ("<h2><div>a</div><div>b</div></h2>", "<h2>a b</h2>"),
        ("<h2>a<ul><li>b</ul></h2>", "<p>a</p><ul><li>b</li></ul>"),
        ("<p>a<br>b</p>", "<p>a<br>b</p>"),
        ("<p>a<br><br>b</p>", "<p>a</p><p>b</p>"),
        ("<h1>a<br>b</h1>", "<h1>a b</h1>"),
        ("a<hr>b", "<p>a</p><hr><p>b</p>"),
        ("<blockquote>a<p>b</p></blockquote>", "<blockquote><p>a</p><p>b</p></blockquote>"),
        ('<p>1 &lt; 2 &amp; "3"</p>', "<p>1 &lt; 2 &amp; &quot;3&quot;</p>"),
        ("<button>a</button><details><summary>b</summary>c</details>", "<p>a</p><p>b</p><p>c</p>"),
    ],
)
def test_blocks(source: str, expected: str) -> None:
    assert rendered(source) == expected


@pytest.mark.parametrize(
    "source, expected",
    [
        ("<ul><li>a<ul><li>b</ul><li>c</ul>",
         "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("<ul><li><p>a</p></ul>", "<ul><li>a</li></ul>"),
        ("<ul><li><p>a</p><p>b</p></ul>", "<ul><li><p>a</p><p>b</p></li></ul>"),
        ("<ul><li>a<div>b</div>c</ul>", "<ul><li><p>a</p><p>b</p><p>c</p></li></ul>"),
        ("<ul><li><h3>a</h3>b</ul>", "<ul><li><h3>a</h3>b</li></ul>"),
        ("<ol start=3><li>a</ol>", '<ol start="3"><li>a</li></ol>'),
        ("<ol start=99999999999999999999><li>a</ol>", '<ol start="999999999"><li>a</li></ol>'),
        ("<menu><li>a</menu>", "<ul><li>a</li></ul>"),
        ("<li>a<li>b</li>c", "<ul><li>a</li><li>b</li></ul><p>c</p>"),
        ("<ul>a<li>b</li>c</ul>", "<ul><li>a</li><li>b</li><li>c</li></ul>"),
        ("<li>a<section><li>b</section>", "<ul><li>a<ul><li>b</li></ul></li></ul>"),
        ("<dl><dt>a<dd>b<dd>c</dl>", "<dl><dt>a</dt><dd>b</dd><dd>c</dd></dl>"),
        ("<dl>a<dt>b</dl>", "<dl><dd>a</dd><dt>b</dt></dl>"),
        ("<dd>a</dd>b", "<dl><dd>a</dd></dl><p>b</p>"),
    ],
)  # fmt: skip
def test_lists(source: str, expected: str) -> None:
    assert rendered(source) == expected


def table(rows: str) -> str:
    return f"<table><tbody>{rows}</tbody></table>"


@pytest.mark.parametrize(
    "source, expected",
    [
        ("<table><tr><th>a<td>b</table>", table("<tr><th>a</th><td>b</td></tr>")),
        ("<table><tr><td>a<td><td>b</table>", table("<tr><td>a</td><td></td><td>b</td></tr>")),
        ("<table><tr><td><p>a</p><p>b</p></table>", table("<tr><td><p>a</p><p>b</p></td></tr>")),
        ("<table><tr><td colspan=2 style=x>a</table>", table('<tr><td colspan="2">a</td></tr>')),
        ("<table><tr><td colspan=9007199254740991>a</table>",
         table('<tr><td colspan="1000">a</td></tr>')),
        ("<table><tr><td colspan=-1 rowspan=abc>a</table>", table("<tr><td>a</td></tr>")),
        ("<table><tr><td rowspan=9007199254740991>a<tr><td>b</table>",
         table('<tr><td rowspan="2">a</td></tr><tr><td>b</td></tr>')),
        ("<table><tr><td rowspan=0>a<tr><td>b</table>",
         table('<tr><td rowspan="2">a</td></tr><tr><td>b</td></tr>')),
        ("<table><caption>c</caption><thead><tr><th>a</table>",
         "<table><caption>c</caption><thead><tr><th>a</th></tr></thead></table>"),
    ],
)  # fmt: skip
def test_tables(source: str, expected: str) -> None:
    assert rendered(source) == expected


def test_a_row_span_counts_only_rows_that_are_written() -> None:
    source = "<table><tr><td rowspan=3>a<td>b<tr><td>x<tr><td>c</table>"
    rows = '<tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr>'
    assert rendered(source, "x") == table(rows)


@pytest.mark.parametrize(
    "source, expected",
    [
        ("<p><b>a</b>b<i> c</i></p>", "<p><b>a</b>b <i>c</i></p>"),
        ("<b><p>a</p><p>b</p></b>", "<p><b>a</b></p><p><b>b</b></p>"),
        ("<p><b>a</b><b>b</b></p>", "<p><b>ab</b></p>"),
        ("<b><i><b>a</b></i></b>", "<p><b><i>a</i></b></p>"),
        ("<p><span>a</span> <font>b</font></p>", "<p>a b</p>"),
        ("<p><strike>a</strike> <tt>b</tt></p>", "<p><s>a</s> <code>b</code></p>"),
        ("<a href=/x><h2>a</h2><p>b</p></a>",
         '<h2><a href="/x">a</a></h2><p><a href="/x">b</a></p>'),
        ("<p><a>a</a> <a href=''>b</a></p>", "<p>a b</p>"),
        ("<p>x <a href=/y>z</a>.</p>", '<p>x <a href="/y">z</a>.</p>'),
    ],
)  # fmt: skip
def test_inline(source: str, expected: str) -> None:
    assert rendered(source) == expected


@pytest.mark.parametrize(
    "source, expected",
    [
        ("<pre>a\n  b</pre>", "<pre><code>a\n  b</code></pre>"),
        ('<pre><code class="x language-python">a &lt; <b>b</b></code></pre>',
         '<pre><code class="language-python">a &lt; b</code></pre>'),
        ("<div class='highlight-rust'><pre>a</pre></div>",
         '<pre><code class="language-rust">a</code></pre>'),
        ("<pre class='lang-&quot;&gt;'>a</pre>", "<pre><code>a</code></pre>"),
        ("<pre>\n\n a<svg>x</svg></pre>", "<pre><code> a</code></pre>"),
    ],
)  # fmt: skip
def test_listings(source: str, expected: str) -> None:
    assert rendered(source) == expected


@pytest.mark.parametrize(
    "source, kept",
    [
        ("<p>a <img src=i> b</p>", True),
        ("<p>a <img src=i></p><p>x</p>", True),
        ("<p>a</p><img src=i><p>b</p>", True),
        ("<p>x</p><img src=i><p>b</p>", False),
        ("<img src=i><p>b</p>", True),
        ("<div><p>x</p><img src=i></div><p>b</p>", False),
        ("<figure><img src=i><figcaption>a</figcaption></figure><p>x</p>", True),
        ("<figure><img src=i><figcaption>x</figcaption></figure><p>a</p>", True),
        ("<p>a</p><button>x</button><img src=i>", True),
        ("<p>a</p><figure><img src=i></figure><figure><img src=j></figure><p>b</p>", True),
        ("<p>a <img src=i width=32 height=32 alt=icon> b</p>", False),
        ("<p>a <img src=i width=32 height=200> b</p>", False),
        ("<p>a <img src=i width=1> b</p>", False),
        ("<p>a <img> b</p>", False),
        ("<p>a <img src='data:image/gif;base64,R0'> b</p>", False),
    ],
)
def test_images_inside_the_kept_content_are_kept(source: str, kept: bool) -> None:
    assert ("<img" in rendered(source, "x")) is kept


@pytest.mark.parametrize(
    "attributes, expected",
    [
        (
            'src="/a.png" alt="x &quot;y&quot;  z"',
            'src="https://e.org/a.png" alt="x &quot;y&quot; z"',
        ),
        ('src="data:x" data-src="b.png"', 'src="https://e.org/d/b.png" alt=""'),
        ('srcset="c.png 1x, d.png 2x"', 'src="https://e.org/d/d.png" alt=""'),
        ('src="//cdn.org/e.png" onerror=alert(1)', 'src="https://cdn.org/e.png" alt=""'),
    ],
)
def test_image_attributes(attributes: str, expected: str) -> None:
    source = f"<p>a <img {attributes}> b</p>"
    assert rendered(source, url="https://e.org/d/p") == f"<p>a <img {expected}> b</p>"


@pytest.mark.parametrize(
    "href, expected",
    [
        ("https://a.org/b?c=1&amp;d", "https://a.org/b?c=1&amp;d"),
        ("mailto:a@b.org", "mailto:a@b.org"),
        ("/b", "/b"),
        ("#c", "#c"),
        (" \n/b\t", "/b"),
        ("/a b&quot;c&lt;", "/a%20b%22c%3C"),
        ("HTTPS://a.org", "HTTPS://a.org"),
        ("/a_(b)[c]", "/a_(b)%5Bc%5D"),
        ("http://[::1]/a[b]", "http://[::1]/a%5Bb%5D"),
        ("javascript:alert(1)", None),
        ("JaVaScRiPt:alert(1)", None),
        ("java\tscript:alert(1)", None),
        ("java&#10;script&colon;alert(1)", None),
        ("&#1;javascript:alert(1)", None),
        ("&#x6a;avascript:alert(1)", None),
        ("javascript :alert(1)", None),
        ("data:text/html,x", None),
        ("vbscript:x", None),
        ("file:///etc/passwd", None),
        ("blob:https://a.org/x", None),
    ],
)
def test_only_harmless_addresses_are_linked(href: str, expected: str | None) -> None:
    text = "x" if expected is None else f'<a href="{expected}">x</a>'
    assert rendered(f'<a href="{href}">x</a>') == f"<p>{text}</p>"


@pytest.mark.parametrize(
    "base, url, expected",
    [
        ("", "https://e.org/d/p", "https://e.org/d/x"),
        ("<base href=/b/>", "https://e.org/d/p", "https://e.org/b/x"),
        ("<base href=https://o.org/>", None, "https://o.org/x"),
        ("<base href=javascript:>", "https://e.org/d/p", "https://e.org/d/x"),
        ("<base href=javascript:>", None, "x"),
        ("<base href=data:a>", None, "x"),
        ("", "javascript:x", "x"),
        ("", "http://[", "x"),
    ],
)
def test_addresses_are_resolved(base: str, url: str | None, expected: str) -> None:
    assert rendered(f"{base}<a href=x>y</a>", url=url) in (
        f'<p><a href="{expected}">y</a></p>',
        "<p>y</p>" if url == "http://[" else "",
    )


ROUND_TRIPS = (
    "<p>a<b>b</b> c<br>d</p><ul><li>a<p>b</p><ol><li>c</ol></ul>",
    "<table><tr><td>a<table><tr><td>b</table><td>c</table>",
    "<a href=x><div>a<table><tr><td><a href=y>b</a></table></div></a>",
    "<figure><img src=a>b<figcaption>c</figcaption></figure><dl><dt><h2>a</h2><dd>b</dl>",
    "<button><p>a<button><p>b</p></button></p></button>",
    "<pre>\n\n\na\n b</pre><ruby>a<rt>b</rt></ruby><math><mi>x</mi></math>",
    "<li><li><li>a<dd>b<dt>c<h1>d<h2>e<blockquote><li>f",
    "<table><caption>a<table><tr><td>b</table></caption><tr><td>c</table>",
)


@pytest.mark.parametrize("source", ROUND_TRIPS)
def test_output_parses_to_itself(source: str) -> None:
    written = rendered(source)
    body = turbohtml.parse(written).select("body")[0]
    assert body.inner_html == written.replace("&quot;", '"')
    assert rendered(written) == written


@pytest.mark.parametrize(
    "tag", ["div", "b", "ul><li", "blockquote", "table><tr><td", "section><li"]
)
def test_deep_nesting(tag: str) -> None:
    source = f"<{tag}>x " * 3000
    written = rendered(source)
    text = turbohtml.parse(written).select("body")[0].text
    assert "".join(text.split()) == "".join("".join(joeira.parse(source).texts).split())


def test_the_html_of_a_region_is_raw() -> None:
    page = joeira.parse("<p onclick=x>a &amp; <b>b</b></p>")
    row = int(page.rows_of("p")[0])
    assert page.region(row).html == '<p onclick="x">a &amp; <b>b</b></p>'
    assert page.region(row + 1).html == "a &amp; "
