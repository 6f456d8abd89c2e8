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
        ("<p>a<script>x</script>b</p>", ["a b"]),
        ("<b>a</b> <b>b</b>", ["a b"]),
        ("<b>a</b>&nbsp;<b>b</b>", ["a b"]),
        ("<p>  a\n\n b </p>", ["a b"]),
        ("<table><tr><td>a<td>b", ["a", "b"]),
        ("<my-part>a</my-part>b", ["a", "b"]),
        ("", []),
    ],
)
def test_texts(html: str, expected: list[str]) -> None:
    assert list(joeira.parse(html).blocks.texts) == expected


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
