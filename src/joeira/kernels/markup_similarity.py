"""How alike two pieces of markup are, apart from their words."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Tags = tuple[str, ...]

_DOCUMENT: Tags = ("html", "body")
"""html-similarity parses each piece as a document of its own, which begins with these."""


@lru_cache(1 << 16)
def tag_sequence_ratio(first: Tags, second: Tags) -> float:
    """Return difflib's ratio of two tag sequences, each as a document; not symmetric."""
    if first == second:
        return 1.0
    return SequenceMatcher(None, _DOCUMENT + first, _DOCUMENT + second).ratio()


def tag_sequence_bound(length: int, lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what `tag_sequence_ratio` cannot exceed, from the lengths alone."""
    outer = len(_DOCUMENT)
    bound: NDArray[np.float64] = (
        2.0 * (np.minimum(length, lengths) + outer) / (length + lengths + 2 * outer)
    )
    return bound


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of members that two sets have in common; 1 for two empty sets."""
    either = len(first | second)
    return len(first & second) / either if either else 1.0


def html_similarity(
    first: tuple[Tags, frozenset[str]], second: tuple[Tags, frozenset[str]]
) -> float:
    """Return the mean of tag sequence ratio and class set overlap, as html-similarity has it."""
    return 0.5 * tag_sequence_ratio(first[0], second[0]) + 0.5 * jaccard(first[1], second[1])


def griazev_similarity(first: Sequence[str], second: Sequence[str], different: float) -> float:
    """Return the mean score of positions: 1 for equal tags, `different` for others, 0 if missing.

    Griazev and Ramanauskaitė's comparison without the levels of the tree.
    """
    longer = max(len(first), len(second))
    if not longer:
        return 1.0
    equal = sum(map(str.__eq__, first, second))
    both = min(len(first), len(second))
    return (equal + (both - equal) * different) / longer
