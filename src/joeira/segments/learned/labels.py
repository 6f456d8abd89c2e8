"""Labels of segments, from simple features, with a probability.

Each sign (where the segment stands, which elements, roles and class names are around it, what its
text is made of) speaks for some labels and against others; the probability of a label is its share
of the exponentials of all sums. The weights of `SIGNS` are set by hand: whole points, three for
what page authors say themselves (``<nav>``, ``role="search"``). Those in use are learned from pages
with marked blocks, but leave the ones set by hand only as far as the pages ask for it, so that
labels which such pages hardly have keep theirs. Segments that are siblings of one tag and class,
such as the posts of a thread, get one label. Class names count by stems that page builders use in
every language; of the text no word is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.arrays import Floats, trees
from joeira.arrays.strings import mixed
from joeira.page import Page, tags
from joeira.page.tags import MODAL, NO_SNIPPET
from joeira.segments.learned.features import SegmentView

if native_available:
    from joeira._native import elements as kernels

LABELS: Final = (
    "main", "title", "navigation", "header", "footer", "sidebar", "comments", "related",
    "advertisement", "form", "listing", "other",
)  # fmt: skip

SIGNS: Final[dict[str, dict[str, float]]] = {
    "always": {"other": 1},
    "in_nav": {"navigation": 5, "header": -1, "main": -3, "listing": -1},
    "in_header": {"header": 2, "title": 1, "navigation": 1},
    "in_footer": {"footer": 4, "navigation": -1, "main": -2},
    "in_aside": {"sidebar": 4, "main": -4},
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
    "named_notice": {"other": 4, "main": -4, "header": -2, "footer": -2, "listing": -2},
    "named_share": {"other": 3, "main": -2, "header": -2, "sidebar": -1, "listing": -2},
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
    "long": {"main": 1, "title": -2},
    "is_list": {"navigation": 1},
    "has_image": {"listing": 1},
    "one_block": {"listing": -3},
    "has_copyright": {"footer": 3},
    "has_password": {"form": 4, "main": -2},
}
"""Sign, and how much it speaks for each label, as set by hand."""

BY_HAND: Final = np.array(
    [[SIGNS[sign].get(label, 0) for label in LABELS] for sign in SIGNS], float
)
"""The same: one line per sign, one column per label."""

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
    "named_notice": "cookie consent gdpr",
    "named_share": ".share sharing social",
}
_BIT_SIGNS: Final = (*_TAG_SIGNS, *_NAME_SIGNS)
_BIT_PLACES: Final = np.arange(len(_BIT_SIGNS), dtype=np.uint32)[:, None]
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
_LONG_WORDS = 80
_COPYRIGHT = ord("\N{COPYRIGHT SIGN}")
_LISTS: Final = tags.table("ul ol dl li")
_PARTS: Final = tags.table("article section")
_MAIN: Final = tags.table("main article")
_EDGE_BITS: Final = np.uint32(
    sum(1 << n for n, sign in enumerate(_TAG_SIGNS) if sign in ("in_header", "in_footer"))
)
_NO_NAMES: Final = np.uint32((1 << len(_TAG_SIGNS)) - 1)
_EDGE = 0.1
"""Share of the page's words at either end that are its top and its bottom."""


