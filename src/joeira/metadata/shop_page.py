"""What shops show of a product, and how they write it: amounts, currencies, availability, codes.

Readers see a price by its place: near the title and the button to buy, in an element that calls
itself a price, not struck through, and not in one of many teasers. The same is read here. Codes
stand behind labels such as *SKU* or *Artikelnummer*, in the languages in which they were seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from joeira.arrays import Bools
from joeira.arrays.strings import DIGIT, collapse
from joeira.arrays.trees import inside
from joeira.metadata.about import hostname, path
from joeira.metadata.claims import Claim, short_text
from joeira.metadata.statements import Statements

MAX_AMOUNT = Decimal(10) ** 12
MAX_PRICES = 400
MAX_CONTROLS = 1_000
MAX_LABELS = 6_000
MAX_CHARS = 60
"""A price, a code or a word about the stock stands in a text that is not longer."""
MAX_PRICE_CHARS, MAX_STOCK_CHARS = 24, 35
"""Longer texts say what happens when something is out of stock."""
NEAR, FAR = 40, 160
"""Texts between the title and what belongs to it; texts after which nothing does."""

# Words of shops -----------------------------------------------------------------------------------


@cache
def _lists() -> str:
    return (files("joeira.metadata") / "data" / "shop_words.txt").read_text("utf-8")


def _words(section: str) -> tuple[list[str], list[str]]:
    """Return the words of a section that stand alone, and those that may stand within others."""
    lines = _lists().partition(f"[{section}]\n")[2].partition("\n[")[0].strip().splitlines()
    whole = [line for line in lines if line and line[0] not in "~#"]
    return whole, [line[1:] for line in lines if line.startswith("~")]


def _pattern(section: str) -> re.Pattern[str]:
    whole, parts = _words(section)
    alone = [rf"(?<!\w)(?:{'|'.join(whole)})(?!\w)"] if whole else []
    return re.compile("|".join(alone + parts), re.IGNORECASE)


# Amounts and currencies ---------------------------------------------------------------------------

_SIGNS = {
    sign: code
    for line in _words("currencies")[0]
    for code, _, signs in [line.partition(" ")]
    for sign in signs.split("|")
}
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
_GROUPED = r"\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)"
_HINT = re.compile("|".join(map(re.escape, sorted({*_SIGNS, *_BY_PLACE}))))
_NUMBER = rf"{_GROUPED}|\d{{1,12}}(?:[.,]\d{{1,3}})?(?!\d)"
_MONEY = re.compile(
    rf"(?<![^\W_])(?:(?P<before>{_SIGN})\s*(?P<a>{_NUMBER})|(?P<b>{_NUMBER})(?:,-)?\s*(?P<after>{_SIGN}))",
    re.IGNORECASE,
)
_BARE = re.compile(rf"\W*(?:{_NUMBER})(?:,-)?\W*")
_PLAIN = re.compile(r"\d{1,15}(?:\.\d{1,6})?")
_EXPONENT = re.compile(r"\de[+-]?\d", re.IGNORECASE)
_SPLIT_CENTS = re.compile(r"(?<=\d)\s+(?=[.,]\s?\d{2}(?!\d))|(?<=\d[.,])\s+(?=\d{2}(?!\d))")


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
        try:
            from price_parser import Price  # its import takes longer than most pages

            number = Price.fromstring(text).amount or Decimal(0)
        except (ImportError, InvalidOperation, ValueError):  # without it, only plain numbers
            return None
    return format(number, "f") if 0 < number < MAX_AMOUNT else None


def _looks_grouped(text: str) -> bool:
    """Return whether a point stands where groups of three digits begin, as in 1.299."""
    return re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", text) is not None


def currency(text: str, address: str | None = None) -> str | None:
    """Return the ISO code of a currency that a text names or shows beside an amount."""
    text = collapse(text[:80])
    if len(text) == 3 and text.isascii() and text.isalpha():
        return _SIGNS.get(text.lower(), text.upper())
    match = _MONEY.search(text)
    sign = ((match["before"] or match["after"]) if match else text).lower().rstrip(". ")
    if sign in _BY_PLACE:
        places, otherwise = _BY_PLACE[sign]
        return places.get((hostname(address) or "").rpartition(".")[2], otherwise)
    return _SIGNS.get(sign) or _SIGNS.get(f"{sign}.")


_BUY_STEM = re.compile("|".join(_words("buy stems")[0]))
_BUY, _IN, _OUT = map(_pattern, ("buy", "in stock", "out of stock"))
_FORMER, _ANOTHER = map(_pattern, ("former price", "another amount"))
"""Words before a price that was reduced, and beside amounts that are paid for something else."""

# Availability -------------------------------------------------------------------------------------

AVAILABILITIES = (
    "InStock", "OutOfStock", "PreOrder", "PreSale", "BackOrder", "SoldOut", "Discontinued",
    "LimitedAvailability", "InStoreOnly", "OnlineOnly", "MadeToOrder", "Reserved",
)  # fmt: skip
"""As schema.org calls them."""
_AVAILABILITY_OF = {name.lower(): name for name in AVAILABILITIES} | {
    "available": "InStock", "availablefororder": "InStock", "true": "InStock", "yes": "InStock",
    "oos": "OutOfStock", "unavailable": "OutOfStock", "notavailable": "OutOfStock",
    "false": "OutOfStock", "pending": "BackOrder",
}  # fmt: skip


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
    "sku": (0.72, _CODE),
    "mpn": (0.65, _CODE),
    "gtin": (0.8, r"(?P<value>(?:\d[ -]?){7,13}[\dXx])"),
    "brand": (0.6, r"(?P<value>[^\W\d_][^:\n]{0,39})"),
}
"""What stands behind the labels of a field: confidence, and what it looks like."""


class _Label(NamedTuple):
    confidence: float
    value: re.Pattern[str]
    alone: re.Pattern[str]
    with_value: re.Pattern[str]


def _label(field: str, confidence: float, value: str) -> _Label:
    names = f"(?:{'|'.join(chain(*_words(field)))})"
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


_LABEL_OF = {field: _label(field, *given) for field, given in _LABELS.items()}
_ANY_LABEL = re.compile(
    rf"\W*(?:{'|'.join(chain.from_iterable(chain(*_words(field)) for field in _LABELS))})",
    re.IGNORECASE,
)
_FIRST = re.compile(r"[:：\#\d]")

# The page -----------------------------------------------------------------------------------------

_PRICE_NAME, _OLD_NAME = map(_pattern, ("names of prices", "names of former prices"))
_NOT_OURS, _BUY_NAME = map(_pattern, ("names of other things", "names of buttons"))
_STRUCK = ("del", "s", "strike")
_CONTROLS = "button,input[type=submit],input[type=button],input[type=image],[role=button]"
_CONTROL_NAMES = ("class", "id", "value", "aria-label", "title")


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
        """Number of the first text after the title, or of the body."""
        page = self.said.page
        row = int(page.end[self.title_row]) if self.title_row >= 0 else page.body
        return int(page.text_index[row]) if len(page) else 0

    @cached_property
    def buy_rows(self) -> list[int]:
        """Rows of controls that put the product into a cart."""
        page, rows = self.said.page, []
        for row, given in islice(page.attributes.read(_CONTROLS, _CONTROL_NAMES), MAX_CONTROLS):
            named = " ".join((each or "")[:200] for each in given[:2])
            text = " ".join(
                (short_text(page, row)[:MAX_CHARS], *((e or "")[:99] for e in given[2:]))
            )
            if _BUY_NAME.search(named) or _BUY.search(text):
                rows.append(row)
        in_control = np.zeros(len(page), bool)
        in_control[rows] = True
        is_link = page.text_linked & ~inside(in_control, page.end)[page.text_rows]
        for number in np.flatnonzero(is_link & (page.text_chars <= MAX_CHARS)).tolist():
            text = page.texts[number].lower()
            if _BUY_STEM.search(text) and _BUY.search(text):
                rows.append(int(page.text_rows[number]))
        return sorted(rows)

    @cached_property
    def prices(self) -> list[Shown]:
        """Amounts of money that may be the product's price or its former price, best first."""
        page = self.said.page
        digits = page.characters.count_class(DIGIT) > 0
        digits &= (page.text_chars <= MAX_CHARS) & ~page.in_head[page.text_rows]
        numbers = np.flatnonzero(digits)
        numbers = numbers[np.argsort(np.abs(numbers - self._title_text), kind="stable")]
        is_called_price = self._is_called_price()
        shown: dict[int, Shown] = {}
        for number in numbers[: 5 * MAX_PRICES].tolist():
            row = int(page.text_rows[number])
            beside = (each[:8] for each in page.texts[max(0, number - 1) : number + 2])
            around = "".join((page.texts[number], *beside)).lower()
            if not (is_called_price[row] or _HINT.search(around)):
                continue
            row, text = self._whole(row, page.texts[number])
            has_amount = _MONEY.search(text) or (is_called_price[row] and _BARE.fullmatch(text))
            if has_amount and row not in shown:
                shown[row] = self._judge(row, number, text, self._names_above(row))
            if len(shown) >= MAX_PRICES:
                break
        return sorted(self._doubt_lists(list(shown.values())), key=lambda each: -each.score)

    def _is_called_price(self) -> Bools:
        """Return per row whether it, or one of the three rows above, is called a price."""
        page = self.said.page
        is_called = np.zeros(len(page), bool)
        for numbers, names in (page.classes, page.ids):
            called = np.array([_PRICE_NAME.search(name[:200]) is not None for name in names], bool)
            is_called |= called[numbers]
        for _ in range(3):
            is_called |= is_called[page.parent] & (page.parent >= 0)
        return is_called

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
        is_old = not tags.isdisjoint(_STRUCK) or bool(_FORMER.match(text.lstrip(" :(")))
        is_old |= _OLD_NAME.search(near) is not None
        distance = number - self._title_text
        score = 0.35
        score += 0.2 if _PRICE_NAME.search(near) else 0.0
        score += 0.1 if _MONEY.search(text) else 0.0
        if self.title_row >= 0:
            score += (
                0.2 if 0 <= distance <= NEAR else 0.05 if -NEAR / 2 <= distance <= FAR else -0.15
            )
        apart = [number - int(page.text_index[button]) for button in self.buy_rows[:3]]
        score += 0.1 if any(-NEAR <= texts <= NEAR / 2 for texts in apart) else 0.0
        score -= 0.25 if bool(page.text_linked[number]) else 0.0
        score -= 0.3 if _NOT_OURS.search(wide) else 0.0
        score -= 0.3 if self.said.is_by_readers[row] else 0.0
        score -= 0.1 if len(text) > MAX_PRICE_CHARS else 0.0
        score -= 0.3 if _ANOTHER.search(text) else 0.0
        score -= 0.2 if "option" in tags else 0.0
        return Shown(text, row, is_old, score - 0.0005 * abs(distance))

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
        is_apart = self.said.is_by_readers[row] or page.tag_name(int(page.parent[row])) == "option"
        return bool(is_apart or _NOT_OURS.search(self._names_above(row)[1]) or page.hidden[row])

    @cached_property
    def labelled(self) -> dict[str, list[Claim]]:
        """The values that stand behind labels, by field."""
        page = self.said.page
        claims: dict[str, list[Claim]] = {field: [] for field in _LABEL_OF}
        begin = int(page.text_index[page.body]) if len(page) else 0
        short = np.flatnonzero(page.text_chars[begin:][:MAX_LABELS] <= MAX_CHARS + 20) + begin
        for number in short.tolist():
            text = collapse(page.texts[number])
            for field, label in _LABEL_OF.items() if _ANY_LABEL.match(text) else ():
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
        """Return the row of the next text that says something, and the text."""
        page = self.said.page
        for after, text in enumerate(page.texts[number + 1 : number + 4], number + 1):
            if text.strip(" \n\t:.#\u200e"):
                return int(page.text_rows[after]), collapse(text[: 2 * MAX_CHARS])
        return int(page.text_rows[number]), ""


def checked(field: str, value: str) -> str | None:
    """Return a code or a brand as it should be; None for what cannot be one."""
    value = collapse(value[:100]).strip(" .,:;-–|‎\u200b")
    if field == "gtin":
        return gtin(value)
    if field in ("sku", "mpn"):
        is_code = any(char.isdigit() for char in value) or (value.isupper() and len(value) > 3)
        return value if is_code and 2 < len(value) <= 40 and " " not in value else None
    return value if 1 < len(value) <= 40 and "//" not in value else None


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
    for token in re.split(r"\W", "/".join(path(address)[:2_000].split("/")[-4:]))[::-1]:
        digits = sum(char.isdigit() for char in token)
        if 5 <= len(token) <= 26 and digits >= 4 and 2 * digits >= len(token):
            yield token
