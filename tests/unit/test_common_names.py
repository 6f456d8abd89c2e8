"""Tables as people would have typed them: names, constants, typed values."""

import datetime

import pytest

from joeira.errors import UsageError
from joeira.records.fields.kinds import kind_of, typed, unit_of
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


def test_a_badge_of_some_records_is_a_label_and_no_constant() -> None:
    html = items(*(
        f"<h3><a href=/{n}>Tea {n}</a></h3>{'<em class=z9>Sold out</em>' * (n % 4 == 0)}"
        for n in range(12)
    ))  # fmt: skip
    table = table_of(html, names="common")
    assert [row["label"] for row in table.to_dicts()].count("Sold out") == 3
    assert not table.constants


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
