"""Time of the default segmenter on top of parsing, in one run so that the two can be compared.

::

    python benchmarks/segment_speed.py ../shared/bench/segments/kreuzer-popular.jsonl.gz
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from joeira.evaluation.datasets import find
from joeira.page import parse
from joeira.segments import TreeCut


def main() -> None:
    """Print milliseconds per page: of each page the best of some rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="pages")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    sources = [row.html for row in find(options.file).rows()]
    segmenter = TreeCut()
    segmenter.extract(parse(sources[0]))  # loads the model
    parsing = segmenting = 0.0
    for source in sources:
        parsing += best_ms(partial(str, source), parse, options.rounds)
        segmenting += best_ms(partial(parse, source), segmenter.extract, options.rounds)
    print(
        f"{len(sources)} pages: parse {parsing / len(sources):.2f} ms, segment on top of it "
        f"{segmenting / len(sources):.2f} ms, {segmenting / parsing:.2f} times as long"
    )


def best_ms(make: Callable[[], Any], task: Callable[[Any], object], rounds: int) -> float:
    """Return the least CPU time of a task; what it works on is made anew each time."""
    found = []
    for _ in range(rounds):
        argument = make()
        began = time.process_time()
        task(argument)
        found.append(time.process_time() - began)
    return min(found) * 1000


if __name__ == "__main__":
    main()
