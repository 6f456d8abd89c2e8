"""Scores of VIPS by the degree of coherence that is permitted; needs ``joeira[browser]``.

::

    python benchmarks/vips.py ../shared/bench/segments/kreuzer-popular.jsonl.gz
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from joeira.evaluation import segment_scores, tasks
from joeira.evaluation.datasets import find
from joeira.page import parse
from joeira.render.browser import browser
from joeira.segments import VIPS


def main() -> None:
    """Print one line per degree of coherence."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="pages with blocks")
    parser.add_argument("--limit", type=int, help="only the first pages")
    parser.add_argument("--degrees", type=int, nargs="+", default=range(1, 11), metavar="DEGREE")
    options = parser.parse_args()
    rows = [row for row in find(options.file, options.limit).rows() if row.blocks]
    pages = [parse(row.html, row.url) for row in rows]
    golds = [segment_scores.Gold(row) for row in rows]
    began = time.perf_counter()
    with browser(VIPS().width) as program:
        layouts = [program.layout(page) for page in pages]
    print(f"{len(pages)} pages, {(time.perf_counter() - began) / len(pages):.2f} s each to draw")
    drawn = [one for one in zip(pages, golds, layouts, strict=True) if one[2] is not None]
    print(f"{len(pages) - len(drawn)} could not be drawn")
    for coherence in options.degrees:
        method = VIPS(coherence)
        found = [
            gold.measure(tasks.SEGMENTS.output_of(method.divide(page, layout)))
            for page, gold, layout in drawn
        ]
        means = zip(segment_scores.COLUMNS, np.mean(found, axis=0), strict=True)
        print(coherence, "  ".join(f"{name} {value:.3f}" for name, value in means))


if __name__ == "__main__":
    main()
