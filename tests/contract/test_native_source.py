"""A table that is read from the source of a page is that of its tree, or there is none."""

from __future__ import annotations

import random
from typing import Any

import pytest
import turbohtml

from joeira._native import native_available
from joeira.page import Page, tags
from support.walks import check, page_of, parsing

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")

TAGS = (
    "p div span a b i em strong font code h1 h2 ul ol li dl dt dd table caption colgroup col "
    "tbody thead tfoot tr td th form input button select option optgroup textarea pre script "
    "style noscript template svg path g title desc br hr img image section article nav main "
    "header footer html head body meta link base iframe object marquee ruby rt rp rb rtc "
    "label x-y center small tt u s strike big nobr blockquote address fieldset details "
    "summary dialog figure video canvas noindex listing xmp noframes noembed frameset frame "
    "plaintext math applet menu search area embed param source track wbr keygen foreignObject "
    "linearGradient use"
).split()
OFTEN = (
    "p div span a b i ul li table tr td tbody th form select option script svg template pre".split()
)
ATTRIBUTES = (
    "", "", "", " class=x", ' class="a b"', " id='q'", ' class="a&amp;b"', " class=a&amp;b",
    ' role="navigation main"', ' style="display:none"', " data-nosnippet", " aria-modal=true",
    ' href="/a?b=1&copy=2"', " class", " /", " CLASS=Up", ' itemprop=comment colspan="2"',
    " type=hidden", ' type="application/ld+json"', " name=description content='a &quot;b&quot;'",
    ' class="a\r\nb"', " =x y", " a=b/", " class=y class=z", " itemscope ITEMTYPE=b typeof",
    ' property="c d" content=e', " http-equiv=refresh", " rel='author me'",
    " type='x/LD+JSON;a'",
)  # fmt: skip
TEXTS = (
    "x", "foo bar", " ", "\n", "  \n ", "&amp;", "&nbsp;", "&#8217;s", "&notit;", "a<b", "< ", "&",
    "\r\n", "\u00e9", "\u2019", "&lt;p&gt;", "&copy", "1 < 2", "\U0001f600", "&#x80;", "&#0;",
    "&bogus;", "-->", "]]>", "'", '"', "=", "<!-- c -->", "<!---->", "<!-->", "<!-- a --!>",
    "<!doctype html>", "<![if x]>", "<?php x ?>", "</>", "</ x>", "<![CDATA[x]]>", "</br>", "</p>",
    "</body>", "</html>", "</head>", "<body class=z>", "<html lang=en class=k>",
    "</p class='a>b'>", "</b x=\"'>\">", "</div/'>", "</a b'c>", "</style x='>'>", "</pre '",
)  # fmt: skip


def soup(chance: random.Random) -> str:
    """Tags in any order, many of them in pairs."""
    pieces = [chance.choice(("", "<!doctype html>", "<html><head><title>t</title></head><body>"))]
    opened: list[str] = []
    tidiness = chance.random()
    for _ in range(chance.choice((3, 6, 12, 25, 50))):
        kind = chance.random()
        if kind < 0.4:
            tag = chance.choice(OFTEN if chance.random() < 0.6 else TAGS)
            written = "".join(chance.choices(ATTRIBUTES, k=chance.choice((0, 0, 1, 2))))
            pieces.append(f"<{tag}{written}>")
            opened.append(tag)
        elif kind < 0.65:
            if opened and chance.random() < tidiness:
                pieces.append(f"</{opened.pop()}>")
            else:
                pieces.append(f"</{chance.choice(opened or TAGS)}>")
        else:
            pieces.append(chance.choice(TEXTS))
    html = "".join(pieces)
    return html[: chance.randrange(len(html) + 1)] if chance.random() < 0.1 else html


def table_of(html: str) -> dict[str, Any] | None:
    table: dict[str, Any] | None = parsing._tree_markup().from_source(html, 100_000)
    return table


def check_below(page: Page) -> int:
    """Compare what the source tells of what is below elements with the tree; return how often."""
    rows = [row for row in range(page.body, len(page)) if page.tag[row] != tags.TEXT]
    written = [page.attributes.written_below(row) for row in rows]
    for row, told in zip(rows, written, strict=True):
        assert told is None or told == in_tree(page.attributes.below(row)[0])
    return len(written) - written.count(None)


