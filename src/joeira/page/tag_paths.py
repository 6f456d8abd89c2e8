"""The tag path sequence of a page, and the page without what its main region leaves out.

The sequence has one symbol per visible element and text under ``body``, in document order: the path
of tags from the root, with the style of each tag. Elements that show nothing (scripts, head data
and the like) are no part of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import sequences, trees
from joeira.page import tags
from joeira.page.model import Page

Style = Literal["class_and_style", "class", "none"]
Prefilter = Literal["none", "tps", "tps_scan_on"]
"""What is left of a page before records are looked for: all of it, or its main region."""

_UNSEEN = tags.NOT_TEXT | tags.HEAD
_FILLING = tags.table("img input")


@dataclass(frozen=True, eq=False)
class TagPathSequence:
    """The rows of a page that are in the sequence, and the code of each one's tag path."""

    rows: NDArray[np.integer[Any]]
    codes: NDArray[np.integer[Any]]
    """Equal for equal paths, from 0."""
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
    codes = np.unique(paths[rows], return_inverse=True)[1]
    return TagPathSequence(rows, codes.reshape(-1), text_nodes)


@dataclass(frozen=True, eq=False)
class MainRegion:
    """The largest region of a page, as its tag path sequence tells."""

    kept: NDArray[np.bool_]
    """Per row of the page: in the region, or above a row that is."""
    nodes: int
    """Length of the sequence."""
    nodes_inside: int
    """Length of the region."""
    nodes_left: int
    """Nodes of the pruned tree: those of the region, and all above them."""


def main_region(
    page: Page,
    sequence: TagPathSequence | None = None,
    rule: sequences.SplitRule = sequences.RESOLVED,
    by_code: bool = False,
) -> MainRegion:
    """Return the main region of a page: what the TPS filter leaves of it.

    Args:
        page: The page.
        sequence: Its tag path sequence, where it is not the usual one.
        rule: How the sequence is split.
        by_code: Keep also nodes outside the region whose path occurs inside.
    """
    sequence = sequence or tag_path_sequence(page)
    start, stop = sequences.main_region(sequence.codes, rule)
    rows = sequence.rows[start:stop]
    if by_code:
        rows = sequence.rows[np.isin(sequence.codes, sequence.codes[start:stop])]
    inside = np.zeros(len(page), bool)
    inside[rows] = True
    kept = trees.subtree_sums(inside, page.end) > 0
    if not sequence.text_nodes:
        kept[page.text_rows] = inside[page.parent[page.text_rows]]
    left = np.count_nonzero(kept[sequence.rows])
    return MainRegion(kept, len(sequence.rows), stop - start, int(left))


def unfiltered(page: Page, prefilter: Prefilter) -> NDArray[np.bool_]:
    """Return which rows are nodes that a page shows and a filter leaves."""
    nodes = shown(page)
    if prefilter != "none":
        policy: Literal["first", "scan_on"] = "first" if prefilter == "tps" else "scan_on"
        nodes &= main_region(page, rule=sequences.SplitRule(policy=policy)).kept
    return nodes
