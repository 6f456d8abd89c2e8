"""TPS, tag path sequences: the region of a page whose tag paths occur nowhere else.

1. The page is the sequence of the tag paths of its nodes, each tag with its style, in document
   order.
2. A border is a place with no frequent path on both sides. For growing thresholds of frequency the
   first border is looked at; if the two parts differ by more than `min_imbalance` of the sequence,
   only the larger one goes on to be split. No such border: the main region is found.
3. Everything outside it is pruned.

Made to clean pages of records, such as search results, before records are looked for; a long
article needs few nodes and is lost. `joeira.page.tag_paths` holds the steps, which the record
methods use as a filter.

Readings of the thesis, each a parameter:

- `size_test`: the listing lets only a larger right part pass, the text speaks of both sides.
- `split_policy`: the listing leaves the scan of a threshold at its first border whether or not
  that passes (``first``); ``scan_on`` goes on; ``best`` takes the most uneven border. The listing's
  loses fewer main regions; the sizes and the noise that the thesis reports are those of
  ``scan_on`` (`benchmarks/tps_table.py` prints both).
- `frequent`: the algorithm counts a path as frequent as the threshold, an example does not.
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
from typing import ClassVar, Literal

import numpy as np

from joeira.arrays import Case
from joeira.arrays.sequences import SplitRule
from joeira.content.result import Content, ReasonTable
from joeira.page import Page
from joeira.page.tag_paths import Style, main_region, tag_path_sequence
from joeira.papers import VELLOSO_2013, VELLOSO_2014, Paper
from joeira.params import check, param

Policy = Literal["first", "scan_on", "best"]


class RegionCase(Case):
    """Where a text is, seen from the main region."""

    OUTSIDE_REGION = 0, "outside the main region: its tag paths end before or begin after"
    IN_REGION = 1, "in the main region, the largest with tag paths of its own"


@dataclass(frozen=True)
class TPS:
    """Keep the largest region with tag paths of its own: lists of records, not articles.

    A text's score is 1 in the main region, 0 elsewhere.
    """

    min_imbalance: float = param(
        0.2,
        "Share of the nodes by which two parts must differ to be split.",
        source="thesis",
        ge=0,
        lt=1,
    )
    size_test: Literal["absolute", "printed"] = param(
        "absolute", "Whether either part may be the larger one, or only the right one."
    )
    split_policy: Policy = param(
        "first",
        "Which border of a threshold is tried: its first, the first that passes, the most uneven.",
    )
    frequent: Literal["at_least", "above"] = param(
        "at_least", "How frequent a path must be to stop a split, compared with the threshold."
    )
    membership: Literal["position", "code"] = param(
        "position",
        "Whether a node stays by its place in the region, or by having a path of the region.",
    )
    style: Style = param("class_and_style", "Attributes that tell tags of one name apart.")
    text_nodes: bool = param(True, "Whether texts are nodes.")

    papers: ClassVar[tuple[Paper, ...]] = (VELLOSO_2013, VELLOSO_2014)
    origin: ClassVar[Paper | None] = VELLOSO_2014

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Content:
        """Return the texts of the main region."""
        rule = SplitRule(self.min_imbalance, self.size_test, self.frequent, self.split_policy)
        sequence = tag_path_sequence(page, self.style, self.text_nodes)
        found = main_region(page, sequence, rule, self.membership == "code")
        keep = found.kept[page.text_rows]
        scores = keep.astype(np.float64)
        reasons = ReasonTable(keep.astype(np.int8), RegionCase, scores)
        note = f"main region: {found.nodes_inside} of {found.nodes} nodes" if keep.any() else ""
        return Content(page, keep, scores, reasons, "tps", note=note)
