"""What shops show of a product, and how they write it: amounts, currencies, availability, codes.

Readers see a price by its place: near the title and the button to buy, in an element that calls
itself a price, not struck through, and not in one of many teasers. The same is read here. Codes
stand behind labels such as *SKU* or *Artikelnummer*, in the languages in which they were seen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import NamedTuple

import numpy as np

from joeira.arrays.strings import DIGIT, collapse
from joeira.metadata.claims import Claim, short_text
from joeira.metadata.site import hostname, path
from joeira.metadata.statements import Statements

MAX_AMOUNT = Decimal(10) ** 12
MAX_PRICES = 400
MAX_LABELS = 6_000
MAX_CHARS = 60
"""A price, a code or a word about the stock stands in a text that is not longer."""
MAX_PRICE_CHARS = 24
MAX_STOCK_CHARS = 35
"""Longer texts say what happens when something is out of stock."""
NEAR = 40
FAR = 160
"""Texts between the title and what belongs to it, at most; texts after which nothing does."""

# Amounts and currencies ---------------------------------------------------------------------------

_SIGNS = {
    "€": "EUR", "£": "GBP", "₽": "RUB", "руб": "RUB", "р.": "RUB", "rur": "RUB", "₸": "KZT",
    "тг": "KZT", "тенге": "KZT", "₴": "UAH", "грн": "UAH", "zł": "PLN", "zl": "PLN", "kč": "CZK",
    "lei": "RON", "ron": "RON", "ft": "HUF", "лв": "BGN", "₺": "TRY", "tl": "TRY", "₹": "INR",
    "rs": "INR", "₩": "KRW", "원": "KRW", "₪": "ILS", "₫": "VND", "฿": "THB", "₱": "PHP",
    "r$": "BRL", "us$": "USD", "c$": "CAD", "ca$": "CAD", "a$": "AUD", "au$": "AUD", "nz$": "NZD",
    "hk$": "HKD", "s$": "SGD", "nt$": "TWD", "mx$": "MXN", "円": "JPY", "chf": "CHF", "fr.": "CHF",
    "eur": "EUR", "usd": "USD", "gbp": "GBP", "rmb": "CNY", "euro": "EUR", "rub": "RUB",
    "byn": "BYN", "rm": "MYR", "rp": "IDR", "kn": "HRK", "br": "BYN", "sfr": "CHF",
}  # fmt: skip
_BY_PLACE = {
    "$": ({"ca": "CAD", "au": "AUD", "nz": "NZD", "hk": "HKD", "sg": "SGD", "tw": "TWD",
           "mx": "MXN", "ar": "ARS", "cl": "CLP", "co": "COP"}, "USD"),
    "kr": ({"no": "NOK", "dk": "DKK", "is": "ISK"}, "SEK"),
    "¥": ({"cn": "CNY"}, "JPY"),
    "元": ({"tw": "TWD", "hk": "HKD"}, "CNY"),
}  # fmt: skip
"""Signs of several currencies: which one is meant where, by the top domain, and elsewhere."""
_SIGN = "|".join(
    re.escape(sign) + (r"(?![^\W\d_])" if sign[-1].isalpha() else "")
    for sign in sorted({*_SIGNS, *_BY_PLACE}, key=len, reverse=True)
)
_NUMBER = (
    r"\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?![\d])|\d{1,12}(?:[.,]\d{1,3})?(?![\d])"
)
_MONEY = re.compile(
    rf"(?<![^\W_])(?:(?P<before>{_SIGN})\s*(?P<a>{_NUMBER})|(?P<b>{_NUMBER})(?:,-)?\s*(?P<after>{_SIGN}))",
    re.IGNORECASE,
)
_BARE = re.compile(rf"\W*(?P<b>{_NUMBER})(?:,-)?\W*")
_PLAIN = re.compile(r"\d{1,15}(?:\.\d{1,6})?")
_EXPONENT = re.compile(r"\de[+-]?\d", re.IGNORECASE)
_SPLIT_CENTS = re.compile(r"(?<=\d)\s+(?=[.,]\s?\d{2}(?!\d))|(?<=\d[.,])\s+(?=\d{2}(?!\d))")
_ISO = re.compile(r"[A-Z]{3}")


def amount(text: str) -> str | None:
    """Return the first amount of money in a text as a decimal number; None where there is none."""
    text = collapse(text[:80])
    if not _PLAIN.fullmatch(text):
        match = _MONEY.search(_SPLIT_CENTS.sub("", text))
        text = (match["a"] or match["b"]) if match else text
    if _PLAIN.fullmatch(text) and not _looks_grouped(text):
        number = Decimal(text)
    elif _EXPONENT.search(text) or not any(char.isdigit() for char in text):
        return None
    else:
        from price_parser import Price  # its import takes longer than most pages

        try:
            number = Price.fromstring(text).amount or Decimal(0)
        except (InvalidOperation, ValueError):
            return None
    return format(number, "f") if 0 < number < MAX_AMOUNT else None


def _looks_grouped(text: str) -> bool:
    """Return whether a point stands where groups of three digits begin, as in 1.299."""
    whole, _, rest = text.partition(".")
    return len(rest) == 3 and 1 <= len(whole) <= 3 and whole != "0"


def currency(text: str, address: str | None = None) -> str | None:
    """Return the ISO code of a currency that a text names or shows beside an amount."""
    text = collapse(text[:80])
    if _ISO.fullmatch(text.upper()):
        return _SIGNS.get(text.lower(), text.upper())
    match = _MONEY.search(text)
    sign = ((match["before"] or match["after"]) if match else text).lower().rstrip(". ")
    if sign in _BY_PLACE:
        places, otherwise = _BY_PLACE[sign]
        return places.get((hostname(address) or "").rpartition(".")[2], otherwise)
    return _SIGNS.get(sign) or _SIGNS.get(f"{sign}.")


# Availability -------------------------------------------------------------------------------------

AVAILABILITIES = (
    "InStock", "OutOfStock", "PreOrder", "PreSale", "BackOrder", "SoldOut", "Discontinued",
    "LimitedAvailability", "InStoreOnly", "OnlineOnly", "MadeToOrder", "Reserved",
)  # fmt: skip
"""As schema.org calls them."""
_AVAILABILITY_OF = {name.lower(): name for name in AVAILABILITIES} | {
    "instock": "InStock", "available": "InStock", "availablefororder": "InStock", "oos": "OutOfStock",
    "outofstock": "OutOfStock", "unavailable": "OutOfStock", "notavailable": "OutOfStock",
    "pending": "BackOrder", "true": "InStock", "yes": "InStock", "false": "OutOfStock",
}  # fmt: skip
_OUT = re.compile(
    r"\b(?:out of stock|sold out|(?:currently|temporarily) unavailable|not (?:currently )?available|"
    r"no longer available|ausverkauft|nicht (?:mehr )?(?:lieferbar|verfügbar|vorrätig|auf lager)|"
    r"derzeit nicht|vergriffen|rupture de stock|épuisé|(?:non|actuellement in)disponible|indisponible|"
    r"agotado|sin (?:existencias|stock)|no disponible|esaurito|(?:attualmente )?non disponibile|"
    r"esgotado|indisponível|sem stock|uitverkocht|niet (?:op voorraad|leverbaar)|slutsåld|slut i lager|"
    r"udsolgt|ikke på lager|utsolgt|loppunut|loppu varastosta|wyprzedan\w+|brak w magazynie|"
    r"niedostępny|produkt niedostępny|vyprodáno|není skladem|vypredan\w+|nie je na sklade|"
    r"ni na zalogi|razprodano|elfogyott|nincs (?:raktáron|készleten)|stoc epuizat|indisponibil|"
    r"нет в наличии|распродано|нет на складе|немає в наявності|няма наличност|tükendi|stokta yok|"
    r"εξαντλημένο|μη διαθέσιμο)\b|缺貨|缺货|售完|售罄|無庫存|補貨中|在庫切れ|売り切れ|품절|일시품절",
    re.IGNORECASE,
)
_IN = re.compile(
    r"\b(?:in stock|available now|auf lager|(?:sofort )?lieferbar|sofort verfügbar|vorrätig|en stock|"
    r"disponible|disponibile|disponibilità immediata|em stock|disponível|op voorraad|i lager|"
    r"på lager|varastossa|na stanie|dostępny|skladem|na sklad[eu]|na zalogi|raktáron|készleten|"
    r"[îi]n stoc|в наличии|есть на складе|є в наявності|в наличност|stokta var|σε απόθεμα|διαθέσιμο)\b"
    r"|有庫存|現貨|现货|有货|在庫あり|재고 있음",
    re.IGNORECASE,
)
_BUY = re.compile(
    r"\b(?:add(?:ed)? to (?:my )?(?:cart|bag|basket|trolley)|buy (?:it )?now|order now|place bid|"
    r"in den (?:warenkorb|einkaufswagen)|jetzt (?:kaufen|bestellen)|in (?:de )?winkel(?:wagen|mand)|"
    r"ajouter au panier|acheter|añadir (?:a la cesta|al carrito)|agregar al carrito|comprar|"
    r"aggiungi al carrello|acquista|adicionar ao (?:carrinho|cesto|saco)|do koszyka|kup teraz|"
    r"do koší(?:ka|ku)|koupit|kúpiť|v košarico|dodaj u košaricu|kosárba|adaug[ăa] [îi]n co[șşs]|"
    r"в корзину|купить|в кошик|купити|добави в количката|sepete ekle|hemen al|lägg i \w*(?:korg|vagn)|"
    r"köp nu|læg i kurv|legg i \w*(?:kurv|vogn)|lisää ostoskoriin|(?:προσθήκη )?στο καλάθι|lisa korvi)"
    r"|加入購物車|加入购物车|放入購物車|立即購買|立即购买|直接購買|カートに入れる|カートに追加|購入する|장바구니|구매하기",
    re.IGNORECASE,
)
_BUY_NAME = re.compile(
    r"add-?_?to-?_?(?:cart|bag|basket)|buy-?_?now|btn-?_?(?:buy|cart)|cart-?_?(?:btn|button)"
    r"|addcart|(?:buy|cart)-?_?button",
    re.IGNORECASE,
)


def availability(text: str) -> str | None:
    """Return the name of an availability in schema.org's words; None for what is none."""
    name = re.sub(r"[\W_]", "", text[:100].rpartition("/")[2]).lower()
    return _AVAILABILITY_OF.get(name) or _shown_availability(text[:100])


