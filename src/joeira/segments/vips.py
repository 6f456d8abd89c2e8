"""VIPS: segments of a rendered page, by boxes, colours and fonts.

1. Visual blocks: an element is divided into its children unless it is a line of text, or small; a
   child on a background of its own is a block. Every block has a degree of coherence from 1 to 10:
   text alone has 9 or 10, anything else less the more of the page it takes up.
2. Separators are where a horizontal or vertical line crosses no block. They weigh more the thicker
   they are, with a rule inside, between different backgrounds, and between different fonts.
3. Blocks between which only light separators are belong together: a degree of coherence of 10 less
   the weight of the heaviest separator inside.
4. What is less coherent than `permitted_coherence` is divided again, block by block.

The paper gives rules and no numbers: weights, sizes and degrees are ours. Blocks that touch have a
separator without thickness, because pages leave their margins inside blocks nowadays. All elements
follow one list of rules, and a child on another background is a block below any element, not in
tables alone. Texts that are not drawn belong to the segment before them. The page is drawn without
scripts, images, and linked style sheets. Needs a browser: ``pip install 'joeira[browser]'``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.page import Page, tags
from joeira.papers import CAI_2003, Paper
from joeira.params import check, param
from joeira.render.browser import Layout, layout_of
from joeira.segments.result import Segments

MOST_COHERENT: Final = 10
_PLAIN_TEXT: Final = 10
_MIXED_TEXT: Final = 9
_SMALL_SHARE: Final = 0.02
"""Share of the page's area below which an element with text is not divided."""
_COHERENCE_OF_SHARE: Final = ((0.02, 8), (0.05, 7), (0.1, 6), (0.25, 5), (0.5, 4))
"""Degree of coherence of what takes up less than a share of the page; 3 for the rest."""
_PIXELS_PER_WEIGHT: Final = 8.0
_MAX_THICKNESS_WEIGHT: Final = 5.0
_RULE_WEIGHT: Final = 3.0
_BACKGROUND_WEIGHT: Final = 3.0
_LARGER_FONT_WEIGHT: Final = 2.0
_OTHER_FONT_WEIGHT: Final = 1.0
_TOUCHING_PIXELS: Final = 1.0
"""Blocks that overlap by less do not overlap: browsers place things between pixels."""

_HORIZONTAL: Final = (1, 3)
_VERTICAL: Final = (0, 2)


@dataclass(frozen=True)
class Block:
    """A visual block: a subtree, and how coherent it is."""

    row: int
    coherence: int


