r"""Scores of extracted text against the gold of a page, and their summary over pages.

A page is measured once per method: one row of numbers (`COLUMNS`). Whatever is reported, of all
pages or some, of the pages as they are or resampled, is a function of weighted sums over those
rows, so a bootstrap is one matrix product.

- *words*: overlap of the bags of lower-cased ``\w+`` tokens; precision, recall and F1 of each
  page, then means over pages.
- *shingles*: overlap of the bags of four consecutive tokens, case kept; precision is the mean over
  pages with some output, recall the mean over pages with some gold, F1 the harmonic mean of both.
- *snippets*: wanted and unwanted snippets found as substrings, white space collapsed, pooled over
  all pages.

`BlockScore` is over blocks and records: sets of things rather than words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.errors import require
from joeira.evaluation.datasets import CJK, Example

METRICS = ("words", "shingles", "snippets")
SHINGLE_TOKENS = 4
BOOTSTRAP_SAMPLES = 1000
PAIRED_SAMPLES = 10_000

# Columns of a page's measurement; a metric that the page has no gold for is nan.
COLUMNS = {
    "words": slice(0, 3),  # precision, recall, F1
    "shingles": slice(3, 5),  # precision, recall; nan where undefined
    "snippets": slice(5, 9),  # wanted found, unwanted found, wanted missed, unwanted absent
}
WIDTH = 9
_WORD = re.compile(r"\w+")
_BLANK = re.compile(r"\s+")
_CHUNK = 100


def tokens(text: str, split_cjk: bool = False) -> list[str]:
    """Return the words of a text; `split_cjk` makes each Han, kana, hangul or Thai letter one."""
    return _WORD.findall(CJK.sub(r" \1 ", text) if split_cjk else text)


def word_scores(gold: str, found: str, split_cjk: bool = False) -> tuple[float, float, float]:
    """Return precision, recall and F1 of the bag of lower-cased words."""
    return _bag_scores(_words(gold, split_cjk), _words(found, split_cjk))


def shingle_scores(gold: str, found: str, split_cjk: bool = False) -> tuple[float, float]:
    """Return precision (nan without output) and recall (nan without gold) of runs of four words."""
    return _shares(_shingles(gold, split_cjk), _shingles(found, split_cjk))


def snippet_counts(row: Example, found: str) -> tuple[int, int, int, int]:
    """Return wanted found, unwanted found, wanted missed and unwanted absent."""
    text = _squash(found)
    wanted = sum(_squash(snippet) in text for snippet in row.wanted)
    unwanted = sum(_squash(snippet) in text for snippet in row.unwanted)
    return wanted, unwanted, len(row.wanted) - wanted, len(row.unwanted) - unwanted


class Gold:
    """The answer of one page, prepared so that many outputs can be measured against it."""

    def __init__(self, row: Example, split_cjk: bool = False) -> None:
        """Count the words and shingles of the answer."""
        self._row = row
        self._split_cjk = split_cjk
        if row.has_text:
            self._bag = _words(row.text or "", split_cjk)
            self._runs = _shingles(row.text or "", split_cjk)

    def measure(self, found: str) -> Floats:
        """Return the measurement of an output: a row with `COLUMNS`."""
        measured = np.full(WIDTH, np.nan)
        if self._row.has_text:
            measured[COLUMNS["words"]] = _bag_scores(self._bag, _words(found, self._split_cjk))
            measured[COLUMNS["shingles"]] = _shares(self._runs, _shingles(found, self._split_cjk))
        if self._row.has_snippets:
            measured[COLUMNS["snippets"]] = snippet_counts(self._row, found)
        return measured


def pages_with(metric: str, rows: Floats) -> NDArray[np.bool_]:
    """Return which measurements have gold for a metric."""
    # A shingle score may be undefined although there is gold; words and snippets never are.
    column = COLUMNS["words" if metric == "shingles" else metric].start
    return ~np.isnan(rows[:, column])


@dataclass(frozen=True)
class Score:
    """One metric over a set of pages."""

    pages: int
    precision: float
    recall: float
    f1: float
    interval: tuple[float, float]
    """95 % bootstrap interval of F1, pages resampled."""
    found_wanted: float | None = None
    """Snippets only: share of the wanted snippets that were found; equals recall."""
    found_unwanted: float | None = None
    """Snippets only: share of the unwanted snippets that were found."""
    accuracy: float | None = None
    """Snippets only: share of all snippets that are where they should be."""


def score(metric: str, rows: Floats, samples: int = BOOTSTRAP_SAMPLES) -> Score | None:
    """Summarise measurements of many pages; None when no page has gold for the metric."""
    one_score = scores(metric, [rows], samples)
    return one_score[0] if one_score else None


def scores(metric: str, tables: Sequence[Floats], samples: int = BOOTSTRAP_SAMPLES) -> list[Score]:
    """Summarise measurements of several methods on the same pages; nothing without gold."""
    columns = _summands(metric, tables)
    if not len(columns[0]):
        return []
    resampled = _bootstrap(metric, columns, samples, 0)
    return [_score(metric, *pair) for pair in zip(columns, resampled, strict=True)]


@dataclass(frozen=True)
class Difference:
    """F1 of one method less that of another on the same pages."""

    difference: float
    interval: tuple[float, float]
    """95 % paired bootstrap interval."""
    not_better: float
    """Share of the resampled page sets on which the method is not better than the other."""


def difference(
    metric: str, rows: Floats, other: Floats, samples: int = PAIRED_SAMPLES
) -> Difference | None:
    """Compare measurements of two methods page by page; None when no page has gold."""
    one_difference = differences(metric, rows, [other], samples)
    return one_difference[0] if one_difference else None


def differences(
    metric: str, rows: Floats, others: Sequence[Floats], samples: int = PAIRED_SAMPLES
) -> list[Difference]:
    """Compare one method with several others page by page; nothing without gold."""
    columns = _summands(metric, [rows, *others])
    if not len(columns[0]):
        return []
    ours, *theirs = (_from_sums(metric, each.sum(axis=0))[2] for each in columns)
    resampled, *rest = _bootstrap(metric, columns, samples, 1)
    return [
        Difference(
            float(ours - point), interval(resampled - values), float((resampled <= values).mean())
        )
        for point, values in zip(theirs, rest, strict=True)
    ]


def _score(metric: str, columns: Floats, resampled: Floats) -> Score:
    sums = columns.sum(axis=0)
    precision, recall, f1 = map(float, _from_sums(metric, sums))
    result = Score(len(columns), precision, recall, f1, interval(resampled))
    if metric != "snippets":
        return result
    wanted, unwanted, missed, absent = map(float, sums)
    return replace(
        result,
        found_wanted=wanted / max(1, wanted + missed),
        found_unwanted=unwanted / max(1, unwanted + absent),
        accuracy=(wanted + absent) / max(1, wanted + unwanted + missed + absent),
    )


def _words(text: str, split_cjk: bool) -> Counter[str]:
    return Counter(tokens(text.lower(), split_cjk))


def _shingles(text: str, split_cjk: bool) -> Counter[tuple[str, ...]]:
    """Count runs of four tokens; a shorter text is one run."""
    words = tokens(text, split_cjk)
    if 0 < len(words) < SHINGLE_TOKENS:
        return Counter([tuple(words)])
    return Counter(zip(*(words[start:] for start in range(SHINGLE_TOKENS)), strict=False))


def _squash(text: str) -> str:
    return _BLANK.sub(" ", text).strip()


def _shares(gold: Counter[Any], found: Counter[Any]) -> tuple[float, float]:
    both = (gold & found).total()
    in_gold, in_found = gold.total(), found.total()
    return (both / in_found if in_found else np.nan), (both / in_gold if in_gold else np.nan)


def _bag_scores(gold: Counter[str], found: Counter[str]) -> tuple[float, float, float]:
    if not gold:  # an answer of punctuation only
        return (0.0, 0.0, 0.0) if found else (1.0, 1.0, 1.0)
    precision, recall = _shares(gold, found)
    if not recall:
        return 0.0, 0.0, 0.0
    return precision, recall, 2 * precision * recall / (precision + recall)


def _summands(metric: str, tables: Sequence[Floats]) -> list[Floats]:
    """Return per page with gold the numbers whose sums over pages give the metric."""
    with_gold = pages_with(metric, tables[0])
    measured = [rows[with_gold, COLUMNS[metric]] for rows in tables]
    if metric == "snippets":
        return measured
    return [np.hstack([np.nan_to_num(each), ~np.isnan(each)]) for each in measured]


def _from_sums(metric: str, sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Return precision, recall and F1 from sums of `_summands`, over the last axis."""
    if metric == "words":
        return sums[..., 0] / sums[..., 3], sums[..., 1] / sums[..., 4], sums[..., 2] / sums[..., 5]
    if metric == "shingles":
        precision = sums[..., 0] / np.maximum(1, sums[..., 2])
        recall = sums[..., 1] / np.maximum(1, sums[..., 3])
    else:
        precision = sums[..., 0] / np.maximum(1, sums[..., 0] + sums[..., 1])
        recall = sums[..., 0] / np.maximum(1, sums[..., 0] + sums[..., 2])
    both = precision + recall
    return precision, recall, 2 * precision * recall / np.where(both > 0, both, 1)


