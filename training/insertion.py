"""Places in the source of a training page where something can be put in beside its content."""

from __future__ import annotations

from joeira.arrays import trees
from joeira.page import Page
from joeira.page.nodes import SourcePlaces
from training.pages import LabelledPage

_MIN_GOLD_WORDS = 20
_TRIES = 20


def is_article(one: LabelledPage) -> bool:
    """Return whether a page is known to be an article."""
    return one.page_type == "article"


def before_content(html: str, one: LabelledPage) -> int | None:
    """Return the place in the source before the element that holds the content."""
    holder = _holder(one)
    return None if holder is None else _offset(html, one.matrix.view.page, holder)


def behind_content(html: str, one: LabelledPage) -> int | None:
    """Return the place in the source before the first element behind the content."""
    page, holder = one.matrix.view.page, _holder(one)
    return None if holder is None else _offset(html, page, int(page.end[holder]))


def _holder(one: LabelledPage) -> int | None:
    """Return the row of the lowest element that holds all long texts of the content."""
    page = one.matrix.view.page
    owners = one.matrix.view.owner[one.matched >= _MIN_GOLD_WORDS]
    if not len(owners):
        return None
    first, last = int(owners.min()), int(owners.max())
    return int(trees.lowest_common_ancestor(first, last, page.parent, page.end))


def _offset(html: str, page: Page, row: int) -> int | None:
    """Return the place of the first element from a row on whose place is known."""
    lines = html.split("\n")
    places = SourcePlaces(page)
    for candidate in range(row, min(row + _TRIES, len(page))):
        position = places.position(candidate)
        if position is None:
            continue
        line, column = position
        place = sum(map(len, lines[: line - 1])) + line - 1 + column
        if html[place : place + 1] == "<":
            return place
    return None
