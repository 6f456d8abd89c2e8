"""Measure the learned pruning of site trees on unseen sites, fit it on all, write weights and card.

::

    python -m training.som --data siteseg/ --more sites/ --out src/joeira/models

The first folder holds one data set per site, whose pages have blocks marked. The pages of the
second have none: ``site_blocks.json`` beside this file says by selectors what the blocks of its
sites are, as the selectors of the first folder do. The oracle of the thesis tells for every sample
whether its children are one block; a support vector machine learns it. The settings of the machine
are chosen inside the sites that it learns from, for every site that is left out anew.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import lxml.cssselect
import numpy as np
from numpy.typing import NDArray

from joeira.evaluation.datasets import Block, Example, find, survey
from joeira.evaluation.marked_sites import MarkedSite, oracle, samples_of_parts, train
from joeira.evaluation.metrics import BOOTSTRAP_SAMPLES, interval, resamples
from joeira.evaluation.segment_scores import COLUMNS, lxml_tree
from joeira.sites.som import PUBLISHED_PREFIX, SOM
from joeira.sites.som.pruning import (
    DEFAULT_PREFIX,
    NAMES,
    Asked,
    Decision,
    MachineSettings,
    fit,
    prune,
)
from training.watched import watched
from training.weights import write_model

PAGES = 40
SELECTORS = Path(__file__).with_name("site_blocks.json")
METHODS = {"as published": SOM.published(), "with ids": SOM()}
PREFIXES = {"as published": PUBLISHED_PREFIX, "with ids": DEFAULT_PREFIX}
FOLDS = 4
THESIS = MachineSettings("poly", 3, 1 / len(NAMES), 10.0, 1.0)
"""The settings printed there, but for gamma: its -100 is no kernel's."""


@dataclass(frozen=True)
class SiteRows:
    """The pages of one site with their blocks."""

    name: str
    rows: list[Example]
    fingerprint: str


