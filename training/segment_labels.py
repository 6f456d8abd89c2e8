"""Fit the probabilities of segment labels to how often they are right, and measure that.

::

    python -m training.segment_labels --data kreuzer-popular.jsonl.gz

Platt's method: the logit of a probability is stretched and moved, so that the likelihood of what is
right and wrong is greatest. Two numbers, which go into `joeira.segments.learned`; they are measured
on pages that they were not fitted on. Needs no learning library.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from joeira.arrays import Floats
from joeira.evaluation.datasets import Example, find
from joeira.evaluation.segment_scores import judged, label_summary
from joeira.page import parse
from joeira.segments.learned import LABEL_CALIBRATION, TreeCut, calibrated

FOLDS = 10
_STEPS = 50
_PROBABILITY, _RIGHT = 1, 2


def main() -> None:
    """Print slope and offset, and the scores of pages that they were not fitted on."""
    parser = argparse.ArgumentParser(prog="python -m training.segment_labels", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="pages with blocks")
    options = parser.parse_args()
    sys.stdout.write(json.dumps(of_pages(find(options.data).rows()), indent=1) + "\n")


def of_pages(rows: Iterable[Example]) -> dict[str, Any]:
    """Return what `measured` does for the labels of pages with blocks."""
    marked = (row for row in rows if row.blocks)
    tables = (judged(row, TreeCut().extract(parse(row.html, row.url))) for row in marked)
    return measured([_as_said(table) for table in tables])


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


def _as_said(table: Floats) -> Floats:
    """Return a table with the probabilities before they were fitted."""
    slope, offset = LABEL_CALIBRATION
    return _with(table, calibrated(table[:, _PROBABILITY], (1 / slope, -offset / slope)))


def _with(table: Floats, probability: Floats) -> Floats:
    changed = table.copy()
    changed[:, _PROBABILITY] = probability
    return changed


if __name__ == "__main__":
    main()
