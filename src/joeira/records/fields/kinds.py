"""Kinds of values, and values as numbers, dates, booleans and lists.

A kind is claimed only where nearly all values of a column can be read so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from statistics import mean
from typing import Final

from joeira.records.result import LIST_SEPARATOR, Value

KINDS: Final = (
    "text", "number", "price", "date", "rating", "boolean", "list", "link", "image",
)  # fmt: skip

_CERTAIN_SHARE = 0.95
_LEAST_VALUES = 2
_LONGEST = 60
"""Longer values are neither numbers nor dates; patterns never see them."""

_UNSEEN = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u00ad"))
"""Characters that nobody sees, which some pages have before prices."""

_NUMBER = r"[-+−]?(?:\d{1,3}(?:[ ,.'’\u00a0\u202f]\d{3})+|\d+)(?:[.,]\d+)?"
_CURRENCY = (
    r"(?:[$€£¥₹₽₩₺₴₪₫₱฿₦]|R\$|US\$|A\$|C\$|CA\$|AU\$|HK\$|NZ\$|USD|EUR|GBP|JPY|CHF|CNY|RMB|INR|BRL"
    r"|AUD|CAD|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|RUB|MXN|KRW|ZAR|zł|Kč|kr\.?|Ft|lei|Rs\.?|руб\.?|元|円)"
)
_CENTS = r"(?:[.,][-–—]+)?"
_MONTH = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|fev|abr|mai|ago|set|out|dez|ene|dic|janv|févr"
    "|avr|juin|juil|août|déc|mär|okt|dez|gen|mag|giu|lug|ott|märz"
)
_MONTH_NAME = (
    "jan(?:uary|uar|eiro|vier|v)?|feb(?:ruary|ruar|rero|braio)?|fev(?:ereiro)?|févr(?:ier)?"
    "|mar(?:ch|ço|zo|s)?|märz|apr(?:ile?)?|abr(?:il)?|avr(?:il)?|may|mayo|mai|maio|maggio|june?"
    "|junh?o|juni|giugno|juin|july?|julh?o|juli|luglio|juil(?:let)?|aug(?:ust)?|agosto|août"
    "|sept?(?:ember|embre|iembre)?|set(?:t?embr[eo])|oct(?:ober|obre|ubre)?|okt(?:ober)?|outubro"
    "|ottobre|nov(?:ember|embr[eo]|iembre)?|dec(?:ember)?|dez(?:ember|embro)?|dic(?:iembre|embre)?"
    "|déc(?:embre)?|enero|gennaio"
)
"""Where nothing else tells of a date: no "3rd generation", no "4 out of 5", no "5 sets"."""
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:1[5-9]|2[01])\d\d"
_CLOCK = (
    r"(?:[T,\s]+(?:at\s+|[-–—|·]\s*)?\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?\s*(?:[ap]\.?m\.?)?\s*"
    r"(?:Z|UTC|GMT|[+-]\d\d:?\d\d)?)?"
)
_WEEKDAY = r"(?:[^\W\d_]{2,12}\.?,?\s+)?"
_DATE = (
    rf"{_YEAR}([-/.])(?:0?[1-9]|1[0-2])\1{_DAY}",
    rf"{_DAY}([-/.])(?:0?[1-9]|1[0-2])\2(?:{_YEAR}|\d\d)",
    rf"(?:0?[1-9]|1[0-2])/{_DAY}/(?:{_YEAR}|\d\d)",
    rf"{_WEEKDAY}{_DAY}(?:st|nd|rd|th|\.|º)?[\s-]+(?:de\s+)?(?:{_MONTH})[^\W\d_]{{0,8}}\.?,?[\s-]+(?:de\s+)?{_YEAR}",
    rf"{_WEEKDAY}(?:{_MONTH})[^\W\d_]{{0,8}}\.?\s+{_DAY}(?:st|nd|rd|th)?,?\s+{_YEAR}",
    rf"{_YEAR}年\d{{1,2}}月\d{{1,2}}日",
)
_OF = r"\s*(?:/|out of|of|von|sur|de|su|av|van|из|z)\s*"
_RATING = (
    rf"\d{{1,2}}(?:[.,]\d+)?(?:{_OF}(?:5|10)(?:[.,]0)?(?:\s*(?:stars?|sterne?n?|estrelas|étoiles))?"
    r"|\s*(?:stars?|sterne?n?|estrelas|étoiles|★))|[★☆]{3,10}|[★⭐]{1,10}"
)
_BOOLEAN: Final = {
    **dict.fromkeys(("yes", "true", "ja", "sim", "sí", "oui", "да", "✓", "✔"), True),
    **dict.fromkeys(("no", "false", "nein", "não", "non", "нет", "nee", "✗", "✘", "✕"), False),
}

_PATTERNS: Final = {
    "number": re.compile(rf"{_NUMBER}\s?%?"),
    "price": re.compile(
        rf"(?:{_CURRENCY}\s?{_NUMBER}{_CENTS}(?:\s?{_CURRENCY})?|{_NUMBER}{_CENTS}\s?{_CURRENCY})",
        re.IGNORECASE,
    ),
    "date": re.compile(rf"(?:{'|'.join(_DATE)}){_CLOCK}", re.IGNORECASE),
    "rating": re.compile(_RATING, re.IGNORECASE),
    "boolean": re.compile("|".join(_BOOLEAN), re.IGNORECASE),
}
_COUNT = re.compile(rf"\(?({_NUMBER})(\s?[kKmM])?\+?\)?(?:\s+([^\W\d_]{{2,14}}))?\)?")
_STEM_CHARS = 4
_PRICES_SHARE = 0.6
_SOME_PRICE = re.compile(rf"{_CURRENCY}\s?\d|\d\s?{_CURRENCY}(?!\w)", re.IGNORECASE)
_SOME_DATE = re.compile(
    rf"\b{_YEAR}[-/.]\d\d?[-/.]\d|\b\d\d?[-/.]\d\d?[-/.](?:{_YEAR}|\d\d)\b"
    rf"|\b\d\d?(?:st|nd|rd|th|\.)?[\s-](?:de\s)?(?:{_MONTH_NAME})\b"
    rf"|\b(?:{_MONTH_NAME})\.?\s\d\d?(?:st|nd|rd|th)?\b"
    rf"|\b(?:{_MONTH})[^\W\d_]{{0,8}}\.?,?\s(?:de\s)?{_YEAR}"
    r"|\b(?:\d+|an?|one)\s?(?:s|m|h|d|w|y|mo|sec\w*|min\w*|hours?|hrs?|days?|weeks?|months?|years?)"
    r"\s(?:ago)\b|\b(?:yesterday|today|just now|gestern|heute|ontem|hoje|ayer|hier)\b"
    r"|\b(?:vor|há|hace|il y a)\s\d+|\d年\d|\d\d?月\d",
    re.IGNORECASE,
)
_DURATION = re.compile(r"(?:\d{1,3}:)?\d{1,3}:\d\d(?:\s[AP]M)?", re.IGNORECASE)
_SITE = re.compile(
    r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,12}(?:[/?#›»&\s:].*|/?)|(?:https?://|www\.)\S.*",
    re.IGNORECASE,
)


def kind_of(values: Iterable[str | None]) -> str:
    """Return what nearly all values are: number, price, date, rating or boolean; else text."""
    texts = [value.translate(_UNSEEN) for value in values if value]
    for kind, pattern in _PATTERNS.items():
        if _nearly_all(texts, pattern):
            return kind if len(texts) >= _LEAST_VALUES else "text"
    return "text"


def _nearly_all(texts: list[str], pattern: re.Pattern[str]) -> bool:
    misses_left = (1 - _CERTAIN_SHARE) * len(texts)
    for text in texts:
        if len(text) > _LONGEST or not pattern.fullmatch(text):
            misses_left -= 1
            if misses_left < 0:
                return False
    return True


def unit_of(values: Iterable[str | None]) -> str | None:
    """Return the word after nearly all numbers, as in "12 comments"; '' for numbers alone.

    None where the values are no numbers, or are followed by different words.
    """
    texts = [value.translate(_UNSEEN) for value in values if value]
    if len(texts) < _LEAST_VALUES or not _nearly_all(texts, _COUNT):
        return None
    units = [match[3] or "" for match in map(_COUNT.fullmatch, texts) if match]
    if len({unit.casefold()[:_STEM_CHARS] for unit in units}) > 1:
        return None
    return max(units, key=len, default="").casefold()


def shows_date(text: str) -> bool:
    """Return whether a short text shows a day or an age."""
    return len(text) <= _LONGEST and _SOME_DATE.search(text) is not None


def share_of(values: Iterable[str | None], what: str) -> float:
    """Return the share of values that show a price or date, or are durations or sites."""
    texts = [value for value in values if value]
    if what in ("price", "date"):
        search = (_SOME_PRICE if what == "price" else _SOME_DATE).search
        hits = sum(len(text) <= _LONGEST and search(text) is not None for text in texts)
    else:
        match = (_DURATION if what == "duration" else _SITE).fullmatch
        hits = sum(match(text[:400]) is not None for text in texts)
    return hits / max(len(texts), 1)


# What values show -------------------------------------------------------------------------------

_MOST = 0.6
SHORT_WORDS = 6
"""Values of no more words are names rather than sentences."""
_PROSE_WORDS = 10
_LONG = 200
_BEST_MARK = 100


def are_words(texts: Iterable[str | None]) -> bool:
    """Return whether most of what is written in texts are letters: not lengths, prices or dates."""
    written = "".join(filter(None, texts))
    return 2 * sum(map(str.isalpha, written)) > len(written) - written.count(" ")


@dataclass(frozen=True, eq=False)
class Shown:
    """The values of a column, and what can be told from them."""

    texts: tuple[str, ...]
    """Of the records that have one."""

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> Shown:
        """Look at the values of a column."""
        return cls(tuple(filter(None, texts)))

    @cached_property
    def kind(self) -> str:
        """What nearly all values are."""
        return kind_of(self.texts)

    @cached_property
    def unit(self) -> str | None:
        """Word after the numbers; '' for numbers alone, None for other values."""
        return unit_of(self.texts)

    @cached_property
    def words(self) -> float:
        """Mean number of words."""
        return mean(len(text.split()) for text in self.texts) if self.texts else 0.0

    @cached_property
    def are_prices(self) -> bool:
        """Whether most of the values are amounts of money."""
        return self.kind == "price" or share_of(self.texts, "price") > _MOST

    @cached_property
    def are_dates(self) -> bool:
        """Whether most of the values show a day or an age."""
        return self.kind == "date" or share_of(self.texts, "date") > _MOST

    @cached_property
    def hold_dates(self) -> bool:
        """Whether most of the values, long or short, show a day or an age somewhere."""
        texts = [text[:_LONG] for text in self.texts]
        return sum(_SOME_DATE.search(text) is not None for text in texts) > len(texts) / 2

    @cached_property
    def are_years(self) -> bool:
        """Whether the values are years."""
        return all(len(text) == 4 and text.startswith(("18", "19", "20")) for text in self.texts)

    @cached_property
    def are_marks(self) -> bool:
        """Whether the values are marks out of five: most of them with one decimal."""
        marks = [typed(text, "number") for text in self.texts] if self.unit == "" else []
        decimals = sum(isinstance(mark, float) for mark in marks)
        low = all(isinstance(mark, int | float) and 0 <= mark <= 5 for mark in marks)
        return bool(marks) and low and 2 * decimals >= len(marks)

    @cached_property
    def are_low(self) -> bool:
        """Whether most values, if they are numbers, are no higher than marks may be."""
        numbers = [typed(text, "number") for text in self.texts]
        high = sum(isinstance(one, int | float) and one > _BEST_MARK for one in numbers)
        return 2 * high < len(numbers)  # 3.938 may be a mark, or some thousands

    @cached_property
    def are_durations(self) -> bool:
        """Whether most of the values are lengths of time, as 3:45 is."""
        return share_of(self.texts, "duration") > _MOST

    @cached_property
    def are_sites(self) -> bool:
        """Whether most of the values are addresses that people see."""
        return share_of(self.texts, "site") > _MOST

    @cached_property
    def are_counts(self) -> bool:
        """Whether most of the values have a number, and little else."""
        with_digit = sum(any(map(str.isdigit, text)) for text in self.texts)
        return with_digit > _MOST * len(self.texts) and self.words <= SHORT_WORDS

    @cached_property
    def are_short(self) -> bool:
        """Whether the values are words rather than sentences, and not numbers."""
        letters = sum(any(map(str.isalpha, text)) for text in self.texts)
        return letters > _MOST * len(self.texts) and self.words <= SHORT_WORDS

    @cached_property
    def are_prose(self) -> bool:
        """Whether the values are sentences."""
        return self.words >= _PROSE_WORDS

    @cached_property
    def are_words(self) -> bool:
        """Whether most of what is written are letters: not lengths, prices or dates."""
        return are_words(self.texts)


# Typed values -------------------------------------------------------------------------------------


def typed(text: str, kind: str, *, month_first: bool = False) -> Value:
    """Return a text as a value of a kind; None where this one cannot be read so.

    Args:
        text: What the page shows.
        kind: One of `KINDS`.
        month_first: How to read 3/4/2020, where the numbers do not tell.
    """
    text = text.translate(_UNSEEN)
    if kind == "number":
        return _number(text)
    if kind == "rating":
        stars = text.count("★") + text.count("⭐")
        match = re.match(r"\d{1,2}(?:[.,]\d+)?", text)
        return float(match[0].replace(",", ".")) if match else float(stars) if stars else None
    if kind == "price":
        from joeira.metadata.shop_page import amount

        money = amount(text)
        return float(money) if money else None
    if kind == "date":
        from joeira.metadata.dates import day_shown

        day = day_shown(text, month_first=month_first)
        return date.fromisoformat(day) if day else None
    if kind == "boolean":
        return _BOOLEAN.get(text.casefold())
    return text.split(LIST_SEPARATOR) if kind == "list" else text


def currency_of(text: str, address: str | None = None) -> str | None:
    """Return the ISO code of the currency of a price."""
    from joeira.metadata.shop_page import currency

    return currency(text.translate(_UNSEEN), address)


def _number(text: str) -> int | float | None:
    """Return a number however it is written: 1,234.5 or 1.234,5 or 1 234 or 12k."""
    match = _COUNT.match(text)
    if not match:
        return None
    digits = re.sub(r"[\s'’\u00a0\u202f]", "", match[1]).replace("−", "-")
    whole, mark, part = _parted(digits)
    scale = {"k": 1_000, "m": 1_000_000}.get((match[2] or "").strip().casefold(), 1)
    if not mark:
        return int(whole) * scale
    number = float(f"{whole}.{part}") * scale
    return int(number) if scale > 1 else number


def _parted(digits: str) -> tuple[str, str, str]:
    """Return the digits before the decimal mark, the mark if there is one, and those after it."""
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        mark = max(".,", key=digits.rindex)
    elif points + commas == 1:
        mark = "." if points else ","
        before, _, after = digits.partition(mark)
        if len(after) == 3 and before.lstrip("+-") not in ("", "0"):
            return before + after, "", ""  # 1,234 and 1.234 are thousands
    else:
        return re.sub("[.,]", "", digits), "", ""
    before, _, after = digits.rpartition(mark)
    return re.sub("[.,]", "", before), mark, after
