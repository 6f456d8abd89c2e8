"""Every block is found again at its stated place in the source."""

from collections import Counter

import pytest
from hypothesis import given

import joeira
from joeira.page.nodes import MAX_ROWS, SourcePlaces
from strategies import pages
from support.command_line import EXAMPLES


def check(html: str) -> None:
    for block in joeira.extract(html).explain():
        assert block.span is not None
        start, end = block.span
        assert html[start] == "<"
        there = "".join(joeira.parse(html[start:end]).texts)
        # Letters, not words: where markup joins or parts them, the part says it differently.
        assert not Counter("".join(block.text.split())) - Counter(there), block


@given(pages())
def test_the_text_of_a_block_are_where_it_says(html: str) -> None:
    check(f"<html><body>{html}</body></html>")


@pytest.mark.parametrize("name", ["article", "forum", "listing", "service"])
def test_on_real_markup(name: str) -> None:
    check((EXAMPLES / f"{name}.html").read_text("utf-8"))


def places(html: str | bytes) -> dict[str, tuple[int, int]]:
    page = joeira.parse(html)
    start, stop = SourcePlaces(page).spans()
    return {
        page.tag_name(row): (int(start[row]), int(stop[row]))
        for row in range(len(page))
        if not page.is_text[row]
    }


def test_elements_that_are_not_closed_end_where_the_next_begins_or_the_parent_ends() -> None:
    html = "<ul><li>one<b>1</b><li class=x>two</ul><p>last"
    page = joeira.parse(html)
    start, stop = SourcePlaces(page).spans()
    items = page.rows_of("li")
    assert [html[start[row] : stop[row]] for row in items] == ["<li>one<b>1</b>", "<li class=x>two"]
    assert start[page.rows_of("body")[0]] == -1, "no tag makes it"


def test_line_breaks_count_once_and_a_mark_at_the_start_of_bytes_not_at_all() -> None:
    assert places("<p>a\r\n<b>x</b></p>")["b"] == (5, 13)
    assert places(b"\xef\xbb\xbf<p>\xc3\xa1<b>x</b></p>")["b"] == (4, 12)


def test_an_empty_page_has_no_places() -> None:
    assert places("") == {"html": (-1, -1), "head": (-1, -1), "body": (-1, -1)}


def test_a_very_long_page_is_not_parsed_again() -> None:
    page = joeira.parse("<br>" * (MAX_ROWS + 1))
    assert SourcePlaces(page).spans()[0].max() == -1
