"""An evaluation of record methods as plain data and tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from joeira.evaluation import records
from joeira.evaluation.compare import Evaluation
from joeira.evaluation.records import RecordScore
from joeira.evaluation.report import Grid, failures, heading

_SHARES = {
    "P": "precision", "R": "recall", "F1": "f1", "page F1": "page_f1", "micro P": "micro_precision",
    "micro R": "micro_recall", "micro F1": "micro_f1", "region": "region_rate", "exact": "exact",
    "P found": "precision_where_found", "F1 found": "f1_where_found",
}  # fmt: skip


@dataclass(frozen=True)
class RecordReport:
    """What is told of one evaluation of record methods."""

    evaluation: Evaluation
    compare: bool = False
    """Whether the first method is taken as the one whose noise the others remove."""

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        survey = self.evaluation.survey
        notes = [f"{survey.pages} pages, fingerprint {survey.fingerprint}."]
        if survey.without_gold:
            notes.append(f"Left out: {survey.without_gold} without records in the answer.")
        return [
            *notes,
            "P, R: means over pages; F1: their harmonic mean; micro: over all records; region: "
            "pages on which one table holds 80 % of the records; found: over those pages, and with "
            "their share as recall.",
            "ms: CPU time per page from source to records; intervals: 95 %, bootstrap.",
        ]

    def grids(self) -> Iterator[Grid]:
        """Yield the tables of the report."""
        yield self._overall("all tables", self._scores["all_tables"])
        count = self.evaluation.options.first_tables
        title = "first table only" if count == 1 else f"first {count} tables only"
        yield self._overall(title, self._scores["first_tables"])
        if self.compare:
            yield self._noise()
        yield from failures(self.evaluation)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain data."""
        evaluation = self.evaluation
        return {
            **heading(evaluation),
            "methods": {name: self._method(name) for name in evaluation.measured},
            "noise_removed": {
                name: dict(zip(("share", "pages"), found, strict=True))
                for name, found in self._noise_removed.items()
            },
        }

    @cached_property
    def _scores(self) -> dict[str, dict[str, RecordScore]]:
        """By the tables that count and method."""
        measured = self.evaluation.measured
        tables = list(measured.values())
        return {
            which: dict(zip(measured, records.scores(tables, first=first), strict=True))
            for which, first in (("all_tables", False), ("first_tables", True))
        }

    @cached_property
    def _noise_removed(self) -> dict[str, tuple[float, int]]:
        """Mean share of the first method's noise that each other removes, and over how many pages.

        Empty unless asked for.
        """
        if not self.compare:
            return {}
        (_, before), *others = self.evaluation.measured.items()
        found = {name: records.noise_removed(before, after) for name, after in others}
        return {name: (float(np.mean(all_)), len(all_)) for name, all_ in found.items() if all_}

    def _method(self, name: str) -> dict[str, Any]:
        evaluation = self.evaluation
        found = {which: dataclasses.asdict(by[name]) for which, by in self._scores.items()}
        failed = [dataclasses.asdict(failure) for failure in evaluation.failures[name]]
        return {**found, "cpu_ms": float(evaluation.cpu_ms[name].mean()), "failures": failed}

    def _overall(self, title: str, scores: dict[str, RecordScore]) -> Grid:
        head = ["method", *_SHARES, "95 % of F1", "returned", "ms", "failed"]
        rows = []
        for name, score in scores.items():
            shares = [f"{getattr(score, field):.4f}" for field in _SHARES.values()]
            interval = f"{score.interval[0]:.4f}-{score.interval[1]:.4f}"
            cpu_ms = f"{self.evaluation.cpu_ms[name].mean():.1f}"
            failed = str(len(self.evaluation.failures[name]))
            rows.append([name, *shares, interval, str(score.returned), cpu_ms, failed])
        return Grid(f"{self.evaluation.name}: {title}", head, rows)

    def _noise(self) -> Grid:
        first = next(iter(self.evaluation.measured))
        rows = [
            [name, f"{share:.4f}", str(pages)]
            for name, (share, pages) in self._noise_removed.items()
        ]
        title = f"{self.evaluation.name}: noise of {first} removed where the region is kept"
        return Grid(title, ["method", "noise removed", "pages"], rows)
