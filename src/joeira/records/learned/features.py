"""What a candidate list looks like, in numbers: one line per feature, one column per list.

Totals over the records (words, links, pictures, headings ...) are differences of running sums.

What the records of a list have in common is its template. A column of the list is a path that leads
from a record to one of its texts or pictures. The columns that at least half of the records have
are the template; a good list is mostly template.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats, Hashes, Ints, trees
from joeira.arrays.strings import CURRENCY, DIGIT, SENTENCE_END, mixed, slice_hashes
from joeira.models import Feature
from joeira.page import Page, tags
from joeira.records.learned.candidates import STEP, Lists, expand

MAX_SAMPLE = 100
"""Records of a list that the template is made from, evenly spaced: more would say the same."""

STRANGER = 0.2
"""Share of the template that a record must have."""
MIN_TEMPLATE = 3
"""Columns of a template that tells records from strangers."""

CORE = 0.8
"""Share of the records that have a column of the core."""


@dataclass(frozen=True, eq=False)
class _Leaves:
    """The texts and pictures of the sampled records of all lists, record after record."""

    row: Ints
    record: Ints
    of_list: Ints


def template(lists: Lists) -> dict[str, Floats]:
    """Return how much of each list its template explains."""
    page, count = lists.page, len(lists)
    sample = _sample(lists)
    of_list = lists.of_record[sample]
    chosen, left, right = _leaf_ranges(lists, sample)
    leaves = _leaves(chosen, left, right, of_list)
    records = np.bincount(of_list, minlength=count)
    texts = _text_hashes(page)

    content = np.concatenate(([np.uint64(0)], np.cumsum(texts[chosen], dtype=np.uint64)))
    whole = _within(content[right] - content[left], of_list)
    different = of_list[np.unique(whole, return_index=True)[1]]
    return {
        **_columns(_paths(lists, sample, leaves), leaves, records),
        "alike": _alike(page.path, leaves, count),
        "distinct": np.bincount(different, minlength=count) / records,
        "varied": _varied(texts, leaves, page, count),
    }


def without_strangers(lists: Lists, min_records: int = 2) -> Lists:
    """Return lists without the records that have next to nothing of the template.

    Advertisements, filters and pagers often look like the records among which they stand. A list
    that would have too few records then stays whole.
    """
    every = np.arange(len(lists.start))
    owner = lists.of_record
    leaves = _leaves(*_leaf_ranges(lists, every), owner)
    column = _within(_paths(lists, every, leaves), leaves.of_list)
    at = np.unique(_within(column, leaves.record), return_index=True)[1]
    _, first, of_cell, filled = np.unique(
        column[at], return_index=True, return_inverse=True, return_counts=True
    )
    holder = leaves.of_list[at[first]]
    common = 2 * filled >= lists.size[holder]
    size = np.bincount(holder, common, len(lists))[owner]
    present = np.bincount(leaves.record[at], common[of_cell], len(every))
    kept = (present >= STRANGER * size) | (size < MIN_TEMPLATE)
    kept |= np.bincount(owner, kept, len(lists))[owner] < min_records
    first_record = np.concatenate(([0], np.cumsum(np.bincount(owner[kept], minlength=len(lists)))))
    return replace(lists, start=lists.start[kept], stop=lists.stop[kept], first=first_record)


def _leaf_ranges(lists: Lists, sample: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the texts and pictures of a page, and where those of each record begin and end."""
    page = lists.page
    chosen = np.flatnonzero(page.is_text | (page.tag == tags.NUMBER["img"]))
    left = np.searchsorted(chosen, lists.start[sample])
    return chosen, left, np.searchsorted(chosen, lists.stop[sample])


def _leaves(chosen: Ints, left: Ints, right: Ints, of_list: Ints) -> _Leaves:
    record = np.repeat(np.arange(len(left)), right - left)
    return _Leaves(chosen[expand(left, right)], record, of_list[record])


def _paths(lists: Lists, sample: Ints, leaves: _Leaves) -> Hashes:
    """Return the path from each leaf's record down to the leaf.

    The hash of a path is a polynomial, so that the part above the record can be taken away. A
    record of several siblings is entered from their parent.
    """
    page, start = lists.page, lists.start[sample]
    top = np.where(lists.headed[lists.of_record[sample]], page.parent[start], start)[leaves.record]
    path = trees.path_hashes(page.tag_symbol + lists.family * STEP, page.parent)
    power = np.full(int(page.depth.max(initial=0)) + 2, trees.PATH_BASE, np.uint64)
    power[0] = 1
    power = np.cumprod(power, dtype=np.uint64)
    below = page.depth[leaves.row] - page.depth[top]
    relative: Hashes = path[leaves.row] - power[below] * path[top]
    return relative


