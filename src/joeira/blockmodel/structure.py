"""Where in the tree a block hangs: its element, the ancestors, their content and their likes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats, trees
from joeira.arrays.groups import Grouping
from joeira.blockmodel.view import FAR, BlockView, log, signed_distance
from joeira.models import Feature
from joeira.page import Page, tags

LEVELS = (0, 1, 2, 3, 5)
"""The element of a block and those of its ancestors that are described."""
OWN_TAGS = ("p", "div", "li", "h1", "h2")
ANCESTOR_TAGS = (
    "main article aside nav footer form ul ol dl li button blockquote pre dialog figcaption tr dd "
    "nosnippet"
).split()
"""Elements, and what search engines are asked not to show (``data-nosnippet``)."""
ROLES = {
    "navigation": "nav",
    "contentinfo": "footer",
    "complementary": "aside",
    "alertdialog": "dialog",
    "search": "form",
    "list": "ul",
    "listitem": "li",
}
"""Roles that make an element what another element is; others have the name of that element."""

_OF_LEVEL: Final = (
    Feature("link_density", "share of linked words", "links", "share"),
    Feature("words_per_node", "words per node", "ancestors", "log1p"),
    Feature("alike", "number of siblings with the same tag and class", "repetition", "log1p"),
    Feature("children", "number of children", "ancestors", "log1p"),
)
_OF_CLASS_PATH: Final = (
    Feature("count", "number", "repetition", "log1p"),
    Feature("words", "words", "repetition", "log1p"),
    Feature("share", "share of the page's words", "repetition", "share"),
    Feature("link_density", "share of linked words", "repetition", "share"),
    Feature("mean_words", "mean words", "repetition", "log1p"),
    Feature("span", "share of the page between first and last", "repetition", "share"),
    Feature("density", "number per place between first and last", "repetition", "log1p"),
)
_OF_JOINT: Final = (
    Feature("words", "words", "container", "log1p"),
    Feature("share", "share of the page's words", "container", "share"),
    Feature("above_mark", "levels from the mark up to it", "container"),
    Feature("above_block", "levels from the block up to it", "container"),
)
_MARKS: Final = (
    ("h1", "the first h1", _OF_JOINT),
    ("price", "the first currency sign after it", _OF_JOINT[1:]),
)
"""What the thing that a page is about begins with: its name, its kind, and its description."""


FEATURES: Final = (
    *(
        feature.of(f"level{level}_", f"{{}} of ancestor {level}")
        for level in LEVELS
        for feature in _OF_LEVEL
    ),
    Feature("depth", "depth in the tree", "ancestors"),
    Feature(
        "repeated_link_density",
        "link density of the nearest element repeated at least three times",
        "repetition",
        "share",
    ),
    Feature("repeated_share", "share of words in all of that repetition", "repetition", "share"),
    Feature("repeated_most", "size of the largest repetition above", "repetition", "log1p"),
    *(
        feature.of("class_path_", "{} of blocks with this path of tags and classes")
        for feature in _OF_CLASS_PATH
    ),
    *(Feature(f"is_{name}", f"its element is <{name}>", "landmark", "flag") for name in OWN_TAGS),
    *(
        Feature(f"in_{name}", f"is inside <{name}> or what has that role", "landmark", "flag")
        for name in ANCESTOR_TAGS[:-1]
    ),
    Feature("in_nosnippet", "is in what search engines are asked to hide", "landmark", "flag"),
    Feature("from_h1", "distance to the first h1", "title", "distance"),
    Feature("has_h1", "the page has an h1", "page", "flag"),
    Feature("after_heading", "blocks since the last heading", "heading", "log1p"),
    Feature("before_heading", "blocks until the next heading", "heading", "log1p"),
    Feature("section_words", "words since the last heading, up to the next", "heading", "log1p"),
    Feature("section_link_density", "share of linked words among them", "links", "share"),
    Feature("headings_before", "number of headings at or before it", "heading", "log1p"),
    *(
        feature.of(f"joint_{name}_", f"{{}} of the smallest element that holds it and {mark}")
        for name, mark, told in _MARKS
        for feature in told
    ),
    Feature("from_price", "distance to that currency sign", "title", "distance"),
    Feature("cards", "number of cards like the one that it is in", "repetition", "log1p"),
    Feature("cards_share", "share of the page's words in these cards", "repetition", "share"),
    Feature("page_cards", "share of the page's words that are in cards", "page", "share"),
)
"""Cards are like elements under one parent, half of which or more have a price, and half a link."""

_REPEATED_MIN = 3
_CARDS_SHARE = 0.5
OWN_COLUMN = np.full(tags.FIRST_FOREIGN + 1, -1, np.int32)
OWN_COLUMN[[tags.NUMBER[name] for name in OWN_TAGS]] = np.arange(len(OWN_TAGS))
_OWN_NUMBERS = np.arange(len(OWN_TAGS), dtype=np.int32)[:, None]
_BITS = np.arange(len(ANCESTOR_TAGS), dtype=np.uint32)[:, None]
LANDMARK = np.zeros(tags.FIRST_FOREIGN + 1, np.uint32)
_BIT_OF = dict(zip(ANCESTOR_TAGS, (np.uint32(1) << _BITS[:, 0]).tolist(), strict=True))
_BIT_OF_ROLE = _BIT_OF | {role: _BIT_OF[name] for role, name in ROLES.items()}
for _name in tags.NUMBER.keys() & _BIT_OF.keys():
    LANDMARK[tags.NUMBER[_name]] = _BIT_OF[_name]


def columns(view: BlockView) -> list[NDArray[Any]]:
    """Return the columns of `FEATURES`, some of them several together."""
    page = view.page
    owner = view.owner
    own_tag = OWN_COLUMN.take(page.known_tag.take(owner))
    holders = view.holders
    of_role = np.array(role_bits(page), np.uint32)
    own_bits = LANDMARK.take(page.known_tag.take(holders.rows))
    own_bits |= of_role.take(page.roles[0].take(holders.rows))
    bits = trees.union_over_ancestors(own_bits, holders.parent, holders.ladder)
    return [
        _levels(view),
        page.depth.take(owner) / 10.0,
        *_repeated(view),
        _groups(view, view.class_paths),
        own_tag == _OWN_NUMBERS,
        (bits.take(holders.of_block) >> _BITS) & 1,
        *_headings(view),
        *_marks(view),
        *_cards(view),
    ]


def role_bits(page: Page) -> list[int]:
    """Return, per role of a page, the bit of the landmark that it makes."""
    return [_BIT_OF_ROLE.get(role, 0) for role in page.roles[1]]


def _levels(view: BlockView) -> Floats:
    """Return what the nearest ancestors of each block are, level after level."""
    page, holders, below = view.page, view.holders, view.below
    words = below["words"]
    some = np.maximum(words, 1)
    nodes = page.end.take(holders.rows) - holders.rows
    children = trees.child_counts(page.parent).take(holders.rows)
    values = np.array(
        [below["linked"] / some, *log(np.array([words / nodes, view.alike, children]))]
    )
    levels: Floats = values.take(holders.above_block[list(LEVELS)], axis=1).swapaxes(0, 1)
    return levels


def _repeated(view: BlockView) -> list[NDArray[Any]]:
    holders, below, times = view.holders, view.below, view.alike
    repeated = (times >= _REPEATED_MIN) & (below["words"] >= _REPEATED_MIN)
    nearest = trees.nearest(repeated, holders.parent, holders.ladder).take(holders.of_block)
    least = trees.minimum_over_ancestors(-(times * repeated), holders.parent, holders.ladder)
    most = -least.take(holders.of_block)
    is_repeated = nearest >= 0
    holder = np.maximum(nearest, 0)
    parent = holders.ladder[0].take(holder)
    words = below["words"].take(holder)
    return [
        is_repeated * below["linked"].take(holder) / np.maximum(words, 1),
        is_repeated * below["words"].take(parent) / view.total_words,
        log(most),
    ]


def _groups(view: BlockView, groups: Grouping) -> Floats:
    """Return what the blocks of each group are together."""
    group, count = groups.number, groups.sizes
    words, linked = (np.bincount(group, value, len(count)) for value in (view.words, view.linked))
    last = groups.order.take(groups.starts + count - 1)
    span = last - groups.order.take(groups.starts)
    some = np.maximum(words, 1)
    log_count, log_words, log_mean, log_density = log(
        np.array([count, words, words / count, count / (1 + span)])
    )
    values = np.array(
        [
            log_count,
            log_words,
            words / view.total_words,
            linked / some,
            log_mean,
            span / view.size,
            log_density,
        ]
    )
    return values.take(group, axis=1)


def _headings(view: BlockView) -> list[NDArray[Any]]:
    h1 = view.first_h1
    following = np.where(view.is_heading, view.number, view.size + FAR)[::-1]
    following = np.minimum.accumulate(following)[::-1]
    section = view.is_heading.cumsum()
    words, linked = (np.bincount(section, value) for value in (view.words, view.linked))
    log_words, log_number = log(np.array([words, np.arange(len(words))]))
    return [
        signed_distance(view, h1) if h1 >= 0 else np.zeros(view.size),
        np.full(view.size, h1 >= 0),
        view.log_places.take(view.number - view.heading_above),
        view.log_places.take(following - view.number),
        log_words.take(section),
        (linked / np.maximum(words, 1)).take(section),
        log_number.take(section),
    ]


def _marks(view: BlockView) -> list[NDArray[Any]]:
    """Return what each block has in common with the title of the page, and with the first price."""
    prices = view.has_price.nonzero()[0]
    following = prices.searchsorted(max(view.first_h1, 0))
    price = int(prices[following if following < len(prices) else 0]) if len(prices) else -1
    away = signed_distance(view, price) if price >= 0 else np.zeros(view.size)
    return [_joint(view, view.first_h1), _joint(view, price)[1:], away]


def _joint(view: BlockView, mark: int) -> Floats:
    """Return the columns of the smallest element that holds a block and one marked block."""
    if mark < 0:
        return np.zeros((len(_OF_JOINT), view.size))
    holders = view.holders
    levels = np.full(len(holders.rows), -1)
    holder, level = int(holders.of_block[mark]), 0
    while holder >= 0:
        levels[holder] = level
        holder, level = int(holders.parent[holder]), level + 1
    joint = trees.nearest(levels >= 0, holders.parent, holders.ladder).take(holders.of_block)
    words = view.below["words"].take(joint)
    depth = view.page.depth.take(holders.rows)
    return np.array(
        [
            log(words),
            words / view.total_words,
            levels.take(joint),
            depth.take(holders.of_block) - depth.take(joint),
        ]
    )


def _cards(view: BlockView) -> list[NDArray[Any]]:
    page, holders = view.page, view.holders
    if not view.has_price.any():
        return [np.zeros(3 * view.size)]
    key = holders.parent << 32
    key += (page.tag.take(holders.rows).astype(np.int64) << 20) + page.classes[0].take(holders.rows)
    groups = Grouping.of(key)
    group, count = groups.number, groups.sizes
    priced, linked = (
        np.bincount(group, value > 0, len(count))
        for value in (view.prices_below, view.below["linked"])
    )
    least = _CARDS_SHARE * count
    is_list = (count >= _REPEATED_MIN) & (priced >= least) & (linked >= least)
    nearest = trees.nearest(is_list.take(group), holders.parent, holders.ladder)
    card = nearest.take(holders.of_block)
    in_card = card >= 0
    own = group.take(np.maximum(card, 0))
    words = np.bincount(group, view.below["words"], len(count)) / view.total_words
    of_page = float((view.words * in_card).sum()) / view.total_words
    return [
        in_card * log(count).take(own),
        in_card * words.take(own),
        np.full(view.size, of_page),
    ]
