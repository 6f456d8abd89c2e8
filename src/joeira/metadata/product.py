"""The product that a page is about: name, price, availability, codes and ratings.

What the page declares (JSON-LD, microdata, RDFa, OpenGraph) and what it shows are claims like those
of every other field: each value has its source, competing candidates and a confidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import cached_property, partial
from typing import Any

import numpy as np

from joeira.errors import UsageError
from joeira.metadata import shop_page, title
from joeira.metadata.claims import Candidate, Claim, Value, candidates_of, ranked
from joeira.metadata.shop_page import ShopPage, amount, availability, checked, currency, gtin
from joeira.metadata.statements import Statements
from joeira.metadata.structured import Item, script_objects, texts_of, values_of

FIELDS = (
    "name", "price", "currency", "old_price", "availability", "brand", "sku", "gtin", "mpn",
    "rating", "review_count",
)  # fmt: skip
"""Names of all values, in the order in which they are shown."""

_NUMBERS = ("price", "old_price", "rating")
MAX_OFFERS = 50
_TYPES = {
    "product", "individualproduct", "productmodel", "productgroup", "someproducts", "vehicle",
    "car", "motorcycle",
}  # fmt: skip
_SOURCES = {"json-ld": 0.88, "microdata": 0.85, "rdfa": 0.8}
_METAS = {
    "price": {"product:price:amount": 0.75, "og:price:amount": 0.75,
              "product:sale_price:amount": 0.8, "price": 0.5},
    "currency": {"product:price:currency": 0.85, "og:price:currency": 0.85, "pricecurrency": 0.8,
                 "product:sale_price:currency": 0.8},
    "old_price": {"product:original_price:amount": 0.75, "og:price:standard_amount": 0.6},
    "availability": {"product:availability": 0.8, "og:availability": 0.8, "availability": 0.7},
    "brand": {"product:brand": 0.8, "og:brand": 0.75, "brand": 0.6},
    "sku": {"product:retailer_item_id": 0.7, "product:sku": 0.75, "sku": 0.7},
    "gtin": {"product:ean": 0.85, "product:upc": 0.85, "product:isbn": 0.85, "product:gtin": 0.85,
             "product:retailer_item_id": 0.7, "books:isbn": 0.85},
    "mpn": {"product:mfr_part_no": 0.8},
    "rating": {"og:rating": 0.7, "product:rating:value": 0.7},
    "review_count": {"og:rating_count": 0.7},
}  # fmt: skip
_PROPERTIES = {
    "brand": ("brand", "manufacturer"),
    "sku": ("sku", "productID", "productId", "identifier"),
    "gtin": ("gtin13", "gtin", "gtin12", "gtin14", "gtin8", "isbn", "ean", "productID", "sku"),
    "mpn": ("mpn", "model"),
}
_PRODUCT_KINDS = ("product", "og:product", "product.item")
_MIN_PRICE = 0.5
"""Confidence from which an amount that the page shows makes it the page of a product."""
_SURE_PRICE = 0.84
"""Confidence from which it does so without a button to buy."""
_MIN_CODE = 0.5
_SURE_TYPE = 0.9
"""A method that is so sure of another kind of page is believed: articles show goods as well."""
_MAX_BUTTONS = 4
"""Where more buttons than these put something into a cart, there are several products."""
_MIN_SHOWN = 0.3
"""Less is an amount that belongs to something else."""
_SCRIPT_WORDS = ('"sku"', '"price"', '"brand"', '"productId"', '"ean"', '"gtin')
_SCRIPT_OVERLAP = 0.75
_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{1,3})?")


class Product:
    """A product as its page describes it; missing values are None."""

    def __init__(self, said: Statements, name: str | None, title_row: int) -> None:
        """Store what the fields are read from.

        Args:
            said: The statements of the page.
            name: Title of the page.
            title_row: Row in which the page shows its title; -1 if unknown.
        """
        self._said = said
        self._name = name
        self._title_row = title_row if title_row >= 0 else _row_of_name(said, name)
        self._shop = ShopPage(said, self._title_row)
        self._known: dict[str, list[Claim]] = {}

    def __repr__(self) -> str:
        """Return the values that are not missing."""
        known = {name: value for name, value in self.to_dict().items() if value is not None}
        return f"Product({', '.join(f'{name}={value!r}' for name, value in known.items())})"

    @property
    def name(self) -> str | None:
        """The name of the product."""
        return self._best("name")

    @property
    def price(self) -> str | None:
        """The current price, as a decimal number that ``Decimal`` accepts."""
        return self._best("price")

    @property
    def currency(self) -> str | None:
        """The currency of the price, as an ISO 4217 code."""
        return self._best("currency")

    @property
    def old_price(self) -> str | None:
        """The price before a reduction, as a decimal number."""
        return self._best("old_price")

    @property
    def availability(self) -> str | None:
        """The availability in schema.org terms: ``InStock``, ``OutOfStock`` and so on."""
        return self._best("availability")

    @property
    def brand(self) -> str | None:
        """The brand, or the manufacturer."""
        return self._best("brand")

    @property
    def sku(self) -> str | None:
        """The product code of the shop."""
        return self._best("sku")

    @property
    def gtin(self) -> str | None:
        """The GTIN, EAN, UPC or ISBN: digits only."""
        return self._best("gtin")

    @property
    def mpn(self) -> str | None:
        """The product code of the manufacturer."""
        return self._best("mpn")

    @property
    def rating(self) -> str | None:
        """The mean rating as a decimal number, on the shop's own scale."""
        return self._best("rating")

    @property
    def review_count(self) -> int | None:
        """The number of reviews or ratings."""
        count = self._best("review_count")
        return None if count is None else int(count)

    def candidates(self, name: str) -> list[Candidate]:
        """Return all candidates for a field, best first; the first is its value.

        Args:
            name: One of the fields, such as ``price`` or ``sku``.
        """
        if name not in FIELDS:
            message = f"no candidates for {name!r}; fields of products: {', '.join(FIELDS)}"
            raise UsageError(message)
        return candidates_of(self._said.page, self._ranked(name))

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain data."""
        return {name: getattr(self, name) for name in FIELDS}

    # What decides -------------------------------------------------------------------------------

    @cached_property
    def is_declared(self) -> bool:
        """Whether the page declares that it is about a product."""
        said = self._said
        is_kind = any(m.content.lower() in _PRODUCT_KINDS for m in said.named("og:type")[:1])
        return bool(self._things) or is_kind or bool(said.named("product:price:amount"))

    @cached_property
    def is_shown(self) -> bool:
        """Whether the page shows two signs of a shop: a price, a way to buy, a code, the stock."""
        shop = self._shop
        if len(shop.buy_rows) > _MAX_BUTTONS:
            return False
        score = shop.price.score if shop.price else 0.0
        signs = (score >= _MIN_PRICE) + (score >= _SURE_PRICE) + bool(shop.buy_rows)
        if signs < 2:
            codes = (*self._shop.labelled["sku"], *self._shop.labelled["gtin"])
            signs += any(claim.confidence > _MIN_CODE for claim in codes)
            signs += signs > 0 and next(shop.stock(), None) is not None
        return signs >= 2

    def _best(self, name: str) -> str | None:
        claims = self._ranked(name)
        return str(claims[0].value) if claims else None

    def _ranked(self, name: str) -> list[Claim]:
        if name not in self._known:
            claims = _READERS.get(name, Product._codes)(self, name)
            self._known[name] = ranked(claims, _same_number if name in _NUMBERS else _same_text)
        return self._known[name]

    @cached_property
    def _things(self) -> list[Item]:
        """The declared products that are the page's own: those with the name of the page."""
        items = [item for item in self._said.items[:200] if not _TYPES.isdisjoint(item.types)]
        items = [item for item in items if item.nesting <= 1 and "name" in item.stated]
        wanted = _words(self._name or "")
        alike = [item for item in items if _overlap(_words(_name(item)), wanted) >= 0.5]
        outer = [item for item in items if item.nesting == 0]
        return alike or (outer if len({_same_text(_name(item)) for item in outer}) == 1 else [])

    def _offers(self) -> Iterator[tuple[Item, object]]:
        """Yield the offers of the declared products: items, or plain objects."""
        for item in self._things[:MAX_OFFERS]:
            for offer in values_of(item, "offers")[:MAX_OFFERS]:
                yield item, offer
                for inner in values_of(offer, "offers")[:MAX_OFFERS]:
                    yield item, inner

    # Fields -------------------------------------------------------------------------------------

    def _names(self, name: str) -> Iterator[Claim]:
        for item in self._things[:3]:
            for text in texts_of(item, "name")[:1]:
                yield self._of(item, name, text)
        if self._name:
            source = "heading" if self._title_row >= 0 else "title"
            yield Claim(self._name, source, "title", self._title_row, 0.75)

    def _prices(self, name: str) -> Iterator[Claim]:
        for item, offer in self._offers():
            for key in ("price", "lowPrice"):
                for text in texts_of(offer, key)[:1]:
                    yield self._of(item, f"offers.{key}", amount(text), _row(offer, key))
        yield from self._specified(is_old=False)
        yield from self._metas(name, amount)
        yield from self._scripted()
        yield from self._shown(is_old=False)

    def _old_prices(self, name: str) -> Iterator[Claim]:
        price = Decimal(self.price or 0)
        stated = (*self._specified(is_old=True), *self._metas(name, amount))
        for claim in (*stated, *self._shown(is_old=True)):
            if claim.value and Decimal(str(claim.value)) > price:
                yield claim

    def _specified(self, *, is_old: bool) -> Iterator[Claim]:
        key = "offers.priceSpecification.price"
        for item, offer in self._offers():
            for part in values_of(offer, "priceSpecification")[:5]:
                for text in texts_of(part, "price")[:1] if _is_list_price(part) == is_old else ():
                    yield self._of(item, key, amount(text), _row(part, "price"))

    def _scripted(self) -> Iterator[Claim]:
        for row, thing in self._in_scripts:
            for text in texts_of(thing, "price")[:1]:
                value = amount(text) if "." in text else None  # whole numbers may count cents
                yield Claim(value or "", "script", "price", row, 0.55)

    def _shown(self, *, is_old: bool) -> Iterator[Claim]:
        now = self._shop.price
        for each in self._shop.prices[:60]:
            value = amount(each.text)
            is_former = each.is_old and each is not now
            if value and is_former == is_old and each.score >= _MIN_SHOWN:
                yield Claim(value, "text", "price", each.row, min(max(each.score, 0.05), 0.85))

    def _currencies(self, name: str) -> Iterator[Claim]:
        address = self._said.page.url
        for item, offer in self._offers():
            for part in (offer, *values_of(offer, "priceSpecification")[:2]):
                for text in texts_of(part, "priceCurrency")[:1]:
                    key = "offers.priceCurrency"
                    yield self._of(item, key, currency(text, address), _row(part, "priceCurrency"))
        yield from self._metas(name, lambda text: currency(text, address))
        for each in self._shop.prices[:5]:
            code = currency(each.text, address)
            if code:
                yield Claim(code, "text", "price", each.row, min(max(each.score, 0.05), 0.7))

    def _availabilities(self, name: str) -> Iterator[Claim]:
        stated = [
            self._of(item, "offers.availability", availability(text), _row(offer, "availability"))
            for item, offer in self._offers()
            for text in texts_of(offer, "availability")[:1]
        ]
        # Of several sizes, one that can be had is enough.
        in_stock = [claim for claim in stated if claim.value == "InStock"]
        yield from in_stock or stated
        yield from self._metas(name, availability)
        yield from self._shop.availabilities()
        for claim in self._ranked("price")[:1]:
            # Who names a price offers something, unless the page says otherwise.
            yield claim._replace(value="InStock", key="price", confidence=0.45)

    def _codes(self, name: str) -> Iterator[Claim]:
        read = partial(_code, name)
        for item in self._things[:MAX_OFFERS]:
            for prop in _PROPERTIES[name]:
                for text in texts_of(item, prop)[:1]:
                    yield self._of(item, prop, read(text), item.row_of(prop, 0))
        for item, offer in self._offers():
            for prop in _PROPERTIES[name][:1] if name != "brand" else ():
                for text in texts_of(offer, prop)[:1]:
                    claim = self._of(item, f"offers.{prop}", read(text), _row(offer, prop))
                    yield claim._replace(confidence=0.5)
        for claim in self._metas(name, read):
            # Shops give a GTIN where they are asked for a code of their own.
            is_gtin = name == "sku" and gtin(str(claim.value)) is not None
            yield claim._replace(confidence=claim.confidence * (0.5 if is_gtin else 1.0))
        for row, thing in self._in_scripts:
            for prop in _PROPERTIES[name]:
                for text in texts_of(thing, prop)[:1]:
                    yield Claim(read(text) or "", "script", prop, row, 0.6)
        yield from self._shop.labelled[name]
        if name == "sku":
            yield from self._in_address()

    def _own_codes(self, name: str) -> Iterator[Claim]:
        """Yield codes of the manufacturer; the shop's own code is none."""
        own = _same_text(self.sku or "")
        yield from (claim for claim in self._codes(name) if _same_text(claim.value) != own)

    @cached_property
    def _in_scripts(self) -> list[tuple[int, dict[str, Any]]]:
        """The objects in scripts that have the name of the product, and their rows."""
        wanted = _words(self._name or "")
        return [
            (row, thing)
            for row, thing in script_objects(self._said.page, _SCRIPT_WORDS)
            if any(
                _overlap(_words(text), wanted) >= _SCRIPT_OVERLAP
                for key in ("name", "title", "productName", "product_name")
                for text in texts_of(thing, key)[:1]
            )
        ][:20]

    def _in_address(self) -> Iterator[Claim]:
        """Yield the code that the page's address has, with more trust if the page shows it too."""
        address = re.sub(r"[\W_]", "", self._said.page.url or "").casefold()
        shown = [*self._shop.labelled["sku"]]
        for item in self._things[:3]:
            shown += [self._of(item, "sku", text) for text in texts_of(item, "sku")[:1]]
        for claim in shown:
            plain = re.sub(r"[\W_]", "", str(claim.value)).casefold()
            if len(plain) >= 5 and plain in address:
                yield claim._replace(source="address", key="path", row=-1, confidence=0.6)
        for token in list(shop_page.in_address(self._said.page.url))[:1]:
            yield Claim(token, "address", "path", -1, 0.4 if token.isdecimal() else 0.35)

    def _ratings(self, name: str) -> Iterator[Claim]:
        keys = ("ratingValue",) if name == "rating" else ("reviewCount", "ratingCount")
        for item in self._things[:3]:
            for rating in values_of(item, "aggregateRating")[:1]:
                for key in keys:
                    for text in texts_of(rating, key)[:1]:
                        yield self._of(item, f"aggregateRating.{key}", _rating(name, text))
        yield from self._metas(name, lambda text: _rating(name, text))

    def _of(self, item: Item, key: str, value: str | None, row: int = -1) -> Claim:
        confidence = _SOURCES.get(item.source, 0.8) * (1.0 if item.nesting == 0 else 0.9)
        place = row if row >= 0 else item.row
        return Claim(value or "", item.source, item.key(key), place, confidence)

    def _metas(self, name: str, read: Callable[[str], str | None]) -> Iterator[Claim]:
        for key, confidence in _METAS.get(name, {}).items():
            for meta in self._said.named(key)[:1]:
                value = read(meta.content)
                if value and not meta.is_property:
                    yield Claim(value, meta.source, key, meta.row, confidence)


