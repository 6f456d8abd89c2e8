"""Fit what tells the labels of segments, and their probabilities, and measure both.

::

    python -m training.segment_labels --data kreuzer-popular.jsonl.gz

The weights of the signs are those under which the right labels are likeliest, with a price on
leaving the weights set by hand. Then Platt's method: the logit of a probability is stretched and
moved, so that the likelihood of what is right and wrong is greatest. Two numbers, which go into
`joeira.segments.learned`. Both are measured on pages that they were not fitted on. Needs no
learning library.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.evaluation.datasets import Example, find
from joeira.evaluation.segment_scores import judged, label_summary, right_labels
from joeira.page import parse
from joeira.segments.learned import SegmentModel, TreeCut, calibrated, load
from joeira.segments.learned.features import SegmentView
from joeira.segments.learned.labels import BY_HAND, LABELS, labels, signs
from joeira.segments.result import Segments

FOLDS = 10
_STEPS = 50
_ADAM_STEPS = 400
_PRICE = 30.0
"""Of leaving a weight set by hand by one point, in nats squared; by trial on other pages."""
_PROBABILITY, _RIGHT = 1, 2
_EDGES = [LABELS.index("header"), LABELS.index("footer")]


def main() -> None:
    """Print slope and offset, and the scores of pages that they were not fitted on."""
    parser = argparse.ArgumentParser(prog="python -m training.segment_labels", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="pages with blocks")
    options = parser.parse_args()
    pages = [labelled(row, load()) for row in find(options.data).rows() if row.blocks]
    sys.stdout.write(json.dumps(of_pages(pages), indent=1) + "\n")


@dataclass(frozen=True, eq=False)
class LabelledSegments:
    """The segments of a page, with what is known of their labels."""

    row: Example
    segments: Segments
    signs: Floats
    accepted: Floats
    """One line per segment: 1 for each label that is to be learned.

    That is the label which is strictly right, where there is one and no header or footer is around:
    of a list of links in the footer either may be learned.
    """


def of_pages(pages: Sequence[LabelledSegments]) -> dict[str, Any]:
    """Return what `measured` does for labels by weights that were fitted on other pages."""
    weights = [
        fit_weights([page for place, page in enumerate(pages) if place % FOLDS != fold])
        for fold in range(min(FOLDS, len(pages)))
    ]
    by_hand = label_summary([_judged(page, BY_HAND) for page in pages])
    tables = [_judged(page, weights[place % FOLDS]) for place, page in enumerate(pages)]
    strict = label_summary(
        [_judged(page, weights[place % FOLDS], is_strict=True) for place, page in enumerate(pages)]
    )
    return {
        "by_hand": by_hand["accuracy"],
        "strict": {name: strict[name] for name in ("accuracy", "accuracy_by_words")},
        "strict_if_all_are_one": _one_for_all(pages),
        **measured(tables),
    }


def _one_for_all(pages: Sequence[LabelledSegments]) -> dict[str, float]:
    """Return how often one label for all segments would be strictly right, by the best label."""
    tables = [right_labels(page.row, page.segments, is_strict=True) for page in pages]
    shares = np.concatenate([right[words > 0] for words, right in tables]).mean(axis=0)
    return {LABELS[int(shares.argmax())]: round(float(shares.max()), 4)}


def labelled(row: Example, model: SegmentModel) -> LabelledSegments:
    """Return the segments of a page, with their signs and the labels that are right."""
    found = TreeCut().divide(parse(row.html, row.url), model)
    start, stop = _bounds(found)
    view = SegmentView(found.page)
    kind, strict = (right_labels(row, found, is_strict)[1] for is_strict in (False, True))
    is_learned = strict.any(axis=1, keepdims=True) & ~kind[:, _EDGES].any(axis=1, keepdims=True)
    accepted = np.where(is_learned, strict, kind)
    return LabelledSegments(row, found, signs(view, start, stop), accepted)


def fit_weights(pages: Sequence[LabelledSegments]) -> Floats:
    """Return the weights of signs under which labels that are right are likeliest.

    Of several that are right, as ``listing`` and ``navigation`` are for a list of links, those are
    learned that the weights set by hand think likeliest: left to choose, a fit calls nearly all
    segments ``listing``, which is right for four in five of them and tells nothing.
    """
    known = np.concatenate([page.signs for page in pages])
    accepted = np.concatenate([page.accepted for page in pages])
    some = accepted.any(axis=1)
    known, accepted = known[some], accepted[some]
    wanted = _shares(known @ BY_HAND) * accepted
    wanted /= np.maximum(wanted.sum(axis=1, keepdims=True), 1e-12)
    weights, first, second = BY_HAND.copy(), np.zeros_like(BY_HAND), np.zeros_like(BY_HAND)
    for step in range(1, _ADAM_STEPS + 1):
        slope = known.T @ (_shares(known @ weights) - wanted) + _PRICE * (weights - BY_HAND)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        speed = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        weights = weights - 0.03 * speed
    return weights


def _shares(points: Floats) -> Floats:
    """Return the probability of each label from its points."""
    exponentials = np.exp(points - points.max(axis=1, keepdims=True))
    shares: Floats = exponentials / exponentials.sum(axis=1, keepdims=True)
    return shares


def _judged(page: LabelledSegments, weights: Floats, is_strict: bool = False) -> Floats:
    """Return how good the labels of a page are with some weights."""
    found = page.segments
    names, probability = labels(SegmentView(found.page), *_bounds(found), weights)
    parts = zip(found, names, probability.tolist(), strict=True)
    regions = tuple(replace(part, label=name, score=score) for part, name, score in parts)
    return judged(page.row, replace(found, regions=regions), is_strict=is_strict)


def _bounds(found: Segments) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return first and one past the last row of each segment."""
    start, stop = np.array([(part.start, part.stop) for part in found], np.intp).reshape(-1, 2).T
    return start, stop


def measured(tables: Sequence[Floats], folds: int = FOLDS) -> dict[str, Any]:
    """Return slope and offset for the segments of pages, and what they do on unseen pages.

    Args:
        tables: For each page, `joeira.evaluation.segment_scores.COLUMNS` of its segments.
        folds: Number of parts; each is measured with what was fitted on the others.
    """
    unseen = []
    for number, table in enumerate(tables):
        others = [other for place, other in enumerate(tables) if (place - number) % folds]
        unseen.append(_with(table, calibrated(table[:, _PROBABILITY], fit(others))))
    slope, offset = fit(tables)
    return {
        "slope": round(slope, 4),
        "offset": round(offset, 4),
        "pages": len(tables),
        "folds": folds,
        "before": label_summary(tables),
        "out_of_fold": label_summary(unseen),
    }


def fit(tables: Sequence[Floats]) -> tuple[float, float]:
    """Return the slope and offset of logits under which what is right is likeliest."""
    _, probability, right = np.concatenate(tables).T
    inner = np.clip(probability, 1e-6, 1 - 1e-6)
    known = np.column_stack((np.log(inner / (1 - inner)), np.ones(len(inner))))
    found = np.array([1.0, 0.0])
    for _ in range(_STEPS):  # Newton's method; a little is added so that two values are enough
        said = 1 / (1 + np.exp(-known @ found))
        curvature = (known * (said * (1 - said))[:, None]).T @ known + 1e-6 * np.eye(2)
        found = found + np.linalg.solve(curvature, known.T @ (right - said))
    return float(found[0]), float(found[1])


def _with(table: Floats, probability: Floats) -> Floats:
    changed = table.copy()
    changed[:, _PROBABILITY] = probability
    return changed


if __name__ == "__main__":
    main()
