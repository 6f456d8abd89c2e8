"""How often the labels of segments are right, and whether their probability can be believed.

::

    python benchmarks/segment_labels.py ../shared/bench/segments/kreuzer-popular.jsonl.gz
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from joeira import segment
from joeira.evaluation.datasets import find
from joeira.evaluation.segment_scores import judged, label_summary


def main() -> None:
    """Print the summary as JSON, of the kind measure and of the strict one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="pages with blocks")
    options = parser.parse_args()
    rows = [row for row in find(options.file).rows() if row.blocks]
    segments = [segment(row.html) for row in rows]
    for is_strict in (False, True):
        tables = [
            judged(row, found, is_strict=is_strict)
            for row, found in zip(rows, segments, strict=True)
        ]
        print(json.dumps({"strict": is_strict, **label_summary(tables)}, indent=1))


if __name__ == "__main__":
    main()
