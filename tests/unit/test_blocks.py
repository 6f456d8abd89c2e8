"""Blocks: paragraph-like runs of text."""

from __future__ import annotations

import numpy as np
import pytest

import joeira


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<p>a</p><p>b</p>", ["a", "b"]),
        ("<p>a <b>b</b> c</p>", ["a b c"]),
        ("<p><b>W</b>ord</p>", ["Word"]),
        ("<span>Price</span><span>5</span>", ["Price 5"]),
        ("<a>one</a><a>two</a>", ["one two"]),
        ("H<sub>2</sub>O", ["H2O"]),
        ("a<br>b", ["a b"]),
        ("a<wbr>b", ["ab"]),
        ("a<img>b", ["a b"]),
        ("<div>a<p>b</p>c</div>", ["a", "b", "c"]),
        ("<div>a<p></p>b</div>", ["a", "b"]),
        ("<div>a<hr>b</div>", ["a", "b"]),
        ("<ul><li>a<li>b</ul>", ["a", "b"]),
        ("<p>a<!-- c -->b</p>", ["ab"]),
        ("<p>a<script>x</script>b</p>", ["ab"]),
        ("<b>a</b> <b>b</b>", ["a b"]),
        ("<b>a</b>&nbsp;<b>b</b>", ["a b"]),
        ("<p>  a\n\n b </p>", ["a b"]),
        ("<table><tr><td>a<td>b", ["a", "b"]),
        ("<my-part>a</my-part>b", ["ab"]),
        ("", []),
    ],
)
def test_texts(html: str, expected: list[str]) -> None:
    assert list(joeira.parse(html).blocks.texts) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("un<span>believ</span>able", "unbelievable"),
        ("<span class=cap>T</span>he", "The"),
        ("<a>climate treat</a>y.", "climate treaty."),
        ("Kelce<span>‘s</span>", "Kelce‘s"),
        ('"<a>quoted</a>"', '"quoted"'),
        ("<a>x.org</a>/path", "x.org/path"),
        ("Patriot<span>-Flugabwehr</span>", "Patriot-Flugabwehr"),
        ("<a><i>deep</i></a>er", "deeper"),
        ("a<span></span>b", "ab"),
    ],
)
def test_an_inline_element_and_the_text_beside_it_are_one_word(html: str, expected: str) -> None:
    assert joeira.parse(f"<p>{html}</p>").blocks.texts == (expected,)


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<code>http://<span>localhost</span>/w/</code>", "http://localhost/w/"),
        ("<code><span>f</span><span>(x)</span></code>", "f(x)"),
        ("<pre><span>f</span><a>g</a></pre>", "fg"),
        ("<kbd><a>Ctrl</a><a>C</a></kbd>", "CtrlC"),
        ("<span>E=mc</span><sup>2</sup>", "E=mc2"),
        ("<span>H</span><sub><a>2</a></sub><span>O</span>", "H2O"),
        ("<var>x</var><span>n</span>", "xn"),
        ("<samp>a</samp><span>b</span>", "ab"),
        ("<code>a<br>b</code>", "a b"),
    ],
)
def test_code_and_small_print_have_no_space_but_what_is_written(html: str, expected: str) -> None:
    assert joeira.parse(html).blocks.texts == (expected,)


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<span>Price</span><span>5</span>", ["Price 5"]),
        ("<li><a>one</a><a>two</a><li>three", ["one two", "three"]),
        ("<tr><td>a</td><td>b</td></tr>", ["a", "b"]),
        ("<div><span><b>tile</b></span><span>10</span><span>left</span></div>", ["tile 10 left"]),
        ("<span>yes</span><span>, no</span>", ["yes, no"]),
        ("<span>(</span><span>no)</span>", ["(no)"]),
        ("<span>日</span><span>本</span>", ["日本"]),
    ],
)
def test_pieces_without_text_beside_them_stay_apart(html: str, expected: list[str]) -> None:
    page = joeira.parse(f"<table>{html}</table>" if html.startswith("<tr>") else html)
    assert list(page.blocks.texts) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<p>Hello <kw>DVD</kw> world", ["Hello DVD world"]),
        ("<my-icon>x</my-icon>y", ["xy"]),
        ("<my-date>May</my-date><my-time>noon</my-time>", ["May noon"]),
        ("a<my-box><p>b</p></my-box>c", ["a", "b", "c"]),
        ("a<my-box><my-body><span><p>b</p></span></my-body>c</my-box>", ["a", "b", "c"]),
        ("<style>kw{display:block}</style>a<kw>b</kw>c", ["a", "b", "c"]),
        ("<style>x-y .kw, kw{color:red;display: flex}</style>a<kw>b</kw>c", ["a", "b", "c"]),
        ("<style>.line{display:block}</style>a<kw class=line>b</kw>c", ["a", "b", "c"]),
        ("a<kw style='color: red; DISPLAY: grid'>b</kw>c", ["a", "b", "c"]),
        ("<style>kw{display:block}</style><x-y>a<kw>b</kw></x-y>c", ["a", "b", "c"]),
        ("<style>kw{display:block}</style>a<kw style='display:inline'>b</kw>c", ["abc"]),
        ("<style>kw{display:block} p kw{display:inline}</style><p>a<kw>b</kw>c", ["abc"]),
        ("<style>@media print{kw{display:block}}</style>a<kw>b</kw>c", ["abc"]),
        ("<style>a kw x{display:block}</style>a<kw>b</kw>c", ["abc"]),
        ("a<kw style='display:block'></kw>c", ["a c"]),
    ],
)
def test_unknown_elements_are_inline_as_in_browsers(html: str, expected: list[str]) -> None:
    assert list(joeira.parse(f"<body>{html}").blocks.texts) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("Name<span style='display: block'>Role</span>", "Name Role"),
        ("<em style='display:block'>Name</em>Role", "Name Role"),
        ("Name<span style='display:inline-block'>s</span>", "Names"),
        ("<style>.br{display:block}</style>One.<span class=br></span>Two.", "One. Two."),
        ("<style>.a .br{display:block}</style>One.<span class=br></span>Two.", "One.Two."),
        ("<style>.a{display:block}</style>One<i><b class=a>Two</b></i>Three", "One Two Three"),
        ("<style>.a{display:block} i .a{display:inline}</style>A<i><b class=a>B</b></i>", "AB"),
    ],
)
def test_own_styles_begin_and_end_lines(html: str, expected: str) -> None:
    assert joeira.parse(f"<p>{html}</p>").blocks.texts == (expected,)


def test_owner_and_texts_of_blocks() -> None:
    page = joeira.parse("<div>a<b>b</b><p>c</p>d</div>")
    blocks = page.blocks
    assert len(blocks) == 3
    assert [page.tag_name(row) for row in blocks.owner] == ["div", "p", "div"]
    assert blocks.first.tolist() == [0, 2, 3, 4]
    assert blocks.of_text.tolist() == [0, 0, 1, 2]
    assert blocks.sums(np.array([1, 2, 4, 8])).tolist() == [3, 4, 8]


def test_no_blocks() -> None:
    blocks = joeira.parse("").blocks
    assert len(blocks) == 0
    assert blocks.first.tolist() == [0]
    assert blocks.sums(np.zeros(0, np.int32)).tolist() == []


def test_joined_texts_are_spaced_as_in_the_block() -> None:
    page = joeira.parse("<p>a<b>b</b> <a>c</a></p>")
    assert page.joined(0, 3) == "ab c"
    assert page.joined(1, 2) == "b"


def test_text_of_a_subtree() -> None:
    page = joeira.parse("<div><p>a  b</p><p>c</p></div>d")
    assert page.text_of(3) == "a b c"
    assert page.text_of(0) == "a b c d"
