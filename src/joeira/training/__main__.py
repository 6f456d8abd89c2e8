"""Measure the recipe out of fold, fit it on everything, write weights and card."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.content.learned import Learned
from joeira.evaluation.datasets import Row, find, survey
from joeira.features.table import NAMES
from joeira.kernels.decoding import best_expected_f
from joeira.training import calibration, comments, recipe, teasers
from joeira.training.pages import FOLDS, TRAINING_SETS, Example, example, folds


def main() -> None:
    """Run the training command."""
    parser = argparse.ArgumentParser(prog="python -m joeira.training", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of *.jsonl.gz data sets")
    parser.add_argument("--out", type=Path, required=True, help="folder for content.npz and .json")
    parser.add_argument("--networks", type=int, default=recipe.NETWORKS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--logits", type=Path, help="also write the out-of-fold logits there")
    parser.add_argument("--limit", type=int, help="use only the first pages of each set (a try)")
    options = parser.parse_args()
    started = time.monotonic()

    def say(message: str) -> None:
        sys.stderr.write(f"[{time.monotonic() - started:6.0f} s] {message}\n")

    plan = recipe.Recipe(options.networks, options.threads, say)
    examples, sources = _read(options.data, options.limit, say)
    logits = _unseen(plan, examples)
    real = [one for one in examples if not one.made_up]
    if options.logits:
        ids = np.array([f"{one.dataset}/{one.id}" for one in real])
        sizes = np.array(list(map(len, logits)))
        np.savez_compressed(options.logits, ids=ids, sizes=sizes, logits=np.concatenate(logits))
    scores, tables, card = _out_of_fold(plan, real, logits)
    say("fitting on all pages")
    arrays = recipe.fit(plan, examples) | tables
    options.out.mkdir(parents=True, exist_ok=True)
    with (options.out / "content.npz").open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **_small(arrays))
    card = {
        "model": "content",
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "features": len(NAMES),
        "trees": len(arrays["trees.column"]),
        "networks": plan.networks,
        "data": sources,
        "out_of_fold": scores,
        **card,
    }
    (options.out / "content.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
    say(f"wrote {options.out / 'content.npz'}")


def _read(folder: Path, limit: int | None, say: Any) -> tuple[list[Example], dict[str, Any]]:
    pairs: list[tuple[Row, Example]] = []
    sources = {}
    for name, licence in TRAINING_SETS.items():
        source = find(folder / f"{name}.jsonl.gz", limit)
        read = ((row, example(row, name)) for row in source.rows())
        found = [(row, one) for row, one in read if one is not None]
        pairs += found
        sources[name] = {
            "pages": len(found),
            "licence": licence,
            "fingerprint": survey(source).fingerprint,
        }
        say(f"{name}: {len(found)} pages with gold")
    made_up = [*comments.commented(pairs), *teasers.surrounded(pairs)]
    say(f"{len(made_up)} articles once more, with comments or teasers")
    return [*(one for _, one in pairs), *made_up], sources


def _unseen(plan: recipe.Recipe, examples: Sequence[Example]) -> list[NDArray[np.float64]]:
    """Return the logits of every real page by a model that has not seen its domain."""
    fold = folds(examples)
    found: dict[int, NDArray[np.float64]] = {}
    for number in range(FOLDS):
        plan.say(f"fold {number + 1} of {FOLDS}")
        arrays = recipe.fit(
            plan, [one for one, f in zip(examples, fold, strict=True) if f != number]
        )
        for index in np.flatnonzero(fold == number).tolist():
            if not examples[index].made_up:
                found[index] = recipe.logits(arrays, examples[index])
    return [found[index] for index in sorted(found)]


def _out_of_fold(
    plan: recipe.Recipe, examples: Sequence[Example], logits: Sequence[NDArray[np.float64]]
) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]], dict[str, Any]]:
    """Return scores of unseen pages, calibration tables made from them, and what the card tells."""
    every, label, weight = (
        np.concatenate(values)
        for values in (logits, [one.share for one in examples], [one.weight for one in examples])
    )
    table = calibration.logit_table(every, label, weight)
    model = {"calibration": table}
    probability = [_probability(table, one) for one in logits]
    scores, expected = _scores(examples, probability)
    known = np.array([one.matrix.view.size > 0 for one in examples])
    quality = calibration.isotonic(
        expected[known], scores["page"][known], np.ones(int(known.sum()))
    )
    reliability = calibration.reliability(_probability(table, every), label, weight)
    report = {name: value for name, value in scores.items() if name != "page"}
    for line in json.dumps(report, indent=1).splitlines():
        plan.say(line)
    return report, model | {"quality": quality}, {"reliability": reliability}


def _probability(table: NDArray[np.float64], logits: NDArray[np.float64]) -> NDArray[np.float64]:
    probability: NDArray[np.float64] = 1 / (1 + np.exp(-np.interp(logits, *table)))
    return probability


def _scores(
    examples: Sequence[Example], probability: Sequence[NDArray[np.float64]]
) -> tuple[dict[str, Any], NDArray[np.float64]]:
    page, expected = [], []
    for one, chance in zip(examples, probability, strict=True):
        keep, f = best_expected_f(chance, one.matrix.view.words, Learned.beta)
        if (chance * one.matrix.view.words).sum() < Learned.min_content_words:
            keep[:] = False
        page.append(one.f1(keep))
        expected.append(f)
    f1 = np.array(page)
    report: dict[str, Any] = {"page": f1}
    for name in TRAINING_SETS:
        mine = np.array([one.dataset == name for one in examples])
        report[name] = {"all": calibration.means(f1[mine])}
        kinds = sorted({one.kind for one in examples if one.dataset == name and one.kind})
        for kind in kinds:
            chosen = np.array([one.dataset == name and one.kind == kind for one in examples])
            report[name][kind] = calibration.means(f1[chosen])
    return report, np.array(expected)


def _small(arrays: recipe.Arrays) -> recipe.Arrays:
    """Return network weights in half precision: no score changes, half the size."""
    return {
        name: array.astype(np.float16) if name.startswith("network") and array.ndim else array
        for name, array in arrays.items()
    }


if __name__ == "__main__":
    main()
