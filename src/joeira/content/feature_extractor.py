"""Feature Extractor and K-Feature Extractor: the blocks of one page in which a feature dominates.

Debnath, Mitra, Pal and Giles (2005), as Fernandes (2021) describes them:

1. take the page apart by an ordered list of tags, as Content Extractor does;
2. measure each feature of a block: characters of text, of linked text, images, items, cells,
   fields, embedded things;
3. of the blocks in which the desired feature is more than `min_share` of all features, the winner
   is the one that has most of it;
4. K-Feature Extractor keeps all blocks near the winner: those that share of the feature is alike of
   are clustered, and the cluster with the highest mean is the content.

Departures. The units of features are left open: here each is a share of what the page has of it.
The clusters begin at the quantiles of the values, so that the same page gives the same answer;
empty ones are dropped. Of equal blocks the first wins. Text of the document head belongs to no
block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Case
from joeira.content.result import Content, ReasonTable
from joeira.page import Page, tags
from joeira.page.pieces import Piece, pieces
from joeira.papers import DEBNATH_2005, FERNANDES_2021, Paper
from joeira.params import TAG_NAME, check, param

Feature = Literal["text", "linked_text", "images", "items", "cells", "fields", "embedded"]
FEATURES: Final[tuple[Feature, ...]] = (
    "text", "linked_text", "images", "items", "cells", "fields", "embedded",
)  # fmt: skip
_COUNTED: Final = (
    tags.table("img picture svg"),
    tags.table("li dt dd"),
    tags.table("td th"),
    tags.table("input select textarea button"),
    tags.table("script object embed applet iframe video audio canvas"),
)
"""The elements that are counted as each feature after the first two."""
_TAGS: Final = ("table", "tr", "p", "hr", "ul", "div", "span")
_MAX_ROUNDS: Final = 100


class FeatureCase(Case):
    """What a block has of the desired feature."""

    OUTSIDE_BLOCKS = 0, "outside every block"
    OTHER_FEATURES = (
        1,
        "in a block of which {feature} is {share:.0%}, not more than {min_share:.0%}",
    )
    LESS = 2, "in a block of {feature} that has only {score:.1%} of it"
    MOST = 3, "in a block of {feature} that has {score:.1%} of it"


@dataclass(frozen=True)
class FeatureExtractor:
    """Keep the block with the most text among those that text dominates.

    The score of a text is its block's share of the desired feature among all blocks that the
    feature dominates, and 0 in other blocks.
    """

    tags: tuple[str, ...] = param(
        _TAGS, "Tags that split the page into blocks, in order.", pattern=TAG_NAME, min_items=1
    )
    desired: Feature = param("text", "The desired feature.")
    min_share: float = param(
        0.5,
        "Share of the features of a block above which the desired one dominates.",
        source="paper",
        ge=0,
        le=1,
    )

    papers: ClassVar[tuple[Paper, ...]] = (DEBNATH_2005,)
    origin: ClassVar[Paper | None] = FERNANDES_2021
    _name: ClassVar[str] = "feature_extractor"

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Content:
        """Return the text of the blocks that win."""
        blocks = pieces(page, self.tags, "outermost", wordless=True)
        share, part = self._measure(page, blocks)
        dominated = np.flatnonzero(part >= 0)
        wins = np.zeros(len(blocks), bool)
        wins[dominated[self._winners(part[dominated])]] = True
        cases = np.zeros(len(page.texts), np.int64)
        scores, shares = np.zeros((2, len(page.texts)))
        for number, block in enumerate(blocks):
            case = FeatureCase.MOST if wins[number] else FeatureCase.LESS
            cases[block.texts] = case if part[number] >= 0 else FeatureCase.OTHER_FEATURES
            scores[block.texts] = max(part[number], 0)
            shares[block.texts] = share[number]
        cases[page.in_head[page.text_rows]] = FeatureCase.OUTSIDE_BLOCKS
        scores[cases == FeatureCase.OUTSIDE_BLOCKS] = 0
        feature = self.desired.replace("_", " ")
        values = {"feature": feature, "share": shares, "min_share": self.min_share}
        reasons = ReasonTable(cases, FeatureCase, scores, values)
        note = "" if len(dominated) else f"no block is dominated by {feature}"
        return Content(page, cases == FeatureCase.MOST, scores, reasons, self._name, note=note)

    def _measure(
        self, page: Page, blocks: list[Piece]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return per block how much of it the desired feature is, and how much of that it has.

        The latter is -1 where the feature does not dominate.
        """
        starts = np.array([block.start for block in blocks], np.int64)
        stops = np.array([block.stop for block in blocks], np.int64)
        counted = [table[page.known_tag] for table in _COUNTED]
        columns = [page.chars - page.linked_chars, page.linked_chars, *counted]
        running = np.zeros((len(columns), len(page) + 1))
        np.cumsum(np.where(page.in_head, 0, columns), axis=1, out=running[:, 1:])
        amounts = running[:, stops] - running[:, starts]
        features = amounts / np.maximum(amounts.sum(axis=1, keepdims=True), 1)
        wanted = FEATURES.index(self.desired)
        share = features[wanted] / np.maximum(features.sum(axis=0), np.finfo(float).tiny)
        dominates = share > self.min_share
        whole = max(float(amounts[wanted][dominates].sum()), 1.0)
        return share, np.where(dominates, amounts[wanted] / whole, -1.0)

    def _winners(self, parts: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of some blocks win, by the parts that they have of the feature."""
        wins = np.zeros(len(parts), bool)
        if len(parts):
            wins[parts.argmax()] = True
        return wins


@dataclass(frozen=True)
class KFeatureExtractor(FeatureExtractor):
    """Keep the blocks that have about as much text as the one with the most.

    The score of a text is its block's share of the desired feature among all blocks that the
    feature dominates, and 0 in other blocks.
    """

    clusters: int = param(3, "Initial number of clusters; empty clusters are removed.", ge=1)

    _name: ClassVar[str] = "k_feature_extractor"

    def _winners(self, parts: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return the blocks of the cluster with the highest mean."""
        if not len(parts):
            return np.zeros(0, bool)
        centres = np.unique(np.quantile(parts, (np.arange(self.clusters) + 0.5) / self.clusters))
        for _ in range(_MAX_ROUNDS):
            nearest = self._nearest(parts, centres)
            counts = np.bincount(nearest, minlength=len(centres))
            sums = np.bincount(nearest, parts, len(centres))
            moved = sums[counts > 0] / counts[counts > 0]
            if len(moved) == len(centres) and np.array_equal(moved, centres):
                break
            centres = moved
        nearest = self._nearest(parts, centres)
        wins: NDArray[np.bool_] = nearest == nearest[parts.argmax()]
        return wins

    @staticmethod
    def _nearest(parts: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the nearest centre of each value, the lower of two; centres are in order."""
        return np.searchsorted((centres[:-1] + centres[1:]) / 2, parts, "left")
