"""Quality floors: the F1 that every content method must reach on fixed samples of pages.

Floors are changed by this command only, so that a change of them is a line in a review::

    python -m joeira.evaluation.floors tests/quality/floors.json FOLDER            # show
    python -m joeira.evaluation.floors tests/quality/floors.json FOLDER --update   # measure, write

FOLDER holds the data sets; ``--full`` takes the whole sets instead of the samples, and
``--methods "a;b"`` measures only some methods and leaves the floors of the others as they are.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from joeira import catalog
from joeira.errors import InputError
from joeira.evaluation import datasets
from joeira.evaluation.compare import Evaluation, Options, evaluate

TOLERANCE = 0.003
VARIANTS = ("nce[comments=keep]",)
"""Settings of methods that have floors of their own."""


@dataclass(frozen=True)
class Floor:
    """What was measured on some pages of a data set."""

    data_set: str
    step: int
    """Every how many pages one is taken."""
    fingerprint: str = ""
    f1: dict[str, float] = field(default_factory=dict)
    """Mean word-bag F1 by method."""

    @property
    def name(self) -> str:
        """Say which pages they are."""
        return self.data_set if self.step == 1 else f"{self.data_set}, 1 page in {self.step}"

    def source(self, folder: Path) -> datasets.Source:
        """Return the pages."""
        return datasets.find(folder / f"{self.data_set}.jsonl.gz", step=self.step)

    def measured(
        self, folder: Path, options: Options | None = None, only: Sequence[str] = ()
    ) -> Floor:
        """Return the floor with what every content method, or only some, reaches now."""
        every = [*(entry.name for entry in catalog.entries("content")), *VARIANTS]
        evaluation = evaluate(self.source(folder), list(only) or every, options)
        f1 = f1_by_method(evaluation)
        if only:
            f1 = {name: (self.f1 | f1)[name] for name in every if name in self.f1 or name in f1}
        return replace(self, fingerprint=evaluation.survey.fingerprint, f1=f1)

    def complaints(self, now: Floor) -> list[str]:
        """Return what is wrong with a measurement of today."""
        if now.fingerprint != self.fingerprint:
            return [
                f"{self.name}: other pages or answers than those of the floors "
                f"(fingerprint {now.fingerprint}, not {self.fingerprint})"
            ]
        complaints = []
        for method, f1 in now.f1.items():
            floor = self.f1.get(method)
            if floor is None:
                complaints.append(f"{self.name}: {method} has no floor; it reaches {f1:.4f}")
            elif f1 < floor - TOLERANCE:
                complaints.append(f"{self.name}: {method} fell from {floor:.4f} to {f1:.4f}")
        gone = sorted(set(self.f1) - set(now.f1))
        return complaints + [f"{self.name}: {method} is not in the catalog" for method in gone]


def f1_by_method(evaluation: Evaluation) -> dict[str, float]:
    """Return the word-bag F1 of each contender, rounded as it is stored; failures are errors."""
    failures = [(name, failed[0]) for name, failed in evaluation.failures.items() if failed]
    if failures:
        method, first = failures[0]
        message = f"{evaluation.name}: {method} failed on page {first.page_id}: {first.reason}"
        raise InputError(message)
    scores = {name: evaluation.score(name) for name in evaluation.measured}
    return {name: round(score.f1, 4) for name, score in scores.items() if score is not None}


def read(path: Path) -> dict[str, list[Floor]]:
    """Read a file of floors: those of the samples and those of the full sets."""
    stored: dict[str, list[dict[str, Any]]] = json.loads(path.read_text("utf-8"))
    return {size: [Floor(**floor) for floor in floors] for size, floors in stored.items()}


def write(path: Path, floors: dict[str, list[Floor]]) -> None:
    """Write a file of floors."""
    stored = {size: [asdict(floor) for floor in group] for size, group in floors.items()}
    path.write_text(json.dumps(stored, indent=2) + "\n", "utf-8")


def _raised(before: dict[str, float], now: dict[str, float]) -> dict[str, float]:
    """Return what was measured now, but the old floor where it fell by no more than is tolerated.

    Otherwise floors would sink a little with every update.
    """
    old = {name: before.get(name, f1) for name, f1 in now.items()}
    return {name: old[name] if 0 < old[name] - f1 <= TOLERANCE else f1 for name, f1 in now.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Show or update the floors."""
    parser = argparse.ArgumentParser(prog="python -m joeira.evaluation.floors")
    parser.add_argument("floors", type=Path, help="the file of floors")
    parser.add_argument("folder", type=Path, help="folder with the data sets")
    parser.add_argument("--full", action="store_true", help="whole data sets, not samples")
    parser.add_argument("--update", action="store_true", help="write what is measured now")
    parser.add_argument("--methods", default="", help="only these, with ';' between them")
    options = parser.parse_args(arguments)
    only = [name for name in options.methods.split(";") if name]
    floors = read(options.floors)
    size = "full" if options.full else "sample"
    for number, floor in enumerate(floors[size]):
        now = floor.measured(options.folder, only=only)
        for method, f1 in now.f1.items():
            if only and method not in only:
                continue
            before = floor.f1.get(method)
            was = "no floor" if before is None else f"floor {before:.4f}, {f1 - before:+.4f}"
            sys.stdout.write(f"{floor.name}: {method} {f1:.4f} ({was})\n")
        sys.stdout.flush()
        floors[size][number] = replace(now, f1=_raised(floor.f1, now.f1))
    if options.update:
        write(options.floors, floors)


if __name__ == "__main__":
    main()
