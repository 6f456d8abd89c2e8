"""Less of a result: the same content without some of its texts, which then say why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import strings
from joeira.arrays.trees import enclosing
from joeira.page import Page
from joeira.page.tables import data_tables
from joeira.page.visibility import REASONS

if TYPE_CHECKING:
    from joeira.results.content import Content, Reasons


COMMENT = "a comment"
REVIEW = "a review"
_WRITTEN_BY_READERS = (COMMENT, REVIEW)


@dataclass(frozen=True, eq=False)
class Dropped:
    """The reasons of a result of which some texts were dropped afterwards."""

    reasons: Reasons
    cases: NDArray[np.integer]
    """Number of the sentence that tells why a text was dropped; 0 for those that were not."""
    sentences: tuple[str, ...]

    def of(self, index: int) -> str:
        """Return the reason for what was decided about a text."""
        before = self.reasons.of(index)
        case = int(self.cases[index])
        return f"{self.sentences[case]}; before: {before}" if case else before


def without(
    content: Content, cases: NDArray[np.integer], sentences: tuple[str, ...], note: str
) -> Content:
    """Return a result without the texts that have a case; `note` is for when nothing is left."""
    keep = content.keep & (cases == 0)
    lost = content.keep.any() and not keep.any()
    return replace(
        content,
        keep=keep,
        reasons=Dropped(content.reasons, cases, sentences),
        note="; ".join(filter(None, (content.note, note if lost else ""))),
    )


def visible(content: Content) -> Content:
    """Return a result without what readers of the page do not see."""
    page = content.page
    cleaned = without_invisible(page)
    cases = page.hidden[page.text_rows].copy()
    sentences = tuple(f"hidden: {reason}" for reason in REASONS)
    empty = np.array([not text or text.isspace() for text in cleaned.texts], bool)
    cases[empty] = len(sentences)
    left = without(
        content,
        cases,
        (*sentences, "hidden: invisible characters"),
        "all that looked like content is hidden",
    )
    return replace(left, page=cleaned, visible_only=True)


def without_tables(content: Content) -> Content:
    """Return a result without its tables of data."""
    page = content.page
    inside = enclosing(data_tables(page), page.end, page.text_rows) >= 0
    note = "all that looked like content is in tables"
    return without(content, inside.astype(np.int8), ("", "in a table"), note)


def without_comments(content: Content) -> Content:
    """Return a result without what readers wrote under the article."""
    found = content.page.in_comments.astype(np.int8)
    note = "all that looked like content is comments"
    return without(content, found, ("", COMMENT), note)


def comments_only(content: Content) -> Content:
    """Return what readers wrote, comments and reviews, whether or not the method kept it."""
    found = content.page.in_comments | _dropped_as_written(content.reasons, len(content.keep))
    if content.visible_only:
        found = found & (content.page.hidden[content.page.text_rows] == 0)
    reasons = Dropped(content.reasons, found.astype(np.int8), ("", COMMENT))
    return replace(content, keep=found, reasons=reasons, note="")


def _dropped_as_written(reasons: Reasons, texts: int) -> NDArray[np.bool_]:
    """Return which texts a method took for what readers wrote, knowing more than the page."""
    found = np.zeros(texts, bool)
    while isinstance(reasons, Dropped):
        theirs = np.array([sentence in _WRITTEN_BY_READERS for sentence in reasons.sentences])
        found |= theirs[reasons.cases]
        reasons = reasons.reasons
    return found


def without_invisible(page: Page) -> Page:
    """Return a page whose texts have no invisible characters: the same one if it had none."""
    texts = tuple(map(strings.without_invisible, page.texts))
    if texts == page.texts:
        return page
    return replace(page, texts=texts, again=partial(without_invisible, page))
