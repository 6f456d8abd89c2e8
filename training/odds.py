"""Tables of log-odds for words and names, learned page by page.

A bucket's evidence is the mean over pages of the share of gold where it occurs, so that no page
counts more than another. When a page's own features are made for training, its whole domain is
taken out of the tables first: otherwise the tables would give the answers away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from joeira.blockmodel.columns import LIST_TYPES, NAMES, learned_columns
from joeira.blockmodel.lexicon import SPACES, TABLE_SCALE, bucket
from training.pages import LabelledPage

Shares = dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]
Totals = dict[str, NDArray[np.float64]]

_PRIOR = dict.fromkeys(SPACES, (0.7, 1.3, 3)) | dict.fromkeys(("name", "listed"), (1.0, 1.0, 4))
"""Pages assumed for and against, and the fewest pages that count as evidence."""


def shares(one: LabelledPage) -> Shares:
    """Return, per table, the buckets of a page and the share of gold where each occurs."""
    hashes, block = one.matrix.words.single
    places = bucket(hashes, SPACES["word"])
    return {
        "word": _mean(places, one.share[block], np.ones(len(block))),
        "heading": _heading_shares(one),
        "listed" if one.page_type in LIST_TYPES else "name": _name_shares(one),
    }


def _heading_shares(one: LabelledPage) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the share of gold below the headings that have each word."""
    view, words = one.matrix.view, one.matrix.words
    above = view.heading_above
    below = ((above >= 0) & ~view.is_heading).nonzero()[0]
    gold, all_words = (
        np.bincount(above.take(below), value.take(below), view.size)
        for value in (np.minimum(one.matched, one.size), one.size)
    )
    hashes, heading = words.headings
    filled = (all_words.take(heading) > 0).nonzero()[0]
    heading = heading.take(filled)
    share = gold.take(heading) / all_words.take(heading)
    return _mean(bucket(hashes.take(filled), SPACES["heading"]), share, np.ones(len(heading)))


def _mean(
    place: NDArray[np.int64], value: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    distinct, group = np.unique(place, return_inverse=True)
    total = np.bincount(group, weight, len(distinct))
    mean = np.bincount(group, value * weight, len(distinct)) / np.maximum(total, 1e-9)
    return distinct[total > 0], mean[total > 0]


def _name_shares(one: LabelledPage) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the share of gold below the elements that carry each part of a name."""
    page, names, owner = one.matrix.view.page, one.matrix.names, one.matrix.view.owner
    rows = len(page)
    gold, words = (
        np.concatenate(([0.0], np.cumsum(np.bincount(owner, value, rows))))
        for value in (one.matched, one.size)
    )
    below_gold, below = gold[page.end] - gold[:-1], words[page.end] - words[:-1]
    count = len(names.names)
    classes, ids = page.classes[0], len(page.classes[1]) + page.ids[0]
    per_name = [
        (np.bincount(classes, value, count) + np.bincount(ids, value, count)).astype(np.float64)
        for value in (below_gold, below)
    ]
    hashes, name = names.parts
    share = per_name[0][name] / np.maximum(per_name[1][name], 1e-9)
    return _mean(bucket(hashes, SPACES["name"]), share, per_name[1][name])


def totals(pages: Iterable[Shares]) -> Totals:
    """Return, per table, the sum of the shares and the number of pages of each bucket."""
    total = {space: np.zeros((2, 1 << bits)) for space, bits in SPACES.items()}
    for page in pages:
        _add(total, page, 1)
    return total


def without(total: Totals, pages: Iterable[Shares]) -> Totals:
    """Return the totals less some pages."""
    rest = {space: table.copy() for space, table in total.items()}
    for page in pages:
        _add(rest, page, -1)
    return rest


def _add(total: Totals, page: Shares, sign: int) -> None:
    for space, (place, share) in page.items():
        total[space][0, place] += sign * share
        total[space][1, place] += sign


def tables(total: Totals) -> dict[str, NDArray[np.int8]]:
    """Return the log-odds of each bucket in whole sixteenths; 0 where too few pages have it."""
    found = {}
    for space, (content, count) in total.items():
        plus, minus, least = _PRIOR[space]
        odds = np.log((np.maximum(content, 0) + plus) / (np.maximum(count - content, 0) + minus))
        scaled = np.clip(np.round(odds * TABLE_SCALE), -127, 127)
        found[space] = np.where(count >= least, scaled, 0).astype(np.int8)
    return found


def columns(
    one: LabelledPage, table: Mapping[str, NDArray[np.int8]], types: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return all features of an example, whose page type was guessed."""
    page = replace(one.matrix, types=types)
    if not page.view.size:
        return np.zeros((0, len(NAMES)), np.float32)
    return np.concatenate([page.values, learned_columns(page, table).T], axis=1)
