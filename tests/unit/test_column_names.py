"""Names of columns: what a class says, and what it does not."""

import pytest

from joeira.records.fields.naming import is_written, name_in_class
from support.lists import items, table_of


@pytest.mark.parametrize(
    "token, name",
    [
        ("product-title", "product_title"),
        ("card__price", "price"),
        ("card__price--old", "price_old"),
        ("priceWrapper", "price"),
        ("Teaser_headline__b4Sx1", "headline"),  # made from style sheets: file, name, hash
        ("issue-module__author--vMLEZ", "author"),
        ("preço", "preço"),
    ],
)
def test_names_in_classes(token: str, name: str) -> None:
    assert name_in_class(token) == name


@pytest.mark.parametrize(
    "token",
    [
        *("col-4", "mt-2", "sr-only", "visually-hidden", "nowrap", "list-item", "inner-wrap"),
        *("css-1unvnzj", "eztewy41", "eulusyj0", "nw-uxhqs7", "haBorv", "gQsuya", "ukYI6"),
        *("elkhwc", "bdVaJa", "b--c", "a"),
    ],
)
def test_classes_without_a_name(token: str) -> None:
    assert name_in_class(token) is None


def test_written_words() -> None:
    words = ("title", "rating", "snippet", "wunschliste", "descricao", "prix", "日付")
    assert all(map(is_written, words))
    assert not any(map(is_written, ("mtgurz", "ydkif", "cdezb", "qsuya")))


def test_of_several_classes_one_that_is_a_name_counts() -> None:
    item = "<p class='css-x1y2z{0} author sc-bdVaJa'>Ann {0}</p><b>{0}</b>"
    table = table_of(items(*(item.format(number) for number in range(4))))
    assert table.columns[0] == "author"


def test_the_title_is_words_and_not_the_first_link() -> None:
    item = (
        "<a href='/v/{0}'><span>{0}:3{0}</span></a><a href='/v/{0}#'>$ {0}.99 usd</a>"
        "<a href='/w/{0}'>The long way home, part {0}</a>"
    )
    table = table_of(items(*(item.format(number) for number in range(1, 5))))
    titles = [column for column in table.columns if column == "title"]
    assert len(titles) == 1
    assert table.to_dicts()[0]["title"] == "The long way home, part 1"


def test_a_title_that_the_page_names_stays_the_only_one() -> None:
    item = "<a href='/m/{0}'>Read on about {0}</a><h2 class=product-title>Tea {0}</h2>"
    table = table_of(items(*(item.format(number) for number in range(4))))
    assert "title" not in table.columns
    assert "product_title" in table.columns


def test_pictures_in_headings_are_no_titles() -> None:
    item = "<h2><img src='{0}.png' width=90></h2><p class=maker>M{0}</p>"
    table = table_of(items(*(item.format(number) for number in range(4))))
    assert table.columns[0] == "image"


def test_properties_of_other_things_keep_the_name_of_the_thing() -> None:
    item = (
        "<h3 itemprop=name>Tea {0}</h3>"
        "<p itemprop=author itemscope><b itemprop=name>Ann {0}</b> <i itemprop=url>x{0}</i></p>"
    )
    table = table_of(items(*(item.format(number) for number in range(4))))
    assert table.columns == ("name", "author", "author_url")


def test_separators_are_no_columns() -> None:
    parts = ("•", "·", "–")
    item = "<b>{0} a</b><span><i>{1}</i></span><u>{0} b</u>"
    table = table_of(items(*(item.format(number, parts[number % 3]) for number in range(6))))
    assert len(table.columns) == 2


def test_what_every_record_says_twice_is_one_column() -> None:
    item = (
        "<h3><a href='/p/{0}'>Tea {0}</a></h3><p class=stock>{1} left</p>"
        "<div class=small><p class=stock>{1} left</p><h4>Tea {0}</h4></div>"
    )
    table = table_of(items(*(item.format(number, number % 2) for number in range(6))))
    assert table.columns == ("title", "title_url", "stock")
