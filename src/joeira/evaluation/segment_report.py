"""An evaluation of segmentation methods as plain data and a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from joeira.arrays import Floats
from joeira.evaluation import segments
from joeira.evaluation.compare import Evaluation
from joeira.evaluation.metrics import BOOTSTRAP_SAMPLES, interval, resamples
from joeira.evaluation.report import Grid, failures, heading

_HEAD = ("ARI", "NMI", "B3 P", "B3 R", "B3 F1", "segments", "blocks")


@dataclass(frozen=True)
class SegmentReport:
    """What is told of one evaluation of segmentation methods."""

    evaluation: Evaluation

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        survey = self.evaluation.survey
        notes = [f"{survey.pages} pages, fingerprint {survey.fingerprint}."]
        if survey.without_gold:
            notes.append(f"Left out: {survey.without_gold} without blocks in the answer.")
        return [
            *notes,
            "Means over pages. ARI, NMI: over the words that are in some block of the answer; B3: "
            "extended BCubed over all words; segments, blocks: how many there are on a page.",
            "ms: CPU time per page from source to segments; intervals: 95 %, bootstrap.",
        ]

    def grids(self) -> Iterator[Grid]:
        """Yield the tables of the report."""
        rows = []
        for name, (means, (low, high)) in self._scores.items():
            figures = [f"{mean:.4f}" for mean in means[:-2]]
            counts = [f"{mean:.1f}" for mean in means[-2:]]
            cpu_ms = f"{self.evaluation.cpu_ms[name].mean():.1f}"
            failed = str(len(self.evaluation.failures[name]))
            rows.append([name, *figures, *counts, f"{low:.4f}-{high:.4f}", cpu_ms, failed])
        head = ["method", *_HEAD, "95 % of ARI", "ms", "failed"]
        yield Grid(f"{self.evaluation.name}: segments", head, rows)
        yield from failures(self.evaluation)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain data."""
        evaluation = self.evaluation
        return {
            **heading(evaluation),
            "methods": {name: self._method(name) for name in evaluation.measured},
        }

    @cached_property
    def _scores(self) -> dict[str, tuple[Floats, tuple[float, float]]]:
        """By method: the mean of each column, and the interval of the first, the ARI."""
        return {
            name: (table.mean(axis=0), _interval(table[:, 0]))
            for name, table in self.evaluation.measured.items()
        }

    def _method(self, name: str) -> dict[str, Any]:
        evaluation = self.evaluation
        means, ari_interval = self._scores[name]
        return {
            **dict(zip(segments.COLUMNS, means.tolist(), strict=True)),
            "ari_interval": ari_interval,
            "cpu_ms": float(evaluation.cpu_ms[name].mean()),
            "failures": [dataclasses.asdict(failure) for failure in evaluation.failures[name]],
        }


def _interval(scores: Floats) -> tuple[float, float]:
    drawn = resamples(len(scores), BOOTSTRAP_SAMPLES, 0)
    return interval(np.concatenate([times @ scores / len(scores) for times in drawn]))
