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
from typing import ClassVar, Literal, get_args

import numpy as np

from joeira.arrays import Case
from joeira.arrays.sequences import SplitRule
from joeira.content.result import Content, ReasonTable
from joeira.contracts import Paper
from joeira.errors import require
from joeira.page import Page
from joeira.page.tag_paths import Style, main_region, tag_path_sequence

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

    min_imbalance: float = 0.2
    """Share of the nodes by which two parts must differ to be split (20 %: from the thesis)."""
    size_test: Literal["absolute", "printed"] = "absolute"
    """Whether either part may be the larger one, or only the right one."""
    split_policy: Policy = "first"
    """Which border of a threshold is tried: its first, the first that passes, the most uneven."""
    frequent: Literal["at_least", "above"] = "at_least"
    """How frequent a path must be to stop a split, compared with the threshold."""
    membership: Literal["position", "code"] = "position"
    """Whether a node stays by its place in the region, or by having a path of the region."""
    style: Style = "class_and_style"
    """Attributes that tell tags of one name apart."""
    text_nodes: bool = True
    """Whether texts are nodes."""

    paper: ClassVar[Paper] = Paper(
        "R. P. Velloso and C. F. Dorneles",
        2013,
        "Automatic web page segmentation and noise removal for structured extraction using tag "
        "path sequences",
        "Journal of Information and Data Management",
    )

    def __post_init__(self) -> None:
        """Check the parameters."""
        require(
            0 <= self.min_imbalance < 1,
            f"min_imbalance must be from 0 to below 1, not {self.min_imbalance}",
        )
        options = {
            "size_test": ("absolute", "printed"),
            "split_policy": get_args(Policy),
            "frequent": ("at_least", "above"),
            "membership": ("position", "code"),
            "style": get_args(Style),
        }
        for name, known in options.items():
            value = getattr(self, name)
            require(value in known, f"{name} must be one of {', '.join(known)}, not {value!r}")

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
