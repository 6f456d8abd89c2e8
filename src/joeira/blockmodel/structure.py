"""Where in the tree a block hangs: its element, the ancestors, their content and their likes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats, trees
from joeira.arrays.groups import Grouping
from joeira.blockmodel.view import FAR, BlockView, log, signed_distance
from joeira.models import Feature
from joeira.page import tags

LEVELS = 6
OWN_TAGS = (
    "p div li h1 h2 h3 h4 h5 h6 td th a button label option dt dd figcaption blockquote pre "
    "section article header footer summary span form nav ul body"
).split()
ANCESTOR_TAGS = (
    "main article aside nav header footer form table ul ol dl li figure button select label "
    "blockquote pre section details a td fieldset dialog center figcaption summary address tr dd "
    "nosnippet"
).split()
"""Elements, and what search engines are asked not to show (``data-nosnippet``)."""
ROLES = {
    "navigation": "nav",
    "contentinfo": "footer",
    "banner": "header",
    "complementary": "aside",
    "alertdialog": "dialog",
    "search": "form",
    "list": "ul",
    "listitem": "li",
}
"""Roles that make an element what another element is; others have the name of that element."""

_OF_LEVEL: Final = (
    Feature("words", "words", "ancestors", "log1p"),
    Feature("link_density", "share of linked words", "links", "share"),
    Feature("share", "share of the page's words", "ancestors", "share"),
    Feature("punctuation", "punctuation marks per word", "ancestors", "rate"),
    Feature("words_per_block", "words per block", "ancestors", "log1p"),
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
    Feature("punctuation", "punctuation marks per word", "repetition", "rate"),
    Feature("span", "share of the page between first and last", "repetition", "share"),
    Feature("density", "number per place between first and last", "repetition", "log1p"),
)
_OF_JOINT: Final = (
    Feature("words", "words", "container", "log1p"),
    Feature("share", "share of the page's words", "container", "share"),
    Feature("above_mark", "levels from the mark up to it", "container"),
    Feature("above_block", "levels from the block up to it", "container"),
)
MARKS: Final = {"h1": "the first h1", "price": "the first currency sign after it"}
"""What the thing that a page is about begins with, by name."""
_CONTAINER_LEVEL: Final = 3
"""How much of the page this ancestor holds tells the container of a block."""


def _of_level(level: int) -> Iterator[Feature]:
    for feature in _OF_LEVEL:
        is_container = level == _CONTAINER_LEVEL and feature.name == "share"
        named = feature.of(f"level{level}_", f"{{}} of ancestor {level}")
        yield replace(named, family="container") if is_container else named


FEATURES: Final = (
    *chain.from_iterable(map(_of_level, range(LEVELS))),
    Feature("depth", "depth in the tree", "ancestors"),
    Feature("repeated", "is in an element repeated at least three times", "repetition", "flag"),
    Feature("repeated_words", "words of the nearest repeated element", "repetition", "log1p"),
    Feature("repeated_link_density", "link density of that element", "repetition", "share"),
    Feature("repeated_count", "how often it is repeated", "repetition", "log1p"),
    Feature("repeated_share", "share of words in all of the repetition", "repetition", "share"),
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
        for name, mark in MARKS.items()
        for feature in _OF_JOINT
    ),
    Feature("from_price", "distance to that currency sign", "title", "distance"),
    Feature("cards", "number of cards like the one that it is in", "repetition", "log1p"),
    Feature("cards_share", "share of the page's words in these cards", "repetition", "share"),
    Feature("page_cards", "share of the page's words that are in cards", "page", "share"),
)
"""Cards are like elements under one parent, half of which or more have a price, and half a link."""

_REPEATED_MIN = 3
_CARDS_SHARE = 0.5
_OWN_TABLE = np.full(tags.FIRST_FOREIGN + 1, -1, np.int32)
_OWN_TABLE[[tags.NUMBER[name] for name in OWN_TAGS]] = np.arange(len(OWN_TAGS))
_OWN_NUMBERS = np.arange(len(OWN_TAGS), dtype=np.int32)[:, None]
_BITS = np.arange(len(ANCESTOR_TAGS), dtype=np.uint32)[:, None]
_ANCESTOR_BIT = np.zeros(tags.FIRST_FOREIGN + 1, np.uint32)
_BIT_OF = dict(zip(ANCESTOR_TAGS, (np.uint32(1) << _BITS[:, 0]).tolist(), strict=True))
for _name in tags.NUMBER.keys() & _BIT_OF.keys():
    _ANCESTOR_BIT[tags.NUMBER[_name]] = _BIT_OF[_name]


def columns(view: BlockView) -> list[NDArray[Any]]:
    """Return the columns of `FEATURES`, some of them several together."""
    page = view.page
    owner = view.owner
    own_tag = _OWN_TABLE.take(page.known_tag.take(owner))
    holders = view.holders
    number, roles = page.roles
    role_bits = np.array([_BIT_OF.get(ROLES.get(role, role), 0) for role in roles], np.uint32)
    own_bits = _ANCESTOR_BIT.take(page.known_tag.take(holders.rows))
    own_bits |= role_bits.take(number.take(holders.rows))
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


def _levels(view: BlockView) -> Floats:
    """Return what the nearest ancestors of each block are, level after level."""
    page, holders, below = view.page, view.holders, view.below
    words = below["words"]
    some = np.maximum(words, 1)
    nodes = page.end.take(holders.rows) - holders.rows
    children = trees.child_counts(page.parent).take(holders.rows)
    log_words, *other_logs = log(
        np.array([words, words / below["blocks"], words / nodes, view.alike, children])
    )
    values = np.array(
        [
            log_words,
            below["linked"] / some,
            words / view.total_words,
            below["punctuation"] / some,
            *other_logs,
        ]
    )
    levels: Floats = values.take(holders.above_block[:LEVELS], axis=1).swapaxes(0, 1)
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
    log_words, log_times, log_most = log(np.array([words, times.take(holder), most]))
    return [
        is_repeated,
        is_repeated * log_words,
        is_repeated * below["linked"].take(holder) / np.maximum(words, 1),
        is_repeated * log_times,
        is_repeated * below["words"].take(parent) / view.total_words,
        log_most,
    ]


def _groups(view: BlockView, groups: Grouping) -> Floats:
    """Return what the blocks of each group are together."""
    group, count = groups.number, groups.sizes
    words, linked, marks = (
        np.bincount(group, value, len(count))
        for value in (view.words, view.linked, view.punctuation)
    )
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
            marks / some,
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
    return [_joint(view, view.first_h1), _joint(view, price), away]


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


_SEPARATOR_MIN_WORDS = 120
_SEPARATOR_LINK_DENSITY = 0.5
_SEPARATOR_MIN_REMAINDER = 10
_SEPARATOR_LEAF_CHARS = 200


def separator(view: BlockView) -> list[NDArray[Any]]:
    """Return membership below the first ancestor of long prose whose surroundings are links."""
    long = (view.counts["solid"] >= _SEPARATOR_LEAF_CHARS) & (view.link_density < 0.5)
    first = int(long.argmax())
    top = _climb(view, int(view.holders.of_block[first])) if long[first] else -1
    if top < 0:
        return [np.zeros(2 * view.size)]
    share = view.below["words"][top] / view.total_words
    return [view.inside(top), np.full(view.size, share)]


def _climb(view: BlockView, holder: int) -> int:
    parent = view.holders.parent
    words, linked = view.below["words"], view.below["linked"]
    largest = -1
    while holder >= 0:
        above = int(parent[holder])
        if words[holder] - linked[holder] >= _SEPARATOR_MIN_WORDS:
            if above < 0:
                return holder
            rest = words[above] - words[holder]
            rest_linked = linked[above] - linked[holder]
            if rest > _SEPARATOR_MIN_REMAINDER and rest_linked / rest > _SEPARATOR_LINK_DENSITY:
                return holder
            largest = holder
        holder = above
    return largest
