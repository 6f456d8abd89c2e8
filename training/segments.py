"""Measure the segment model on unseen pages, fit it on all of them, write weights and card.

::

    python -m training.segments --data kreuzer-popular.jsonl.gz --out src/joeira/models

The pages are home pages of popular sites with blocks marked by hand (Kreuzer et al. 2015). A
browser draws them for the trees that know layouts: Playwright and Chromium are needed.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from catboost import CatBoostClassifier, Pool
from numpy.typing import NDArray

from joeira.evaluation import segment_scores as scoring
from joeira.evaluation.datasets import Example, find, survey
from joeira.page import parse
from joeira.render.browser import Layout, browser
from joeira.segments.learned import (
    RENDERED,
    SegmentModel,
    TreeCut,
    divisible,
    drawn_columns,
    numbered,
)
from joeira.segments.learned.features import NAMES, SegmentView, columns
from joeira.segments.learned.labels import BY_HAND
from joeira.segments.learned.layout import FEATURES as DRAWN_FEATURES
from training import segment_labels
from training.trees import arrays_of
from training.watched import watched
from training.weights import write_model

LICENCE = "public domain (Kreuzer et al. 2015)"
FOLDS = 10
REPEATS = 3
TREES = 300
DEPTH = 3
LEARNING_RATE = 0.04
SETTINGS = ((0.5, 1.7), (0.55, 1.7), (0.6, 1.7), (0.5, 2.0), (0.55, 2.0), (0.5, 1.2))
"""Values of ``least_together`` and ``size_power`` that are measured; the default was chosen so."""


@dataclass(frozen=True, eq=False)
class SegmentExample:
    """A page with what the model sees of its elements, and what it should answer."""

    view: SegmentView
    marked: scoring.Marked
    rows: NDArray[np.intp]
    """Elements to learn from."""
    features: NDArray[np.float32]
    """Per feature and element: its value."""
    together: NDArray[np.float64]
    """Share of pairs of their words that are in one block."""
    weight: NDArray[np.float64]
    layout: Layout | None = None


def main() -> None:
    """Run the training command."""
    parser = argparse.ArgumentParser(prog="python -m training.segments", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="pages with blocks")
    parser.add_argument("--out", type=Path, required=True, help="folder for segments.npz and .json")
    options = parser.parse_args()
    source = find(options.data)
    rows = [row for row in source.rows() if row.blocks]
    examples = [example(row) for row in rows]
    sys.stderr.write(f"{len(examples)} pages\n")
    drawn = draw(examples)
    card: dict[str, Any] = {
        "model": "segments",
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "features": list(NAMES),
        "features_of_drawn_pages": [feature.name for feature in DRAWN_FEATURES],
        "trees": TREES,
        "data": {
            source.name: {
                "pages": len(examples),
                "licence": LICENCE,
                "fingerprint": survey(source, lambda row: bool(row.blocks)).fingerprint,
            }
        },
        "folds": FOLDS,
        "repeats": REPEATS,
        "out_of_fold": out_of_fold(examples),
        "out_of_fold_drawn": out_of_fold(drawn),
    }
    arrays = fit(examples) | fit(drawn, RENDERED) | {"labels.weights": BY_HAND}
    model = SegmentModel.of(arrays)
    pages = [segment_labels.labelled(row, model) for row in rows]
    card["labels"] = segment_labels.of_pages(pages)
    arrays["labels.weights"] = segment_labels.fit_weights(pages)
    write_model(options.out, "segments", arrays, card)


def example(row: Example) -> SegmentExample:
    """Return what a page teaches."""
    page = parse(row.html, row.url)
    view = SegmentView(page)
    marked = scoring.marked(row)
    counts = _block_words(view, marked)
    below = np.concatenate((np.zeros((1, counts.shape[1])), np.cumsum(counts, axis=0)))
    first, stop = page.text_index[:-1], page.text_index[page.end]
    inside = below[stop] - below[first]
    words = inside.sum(axis=1)
    rows = np.flatnonzero(divisible(view) & (words >= 2))
    pairs = (words * (words - 1))[rows]
    # Large elements decide more, but there are few of them on a page: the root is in between.
    weight = np.sqrt(words[rows])
    return SegmentExample(
        view,
        marked,
        rows,
        columns(view, rows),
        (inside * (inside - 1)).sum(axis=1)[rows] / pairs,
        100 * weight / max(weight.sum(), 1e-9),
    )


def draw(examples: Sequence[SegmentExample]) -> list[SegmentExample]:
    """Return examples with what a browser tells of their elements."""
    with browser() as program:
        return [with_layout(one, program.layout(one.view.page)) for one in examples]


def with_layout(one: SegmentExample, layout: Layout | None) -> SegmentExample:
    """Return an example with what is known of its elements when the page is drawn."""
    if layout is None:
        message = f"the browser could not draw {one.view.page.url}"
        raise RuntimeError(message)
    features = drawn_columns(one.view, layout, one.rows)
    return replace(one, features=features, layout=layout)


def fit(examples: Sequence[SegmentExample], name: str = "trees") -> dict[str, NDArray[Any]]:
    """Return the arrays of a segment model learned from examples."""
    model = CatBoostClassifier(
        iterations=TREES,
        depth=DEPTH,
        learning_rate=LEARNING_RATE,
        loss_function="CrossEntropy",
        rsm=0.4,
        l2_leaf_reg=8,
        border_count=32,
        thread_count=1,
        random_seed=0,
        verbose=0,
        allow_writing_files=False,
    )
    model.fit(
        Pool(
            np.concatenate([one.features.T for one in examples]),
            np.concatenate([one.together for one in examples]),
            weight=np.concatenate([one.weight for one in examples]),
        )
    )
    return arrays_of(model, DEPTH).to_arrays(name)


def out_of_fold(examples: Sequence[SegmentExample]) -> dict[str, dict[str, float]]:
    """Return mean scores on pages that the model had not seen, by the settings of the cut.

    Ten folds several times, each time of pages in another order: which pages fall into one fold
    moves the mean by .02.
    """
    measured: dict[str, list[NDArray[np.float64]]] = {}
    turns = list(product(range(REPEATS), range(FOLDS)))
    for time, fold in watched(turns, len(turns), "measuring", "folds"):
        order = np.arange(len(examples))
        if time:
            np.random.default_rng(time).shuffle(order)
        unseen = set(order[fold::FOLDS].tolist())
        rest = [one for number, one in enumerate(examples) if number not in unseen]
        model = SegmentModel.of(fit(rest) | {"labels.weights": BY_HAND})
        for one in (examples[number] for number in sorted(unseen)):
            together = model.together(one.view, one.layout)
            for setting in SETTINGS:
                key = f"least_together={setting[0]}, size_power={setting[1]}"
                measured.setdefault(key, []).append(_measured(one, TreeCut(*setting), together))
    return {
        key: dict(zip(scoring.COLUMNS, np.mean(all_, axis=0).round(4).tolist(), strict=True))
        for key, all_ in measured.items()
    }


def _measured(
    one: SegmentExample, cut: TreeCut, together: NDArray[np.float64]
) -> NDArray[np.float64]:
    page = one.view.page
    number = numbered(page, cut.roots(one.view, together))
    return scoring.measure(
        one.marked.block, scoring.spread(one.marked.words, _parts(one.view, number))
    )


def _parts(view: SegmentView, number: NDArray[Any]) -> scoring.Parts:
    page = view.page
    seen = ~page.in_head[page.text_rows]
    texts = zip(page.texts, number.tolist(), seen.tolist(), strict=True)
    return [(text, own) for text, own, shown in texts if shown]


def _block_words(view: SegmentView, marked: scoring.Marked) -> NDArray[np.float64]:
    """Return how many words of each block every text has."""
    texts = len(view.page.texts)
    text_of = scoring.spread(marked.words, _parts(view, np.arange(texts)))
    counts = np.zeros((texts, int(marked.block.max(initial=0)) + 1))
    inside = (text_of >= 0) & (marked.block >= 0)
    np.add.at(counts, (text_of[inside], marked.block[inside]), 1)
    return counts


if __name__ == "__main__":
    main()
