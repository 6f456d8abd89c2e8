"""NCE, news content extractor: a separator node, its children with few links, no comments, a title.

1. Separator: from each text of at least `leaf_min_chars` characters climb to the lowest ancestor
   that is no paragraph, holds at least `subtree_min_chars` characters, and is text among links: the
   rest of its parent has a link density of at least `link_density_min`, and at most one of its
   siblings is text too. The first text that leads to one decides.
2. Body: the children of the separator with a link density of at most `child_max_link_density`; the
   whole document where there is no separator.
3. Comments: nodes of `comment_min_chars` to `comment_max_chars` characters whose texts, at most
   `comment_window` nodes apart, have a common subsequence of `comment_lcs_ratio` of the shorter one
   are headers of comments if `comment_min_nodes` of them hang together. Everything from the first
   such comment on is discarded.
4. Title: ``title`` or a node of at most `title_max_words` words that occur in the body, before the
   body; of several the one with most characters.

Steps 3 and 4 are refinements that the chapter adds to the separator. Each has a switch: `comments`
and `title`. Without step 3 pages that are not news keep much more of their text.

All defaults are the author's. Readings of the text where it is unclear or at odds with itself:

- 0.1 is a link density and 0 a number of characters in both rules that use them (a table swaps
  them). An empty remainder has link density 0. The root is never a separator.
- Every long text is tried, not only the first. Text inside a link is linked wherever the subtree
  begins.
- Comment headers are at most `comment_window` positions apart; components are complete and the one
  that begins first is taken.
- `title_max_words` is a maximum (a table calls it a minimum). The title is not searched inside the
  body.

Departures: none in results; the search is done for all nodes at once, pairs of headers that cannot
be similar are skipped by their letters, and title candidates are tried from the longest down.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import AnyInts, Case, strings, trees
from joeira.arrays.strings import letter_places, subsequence_length
from joeira.content.result import Content, ReasonTable
from joeira.page import Page, tags
from joeira.papers import LABER_2009, NCE_CHAPTER, Paper
from joeira.params import check, param

_BINS = 128
"""Kinds of characters, by the low bits of their codes, that the filter counts."""


def similar_groups(texts: Sequence[str], window: int, min_ratio: float) -> Iterator[list[int]]:
    """Yield the positions of texts that hang together by similarity, groups by first member.

    Two texts at most `window` positions apart are similar when their longest common subsequence has
    at least `min_ratio` of the length of the shorter one. A group is given as soon as it is known
    to be complete, so that who needs only the first does not pay for the rest.
    """
    leader = list(range(len(texts)))
    groups = [[member] for member in leader]
    last = leader.copy()
    places = lru_cache(2 * window)(letter_places)
    unseen = 0
    for second, partners in enumerate(_possible_partners(texts, window, min_ratio)):
        for first in partners:
            if leader[first] == leader[second]:
                continue
            shorter, longer = texts[first], texts[second]
            if len(shorter) > len(longer):
                shorter, longer = longer, shorter
            common = subsequence_length(places(longer), len(longer), shorter)
            if common >= min_ratio * len(shorter):
                kept, merged = sorted((leader[first], leader[second]))
                for member in groups[merged]:
                    leader[member] = kept
                groups[kept] += groups[merged]
                last[kept] = second
        while unseen <= second and last[leader[unseen]] + window <= second:
            if leader[unseen] == unseen:
                yield sorted(groups[unseen])
            unseen += 1
    for first in range(unseen, len(texts)):
        if leader[first] == first:
            yield sorted(groups[first])


def _possible_partners(texts: Sequence[str], window: int, min_ratio: float) -> Iterator[list[int]]:
    """Yield, per text, the earlier ones with enough common characters, the nearest first."""
    counts, lengths = _histograms(texts)
    possible = np.zeros((len(texts), window), bool)
    for distance in range(1, min(window, len(texts) - 1) + 1):
        common = np.minimum(counts[:, :-distance], counts[:, distance:]).sum(axis=0)
        shorter = np.minimum(lengths[:-distance], lengths[distance:])
        possible[distance:, distance - 1] = common >= min_ratio * shorter
    second, steps = np.nonzero(possible)
    bounds = np.searchsorted(second, np.arange(len(texts) + 1)).tolist()
    first = (second - steps - 1).tolist()
    for start, stop in pairwise(bounds):
        yield first[start:stop]


def _histograms(texts: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return how many characters of each kind every text has, and its length."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    cell = np.repeat(np.arange(len(texts)), lengths) + codes % _BINS * np.int64(len(texts))
    counts = np.bincount(cell, minlength=len(texts) * _BINS).astype(np.int32)
    return counts.reshape(_BINS, len(texts)), lengths


_IN_CHILD = "in a child of the separator <{separator}> with link density {score:.2f}"


class SeparatorCase(Case):
    """Where a text is, seen from the separator."""

    OUTSIDE_SEPARATOR = 0, "outside the separator <{separator}>"
    LINKED_CHILD = 1, _IN_CHILD + " > {limit:.2f}"
    AFTER_COMMENTS = 2, "at or after the first reader comment"
    TEXT_CHILD = 3, _IN_CHILD + " <= {limit:.2f}"
    NO_SEPARATOR = 4, "no separator node was found, so the whole document is the body"


@dataclass(frozen=True)
class NCE:
    """Keep the children with few links of the node that separates text from navigation.

    The score of a text is 1 minus the link density of the separator's child that contains it (of
    the page if there is no separator), and 0 outside the separator or after the first comment.
    """

    leaf_min_chars: int = param(
        200, "Minimum length of a text that starts a search (alpha 0).", ge=0
    )
    subtree_min_chars: int = param(600, "Minimum size of the separator (alpha 1).", ge=0)
    link_density_min: float = param(
        0.1,
        "Link density at which a remainder is navigation; below it a sibling is text (alpha 2).",
        ge=0,
        le=1,
    )
    remainder_min_chars: int = param(
        0, "Minimum characters of the remainder; a sibling must exceed it (alpha 3).", ge=0
    )
    child_max_link_density: float = param(
        0.4, "Maximum link density of the separator's children that are kept (tr).", ge=0, le=1
    )
    comment_min_chars: int = param(30, "Minimum size of a comment header (alpha 4).", ge=1)
    comment_max_chars: int = param(
        120,
        "Maximum size of a comment header (alpha 5); if below the minimum, there are none.",
        ge=1,
    )
    comment_window: int = param(
        5, "Maximum distance, in headers, of two that are compared (alpha 6).", ge=1
    )
    comment_lcs_ratio: float = param(
        0.8,
        "Minimum common subsequence of two similar headers, relative to the shorter one (alpha 7).",
        ge=0,
        le=1,
    )
    comment_min_nodes: int = param(
        3, "Minimum number of similar headers that count as comments.", ge=2
    )
    comments: Literal["cut", "keep"] = param(
        "cut", "Cut everything from the first comment, or keep comments."
    )
    title: bool = param(True, "Search for a title before the body.")
    title_max_words: int = param(
        4,
        "Maximum words of a title outside ``title`` (alpha 8); about 20 lets headings compete.",
        ge=1,
    )
    title_overlap: float = param(
        0.7, "Minimum share of a title's words that occur in the body (alpha 9).", ge=0, le=1
    )

    papers: ClassVar[tuple[Paper, ...]] = (LABER_2009,)
    origin: ClassVar[Paper | None] = NCE_CHAPTER

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Content:
        """Return the body of the article, with the title that was found."""
        chars = trees.subtree_sums(page.chars, page.end)
        linked = trees.subtree_sums(page.linked_chars, page.end)
        density = linked / np.maximum(chars, 1)

        separator = self._separator(page, chars, linked)
        parts = (
            np.arange(len(page))[:1] if separator < 0 else np.flatnonzero(page.parent == separator)
        )
        low = density[parts] <= (1 if separator < 0 else self.child_max_link_density)
        cuts = self.comments == "cut"
        headers = self._comment_headers(page, chars, parts[low]) if cuts else []
        cut = _branch(page, headers[0], headers[1]) if headers else len(page)

        rows = page.text_rows
        part = np.searchsorted(parts, rows, side="right") - 1
        outside = (part < 0) | (rows >= page.end[parts[part]])
        body = SeparatorCase.NO_SEPARATOR if separator < 0 else SeparatorCase.TEXT_CHILD
        cases = np.where(low[part], body, SeparatorCase.LINKED_CHILD)
        cases[(rows >= cut) & low[part]] = SeparatorCase.AFTER_COMMENTS
        cases[outside] = SeparatorCase.OUTSIDE_SEPARATOR
        densities = density[parts[part]]
        keep = cases == body
        scores = np.where(keep | (cases == SeparatorCase.LINKED_CHILD), 1 - densities, 0.0)
        first = int(parts[low][0]) if low.any() else 0
        name = page.tag_name(separator) if separator >= 0 else ""
        values = {"separator": name, "limit": self.child_max_link_density}
        return Content(
            page=page,
            keep=keep,
            scores=scores,
            reasons=ReasonTable(cases, SeparatorCase, densities, values),
            method="nce",
            title=self._title(page, chars, first, keep) if self.title else None,
            note=_note(page, separator, headers, cut),
        )

    def _separator(self, page: Page, chars: AnyInts, linked: AnyInts) -> int:
        """Return the row of the separator node; -1 where there is none."""
        leaves = page.text_rows[page.text_chars >= self.leaf_min_chars]
        if not len(leaves):
            return -1
        rest_chars = chars[page.parent] - chars
        rest_linked = linked[page.parent] - linked
        is_text = (chars > self.remainder_min_chars) & (
            linked / np.maximum(chars, 1) < self.link_density_min
        )
        text_siblings = trees.child_counts(page.parent, is_text)[page.parent] - is_text
        accepted = (
            ~page.is_text
            & (page.tag != tags.NUMBER["p"])
            & (chars >= self.subtree_min_chars)
            & (rest_chars >= self.remainder_min_chars)
            & (rest_linked / np.maximum(rest_chars, 1) >= self.link_density_min)
            & (text_siblings <= 1)
        )
        accepted[0] = False
        found = trees.enclosing(np.flatnonzero(accepted), page.end, leaves)
        return int(found[np.argmax(found >= 0)])

    def _comment_headers(self, page: Page, chars: AnyInts, roots: AnyInts) -> list[int]:
        """Return the rows of the first comment headers that hang together; none: an empty list."""
        is_root = np.zeros(len(page), bool)
        is_root[roots] = True
        fits = (chars >= self.comment_min_chars) & (chars <= self.comment_max_chars)
        fits &= trees.inside(is_root, page.end)
        # What fits inside something that fits is part of it; sizes only grow towards the root.
        candidates = np.flatnonzero(fits & (is_root | ~fits[page.parent])).tolist()
        if len(candidates) < self.comment_min_nodes:
            return []
        texts = [page.text_of(row) for row in candidates]
        for group in similar_groups(texts, self.comment_window, self.comment_lcs_ratio):
            if len(group) >= self.comment_min_nodes:
                return [candidates[member] for member in group]
        return []

    def _title(self, page: Page, chars: AnyInts, stop: int, keep: NDArray[np.bool_]) -> str | None:
        """Return the longest candidate among the rows before the body."""
        is_title = page.tag[:stop] == tags.NUMBER["title"]
        word_count = trees.subtree_sums(page.spread(_word_runs(page)), page.end)[:stop]
        short = (word_count >= 1) & (word_count <= self.title_max_words)
        candidates = np.flatnonzero(is_title | short)
        body: Counter[str] | None = None
        for row in candidates[np.lexsort((candidates, chars[candidates]))][::-1].tolist():
            text = page.text_of(row)
            if is_title[row]:
                return text or None
            if body is None:
                body = Counter(_words("\n".join(compress(page.texts, keep.tolist()))))
            words = Counter(_words(text))
            count = words.total()
            if count <= self.title_max_words:
                common = (words & body).total()
                if common >= self.title_overlap * count:
                    return text
        return None


def _branch(page: Page, first: int, second: int) -> int:
    """Return the child of the lowest common ancestor of two rows that holds the first one."""
    ancestor = trees.lowest_common_ancestor(first, second, page.parent, page.end)
    row = first
    while page.parent[row] != ancestor:
        row = int(page.parent[row])
    return row


def _word_runs(page: Page) -> NDArray[np.int32]:
    """Return the runs of word characters of each text; unlike `Page.text_words` in every script."""
    word = (page.characters.classes & strings.WORD) != 0
    word[1:] &= ~word[:-1]
    return page.characters.count(word)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _note(page: Page, separator: int, headers: list[int], cut: int) -> str:
    notes = []
    if separator < 0 and page.texts:
        notes.append("no separator node: the whole document is the body")
    if headers:
        notes.append(
            f"comments cut from {page.xpath(cut)}: {len(headers)} similar headers "
            f"such as {page.text_of(headers[0])!r}"
        )
    return "; ".join(notes)
