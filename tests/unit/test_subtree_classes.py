"""Subtree classes on the worked examples: small pages whose shapes can be counted by hand."""

import pytest

import joeira
from joeira.errors import BadParameter
from joeira.records import SubtreeClasses

ITEMS = "".join(f"<li><b>{name}</b><i>{n}</i></li>" for n, name in enumerate("ABC", 1))
LIST = f"<html><body><ul>{ITEMS}</ul><p>foot</p></body></html>"
TITLES = (
    "<div><h2><a>T1</a></h2><p><i>x1</i><u>y1</u></p><h2><a>T2</a></h2>"
    "<p><i>x2</i><u>y2</u></p><h2><a>T3</a></h2></div>"
)
MIXED = (
    "<div><p><i>x</i><u>y</u></p><h2><a>T1</a></h2><h2><a>T2</a></h2><p><i>v</i><u>w</u></p></div>"
)


def records(html: str, method: SubtreeClasses) -> list[str]:
    found = method.extract(joeira.parse(html))
    return [record.text for table in found for record in table.records]


def test_items_of_a_list() -> None:
    assert records(LIST, SubtreeClasses()) == ["A 1", "B 2", "C 3"]


def test_as_the_report_has_it_a_small_page_is_one_record() -> None:
    assert records(LIST, SubtreeClasses(min_frequency=1)) == ["A 1 B 2 C 3 foot"]


def test_with_the_texts_of_leaves_nothing_is_repeated() -> None:
    assert records(LIST, SubtreeClasses(leaves="keep")) == []


def test_without_leaves_larger_and_smaller_items_are_one_class() -> None:
    html = "<ul><li><b>a</b>b</li><li><b>c</b>d e<br>f</li></ul>"
    assert records(html, SubtreeClasses()) == []
    assert records(html, SubtreeClasses(leaves="drop")) == ["a b", "c d e f"]


def test_records_of_two_classes() -> None:
    assert records(TITLES, SubtreeClasses()) == ["T1 x1 y1", "T2 x2 y2", "T3"]


def test_what_begins_a_record() -> None:
    assert records(MIXED, SubtreeClasses()) == ["x y T1 T2", "v w"]
    assert records(MIXED, SubtreeClasses(record_rule="any_repeat")) == ["x y T1", "T2 v w"]


def test_frequent_classes_end_at_a_fall() -> None:
    html = "<p><a>m</a></p>" * 30 + "<div><h2>t</h2><i>u</i></div>" * 2
    assert len(records(html, SubtreeClasses())) == 30
    assert "t u" not in " ".join(records(html, SubtreeClasses()))
    assert "t u" in " ".join(records(html, SubtreeClasses(max_drop=0.95)))


def test_coverage_prefers_text_to_menus() -> None:
    menu = "<li><a href=x>Menu</a></li>" * 20
    posts = "<div class=post><h2>Title of it</h2><p>Many words of a post</p></div>" * 5
    html = f"<ul>{menu}</ul>{posts}"
    assert records(html, SubtreeClasses())[0] == "Menu"
    found = records(html, SubtreeClasses(choice="coverage"))
    assert found == ["Title of it Many words of a post"] * 5


def book(number: int) -> str:
    return f"<nav><a href=/>Home</a></nav><h1>Book {number}</h1><p><b>{number}</b> <i>x</i></p>"


def test_pages_with_one_record_each_are_a_collection() -> None:
    pages = [joeira.parse(book(number)) for number in range(4)]
    method = SubtreeClasses(scope="collection")
    assert not any(method.extract(page) for page in pages)
    fitted = method.fit(pages)
    found = [
        [record.text for table in fitted.extract(page) for record in table.records]
        for page in pages
    ]
    assert found == [[f"Home Book {number} {number} x"] for number in range(4)]


def test_the_smallest_class_that_all_pages_share() -> None:
    pages = [joeira.parse(book(number) + "<hr>" * number) for number in range(4)]
    fitted = SubtreeClasses(scope="collection", min_size=4).fit(pages)
    assert [fitted.extract(page)[0].records[0].text for page in pages] == [
        f"{number} x" for number in range(4)
    ]


def test_words_are_counted_by_page_only() -> None:
    with pytest.raises(BadParameter, match="a collection is for choice 'frequency'"):
        SubtreeClasses(scope="collection", choice="coverage").fit([joeira.parse("<p>x")])
