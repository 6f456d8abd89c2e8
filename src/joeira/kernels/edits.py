"""Similarities of one text with many by editing: Levenshtein, Damerau, Hamming, Jaro-Winkler.

Hamming is counted here with numpy. The others are computed by rapidfuzz, which is installed by the
``sites`` extra; its Damerau-Levenshtein is the unrestricted one, and its Jaro-Winkler raises only
similarities above 0.7 for a common beginning, as the libraries in use do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NEEDS_RAPIDFUZZ = ("levenshtein", "damerau_levenshtein", "jaro_winkler")


def can(kind: str) -> bool:
    """Return whether a similarity can be computed with what is installed."""
    return kind not in NEEDS_RAPIDFUZZ or find_spec("rapidfuzz") is not None


def similarities(kind: str, text: str, others: Sequence[str], least: Floats) -> Floats:
    """Return the similarity of a text with each other one.

    Where it would not be above `least`, any number not above `least` may be returned.
    """
    if kind == "jaro_winkler":
        return _jaro_winkler(text, others)
    longest = np.fromiter((max(len(text), len(other)) for other in others), np.int64, len(others))
    # The most edits that still leave more than the least similarity, one more for rounding.
    most = np.clip((1 - least) * longest, 0, longest).astype(np.int64) + 1
    count: Callable[..., Floats] = _hamming if kind == "hamming" else _distances(kind)
    return as_similarity(count(text, others, most), longest)


def as_similarity(distance: Floats, longest: NDArray[np.int64]) -> Floats:
    """Return one less the share of characters that differ; 1 for two empty texts."""
    similarity: Floats = 1 - distance / np.maximum(longest, 1)
    return similarity


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _hamming(text: str, others: Sequence[str], most: NDArray[np.int64]) -> Floats:
    """Count positions that differ, those that only one text has included."""
    own = code_points(text)
    found = np.empty(len(others))
    for number, other in enumerate(others):
        apart = abs(len(text) - len(other))
        if apart >= most[number]:
            found[number] = max(len(text), len(other))
            continue
        codes = code_points(other)
        both = min(len(own), len(codes))
        found[number] = int(np.count_nonzero(own[:both] != codes[:both])) + apart
    return found


def _distances(kind: str) -> Callable[..., Floats]:
    from rapidfuzz import distance

    module = {
        "levenshtein": distance.Levenshtein, "damerau_levenshtein": distance.DamerauLevenshtein,
    }[kind]  # fmt: skip
    measure: Callable[..., Any] = module.distance

    def count(text: str, others: Sequence[str], most: NDArray[np.int64]) -> Floats:
        limits = most.tolist()
        pairs = zip(others, limits, strict=True)
        found = [measure(text, other, score_cutoff=limit) for other, limit in pairs]
        return np.array(found, np.float64)

    return count


def _jaro_winkler(text: str, others: Sequence[str]) -> Floats:
    from rapidfuzz.distance import JaroWinkler

    return np.array([JaroWinkler.similarity(text, other) for other in others], np.float64)