@dataclass(frozen=True)
class VIPS:
    """Divide a page where readers see visual boundaries."""

    permitted_coherence: int = param(
        6,
        "Degree of coherence at which division stops: 10 divides most.",
        ge=1,
        le=MOST_COHERENT,
    )
    width: int = param(1280, "Width of the browser window in pixels.", ge=1)

    papers: ClassVar[tuple[Paper, ...]] = (CAI_2003,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Segments:
        """Render the page in a browser and divide it; raise `UsageError` without a browser."""
        if not page.texts:
            return Segments(page, (), np.zeros(0, np.intp), "vips")
        layout = layout_of(page, self.width)
        if layout is None:
            whole = Segments.of_runs(page, page.in_head[page.text_rows], "vips")
            return replace(whole, note="the browser could not draw the page")
        return self.divide(page, layout)

    def divide(self, page: Page, layout: Layout) -> Segments:
        """Return the segments of a page that was drawn."""
        drawn = _Drawn(page, layout)
        waiting: list[list[Block]] = [[Block(page.body, 0)]]
        part = np.full(len(page.texts), -1, np.intp)
        count = 0
        while waiting:
            blocks = waiting.pop()
            if len(blocks) == 1 and blocks[0].coherence < self.permitted_coherence:
                blocks = drawn.blocks(blocks[0].row)
            groups = drawn.separated(blocks, MOST_COHERENT - self.permitted_coherence)
            if len(groups) > 1:
                waiting += groups
                continue
            for block in blocks:
                if block.coherence < self.permitted_coherence and drawn.children[block.row]:
                    waiting.append([block])
                else:
                    part[page.text_index[block.row] : page.text_index[page.end[block.row]]] = count
            count += 1
        return Segments.of_runs(page, _filled(page, part), "vips")


class _Drawn:
    """A page with its layout."""

    def __init__(self, page: Page, layout: Layout) -> None:
        self.page = page
        self.layout = layout
        text = np.append(0, np.cumsum(layout.shown & page.is_text))
        has_text = text[page.end] > text[:-1]
        inline = tags.INLINE[page.known_tag]
        block_below = trees.subtree_sums((has_text & ~inline).astype(np.intp), page.end)
        self.is_text_like = inline & (block_below == 0)
        self.share = layout.area / max(float(layout.area[page.body]), 1.0)
        self.rules = layout.box[page.rows_of("hr")]
        self.children: list[list[int]] = [[] for _ in range(len(page))]
        for row in np.flatnonzero(has_text[1:]).tolist():
            self.children[page.parent[row + 1]].append(row + 1)

    def blocks(self, root: int) -> list[Block]:
        """Return the visual blocks below an element, which is itself divided."""
        blocks: list[Block] = []
        waiting = self.children[root][::-1]
        while waiting:
            row = waiting.pop()
            coherence = self._coherence(row)
            if coherence:
                blocks.append(Block(row, coherence))
            else:
                waiting += self.children[row][::-1]
        return blocks or [Block(root, MOST_COHERENT)]

    def _coherence(self, row: int) -> int:
        """Return the degree of coherence of a row; 0 for one that is to be divided."""
        children = self.children[row]
        if not children:
            return _PLAIN_TEXT
        layout = self.layout
        if all(self.is_text_like[child] for child in children):
            fonts = {(layout.font_size[child], layout.font_weight[child]) for child in children}
            return _PLAIN_TEXT if len(fonts) == 1 else _MIXED_TEXT
        if len(children) == 1:
            return 0
        by_size = next((c for share, c in _COHERENCE_OF_SHARE if self.share[row] < share), 3)
        if layout.background[row] != layout.background[self.page.parent[row]]:
            return by_size
        has_text = any(self.is_text_like[child] for child in children)
        if has_text and self.share[row] < _SMALL_SHARE:
            return by_size
        if max(self.share[child] for child in children) < _SMALL_SHARE:
            return by_size
        return 0

    def separated(self, blocks: list[Block], light: float) -> list[list[Block]]:
        """Return the blocks apart where a separator is heavier than `light`, across or down."""
        best: tuple[float, list[list[Block]]] = (0.0, [blocks])
        for axis in (_HORIZONTAL, _VERTICAL):
            box = self.layout.box[[block.row for block in blocks]]
            order = np.argsort(box[:, axis[0]], kind="stable")
            start, stop = box[order][:, axis].T
            reach = np.maximum.accumulate(stop)
            gaps = np.flatnonzero(start[1:] >= reach[:-1] - _TOUCHING_PIXELS) + 1
            weights = [
                self._weight(
                    blocks[order[gap - 1]], blocks[order[gap]], axis, start[gap] - reach[gap - 1]
                )
                for gap in gaps.tolist()
            ]
            cuts = [
                gap for gap, weight in zip(gaps.tolist(), weights, strict=True) if weight > light
            ]
            if cuts and max(weights) > best[0]:
                # In page order, so that what is read together stays together.
                pieces = np.split(order, cuts)
                best = (max(weights), [[blocks[n] for n in sorted(piece)] for piece in pieces])
        return best[1]

    def _weight(
        self, before: Block, after: Block, axis: tuple[int, int], thickness: float
    ) -> float:
        layout = self.layout
        weight = 1 + min(_MAX_THICKNESS_WEIGHT, max(0.0, thickness) / _PIXELS_PER_WEIGHT)
        if layout.background[before.row] != layout.background[after.row]:
            weight += _BACKGROUND_WEIGHT
        if axis == _HORIZONTAL and len(self.rules):
            low, high = layout.box[before.row, 3], layout.box[after.row, 1]
            middle = (self.rules[:, 1] + self.rules[:, 3]) / 2
            if ((middle >= low - 1) & (middle <= high + 1)).any():
                weight += _RULE_WEIGHT
        above, below = self._font(before.row), self._font(after.row)
        if axis == _HORIZONTAL and below > above:
            weight += _LARGER_FONT_WEIGHT
        elif above != below:
            weight += _OTHER_FONT_WEIGHT
        return weight

    def _font(self, row: int) -> tuple[float, float]:
        """Return size and weight of the font of a block's first text."""
        page, layout = self.page, self.layout
        text = page.text_rows[min(int(page.text_index[row]), len(page.texts) - 1)]
        return float(layout.font_size[text]), float(layout.font_weight[text])


def _filled(page: Page, part: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return parts in which texts that are not drawn belong to what is before them."""
    known = np.where(part >= 0, np.arange(len(part)), -1)
    before = np.maximum.accumulate(known)
    first = int(np.argmax(known >= 0)) if (known >= 0).any() else 0
    filled = part[np.where(before >= 0, before, first)]
    in_head = page.in_head[page.text_rows]
    return np.where(in_head, -2, filled)
