"""What the values of a column are: claimed only where nearly all of them can be read so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

KINDS: Final = ("text", "number", "price", "date", "link", "image")

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

_PATTERNS: Final = {
    "number": re.compile(rf"{_NUMBER}\s?%?"),
    "price": re.compile(
        rf"(?:{_CURRENCY}\s?{_NUMBER}{_CENTS}(?:\s?{_CURRENCY})?|{_NUMBER}{_CENTS}\s?{_CURRENCY})",
        re.IGNORECASE,
    ),
    "date": re.compile(rf"(?:{'|'.join(_DATE)}){_CLOCK}", re.IGNORECASE),
}


def kind_of(values: Iterable[str | None]) -> str:
    """Return number, price or date where nearly all values are one, text otherwise."""
    texts = [value.translate(_UNSEEN) for value in values if value]
    for kind, pattern in _PATTERNS.items():
        misses_left = (1 - _CERTAIN_SHARE) * len(texts)
        for text in texts:
            if len(text) > _LONGEST or not pattern.fullmatch(text):
                misses_left -= 1
                if misses_left < 0:
                    break
        else:
            return kind if len(texts) >= _LEAST_VALUES else "text"
    return "text"
