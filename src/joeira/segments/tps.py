"""TPS, tag path sequences: regions of a page whose tag paths occur nowhere else.

1. The page is the sequence of the tag paths of its nodes, each tag with its style.
2. It is split where no frequent path goes on (`joeira.arrays.sequences`); both parts are split on
   the same way, until a part has no border or fewer than `min_share` of the nodes.

Departures: the published filter goes on with the larger part only; here both are kept, which makes
it a segmentation. `min_share` keeps single wrappers and short lists whole. Texts before the body's
first node, such as the title, belong to the first segment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from joeira.arrays import sequences
from joeira.page import Page
from joeira.page.tag_paths import tag_path_sequence
from joeira.papers import VELLOSO_2013, VELLOSO_2014, Paper
from joeira.params import check, param
from joeira.segments.result import Segments


@dataclass(frozen=True)
class TPS:
    """Split a page wherever no frequent tag path continues."""

    min_imbalance: float = param(
        0.2,
        "Share of the nodes by which two parts must differ to be split.",
        source="thesis",
        ge=0,
        lt=1,
    )
    min_share: float = param(
        0.05, "Share of the page's nodes below which a part is not split further.", ge=0, lt=1
    )

    papers: ClassVar[tuple[Paper, ...]] = (VELLOSO_2013, VELLOSO_2014)
    origin: ClassVar[Paper | None] = VELLOSO_2014

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Segments:
        """Return the parts that have text."""
        sequence = tag_path_sequence(page)
        shortest = int(np.ceil(self.min_share * len(sequence.rows)))
        rule = sequences.SplitRule(self.min_imbalance)
        starts = sequences.parts(sequence.codes, shortest, rule)
        borders = sequence.rows[starts[1:]] if len(sequence.rows) else starts[1:]
        part = np.searchsorted(borders, page.text_rows, side="right")
        return Segments.of_runs(page, part, "tps")
