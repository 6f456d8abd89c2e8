"""Where the published methods would look: the densest range, the separator, the core container."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.features.view import BlockView, Floats, log

CORE_SHARES = (0.4, 0.6, 0.8)
GOOD_LEVELS = (1, 2, 3, 4, 6)
WINDOWS = (2, 5)
RATIO_WINDOWS = (2, 6)

REGION_NAMES = (
    ("in_range", "is in the range with most words and fewest tags (BTE)"),
    ("range_depth", "distance to the border of that range, negative outside"),
    ("in_prose_range", "is in the range with most prose"),
    ("prose_range_depth", "distance to the border of the prose range"),
    ("ratio_near", "smoothed words per tag, two blocks around (CETR)"),
    ("ratio_wide", "smoothed words per tag, six blocks around"),
    ("in_separator", "is below the node that separates prose from links (NCE)"),
    ("separator_share", "share of the page's words below that node"),
    *(
        (f"core{int(100 * share)}_{name}", text)
        for share in CORE_SHARES
        for name, text in (
            ("in", f"is in the deepest node with {share:.0%} of the prose"),
            ("share", f"share of the page's words in the node with {share:.0%} of the prose"),
            ("link_density", f"link density of the node with {share:.0%} of the prose"),
        )
    ),
    *((f"good{level}", f"share of the prose below ancestor {level}") for level in GOOD_LEVELS),
    *(
        (f"window{size}_{name}", f"{text}, {size} blocks around")
        for size in WINDOWS
        for name, text in (
            ("link_density", "link density"),
            ("words", "mean log of words"),
            ("punctuation", "punctuation marks per word"),
        )
    ),
)

_SEPARATOR_MIN_WORDS = 120
_SEPARATOR_LINK_DENSITY = 0.5
_SEPARATOR_MIN_REMAINDER = 10
_SEPARATOR_LEAF_CHARS = 200
_TAG_COST = 3.0
_DEPTH_CAP = 100


def region_columns(view: BlockView) -> list[NDArray[Any]]:
    """Return the columns of `NAMES`."""
    long = (view.words >= 12) & (view.link_density < 0.4)
    ratios, windows = _around(view)
    share = view.below["good"] / view.total_good
    return [
        *_range(view, view.words - view.linked - _TAG_COST * view.tag_gap - _TAG_COST),
        *_range(view, np.where(long, view.words, -15.0)),
        *ratios,
        *_separator(view),
        *_cores(view),
        share.take(view.holders.above_block[list(GOOD_LEVELS)]),
        *windows,
    ]


def _around(view: BlockView) -> tuple[list[Floats], list[Floats]]:
    """Return means around each block: words per tag, then what the windows hold.

    Long blocks count more where the mean is a density.
    """
    weight = view.words + 0.1
    share = view.punctuation / view.at_least_one_word
    series = [
        view.words / view.tag_gap,
        view.link_density * weight,
        view.log_words,
        share * weight,
        weight,
        np.ones(view.size),
    ]
    window = _windows(np.array(series), {*RATIO_WINDOWS, *WINDOWS})
    ratios = [log(window[size][0] / window[size][5]) for size in RATIO_WINDOWS]
    found: list[Floats] = []
    for size in WINDOWS:
        _, links, words, marks, total, blocks = window[size]
        found += [links / total, words / blocks, marks / total]
    return ratios, found


def _range(view: BlockView, gain: Floats) -> list[NDArray[Any]]:
    """Return membership in the range of largest gain, and the distance to its border."""
    total = gain.cumsum()
    before = total - gain
    last = int((total - np.minimum.accumulate(before)).argmax())
    first = int(before[: last + 1].argmin())
    depth = np.minimum(view.number - first, last - view.number)  # negative outside
    return [depth >= 0, np.maximum(np.minimum(depth, _DEPTH_CAP), -_DEPTH_CAP) / 20.0]


def _windows(series: Floats, sizes: Collection[int]) -> dict[int, Floats]:
    """Return the sums of each series over so many blocks on both sides of each block."""
    n, reach = series.shape[1], max(sizes)
    total = np.zeros((len(series), n + 2 * reach + 1))
    series.cumsum(axis=1, out=total[:, reach + 1 : reach + 1 + n])
    total[:, reach + 1 + n :] = total[:, reach + n, None]
    return {
        size: total[:, reach + size + 1 :][:, :n] - total[:, reach - size :][:, :n]
        for size in sizes
    }


def _separator(view: BlockView) -> list[NDArray[Any]]:
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


def _cores(view: BlockView) -> list[NDArray[Any]]:
    below, depth = view.below, view.page.depth.take(view.holders.rows)
    found: list[NDArray[Any]] = []
    for share in CORE_SHARES:
        core = int(np.where(below["good"] >= share * view.total_good, depth, 0).argmax())
        words = below["words"][core]
        of_page = [words / view.total_words, below["linked"][core] / max(words, 1)]
        found += [view.inside(core), np.array(of_page).repeat(view.size)]
    return found
