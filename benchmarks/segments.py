"""Scores of the site object model on sites whose blocks are known, and its time.

::

    python benchmarks/segments.py ../shared/bench/segments/siteseg/*.jsonl.gz --pages 40

The learned pruning is measured on each site by a machine that has learned from the others, with the
settings of the shipped one; `python -m training.som` chooses the settings without the site as well.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from joeira.evaluation.datasets import find
from joeira.evaluation.marked_sites import MarkedSite, oracle
from joeira.page import parse
from joeira.sites import SOM
from joeira.sites.som import load
from joeira.sites.som.pruning import Decision, fit

METHODS = {
    "as published": SOM.published(),
    "with ids": SOM(join_text=False),
    "with ids, text joined": SOM(),
}


def main() -> None:
    """Print one line per site and way of pruning, and the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="one data set per site")
    parser.add_argument("--pages", type=int, default=40, help="pages of each site")
    options = parser.parse_args()
    rows = {file: list(find(file, options.pages).rows()) for file in options.files}
    for file, found in rows.items():
        print(f"{file.name:40} {seconds(found):.2f} s for {len(found)} pages, after parsing")
    for title, method in METHODS.items():
        sites = {file: MarkedSite.of(found, method) for file, found in rows.items()}
        for way, deciding in ways(sites).items():
            means = []
            for file, site in sites.items():
                decide = deciding.get(file)
                pruned = replace(site, method=replace(method, pruning="thresholds"))
                means.append(site.scores(decide) if decide else pruned.scores())
                print(f"{way:12} {file.name:36} {told(means[-1])}")
            mean = {name: float(np.mean([one[name] for one in means])) for name in means[0]}
            print(f"{f'{way}, {title}':49} {told(mean)}\n")


def seconds(rows: list) -> float:
    """Return the CPU time from parsed pages to the segments of one."""
    pages = [parse(row.html) for row in rows]
    began = time.process_time()
    SOM().fit(pages).extract(pages[0])
    return time.process_time() - began


def ways(sites: dict[Path, MarkedSite]) -> dict[str, dict[Path, Decision]]:
    """Return by way of pruning who decides on each site; nobody where thresholds do."""
    asked = {file: site.samples() for file, site in sites.items()}
    settings = load().settings
    machines = {
        file: fit([asked[other] for other in sites if other != file], settings)
        for file in sites
        if len(sites) > 1
    }
    return {
        "thresholds": {},
        "svm": {file: machine.decide for file, machine in machines.items()},
        "oracle": {file: oracle(site) for file, site in sites.items()},
    }


def told(scores: dict[str, float]) -> str:
    """Return scores with their names."""
    return "  ".join(f"{name} {value:.3f}" for name, value in scores.items())


if __name__ == "__main__":
    main()
