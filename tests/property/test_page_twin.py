"""Every column of the page table against a plain walk over the parser's nodes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from hypothesis import example, given

import joeira
from joeira._native import native_available
from joeira.page import Page
from support.examples import EXAMPLES
from support.html import documents
from support.twin import Twin


def test_twin_reads_a_known_page() -> None:
    twin = Twin("<p>a <b>b</b></p> <script>c</script>d")
    assert [row.name for row in twin.rows] == "html head body p #text b #text script #text".split()
    assert [row.gap_before for row in twin.texts] == [False, False, True]
    assert [row.tags_before for row in twin.rows] == [1, 1, 2, 1, 0, 1, 0, 3, 1]
    assert twin.blocks() == [(3, [0, 1]), (2, [2])]
    assert twin.space_before() == [True, True, True]


@EXAMPLES
@given(documents)
def test_structure(html: str) -> None:
    page, rows = joeira.parse(html), Twin(html).rows
    assert [page.tag_name(row) for row in range(len(page))] == [row.name for row in rows]
    assert page.parent.tolist() == [row.ancestors[-1] if row.ancestors else -1 for row in rows]
    assert page.end.tolist() == [row.end for row in rows]
    assert page.depth.tolist() == [len(row.ancestors) for row in rows]
    assert page.is_text.tolist() == [row.text is not None for row in rows]
    assert page.tags_before.tolist() == [row.tags_before for row in rows]


@EXAMPLES
@given(documents)
def test_texts(html: str) -> None:
    page, twin = joeira.parse(html), Twin(html)
    assert list(page.texts) == [row.text for row in twin.texts]
    assert page.gap_before.tolist() == [row.gap_before for row in twin.texts]
    assert page.chars.tolist() == [twin.chars(row) for row in twin.rows]
    assert page.words.tolist() == [twin.words(row) for row in twin.rows]
    linked = [twin.linked(row) for row in twin.rows]
    assert page.linked_chars.tolist() == (page.chars * np.array(linked)).tolist()
    assert page.linked_words.tolist() == (page.words * np.array(linked)).tolist()
    assert page.in_head.tolist() == [twin.in_head(row) for row in twin.rows]


@EXAMPLES
@given(documents)
@example('<p class="div"></p><div class="p"></div>')
@example('<p class=" "></p><p></p><p style=""></p>')
@example('<p class="a" style="b"></p><p class="b" style="a"></p>')
def test_symbols(html: str) -> None:
    page, twin = joeira.parse(html), Twin(html)
    assert classes(page.path.tolist()) == classes(
        [tuple(map(str, twin.names_to(row))) for row in twin.rows]
    )
    assert classes(page.styled_path.tolist()) == classes(
        [twin.styled_path(row) for row in twin.rows]
    )
    assert classes(page.shape.tolist()) == classes([twin.shape(row) for row in twin.rows])


@EXAMPLES
@given(documents)
def test_blocks(html: str) -> None:
    page, twin = joeira.parse(html), Twin(html)
    blocks, spaces = twin.blocks(), twin.space_before()
    assert page.space_before.tolist() == spaces
    assert page.blocks.owner.tolist() == [owner for owner, _ in blocks]
    assert page.blocks.first.tolist() == [*(texts[0] for _, texts in blocks), len(twin.texts)]
    assert page.blocks.of_text.tolist() == [
        number for number, (_, texts) in enumerate(blocks) for _ in texts
    ]
    assert list(page.blocks.texts) == [
        " ".join("".join(" " * spaces[text] + page.texts[text] for text in texts).split())
        for _, texts in blocks
    ]


@EXAMPLES
@given(documents)
def test_hidden(html: str) -> None:
    page, twin = joeira.parse(html), Twin(html)
    assert [page.hidden_reason(row) for row in range(len(page))] == [
        twin.hidden(row) for row in twin.rows
    ]


@EXAMPLES
@given(documents)
def test_every_word_is_in_exactly_one_decision(html: str) -> None:
    page = joeira.parse(html)
    content = joeira.extract(page, "all_text")
    told = " ".join(decision.text for decision in content.explain())
    assert "".join(told.split()) == "".join("".join(page.texts).split())
    assert content.blocks() == [d.text for d in content.explain() if d.kept]


@EXAMPLES
@given(documents)
def test_attributes(html: str) -> None:
    page, twin = joeira.parse(html), Twin(html)
    for number, row in enumerate(twin.rows):
        expected = (
            {} if row.text is not None else {n: row.node.attr(n) or "" for n in row.node.attrs}
        )
        assert page.attributes.of(number) == expected
    assert page.attributes.select("[class]") == rows_with(page, "class")


def rows_with(page: Page, name: str) -> list[int]:
    return [row for row in range(len(page)) if page.attributes.get(row, name) is not None]


def classes(values: Sequence[Hashable]) -> list[int]:
    """Return the number of each value in order of first appearance."""
    number: dict[Hashable, int] = {}
    return [number.setdefault(value, len(number)) for value in values]


@EXAMPLES
@given(documents)
@example("<style>.k{display:block}</style><p>a<b>b</b>c<p>a<b class=k>b</b>c<i class=k>d</i>")
def test_joined_texts(html: str) -> None:
    whole, texts = joeira.parse(html).space_before.tolist(), joeira.parse(html).texts
    page = joeira.parse(html)
    for start in range(len(texts)):
        for stop in range(start + 1, min(start + 4, len(texts)) + 1):
            line = "".join(" " * whole[text] + texts[text] for text in range(start, stop))
            assert page.joined(start, stop) == " ".join(line.split())


def test_styles_are_asked_only_about_texts_that_they_may_set_apart() -> None:
    page = joeira.parse("<style>.k{display:block}</style><p>a<b>b</b>c<p>a<b class=k>b</b>c")
    assert page.joined(0, 2) == "ab"
    assert page.joined(3, 6) == "a b c"
    assert ("space_before" in vars(page)) != native_available
    plain = joeira.parse("<p>a <i>b</i> c<p>d <b>e</b>")
    assert plain.joined(0, 3) == "a b c"
    assert ("space_before" in vars(plain)) != native_available
