"""The title that a page shows above its content: a heading that says what ``<title>`` says."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import collapse
from joeira.page import Page, tags

MAX_HEADINGS: Final = 5
"""Headings of each level that are looked at."""
MAX_CHARS: Final = 300
_SHARES: Final = (("h1", 0.4), ("h2", 0.8))
"""Headings that may be titles, and how many of their words ``<title>`` must have."""
_HOME: Final = re.compile(r"\s*(?:https?://[^/?#]+)?/?(?:index\.\w+)?\s*")
_WORD: Final = re.compile(r"\w+")


class Title(NamedTuple):
    """A title, and the texts that say it."""

    text: str
    first: int
    stop: int


def shown_title(page: Page) -> Title | None:
    """Return the heading that is the title of a page; None when the page shows none.

    Of the headings that say what ``<title>`` says it is the one that says most of it, so that the
    name of the site above a page is not its title.
    """
    declared = _words(" ".join(page.text_of(int(row)) for row in page.rows_of("title")[:1]))
    best, best_known = None, 0.5
    for name, share in _SHARES:
        rows = [row for row in page.rows_of(name)[:MAX_HEADINGS].tolist() if row > page.body]
        several = len(rows) > 1
        for row in rows:
            # Whether an only heading is shown makes no difference, and styles take time to read.
            if (several and page.hidden[row]) or _leads_home(page, row):
                continue
            title = _title(page, row)
            words = _words(title.text)
            known = float(sum(word in declared for word in words))
            if not declared and name == "h1" and not several:
                known = len(words)
            if known > best_known and known >= share * len(words):
                best, best_known = title, known
    return best


def _leads_home(page: Page, row: int) -> bool:
    """Return whether a heading links to the front page, as names of sites do."""
    above = int(page.parent[row])
    inner = row + np.flatnonzero(page.tag[row : page.end[row]] == tags.NUMBER["a"])
    links = inner.tolist() + ([above] if page.tag[above] == tags.NUMBER["a"] else [])
    return any(_HOME.fullmatch(page.attributes.get(link, "href") or "") for link in links)


def _title(page: Page, row: int) -> Title:
    first, stop = int(page.text_index[row]), int(page.text_index[page.end[row]])
    return Title(collapse(page.joined(first, stop))[:MAX_CHARS], first, stop)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def without_title(page: Page, keep: NDArray[np.bool_], title: Title) -> NDArray[np.bool_]:
    """Return which texts are kept when the title stands above them: what repeats it is not."""
    left = keep.copy()
    left[title.first : title.stop] = False
    kept = left.nonzero()[0]
    if len(kept):
        starts = page.block_bounds[1]
        block = int(starts.searchsorted(kept[0], "right")) - 1
        if page.block_texts[block].casefold() == title.text.casefold():
            left[starts[block] : starts[block + 1]] = False
    return left
