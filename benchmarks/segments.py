"""Scores of the site object model on sites whose blocks are known, and its time.

::

    python benchmarks/segments.py ../shared/bench/segments/siteseg/*.jsonl.gz --pages 40

With scikit-learn installed (``joeira[train]``), the learned pruning is measured as well: on each
site by a machine that has learned from the others.
"""

from __future__ import annotations

import argparse
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from joeira.evaluation.datasets import find
from joeira.evaluation.site_scores import MarkedSite, oracle
from joeira.page import parse
from joeira.sites import SOM
from joeira.sites.som.pruning import Decision, prune


def main() -> None:
    """Print one line per site and way of pruning, and the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="one data set per site")
    parser.add_argument("--pages", type=int, default=40, help="pages of each site")
    options = parser.parse_args()
    rows = {file: list(find(file, options.pages).rows()) for file in options.files}
    sites = {file: MarkedSite.of(found, SOM().repetition) for file, found in rows.items()}
    for file, found in rows.items():
        print(f"{file.name:40} {seconds(found):.2f} s for {len(found)} pages, after parsing")
    ways: dict[str, dict[Path, Decision | None]] = {
        "thresholds": dict.fromkeys(sites),
        "oracle": {file: oracle(site) for file, site in sites.items()},
    }
    if find_spec("sklearn"):
        ways["svm"] = learned_elsewhere(sites)
    for way, deciding in ways.items():
        for method in (SOM.published(), SOM()):
            means = []
            for file, site in sites.items():
                decide = deciding[file]
                owner = method.decided(site.tree, decide) if decide else method.owners(site.tree)
                means.append(site.scores(owner))
                print(f"{way:12} {file.name:36} {told(means[-1])}")
            mean = {name: float(np.mean([one[name] for one in means])) for name in means[0]}
            joined = ", text joined" if method.join_text else ", as published"
            print(f"{way + joined:49} {told(mean)}\n")


def seconds(rows: list) -> float:
    """Return the CPU time from parsed pages to the segments of one."""
    pages = [parse(row.html) for row in rows]
    began = time.process_time()
    SOM().fit(pages).extract(pages[0])
    return time.process_time() - began


def learned_elsewhere(sites: dict[Path, MarkedSite]) -> dict[Path, Decision | None]:
    """Return for each site who decides after learning from the others."""
    from joeira.sites.som import PruningModel
    from training.som import fit

    asked = {file: prune(site.tree, oracle(site)) for file, site in sites.items()}
    return {
        file: PruningModel(fit([asked[other] for other in sites if other != file])).decide
        for file in sites
    }


def told(scores: dict[str, float]) -> str:
    """Return scores with their names."""
    return "  ".join(f"{name} {value:.3f}" for name, value in scores.items())


if __name__ == "__main__":
    main()
