"""What a segment of a page is: a label by simple signs, with a probability.

Each sign (where the segment stands, which elements, roles and class names are around it, what its
text is made of) speaks for some labels and against others, by the weights of `SIGNS`; the
probability of a label is its share of the exponentials of all sums. The weights are set by hand:
whole points, three for what page authors say themselves (``<nav>``, ``role="search"``). Class names
count by stems that page builders use in every language; no word of the text is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.page import tags
from joeira.segments.learned.features import SegmentView

LABELS: Final = (
    "main", "title", "navigation", "header", "footer", "sidebar", "comments", "related",
    "advertisement", "form", "listing", "other",
)  # fmt: skip

SIGNS: Final[dict[str, dict[str, float]]] = {
    "always": {"other": 1},
    "in_head": {"title": 8},
    "in_nav": {"navigation": 3, "header": -1},
    "in_header": {"header": 2, "title": 1, "navigation": 1},
    "in_footer": {"footer": 4, "navigation": -1, "main": -2},
    "in_aside": {"sidebar": 3, "main": -1},
    "in_form": {"form": 3},
    "in_main": {"main": 1, "title": 1, "listing": 1, "comments": 1, "header": -2, "footer": -2},
    "named_navigation": {"navigation": 2},
    "named_header": {"header": 2},
    "named_footer": {"footer": 4, "main": -1},
    "named_sidebar": {"sidebar": 2, "main": -1},
    "named_comments": {"comments": 5},
    "named_related": {"related": 4},
    "named_advertisement": {"advertisement": 4},
    "named_form": {"form": 2},
    "prose": {"main": 3, "comments": 1, "navigation": -2, "title": -3},
    "most_prose": {"main": 2, "advertisement": -2, "footer": -1, "header": -1},
    "linked": {"navigation": 2, "related": 1, "main": -2, "title": -1},
    "short": {"title": 1, "advertisement": 1, "main": -2, "listing": -2, "comments": -1},
    "is_h1": {"title": 5},
    "has_heading": {"listing": 1, "related": 1, "main": 1, "navigation": -1},
    "has_input": {"form": 3},
    "repeated": {"listing": 3, "comments": 1, "navigation": 1},
    "repeated_short": {"navigation": 1, "listing": -2},
    "at_top": {"header": 3, "navigation": 1, "footer": -3, "comments": -2, "related": -1},
    "at_bottom": {"footer": 3, "header": -3, "title": -2, "main": -1},
    "large": {"main": 3},
}
"""Sign, and how much it speaks for each label."""

_WEIGHTS: Final = np.array([[SIGNS[sign].get(label, 0) for label in LABELS] for sign in SIGNS])

_TAG_SIGNS: Final = {
    "in_nav": "nav",
    "in_header": "header",
    "in_footer": "footer",
    "in_aside": "aside",
    "in_form": "form fieldset search",
    "in_main": "main article",
}
_ROLE_SIGNS: Final = {
    "in_nav": ("navigation", "menu", "menubar"),
    "in_header": ("banner",),
    "in_footer": ("contentinfo",),
    "in_aside": ("complementary",),
    "in_form": ("form", "search"),
    "in_main": ("main", "article"),
}
_NAME_SIGNS: Final = {
    "named_navigation": "nav menu crumb pagination pager tabs",
    "named_header": "header masthead branding topbar .hd. .top.",
    "named_footer": "foot colophon copyright legal",
    "named_sidebar": "sidebar side- side_ right left rail aside",
    "named_comments": "comment disqus discussion replies",
    "named_related": "related recommend similar seealso see-also readmore read-more suggest",
    "named_advertisement": ".ad. .ads. .adv. advert sponsor dfp bannerad banner-ad",
    "named_form": "search login signin subscribe newsletter .form",
}
_TAG_BITS: Final = np.bitwise_or.reduce(
    [tags.table(names).astype(np.uint32) << n for n, names in enumerate(_TAG_SIGNS.values())]
)
_ROLE_BITS: Final = {
    role: np.uint32(1 << place)
    for place, sign in enumerate(_TAG_SIGNS)
    for role in _ROLE_SIGNS[sign]
}
_INPUTS: Final = tags.table("input select textarea button")
_LINKED, _SHORT_WORDS, _PROSE_WORDS = 0.6, 12, 12
_REPEATS, _ITEM_WORDS = 4, 4
_FEW_TITLES = 2
_EDGE = 0.1
"""Share of the page's words at either end that are its top and its bottom."""


