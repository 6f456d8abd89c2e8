"""Measure the learned pruning of site trees on unseen sites, fit it on all, write weights and card.

::

    python -m training.som --data siteseg/ --out src/joeira/models

The folder holds one data set per site, whose pages have blocks marked. The oracle of the thesis
tells for every sample whether its children are one block; a support vector machine learns it.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from joeira.evaluation.datasets import find, survey
from joeira.evaluation.site_scores import MarkedSite, oracle
from joeira.sites.som import SOM, PolynomialSVM, PruningModel, scaled
from joeira.sites.som.pruning import NAMES, Asked, Decision, prune
from joeira.sites.som.tree import Repetition
from training.weights import write_model

PAGES = 40
MAX_STEPS = 20_000
"""The solver stops there: more steps change no decision on unseen sites."""


@dataclass(frozen=True)
class Machine:
    """Settings of the support vector machine."""

    degree: int = 3
    coef0: float = 1.0
    cost: float = 1.0


PUBLISHED = Machine()
"""The degree of the thesis, whose gamma is no kernel's and whose cost is not told."""


def main() -> None:
    """Run the training command."""
    parser = argparse.ArgumentParser(prog="python -m training.som", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with one set per site")
    parser.add_argument("--out", type=Path, required=True, help="folder for som.npz and som.json")
    parser.add_argument("--pages", type=int, default=PAGES, help="pages of each site")
    parser.add_argument("--single", action="store_true", help="measure each feature alone, too")
    options = parser.parse_args()
    sources = [find(path, options.pages) for path in sorted(options.data.glob("*.jsonl*"))]
    sites = [MarkedSite.of(list(source.rows()), Repetition()) for source in sources]
    asked = [prune(site.tree, oracle(site)) for site in sites]
    names = [source.name for source in sources]
    card = {
        "model": "som",
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "features": list(NAMES),
        "machine": vars(PUBLISHED),
        "data": {
            source.name: {
                "pages": len(site.pages),
                "one_block": int(samples.merged.sum()),
                "several_blocks": int((~samples.merged).sum()),
                "fingerprint": survey(source, lambda row: bool(row.blocks)).fingerprint,
            }
            for source, site, samples in zip(sources, sites, asked, strict=True)
        },
        "leave_one_site_out": measured(names, sites, asked),
    }
    if options.single:
        card["single_features"] = single_features(asked)
    write_model(options.out, "som", fit(asked).to_arrays("svm"), card)


def fit(
    asked: Sequence[Asked], machine: Machine = PUBLISHED, only: int | None = None
) -> PolynomialSVM:
    """Return the machine learned from samples; from one feature alone where `only` says which."""
    features = np.concatenate([samples.features for samples in asked])
    if only is not None:
        features = np.where(np.arange(len(NAMES)) == only, features, 0.0)
    one_block = np.concatenate([samples.merged for samples in asked])
    low, high = features.min(axis=0), features.max(axis=0)
    # Equal samples are one with their weight: sites have thousands of equal list items.
    table = np.column_stack((scaled(features, low, high), one_block))
    rows, times = np.unique(table, axis=0, return_counts=True)
    yes = rows[:, -1] > 0
    rarer = max(1, int(one_block.sum()) // max(1, int((~one_block).sum())))
    gamma = 1 / len(NAMES)
    solver = SVC(
        kernel="poly",
        degree=machine.degree,
        gamma=gamma,
        coef0=machine.coef0,
        C=machine.cost,
        max_iter=MAX_STEPS,
    )
    solver.fit(rows[:, :-1], yes, sample_weight=times * np.where(yes, 1, rarer))
    return PolynomialSVM(
        low,
        high,
        solver.support_vectors_,
        solver.dual_coef_[0],
        float(solver.intercept_[0]),
        gamma,
        machine.coef0,
        machine.degree,
    )


def measured(
    names: Sequence[str], sites: Sequence[MarkedSite], asked: Sequence[Asked]
) -> dict[str, Any]:
    """Return scores by way of pruning and site; the machine has not seen the site."""
    report: dict[str, dict[str, Any]] = {}
    for number, (name, site) in enumerate(zip(names, sites, strict=True)):
        sys.stderr.write(f"{name}\n")
        model = PruningModel(fit([*asked[:number], *asked[number + 1 :]]))
        deciding: dict[str, Decision | None] = {
            "thresholds": None,
            "svm": model.decide,
            "oracle": oracle(site),
        }
        for way, decide in deciding.items():
            for method in (SOM(join_text=False), SOM()):
                owner = method.decided(site.tree, decide) if decide else method.owners(site.tree)
                key = f"{way}, text joined" if method.join_text else way
                report.setdefault(key, {})[name] = site.scores(owner)
        answers = model.svm(asked[number].features) > 0
        report.setdefault("samples", {})[name] = recalls(answers, asked[number].merged)
    for key, by_site in report.items():
        if key != "samples":
            tables = [list(scores.values()) for scores in by_site.values()]
            mean = np.mean(tables, axis=0).round(4).tolist()
            by_site["mean"] = dict(zip(next(iter(by_site.values())), mean, strict=True))
    return report


def single_features(asked: Sequence[Asked]) -> dict[str, Any]:
    """Return how well each feature alone tells samples of unseen sites."""
    found = {}
    for column, name in enumerate(NAMES):
        answers = []
        for number, samples in enumerate(asked):
            svm = fit([*asked[:number], *asked[number + 1 :]], only=column)
            answers.append(svm(samples.features) > 0)
        truth = np.concatenate([samples.merged for samples in asked])
        found[name] = recalls(np.concatenate(answers), truth)
    return found


def recalls(answers: NDArray[np.bool_], truth: NDArray[np.bool_]) -> dict[str, float]:
    """Return accuracy, and the shares of one-block and of other samples that are answered right."""
    right = answers == truth
    return {
        "accuracy": round(float(right.mean()), 4),
        "recall_one_block": round(float(right[truth].mean()), 4),
        "recall_several_blocks": round(float(right[~truth].mean()), 4),
    }


if __name__ == "__main__":
    main()
