"""The tag path sequence of a page, and the page without what its main region leaves out.

The sequence has one symbol per visible element and text under ``body``, in document order: the path
of tags from the root, with the style of each tag. Elements that show nothing (scripts, head data
and the like) are no part of it. `TagPathFilter` finds the main region of the sequence and says
which rows of the page it leaves; `joeira.content.tps` is the method, and tells how the thesis that
introduced it is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import sequences, trees
from joeira.page import tags
from joeira.page.model import Page
from joeira.params import check, param

Style = Literal["class_and_style", "class", "none"]

_UNSEEN = tags.NOT_TEXT | tags.HEAD
_FILLING = tags.table("img input")


@dataclass(frozen=True, eq=False)
class TagPathSequence:
    """The rows of a page that are in the sequence, and the code of each one's tag path."""

    rows: NDArray[np.integer[Any]]
    codes: NDArray[np.integer[Any]]
    """Equal for equal paths, numbered from 1 in order of first appearance."""
    text_nodes: bool
    """Whether texts are in it, or elements only."""


def shown(page: Page) -> NDArray[np.bool_]:
    """Return which rows are nodes that a page shows: not scripts, head data or what is in them."""
    return ~trees.inside(_UNSEEN[page.known_tag], page.end)


def filled(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows have a text or an image in them, among those kept."""
    filling = kept & (page.is_text | _FILLING[page.known_tag])
    return trees.subtree_sums(filling, page.end) > 0


def tag_path_sequence(
    page: Page, style: Style = "class_and_style", text_nodes: bool = True
) -> TagPathSequence:
    """Return the tag path sequence of a page.

    Args:
        page: The page.
        style: Which attributes tell tags of one name apart.
        text_nodes: Whether texts are part of the sequence.
    """
    seen = shown(page)
    if not text_nodes:
        seen &= ~page.is_text
    rows = page.body + np.flatnonzero(seen[page.body :])
    paths = {
        "class_and_style": lambda: page.styled_path,
        "class": lambda: page.class_path,
        "none": lambda: page.path,
    }[style]()
    _, first, number = np.unique(paths[rows], return_index=True, return_inverse=True)
    code = np.empty(len(first), np.int64)
    code[np.argsort(first)] = np.arange(1, len(first) + 1)
    return TagPathSequence(rows, code[number.reshape(-1)], text_nodes)


@dataclass(frozen=True, eq=False)
class MainRegion:
    """The largest region of a page, as its tag path sequence tells, or what is outside it."""

    kept: NDArray[np.bool_]
    """Per row of the page: in the region, or above a row that is."""
    nodes: int
    """Length of the sequence."""
    nodes_inside: int
    """Length of the region."""
    nodes_left: int
    """Nodes of the pruned tree: those of the region, and all above them."""
    start: int
    stop: int
    """Where the largest region lies in the sequence."""


@dataclass(frozen=True)
class TagPathFilter:
    """Leaves the largest region of a page that has tag paths of its own."""

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
    split_policy: Literal["first", "scan_on", "best"] = param(
        "first",
        "Which border of a threshold to try: its first, the first that passes, the most uneven.",
    )
    frequent: Literal["at_least", "above"] = param(
        "at_least", "How frequent a path must be to stop a split, compared with the threshold."
    )
    membership: Literal["position", "code"] = param(
        "position",
        "Whether a node stays by its position in the region, or by having a path of the region.",
    )
    style: Style = param("class_and_style", "Attributes that distinguish tags of the same name.")
    text_nodes: bool = param(True, "Whether texts are nodes.")
    region: Literal["main", "complement"] = param(
        "main", "Whether to keep the main region, or everything except it."
    )

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def apply(self, page: Page) -> MainRegion:
        """Return what the filter leaves of a page."""
        rule = sequences.SplitRule(
            self.min_imbalance, self.size_test, self.frequent, self.split_policy
        )
        sequence = tag_path_sequence(page, self.style, self.text_nodes)
        start, stop = sequences.main_region(sequence.codes, rule)
        stays = np.zeros(len(sequence.rows), bool)
        stays[start:stop] = True
        if self.membership == "code":
            stays = np.isin(sequence.codes, sequence.codes[start:stop])
        if self.region == "complement":
            stays = ~stays
        inside = np.zeros(len(page), bool)
        inside[sequence.rows[stays]] = True
        kept = trees.subtree_sums(inside, page.end) > 0
        if not self.text_nodes:
            kept[page.text_rows] = inside[page.parent[page.text_rows]]
        left = int(np.count_nonzero(kept[sequence.rows]))
        length = stop - start if self.region == "main" else len(stays) - (stop - start)
        return MainRegion(kept, len(stays), length, left, start, stop)


Prefilter = Literal["none", "tps", "tps_scan_on"] | TagPathFilter
"""What is left of a page before records are looked for: all of it, its main region as the listing
of the thesis finds it or as the reading that goes on past borders does, or as a filter says."""

_NAMED = {"tps": TagPathFilter(), "tps_scan_on": TagPathFilter(split_policy="scan_on")}


def named_filter(prefilter: Prefilter) -> TagPathFilter | None:
    """Return the filter of a name, or the filter itself; None where nothing is filtered."""
    return prefilter if isinstance(prefilter, TagPathFilter) else _NAMED.get(prefilter)


def unfiltered(page: Page, prefilter: Prefilter) -> NDArray[np.bool_]:
    """Return which rows are nodes that a page shows and a filter leaves."""
    nodes = shown(page)
    chosen = named_filter(prefilter)
    if chosen:
        nodes &= chosen.apply(page).kept
    return nodes