def in_tree(element: Any) -> list[str | bool]:
    """What is below an element, without what is no text of the page."""
    tokens: list[str | bool] = []
    for node in element.children:
        if isinstance(node, turbohtml.Element):
            is_code = node.tag in tags.NUMBER and tags.NOT_TEXT[tags.NUMBER[node.tag]]
            tokens += [True, *([] if is_code else in_tree(node)), False]
        elif isinstance(node, turbohtml.Text | turbohtml.CData):
            tokens.append(node.data)
    return tokens


@pytest.mark.parametrize("seed", range(4))
def test_any_tags(seed: int) -> None:
    chance = random.Random(seed)
    plain = told = 0
    for _ in range(500):
        html = soup(chance)
        plain += table_of(html) is not None
        told += check_below(check(html))
    assert plain > 100
    assert told > 100


@pytest.mark.parametrize(
    "html",
    [
        "<a><u>\n<a>b",  # the second u goes on after the first
        "<b<pre>\na",
        "<li><video><tt></video>a",
        "<table><tr><td>a</table><pre>a</b>b</pre><pre>a<p>b</pre><ul><li>a<li> b</ul>",
    ],
)
def test_what_is_below_odd_elements(html: str) -> None:
    check_below(page_of(html, native=True))


def test_what_is_below_elements() -> None:
    html = (
        "<pre>\n<code>a<span>b &lt; c</span> \n<svg><path /><a>d</a></svg><!-- e --><br>\r\n"
        "<style>f</style>1 < 2</code></pre><ul> <li>g<li><table><tr><td><pre>\nh</pre></table></ul>"
    )
    page = check(html)
    assert check_below(page) == 10  # not of what is empty, foreign or without a tag
    row = int(page.rows_of("pre")[0])
    assert page.attributes.written_below(row) == [
        True, "a", True, "b < c", False, " \n", True, False, True, False, "\n", True, False,
        "1 < 2", False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "html",
    [
        "<!doctype html><title>a &amp; b</title><p>c<p>d<ul><li>e<li>f</ul>g",
        "<p><b>a</p><p>b</b>c</p>",
        "<a>b</a><a href=x>c<span>d</a>e",
        "<p>a<table><tr><td>b<td><i>c</table>d",
        "<!doctype html><p>a<table><th>b</table>",
        "<table><caption>a<tbody><tr><td><table><td>b</table>c</table>",
        "<table><col><colgroup><col></colgroup><thead><tr><th>a</table>b",
        "<form>a<div><p>b</form>c</div>d<form>e</form>",
        "<select><option>a<optgroup label=b><option>c</select>d",
        "<svg viewBox=a><linearGradient id=a /><title>b</title><style>c</style><path d=e/></svg>f",
        "<template><p class=a>b<template>c</template></p></template><p class=b>d",
        "a</font> b</body><!-- c --> </html> d",
        "<div>a<div class=b>c<body class=d><p>e",
        "<script>a<!--<script></script>--></script>b<style> &lt; </style><textarea>&lt;</textarea>",
        "<pre>\n\na</pre><listing>\r\nb</listing><xmp>&lt;</xmp>",
        "<dl><dt>a<dd>b<dt>c</dl><ruby>a<rt>b<rp>c</ruby></p></br>",
        "<head></head><script>a</script><link rel=b href=c> <body>d",
        "<image src=a><h1>b<h2>c</h1>d<button>e<button>f</button>g",
        "a&#x2019;b&#150;c&notin;d&notit;e&amp;amp;f&#xD800;g&lt",
        "\u0142<p class='a&gt;b'>c<p class='a>b'>d<p class=a&gt;b>e",
        "\U0001f600<p title='&copy=1&copy;'>a",
        "<b><p>a</b>b",
        "<a href=x><div>a<p>b<a href=y>c</a>d",
        "<b><i><span><u class=a><div>a<em>b</b>c</div>d</i>e",
        "<a><b><i><u><s><div><p>a</a>b",
        "<b><form><script>a</script><pre>b</pre></b><p>c</form>d<style>e</style>",
        "<b itemprop=a><div><p><script type='application/ld+json'>c</script></b>d<p itemprop=b>",
        "<b>a<button>b<table><tr><td>c</b>d</table>e",
        "<p><font><font><font><font size=1><font>a<p>b",
        "<p><b class=a><b class='a'><b CLASS=a><b class=a>a<p>b",
        "<nobr>a<nobr>b<p>c<nobr>d</nobr>e",
        "<table><input type=hidden><tr><INPUT TYPE=Hidden><td>a</table>",
        "<em><li></li><code>a</em> b",
        "<head></head><noscript>a</noscript><p>b",
        "<meta itemprop=a content=b><template><meta http-equiv=c></template><p itemscope>",
        "<meta http-equiv=a name=b content=c><svg itemprop=d><a itemprop=e></svg><p itemprop>",
        "<body><template class=a><p id=b class=c role=d></template><p class=c>e<body class=f id=g>",
        "<p class=a><form id=b><template><i class=c><p role=d></template><form class=d><p class=c>",
        "<body role=a><body data-nosnippet><p role=b>c",
        "<!doctype html public '-//ietf//dtd html//'><!doctype html><p>a<table><td>b",
        f"<{'x' * 120} class=a>b<svg><style>a<![CDATA[<b>]]></style><style><![CDATA[</style>c]]>",
        "<svg><!doctype a><?b?><!c></svg><svg><style>a<![CDATA[ b",
        "<p><svg><g></span>a</p>b<div><svg><path></div>c<svg></x-y></svg>d",
        "<svg><g><p class=a>b<svg><font color=c>d<svg><font>e</font></svg>f<svg></p>g<svg></br>h",
        "<svg><foreignObject class=a><p>b<b><i></p>c</foreignObject><desc><li>d<li></svg>e</desc>",
        "<ul><li><svg><title><b>a</title><li>b</svg>c<table><td><svg><foreignObject>d</td></table>e",
        "<svg><script>a<b class=c>d</b>&lt;</script><image/><input><textarea>e</textarea></svg>f",
        "<svg><altglyph></ALTGLYPH><foreignobject></foreignObject></svg><foreignobject>a<svg></svg>",
        "<table><tr><td><svg><foreignObject><table><tr><td>a</table>b</foreignObject></table>c",
        "<select><div>a</div><option>b<span>c<option><p>d<hr><optgroup><option>e</select>f",
        "<select class=a><option>b<select class=c>d<p class=e><select><b>f<input class=g>h</b>i",
        "<table><td><select><option><div></td><td><select>a</b></table><select><table></table>b",
        "<select><button><option>a</button>b<body class=c></p></x-y></select>d",
        "<table></div></b></a></x-y></select><tr></div><td>a</table><b><table></b></table>c",
        "</div></x-y></p></b><html></p><head></head></p><p>a",
        "</br>a",
        "</p><!doctype html><p>a<table><td>b",
        "</x-y><!doctype html><p>a<table><td>b",
        "a</body></template></ b> ",
        "<template><a><object></template>b",
        "<a href=b>" + "<div>" * 9 + "c<a>d<p>e",
        "<b>" + "<div>" * 9 + "c<i>d</i></b>e<p>f",
        "<template class=a><p class=b></template><b><p class=c>d</b>e<template><p class=f>",
    ],
)
def test_pages_that_are_plain_to_see(html: str) -> None:
    assert table_of(html) is not None
    check(html)


