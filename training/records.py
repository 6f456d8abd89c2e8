"""Measure the list model on unseen sites, fit it on everything, write weights and card.

::

    python -m training.records --data FOLDER --out src/joeira/models

FOLDER holds ``records/`` and ``content/`` with the data sets named below. Articles are pages on
which no list is the answer. They teach whether a page has records; which of its lists they are is
learned better without them.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from catboost import CatBoostClassifier, Pool
from numpy.typing import NDArray

from joeira.evaluation.datasets import Example, find, survey
from joeira.records.learned import ListModel
from joeira.records.learned.features import NAMES, OF_LISTS
from training.lists import ListExample, example, folds
from training.trees import arrays_of
from training.weights import write_model

RECORD_SETS = {"fadwa-dev": "MIT", "nexteval-dev": "MIT"}
"""Data sets with gold records whose licence allows shipped weights, and that licence."""
ARTICLE_SET = "wcxb-dev"
ARTICLE_LICENCE = "CC-BY-4.0 (Foley, WCXB)"
HELD_OUT_ARTICLES = 200
"""The first articles are never learned from, nor other pages of their hosts: they measure."""
ARTICLES = 600
FOLDS = 5
THRESHOLDS = (0.0, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5)
TREES = 300
DEPTH = 4
LEARNING_RATE = 0.06

Say = Callable[[str], None]


def main() -> None:
    """Run the training command."""
    parser = argparse.ArgumentParser(prog="python -m training.records", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of records/ and content/")
    parser.add_argument("--out", type=Path, required=True, help="folder for records.npz and .json")
    parser.add_argument("--limit", type=int, help="use only the first pages of each set (a try)")
    options = parser.parse_args()

    def say(message: str) -> None:
        sys.stderr.write(f"{message}\n")

    with_records, sources = _record_pages(options.data / "records", options.limit, say)
    held_out, articles, source = _articles(options.data / "content", options.limit, say)
    card = {
        "model": "records",
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "features": list(NAMES),
        "trees": TREES,
        "data": sources | {ARTICLE_SET: source},
        **_out_of_fold(with_records, articles, say),
    }
    say("fitting on all pages")
    arrays = fit(with_records, articles)
    card["false_lists"] = _found(ListModel.of(arrays), held_out)
    write_model(options.out, "records", arrays, card)
    say(f"wrote {options.out / 'records.npz'}")


def fit(
    with_records: Sequence[ListExample], articles: Sequence[ListExample]
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a list model learned from pages with records and without."""
    # What kind of page it is only misleads the choice between its lists: fadwa-dev .902 for .916.
    which = _trees("which", with_records, OF_LISTS)
    return which | _trees("whether", [*with_records, *articles], len(NAMES))


def _trees(name: str, examples: Sequence[ListExample], seen: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of trees that see so many features, the first ones."""
    model = CatBoostClassifier(
        iterations=TREES,
        depth=DEPTH,
        learning_rate=LEARNING_RATE,
        loss_function="CrossEntropy",
        rsm=0.5,
        l2_leaf_reg=5,
        border_count=64,
        thread_count=1,
        random_seed=0,
        verbose=0,
        allow_writing_files=False,
    )
    features = np.concatenate([one.features[:seen].T for one in examples])
    model.fit(Pool(features, np.concatenate([one.f1 for one in examples])))
    return arrays_of(model, DEPTH).to_arrays(name)


def _record_pages(
    folder: Path, limit: int | None, say: Say
) -> tuple[list[ListExample], dict[str, Any]]:
    examples, sources = [], {}
    for name, licence in RECORD_SETS.items():
        source = find(folder / f"{name}.jsonl.gz", limit)
        found = [example(row, name) for row in source.rows() if row.records]
        examples += found
        fingerprint = survey(source, lambda row: bool(row.records)).fingerprint
        sources[name] = {"pages": len(found), "licence": licence, "fingerprint": fingerprint}
        say(f"{name}: {len(found)} pages with records")
    return examples, sources


def _articles(
    folder: Path, limit: int | None, say: Say
) -> tuple[list[ListExample], list[ListExample], dict[str, Any]]:
    """Return articles to measure, articles of other hosts to learn from, and their source."""
    source = find(folder / f"{ARTICLE_SET}.jsonl.gz")
    rows = (row for row in source.rows() if row.page_type == "article")
    measured = list(islice(rows, limit or HELD_OUT_ARTICLES))
    hosts = {_host(row) for row in measured}
    learned = list(islice((row for row in rows if _host(row) not in hosts), limit or ARTICLES))
    say(f"{ARTICLE_SET}: {len(measured)} articles to measure, {len(learned)} to learn from")
    held_out, articles = (
        [example(row, ARTICLE_SET) for row in half] for half in (measured, learned)
    )
    fingerprint = survey(source).fingerprint
    told = {"pages": len(articles), "licence": ARTICLE_LICENCE, "fingerprint": fingerprint}
    return held_out, articles, told


def _host(row: Example) -> str | None:
    return urlsplit(row.url or "").hostname


def _out_of_fold(
    examples: Sequence[ListExample], articles: Sequence[ListExample], say: Say
) -> dict[str, Any]:
    """Return F measures on sites that the model had not seen, by the presence that a page needs."""
    fold = folds(examples, FOLDS)
    first: dict[int, tuple[float, NDArray[np.float64]]] = {}
    for number in range(FOLDS):
        say(f"fold {number + 1} of {FOLDS}")
        rest = [one for one, own in zip(examples, fold, strict=True) if own != number]
        model = ListModel.of(fit(rest, articles))
        for index in np.flatnonzero(fold == number).tolist():
            first[index] = _first(model, examples[index])
    report: dict[str, Any] = {}
    for name in RECORD_SETS:
        mine = [first[index] for index, one in enumerate(examples) if one.dataset == name]
        report[name] = {str(least): _first_f1(mine, least) for least in THRESHOLDS}
    say(str(report))
    return {"out_of_fold": report}


def _first(model: ListModel, one: ListExample) -> tuple[float, NDArray[np.float64]]:
    """Return the presence of a page, and precision and recall of the list that comes first."""
    if not len(one.quality):
        return 0.0, np.zeros(2)
    return model.presence(one.features), one.quality[model.score(one.features).argmax()]


def _first_f1(pages: Sequence[tuple[float, NDArray[np.float64]]], least: float) -> float:
    """Return the harmonic mean of mean precision and mean recall of the first list of each page."""
    found = [quality if presence >= least else np.zeros(2) for presence, quality in pages]
    precision, recall = np.mean(found, axis=0)
    return round(float(2 * precision * recall / max(precision + recall, 1e-9)), 4)


def _found(model: ListModel, examples: Sequence[ListExample]) -> dict[str, float]:
    """Return the share of pages that reach each presence."""
    presence = np.array([model.presence(one.features) for one in examples])
    return {str(least): round(float((presence >= least).mean()), 4) for least in THRESHOLDS[1:]}


if __name__ == "__main__":
    main()