def labels(
    view: SegmentView, start: NDArray[np.integer[Any]], stop: NDArray[np.integer[Any]]
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the likeliest label of each segment ``start:stop``, and its probability."""
    by_name = dict(_signs(view, start, stop))
    signs = np.stack([by_name[sign] for sign in SIGNS]).astype(np.float64)
    points = signs.T @ _WEIGHTS
    shares = np.exp(points - points.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    best = shares.argmax(axis=1)
    return [LABELS[number] for number in best.tolist()], shares.max(axis=1)


def _signs(
    view: SegmentView, start: NDArray[np.integer[Any]], stop: NDArray[np.integer[Any]]
) -> Iterator[tuple[str, NDArray[Any]]]:
    page = view.page
    prose = _prose(view)
    sums = np.zeros((6, len(page) + 1))
    sums[0, 1:] = view.own_words
    sums[1, 1:] = np.where(page.in_head, 0, page.linked_words)
    sums[2, 1:] = prose
    sums[3, 1:] = tags.HEADINGS[page.known_tag] & view.has_text
    sums[4, 1:] = (page.tag == tags.NUMBER["h1"]) & view.has_text
    sums[5, 1:] = _INPUTS[page.known_tag]
    np.cumsum(sums, axis=1, out=sums)
    words, linked, own_prose, headings, h1, inputs = sums[:, stop] - sums[:, start]
    blocks = np.maximum(view.blocks[start], 1)
    total = max(float(sums[0, -1]), 1.0)
    before = sums[0, start] / total
    items = _repeats(view, start)
    large = words > total / 2
    yield "always", np.ones(len(start))
    yield "in_head", page.in_head[start]
    yield from _surroundings(view, start)
    yield "prose", own_prose > words / 2
    yield "most_prose", own_prose >= max(0.25 * float(prose.sum()), 1.0)
    yield "linked", linked / np.maximum(words, 1) > _LINKED
    yield "short", words < _SHORT_WORDS
    # Where every box has a heading of the first level, none of them is the title of the page.
    yield "is_h1", (h1 > 0) & (words < 3 * _SHORT_WORDS) & (h1.sum() <= _FEW_TITLES)
    yield "has_heading", headings > 0
    yield "has_input", (inputs > 0) & (words < 60)
    yield "repeated", items >= _REPEATS
    yield "repeated_short", (items >= _REPEATS) & (words / blocks < _ITEM_WORDS)
    yield "at_top", (before < _EDGE) & ~large
    yield "at_bottom", (before > 1 - _EDGE) & ~large
    yield "large", large


def _surroundings(
    view: SegmentView, start: NDArray[np.integer[Any]]
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield what the elements from each segment up to the body say about it."""
    page = view.page
    bits = _TAG_BITS[page.known_tag]
    for row, role in zip(*page.attributes.column("role"), strict=True):
        bits[row] |= _ROLE_BITS.get(role.strip().lower(), 0)
    for place, rows_named in enumerate(
        view.names.with_stems(_NAME_SIGNS).values(), len(_TAG_SIGNS)
    ):
        bits |= rows_named.astype(np.uint32) << np.uint32(place)
    # What is said of the whole page ("has-sidebar") is said of no part of it.
    bits[: page.body + 1] = 0
    above = trees.union_over_ancestors(bits, page.parent, page.ladder)[start]
    for place, sign in enumerate((*_TAG_SIGNS, *_NAME_SIGNS)):
        yield sign, (above >> np.uint32(place)) & 1


def _prose(view: SegmentView) -> NDArray[np.float64]:
    """Return the unlinked words of long blocks, at the row where each block begins."""
    page = view.page
    blocks = page.blocks
    in_head = page.in_head[page.text_rows]
    words = blocks.sums(np.where(in_head, 0, page.text_words))
    linked = blocks.sums(np.where(in_head, 0, page.text_words * page.text_linked))
    prose = np.zeros(len(page))
    long = (words >= _PROSE_WORDS) & (2 * linked < words)
    prose[page.text_rows[blocks.first[:-1]]] = np.where(long, words - linked, 0)
    return prose


def _repeats(view: SegmentView, start: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return, below some rows, the most children of one element that are alike in tag and class.

    That is the widest list below: most segments are one list, perhaps inside wrappers.
    """
    most = np.append(view.alike_by_class[1], 0)
    bounds = np.stack((start, view.page.end[start]), axis=1).ravel()
    widest: NDArray[np.float64] = np.maximum.reduceat(most, bounds)[::2]
    return widest
