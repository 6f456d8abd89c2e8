"""Whatever is emphasised, another reader of Markdown reads the words of the page, and no stars."""

from __future__ import annotations

import turbohtml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import joeira
from support.examples import EXAMPLES

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
PIECES = ("a", "b c", "(x)", ". ", '"q"', "é", "中", "「字」", "*", "_", "1", "! ", "-", " ")
TAGS = ("b", "i", "s", "code", "a href=/x", "em", "span", "strong")


@st.composite
def elements(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    tag = draw(st.sampled_from(TAGS))
    return f"<{tag}>{draw(inner)}</{tag.split()[0]}>"


lines = st.recursive(
    st.sampled_from(PIECES),
    lambda inner: st.lists(elements(inner) | inner, min_size=1, max_size=4).map("".join),
    max_leaves=14,
)


@EXAMPLES
@given(lines)
def test_stars_never_show(line: str) -> None:
    content = joeira.extract(f"<p>{line}</p>", "all_text")
    shown = turbohtml.parse(READER.render(content.markdown())).text
    assert "".join(shown.split()) == "".join(content.text().split())
