r"""Scores of data records against the gold of a page, and their summary over pages.

Records are compared as bags of lower-cased ``\w+`` tokens, one to one, best overlap (Dice) first:

- *text* answers hold the whole text of a record: found when the Dice overlap is at least 0.8;
- *attrs* answers hold some values of a record: found when 0.8 of them are in the record, and the
  record is one: what is left of it does not hold 0.8 of the answer before or after, and it is at
  most 10 times and 50 tokens longer than the answer.

A page is measured once per method: one row of counts (`COLUMNS`), over all tables and over the
first ones alone. Precision and recall are means over pages; a page without output has neither.

The posts of a thread are records as well, matched by their text; a post without words is matched by
another without words. Of those found, the author is right when the name is the same, or its link
where the answer has a link for it, and the date when it is the same day, or the same words where
the answer has no full date.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from joeira.arrays import Floats
from joeira.evaluation import metrics
from joeira.evaluation.datasets import Example, GoldPost
from joeira.evaluation.metadata_scores import plain
from joeira.evaluation.metrics import BOOTSTRAP_SAMPLES, interval, resamples
from joeira.metadata.dates import day_shown

Tables = list[list[str]]
"""What is measured: the texts of the records of each table, best table first."""
Bag = Counter[str]

THRESHOLD = 0.8
COLUMNS = ("wanted", "matched", "returned", "region_found")
WIDTH = 2 * len(COLUMNS) - 1
_ALL, _FIRST = [0, 1, 2, 3], [0, 4, 5, 6]
_WORD = re.compile(r"\w+")

POST_COLUMNS = ("wanted", "returned", "matched", "authors", "right_authors", "dates", "right_dates")
"""Posts of the answer, of the output and of both; of these those whose author the answer has, and
those with the right one; the same of dates."""
_ADDRESS = re.compile(r"\S*[/?]\S*")
_ORIGIN = re.compile(r"(?:https?:)?//[^/]*|\.+(?=/)")
_NUMBERS = re.compile(r"(\d\d?)[/-](\d\d?)[/-]\d")


def bag(record: str | Sequence[str]) -> Bag:
    """Return the tokens of a record given as text or as values."""
    text = record if isinstance(record, str) else " ".join(record)
    return Counter(_WORD.findall(text.lower().replace("_", " ")))


def match(wanted: Sequence[Bag], found: Sequence[Bag], mode: str = "text") -> dict[int, int]:
    """Return which found record is which wanted one: best overlap first, each of both once."""
    pairs = sorted(_pairs(wanted, found, mode), key=lambda pair: (-pair[0], pair[1], pair[2]))
    of_wanted: dict[int, int] = {}
    of_found: dict[int, int] = {}
    for _, one, other in pairs:
        if one not in of_wanted and other not in of_found:
            of_wanted[one] = other
            of_found[other] = one
    return of_found


class Gold:
    """The records of one page's answer, prepared so that many outputs can be measured."""

    def __init__(self, row: Example, first_tables: int = 1) -> None:
        """Count the tokens of the answer."""
        self._mode = row.mode
        self._wanted = [words for words in map(bag, row.records) if words]
        self._first_tables = first_tables

    def measure(self, tables: Tables) -> Floats:
        """Return the measurement of an output: counts over all tables and over the first ones."""
        bags = [[bag(record) for record in table] for table in tables if table]
        everywhere = self._counts(bags)
        return np.array([*everywhere, *self._counts(bags[: self._first_tables])[1:]], np.float64)

    def _counts(self, tables: list[list[Bag]]) -> tuple[int, int, int, int]:
        records = [record for table in tables for record in table]
        enough = THRESHOLD * len(self._wanted)
        # A table on its own, so that no other can take what it found.
        region_found = any(
            len(match(self._wanted, table, self._mode)) >= enough
            for table in tables
            if len(table) >= enough
        )
        matched = len(match(self._wanted, records, self._mode))
        return len(self._wanted), matched, len(records), int(region_found)


