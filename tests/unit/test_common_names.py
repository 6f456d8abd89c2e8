"""Tables as people would have typed them: names, constants, typed values."""

import datetime

import pytest

from joeira.errors import UsageError
from joeira.records.fields.kinds import kind_of, shows_date, typed, unit_of
from joeira.records.result import RecordTable
from support.command_line import EXAMPLES
from support.lists import items, table_of

SHOP = (
    "<h3 class=prod-ttl><a href='/p/{0}'>Tea {0}</a></h3><img src='{0}.png' width=80>"
    "<del class=x1>{1} €</del> <b class=x2>{0},50 €</b><span>by</span> <i class=q>Ana B{0}</i>"
    "<p class=when>3 May 202{0}</p><span class=n>{0}</span> <span>comments</span>"
    "<button>Add to cart</button>"
)


def shop() -> str:
    return items(*(SHOP.format(number, number + 20) for number in range(1, 7)))


def test_names_are_those_of_people() -> None:
    table = table_of(shop(), names="common")
    assert table.columns == (
        "title", "url", "old_price", "price", "author", "date", "comments", "image",
    )  # fmt: skip
    assert table.constants["add_to_cart"] == "Add to cart"
    assert {str(column): column.label for column in table.columns}["author"] == "by"
    assert table.columns[5].source == "class when"


def test_raw_names_are_those_of_the_markup() -> None:
    raw = table_of(shop(), names="common").with_names("raw")
    assert "title_url" in raw.columns or "prod_ttl_url" in raw.columns
    assert not raw.constants
    with pytest.raises(UsageError, match="known: common, raw"):
        raw.with_names("odd")


def test_example_listing() -> None:
    listing = (EXAMPLES / "listing.html").read_bytes()
    table = table_of(listing, "li.anuncio", names="common")
    assert {"title", "url", "price", "date", "image"} <= set(table.columns)
    assert table.columns[-1] in ("image", "other")
    assert table.data()["price"][0] == 285_000
    assert table.data()["currency"][0] == "EUR"


def badged(every: int) -> RecordTable:
    """Return a list in which each so-many-th record has a badge."""
    html = items(*(
        f"<h3><a href=/{n}>Tea {n}</a></h3>"
        f"{'<em class=z9>Sold out</em>' * (n % 4 == 0)}{'<i class=z8>New</i>' * (n % every == 1)}"
        for n in range(12)
    ))  # fmt: skip
    return table_of(html, names="common")


def test_badges_that_half_of_the_records_have_are_a_label_and_no_constant() -> None:
    labels = [row["label"] for row in badged(every=3).to_dicts()]
    assert labels[:5] == ["Sold out", "New", None, None, "Sold out | New"]


def test_rarer_badges_are_in_other_so_that_the_next_page_has_the_same_names() -> None:
    table = badged(every=12)
    assert [row["other"] for row in table.to_dicts()].count("Sold out") == 3
    assert set(table.columns) == {"title", "url", "other"}
    assert not table.constants


def test_a_constant_is_called_as_its_column_would_be() -> None:
    html = items(*(
        f"<h3><a href=/{n}>Tea {n}</a></h3><p class=category>Drinks</p><p class=x9>Add to cart</p>"
        for n in range(9)
    ))  # fmt: skip
    assert table_of(html, names="common").constants == {
        "category": "Drinks",
        "add_to_cart": "Add to cart",
    }


def test_an_outer_element_names_a_value_whose_own_class_says_nothing() -> None:
    html = items(*(
        f"<p class=z9>{n}</p><a href=/{n}><b class=item-title><i class=trans-section>Tea {n}"
        f"</i></b></a><p class='tag-{n} tags'>hot, {'abcdefghi'[n - 1] * 5}</p>"
        for n in (3, 9, 1, 7, 8)
    ))  # fmt: skip
    assert {"title", "tags"} <= set(table_of(html, names="common").columns)


def test_a_former_price_is_in_no_more_records_than_the_price() -> None:
    html = items(*(
        f"<h3><a href=/{n}>Tea {n}</a></h3><p class=amount>$ {n + 20}.99</p>"
        + "<p>Now off:</p><p>$ 7.00</p>" * (n in (3, 5))
        for n in range(12)
    ))  # fmt: skip
    table = table_of(html, names="common")
    assert "price" in table.columns
    assert "old_price" not in table.columns


