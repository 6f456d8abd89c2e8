"""Scores of the site object model on sites whose blocks are known.

::

    python benchmarks/segments.py ../shared/bench/segments/siteseg/*.jsonl.gz --pages 40
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from joeira.evaluation import segments, tasks
from joeira.evaluation.datasets import find
from joeira.page import parse
from joeira.sites import SOM


def main() -> None:
    """Print one line per site and the means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="one data set per site")
    parser.add_argument("--pages", type=int, default=40, help="pages of each site")
    options = parser.parse_args()
    means = []
    for file in options.files:
        rows = list(find(file, options.pages).rows())
        pages = [parse(row.html) for row in rows]
        began = time.process_time()
        site = SOM().fit(pages)
        seconds = time.process_time() - began
        found = [
            segments.Gold(row).measure(tasks.SEGMENTS.output_of(site.extract(page)))
            for row, page in zip(rows, pages, strict=True)
        ]
        means.append(np.mean(found, axis=0))
        print(f"{file.name:40} {told(means[-1])}  {seconds:.2f} s for {len(pages)} pages")
    print(f"{'mean':40} {told(np.mean(means, axis=0))}")


def told(scores: np.ndarray) -> str:
    """Return scores with their names."""
    return "  ".join(
        f"{name} {value:.3f}" for name, value in zip(segments.COLUMNS, scores, strict=True)
    )


if __name__ == "__main__":
    main()
