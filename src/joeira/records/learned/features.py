"""Features of candidate lists: one row per feature, one column per list.

Totals over the records (words, links, pictures, headings ...) are differences of running sums; what
the records have in common is in `joeira.records.learned.templates`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats, Ints, trees
from joeira.arrays.strings import CURRENCY, DIGIT, SENTENCE_END
from joeira.models import Feature
from joeira.page import Page, tags
from joeira.records.learned.candidates import Ground, Lists
from joeira.records.learned.templates import template

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

COUNTED: Final = (
    "words", "linked", "images", "links", "headings", "texts", "prose", "chrome", "digits",
    "currency", "sentences",
)  # fmt: skip
"""What is counted in records."""
_MARKS: Final = (DIGIT, CURRENCY, SENTENCE_END)


@dataclass(frozen=True, eq=False)
class Totals:
    """Running sums over the rows of a page, each with one more entry for its end."""

    ground: Ground

    @property
    def page(self) -> Page:
        """The page."""
        return self.ground.page

    @property
    def words(self) -> Ints:
        """Words."""
        return self.ground.words

    @cached_property
    def page_words(self) -> int:
        """Words of the body; at least 1."""
        return max(int(self.words[-1] - self.words[self.page.body]), 1)

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """One line of running sums for each of `COUNTED`."""
        page, tag = self.page, self.page.known_tag
        sums = np.zeros((len(COUNTED), len(page) + 1), np.int64)
        marks = page.characters.count_kinds(_MARKS, page.characters.starts)
        sums[0, 1:] = page.words
        sums[1, 1:] = page.linked_words
        sums[2, 1:] = tag == tags.NUMBER["img"]
        sums[3, 1:] = tag == tags.NUMBER["a"]
        sums[4, 1:] = tags.HEADINGS[tag]
        sums[5, 1:] = page.is_text
        sums[6, 1:] = self._prose
        sums[7, 1:] = trees.inside(_CHROME[tag], page.end)
        sums[8:, 1 + page.text_rows] = marks
        return np.cumsum(sums, axis=1, out=sums)

    @property
    def whole(self) -> dict[str, NDArray[np.int64]]:
        """What is counted on the page."""
        return _named(self.lines[:, -1])

    @cached_property
    def opening(self) -> NDArray[np.bool_]:
        """Per leaf: is it a picture, or in a link or a heading, as the first leaf of records is?"""
        return trees.inside(_OPENING[self.page.known_tag], self.page.end)[self.ground.leaves]

    @property
    def _prose(self) -> Ints:
        """Words of each long text outside links."""
        page = self.page
        long = (page.text_words >= PROSE_WORDS) & ~page.text_linked
        return page.spread(page.text_words * long)


def list_features(lists: Lists) -> NDArray[np.float32]:
    """Return the features of some lists: one line for each of `FEATURES`."""
    totals = Totals(lists.ground)
    values = _totals(lists, totals) | _places(lists, totals) | template(lists)
    for name in RELATIVE:
        values[f"{name}_below_best"] = values[name] - values[name].max(initial=-np.inf)
    return np.array([values[name] for name in NAMES], np.float32)


def _totals(lists: Lists, totals: Totals) -> dict[str, Floats]:
    """Return what is inside the records."""
    size = lists.size.astype(np.float64)
    per = totals.lines.take(lists.stop, axis=1) - totals.lines.take(lists.start, axis=1)
    first = lists.first[:-1]
    sums = _named(np.add.reduceat(per, first, axis=1).astype(np.float64))
    shares = _named(np.add.reduceat(per > 0, first, axis=1, dtype=np.int64) / size)
    in_chrome = per[COUNTED.index("chrome")] == lists.stop - lists.start
    mean = sums["words"] / size
    variance = lists.sums(per[0].astype(np.float64) ** 2) / size - mean**2
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
        "prose_outside": (totals.whole["prose"] - sums["prose"]) / totals.page_words,
        "chrome": lists.sums(in_chrome.astype(np.float64)) / size,
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
    opened = totals.opening[lists.ground.leaves_before[lists.start]]
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
        "page_link": np.full(len(lists), totals.whole["linked"] / totals.page_words),
        "depth": page.depth[first].astype(np.float64),
    }


def _named(lines: NDArray[Any]) -> dict[str, NDArray[Any]]:
    return dict(zip(COUNTED, lines, strict=True))
