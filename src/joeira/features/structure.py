"""Where in the tree a block hangs: its element, the ancestors, their content and their likes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.features.text import signed_distance
from joeira.features.view import BlockView, Floats, log
from joeira.kernels import trees
from joeira.page import tags

LEVELS = 6
OWN_TAGS = (
    "p div li h1 h2 h3 h4 h5 h6 td th a button label option dt dd figcaption blockquote pre "
    "section article header footer summary span form nav ul body"
).split()
ANCESTOR_TAGS = (
    "main article aside nav header footer form table ul ol dl li figure button select label "
    "blockquote pre section details a td fieldset dialog center figcaption summary address tr dd"
).split()

_LEVEL_NAMES = (
    ("words", "log of the words"),
    ("link_density", "share of linked words"),
    ("share", "share of the page's words"),
    ("punctuation", "punctuation marks per word"),
    ("words_per_block", "log of the words per block"),
    ("words_per_node", "log of the words per node"),
    ("alike", "log of the number of siblings with the same tag and class"),
    ("children", "log of the number of children"),
)
_GROUP_NAMES = (
    ("count", "log of the number of blocks"),
    ("words", "log of the words"),
    ("share", "share of the page's words"),
    ("link_density", "share of linked words"),
    ("mean_words", "log of the words per block"),
    ("punctuation", "punctuation marks per word"),
    ("span", "distance from the first to the last, as a share of the page"),
    ("density", "log of the blocks per place between first and last"),
)

NAMES = (
    *((f"level{k}_{n}", f"{d} of ancestor {k}") for k in range(LEVELS) for n, d in _LEVEL_NAMES),
    ("depth", "depth in the tree"),
    ("repeated", "is below an element repeated at least three times"),
    ("repeated_words", "log of the words of the nearest repeated element"),
    ("repeated_link_density", "link density of the nearest repeated element"),
    ("repeated_count", "log of how often it is repeated"),
    ("repeated_share", "share of the page's words in all of the repetition"),
    ("repeated_most", "log of the largest repetition above"),
    *(
        (f"class_path_{n}", f"{d} of blocks with this path of tags and classes")
        for n, d in _GROUP_NAMES
    ),
    *((f"is_{name}", f"its element is <{name}>") for name in OWN_TAGS),
    *((f"in_{name}", f"is inside <{name}>") for name in ANCESTOR_TAGS),
    ("from_h1", "signed distance to the first h1"),
    ("has_h1", "the page has an h1"),
    ("after_heading", "log of the blocks since the last heading"),
    ("before_heading", "log of the blocks until the next heading"),
)

_REPEATED_MIN = 3
_OWN_TABLE = np.full(tags.FIRST_FOREIGN + 1, -1, np.int32)
_OWN_TABLE[[tags.NUMBER[name] for name in OWN_TAGS]] = np.arange(len(OWN_TAGS))
_BITS = np.arange(len(ANCESTOR_TAGS), dtype=np.uint32)[:, None]
_ANCESTOR_BIT = np.zeros(tags.FIRST_FOREIGN + 1, np.uint32)
_ANCESTOR_BIT[[tags.NUMBER[name] for name in ANCESTOR_TAGS]] = np.uint32(1) << _BITS[:, 0]


def columns(view: BlockView) -> Iterator[NDArray[Any]]:
    """Yield the columns of `NAMES`, some of them several together."""
    page = view.page
    owner = view.owner
    yield from _levels(view)
    yield page.depth[owner] / 10.0
    yield from _repeated(view)
    yield _groups(view, *view.class_paths)
    own_tag = _OWN_TABLE[page.known_tag[owner]]
    yield own_tag[None, :] == np.arange(len(OWN_TAGS))[:, None]
    tag_bits = _ANCESTOR_BIT[page.known_tag]
    bits = trees.union_over_ancestors(tag_bits, page.parent, page.ladder)[owner]
    yield (bits[None, :] >> _BITS) & 1
    yield from _headings(view)


def _levels(view: BlockView) -> Iterator[Floats]:
    page, below = view.page, view.below
    words = np.maximum(below["words"], 1)
    children = trees.child_counts(page.parent)
    per_row = np.stack(
        [
            log(below["words"]),
            below["linked"] / words,
            below["words"] / view.total_words,
            below["punctuation"] / words,
            log(below["words"] / np.maximum(below["blocks"], 1)),
            log(below["words"] / (page.end - np.arange(len(page)))),
            log(view.alike),
            log(children),
        ]
    )
    for level in range(LEVELS):
        yield per_row[:, view.ancestors[level]]


def _repeated(view: BlockView) -> list[Floats]:
    page, below = view.page, view.below
    times = view.alike
    repeated = (times >= _REPEATED_MIN) & (below["words"] >= _REPEATED_MIN) & ~page.is_text
    nearest = trees.nearest(repeated, page.parent, page.ladder)[view.owner]
    found = nearest >= 0
    row = np.maximum(nearest, 0)
    parent = np.maximum(page.parent[row], 0)
    least = trees.minimum_over_ancestors(-(times * repeated), page.parent, page.ladder)
    most = -least[view.owner]
    return [
        found.astype(float),
        found * log(below["words"][row]),
        found * below["linked"][row] / np.maximum(below["words"][row], 1),
        found * log(times[row]),
        found * below["words"][parent] / view.total_words,
        log(most),
    ]


def _groups(view: BlockView, group: NDArray[np.intp], count: NDArray[np.intp]) -> Floats:
    """Return what the blocks of each group are together."""
    words, linked, marks = (
        np.bincount(group, value, len(count))
        for value in (view.words, view.linked, view.punctuation)
    )
    first = np.empty(len(count))
    first[group[::-1]] = view.number[::-1]
    last = np.empty(len(count))
    last[group] = view.number
    span = last - first
    some = np.maximum(words, 1)
    values = np.stack(
        [
            log(count),
            log(words),
            words / view.total_words,
            linked / some,
            log(words / count),
            marks / some,
            span / max(view.size, 1),
            log(count / (1 + span)),
        ]
    )
    together: Floats = values[:, group]
    return together


def _headings(view: BlockView) -> list[Floats]:
    h1 = np.flatnonzero(view.page.tag[view.owner] == tags.NUMBER["h1"])
    none = np.zeros(view.size)
    far = view.size + 50
    last = np.maximum.accumulate(np.where(view.is_heading, view.number, -1))
    following = np.where(view.is_heading, view.number, far)[::-1]
    return [
        signed_distance(view, int(h1[0])) if len(h1) else none,
        none + bool(len(h1)),
        log(view.number - last),
        log(np.minimum.accumulate(following)[::-1] - view.number),
    ]