def test_a_snippet_with_line_breaks_is_one_value_and_its_day_another() -> None:
    html = items(*(
        f"<h3><a href=/{n}>Tea {n}</a></h3><p><span class=when>{n} Jan 2020</span> "
        f"leaves that {n} people <br>"
        f"dried {n} times and then <br> kept for {n} years</p>"
        for n in range(3, 12)
    ))  # fmt: skip
    row = table_of(html, names="common").to_dicts()[0]
    assert row["date"] == "3 Jan 2020"
    assert row["description"] == "leaves that 3 people dried 3 times and then kept for 3 years"


def test_lines_of_an_address_stay_values() -> None:
    html = items(*(
        f"<h3><a href=/{n}>Shop {n}</a></h3><p>Rua {chr(65 + n)} {n}<br>Lisboa {n}<br>+351 {n}</p>"
        for n in range(9)
    ))  # fmt: skip
    values = table_of(html, names="common").to_dicts()[1].values()
    assert not any("Rua" in str(value) and "+351" in str(value).split(" | ")[0] for value in values)


def test_a_word_that_was_searched_for_stays_in_its_title() -> None:
    html = items(*(
        f"<h3><a href=/{n}><em>Tea</em> of kind {n}</a></h3><p class=price>{n}.00 €</p>"
        for n in range(9)
    ))  # fmt: skip
    assert table_of(html, names="common").to_dicts()[2]["title"] == "Tea of kind 2"


def test_what_differs_from_a_constant_is_not_lost() -> None:
    html = items(*(
        f"<h3><a href=/{n}>Tea {n}</a></h3><p class=z9>{'Sold out' if n == 5 else 'In stock'}</p>"
        for n in range(20)
    ))  # fmt: skip
    table = table_of(html, names="common")
    assert "In stock" in table.constants.values()
    assert table.to_dicts()[5]["other"] == "Sold out"


@pytest.mark.parametrize(
    "text, kind, value",
    [
        ("1,234", "number", 1234), ("1.234,5", "number", 1234.5), ("12k", "number", 12_000),
        ("0.125", "number", 0.125), ("-4", "number", -4), ("(17)", "number", 17),
        ("1.299,00 €", "price", 1299.0), ("4.5 out of 5", "rating", 4.5), ("★★★☆☆", "rating", 3.0),
        ("3 May 2024", "date", datetime.date(2024, 5, 3)), ("Não", "boolean", False),
        ("a | b", "list", ["a", "b"]), ("soon", "date", None), ("soon", "number", None),
    ],
)  # fmt: skip
def test_typed_values(text: str, kind: str, value: object) -> None:
    assert typed(text, kind) == value


def test_units_and_kinds() -> None:
    assert unit_of(["1 comment", "20 comments"]) == "comments"
    assert unit_of(["1 comment", "20 views"]) is None
    assert kind_of(["4.5/5", "3 out of 5"]) == "rating"
    assert kind_of(["yes", "no"]) == "boolean"


def test_workbooks_run_no_formulas() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    import io

    table = table_of(items("<b>=1+1</b><i>3</i>", "<b>@x</b><i>4</i>"), names="common")
    sheet = openpyxl.load_workbook(io.BytesIO(table.to_excel())).active
    assert [cell.value for cell in sheet[2]] == ["=1+1", 3]
    assert sheet[2][0].data_type == "s"


def test_the_page_of_an_author_is_not_that_of_the_record() -> None:
    html = items(*(
        f"<p>Posted by <a href=/user/{n}>Ann {'abcdefghi'[n]}</a></p><p>Some {n} words that are "
        f"long enough to be what {n} people have written here at some time</p>"
        for n in range(9)
    ))  # fmt: skip
    columns = table_of(html, names="common").columns
    assert "author_url" in columns
    assert "url" not in columns


@pytest.mark.parametrize(
    "text, is_date",
    [
        ("3rd Generation Intel", False), ("4 out of 5 stars", False), ("5 sets", False),
        ("12 out 2020", True), ("15 Jan", True), ("3 de março", True), ("2 days ago", True),
    ],
)  # fmt: skip
def test_not_every_number_before_a_word_is_a_day(text: str, is_date: bool) -> None:
    assert shows_date(text) is is_date


def test_thousands_of_stars_are_no_rating() -> None:
    html = items(*(
        f"<h3><a href=/{n}>Tea {n}</a></h3><p class=star>{n * 7919 + 1200}</p>" for n in range(9)
    ))  # fmt: skip
    assert "rating" not in table_of(html, names="common").columns
