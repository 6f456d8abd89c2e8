"""What the page shows: short texts, and which blocks stand near which."""

from __future__ import annotations

from joeira.arrays.strings import collapse
from joeira.page import Page

MAX_TEXTS = 40
MAX_VISIBLE_CHARS = 1_000


def short_text(page: Page, row: int) -> str:
    """Return the beginning of an element's text, spaced as the page shows it.

    Elements may lie in each other, so that reading each of them whole could take for ever.
    """
    first = int(page.text_index[row])
    last = min(int(page.text_index[page.end[row]]), first + MAX_TEXTS)
    total = 0
    for stop in range(first, last):
        total += len(page.texts[stop])
        if total > MAX_VISIBLE_CHARS:
            last = stop + 1
            break
    parts = [page.texts[number][:MAX_VISIBLE_CHARS] for number in range(first, last)]
    spaces = page.space_before[first:last].tolist()
    return collapse(
        "".join(f" {part}" if space else part for part, space in zip(parts, spaces, strict=True))
    )
