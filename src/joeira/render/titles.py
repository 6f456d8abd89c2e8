"""The title that a page shows above its content: a heading that says what ``<title>`` says."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import collapse
from joeira.page import Page

MAX_HEADINGS: Final = 5
"""Headings of each level that are looked at."""
MAX_CHARS: Final = 300
_SHARES: Final = (("h1", 0.4), ("h2", 0.8))
"""Headings that may be titles, and how many of their words ``<title>`` must have."""
_WORD: Final = re.compile(r"\w+")


class Title(NamedTuple):
    """A title, and the texts that say it."""

    text: str
    first: int
    stop: int


def shown_title(page: Page) -> Title | None:
    """Return the heading that is the title of a page; None when the page shows none."""
    declared = _words(" ".join(page.text_of(int(row)) for row in page.rows_of("title")[:1]))
    for name, share in _SHARES:
        rows = [row for row in page.rows_of(name)[:MAX_HEADINGS].tolist() if row > page.body]
        several = len(rows) > 1
        for row in rows:
            # Whether an only heading is shown makes no difference, and styles take time to read.
            if several and page.hidden[row]:
                continue
            title = _title(page, row)
            words = _words(title.text)
            known = sum(word in declared for word in words)
            is_only = name == "h1" and not several and not declared
            if words and (is_only or known >= max(share * len(words), 1)):
                return title
    return None


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