def _columns(path: Hashes, leaves: _Leaves, records: Ints) -> dict[str, Floats]:
    """Return the size of the template and how well the records keep to it."""
    count = len(records)
    column = _within(path, leaves.of_list)
    cell = _within(column, leaves.record)
    _, at, times = np.unique(cell, return_index=True, return_counts=True)
    owner = leaves.of_list[at]
    _, first, of_cell, filled = np.unique(
        column[at], return_index=True, return_inverse=True, return_counts=True
    )
    common = 2 * filled >= records[owner[first]]
    templated = common[of_cell]
    size = np.bincount(owner[first], common, count)
    total = np.maximum(np.bincount(leaves.of_list, minlength=count), 1)
    present = np.bincount(owner, templated, count)
    outside = np.bincount(owner, times * ~templated, count)
    missing = size * records - present
    repeats = total - present - outside
    return {
        "columns": np.log1p(size),
        "core": np.log1p(np.bincount(owner[first], filled / records[owner[first]] >= CORE, count)),
        "fit": present / total,
        "missing": missing / np.maximum(present, 1),
        "outside": outside / total,
        "repeats": np.log(total / np.maximum(np.bincount(owner, minlength=count), 1)),
        "saved": np.log1p(np.maximum(present - missing - (outside + repeats) / 2 - size, 0)),
    }


def _alike(path: Hashes, leaves: _Leaves, count: int) -> Floats:
    """Return how many leaves of a record share a tag path: many where a record is several."""
    cell = _within(path[leaves.row], leaves.record)
    _, at = np.unique(cell, return_index=True)
    leaf_count = np.bincount(leaves.of_list, minlength=count)
    return np.log(
        np.maximum(leaf_count, 1) / np.maximum(np.bincount(leaves.of_list[at], minlength=count), 1)
    )


def _varied(texts: Hashes, leaves: _Leaves, page: Page, count: int) -> Floats:
    """Return the share of each list's texts that no other text of the list equals."""
    is_text = page.is_text[leaves.row]
    owner = leaves.of_list[is_text]
    value = _within(texts[leaves.row[is_text]], owner)
    _, same, times = np.unique(value, return_inverse=True, return_counts=True)
    return np.bincount(owner, times[same] == 1, count) / np.maximum(
        np.bincount(owner, minlength=count), 1
    )


def _text_hashes(page: Page) -> Hashes:
    """Return a hash of the text of each row; the same number for every other leaf."""
    characters = page.characters
    stops = np.append(characters.starts[1:], len(characters.codes))
    hashes = np.ones(len(page), np.uint64)
    hashes[page.text_rows] = slice_hashes(characters.codes, characters.starts, stops)
    return hashes


def _within(hashes: Hashes, owner: Ints) -> Hashes:
    """Return hashes that are equal only for equal hashes of the same owner."""
    return mixed(hashes + (owner.astype(np.uint64) + np.uint64(1)) * STEP)


def _sample(lists: Lists) -> Ints:
    """Return the records that stand for each list."""
    size = lists.size
    if size.max(initial=0) <= MAX_SAMPLE:
        return np.arange(len(lists.start))
    taken = np.minimum(size, MAX_SAMPLE)
    owner = np.repeat(np.arange(len(lists)), taken)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(taken) - taken, taken)
    sample: Ints = lists.first[owner] + number * size[owner] // taken[owner]
    return sample