def main() -> None:
    """Run the training command."""
    parser = argparse.ArgumentParser(prog="python -m training.som", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with one set per site")
    parser.add_argument("--more", type=Path, help="folder with the sites that selectors are for")
    parser.add_argument("--out", type=Path, required=True, help="folder for som.npz and som.json")
    parser.add_argument("--pages", type=int, default=PAGES, help="pages of each site")
    parser.add_argument("--single", action="store_true", help="measure each feature alone, too")
    options = parser.parse_args()
    sets = list(read(options.data, options.more, options.pages))
    card: dict[str, Any] = {
        "model": "som",
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "features": list(NAMES),
        "data": {},
        "folds": FOLDS,
        "unseen_sites": {},
    }
    arrays: dict[str, NDArray[Any]] = {}
    for title, method in METHODS.items():
        sys.stderr.write(f"{title}\n")
        sites = [MarkedSite.of(each.rows, method) for each in sets]
        asked = [samples_of_parts(each.rows, method) for each in sets]
        names = [each.name for each in sets]
        card["unseen_sites"] |= measured(title, names, sites, asked)
        training = train(sites, asked)
        card[f"machine, {title}"] = training.summary
        arrays |= training.machine.to_arrays(PREFIXES[title])
        card["data"][title] = {
            each.name: {
                "pages": len(each.rows),
                "one_block": int(samples.merged.sum()),
                "several_blocks": int((~samples.merged).sum()),
                "fingerprint": each.fingerprint,
            }
            for each, samples in zip(sets, asked, strict=True)
        }
    if options.single:
        # The last method is the default.
        card["single_features"] = single_features(asked, training.machine.settings)
    write_model(options.out, "som", arrays, card)


def read(data: Path, more: Path | None, pages: int) -> Iterator[SiteRows]:
    """Yield the sites of two folders; the blocks of the second are found by selectors."""
    for path in sorted(data.glob("*.jsonl*")):
        source = find(path, pages)
        print_ = survey(source, lambda row: bool(row.blocks)).fingerprint
        yield SiteRows(source.name, list(source.rows()), print_)
    if more is not None:
        for site, selectors in json.loads(SELECTORS.read_text("utf-8")).items():
            source = find(more / f"{site}.jsonl.gz", pages)
            rows = [marked(row, selectors) for row in source.rows()]
            print_ = survey(source, lambda row: True).fingerprint
            yield SiteRows(source.name, [row for row in rows if row.blocks], print_)


def marked(row: Example, selectors: Sequence[tuple[str, str]]) -> Example:
    """Return a page with the elements that selectors find as its blocks, each with its type."""
    tree = lxml_tree(row.html)
    paths = tree.getroottree()
    blocks: dict[str, Block] = {}
    for type_, selector in selectors:
        for element in lxml.cssselect.CSSSelector(selector)(tree):
            path = paths.getpath(element)
            blocks.setdefault(path, Block(path, type_))
    return replace(row, blocks=tuple(blocks.values()))


def measured(
    title: str, names: Sequence[str], sites: Sequence[MarkedSite], asked: Sequence[Asked]
) -> dict[str, Any]:
    """Return scores by way of pruning and site; the machine has not seen the site.

    Nor have its settings been chosen with it.
    """
    tables: dict[str, list[NDArray[np.float64]]] = {}
    chosen, answers, order, evaluated = [], [], [], []
    for fold in watched(range(FOLDS), FOLDS, title, "folds"):
        rest = [number for number in range(len(sites)) if number % FOLDS != fold]
        others = [asked[number] for number in rest]
        machine = train([sites[number] for number in rest], others).machine
        printed = fit(others, THESIS)
        chosen.append(machine.settings.label)
        sys.stderr.write(f"  fold {fold + 1} of {FOLDS}: {chosen[-1]}\n")
        for number in range(fold, len(sites), FOLDS):
            order.append(number)
            answers.append(machine(asked[number].features) > 0)
            site = sites[number]
            pruned = prune(site.tree, machine.decide, site.method.rare_share)
            evaluated.append(pruned.merged)
            for way, table in _ways(site, machine.decide, printed.decide):
                tables.setdefault(f"{title}, {way}", []).append(table)
    truth = np.concatenate([asked[number].merged for number in order])
    return {
        title: {
            "chosen": chosen,
            "samples": recalls(np.concatenate(answers), truth),
            "evaluated": {
                "svm": _counts(np.concatenate(evaluated)),
                "oracle": _counts(np.concatenate([site.samples().merged for site in sites])),
            },
        },
        **{
            way: summary([names[number] for number in order], by_site)
            for way, by_site in tables.items()
        },
    }


def _counts(merged: NDArray[np.bool_]) -> dict[str, int]:
    """Return how many samples were asked for while trees were pruned, by the answer."""
    return {"one_block": int(merged.sum()), "several_blocks": int((~merged).sum())}


def _ways(
    site: MarkedSite, learned: Decision, printed: Decision
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield the scores of a site by what prunes it; as the default also without joined text."""
    plain = replace(site, method=replace(site.method, join_text=False))
    for joined, each in (("", plain), (", text joined", site)):
        if each.method.join_text is bool(joined):
            thresholds = replace(each, method=replace(each.method, pruning="thresholds"))
            yield f"thresholds{joined}", thresholds.measured()
            yield f"svm{joined}", each.measured(learned)
            yield f"svm with the printed coef0{joined}", each.measured(printed)
            yield f"oracle{joined}", each.measured(oracle(each))


def summary(names: Sequence[str], tables: Sequence[NDArray[np.float64]]) -> dict[str, Any]:
    """Return the mean scores of each site and over sites, with an interval of its first."""
    means = np.array([table.mean(axis=0) for table in tables])
    drawn = np.concatenate([*resamples(len(means), BOOTSTRAP_SAMPLES, 0)])
    low, high = interval(drawn @ means[:, 0] / len(means))
    by_site = {
        name: dict(zip(COLUMNS, row.round(4).tolist(), strict=True))
        for name, row in zip(names, means, strict=True)
    }
    mean = dict(zip(COLUMNS, means.mean(axis=0).round(4).tolist(), strict=True))
    return {**by_site, "mean": mean, "ari_interval_over_sites": [round(low, 4), round(high, 4)]}


def single_features(asked: Sequence[Asked], settings: MachineSettings) -> dict[str, Any]:
    """Return how well each feature alone tells samples of unseen sites."""
    found = {}
    for column, name in enumerate(NAMES):
        answers = []
        for number, samples in enumerate(asked):
            svm = fit([*asked[:number], *asked[number + 1 :]], settings, only=column)
            answers.append(svm(samples.features) > 0)
        truth = np.concatenate([samples.merged for samples in asked])
        found[name] = recalls(np.concatenate(answers), truth)
    return found


def recalls(answers: NDArray[np.bool_], truth: NDArray[np.bool_]) -> dict[str, Any]:
    """Return accuracy, and the shares of one-block and of other samples that are answered right."""
    right = answers == truth

    def share(which: NDArray[np.bool_]) -> list[float]:
        """Return a share and the ends of its interval, by bootstrap over samples."""
        hits = int(right[which].sum())
        count = max(1, int(which.sum()))
        drawn = np.random.default_rng(0).binomial(count, hits / count, BOOTSTRAP_SAMPLES)
        return [round(value, 4) for value in (hits / count, *interval(drawn / count))]

    return {
        "accuracy": share(np.ones_like(truth)),
        "recall_one_block": share(truth),
        "recall_several_blocks": share(~truth),
    }


if __name__ == "__main__":
    main()
