"""Where elements stand in the source, from the first character of the start tag to the end.

Offsets count characters of the decoded source, without a byte order mark that bytes begin with and
with every line break as one character, which is how HTML is read. They are found by parsing once
more: a parser that keeps them is slower, and few ask.
"""

from __future__ import annotations

import numpy as np
import turbohtml
from numpy.typing import NDArray

from joeira.page.model import Page

Ints = NDArray[np.int64]
NONE = -1
MAX_ROWS = 50_000
"""A longer page is not parsed again: the memory for it is better kept for what is asked of it."""


def source_spans(page: Page) -> tuple[Ints, Ints]:
    """Return where the element of every row begins and ends in the source.

    -1 for texts and for elements that no tag makes, such as a missing ``<body>``, and everywhere on
    a page of more than `MAX_ROWS` rows. An element that is not closed ends where the next one that
    is not in it begins, or with its parent.
    """
    if len(page) > MAX_ROWS:
        nowhere = np.broadcast_to(np.int64(NONE), len(page))
        return nowhere, nowhere
    start, start_tag_end, end_tag, stop = np.full((4, len(page)), NONE, np.int64)
    located = _located(page)
    for row, element in page.attributes.of_same_source(located) if located else ():
        location = element.source_location
        if location is not None:
            start[row], start_tag_end[row] = _ends(location.start_tag)
            if location.end_tag is not None:
                end_tag[row], stop[row] = _ends(location.end_tag)
    inner = end_tag.copy()  # where the content of an element ends
    for row in np.flatnonzero((end_tag < 0) & ~page.is_text).tolist():
        parent, after = int(page.parent[row]), int(page.end[row])
        ends = [int(inner[parent])] if parent >= 0 else []
        if after < len(page) and page.parent[after] == parent:
            ends.append(int(start[after]))
        known = [end for end in ends if end >= start_tag_end[row]]
        inner[row] = min(known, default=NONE)
        stop[row] = max(int(inner[row]), int(start_tag_end[row])) if start[row] >= 0 else NONE
    return start, stop


def _located(page: Page) -> turbohtml.Document | None:
    source = page.again.args[0]
    try:
        return turbohtml.parse(
            source,
            detect_encoding=isinstance(source, bytes),
            scripting=page.scripting,
            allow_declarative_shadow_roots=False,
            source_locations=True,
        )
    except Exception:  # as when the page was read: the parser's failure is not the caller's
        return None


def _ends(span: turbohtml.SourceSpan) -> tuple[int, int]:
    return span.start_offset, span.end_offset