RELATIVE: Final = ("words", "records", "saved", "columns", "mean_words", "hull")
"""Features that count also by their distance to the highest on the page."""
# Records may lie in each other, so the words in them may be more than the page has.
_OWN: Final = (
    Feature("records", "number of records", "size", "log"),
    Feature("words", "words in the records", "size", "log1p"),
    Feature("cover", "words in the records for each of the page", "size", "rate"),
    Feature("hull", "share of the page's words from first to last record", "place", "share"),
    Feature("purity", "words in the records for each of these", "place", "rate"),
    Feature("link", "share of linked words", "contents", "share"),
    Feature("spread", "how much records differ in words, for their mean", "size"),
    Feature("mean_words", "words per record", "size", "log1p"),
    Feature("images", "share of records with a picture", "contents", "share"),
    Feature("links", "share of records with a link", "contents", "share"),
    Feature("many_links", "links per record", "contents", "log1p"),
    Feature("headings", "share of records with a heading", "contents", "share"),
    Feature("many_headings", "headings per record", "contents", "log1p"),
    Feature("digits", "share of records with a digit", "contents", "share"),
    Feature("currency", "share of records with a currency sign", "contents", "share"),
    Feature("sentences", "sentence ends per record", "contents", "log1p"),
    Feature("texts", "texts per record", "contents", "log1p"),
    Feature("prose", "share of the words that are prose", "contents", "share"),
    Feature("prose_outside", "words of prose outside, for the page's words", "place"),
    Feature("chrome", "share of records in menus, footers, forms and the like", "place", "share"),
    Feature("before", "words before the records for each of the page", "place", "rate"),
    Feature("parents", "elements that records are children of, per record", "place", "share"),
    Feature("siblings", "children of these elements per record", "place", "log"),
    Feature("headed", "records are runs of siblings", "place", "flag"),
    Feature("depth", "depth of the first record in the tree", "place"),
    Feature("lead", "words before the records of a parent, in records", "place", "log1p"),
    Feature("trail", "words after the records of a parent, in records", "place", "log1p"),
    Feature("opened", "share that open with a picture, link or heading", "contents", "share"),
    Feature("named", "share that begin with a heading or a term", "contents", "share"),
    Feature("page_words", "words of the page", "page", "log"),
    Feature("page_link", "share of linked words of the page", "page", "share"),
    Feature("columns", "columns that half of the records have", "template", "log1p"),
    Feature("core", "columns that nearly all records have", "template", "log1p"),
    Feature("fit", "share of the leaves that the template explains", "template", "share"),
    Feature("missing", "missing cells for each that is there", "template"),
    Feature("outside", "share of the leaves outside the template", "template", "share"),
    Feature("repeats", "leaves for each different path", "template", "log"),
    Feature("alike", "leaves of a record for each different tag path", "template", "log"),
    Feature("saved", "leaves that the template saves to write down", "template", "log1p"),
    Feature("distinct", "share of records unlike all others", "template", "share"),
    Feature("varied", "share of texts unlike all others of the list", "template", "share"),
)
_OWN_BY_NAME: Final = {feature.name: feature for feature in _OWN}
FEATURES: Final = (
    *_OWN,
    *(
        Feature(
            f"{name}_below_best",
            f"below the best list of the page: {_OWN_BY_NAME[name].about}",
            _OWN_BY_NAME[name].family,
        )
        for name in RELATIVE
    ),
)
"""All features of a list, in the order that models know them by."""
NAMES: Final = tuple(feature.name for feature in FEATURES)

PROSE_WORDS = 20
"""A text with so many words is prose: names, prices and labels are shorter."""

_NAMING = tags.table("dt th h1 h2 h3 h4 h5 h6")
_OPENING = tags.table("dt th h1 h2 h3 h4 h5 h6 a img")
_CHROME = tags.table("nav footer aside header form select menu")


@dataclass(frozen=True, eq=False)
class Totals:
    """Running sums over the rows of a page, each with one more entry for its end."""

    page: Page

    @cached_property
    def words(self) -> Ints:
        """Words."""
        return _running(self.page.words)

    @cached_property
    def page_words(self) -> int:
        """Words of the body; at least 1."""
        return max(int(self.words[-1] - self.words[self.page.body]), 1)

    @cached_property
    def others(self) -> dict[str, Ints]:
        """Everything else that is counted."""
        page, tag = self.page, self.page.known_tag
        classes = page.characters.classes
        return {
            "linked": _running(page.linked_words),
            "images": _running(tag == tags.NUMBER["img"]),
            "links": _running(tag == tags.NUMBER["a"]),
            "headings": _running(tags.HEADINGS[tag]),
            "texts": _running(page.is_text),
            "prose": _running(self._prose),
            "chrome": _running(trees.inside(_CHROME[tag], page.end)),
            "digits": self._marks(classes & DIGIT),
            "currency": self._marks(classes & CURRENCY),
            "sentences": self._marks(classes & SENTENCE_END),
        }

    @cached_property
    def leaves(self) -> Ints:
        """Rows of the texts and pictures."""
        page = self.page
        return np.flatnonzero(page.is_text | (page.tag == tags.NUMBER["img"]))

    @cached_property
    def opening(self) -> NDArray[np.bool_]:
        """Per leaf: is it a picture, or in a link or a heading, as the first leaf of records is?"""
        return trees.inside(_OPENING[self.page.known_tag], self.page.end)[self.leaves]

    @property
    def _prose(self) -> Ints:
        """Words of each long text outside links."""
        page = self.page
        long = (page.text_words >= PROSE_WORDS) & ~page.text_linked
        return page.spread(page.text_words * long)

    def _marks(self, flags: NDArray[np.uint16]) -> Ints:
        return _running(self.page.spread(self.page.characters.count(flags != 0)))


