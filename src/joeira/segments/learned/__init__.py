"""The default segmenter: the best cut of the page's tree, by a learned model.

Not from one paper. Every segment is a whole subtree, or several neighbours that share a line of
text, as people mark them.

1. Boosted trees tell for every element how much of its text belongs together: the share of pairs of
   its words that a person would put into one segment (`together`).
2. An element that is kept whole is worth that share above `least_together`, times its words to the
   power `size_power`. The cut of the tree with the greatest total value is found exactly, from the
   leaves up (`best_cut`). An element that holds a ``<main>``, ``<nav>``, ``<aside>``, or the page's
   own ``<header>`` or ``<footer>``, is never kept whole.
3. Texts of one block are never separated, nor are headings, paragraphs and lists that follow each
   other under one element that was cut: together they are what is left of it. A heading that would
   be alone is joined with the sibling after it.
4. Each segment gets the label that speaks for it most (`joeira.segments.learned.labels`), with a
   probability that was fitted to how often such labels are right (`LABEL_CALIBRATION`).

With `rendered` a browser draws the page, and trees of their own see boxes, gaps, backgrounds and
fonts as well (`joeira.segments.learned.layout`).

Texts of the document's head, such as its title, are in no segment: nobody sees them on the page.

`joeira.models` holds the weights and a card that says what they were learned from and how well they
do; `python -m training.segments` makes them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.arrays import AnyInts, trees
from joeira.arrays.inference import ObliviousTrees
from joeira.models import read_arrays
from joeira.page import Page, Region, tags
from joeira.papers import Paper
from joeira.params import check, param
from joeira.segments.learned import labels as segment_labels
from joeira.segments.learned.features import SegmentView, columns
from joeira.segments.result import OUTSIDE, Segments

if native_available:
    from joeira._native import elements as kernels

if TYPE_CHECKING:
    from joeira.render.browser import Layout


def best_cut(
    value: NDArray[np.float64],
    parent: AnyInts,
    depth: AnyInts,
) -> NDArray[np.int32]:
    """Return for every row the root of the part it is in, in the cut of greatest total value.

    A part is a whole subtree, worth the value of its root; a row that is no part is worth what its
    children are worth, a leaf nothing. Equal values leave a subtree whole. Rows above the cut, and
    leaves worth less than nothing, are in no part: they get the number of rows.

    From the deepest level up.
    """
    if native_available and len(parent):
        rows = (column.astype(np.int32, copy=False) for column in (parent, depth))
        return kernels.best_cut(value, *rows)
    return cut_by_numpy(value, parent, depth)


def cut_by_numpy(
    value: NDArray[np.float64],
    parent: AnyInts,
    depth: AnyInts,
) -> NDArray[np.int32]:
    """Return what `best_cut` does, in one step for each level."""
    n = len(parent)
    order = np.argsort(depth, kind="stable")
    first = [0, *np.cumsum(np.bincount(depth)).tolist()]
    # By level from here on: every step works on a slice.
    own, above = value[order], parent[order]
    below = np.zeros(n)
    for level in range(len(first) - 2, 0, -1):
        slice_ = slice(first[level], first[level + 1])
        worth = np.maximum(own[slice_], below[order[slice_]])
        np.add.at(below, above[slice_], worth)
    outermost = np.where(value >= below, np.arange(n, dtype=np.int32), np.int32(n))
    found: NDArray[np.int32] = trees.minimum_over_ancestors(outermost, parent)
    return found


LABEL_CALIBRATION: Final = (0.2195, 1.1901)
"""Slope and offset of the logit of a label's probability, by Platt's method: signs that agree are
not independent. `python -m training.segment_labels` fits and measures them."""


@dataclass(frozen=True)
class TreeCut:
    """Cut the tree where texts no longer belong together."""

    least_together: float = param(
        0.5,
        "Share of word pairs that belong together above which keeping an element whole pays off.",
        ge=0,
        lt=1,
    )
    size_power: float = param(
        1.7,
        "Weight of large segments: 1 counts words, 2 counts pairs of words, as the Rand index "
        "does.",
        ge=1,
        le=2,
    )

    rendered: bool = param(
        False,
        "Whether to render the page in a browser and use its layout (needs joeira[browser]).",
    )

    papers: ClassVar[tuple[Paper, ...]] = ()

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Segments:
        """Return the segments of a page with their labels.

        Raises:
            UsageError: The page is to be rendered, and there is no browser.
        """
        if not self.rendered or not page.texts:
            return self.divide(page, load())
        from joeira.render.browser import layout_of

        layout = layout_of(page)
        if layout is None:
            return replace(self.divide(page, load()), note="the browser could not draw the page")
        return self.divide(page, load(is_rendered=True), layout)

    def divide(self, page: Page, model: SegmentModel, layout: Layout | None = None) -> Segments:
        """Return the same by a model of one's own, which may know how the page is drawn."""
        if not page.texts:
            return Segments(page, (), np.zeros(0, np.int64), "learned")
        view = SegmentView(page)
        root = self.roots(view, model.together(view, layout))
        number = numbered(page, root)
        first = np.flatnonzero(np.diff(number, prepend=OUTSIDE))
        last = np.append(first[1:], len(number))[: len(first)] - 1
        if not len(first):
            return Segments(page, (), number, "learned")
        start, stop = root[first], page.end[root[last]]
        labels, probability = segment_labels.labels(view, start, stop, model.label_weights)
        regions = tuple(
            Region(page, *slice_, label, score)
            for slice_, label, score in zip(
                zip(start.tolist(), stop.tolist(), strict=True),
                labels,
                calibrated(probability).tolist(),
                strict=True,
            )
        )
        return Segments(page, regions, number, "learned")

    def roots(self, view: SegmentView, together: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return for each text the row of the subtree that it is kept whole in."""
        page = view.page
        value = view.words**self.size_power * (together - self.least_together)
        # What authors name is theirs to tell apart: no segment holds a menu and a text beside it.
        value[view.holds_landmark] = -1.0
        # Neither the document nor its head is part of the page that people see.
        value[: page.body] = np.where(page.in_head[: page.body], 0.0, -1.0)
        cut = best_cut(value, page.parent, page.depth)[page.text_rows]
        return np.where(cut < len(page), cut, page.text_rows).astype(np.int32)


def calibrated(
    probability: NDArray[np.float64], calibration: tuple[float, float] = LABEL_CALIBRATION
) -> NDArray[np.float64]:
    """Return how often labels of a probability are right; the order stays the same."""
    inner = np.clip(probability, 1e-6, 1 - 1e-6)
    slope, offset = calibration
    return 1 / (1 + np.exp(-(slope * np.log(inner / (1 - inner)) + offset)))


def numbered(page: Page, root: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the number of the segment of each text: new roots begin one, save in running text."""
    begins = np.zeros(len(root), bool)
    begins[page.blocks.first[:-1]] = True
    begins[1:] &= root[1:] != root[:-1]
    running = tags.RUNNING[page.known_tag[root]]
    same_parent = page.parent[root[1:]] == page.parent[root[:-1]]
    begins[1:] &= ~(running[1:] & running[:-1] & same_parent)
    begins[_after_lone_heading(page, root, begins)] = False
    # Nobody sees the head; its texts are the first.
    shown = page.text_rows >= page.body
    begins[shown.argmax()] = True
    return np.where(shown, np.cumsum(begins & shown) - 1, OUTSIDE)


_NAMED_PARTS: Final = tags.table("main nav aside header footer")


def _after_lone_heading(
    page: Page, root: NDArray[np.int32], begins: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Return the texts that begin what a heading, alone in its segment, stands before.

    It is a sibling of the heading, and no part that its author named: a title belongs to what it is
    the title of, the name of a site not to its menu.
    """
    first = np.flatnonzero(begins)
    if not len(first):
        return first
    in_heading = trees.inside(tags.HEADINGS[page.known_tag], page.end)[page.text_rows]
    is_title = np.logical_and.reduceat(in_heading, first)
    own, following = root[first[:-1]], root[first[1:]]
    joins = is_title[:-1] & ~is_title[1:] & (page.parent[own] == page.parent[following])
    joins &= ~_NAMED_PARTS[page.known_tag[following]]
    joined: NDArray[np.intp] = first[1:][joins]
    return joined


@dataclass(frozen=True, eq=False)
class SegmentModel:
    """Weights of the segment model."""

    trees: ObliviousTrees
    label_weights: NDArray[np.float64]
    """How much each sign speaks for each label."""

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], trees_name: str = "trees") -> SegmentModel:
        """Return the model stored in arrays."""
        weights = arrays["labels.weights"].astype(np.float64)
        return cls(ObliviousTrees.load(arrays, trees_name), weights)

    def together(self, view: SegmentView, layout: Layout | None = None) -> NDArray[np.float64]:
        """Return for every row the share of its pairs of words that belong together."""
        share = np.ones(len(view.page))
        asked = np.flatnonzero(divisible(view))
        known = columns(view, asked) if layout is None else drawn_columns(view, layout, asked)
        logits = self.trees(known).astype(np.float64)
        share[asked] = 1 / (1 + np.exp(-logits))
        return share


def divisible(view: SegmentView) -> NDArray[np.bool_]:
    """Return which rows have several blocks: a block is never divided."""
    several: NDArray[np.bool_] = view.has_text & (view.blocks > 1)
    return several


def drawn_columns(
    view: SegmentView, layout: Layout, rows: NDArray[np.integer[Any]]
) -> NDArray[np.float32]:
    """Return the features of some rows of a page that was drawn: of its tree, then of its boxes."""
    from joeira.segments.learned import layout as drawn

    return np.concatenate((columns(view, rows), drawn.columns(view, layout, rows)))


RENDERED: Final = "rendered"
"""Name of the trees that know how a page is drawn."""


@lru_cache(maxsize=2)
def load(is_rendered: bool = False) -> SegmentModel:
    """Return the shipped model, for pages as they are or as a browser draws them; loaded once."""
    return SegmentModel.of(read_arrays("segments"), RENDERED if is_rendered else "trees")
