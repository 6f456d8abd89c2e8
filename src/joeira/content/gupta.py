"""Gupta et al.: filters on the document tree remove forms, advertisements and link lists.

1. Elements in `drop_tags` go, with all that is in them.
2. Elements whose ``href`` or ``src`` points to one of `ad_hosts`, or to a host below it, go.
3. From the innermost outwards: a list or table cell goes when more than `link_ratio` of the words
   left in it are linked; a table goes when fewer than `min_cell_chars` characters are left in it.
4. What is left is the content.

Departures:

- The paper gives switches and an editable list of servers, but no numbers: the limits are ours, and
  so is the list, of networks that many pages show (``ad_hosts.txt``).
- What an inner filter removed no longer counts in the elements around it (the paper leaves the
  order open).
- Texts of the head are not content. Links are removed with their list or cell, never alone.
- A page that is one big form, as older server frameworks write them, loses everything: leave
  ``form`` out of `drop_tags` there.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import ClassVar
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Case, trees
from joeira.blockmodel.reasons import Reason
from joeira.content.result import Content, ReasonTable
from joeira.page import Page, tags
from joeira.papers import GUPTA_2003, Paper
from joeira.params import HOST_NAME, TAG_NAME, check, param

_TABLE = tags.table("table")
_FILTERED = _TABLE | tags.table("ul ol dl menu dir td th")
_ADDRESSES = ("href", "src")


def _ad_hosts() -> tuple[str, ...]:
    text = (files("joeira.content") / "ad_hosts.txt").read_text("ascii")
    return tuple(line for line in text.splitlines() if not line.startswith("#"))


class FilterCase(Case):
    """Which filter removes a text."""

    NOT_FILTERED = 0, "no filter removes it"
    HEAD = 1, Reason.HEAD.sentence
    DROPPED_TAG = 2, "inside a dropped element"
    ADVERTISEMENT = 3, "inside an element that points to an advertisement server"
    LINK_LIST = (
        4,
        "in a list or cell of links: only {score:.0%} of its words are unlinked, less than "
        "{least:.0%}",
    )
    EMPTY_TABLE = 5, "in a table with fewer than {min_chars} characters"


@dataclass(frozen=True)
class Gupta:
    """Remove forms, frames, advertisements, link lists and tables without text.

    The score of a text is the share of unlinked words in the list or cell that decided, 1 if there
    is none, and 0 if another filter removed it.
    """

    drop_tags: tuple[str, ...] = param(
        ("script", "style", "noscript", "iframe", "form", "img"),
        "Elements to remove with all their contents.",
        pattern=TAG_NAME,
    )
    ad_hosts: tuple[str, ...] = param(
        _ad_hosts(),
        "Hosts of advertisement servers; subdomains count, too.",
        pattern=HOST_NAME,
    )
    link_ratio: float = param(
        0.25, "Maximum share of linked words of a list or table cell that is kept.", ge=0, le=1
    )
    min_cell_chars: int = param(20, "Minimum number of characters of a table that is kept.", ge=0)

    papers: ClassVar[tuple[Paper, ...]] = (GUPTA_2003,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Content:
        """Return the text of the filtered tree."""
        rows = page.text_rows
        dropped = trees.enclosing(self._dropped(page), page.end, rows) >= 0
        advertised = trees.enclosing(self._advertised(page), page.end, rows) >= 0
        filtered = np.flatnonzero(_FILTERED[page.known_tag])
        removed, linked_share = self._filtered(page, filtered, ~(dropped | advertised))

        decided_by = trees.enclosing(filtered[removed], page.end, rows)
        in_table = _TABLE[page.known_tag[decided_by]]
        cases = np.where(in_table, FilterCase.EMPTY_TABLE, FilterCase.LINK_LIST)
        cases[decided_by < 0] = FilterCase.NOT_FILTERED
        cases[advertised] = FilterCase.ADVERTISEMENT
        cases[dropped] = FilterCase.DROPPED_TAG
        cases[page.in_head[rows]] = FilterCase.HEAD
        keep, in_list = cases == FilterCase.NOT_FILTERED, cases == FilterCase.LINK_LIST

        lists = filtered[~_TABLE[page.known_tag[filtered]]]
        judge = trees.enclosing(lists, page.end, rows)
        judge = np.where(in_list, decided_by, judge)
        share_of_row = np.zeros(len(page) + 1)  # the last entry is that of -1: no list around
        share_of_row[filtered] = linked_share
        scores = 1 - share_of_row[judge]
        scores[~(keep | in_list)] = 0
        values = {"least": 1 - self.link_ratio, "min_chars": self.min_cell_chars}
        reasons = ReasonTable(cases, FilterCase, scores, values)
        return Content(page, keep, scores, reasons, "gupta")

    def _dropped(self, page: Page) -> NDArray[np.intp]:
        """Return the rows of the elements to drop."""
        dropped = np.zeros(tags.FIRST_FOREIGN + len(page.foreign_names), bool)
        for name in self.drop_tags:
            if name in tags.NUMBER:
                dropped[tags.NUMBER[name]] = True
            elif name in page.foreign_names:
                dropped[tags.FIRST_FOREIGN + page.foreign_names.index(name)] = True
        return np.flatnonzero(dropped[page.tag])

    def _advertised(self, page: Page) -> NDArray[np.intp]:
        """Return the rows of the elements that point to an advertisement server."""
        if not self.ad_hosts:
            return np.zeros(0, np.intp)
        endings = tuple("." + host.lower().strip(".") for host in self.ad_hosts)
        marked: set[int] = set()
        for name in _ADDRESSES:
            for row, address in zip(*page.attributes.column(name), strict=True):
                if f".{_host(address)}".endswith(endings):
                    marked.add(row)
        return np.array(sorted(marked), np.intp)

    def _filtered(
        self, page: Page, rows: NDArray[np.intp], left: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return which lists, cells and tables step 3 removes, and the linked share of each."""
        removed = np.zeros(len(rows), bool)
        linked_share = np.zeros(len(rows))
        if not len(rows):
            return removed, linked_share
        is_table = _TABLE[page.known_tag[rows]]
        amounts = _amounts(page, rows, left)
        lost = np.zeros_like(amounts)  # what filters inside removed
        around = trees.enclosing(rows, page.end, page.parent[rows])
        outer = np.where(around < 0, -1, np.searchsorted(rows, around))
        for level in _levels(trees.depths(outer)):
            chars, words, linked = (amounts[level] - lost[level]).T
            share = linked / np.maximum(words, 1)
            goes = np.where(is_table[level], chars < self.min_cell_chars, share > self.link_ratio)
            removed[level] = goes
            linked_share[level] = share
            passed = np.where(goes[:, None], amounts[level], lost[level])
            nested = outer[level] >= 0
            np.add.at(lost, outer[level][nested], passed[nested])
        return removed, linked_share


def _amounts(page: Page, rows: NDArray[np.intp], left: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the characters, words and linked words that are left in each of the rows."""
    per_text = np.stack([page.text_chars, page.text_words, page.text_words * page.text_linked], 1)
    total = np.zeros((len(left) + 1, 3), np.int64)
    np.cumsum(per_text * left[:, None], axis=0, out=total[1:])
    return total[page.text_index[page.end[rows]]] - total[page.text_index[rows]]


def _levels(depth: NDArray[np.int32]) -> list[NDArray[np.intp]]:
    """Return the positions of each depth, the deepest first."""
    order = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[order], np.arange(1, int(depth.max()) + 1))
    return np.split(order, bounds)[::-1]


def _host(address: str) -> str:
    try:
        return (urlsplit(address.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""
