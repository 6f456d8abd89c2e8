"""Scores of title, author, date and product against the gold of a page.

- *title*: equal but for case, white space and punctuation;
- *author*: the same set of names, however they are joined;
- *date*: the same day.

A page is measured once per contender: 1 or 0 per fact, nan where the page has no answer. Pages are
also told apart by the host they come from, in two halves: most rules were made by looking at the
failures of the first half only; for the latest ones (see ``docs/metadata.md``) it is no check.

A fact of a product is right if it is one of the accepted values: the same number, the same
availability, a currency of the same sign, or text with the same letters and digits. Precision is
over the pages on which it is given, recall over those on which the answer has it.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.evaluation.datasets import Example
from joeira.evaluation.metrics import BOOTSTRAP_SAMPLES, interval, resamples
from joeira.metadata.shop_page import currency

Facts = dict[str, Any]
"""What is measured: ``title``, ``author`` and ``date`` as texts, None where there is none."""

FACTS = ("title", "author", "date")
WIDTH = len(FACTS)
HALVES = ("first half", "second half")

_NOT_WORDS = re.compile(r"[\W_]+")
_BETWEEN_NAMES = re.compile(r"\s*[;,&/|]\s*|\s+(?:and|und|et|y|e|with)\s+")
_DAY_CHARS = len("2024-05-06")


def plain(text: str) -> str:
    """Return a text in lower case, its words apart by one space, without punctuation."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("\xad", "")
    return _NOT_WORDS.sub(" ", text).strip()


def names(text: str) -> frozenset[str]:
    """Return the names in a text that joins them."""
    return frozenset(filter(None, map(plain, _BETWEEN_NAMES.split(text))))


def has_gold(row: Example) -> bool:
    """Return whether a page has an answer for one of the facts."""
    return any(getattr(row, fact) for fact in FACTS)


class Gold:
    """The facts of one page's answer."""

    def __init__(self, row: Example) -> None:
        """Read the answer."""
        self._facts = {fact: getattr(row, fact) or "" for fact in FACTS}

    def measure(self, output: Facts) -> Floats:
        """Return 1 for each fact that is right, 0 for each that is not, nan without an answer."""
        accuracies = []
        for fact, gold in self._facts.items():
            wanted = _READ[fact](gold)
            said = _READ[fact](str(output.get(fact) or ""))
            accuracies.append(float(said == wanted) if wanted else np.nan)
        return np.array(accuracies, np.float64)


def _day(text: str) -> str:
    return text[:_DAY_CHARS]


_READ: dict[str, Callable[[str], object]] = {"title": plain, "author": names, "date": _day}


@dataclass(frozen=True)
class Accuracy:
    """The share of pages on which a fact is right."""

    pages: int
    share: float
    interval: tuple[float, float]
    """95 % bootstrap interval, pages resampled."""


def accuracy(measured: Floats, samples: int = BOOTSTRAP_SAMPLES) -> Accuracy | None:
    """Summarise the column of one fact; None when no page has an answer."""
    known = measured[~np.isnan(measured)]
    if not len(known):
        return None
    drawn = resamples(len(known), samples, 0)
    shares = np.concatenate([times @ known for times in drawn]) / len(known)
    return Accuracy(len(known), float(known.mean()), interval(shares))


def in_first_half(rows: Sequence[Example]) -> NDArray[np.bool_]:
    """Return which pages belong to the first half of the hosts."""
    return np.array([_digest(row) < 128 for row in rows], bool)


def _digest(row: Example) -> int:
    host = urlsplit(row.url or "").hostname or row.id
    return hashlib.sha256(host.removeprefix("www.").encode()).digest()[0]


# Products -----------------------------------------------------------------------------------------

PRODUCT_FACTS = ("price", "currency", "availability", "brand", "sku", "gtin", "mpn")
PRODUCT_WIDTH = 3 * len(PRODUCT_FACTS)
"""Per fact: whether it is right, whether it is given, whether the answer has it."""

_DOLLARS = {"USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN"}
_AVAILABLE = {
    "LimitedAvailability": "InStock", "InStoreOnly": "InStock", "OnlineOnly": "InStock",
    "SoldOut": "OutOfStock", "Discontinued": "OutOfStock",
}  # fmt: skip
"""Answers know two kinds."""


class ProductGold:
    """The accepted values for the facts of one page's product."""

    def __init__(self, row: Example) -> None:
        """Read the answer."""
        accepted = dict(row.product)
        self._accepted = {
            fact: {_comparable(fact, value) for value in accepted.get(fact, ())}
            for fact in PRODUCT_FACTS
        }

    def measure(self, output: Facts) -> Floats:
        """Return for each fact whether it is right, given and wanted."""
        measured = []
        for fact, accepted in self._accepted.items():
            value = output.get(fact)
            is_right = value is not None and _comparable(fact, str(value)) in accepted
            measured += [is_right, value is not None, bool(accepted)]
        return np.array(measured, np.float64)


def _comparable(fact: str, value: str) -> object:
    value = value.strip()
    if fact == "price":
        try:
            return Decimal(value).normalize()
        except InvalidOperation:
            return value
    if fact == "availability":
        return _AVAILABLE.get(value, value)
    if fact == "currency":
        code = currency(value)
        return "$" if code in _DOLLARS else code
    return plain(value).replace(" ", "")


@dataclass(frozen=True)
class ProductScore:
    """How well one fact of products is read."""

    right: int
    precision: float
    recall: float
    f1: float
    interval: tuple[float, float]
    """95 % bootstrap interval of F1, pages resampled."""


def product_scores(measured: Floats, samples: int = BOOTSTRAP_SAMPLES) -> dict[str, ProductScore]:
    """Summarise the measurements of all pages, by fact."""
    columns = measured.reshape(len(measured), len(PRODUCT_FACTS), 3)
    weights = np.concatenate(list(resamples(len(measured), samples, 0)))
    scores = {}
    for number, fact in enumerate(PRODUCT_FACTS):
        right, given, wanted = columns[:, number].sum(axis=0).tolist()
        drawn = weights @ columns[:, number]
        f1 = 2 * drawn[:, 0] / np.maximum(1, drawn[:, 1] + drawn[:, 2])
        scores[fact] = ProductScore(
            int(right),
            right / max(1, given),
            right / max(1, wanted),
            2 * right / max(1, given + wanted),
            interval(f1),
        )
    return scores