def _shown_availability(text: str) -> str | None:
    if _OUT.search(text):
        return "OutOfStock"
    return "InStock" if _IN.search(text) else None


# Codes and brands behind labels -------------------------------------------------------------------

_CODE = r"(?P<value>[^\W_][\w./+\-]{2,39})"
_LABELS = {
    "sku": (0.72, _CODE, r"""sku|item (?:no|number|code|id|\#)|item|art(?:icle|ikel|\.)?[ -]?(?:nr|no|
        number|nummer|num|id|code)|artikelnr|artikelcode|art\. ?nr|bestell?[ -]?(?:nr|nummer)|best\.[ -]?nr|
        product (?:code|id|no|number|\#)|produkt(?:nummer|nr|-?id|kode|kod)|prod\.? ?(?:nr|no|code|id)|
        style (?:no|number|code|\#)|style|cat(?:alog(?:ue)?)?\.? (?:no|number|\#|code)|stock code|
        (?:product |item )?ref(?:erence|erencia|erência|\.)?|référence|réf|ref\. ?(?:no|nr)|
        c[óo]d(?:igo|\.)?(?: (?:do |de |del )?(?:produto|producto|art[íi]culo))?|
        codice(?: (?:prodotto|articolo))?|cod(?:ul)?\.?(?: produs(?:ului)?)?|
        k[óo]d(?: (?:produktu|tovaru|zboží|towaru))?|katalogové číslo|číslo (?:produktu|artiklu|zboží)|
        šifra(?: (?:artikla|izdelka|proizvoda))?|cikkszám|termékkód|nr katalogowy|indeks|
        артикул|арт|код(?: (?:товара|товару|продукта|модели))?|каталожен номер|
        vare(?:nummer|nr)|artikkelnummer|tuote(?:numero|koodi|nro)|stok kodu|ürün kodu|κωδικός(?: προϊόντος)?|
        tootekood|asin|listing id|ad id|post id|ebay (?:item|article) number|ebay-artikelnummer|
        商品編號|商品编号|商品貨號|商品コード|商品番号|品番|貨號|货号|編號|상품번호|상품코드"""),
    "mpn": (0.65, _CODE, r"""mpn|model(?: (?:no|number|name|code|id|\#))?|modell(?:nummer|nr|bezeichnung)?|
        (?:manufacturer(?:'s)? )?part (?:no|number|\#)|mfg\.? part ?\#?|manufacturer (?:code|number|ref)|
        hersteller(?:teile)?[ -]?(?:nr|nummer|artikelnummer)|artikelnummer des herstellers|
        modelo|modello|modèle|numero (?:di )?modello(?: articolo)?|référence fabricant|
        produktové číslo|part number|kod producenta|модель|型番|型號|型号|モデル番号|p/n"""),
    "gtin": (0.8, r"(?P<value>(?:\d[ -]?){7,13}[\dXx])", r"""ean(?:[ -]?(?:13|8|code|kod|kód))?|gtin(?:-?1?[2348])?|
        upc(?:-?a)?|isbn(?:[ -]?1[03])?|barcode|bar code|strichcode|code[ -]barres?|
        c[óo]digo de barras|codice a barre|штрих-?код|jan(?:コード)?"""),
    "brand": (0.6, r"(?P<value>[^\W\d_][^:\n]{0,39})", r"""brand(?: name)?|marke|hersteller|marque|marca|
        manufacturer|maker|producer|producent|výrobca|výrobce|značka|merk|märke|varumærke|mærke|merke|
        tuotemerkki|valmistaja|gyártó|márka|marka|producător|brend|бренд|производитель|торговая марка|
        виробник|марка|μάρκα|proizvajalec|blagovna znamka|proizvođač|publisher|editora|verlag|
        品牌|ブランド|メーカー|브랜드|제조사"""),
}  # fmt: skip


