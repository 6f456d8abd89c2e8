"""Symbols of paths and shapes."""

from __future__ import annotations

import joeira
from joeira.page import tags
from joeira.page.model import Page


def last(html: str) -> tuple[Page, int]:
    page = joeira.parse(html)
    return page, int(page.text_rows[-1])


def test_symbols_never_change() -> None:
    # Stored site models compare symbols of today with those of pages parsed years later.
    assert tags.symbol("div") == 0xE55E6C101B340846


def test_equal_paths_on_different_pages_are_equal() -> None:
    one, row = last("<div><p>a</p></div>")
    other, other_row = last("<h1>x</h1><div><div></div><p>y</p></div>")
    assert one.path[row] == other.path[other_row]


def test_own_tags_have_the_same_symbols_on_every_page() -> None:
    one, row = last("<x-a>a</x-a>")
    other, other_row = last("<x-b></x-b><x-a>a</x-a>")
    assert one.tag[row - 1] != other.tag[other_row - 1]
    assert one.path[row] == other.path[other_row]


def test_styled_paths_differ_by_class_and_style_along_the_path() -> None:
    page = joeira.parse(
        "<p><b>1</b></p><p class=x><b>2</b></p><p class=' x '><b>3</b></p><p style=x><b>4</b></p>"
    )
    one, two, three, four = page.styled_path[page.text_rows].tolist()
    assert two == three
    assert len({one, two, four}) == 3
    assert len(set(page.path[page.text_rows].tolist())) == 1


def test_class_is_no_tag_and_no_style() -> None:
    page = joeira.parse("<p class=div></p><div class=p></div><p style=div></p>")
    assert len(set(page.styled_path[3:].tolist())) == 3


def test_shapes_ignore_what_the_leaves_are() -> None:
    page = joeira.parse("<ul><li><b>a</b>b</li><li><b><img></b><br></li><li>d</li></ul>")
    one, two, three = (page.shape[row] for row in page.rows_of("li"))
    assert one == two
    assert one != three