def _bootstrap(metric: str, columns: list[Floats], samples: int, seed: int) -> list[Floats]:
    """Return F1 of resampled page sets, the same sets for every method."""
    side_by_side = np.hstack(columns)
    drawn = resamples(len(side_by_side), samples, seed)
    sums = np.concatenate([times @ side_by_side for times in drawn])
    return [_from_sums(metric, each)[2] for each in np.split(sums, len(columns), axis=1)]


def resamples(pages: int, samples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each page is drawn in each sample, some samples at a time to bound memory."""
    generator = np.random.default_rng(seed)
    for start in range(0, samples, _CHUNK):
        rows = min(_CHUNK, samples - start)
        drawn = generator.integers(0, pages, (rows, pages))
        drawn += np.arange(rows)[:, None] * pages
        times = np.bincount(drawn.ravel(), minlength=rows * pages)
        yield times.reshape(rows, pages).astype(np.float64)


def interval(values: Floats) -> tuple[float, float]:
    """Return what holds the middle 95 % of some values."""
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


@dataclass(frozen=True)
class BlockScore:
    """How well blocks called content agree with the content blocks of the answer."""

    precision: float
    recall: float
    f1: float
    accuracy: float
    """Blocks rightly called content or not, of all candidate blocks."""
    share_not_wrongly_kept: float
    """One less the share of false positives: the figure that X-CEX prints as accuracy."""


def block_score(
    candidates: Set[Hashable], predicted: Set[Hashable], truth: Set[Hashable]
) -> BlockScore:
    """Compare predicted with true blocks.

    Args:
        candidates: Every block that block extraction produced.
        predicted: Those called content.
        truth: Content blocks of the answer, also those that block extraction never produced.
    """
    require(predicted <= candidates, "only candidate blocks can be predicted")
    hits = len(predicted & truth)
    wrong = len(predicted - truth)
    rejected = len(candidates - predicted - truth)
    precision = hits / len(predicted) if predicted else 0.0
    recall = hits / len(truth) if truth else float(not predicted)
    both = precision + recall
    return BlockScore(
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / both if both else 0.0,
        accuracy=(hits + rejected) / len(candidates) if candidates else 1.0,
        share_not_wrongly_kept=1 - wrong / len(candidates) if candidates else 1.0,
    )


def noise_removed(
    records: int, target: int, records_filtered: int, target_filtered: int
) -> float | None:
    """Return the share of unwanted records that a filter took away (TPS, equation 4.1).

    None when there was no noise to remove.
    """
    noise = records - target
    if not noise:
        return None
    return 1 - (records_filtered - target_filtered) / noise


def tree_reduction(nodes: int, nodes_filtered: int) -> float:
    """Return the change in the number of nodes as a share of it: negative when nodes went away."""
    require(nodes > 0, "a page has nodes")
    return (nodes_filtered - nodes) / nodes