class _Label(NamedTuple):
    confidence: float
    value: re.Pattern[str]
    alone: re.Pattern[str]
    with_value: re.Pattern[str]


def _label(confidence: float, value: str, names: str) -> _Label:
    names = "(?:" + "".join(line.strip() for line in names.splitlines()) + ")"
    mark = r"\s*(?:\.|nr\.?|no\.?|\#|№)?\s*[:：.\#]?\s*"
    return _Label(
        confidence,
        re.compile(rf"\W*{value}\W*"),
        re.compile(rf"\W*{names}{mark}\W*", re.IGNORECASE),
        re.compile(
            rf"\W*{names}(?:\s*(?:\.|nr\.?|no\.?|\#|№)?\s*[:：\#]\s*|\s+(?=\S*\d)){value}\W*",
            re.IGNORECASE,
        ),
    )


_LABEL_OF = {field: _label(*given) for field, given in _LABELS.items()}
_FIRST = re.compile(r"[:：\#\d]")

# The page ------------------------------------------------------------------------------------------

_PRICE_NAME = re.compile(
    r"pri[cs]e|preis|prix|preci|prezzo|pre[cç]o|cena|cenn?y|tsena|amount|pris(?:\b|_|-)|fiyat|kosten|hinta",
    re.IGNORECASE,
)
_OLD_NAME = re.compile(
    r"(?<![a-z])(?:old|was|list|regular|original|before|retail|former|prev(?:ious)?|compare|crossed|"
    r"strike(?:d|through)?|rrp|uvp|msrp|pvp|standard|high|save|saving|discount)(?![a-z])|"
    r"line-?through|(?:old|was|regular|original|strike|crossed|compare(?:at)?|cross|list)-?_?pri[cs]e|"
    r"pri[cs]e-?_?(?:old|was|regular|original|strike|crossed|before|list|save|saving)",
    re.IGNORECASE,
)
_OLD_WORDS = re.compile(
    r"^\W*(?:was|rrp|msrp|list(?: price)?|regular|statt|uvp|bisher|avant|au lieu de|prix conseillé|"
    r"antes|pvp|prima|prezzo consigliato|van|adviesprijs|tidigare|før|ord\.|stara|bylo|původní|"
    r"原價|原价|定價|市價|建議售價|通常価格|定価)",
    re.IGNORECASE,
)
_NOT_OURS = re.compile(
    r"ship|deliver|versand|livraison|install?ment|monthly|per-?month|finance|klarna|related|recommend|"
    r"recently|similar|carousel|slider|cross-?sell|up-?sell|also|bundle|minicart|mini-cart|cart-?total|"
    r"subtotal|filter|facet|warrant|insurance|accessor|sponsor|unit-?price|per-?unit|base-?price|"
    r"basepri|points|coupon|voucher|gift|tooltip|popup|modal|(?:site|page|main|global)-?_?header|footer|"
    r"nav(?![a-z])|navbar|menu|teaser|"
    r"widget|\bads?\b|competitor|other-?sellers|history",
    re.IGNORECASE,
)
_NOT_THE_PRICE = re.compile(
    r"每期|分期|點|点数|運費|免運|ポイント|送料|/\s*(?:mo|mes|mth|month|monat|mois)\b|per month|a month|monat|"
    r"al mese|par mois|mensua|miesięcz|měsíčně|mesačne|в месяц|points?\b|shipping|postage|deliver|"
    r"versand|liefer|livraison|env[íi]o|spedizion|frete|portes|doprav|dostaw|доставк|you save|"
    r"save\b|spar(?:en|e)\b|économi|ahorra|risparmi|poupe|zniżk|ušetř|скидк|orders? (?:over|of)|minimum|"
    r"per (?:unit|piece|kg|100)|/\s*(?:kg|100|l|st|stk|ks|szt|pcs?|unit)\b|每罐|每包|每件|/罐|/箱",
    re.IGNORECASE,
)
"""Words beside amounts that are to be paid for something else, or in another way."""
_STRUCK = ("del", "s", "strike")
_CONTROLS = "button,a,input[type=submit],input[type=button],input[type=image],[role=button]"