@dataclass(frozen=True)
class RecordScore:
    """How well records were found over a set of pages."""

    pages: int
    precision: float
    recall: float
    f1: float
    """Harmonic mean of the two means."""
    interval: tuple[float, float]
    """95 % bootstrap interval of `f1`, pages resampled."""
    page_f1: float
    """Mean of the pages' own F1."""
    micro_precision: float
    micro_recall: float
    micro_f1: float
    """The same over all records of all pages."""
    region_rate: float
    """Share of pages on which a single table holds 0.8 of the wanted records."""
    exact: float
    """Share of pages with every wanted record and no other."""
    precision_where_found: float
    """Mean precision over the pages whose region was found: the TPS thesis' precision."""
    f1_where_found: float
    """Harmonic mean of that and the region rate: the thesis' F-measure."""
    wanted: int
    matched: int
    returned: int


def scores(
    tables: Sequence[Floats], *, first: bool = False, samples: int = BOOTSTRAP_SAMPLES
) -> list[RecordScore]:
    """Summarise measurements of several methods on the same pages.

    Args:
        tables: A row of counts per page, for each method.
        first: Count the first tables only.
        samples: Number of bootstrap samples.
    """
    counts = [rows[:, _FIRST if first else _ALL] for rows in tables]
    shares = [_shares(rows) for rows in counts]
    side_by_side = np.hstack(shares)
    drawn = resamples(len(side_by_side), samples, 0)
    means = np.concatenate([times @ side_by_side for times in drawn]) / len(side_by_side)
    resampled = [_harmonic(*each.T) for each in np.split(means, len(tables), axis=1)]
    return [_score(*one) for one in zip(counts, shares, resampled, strict=True)]


def noise_removed(before: Floats, after: Floats) -> list[float]:
    """Return the share of unwanted records that a filter took away, page by page.

    As the TPS thesis has it: of the pages whose region the filter kept and that had noise.
    """
    shares = []
    for one, other in zip(before.tolist(), after.tolist(), strict=True):
        if other[_ALL[3]]:
            share = metrics.noise_removed(int(one[2]), int(one[1]), int(other[2]), int(other[1]))
            shares += [] if share is None else [share]
    return shares


def _pairs(
    wanted: Sequence[Bag], found: Sequence[Bag], mode: str
) -> Iterator[tuple[float, int, int]]:
    """Yield the overlap and the numbers of every wanted and found record that may be the same."""
    holders: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for one, words in enumerate(wanted):
        for word, times in words.items():
            holders[word].append((one, times))
    sizes = [words.total() for words in wanted]
    for other, words in enumerate(found):
        shared: Counter[int] = Counter()
        for word, times in words.items():
            for one, wanted_times in holders.get(word, ()):
                shared[one] += min(times, wanted_times)
        size = words.total()
        for one, common in shared.items():
            dice = 2 * common / (sizes[one] + size)
            if mode == "text":
                same = dice >= THRESHOLD
            else:
                fits = common >= THRESHOLD * sizes[one] and size <= 10 * sizes[one] + 50
                same = fits and not _holds_a_neighbour(words - wanted[one], wanted, one)
            if same:
                yield dice, one, other


def _holds_a_neighbour(rest: Bag, wanted: Sequence[Bag], number: int) -> bool:
    neighbours = [wanted[near] for near in (number - 1, number + 1) if 0 <= near < len(wanted)]
    return any((rest & other).total() >= THRESHOLD * other.total() for other in neighbours)


def _shares(counts: Floats) -> Floats:
    """Return precision and recall of each page."""
    wanted, matched, returned, _ = counts.T
    return np.column_stack((matched / np.maximum(returned, 1), matched / np.maximum(wanted, 1)))


def _score(counts: Floats, shares: Floats, resampled: Floats) -> RecordScore:
    precision, recall = shares.mean(axis=0)
    wanted, matched, returned, region_found = counts.sum(axis=0)
    micro_precision, micro_recall = matched / max(returned, 1), matched / max(wanted, 1)
    kept = counts[:, 3] > 0
    where_found = shares[kept, 0].mean() if kept.any() else 0.0
    rate = region_found / len(counts)
    return RecordScore(
        pages=len(counts),
        precision=float(precision),
        recall=float(recall),
        f1=float(_harmonic(precision, recall)),
        interval=interval(resampled),
        page_f1=float(_harmonic(*shares.T).mean()),
        micro_precision=float(micro_precision),
        micro_recall=float(micro_recall),
        micro_f1=float(_harmonic(micro_precision, micro_recall)),
        region_rate=float(rate),
        exact=float((shares == 1).all(axis=1).mean()),
        precision_where_found=float(where_found),
        f1_where_found=float(_harmonic(where_found, rate)),
        wanted=int(wanted),
        matched=int(matched),
        returned=int(returned),
    )


