"""TPS, tag path sequences: the region of a page whose tag paths occur nowhere else.

1. The page is the sequence of the tag paths of its nodes, each tag with its style, in document
   order.
2. A border is a place with no frequent path on both sides. For growing thresholds of frequency the
   first border is looked at; if the two parts differ by more than `min_imbalance` of the sequence,
   only the larger one goes on to be split. No such border: the main region is found.
3. Everything outside it is pruned (`TPS.prune` writes the document that is left), or everything
   inside it (`region` ``complement``), for pages whose list is smaller than the rest.

Made to clean pages of records, such as search results, before records are looked for; a long
article needs few nodes and is lost. `joeira.page.tag_paths` holds the steps, which the record
methods use as a filter.

Readings of the thesis, each a parameter:

- `size_test`: the listing lets only a larger right part pass, the text speaks of both sides.
- `split_policy`: the listing leaves the scan of a threshold at its first border whether or not
  that passes (``first``); ``scan_on`` goes on; ``best`` takes the most uneven border. The listing's
  loses fewer main regions; the noise that the thesis reports is that of ``scan_on``.
- `frequent`: the algorithm counts a path as frequent as the threshold, an example does not. The
  sizes that the thesis prints are those of ``scan_on`` with ``above``: within one point on 44 of 51
  pages, read with the tree of its program, on 34 with that of HTML5 (`benchmarks/tps_table.py`).
- `membership`: a pruned node is outside the region by its place, or by its path too (``code``).
- `style`: "style definitions" are the attributes ``class`` and ``style``.
- `text_nodes`: the definition speaks of nodes, a figure shows elements only; the numbers of nodes
  that the thesis reports include texts.

Departures: thresholds that run out end the search (the listing reads past them); elements that show
nothing, such as scripts, are no nodes; the search is given up, with what it has, on sequences made
to take quadratic time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Case
from joeira.content.result import Content, ReasonTable
from joeira.page import Page, parse
from joeira.page.tag_paths import Prefilter, TagPathFilter, named_filter, tag_path_sequence
from joeira.papers import VELLOSO_2013, VELLOSO_2014, Paper
from joeira.params import check, param


class RegionCase(Case):
    """Where a text is, seen from the main region."""

    OUTSIDE_REGION = 0, "outside the main region: its tag paths end before or start after it"
    IN_REGION = 1, "in the main region, the largest with tag paths of its own"


@dataclass(frozen=True)
class TPS(TagPathFilter):
    """Keep the largest region whose tag paths occur nowhere else: lists, not articles.

    The score of a text is 1 if it is kept, otherwise 0.
    """

    papers: ClassVar[tuple[Paper, ...]] = (VELLOSO_2013, VELLOSO_2014)
    origin: ClassVar[Paper | None] = VELLOSO_2014

    def extract(self, page: Page, /) -> Content:
        """Return the texts of the main region, or of all but it."""
        left = self.apply(page)
        keep = left.kept[page.text_rows]
        scores = keep.astype(np.float64)
        in_region = keep if self.region == "main" else ~keep
        reasons = ReasonTable(in_region.astype(np.int8), RegionCase, scores)
        name = "main region" if self.region == "main" else "everything except the main region"
        note = f"{name}: {left.nodes_inside} of {left.nodes} nodes" if keep.any() else ""
        return Content(page, keep, scores, reasons, "tps", note=note)

    def prune(self, page: Page, /) -> str:
        """Return the page as HTML without what is outside the main region.

        The document keeps its structure: head, what is in the region, and every element above that,
        with their attributes. That is the filter as published, which other extractors then read.
        """
        from joeira.render import html

        return html.pruned(page, self.apply(page).kept)


@dataclass(frozen=True)
class Prefiltered:
    """Another method, of whatever task, that reads what the filter leaves of a page.

    The published record methods filter rows and have a parameter for it. Other methods read whole
    pages, so the page is pruned and read again: what they find are rows of that smaller page.
    """

    method: Any
    """A configured method."""
    prefilter: Prefilter = param(
        "tps", "Prefilter of the page: none, or its main region by tag paths."
    )

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Any:
        """Return what the method finds on the page that is left."""
        chosen = named_filter(self.prefilter)
        if chosen:
            from joeira.render import html

            page = parse(html.pruned(page, chosen.apply(page).kept), page.url)
        return self.method.extract(page)


_WIDTH, _HEIGHT, _MARGIN = 900, 400, 45
_MAX_POINTS = 20_000
"""Points of a plot; of longer sequences every second is left out, or more."""


def plot(page: Page, keep: NDArray[np.bool_]) -> str:
    """Return the tag path sequence of a page as a drawing in SVG: code of the path by position.

    Lists come back to the same codes. What lies between the first and the last kept text is
    shaded, kept texts are dark.
    """
    sequence = tag_path_sequence(page)
    nodes, paths = len(sequence.rows), int(sequence.codes.max(initial=0))
    kept = np.zeros(len(page), bool)
    kept[page.text_rows[keep]] = True
    is_kept = kept[sequence.rows]
    across = _MARGIN + np.arange(nodes) * (_WIDTH - 2 * _MARGIN) / max(1, nodes - 1)
    up = _HEIGHT - _MARGIN - (sequence.codes - 1) * (_HEIGHT - 2 * _MARGIN) / max(1, paths - 1)
    places = np.flatnonzero(is_kept)
    shade = ""
    if len(places):
        left, right = across[places[0]], across[places[-1]]
        shade = (
            f'<rect x="{left:.1f}" y="{_MARGIN}" width="{max(1, right - left):.1f}" '
            f'height="{_HEIGHT - 2 * _MARGIN}" fill="#fde9c9"/>\n'
        )
    step = slice(None, None, 1 + nodes // _MAX_POINTS)
    dots = [
        _dots(across[step][chosen], up[step][chosen], colour)
        for chosen, colour in ((~is_kept[step], "#8aa"), (is_kept[step], "#a33"))
    ]
    words = f"{nodes} nodes, {paths} tag paths, {len(places)} of {len(page.texts)} texts kept"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="13">\n<title>Tag path sequence: {words}</title>\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>\n{shade}'
        f'<path d="M{_MARGIN} {_MARGIN}V{_HEIGHT - _MARGIN}H{_WIDTH - _MARGIN}" '
        f'fill="none" stroke="#444"/>\n{"".join(dots)}'
        f'<text x="{_MARGIN}" y="{_MARGIN - 12}">tag path, 1 to {paths}</text>\n'
        f'<text x="{_WIDTH - _MARGIN}" y="{_HEIGHT - _MARGIN + 24}" text-anchor="end">'
        f"position, 1 to {nodes}; {words.partition(', ')[2].partition(', ')[2]}</text>\n</svg>\n"
    )


def _dots(across: NDArray[np.float64], up: NDArray[np.float64], colour: str) -> str:
    """Return points as one path; those that would lie on each other are drawn once."""
    if not len(across):
        return ""
    places = np.unique(np.column_stack((across, up)).round(1), axis=0)
    drawn = "".join(f"M{x:g} {y:g}h0" for x, y in places.tolist())
    return f'<path d="{drawn}" stroke="{colour}" stroke-width="2.5" stroke-linecap="round"/>\n'
