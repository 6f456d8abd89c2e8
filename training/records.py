"""Measure the list model on unseen sites, fit it on everything, write weights and card.

::

    python -m training.records --data FOLDER --out src/joeira/models

FOLDER holds ``records/`` and ``content/`` with the data sets named below. Which list of a page its
records are is learned from pages with known records. Whether a page has records at all is learned
from these and from pages of known types, each with its best list. That list is chosen by a model
that has not seen the site, in fitting as in measuring: a model is surer of lists it knows.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from catboost import CatBoostClassifier, Pool
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.arrays.inference import ObliviousTrees
from joeira.evaluation.datasets import find, survey
from joeira.records.learned import expected
from joeira.records.learned.features import NAMES
from joeira.records.learned.presence import PRESENCE_FEATURES, presence_features
from training.lists import ListExample, example, folds
from training.trees import arrays_of
from training.watched import watched
from training.weights import write_model

RECORD_SETS = {"fadwa-dev": "MIT", "nexteval-dev": "MIT"}
"""Data sets with gold records whose licence allows shipped weights, and that licence."""
TYPE_SET = "wcxb-dev"
TYPE_LICENCE = "CC-BY-4.0 (Foley, WCXB)"
WITH_LIST = ("listing", "collection", "forum")
"""Types of pages that are lists of records."""
WEIGHT = {"article": 1.0, "fadwa-dev": 0.3, "nexteval-dev": 0.3} | dict.fromkeys(WITH_LIST, 1.0)
"""How much a page counts for whether it has records. Record sets are pages of few decades, which
must not pass for what a list is; products and services have lists, but not as what they are for."""
OTHER_WEIGHT = 0.3
FOLDS = 5
THRESHOLDS = (0.0, 0.05, 0.08, 0.1, 0.12, 0.14, 0.16, 0.2, 0.3, 0.5)


@dataclass(frozen=True)
class Growth:
    """How trees are grown."""

    trees: int
    depth: int
    rate: float
    seen: float
    """Share of the features that each level of a tree may choose from."""


WHICH = Growth(trees=300, depth=4, rate=0.06, seen=0.5)
WHETHER = Growth(trees=600, depth=5, rate=0.03, seen=0.3)

Say = Callable[[str], None]


def main() -> None:
    """Run the training command."""
    parser = argparse.ArgumentParser(prog="python -m training.records", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of records/ and content/")
    parser.add_argument("--out", type=Path, required=True, help="folder for records.npz and .json")
    parser.add_argument("--limit", type=int, help="use only the first pages of each set (a try)")
    parser.add_argument("--keep-which", type=Path, help="records.npz whose scores of lists stay")
    options = parser.parse_args()

    def say(message: str) -> None:
        sys.stderr.write(f"{message}\n")

    examples, sources = read_pages(options.data, options.limit, say)
    fold = folds(examples, FOLDS)
    score = unseen_scores(examples, fold, say)
    presence = unseen_presence(examples, score, fold, say)
    card = {
        "model": "records",
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "features": list(NAMES),
        "presence_features": [feature.name for feature in PRESENCE_FEATURES],
        "trees": {"which": WHICH.trees, "whether": WHETHER.trees},
        "data": sources,
        "out_of_fold": _first_tables(examples, score, presence),
        "let_through": _let_through(examples, presence),
    }
    say(str(card["out_of_fold"]))
    say(str(card["let_through"]))
    say("fitting on all pages")
    which = fit_which(examples) if options.keep_which is None else _kept(options.keep_which)
    write_model(options.out, "records", which | fit_whether(examples, score), card)
    say(f"wrote {options.out / 'records.npz'}")


def fit_which(examples: Sequence[ListExample]) -> dict[str, NDArray[Any]]:
    """Return the arrays of trees that score lists, learned from the pages with known records."""
    known = [one for one in examples if one.dataset in RECORD_SETS]
    features = np.concatenate([one.features.T for one in known])
    pool = Pool(features, np.concatenate([one.f1 for one in known]))
    return _trees("which", pool, WHICH)


def fit_whether(
    examples: Sequence[ListExample], score: Sequence[Floats]
) -> dict[str, NDArray[Any]]:
    """Return the arrays of trees that tell pages with records from others.

    Args:
        examples: The pages.
        score: Per page: score of each of its lists, by trees that have not seen the site.
    """
    seen = [
        (one, presence_features(one.features, own, one.of_page)[:, 0])
        for one, own in zip(examples, score, strict=True)
        if len(own)
    ]
    label = [float(one.dataset in RECORD_SETS or one.kind in WITH_LIST) for one, _ in seen]
    weight = [WEIGHT.get(one.kind, OTHER_WEIGHT) for one, _ in seen]
    pool = Pool(np.stack([values for _, values in seen]), label, weight=weight)
    return _trees("whether", pool, WHETHER)


def _trees(name: str, pool: Pool, growth: Growth) -> dict[str, NDArray[Any]]:
    """Return the arrays of trees."""
    model = CatBoostClassifier(
        iterations=growth.trees,
        depth=growth.depth,
        learning_rate=growth.rate,
        loss_function="CrossEntropy",
        rsm=growth.seen,
        l2_leaf_reg=5,
        border_count=64,
        thread_count=1,
        random_seed=0,
        verbose=0,
        allow_writing_files=False,
    )
    model.fit(pool)
    return arrays_of(model, growth.depth).to_arrays(name)


def _kept(path: Path) -> dict[str, NDArray[Any]]:
    """Return the trees that score lists of an earlier model."""
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files if name.startswith("which.")}


def read_pages(
    folder: Path, limit: int | None, say: Say
) -> tuple[list[ListExample], dict[str, Any]]:
    """Return the pages of all sets, and where they come from."""
    examples, sources = [], {}
    sets = chain(
        ((f"records/{name}", licence) for name, licence in RECORD_SETS.items()),
        [(f"content/{TYPE_SET}", TYPE_LICENCE)],
    )
    for path, licence in sets:
        source = find(folder / f"{path}.jsonl.gz", limit)
        name = path.partition("/")[2]
        known = survey(source, lambda row: bool(row.records or row.page_type))
        rows = watched(source.rows(), known.pages, f"reading {name}")
        own = [example(row, name) for row in rows if row.records or row.page_type]
        examples += own
        sources[name] = {"pages": len(own), "licence": licence, "fingerprint": known.fingerprint}
        say(f"{name}: {len(own)} pages")
    return examples, sources


def unseen_scores(
    examples: Sequence[ListExample], fold: NDArray[np.int64], say: Say
) -> list[Floats]:
    """Return the scores of the lists of each page by trees that have not seen its site."""
    score: list[Floats] = [np.zeros(0)] * len(examples)
    for number in watched(range(FOLDS), FOLDS, "which list", "folds"):
        say(f"which list: fold {number + 1} of {FOLDS}")
        rest = [one for one, own in zip(examples, fold, strict=True) if own != number]
        trees = ObliviousTrees.load(fit_which(rest), "which")
        for index in np.flatnonzero(fold == number).tolist():
            score[index] = expected(trees, examples[index].features)
    return score


def unseen_presence(
    examples: Sequence[ListExample], score: list[Floats], fold: NDArray[np.int64], say: Say
) -> Floats:
    """Return the presence of each page by trees that have not seen its site."""
    presence = np.zeros(len(examples))
    for number in watched(range(FOLDS), FOLDS, "whether any", "folds"):
        say(f"whether any: fold {number + 1} of {FOLDS}")
        rest = np.flatnonzero(fold != number).tolist()
        arrays = fit_whether([examples[index] for index in rest], [score[index] for index in rest])
        trees = ObliviousTrees.load(arrays, "whether")
        for index in np.flatnonzero(fold == number).tolist():
            one = examples[index]
            if len(score[index]):
                values = presence_features(one.features, score[index], one.of_page)
                presence[index] = expected(trees, values)[0]
    return presence


def _first_tables(
    examples: Sequence[ListExample], score: list[Floats], presence: Floats
) -> dict[str, dict[str, float]]:
    """Return the F measure of the first list of each page, by the presence that a page needs."""
    report = {}
    for name in RECORD_SETS:
        pages = [index for index, one in enumerate(examples) if one.dataset == name]
        first = np.array([
            examples[index].quality[score[index].argmax()] if len(score[index]) else (0.0, 0.0)
            for index in pages
        ])  # fmt: skip
        report[name] = {
            str(least): _first_f1(first * (presence[pages] >= least)[:, None])
            for least in THRESHOLDS
        }
    return report


def _first_f1(quality: Floats) -> float:
    """Return the harmonic mean of mean precision and mean recall."""
    precision, recall = quality.mean(axis=0)
    return round(float(2 * precision * recall / max(precision + recall, 1e-9)), 4)


def _let_through(examples: Sequence[ListExample], presence: Floats) -> dict[str, dict[str, float]]:
    """Return the share of the pages of each kind that reach each presence."""
    kinds = np.array([one.kind for one in examples])
    return {
        str(kind): {
            str(least): round(float((presence[kinds == kind] >= least).mean()), 4)
            for least in THRESHOLDS[1:]
        }
        for kind in np.unique(kinds)
    }


if __name__ == "__main__":
    main()