def _row_of_name(said: Statements, name: str | None) -> int:
    """Return the row of the first text that shows a name and leads nowhere; -1 if there is none."""
    page = said.page
    wanted = _same_text(name or "")
    if wanted:
        like = np.flatnonzero(np.abs(page.text_chars - len(name or "")) <= 6)
        for number in like[:200].tolist():
            row = int(page.text_rows[number])
            is_shown = not (page.in_head[row] or page.text_linked[number])
            if is_shown and _same_text(page.texts[number]) == wanted:
                return row
    return -1


def _code(name: str, text: str) -> str | None:
    """Return a code or a brand; what stands before a colon says what it is."""
    return checked(name, text.rpartition(":")[2])


def _rating(name: str, text: str) -> str | None:
    if name == "review_count":
        digits = re.sub(r"[\s.,]", "", text[:20])
        return str(int(digits)) if digits.isdecimal() and digits.isascii() else None
    match = _NUMBER.match(text.strip()[:20])
    return match[0].replace(",", ".") if match else None


def _is_list_price(part: object) -> bool:
    kinds = " ".join([*texts_of(part, "priceType"), *texts_of(part, "@type")])
    return "ListPrice" in kinds or "StrikethroughPrice" in kinds or "SRP" in kinds


def _name(item: Item) -> str:
    return " ".join(texts_of(item, "name")[:1])


