"""Products: what pages declare, what they show, and what hostile ones do."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

import joeira
from joeira.errors import UsageError
from joeira.metadata import Metadata
from joeira.metadata.product import FIELDS
from joeira.metadata.shop_page import amount, availability, currency, gtin

LANTERN = {
    "@context": "https://schema.org",
    "@type": "Product",
    "name": "Tarn lantern",
    "sku": "FF-20418",
    "gtin13": "4006381333931",
    "mpn": "TL2",
    "brand": {"@type": "Brand", "name": "Fell &amp;amp; Ford"},
    "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.6, "reviewCount": "1,203"},
    "offers": {
        "@type": "Offer",
        "price": "48.50",
        "priceCurrency": "GBP",
        "availability": "https://schema.org/InStock",
    },
}


def read(head: str = "", body: str = "<p>text", url: str | None = None) -> Metadata:
    return Metadata(joeira.parse(f"<html><head>{head}</head><body>{body}</body></html>", url))


def json_ld(data: object) -> str:
    return f"<script type='application/ld+json'>{json.dumps(data)}</script>"


def product_of(head: str = "", body: str = "<p>text", url: str | None = None) -> joeira.Product:
    found = read(head, body, url).product
    assert found is not None
    return found


def test_json_ld_tells_everything() -> None:
    found = product_of(json_ld(LANTERN), "<h1>Tarn lantern</h1>")
    assert found.to_dict() == {
        "name": "Tarn lantern",
        "price": "48.50",
        "currency": "GBP",
        "old_price": None,
        "availability": "InStock",
        "brand": "Fell & Ford",  # escaped twice
        "sku": "FF-20418",
        "gtin": "4006381333931",
        "mpn": "TL2",
        "rating": "4.6",
        "review_count": 1203,
    }
    assert list(found.to_dict()) == list(FIELDS)


def test_each_value_has_its_source_and_its_rivals() -> None:
    body = "<h1>Tarn lantern</h1><p class=price>£52.00</p><button>Add to basket</button>"
    found = product_of(json_ld(LANTERN), body)
    first, second = found.candidates("price")[:2]
    assert (first.value, first.source, first.key) == ("48.50", "json-ld", "$.offers.price")
    assert (second.value, second.source) == ("52.00", "text")
    assert (second.xpath or "").endswith("/p")
    assert first.confidence > second.confidence
    with pytest.raises(UsageError, match="no candidates for 'colour'; fields of products: name"):
        found.candidates("colour")


@pytest.mark.parametrize(
    "body",
    [
        """<div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Kettle</h1>
        <meta itemprop=sku content=K-100><div itemprop=offers itemscope
        itemtype="https://schema.org/Offer"><span itemprop=price content=19.90>19,90 €</span>
        <meta itemprop=priceCurrency content=EUR>
        <link itemprop=availability href="https://schema.org/OutOfStock"></div></div>""",
        """<div vocab="https://schema.org/" typeof=Product><h1 property=name>Kettle</h1>
        <i property=sku>K-100</i><div property=offers typeof=Offer>
        <span property=price content=19.90>19,90 €</span><meta property=priceCurrency content=EUR>
        <link property=availability href="https://schema.org/OutOfStock"></div></div>""",
    ],
)
def test_microdata_and_rdfa(body: str) -> None:
    found = product_of("", body)
    assert (found.name, found.sku) == ("Kettle", "K-100")
    assert (found.price, found.currency, found.availability) == ("19.90", "EUR", "OutOfStock")


def test_opengraph() -> None:
    metas = {
        "og:type": "product", "product:price:amount": "1299.00", "product:price:currency": "sek",
        "product:availability": "in stock", "product:brand": "Ek",
        "product:retailer_item_id": "X-77",
    }  # fmt: skip
    head = "".join(f'<meta property="{name}" content="{c}">' for name, c in metas.items())
    found = product_of(head, "<h1>Chair</h1>")
    assert (found.price, found.currency, found.availability) == ("1299.00", "SEK", "InStock")
    assert (found.brand, found.sku) == ("Ek", "X-77")
    assert found.candidates("price")[0].source == "opengraph"


SHOWN = """<nav><a href=/>Home</a></nav><h1>Massivholzregal</h1>
<div class=gallery>1 von 5</div>
<div class=price-box><del>129,95 €</del> <span class=price>99,95&nbsp;€</span>
<small>zzgl. 4,95 € Versand</small></div>
<p>Artikelnummer: 79961-B</p><table><tr><th>Hersteller</th><td>Holzwerk</td></tr>
<tr><th>EAN</th><td>4006381333931</td></tr></table>
<p>Sofort lieferbar</p><button>In den Warenkorb</button>
<section class=recommendations><a href=/a>Tisch <b class=price>249,00 €</b></a>
<a href=/b>Bank <b class=price>149,00 €</b></a>
<a href=/c>Bett <b class=price>449,00 €</b></a></section>
"""


def test_a_page_that_declares_nothing_shows_everything() -> None:
    found = product_of("<title>Massivholzregal</title>", SHOWN)
    assert (found.price, found.old_price, found.currency) == ("99.95", "129.95", "EUR")
    assert (found.sku, found.gtin, found.brand) == ("79961-B", "4006381333931", "Holzwerk")
    assert found.availability == "InStock"
    assert found.candidates("sku")[0].source == "text"
    assert found.candidates("availability")[0].xpath


@pytest.mark.parametrize(
    "words, expected",
    [
        ("Sold out", "OutOfStock"),
        ("Ausverkauft", "OutOfStock"),
        ("Rupture de stock", "OutOfStock"),
        ("Нет в наличии", "OutOfStock"),
        ("売り切れ", "OutOfStock"),
        ("Only today: in stock", "InStock"),
        ("Na zalogi", "InStock"),
    ],
)
def test_words_about_the_stock(words: str, expected: str) -> None:
    body = f"<h1>Chair no. 7</h1><p class=price>$49.00</p><p>SKU: 1234</p><p>{words}</p>"
    assert product_of("", body).availability == expected


def test_the_address_is_the_last_resort_for_a_code() -> None:
    body = "<h1>Washing machine</h1><p class=price>£50</p><button>Buy now</button>"
    found = product_of("", body, "https://shop.example.org/d/washing-machine/7235216655.html")
    assert found.sku == "7235216655"
    assert found.candidates("sku")[0].source == "address"


def test_scripts_are_read_as_json_and_never_run() -> None:
    data = '{"page": [{"name": "Blue kettle", "sku": "K-7", "brand": "Ek", "price": "19.90"}]}'
    script = f"<script>window.x = alert(1) || {{a: 1}}; window.state = {data};</script>"
    body = f"<h1>Blue kettle</h1><p class=price>19,90 €</p><button>Buy now</button>{script}"
    found = product_of("", body)
    assert (found.sku, found.brand) == ("K-7", "Ek")
    assert found.candidates("sku")[0].source == "script"


def test_a_list_of_products_is_no_product() -> None:
    item = "<li><h3>Chair {0}</h3><p class=price>${0}9.00</p><button>Add to cart</button>"
    items = "".join(item.format(number) for number in range(1, 9))
    assert read("", f"<h1>Chairs</h1><ul>{items}</ul>").product is None
    several = [{**LANTERN, "name": f"Lamp {number}"} for number in range(5)]
    assert read(json_ld(several), "<h1>All lanterns of the year</h1>").product is None


def test_an_article_is_no_product() -> None:
    body = "<h1>Council spends $4,000</h1>" + "<p>The council has spent $4,000 on seeds.</p>" * 9
    found = read("", body)
    assert found.product is None
    assert "product" not in found.to_dict()
    assert "product" not in joeira.extract("<article>" + body).to_dict()


def test_the_best_of_several_sizes_says_whether_it_can_be_had() -> None:
    offers = [
        {"@type": "Offer", "price": 38.15, "priceCurrency": "EUR", "availability": f"http://schema.org/{kind}"}
        for kind in ("OutOfStock", "InStock", "OutOfStock")
    ]  # fmt: skip
    found = product_of(json_ld({**LANTERN, "offers": offers}), "<h1>Tarn lantern</h1>")
    assert (found.price, found.availability) == ("38.15", "InStock")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("119.01", "119.01"),
        ("450", "450"),
        ("1.299,00 €", "1299.00"),
        ("£1,299.50", "1299.50"),
        ("1 234,50 zł", "1234.50"),
        ("€ 99 ,95", "99.95"),
        ("12.- CHF", "12"),
        ("71,91 € 79,90 €", "71.91"),
        ("free", None),
        ("0", None),
        ("NaN", None),
        ("1e+22", None),
        ("-5", "5"),
        ("9" * 70, None),
    ],
)
def test_amounts(text: str, expected: str | None) -> None:
    found = amount(text)
    assert (found and Decimal(found)) == (expected and Decimal(expected))


@pytest.mark.parametrize(
    "text, address, expected",
    [
        ("€", None, "EUR"),
        ("£5", None, "GBP"),
        ("$5", "https://shop.ca/", "CAD"),
        ("$5", "https://shop.com/", "USD"),
        ("5 kr", "https://shop.dk/", "DKK"),
        ("RUR", None, "RUB"),
        ("usd", None, "USD"),
        ("173,34 Lei", None, "RON"),
        ("тг.", None, "KZT"),
        ("bananas", None, None),
    ],
)
def test_currencies(text: str, address: str | None, expected: str | None) -> None:
    assert currency(text, address) == expected


def test_codes_that_check() -> None:
    assert gtin("978-3-16-148410-0") == "9783161484100"
    assert gtin("054410305X") == "054410305X"
    assert gtin("4006381333930") is None  # the last digit is wrong
    assert gtin("00000000") is None
    assert availability("http://schema.org/LimitedAvailability") == "LimitedAvailability"
    assert availability("schema:Nonsense") is None


def deep(levels: int) -> object:
    thing: object = LANTERN
    for _ in range(levels):
        thing = {"@type": "Product", "name": "x", "offers": [thing]}
    return thing


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(deep(300)),
        "[" * 5000 + "]" * 5000,
        json.dumps([{**LANTERN, "name": f"n{n}"} for n in range(5000)]),
        '{"@type": "Product", "name": "x", "offers": {"price": NaN, "priceCurrency": Infinity}}',
        '{"@type": ["Product", 7, null], "name": ["x", {"y": []}], "offers": "no", "sku": {}}',
        '{"@type": "Product", "name": true, "offers": [null, 1, [[]], {"price": {"price": []}}]}',
        '{"@type": "Product", "name": "x", "sku": 1e999, "gtin13": -1, "offers": {"price": 1e400}}',
        '{"@type": "Product", "name": "x", "aggregateRating": '
        '{"ratingValue": "٣", "reviewCount": "²"}}',
        '{"@type": "Product", "name": "x", "offers": {"price": "' + "9" * 100_000 + '"}}',
    ],
    ids=range(9),
)
def test_hostile_json_ld(data: str) -> None:
    found = read(f"<script type='application/ld+json'>{data}</script>", "<h1>x</h1>")
    json.dumps([found.to_dict(), found.structured], allow_nan=False)
    if found.product:
        assert all(found.product.candidates(name) is not None for name in FIELDS)


def test_hostile_scripts_take_no_time() -> None:
    script = "<script>x = " + '{"price": ' * 100_000 + "</script>"
    body = "<h1>x</h1><p class=price>$5.00</p><button>Buy now</button>"
    assert product_of("", body + script).price == "5.00"


def test_nobody_pays_for_a_product_that_nobody_asks_for() -> None:
    found = read(json_ld(LANTERN))
    assert found.title
    assert "product" not in found.__dict__


# What a page declares -----------------------------------------------------------------------------


def test_structured_data_is_cleaned_and_has_its_place() -> None:
    recipe = {
        "@context": "https://schema.org",
        "@type": "Recipe",
        "name": "  Bread &amp;amp; butter\n pudding ",
        "cookTime": "PT1H",
        "recipeIngredient": ["bread", "", None, "butter"],
        "video": {"@type": "VideoObject", "name": "How", "uploadDate": "2024-05-06"},
        "nutrition": {},
    }
    event = """<div itemscope itemtype="https://schema.org/Event"><b itemprop=name>Fair</b>
      <time itemprop=startDate datetime=2024-06-01>1 June</time><span itemprop=location itemscope
      itemtype="https://schema.org/Place"><i itemprop=name>Hall</i></span></div>"""
    first, second = read(json_ld({"@graph": [recipe]}), event).structured
    assert (first["type"], first["source"], first["path"]) == (["Recipe"], "json-ld", "$.@graph[0]")
    assert first["xpath"].endswith("/script")
    assert first["properties"] == {
        "name": "Bread & butter pudding",
        "cookTime": "PT1H",
        "recipeIngredient": ["bread", "butter"],
        "video": {"@type": "VideoObject", "name": "How", "uploadDate": "2024-05-06"},
    }
    assert (second["type"], second["source"]) == (["Event"], "microdata")
    place = {"@type": ["Place"], "name": "Hall"}
    assert second["properties"] == {"name": "Fair", "startDate": "2024-06-01", "location": place}
    assert read("", "<p>text").structured == ()


def test_deep_microdata_is_cut() -> None:
    level = (
        "<div itemscope itemprop=isPartOf itemtype=https://schema.org/Event><i itemprop=name>x</i>"
    )
    found = read("", level * 2_000)
    (only,) = found.structured
    assert only["properties"]["name"] == "x"
    json.dumps(only)
