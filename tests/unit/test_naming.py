"""What elements are called: class, id and role."""

from __future__ import annotations

import pytest

import joeira


def roles(html: str) -> list[str]:
    """Return what each paragraph says it is."""
    page = joeira.parse(html)
    number, distinct = page.roles
    return [distinct[number[row]] for row in page.rows_of("p")]


@pytest.mark.parametrize(
    "attributes, role",
    [
        ("", ""),
        ("role=dialog", "dialog"),
        ("role='  Navigation  menu '", "navigation"),
        ("role=''", ""),
        ("role", ""),
        ("aria-modal=true", "dialog"),
        ("aria-modal=true role=form", "dialog"),
        ("aria-modal=false role=form", "form"),
        ("data-nosnippet", "nosnippet"),
        ("data-nosnippet=true role=dialog", "nosnippet"),
    ],
)
def test_what_an_element_says_it_is(attributes: str, role: str) -> None:
    assert roles(f"<p>before<p {attributes}>text<p>after") == ["", role, ""]


def test_an_element_for_search_engines() -> None:
    page = joeira.parse("<noindex><p>text</noindex>")
    (row,) = page.rows_of("noindex")
    assert page.roles[1][page.roles[0][row]] == "nosnippet"


def test_equal_names_have_one_number() -> None:
    page = joeira.parse("<p class=a id=x>1<p class=b>2<p class=a role=note>3<p role=note>4")
    rows = page.rows_of("p")
    assert [page.classes[1][page.classes[0][row]] for row in rows] == ["a", "b", "a", ""]
    assert [page.ids[1][page.ids[0][row]] for row in rows] == ["x", "", "", ""]
    assert page.roles[1] == ("", "note")
    assert page.roles[0][rows].tolist() == [0, 0, 1, 1]


def test_nothing_has_a_name_in_an_empty_page() -> None:
    page = joeira.parse("")
    for number, distinct in (page.classes, page.ids, page.roles):
        assert distinct == ("",)
        assert not number.any()


def test_templates_have_no_rows_and_their_names_no_place() -> None:
    page = joeira.parse("<template><p role=main class=a>in</template><p role=note class=b>out")
    (row,) = page.rows_of("p")
    assert page.roles[1][page.roles[0][row]] == "note"
    assert page.classes[1][page.classes[0][row]] == "b"


def test_columns_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        joeira.parse("<p role=note>").roles[0][0] = 1


def test_names_beyond_the_limit_of_nodes_are_left_out() -> None:
    page = joeira.parse("<p role=note class=a>" * 20, max_nodes=9)
    assert len(page.roles[0]) == len(page)
