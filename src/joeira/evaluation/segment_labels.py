"""How often the label of a segment is right, and whether its probability can be believed.

Answers have types of their own. A label is right for a word when it is among those that mean the
same as the type of some block around the word (a list of links in the footer is both); it is right
for a segment when it is right for most of the segment's words that are in some block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from joeira.arrays import Floats, trees
from joeira.evaluation.block_roots import block_roots
from joeira.evaluation.datasets import Row
from joeira.segments.learned.labels import LABELS
from joeira.segments.result import Segments

MEANING: Final = {
    "Ad": "advertisement",
    "Article": "main listing",
    "Comments": "comments",
    "Content": "main listing",
    "Footer": "footer",
    "Header": "header",
    "Image": "main listing other",
    "LinkList": "listing navigation related",
    "Logo": "header title",
    "Menu": "navigation",
    "Menu Sidebar": "navigation sidebar",
    "Searchbar": "form",
    "Sidebar": "sidebar",
    "Table": "listing main",
    "Title": "title",
    "Video": "main listing other",
}
"""Labels that mean the same as a type of the pages of Kreuzer et al. (2015)."""

LABEL_COLUMNS: Final = ("words", "probability", "right")


def judged(row: Row, found: Segments) -> Floats:
    """Return `COLUMNS` of each segment that has words in some block of the answer."""
    page = found.page
    bits = np.zeros(len(page), np.uint32)
    for root, types in block_roots(row, page).items():
        for label in (name for type_ in types for name in MEANING.get(type_, "").split()):
            bits[root] |= np.uint32(1 << LABELS.index(label))
    accepted = trees.union_over_ancestors(bits, page.parent, page.ladder)[page.text_rows]
    own = np.array([LABELS.index(part.label or "other") for part in found], np.uint32)
    words = np.where(accepted > 0, page.text_words, 0)
    right = np.where((accepted >> own[found.labels]) & 1, words, 0)
    total = np.bincount(found.labels, words, len(found))
    share = np.bincount(found.labels, right, len(found)) / np.maximum(total, 1)
    probability = np.array([part.score or 0.0 for part in found])
    return np.column_stack((total, probability, share > 0.5))[total > 0]


def label_summary(tables: Sequence[Floats]) -> dict[str, Any]:
    """Return accuracy by segments and by words, and how far probabilities are off."""
    words, probability, right = np.concatenate(tables).T
    bins = np.minimum((probability * 5).astype(np.intp), 4)
    reliability = [
        {
            "segments": int((bins == number).sum()),
            "said": round(float(probability[bins == number].mean()), 3),
            "right": round(float(right[bins == number].mean()), 3),
        }
        for number in np.unique(bins).tolist()
    ]
    error = sum(one["segments"] * abs(one["said"] - one["right"]) for one in reliability)
    return {
        "segments": len(right),
        "accuracy": round(float(right.mean()), 4),
        "accuracy_by_words": round(float((right * words).sum() / words.sum()), 4),
        "mean_probability": round(float(probability.mean()), 4),
        "calibration_error": round(error / len(right), 4),
        "reliability": reliability,
    }
