"""Measure the recipe out of fold, fit it on everything, write weights and card."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.blockmodel.choosing import choose
from joeira.blockmodel.columns import NAMES, PAGE_TYPES
from joeira.blockmodel.model import Scores
from joeira.cli.writing import progress_bar
from joeira.content.learned import Learned
from joeira.evaluation.datasets import Example, beside, find, survey
from training import calibration, comments, labels, recipe, shops, teasers
from training.network import EPOCHS
from training.pages import FOLDS, TRAINING_SETS, LabelledPage, example, folds
from training.watched import watched

SHOP_SET = "products-dev"
"""Of its pages, all of one product in a shop, the card tells the score apart."""


def main() -> None:
    """Run the training command."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of *.jsonl.gz data sets")
    parser.add_argument("--out", type=Path, required=True, help="folder for content.npz and .json")
    parser.add_argument("--networks", type=int, default=recipe.NETWORKS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--unseen", type=Path, help="file (.npz) to keep what is measured out of fold, or to read"
    )
    parser.add_argument("--limit", type=int, help="use only the first pages of each set (a try)")
    options = parser.parse_args()
    started = time.monotonic()

    def say(message: str) -> None:
        sys.stderr.write(f"[{time.monotonic() - started:6.0f} s] {message}\n")

    examples, sources, readers = _read(options.data, options.limit, say)
    real = [one for one in examples if not one.made_up]
    known = recipe.prepare(examples)
    is_measured = options.unseen and options.unseen.exists()
    fits = 1 if is_measured else FOLDS + 1
    with progress_bar("fitting", "epochs") as progress:
        done = count(1)
        plan = recipe.Recipe(
            options.networks,
            options.threads,
            say,
            lambda: progress(next(done), fits * options.networks * EPOCHS),
        )
        unseen = Unseen.load(options.unseen, real) if is_measured else _unseen(plan, known)
        if options.unseen and not is_measured:
            unseen.save(options.unseen)
        scores, tables, card = _out_of_fold(plan, real, unseen)
        say("fitting on all pages")
        arrays = recipe.fit(plan, known, range(len(examples))) | tables
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
        "readers": readers,
        "out_of_fold": scores,
        **card,
    }
    (options.out / "content.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
    say(f"wrote {options.out / 'content.npz'}")


def _read(
    folder: Path, limit: int | None, say: Any
) -> tuple[list[LabelledPage], dict[str, Any], dict[str, float]]:
    """Return all examples, what they are from, and how well two readers agree about some."""
    pairs: list[tuple[Example, LabelledPage]] = []
    second, agreement = labels.read_file("second"), []
    sources = {}
    trusted = labels.read(folder)
    seen: set[str] = set()
    for name, licence in TRAINING_SETS.items():
        source = find(beside(folder / name, name), limit)
        known = survey(source)
        pages = []
        for row in watched(source.rows(), known.pages, f"reading {name}"):
            digest = labels.html_hash(row.html)
            if digest in seen:
                continue
            seen.add(digest)
            answered, gold = labels.trusted(row, trusted)
            one = example(answered, name, gold)
            own = example(row, name) if gold else None
            if one and own:
                one = replace(one, own=replace(own, matrix=one.matrix))
            pages += [(answered, one)] if one else []
            if digest in second:
                other, _ = labels.trusted(row, second)
                agreement.append(labels.agreement(answered.text or "", other.text or ""))
        pairs += pages
        of_readers = sum(one.gold is not None for _, one in pages)
        sources[name] = {
            "pages": len(pages),
            "with_gold_of_readers": of_readers,
            "licence": licence,
            "fingerprint": known.fingerprint,
        }
        say(f"{name}: {len(pages)} pages with gold, {of_readers} of them by readers")
    made_up = [*comments.commented(pairs), *teasers.surrounded(pairs), *shops.stocked(pairs)]
    say(f"{len(made_up)} pages once more, with comments, teasers or more of a shop")
    readers = {"pages_read_twice": len(agreement), "word_f1": calibration.means(agreement or [0])}
    return [*(one for _, one in pairs), *made_up], sources, readers


@dataclass(frozen=True, eq=False)
class Unseen:
    """What models that have not seen the domain of a page say about it, page by page."""

    logits: list[NDArray[np.float64]]
    """Per page, one for each block."""
    types: NDArray[np.float64]
    """The chance of each page type, one line per page."""
    fold: NDArray[np.int64]

    def save(self, path: Path) -> None:
        """Write all of it, for experiments with calibration and decoding."""
        with path.open("wb") as stream:
            np.savez_compressed(
                stream,
                allow_pickle=False,
                sizes=np.array(list(map(len, self.logits))),
                logits=np.concatenate(self.logits),
                types=self.types,
                fold=self.fold,
            )

    @classmethod
    def load(cls, path: Path, examples: Sequence[LabelledPage]) -> Unseen:
        """Read what was written for the same examples."""
        with np.load(path, allow_pickle=False) as stored:
            sizes = stored["sizes"]
            if sizes.tolist() != [one.matrix.view.size for one in examples]:
                message = f"{path} was made from other pages: remove it or name another file"
                raise SystemExit(message)
            logits = np.split(stored["logits"], np.cumsum(sizes)[:-1])
            return cls(logits, stored["types"], stored["fold"])


def _unseen(plan: recipe.Recipe, known: recipe.Prepared) -> Unseen:
    """Ask for every real page a model that has not seen its domain."""
    fold = folds(known.examples)
    logits: dict[int, NDArray[np.float64]] = {}
    for number in range(FOLDS):
        plan.say(f"fold {number + 1} of {FOLDS}")
        arrays = recipe.fit(plan, known, np.flatnonzero(fold != number).tolist())
        for index in np.flatnonzero(fold == number).tolist():
            if not known.examples[index].made_up:
                logits[index] = recipe.logits(arrays, known, index)
    real = sorted(logits)
    types = np.stack([known.types[index] for index in real]).astype(np.float64)
    return Unseen([logits[index] for index in real], types, fold[real])


def _out_of_fold(
    plan: recipe.Recipe, examples: Sequence[LabelledPage], unseen: Unseen
) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]], dict[str, Any]]:
    """Return scores of unseen pages, calibration tables made from them, and what the card tells."""
    every, label, weight = (
        np.concatenate(values)
        for values in (
            unseen.logits,
            [one.share for one in examples],
            [one.weight for one in examples],
        )
    )
    table = calibration.logit_table(every, label, weight)
    f1, expected = _decoded(examples, unseen, table)
    some = np.array([one.matrix.view.size > 0 for one in examples])
    quality = calibration.isotonic(expected[some], f1[0, some], np.ones(int(some.sum())))
    reliability = calibration.reliability(_probability(table, every), label, weight)
    report = _report(examples, f1)
    for line in json.dumps(report, indent=1).splitlines():
        plan.say(line)
    types = _types_right(examples, unseen)
    plan.say(f"page types guessed right: {types}")
    told = {"reliability": reliability, "page_types_right": types}
    return report, {"calibration": table, "quality": quality}, told