@pytest.mark.parametrize(
    "html",
    [
        "<table><input type=text><tr>", "<table>a<tr><td>b</table>", "<table><tr><p>a</table>",
        "<div>" * 600,
        "<frameset><frame></frameset>", "<math>a", "<svg><link>a", "<svg><template>a",
        "<plaintext>a", "<p>a\0b", "<p a='b", "<!-- a", "",
        "<select><selectedcontent>", "<template><tr><td>a</template>",
        "<head></head><head><link><p>a", "<head></head><html><link>a",
        "<table><col></col><col><tr><td>a",
        "\u2019<table><input a=b type=hidden c=d><tr><td>a", "<body><body aria-modal=true>a",
        "<b>" + "<div>" * 9 + "c</b>d", "<b><p><template><p></template></b>a",
        "<table></p>a</table>", "<table><td><select><table>a</table>",
    ],
)  # fmt: skip
def test_what_a_parser_would_have_to_move_is_left_to_it(html: str) -> None:
    assert table_of(html) is None
    check(html)


IN_SELECT = (
    "select option optgroup div p b a hr input button table tr td li svg template textarea script "
    "h1 form object"
).split()
IN_TABLE = "table tr td tbody caption div p b a i form li svg template select object nobr".split()
BLOCKS_IN_FORMATTING = "p div a b i em font nobr span u s code li ul h1 button form".split()
IN_SVG = (
    "svg g path title desc foreignObject style script a font p div b li table td linearGradient "
    "image textarea iframe input span template"
).split()


