"""Layout features of elements that may be segments: boxes, gaps, backgrounds, fonts.

One column for each of `FEATURES`, beside those of the page's tree (`features`). Shares are of the
drawn page; gaps are between neighbours with text below one element, in logarithms of pixels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.models import Feature
from joeira.render.browser import Layout
from joeira.segments.learned.features import SegmentView

FEATURES: Final = (
    Feature("width", "its width to that of the page", "box", "share"),
    Feature("height", "its height to that of the page", "box", "share"),
    Feature("area", "its area to that of the page", "box", "share"),
    Feature("left", "place of its left edge", "box", "share"),
    Feature("top", "place of its upper edge", "box", "share"),
    Feature("bottom", "place of its lower edge", "box", "share"),
    Feature("aspect", "its width to its height", "box", "log1p"),
    Feature("width_of_parent", "its width to that of its parent", "box", "share"),
    Feature("height_of_parent", "its height to that of its parent", "box", "share"),
    Feature("hidden", "share of its words that are not drawn", "box", "share"),
    Feature("own_background", "has another background than its parent", "colour", "flag"),
    Feature("backgrounds_below", "elements below it that have one", "colour", "log1p"),
    Feature("beside", "stands to the right of the one before it", "gaps", "flag"),
    Feature("columns", "children that stand beside the one before", "gaps", "log1p"),
    Feature("gap_before", "gap above it", "gaps", "log1p"),
    Feature("gap_after", "gap below it", "gaps", "log1p"),
    Feature("gap_inside", "widest gap between its children", "gaps", "log1p"),
    Feature("gap_below", "widest gap between elements below it", "gaps", "log1p"),
    Feature("font_contrast", "largest font to the mean of its words", "fonts", "rate"),
    Feature("first_font", "font of its first text to the mean of its words", "fonts", "rate"),
)
"""All features of a drawn element, in the order that the model knows them by."""
_LOGARITHMIC: Final = [line for line, each in enumerate(FEATURES) if each.scale == "log1p"]


def columns(
    view: SegmentView, layout: Layout, rows: NDArray[np.integer[Any]]
) -> NDArray[np.float32]:
    """Return the features of some rows: one line for each of `FEATURES`."""
    by_name = {
        name: column[rows]
        for part in (_boxes, _backgrounds, _gaps, _fonts)
        for name, column in part(view, layout)
    }
    values = np.stack([by_name[feature.name] for feature in FEATURES]).astype(np.float32)
    values[_LOGARITHMIC] = np.log1p(np.maximum(values[_LOGARITHMIC], 0))
    return values


def _boxes(view: SegmentView, layout: Layout) -> Iterator[tuple[str, NDArray[Any]]]:
    page = view.page
    left, top, right, bottom = layout.box.T
    width, height = right - left, bottom - top
    page_width, page_height = max(float(right.max()), 1.0), max(float(bottom.max()), 1.0)
    yield "width", width / page_width
    yield "height", height / page_height
    yield "area", width * height / (page_width * page_height)
    yield "left", left / page_width
    yield "top", top / page_height
    yield "bottom", bottom / page_height
    yield "aspect", width / np.maximum(height, 1)
    yield "width_of_parent", width / np.maximum(width[view.above], 1)
    yield "height_of_parent", height / np.maximum(height[view.above], 1)
    unseen = page.is_text & ~layout.shown
    yield "hidden", view.below(view.own_words * unseen) / np.maximum(view.words, 1)


def _backgrounds(view: SegmentView, layout: Layout) -> Iterator[tuple[str, NDArray[Any]]]:
    own = (layout.background != layout.background[view.above]) & view.has_text
    yield "own_background", own
    yield "backgrounds_below", view.below(own) - own


def _gaps(view: SegmentView, layout: Layout) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield how far drawn siblings with text are apart, each from the one before it."""
    count = len(view.page)
    drawn = np.flatnonzero(view.has_text & layout.shown)
    by_parent = drawn[np.argsort(view.above[drawn], kind="stable")]
    before, after = by_parent[:-1], by_parent[1:]
    siblings = view.above[before] == view.above[after]
    before, after = before[siblings], after[siblings]
    left, top, right, bottom = layout.box.T
    down, across = top[after] - bottom[before], left[after] - right[before]
    is_beside = (down < 0) & (across >= -1)  # browsers place things between pixels
    beside, gap_before, gap_after, inside = (np.zeros(count) for _ in range(4))
    beside[after] = is_beside
    gap_before[after] = gap_after[before] = np.maximum(down, 0)
    np.maximum.at(inside, view.above[after], np.maximum(down, across))
    yield "beside", beside
    yield "columns", view.over_children(beside)
    yield "gap_before", gap_before
    yield "gap_after", gap_after
    yield "gap_inside", inside
    yield "gap_below", _greatest_below(view, inside)


def _fonts(view: SegmentView, layout: Layout) -> Iterator[tuple[str, NDArray[Any]]]:
    page = view.page
    size = np.where(page.is_text, layout.font_size, 0.0)
    mean = np.maximum(view.below(size * view.own_words) / np.maximum(view.words, 1), 1)
    first = np.append(size[page.text_rows], 0.0)[page.text_index[:-1]]
    yield "font_contrast", _greatest_below(view, size) / mean
    yield "first_font", first / mean


def _greatest_below(view: SegmentView, value: Floats) -> Floats:
    """Return per row the greatest value of its subtree."""
    greatest = value.copy()
    for pointer in view.page.ladder:  # after k rounds a row knows the 2^k levels below it
        np.maximum.at(greatest, pointer, greatest.copy())
    return greatest