def _types_right(examples: Sequence[LabelledPage], unseen: Unseen) -> dict[str, float]:
    """Return how many of the unseen pages of each type are guessed right, and of all of them."""
    guessed = [PAGE_TYPES[number] for number in unseen.types.argmax(axis=1)]
    right: dict[str, list[float]] = {"all": []}
    for one, guess in zip(examples, guessed, strict=True):
        if one.kind:
            right["all"].append(one.kind == guess)
            right.setdefault(one.kind, []).append(one.kind == guess)
    return {kind: calibration.means(hits) for kind, hits in right.items() if hits}


def _probability(table: NDArray[np.float64], logits: NDArray[np.float64]) -> NDArray[np.float64]:
    probability: NDArray[np.float64] = 1 / (1 + np.exp(-np.interp(logits, *table)))
    return probability


def _decoded(
    examples: Sequence[LabelledPage], unseen: Unseen, table: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the F1 of what the method as it is shipped keeps of each page, and what it expects.

    The F1 by the answer that is trusted most comes first, then that by the answer of the data set.
    """
    method = Learned()
    f1, expected = np.zeros((2, len(examples))), np.zeros(len(examples))
    for number, one in enumerate(examples):
        types = dict(zip(PAGE_TYPES, unseen.types[number].tolist(), strict=True))
        scores = Scores(_probability(table, unseen.logits[number]), types)
        choice = choose(one.matrix, scores, method)
        f1[:, number] = one.f1(choice.kept), (one.own or one).f1(choice.kept)
        expected[number] = choice.expected_f
    return f1, expected


def _report(examples: Sequence[LabelledPage], f1: NDArray[np.float64]) -> dict[str, Any]:
    """Return the mean F1 by each set of answers and of each type of its pages.

    A page may have two answers: that of its data set, and a reader's.
    """
    measured: dict[str, list[tuple[str | None, float]]] = {}
    for one, (trusted, own) in zip(examples, f1.T, strict=True):
        measured.setdefault(one.gold or one.dataset, []).append((one.kind, trusted))
        if one.own:
            measured.setdefault(one.dataset, []).append((one.kind, own))
        if one.gold and one.dataset == SHOP_SET:
            measured[one.gold].append(("shop", trusted))
    report: dict[str, Any] = {}
    for name, pages in measured.items():
        report[name] = {"all": calibration.means([f for kind, f in pages if kind != "shop"])}
        for kind in sorted({kind for kind, _ in pages if kind}):
            report[name][kind] = calibration.means([f for other, f in pages if other == kind])
    return report


def _small(arrays: recipe.Arrays) -> recipe.Arrays:
    """Return network weights in half precision: no score changes, half the size."""
    return {
        name: array.astype(np.float16) if name.startswith("network") and array.ndim else array
        for name, array in arrays.items()
    }


if __name__ == "__main__":
    main()