@pytest.mark.parametrize(
    "end",
    [
        "<", "</", "<p", "<p class=b", "<x-y id='c", "<p/", "</p", "</p x=y", "</x-y", "</p '>",
        "<!", "<!d", "<!-", "<!--", "<!-- d --", "<?e", "</ f", "<script>", "<script>a</script",
        "<script>a<!--", "<script>a<!--<script></script>", "<script>a</script ", "<style></b><",
        "<title>a &amp; b", "<title>a</", "<textarea>\n&lt;", "<iframe>c</iframe x", "&amp", "&",
        "<svg><style>a", "<svg><path", "<svg></svg", "<template>", "<template>\n", "<pre>\n",
        "<template><p class=b><template>a", "<template><table><tr><td id=b>", "<noscript><p>",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "start", ["<html>", "<head>", "<head></head> ", "<p class=a>b ", "<ul><li>", "<table><td>a"]
)
def test_pages_that_are_cut_off(start: str, end: str) -> None:
    html = start + end
    page = check(html)
    check_below(page)
    is_late = start == "<head></head> " and end.startswith(("<title", "<template"))
    assert (table_of(html) is None) == is_late


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "names,least", [(BLOCKS_IN_FORMATTING, 200), (IN_SVG, 100), (IN_SELECT, 200), (IN_TABLE, 60)]
)
def test_tags_that_end_each_other(names: list[str], least: int, seed: int) -> None:
    chance = random.Random(seed)
    plain = 0
    for _ in range(400):
        tags = chance.choices(names, k=chance.choice((4, 8, 16, 30)))
        written = (
            f"<{chance.choice(('', '', '/'))}{tag}{chance.choice(('', ' class=x', ' id=y'))}>"
            for tag in tags
        )
        html = "".join(f"{each}{chance.choice(('', 'x', ' '))}" for each in written)
        plain += table_of(html) is not None
        check_below(check(html))
    assert plain > least


@pytest.mark.parametrize(
    "piece", ["<a><div>", "<b><p>", "<b><p>a</b>", "<a><p><i><a>", "<nobr><p>"]
)
def test_moving_blocks_is_bounded(piece: str) -> None:
    for times in (100, 400):
        check(piece * times)
    page = page_of("<b><div>" + "<p>a</p>" * 20_000 + "</b><a>" * 200, native=True)
    assert page.text_count == 20_000


def test_no_tree_is_made_for_what_tags_tell() -> None:
    html = (
        "<p id=a class='b c' DATA-x=1 checked>d</p><pre class=e>\nf <b>g</b></pre><style>h</style>"
    )
    page = page_of(html, native=True)
    row = int(page.rows_of("p")[0])
    assert page.attributes.of(row) == {"id": "a", "class": "b c", "data-x": "1", "checked": ""}
    assert page.attributes.get(row, "checked") == ""
    assert page.attributes.get(row, "title") is None
    assert page.attributes.column("class") == ([row, row + 2], ["b c", "e"])
    assert page.attributes.inner_text(row + 2) == "f g"
    assert page.attributes.inner_texts("style") == ["h"]
    assert page.attributes.select("p[class~='c' i][checked]") == [row]
    assert page.attributes.having("data-x", "data-y") == [(row, page.attributes.of(row))]
    assert "_document" not in vars(page.attributes)
    assert page.attributes.select("pre[class],p[id],p[title],b") == [row, row + 2, row + 4]
    assert "_document" not in vars(page.attributes)
    assert page.attributes.select("pre > b") == [row + 4]
    assert "_document" in vars(page.attributes)


@pytest.mark.parametrize(
    "html,is_plain",
    [
        ("<title a=b>c &amp;\r\nd</TITLE ><p>e", True),
        ("<title>a < b <i>c</i></title><p>e", False),
        ("<title></title><iframe><b>c</b></iframe><p>d", True),
        ("<svg><title>a &lt;</title><style>d &gt; e</style><style/></svg>", True),
        ("<svg><style>a<![CDATA[b]]></style></svg><style>c", False),
        ("<template><svg><style>a</style></svg></template><svg><style>b</style></svg>", False),
        ("<p>a<svg><style>b<g>c</g></style></svg>", False),
        ("<pre>\na <i>b</i> <strong>c</strong> <var>d</var> <ins>e</ins></pre>", True),
        ("<p>a<b>b<p>c</b><svg><style>b</style></svg><svg><style>c</style></svg>d", True),
    ],
)
def test_texts_of_titles_and_styles_are_those_of_the_tree(html: str, is_plain: bool) -> None:
    page, reference = page_of(html, native=True), page_of(html, native=False)
    for tag in ("title", "style", "iframe", "pre"):
        for row in page.rows_of(tag).tolist():
            assert page.attributes.inner_text(row) == reference.attributes.inner_text(row)
    assert page.attributes.inner_texts("style") == reference.attributes.inner_texts("style")
    assert ("_document" not in vars(page.attributes)) == is_plain


