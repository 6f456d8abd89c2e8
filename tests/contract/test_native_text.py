"""The kernel that writes prose and lists writes the same text as the stream of events."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import joeira
from joeira._native import native_available
from joeira.page import Page, blocks
from joeira.render import footnotes, listings, selection, text
from support.examples import EXAMPLES
from support.hostile import FAMILIES
from support.html import documents
from support.mutants import html5lib_inputs

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")

_PARTS = st.sampled_from(
    (
        "<ul>", "</ul>", "<ol>", "</ol>", "<ol start=7>", "<ol class=comments>", "<li>", "</li>",
        "<input>", "<label>",
        "<menu>", "<p>", "</p>", "<div>", "</div>", "<h2>", "</h2>", "<a href=#>#</a>", "<br>",
        "<hr>", "<blockquote>", "</blockquote>", "<figure>", "</figure>", "<figcaption>",
        "<dl>", "</dl>", "<dt>", "</dt>", "<dd>", "</dd>", "<pre>x\n y</pre>",
        "<select><option>x<option>y</select>", "<table><tr><td>", "</table>", "<b>bold</b>", " ",
        "word", "two  words", " lead", "trail\n", "日本語", "<span>a</span><span>b</span>",
    )
)  # fmt: skip
lists = st.lists(_PARTS, max_size=30).map("".join).map("<p>{}".format)
"""Lists, headings and quotations, in and beside each other as no author would write them."""


def check(page: Page, keep: np.ndarray) -> str | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "native_available", False)
        expected = text.render(page, keep)
    if keep.any():
        quick = text._quick_text(page, keep)
        assert quick in (None, expected)
    assert text.render(page, keep) == expected
    return expected


def check_spaces(page: Page, keep: np.ndarray) -> None:
    """What is told of chosen texts is what is known of all, and no mark is missed."""
    chosen = (keep.view(np.uint8), page.text_linked.view(np.uint8), footnotes.MAX_MARK_CHARS)
    before, marks = blocks.chosen_spaces(page, chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "native_available", False)
        expected = blocks.space_before(page)
    known = vars(page).pop("space_before", None)
    for start in range(0, page.text_count, 3):
        between = blocks.spaces_between(page, start, start + 5)
        assert [*map(bool, between)] == expected[start + 1 : start + 5].tolist()
    assert known is None or known.tolist() == expected.tolist()
    assert blocks.space_before(page).tolist() == expected.tolist()
    beside = keep.copy()
    beside[1:] &= keep[:-1]
    beside[:1] = False
    assert np.frombuffer(before, bool)[beside].tolist() == expected[beside].tolist()
    linked = (keep & page.text_linked).nonzero()[0].tolist()
    are_marks = {text for text in linked if footnotes._is_mark(page.texts[text])}
    assert are_marks <= {*marks} <= {*linked}


def check_boxes(page: Page, keep: np.ndarray) -> None:
    """Boxes are found by both, those of items with kept texts by one alone."""
    expected = selection._boxes(page)
    assert selection._quick_boxes(page, None) == expected
    first, stop = page.text_index, page.text_index[page.end]
    kept = [each for each in expected if keep[first[each[1]] : stop[each[1]]].any()]
    assert selection._quick_boxes(page, keep) == kept


def check_any(html: str | bytes, seed: int) -> None:
    page = joeira.parse(html)
    check_boxes(page, np.random.default_rng(seed).random(len(page.texts)) < 0.3)
    check_spaces(page, np.random.default_rng(seed).random(len(page.texts)) < 0.8)
    check(page, np.ones(len(page.texts), bool))
    check(page, np.random.default_rng(seed).random(len(page.texts)) < 0.6)


_SPACES = [chr(code) for code in range(0x3001) if chr(code).isspace()]


@pytest.mark.parametrize("letter", ["a", "é", "“", "日", "𝒳"])
def test_white_space_of_any_kind(letter: str) -> None:
    for space in _SPACES:
        for gap in (space, f" {space}", f"{space} ", f"{letter}{space}{letter}  {letter}"):
            line = f"{space}word {letter * 40}{gap}{letter * 40} word{space}"
            page = joeira.parse(f"<p>{line}<p>{line}")
            assert check(page, np.ones(len(page.texts), bool)) is not None


_LINKS = st.text("[(12nNotTeEaKſ*†§¶)] .x７", max_size=8)


@EXAMPLES
@given(st.lists(_LINKS, max_size=6))
@example(["note", "(NOTE)", "[12]", "a", "ſ", "*", "††", "abc1234", "abcd1", "７", "((1))", "1.x"])
def test_any_mark(links: list[str]) -> None:
    check_any("<p>" + "".join(f"a<a href=#x>{link}</a>" for link in links), 0)


def test_texts_of_nothing_but_invisible_characters() -> None:
    words = "Some words of a sentence, which goes on. " * 20
    html = f"<article><b>\u200b</b><i>a</i><p>{words}<b>\u200b</b><i>b</i><p>\u200b<p>{words}"
    content = joeira.extract(html, "all_text").visible()
    assert "" in content.page.texts
    check(content.page, content.keep)
    check_spaces(content.page, content.keep)


@EXAMPLES
@given(lists, st.integers(0, 9))
@example("<p><ul>a<li>b<ul><li>c<p>d</ul>e<figcaption>f</figcaption><ol><li>g<br><br>h", 0)
@example("<p><h2>a<br>b<ul><li>c</ul></h2><h2>a<br>b <a href=#>#</a></h2>", 0)
@example("<p>a<br><br>b<li>c<br><br>d<hr>e", 0)
@example("<p>a<dl>b<dt>c<dt>d<ul><li>e<li>f</ul>g<dd>h<dd>i<br><br>j<dt>k</dl>l<dd>m<hr>n<dt>o", 0)
@example("<p><dl><dt>a<pre>b</pre>c<dt>d<table><tr><td>e<dl><dt>f<dd>g</dl>h<td>i</table>j</dl>", 0)
def test_any_lists(html: str, seed: int) -> None:
    check_any(html, seed)


@EXAMPLES
@given(documents, st.integers(0, 9))
def test_any_page(html: str, seed: int) -> None:
    check_any(html, seed)


@pytest.mark.parametrize("name", FAMILIES)
def test_hostile_pages(name: str) -> None:
    check_any(FAMILIES[name].make(FAMILIES[name].small), 1)


def test_pages_by_which_parsers_are_tested() -> None:
    for number, html in enumerate(html5lib_inputs()):
        check_any(html, number)


_NOTES = st.sampled_from(
    (
        "a<sup><a href=#n1 id=r1>1</a></sup>", "b [<a href=#n2 id=r2>2</a>] c", "d<sup>3</sup>",
        "x<sup>2</sup>", "<sup>2, <a href=#n4 id=r4>4</a></sup>9", "<sub><a href=#n1>1</a></sub>",
        "<h2>e <a href=#n1>1</a></h2>", "<ol class=footnotes>", "</ol>", "<ul>", "</ul>", "<li>",
        "<li id=n1>one word <a href=#r1>↩</a>", "<li id=n2><p>two<p>words <a href=#r2>^</a>",
        "<p id=n1>1. first note <a href=#r1>back</a>", "<p id=n2><a href=#r2>[2]</a> second note",
        "<p><a name=n2></a>2 note <a name=n4></a>4 other note</p>", "<p><sup>3</sup> third note",
        "<h3>Notes</h3>", "<p>word word", "<div>", "</div>", "<br>", "<hr>", "<table><tr><td>",
        "</table>", "<pre>a\n b</pre>", "<ol><li>", "<dl><dt>a<dd>b</dl>", "<blockquote>",
        " more words ", "<li id=n4>four",
    )
)  # fmt: skip


@EXAMPLES
@given(st.lists(_NOTES, max_size=24).map("".join), st.integers(0, 9))
@example("<ol class=footnotes><li id=n1>one<ul><li>two</ul>three<pre>four</pre></ol>", 0)
@example("<p id=n1>1. one <a href=#r1>^</a><p>two<br><br>three<table><tr><td>four", 0)
def test_any_notes(html: str, seed: int) -> None:
    check_any(f"<p>a<sup><a href=#n1 id=r1>1</a></sup>, <a href=#n2 id=r2>[2]</a> {html}", seed)


def test_notes_are_written_without_the_reference() -> None:
    page = joeira.parse(
        "<p>a<sup><a href=#n1 id=r1>1</a></sup>, b [<a href=#n2 id=r2>2</a>]<ol>"
        "<li id=n1><p>one<p>more <a href=#r1>^</a><li id=n2>two <a href=#r2>^</a></ol>c"
    )
    expected = "a[^1], b [^2]\n\n[^1]: one\n\n    more\n\n[^2]: two\n\nc"
    keep = np.ones(page.text_count, bool)
    assert text._quick_text(page, keep) == check(page, keep) == expected


def test_notes_in_the_middle_of_a_line_are_left_to_the_reference() -> None:
    page = joeira.parse("<p>a<span class=footnote>note of words</span> b")
    keep = np.ones(page.text_count, bool)
    assert text._quick_text(page, keep) is None
    assert check(page, keep) == "a[^note1] b\n\n[^note1]: note of words"


_CODE = st.sampled_from(
    (
        "<span class=line>", "<span>", "</span>", "<div>", "</div>", "<br>", "let", "x = 1;\n",
        "  ", "\n", "<b class=lineno>1</b>", "<b class=lineno>2\n</b>", "<button>Copy</button>",
        "<svg><path/>icon</svg>", "<!-- note -->", "<template><p>x</template>", "<td>", "<a>y</a>",
        "<script>z</script>", "<table><tr><td>1\n2<td>", "</table>",
    )
)  # fmt: skip


@EXAMPLES
@given(st.lists(_CODE, max_size=30).map("".join), st.integers(0, 9))
def test_any_listing(code: str, seed: int) -> None:
    page = joeira.parse(f"<p>a<pre>{code}</pre><div class=codeblock>{code}</div>")
    keep = np.random.default_rng(seed).random(len(page.texts)) < 0.8
    for row in (*page.rows_of("pre").tolist(), *page.rows_of("div").tolist()):
        quick = listings.code_of(page, [row], keep)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(listings, "native_available", False)
            assert listings.code_of(page, [row], keep) == quick


_WORDS = st.text("ab \n\u2003é日𝒳", max_size=8)


@EXAMPLES
@given(_WORDS, st.lists(_WORDS, max_size=4).map(tuple))
@example("a b", ("a", " ", "b\n"))
@example("a b", ("a",))
@example("a", ("a", "b"))
@example(" \n", ())
def test_any_characters_of_a_listing(code: str, texts: tuple[str, ...]) -> None:
    same = listings.kernels.same_characters
    assert same(code, texts) == listings._same_characters(code, texts)
    assert same("\n".join(texts), texts)


def test_a_listing_of_other_columns_is_refused() -> None:
    read = listings.kernels.Listing(0).read
    one, kinds, keep = np.ones(1, np.int32), np.zeros(1, np.uint8), np.ones(1, np.uint8)
    assert read([], (one, kinds), ("a",), keep) == []
    for rows, texts in (((one, kinds[:0]), ("a",)), ((one + 1, kinds), ("a",)), ((one, kinds), ())):
        with pytest.raises(ValueError, match="do not fit"):
            read([], rows, texts, keep)


def test_what_is_seldom_is_left_to_the_reference() -> None:
    page = joeira.parse("<p>x<sup>2<sub>3</sub></sup>")
    assert text._quick_text(page, np.ones(3, bool)) is None
    assert text._quick_text(page, np.array([True, False, False])) == "x"


def test_terms_are_written_without_the_reference() -> None:
    page = joeira.parse("<dl><dt>a<dd>b<dd>c</dl>d<dt>e")
    assert text._quick_text(page, np.ones(5, bool)) == "a: b\n\nc\n\nd\ne"


def test_columns_that_do_not_fit_are_refused() -> None:
    page = joeira.parse("<p>a<p>b")
    keep, space, linked = (np.ones(2, np.uint8) for _ in range(3))
    rows = (page.known_tag, page.end, page.text_index)
    blocks = page.block_bounds
    special = ([0], [1], ())
    texts = (page.characters.codes, page.characters.starts)
    write = text._kernel()().write
    for wrong in (
        (rows, (keep[:1], space, linked), blocks, special),
        (rows, (keep, space, linked), blocks, ([len(page)], [], ())),
        (rows, (keep, space, linked), blocks, ([], [-1], ())),
        (rows, (keep, space, linked), blocks, ([], [], ([], [len(page)], {}, {}))),
        (rows, (keep, space, linked), blocks, ([], [], ([(0, len(page) + 1, "")], [], {}, {}))),
        (rows, (keep, space, linked), blocks, ([], [], ([(1, 1, "")], [], {}, {}))),
        (rows, (keep, space, linked), blocks, ([], [], ([(0, 1, ""), (0, 1, "")], [], {}, {}))),
        ((rows[0], rows[1][:-1], rows[2]), (keep, space, linked), blocks, special),
        ((rows[0], rows[1] + 9, rows[2]), (keep, space, linked), blocks, special),
        ((rows[0] + 300, rows[1], rows[2]), (keep, space, linked), blocks, special),
        ((rows[0], rows[1], rows[2] + 9), (keep, space, linked), blocks, special),
        (rows, (keep, space, linked), (blocks[0] + 99, blocks[1]), special),
        (rows, (keep, space, linked), (blocks[0], blocks[1] - 1), special),
    ):
        with pytest.raises(ValueError, match=r"beyond|fit|more"):
            write(text._Answers(page, keep), texts, *wrong)
    for codes, starts in (
        (texts[0][:2], texts[1]),
        (texts[0], texts[1] - 1),
        (texts[0], texts[1] * 0),
    ):
        with pytest.raises(ValueError, match="beyond"):
            write(
                text._Answers(page, keep),
                (codes, starts),
                rows,
                (keep, space, linked),
                blocks,
                ([], [], ()),
            )