class Shown(NamedTuple):
    """An amount of money that the page shows."""

    text: str
    row: int
    is_old: bool
    score: float


@dataclass(frozen=True)
class ShopPage:
    """The part of a page that readers see, looked at as the page of one product."""

    said: Statements
    title_row: int
    """Where the name of the product is shown; -1 if nobody knows."""

    @cached_property
    def _title_text(self) -> int:
        """Number of the first text after the title; that of the body without one."""
        page = self.said.page
        if self.title_row >= 0:
            return int(page.text_index[page.end[self.title_row]])
        return int(page.text_index[page.body]) if len(page) else 0

    @cached_property
    def buy_rows(self) -> list[int]:
        """Rows of controls that put the product into a cart."""
        page, rows = self.said.page, []
        names = ("value", "class", "id", "aria-label", "title")
        for row, given in page.attributes.read(_CONTROLS, names):
            value, klass, ident, label, title = ((each or "")[:200] for each in given)
            text = f"{short_text(page, row)[:MAX_CHARS]} {value} {label} {title}"
            is_link = page.tag_name(row) == "a"
            named = _BUY_NAME.search(f"{klass} {ident}") is not None and not is_link
            if named or (len(text) <= 3 * MAX_CHARS and _BUY.search(text)):
                rows.append(row)
            if len(rows) >= 200:
                break
        return rows

    @cached_property
    def prices(self) -> list[Shown]:
        """Amounts of money that may be the product's price or its former price, best first."""
        page = self.said.page
        digits = page.characters.count_class(DIGIT) > 0
        digits &= (page.text_chars <= MAX_CHARS) & ~page.in_head[page.text_rows]
        numbers = np.flatnonzero(digits)
        numbers = numbers[np.argsort(np.abs(numbers - self._title_text), kind="stable")]
        shown: dict[int, Shown] = {}
        for number in numbers[: 5 * MAX_PRICES].tolist():
            row, text = self._whole(int(page.text_rows[number]), page.texts[number])
            if row in shown:
                continue
            names = self._names_above(row)
            if not (_MONEY.search(text) or (_PRICE_NAME.search(names[0]) and _BARE.fullmatch(text))):
                continue
            shown[row] = self._judge(row, number, text, names)
            if len(shown) >= MAX_PRICES:
                break
        return sorted(self._doubt_lists(list(shown.values())), key=lambda each: -each.score)

    def _whole(self, row: int, text: str) -> tuple[int, str]:
        """Return the widest element around a text that shows one amount, and what it shows."""
        page = self.said.page
        text = collapse(text)
        above = int(page.parent[row])
        while above > 0 and page.text_index[page.end[above]] - page.text_index[above] <= 6:
            wider = _SPLIT_CENTS.sub("", short_text(page, above))
            if len(wider) > MAX_PRICE_CHARS or len(_MONEY.findall(wider)) > 1:
                break
            if len(re.findall(r"\d+(?:[.,]\d+)*", wider)) > 1 and not _MONEY.search(wider):
                break
            row, text, above = above, wider, int(page.parent[above])
        return row, text

    def _names_above(self, row: int) -> tuple[str, str]:
        """Return what an element and those just above are called, and what those further up are."""
        page = self.said.page
        names: list[str] = []
        for _ in range(7):
            if row < 0:
                break
            name = f"{page.classes[1][page.classes[0][row]]} {page.ids[1][page.ids[0][row]]}"
            names.append(name[:200])
            row = int(page.parent[row])
        return " ".join(names[:4]), " ".join(names)

    def _judge(self, row: int, number: int, text: str, names: tuple[str, str]) -> Shown:
        page = self.said.page
        near, wide = names
        tags, above = set(), row
        for _ in range(4):
            tags.add(page.tag_name(above))
            above = max(0, int(page.parent[above]))
        is_old = not tags.isdisjoint(_STRUCK) or bool(_OLD_WORDS.match(text))
        is_old |= _OLD_NAME.search(near) is not None
        distance = number - self._title_text
        score = 0.35
        score += 0.2 if _PRICE_NAME.search(near) else 0.0
        score += 0.1 if _MONEY.search(text) else 0.0
        if self.title_row >= 0:
            score += 0.2 if 0 <= distance <= NEAR else 0.05 if -NEAR / 2 <= distance <= FAR else -0.15
        if any(-NEAR <= distance_to <= NEAR / 2 for distance_to in self._from_buttons(number)):
            score += 0.1
        score -= 0.25 if bool(page.text_linked[number]) else 0.0
        score -= 0.3 if _NOT_OURS.search(wide) else 0.0
        score -= 0.3 if self.said.is_by_readers[row] else 0.0
        score -= 0.1 if len(text) > MAX_PRICE_CHARS else 0.0
        score -= 0.3 if _NOT_THE_PRICE.search(text) else 0.0
        score -= 0.2 if "option" in tags else 0.0
        return Shown(text, row, is_old, score - 0.0005 * abs(distance))

    def _from_buttons(self, number: int) -> Iterator[int]:
        index = self.said.page.text_index
        return (number - int(index[row]) for row in self.buy_rows[:3])

    def _doubt_lists(self, shown: list[Shown]) -> Iterator[Shown]:
        """Yield the amounts; those that many elements of one kind show are those of teasers."""
        paths = self.said.page.class_path
        amounts: dict[int, set[str]] = {}
        for each in shown:
            amounts.setdefault(int(paths[each.row]), set()).add(each.text)
        for each in shown:
            is_list = len(amounts[int(paths[each.row])]) > 2
            yield each._replace(score=each.score - 0.2) if is_list else each

    @cached_property
    def price(self) -> Shown | None:
        """The amount that is most likely to be paid now."""
        now = next((each for each in self.prices if not each.is_old), None)
        best = self.prices[0] if self.prices else None
        # What a page calls the old price is the price if nothing comes near it.
        return best if best and (now is None or best.score > now.score + 0.18) else now

    def availabilities(self) -> Iterator[Claim]:
        """Yield what the page shows about the stock: words near the title, and the way to buy."""
        yield from self.stock()
        for row in self.buy_rows[:1]:
            yield Claim("InStock", "button", "buy", row, 0.7)

    def stock(self) -> Iterator[Claim]:
        """Yield what words near the title say about the stock."""
        page = self.said.page
        begin = max(0, self._title_text - NEAR // 2)
        for number in range(begin, min(len(page.texts), begin + 2 * FAR)):
            text = page.texts[number]
            row = int(page.text_rows[number])
            if len(text) > 2 * MAX_CHARS or page.in_head[row]:
                continue
            stock = _shown_availability(text)
            if stock and not self._is_elsewhere(row):
                confidence = 0.8 if stock == "OutOfStock" else 0.72
                confidence *= 1.0 if len(text) <= MAX_STOCK_CHARS else 0.5
                yield Claim(stock, "text", "stock", row, confidence)

    def _is_elsewhere(self, row: int) -> bool:
        page = self.said.page
        if self.said.is_by_readers[row] or page.hidden[row]:
            return True
        above = {page.tag_name(int(page.parent[row])), page.tag_name(row)}
        return "option" in above or _NOT_OURS.search(self._names_above(row)[1]) is not None

    def labelled(self) -> dict[str, list[Claim]]:
        """Return the values that stand behind labels, by field."""
        page = self.said.page
        claims: dict[str, list[Claim]] = {field: [] for field in _LABEL_OF}
        begin = int(page.text_index[page.body]) if len(page) else 0
        stop = min(len(page.texts), begin + MAX_LABELS)
        short = np.flatnonzero(page.text_chars[begin:stop] <= MAX_CHARS + 20) + begin
        for number in short.tolist():
            text = collapse(page.texts[number])
            if not text or not text[0].isprintable():
                continue
            for field, label in _LABEL_OF.items():
                row = int(page.text_rows[number])
                match = label.with_value.fullmatch(text) if _FIRST.search(text) else None
                if match is None and label.alone.fullmatch(text):
                    row, text_after = self._next(number)
                    match = label.value.fullmatch(text_after)
                if match and not self.said.is_by_readers[row]:
                    value = checked(field, match["value"])
                    if value:
                        near = abs(number - self._title_text) <= 3 * FAR
                        trust = label.confidence * (1.0 if near else 0.6)
                        trust *= 0.5 if _NOT_OURS.search(self._names_above(row)[1]) else 1.0
                        trust *= 0.8 ** len(claims[field][:3])
                        claims[field].append(Claim(value, "text", text[:40], row, trust))
        return claims

    def _next(self, number: int) -> tuple[int, str]:
        """Return the next text that says something, and its row."""
        page = self.said.page
        for after in range(number + 1, min(number + 4, len(page.texts))):
            text = collapse(page.texts[after])
            if text.strip(" :.#‎"):
                return int(page.text_rows[after]), text[: 2 * MAX_CHARS]
        return int(page.text_rows[number]), ""


def checked(field: str, value: str) -> str | None:
    """Return a code or a brand as it should be; None for what cannot be one."""
    value = collapse(value[:100]).strip(" .,:;-–|‎\u200b")
    if field == "gtin":
        return gtin(value)
    if field in ("sku", "mpn"):
        is_code = any(char.isdigit() for char in value) or (value.isupper() and len(value) > 3)
        return value if is_code and 2 < len(value) <= 40 and " " not in value else None
    return value if 1 < len(value) <= 40 else None


def gtin(value: str) -> str | None:
    """Return the digits of a GTIN, UPC or ISBN whose last digit is right."""
    code = re.sub(r"[\s-]", "", value[:40]).upper()
    if len(code) == 10 and code[:9].isdecimal() and (code[9].isdecimal() or code[9] == "X"):
        digits = [10 if char == "X" else int(char) for char in code]
        is_right = sum(digit * (10 - place) for place, digit in enumerate(digits)) % 11 == 0
        return code if is_right else None
    if not (code.isdecimal() and code.isascii() and len(code) in (8, 12, 13, 14)):
        return None
    weighed = [int(char) * (3 if place % 2 else 1) for place, char in enumerate(reversed(code))]
    return code if sum(weighed) % 10 == 0 and int(code) else None


def in_address(address: str | None) -> Iterator[str]:
    """Yield what may be the product's code in an address, the last and longest first."""
    parts = [part for part in path(address)[:2_000].split("/") if part]
    tokens = [token for part in reversed(parts[-3:]) for token in reversed(re.split(r"[^\w]", part))]
    counts = Counter(tokens)
    for token in tokens:
        digits = sum(char.isdigit() for char in token)
        if 5 <= len(token) <= 26 and digits >= 4 and 2 * digits >= len(token) and counts[token] == 1:
            yield token