def list_features(lists: Lists, totals: Totals) -> NDArray[np.float32]:
    """Return the features of some lists: one line for each of `FEATURES`."""
    values = _totals(lists, totals) | _places(lists, totals) | template(lists)
    for name in RELATIVE:
        values[f"{name}_below_best"] = values[name] - values[name].max(initial=-np.inf)
    return np.array([values[name] for name in NAMES], np.float32)


def _totals(lists: Lists, totals: Totals) -> dict[str, Floats]:
    """Return what is inside the records."""
    size = lists.size.astype(np.float64)
    per = {name: total[lists.stop] - total[lists.start] for name, total in totals.others.items()}
    per["words"] = totals.words[lists.stop] - totals.words[lists.start]
    sums = {name: lists.sums(values).astype(np.float64) for name, values in per.items()}
    shares = {
        name: lists.sums((values > 0).astype(np.float64)) / size for name, values in per.items()
    }
    mean = sums["words"] / size
    variance = lists.sums(per["words"].astype(np.float64) ** 2) / size - mean**2
    return {
        "records": np.log(size),
        "words": np.log1p(sums["words"]),
        "cover": sums["words"] / totals.page_words,
        "link": sums["linked"] / np.maximum(sums["words"], 1),
        "spread": np.minimum(np.sqrt(np.maximum(variance, 0)) / np.maximum(mean, 1e-9), 3),
        "mean_words": np.log1p(mean),
        "images": shares["images"],
        "links": shares["links"],
        "many_links": np.log1p(sums["links"] / size),
        "headings": shares["headings"],
        "many_headings": np.log1p(sums["headings"] / size),
        "digits": shares["digits"],
        "currency": shares["currency"],
        "sentences": np.log1p(sums["sentences"] / size),
        "texts": np.log1p(sums["texts"] / size),
        "prose": sums["prose"] / np.maximum(sums["words"], 1),
        "prose_outside": (totals.others["prose"][-1] - sums["prose"]) / totals.page_words,
        "chrome": lists.sums((per["chrome"] == lists.stop - lists.start).astype(np.float64)) / size,
    }


def _places(lists: Lists, totals: Totals) -> dict[str, Floats]:
    """Return where the records are: in one place or in many, with what between them."""
    page, size = lists.page, lists.size
    first = lists.start[lists.first[:-1]]
    low = np.minimum.reduceat(lists.start, lists.first[:-1])
    high = np.maximum.reduceat(lists.stop, lists.first[:-1])
    hull = np.maximum(totals.words[high] - totals.words[low], 1)
    words = lists.sums(totals.words[lists.stop] - totals.words[lists.start])
    parent = page.parent[lists.start]
    new = np.ones(len(parent), bool)
    new[1:] = parent[1:] != parent[:-1]
    new[lists.first[:-1]] = True
    children = lists.sums(trees.child_counts(page.parent)[parent] * new)
    last = np.append(new[1:], True)
    parents = lists.sums(new.astype(np.float64))
    lead = lists.sums((totals.words[lists.start] - totals.words[parent]) * new) / parents
    trail = lists.sums((totals.words[page.end[parent]] - totals.words[lists.stop]) * last) / parents
    opened = totals.opening[np.searchsorted(totals.leaves, lists.start)]
    named = _NAMING[page.known_tag[lists.start]]
    return {
        "lead": np.log1p(np.maximum(lead, 0) * size / np.maximum(words, 1)),
        "trail": np.log1p(np.maximum(trail, 0) * size / np.maximum(words, 1)),
        "opened": lists.sums(opened.astype(np.float64)) / size,
        "named": lists.sums(named.astype(np.float64)) / size,
        "hull": hull / totals.page_words,
        "purity": words / hull,
        "before": totals.words[low] / totals.page_words,
        "parents": parents / size,
        "siblings": np.log(children / size),
        "headed": lists.headed.astype(np.float64),
        "page_words": np.full(len(lists), np.log(totals.page_words)),
        "page_link": np.full(len(lists), totals.others["linked"][-1] / totals.page_words),
        "depth": page.depth[first].astype(np.float64),
    }


def _running(column: NDArray[Any]) -> Ints:
    return np.concatenate(([0], np.cumsum(column, dtype=np.int64)))