def labels(
    view: SegmentView,
    start: NDArray[np.integer[Any]],
    stop: NDArray[np.integer[Any]],
    weights: Floats = BY_HAND,
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the likeliest label of each segment ``start:stop``, and its probability."""
    points = signs(view, start, stop) @ weights
    points = _shared(view, start, points)
    shares = np.exp(points - points.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    best = shares.argmax(axis=1)
    return [LABELS[number] for number in best.tolist()], shares.max(axis=1)


def signs(
    view: SegmentView, start: NDArray[np.integer[Any]], stop: NDArray[np.integer[Any]]
) -> Floats:
    """Return the signs of each segment: one line per segment, one column for each of `SIGNS`."""
    by_name = dict(_signs(view, start, stop))
    return np.stack([by_name[sign] for sign in SIGNS]).astype(np.float64).T


def _shared(view: SegmentView, start: NDArray[np.integer[Any]], points: Floats) -> Floats:
    """Return the points of segments, of siblings alike in tag and class their mean."""
    page = view.page
    tag, name, above = (
        column[start].astype(np.uint64) for column in (page.tag, page.classes[0], view.above)
    )
    _, group = np.unique(mixed(mixed(above) + tag) + name, return_inverse=True)
    sums = np.zeros((int(group.max(initial=-1)) + 1, points.shape[1]))
    np.add.at(sums, group, points)
    means: Floats = (sums / np.maximum(np.bincount(group), 1)[:, None])[group]
    # Elements without a class are alike in nothing but their tag.
    return np.where((page.classes[0][start] > 0)[:, None], means, points)


def _signs(
    view: SegmentView, start: NDArray[np.integer[Any]], stop: NDArray[np.integer[Any]]
) -> Iterator[tuple[str, NDArray[Any]]]:
    page = view.page
    prose = _prose(view)
    sums = np.zeros((9, len(page) + 1))
    sums[0, 1:] = view.own_words
    sums[1, 1:] = np.where(page.in_head, 0, page.linked_words)
    sums[2, 1:] = prose
    sums[3, 1:] = tags.HEADINGS[page.known_tag] & view.has_text
    sums[4, 1:] = (page.tag == tags.NUMBER["h1"]) & view.has_text
    sums[5, 1:] = _INPUTS[page.known_tag]
    sums[6, 1:] = page.tag == tags.NUMBER["img"]
    marks = np.flatnonzero(page.characters.codes == _COPYRIGHT)
    sums[7, 1 + page.text_rows[page.characters.starts.searchsorted(marks, "right") - 1]] = 1
    for row, (kind,) in page.attributes.read("input[type]", ("type",)):
        sums[8, 1 + row] = kind == "password"
    np.cumsum(sums, axis=1, out=sums)
    words, linked, own_prose, headings, h1, inputs, images, copyrights, passwords_in = (
        sums[:, stop] - sums[:, start]
    )
    blocks = np.maximum(view.blocks[start], 1)
    total = max(float(sums[0, -1]), 1.0)
    before = sums[0, start] / total
    items = _repeats(view, start)
    large = words > total / 2
    yield "always", np.ones(len(start))
    yield from _surroundings(view, _innermost(page, start, stop))
    yield "prose", own_prose > words / 2
    yield "most_prose", own_prose >= max(0.25 * float(prose.sum()), 1.0)
    yield "linked", linked / np.maximum(words, 1) > _LINKED
    yield "short", words < _SHORT_WORDS
    yield "is_h1", (h1 > 0) & (words < 3 * _SHORT_WORDS) & _may_be_titles(page, start, h1)
    yield "has_heading", headings > 0
    yield "has_input", (inputs > 0) & (words < 60)
    yield "repeated", items >= _REPEATS
    yield "repeated_short", (items >= _REPEATS) & (words / blocks < _ITEM_WORDS)
    yield "at_top", (before < _EDGE) & ~large
    yield "at_bottom", (before > 1 - _EDGE) & ~large
    yield "large", large
    yield "long", words >= _LONG_WORDS
    yield "is_list", _LISTS[page.known_tag[start]]
    yield "has_image", images > 0
    yield "one_block", view.blocks[start] == 1
    yield "has_copyright", copyrights > 0
    yield "has_password", passwords_in > 0


def _may_be_titles(page: Page, start: NDArray[np.integer[Any]], h1: Floats) -> NDArray[np.bool_]:
    """Return which segments may hold the title of the page, by their headings of the first level.

    Where every box has one, only the first in the main part of the page is its title.
    """
    if h1.sum() <= _FEW_TITLES:
        return np.ones(len(start), bool)
    in_main = trees.inside(_MAIN[page.known_tag], page.end)[start] & (h1 > 0)
    is_first: NDArray[np.bool_] = in_main & (np.cumsum(in_main) == 1)
    return is_first


def _innermost(
    page: Page, start: NDArray[np.integer[Any]], stop: NDArray[np.integer[Any]]
) -> NDArray[np.integer[Any]]:
    """Return for each segment the innermost element around its texts: a wrapper says nothing.

    Of a segment that has several roots it is the first of them.
    """
    first = page.text_rows[page.text_index[start]]
    last = page.text_rows[page.text_index[stop] - 1]
    row = first
    for pointer in reversed(page.ladder):
        higher = pointer[row]
        row = np.where(page.end[higher] <= last, higher, row)
    innermost: NDArray[np.integer[Any]] = np.maximum(page.parent[row], start)
    return innermost


def _surroundings(
    view: SegmentView, start: NDArray[np.integer[Any]]
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield what the elements from some rows up to the body say about them."""
    page = view.page
    bits = _TAG_BITS[page.known_tag]
    # The header and the footer of an article are those of no page.
    bits[trees.inside(_PARTS[page.known_tag], page.end)] &= ~_EDGE_BITS
    bits |= _said_roles(page)
    bits |= view.names.bits(_NAME_SIGNS) << np.uint32(len(_TAG_SIGNS))
    # What is said of the whole page ("has-sidebar") is said of no part of it; nor is what the name
    # of an element says that holds most of the page ("enable-comments").
    bits[: page.body + 1] = 0
    bits[2 * view.words > view.words[0]] &= _NO_NAMES
    if native_available:
        bits = kernels.union_over_ancestors(bits, page.parent)
    else:
        bits = trees.union_over_ancestors(bits, page.parent, page.ladder)
    yield from zip(_BIT_SIGNS, (bits[start] >> _BIT_PLACES) & np.uint32(1), strict=True)


def _said_roles(page: Page) -> NDArray[np.uint32]:
    """Return the signs of what rows say they are; who says several things says nothing here."""
    number, words = page.roles
    said: NDArray[np.uint32] = np.array([_ROLE_BITS.get(word, 0) for word in words], np.uint32)
    # The page keeps one word for each element: the first, or one that goes before any role.
    before_role = np.array([word in (MODAL, NO_SNIPPET) for word in words])
    unsure = np.zeros(len(words), bool)
    if before_role.any() or said.any():
        roles = [role.strip().lower() for role in page.attributes.column("role")[1]]
        if any(len(role.split()) > 1 for role in roles):
            unsure |= (said > 0) | before_role
        if sum(role in _ROLE_BITS for role in roles) > np.count_nonzero(said.take(number)):
            unsure |= before_role
    of_row: NDArray[np.uint32] = said.take(number)
    for row in np.flatnonzero(unsure.take(number)).tolist() if unsure.any() else ():
        role = page.attributes.get(row, "role") or ""
        of_row[row] = _ROLE_BITS.get(role.strip().lower(), 0)
    return of_row


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
    most = np.append(view.alike_children, 0)
    bounds = np.stack((start, view.page.end[start]), axis=1).ravel()
    widest: NDArray[np.float64] = np.maximum.reduceat(most, bounds)[::2]
    return widest
