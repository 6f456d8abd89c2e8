"""Where the published methods would look: the densest range, the separator, the core container."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joeira.features.view import BlockView, Floats, log

CORE_SHARES = (0.4, 0.6, 0.8)
GOOD_LEVELS = (1, 2, 3, 4, 6)
WINDOWS = (2, 5)
RATIO_WINDOWS = (2, 6)

NAMES = (
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


def columns(view: BlockView) -> list[Floats]:
    """Return the columns of `NAMES`."""
    long = (view.words >= 12) & (view.link_density < 0.4)
    found = [
        *_range(view, view.words - view.linked - _TAG_COST * view.tag_gap - _TAG_COST),
        *_range(view, np.where(long, view.words, -15.0)),
        *_ratios(view),
        *_separator(view),
        *_cores(view),
    ]
    share = view.below["good"] / view.total_good
    found += [share[view.ancestors[level]] for level in GOOD_LEVELS]
    return [*found, *_windows(view)]


def _ratios(view: BlockView) -> list[Floats]:
    ratio = (view.words / view.tag_gap)[None]
    return [log(_window(ratio, size)[0] / _window_sizes(view, size)) for size in RATIO_WINDOWS]


def _windows(view: BlockView) -> list[Floats]:
    """Return means around each block, long blocks counting more where the mean is a density."""
    weight = view.words + 0.1
    share = view.punctuation / view.at_least_one_word
    series = np.stack([view.link_density * weight, log(view.words), share * weight, weight])
    found: list[Floats] = []
    for size in WINDOWS:
        links, words, marks, total = _window(series, size)
        found += [links / total, words / _window_sizes(view, size), marks / total]
    return found


def _range(view: BlockView, gain: Floats) -> list[Floats]:
    """Return membership in the range of largest gain, and the distance to its border."""
    total = np.cumsum(gain)
    before = total - gain
    last = int(np.argmax(total - np.minimum.accumulate(before)))
    first = int(np.argmin(before[: last + 1]))
    i = view.number
    inside = (i >= first) & (i <= last)
    to_border = np.minimum(np.abs(i - first), np.abs(i - last))
    depth = np.where(inside, to_border, -to_border) / 20.0
    return [inside.astype(float), np.clip(depth, -5, 5)]


def _window(series: Floats, size: int) -> Floats:
    """Return the sums of each series over the blocks around each block."""
    n = series.shape[1]
    total = np.zeros((len(series), n + 2 * size + 1))
    np.cumsum(series, axis=1, out=total[:, size + 1 : size + 1 + n])
    total[:, size + 1 + n :] = total[:, [size + n]]
    around: Floats = total[:, 2 * size + 1 :] - total[:, :n]
    return around


def _window_sizes(view: BlockView, size: int) -> Floats:
    i = view.number
    reach: Floats = (np.minimum(i + size + 1, view.size) - np.maximum(i - size, 0)).astype(float)
    return reach


def _separator(view: BlockView) -> list[Floats]:
    """Return membership below the first ancestor of long prose whose surroundings are links."""
    none = np.zeros(view.size)
    long = (view.counts["solid"] >= _SEPARATOR_LEAF_CHARS) & (view.link_density < 0.5)
    if not long.any():
        return [none, none]
    row = _climb(view, int(view.owner[np.argmax(long)]))
    if row < 0:
        return [none, none]
    return [
        view.inside(row).astype(float),
        none + view.below["words"][row] / view.total_words,
    ]


def _climb(view: BlockView, row: int) -> int:
    parent = view.page.parent
    words, linked = view.below["words"], view.below["linked"]
    largest = -1
    while row >= 0:
        above = int(parent[row])
        if words[row] - linked[row] >= _SEPARATOR_MIN_WORDS:
            if above < 0:
                return row
            rest = words[above] - words[row]
            rest_linked = linked[above] - linked[row]
            if rest > _SEPARATOR_MIN_REMAINDER and rest_linked / rest > _SEPARATOR_LINK_DENSITY:
                return row
            largest = row
        row = above
    return largest


def _cores(view: BlockView) -> list[Floats]:
    page, below = view.page, view.below
    none = np.zeros(view.size)
    found: list[NDArray[np.float64]] = []
    for share in CORE_SHARES:
        holders = np.flatnonzero(below["good"] >= share * view.total_good)
        row = int(holders[np.argmax(page.depth[holders])]) if len(holders) else 0
        words = below["words"][row]
        found += [
            view.inside(row).astype(float),
            none + words / view.total_words,
            none + below["linked"][row] / max(words, 1),
        ]
    return found
