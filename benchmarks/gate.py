"""Share of the pages of each type that are let through as pages of records, on unseen sites.

::

    python benchmarks/gate.py [FOLDER] [--seeds 11 12 13] [--presence 0.13 0.14]

FOLDER holds ``records/`` and ``content/``, as for ``python -m training.records``, whose libraries
this needs (``joeira[train]``), and whose trees it fits: for each seed sites are divided into five
folds anew, and the pages of each fold are judged by trees fitted on the others, both those that say
which list is the best and those that say whether the page has any. Given is the mean over seeds.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from timing import show

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from training.lists import folds
from training.records import FOLDS, WITH_LIST, read_pages, unseen_presence, unseen_scores

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "bench"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 12, 13])
    parser.add_argument("--presence", type=float, nargs="+", default=[0.10, 0.12, 0.13, 0.14])
    parser.add_argument("--limit", type=int, help="use only the first pages of each set (a try)")
    options = parser.parse_args()

    def say(message: str) -> None:
        sys.stderr.write(f"{message}\n")

    examples, _ = read_pages(options.folder, options.limit, say)
    kinds = np.array([one.kind for one in examples])
    per_seed = []
    for seed in options.seeds:
        say(f"seed {seed}")
        fold = folds(examples, FOLDS, seed)
        per_seed.append(unseen_presence(examples, unseen_scores(examples, fold, say), fold, say))
    presence = np.stack(per_seed)
    order = [*WITH_LIST, "article", *sorted(set(kinds) - {*WITH_LIST, "article"})]
    lines = []
    for kind in order:
        own = presence[:, kinds == kind]
        shares = [(own >= least).mean(axis=1) for least in options.presence]
        lines.append(
            [
                kind,
                f"{own.shape[1]}",
                *(f"{one.mean():.3f} ({one.min():.3f} to {one.max():.3f})" for one in shares),
            ]
        )
    title = f"let through by min_presence, mean of {len(options.seeds)} divisions into folds"
    show(title, ["type", "pages", *map(str, options.presence)], lines)


if __name__ == "__main__":
    main()