def _row(thing: object, name: str) -> int:
    return thing.row_of(name, 0) if isinstance(thing, Item) else -1


def _words(text: str) -> set[str]:
    return set(title.same(text).split())


def _overlap(some: set[str], others: set[str]) -> float:
    return len(some & others) / max(1, min(len(some), len(others)))


def _same_text(value: Value) -> str:
    return title.same(value).replace(" ", "")


def _same_number(value: Value) -> object:
    return Decimal(str(value)).normalize()


_READERS: dict[str, Callable[[Product, str], Iterable[Claim]]] = {
    "name": Product._names,
    "price": Product._prices,
    "currency": Product._currencies,
    "old_price": Product._old_prices,
    "availability": Product._availabilities,
    "rating": Product._ratings,
    "review_count": Product._ratings,
    "mpn": Product._own_codes,
}
"""How each field is read; the others are codes."""


def find_product(
    said: Statements, name: str | None, title_row: int, pagetype: tuple[str, float] | None
) -> Product | None:
    """Return the product that a page is about, or None."""
    product = Product(said, name, title_row)
    if product.is_declared or (pagetype and pagetype[0] == "product"):
        return product
    is_other = pagetype is not None and pagetype[1] >= _SURE_TYPE
    return product if not is_other and product.is_shown else None