def _harmonic(one: Any, other: Any) -> Any:
    both = one + other
    return 2 * one * other / np.where(both > 0, both, 1)


# Posts --------------------------------------------------------------------------------------------


class PostGold:
    """The posts of one page's answer."""

    def __init__(self, row: Example) -> None:
        """Count the tokens of the answer."""
        self._posts = row.posts
        self._wanted = [bag(post.text) for post in row.posts]
        # Either reading of 4/7/2019 is right, unless another date of the thread tells.
        numbers = [found for post in row.posts if (found := _NUMBERS.match(post.date))]
        day_first = any(int(found[1]) > 12 for found in numbers)
        month_first = any(int(found[2]) > 12 for found in numbers)
        self._orders = {month_first} if day_first or month_first else {False, True}

    def measure(self, output: list[dict[str, Any]]) -> Floats:
        """Return the measurement of posts as plain data: one number for each column."""
        found = [bag(post["text"]) for post in output]
        pairs = match(self._wanted, found)
        empty = [[n for n, words in enumerate(bags) if not words] for bags in (self._wanted, found)]
        pairs |= dict(zip(empty[1], empty[0], strict=False))
        both = [(self._posts[wanted], output[number]) for number, wanted in pairs.items()]
        # Some answers have a piece of script where the page has no author.
        signed = [
            pair for pair in both if pair[0].author.partition(":")[0] not in ("", "javascript")
        ]
        dated = [pair for pair in both if pair[0].date]
        return np.array(
            [
                len(self._wanted),
                len(found),
                len(pairs),
                len(signed),
                sum(_is_same_author(wanted, post) for wanted, post in signed),
                len(dated),
                sum(self._is_same_date(wanted, post) for wanted, post in dated),
            ],
            np.float64,
        )

    def _is_same_date(self, wanted: GoldPost, post: dict[str, Any]) -> bool:
        days = {day_shown(wanted.date, month_first=order) for order in self._orders} - {None}
        if days:
            return post["date"] in days
        one, other = plain(wanted.date), plain(post["date_text"] or "")
        return bool(other) and (one in other or other in one)


def _is_same_author(wanted: GoldPost, post: dict[str, Any]) -> bool:
    if _ADDRESS.fullmatch(wanted.author):
        address = _ORIGIN.sub("", wanted.author).lstrip("/")
        return (post["author_url"] or "").endswith(f"/{address}")
    return plain(wanted.author) == plain(post["author"] or "")


@dataclass(frozen=True)
class PostScore:
    """How well posts were found over a set of pages."""

    precision: float
    recall: float
    f1: float
    """Of all posts of all pages."""
    page_f1: float
    """Mean of the pages' own F1."""
    interval: tuple[float, float]
    """95 % bootstrap interval of `page_f1`, pages resampled."""
    site_f1: float
    """Mean over sites of the means of their pages."""
    author: float
    """Share of the posts found whose author is right."""
    date: float
    """Share of the posts found whose date is right."""


def post_score(
    measured: Floats, sites: Sequence[str], samples: int = BOOTSTRAP_SAMPLES
) -> PostScore:
    """Summarise the measurements of one method, given the site of each page."""
    wanted, returned, matched, authors, right_authors, dates, right_dates = measured.sum(axis=0)
    page_f1 = 2 * measured[:, 2] / np.maximum(1, measured[:, 0] + measured[:, 1])
    drawn = resamples(len(page_f1), samples, 0)
    means = np.concatenate([times @ page_f1 for times in drawn]) / len(page_f1)
    _, site = np.unique(list(sites), return_inverse=True)
    return PostScore(
        precision=float(matched / max(1, returned)),
        recall=float(matched / max(1, wanted)),
        f1=float(2 * matched / max(1, wanted + returned)),
        page_f1=float(page_f1.mean()),
        interval=interval(means),
        site_f1=float((np.bincount(site, page_f1) / np.bincount(site)).mean()),
        author=float(right_authors / max(1, authors)),
        date=float(right_dates / max(1, dates)),
    )