@pytest.mark.parametrize(
    "html,is_plain",
    [
        (b"<meta charset=utf-8><p>a", True),
        (b"<META http-equiv='Content-Type' content='text/html; charset=UTF-8'><p>a", True),
        ("<meta charset='utf-8'><p>\u0142".encode(), True),
        (b"<meta charset=utf-8><p>\xff", False),
        (b"<meta charset=latin1><meta charset=utf-8><p>a", False),
        (b"<!-- <meta charset=utf-8> --><p>a", True),
        ("<!-- <meta charset=latin1> --><p>\u0142".encode(), True),
        (b"<?xml encoding='latin1'?><meta charset=utf-8><p>a", True),
        (b"\xef\xbb\xbf<meta charset=utf-8><p>a", False),
        (b"<p>a", True),
        ("<p>\u0142\u0105ka".encode(), True),
        ("<p>\u0142\u0105ka".encode("iso-8859-2"), False),
        (b"<p>" + b" " * 2000 + b"<meta charset=utf-8>a", False),
        ("<p>\u0142\u0105ka".encode() + b" " * 2000 + b"<meta charset=utf-8>a", True),
        ("<p>\u0142\u0105ka".encode() + b" " * 2000 + b"<meta charset=latin1>a", False),
        ("<p>\u0142".encode() + b" " * 2000 + b"<meta content='a; charset=koi8-r'>a", False),
        (b"<meta charset=utf-8>" + b" " * 2000 + b"<meta charset=latin1><p>a", False),
    ],
)  # fmt: skip
def test_bytes_whose_encoding_is_plain_to_see(html: bytes, is_plain: bool) -> None:
    assert (parsing._plain_table(html, (1000, 1000)) is not None) == is_plain
    check(html)


@pytest.mark.parametrize(
    "said",
    [
        "html", "html ", "HTML public '-//w3c//dtd html 3.2 final//en'", "html public 'html'", "x",
        "html public '-//w3c//dtd html 3.0//en'", "html public '-//ietf//dtd html 4//'", "",
        "html public '-//IETF//DTD HTML//EN' 'a'", "html public \"'html'\"", "html system",
        "html public '-//w3c//dtd html 4.01 transitional//en'", "html system 'about:legacy-compat'",
        "html public '-//w3c//dtd html 4.01 transitional//en' 'http://www.w3.org/a.dtd'",
        "html public '-//w3c//dtd html 4.01 transitional//en' ''", "html public", "html public 'a",
        'html system "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"',
        "html system ''",
    ],
)  # fmt: skip
def test_what_a_doctype_says_of_tables_in_paragraphs(said: str) -> None:
    check(f"<!doctype {said}><p>a<table><tr><td>b</table>")


SAID = ("", "class=a", "class='b c'", "lang=en", "LANG=fr", "itemscope itemtype=x", "hidden id=q")
"""What several tags may say of one element."""


@pytest.mark.parametrize("seed", range(2))
def test_what_several_tags_say_of_one_element(seed: int) -> None:
    chance = random.Random(seed)
    names = (("hidden", "id"), ("itemscope", "itemtype", "itemprop", "typeof"))
    known = 0
    for _ in range(300):
        one, two, three, four = chance.choices(SAID, k=4)
        more = [f"<body {three}>", f"<html {four}>", "<p>b", f"<body {four} data-x=a:b>"]
        html = f"<html {one}><body {two}><p class=a>a{''.join(chance.sample(more, 3))}"
        page, in_tree = page_of(html, native=True), page_of(html, native=True)
        in_tree.attributes._written = in_tree.attributes._seen = None
        quick, slow = page.attributes, in_tree.attributes
        known += all(map(quick._written.knows, (0, page.body))) if quick._written else 0
        for row in (0, page.body):
            assert list(quick.of(row).items()) == list(slow.of(row).items())
            assert quick.get(row, "lang") == slow.get(row, "lang")
        for wanted in names:
            assert list(quick.having(*wanted)) == list(slow.having(*wanted))
        assert quick.column("class") == slow.column("class")
        assert quick.column("data-x", ":") == slow.column("data-x", ":")
        assert quick.select("body[hidden]") == slow.select("body[hidden]")
        check_below(page)
    assert known == 300


def test_an_element_of_many_tags() -> None:
    check("<body>" * 100 + "a")
    check("<body class=a>" + "".join(f"<body data-{n}=x>" for n in range(100)) + "a")
