"""An evaluation of metadata as plain data and tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from joeira.evaluation import facts
from joeira.evaluation.compare import Evaluation
from joeira.evaluation.facts import FACTS, HALVES, Accuracy
from joeira.evaluation.report import Grid, failures, heading


@dataclass(frozen=True)
class FactsReport:
    """What is told of one evaluation of metadata."""

    evaluation: Evaluation

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        survey = self.evaluation.survey
        return [
            f"{survey.pages} pages, fingerprint {survey.fingerprint}.",
            f"Left out: {survey.without_gold} without title, author and date in the answer.",
            "Share of pages that are right: title without regard to case and punctuation, the same "
            "set of authors, the same day.",
            "Halves: by host; rules were made by looking at failures in the first half only.",
            "ms: CPU time per page from source to facts; intervals: 95 %, bootstrap.",
        ]

    def grids(self) -> Iterator[Grid]:
        """Yield the tables of the report."""
        yield self._overall()
        yield self._halves()
        yield from failures(self.evaluation)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain data."""
        evaluation = self.evaluation
        return {
            **heading(evaluation),
            "methods": {name: self._method(name) for name in evaluation.measured},
        }

    @cached_property
    def _scores(self) -> dict[str, dict[str, dict[str, Accuracy | None]]]:
        """By pages (all, then each half), method and fact."""
        first = facts.in_first_half(self.evaluation.rows)
        pages = {"all": np.ones(len(first), bool), HALVES[0]: first, HALVES[1]: ~first}
        return {
            which: {
                name: {
                    fact: facts.accuracy(measured[inside, number])
                    for number, fact in enumerate(FACTS)
                }
                for name, measured in self.evaluation.measured.items()
            }
            for which, inside in pages.items()
        }

    def _method(self, name: str) -> dict[str, Any]:
        evaluation = self.evaluation
        scores = {
            which: {
                fact: score and dataclasses.asdict(score) for fact, score in by_method[name].items()
            }
            for which, by_method in self._scores.items()
        }
        failed = [dataclasses.asdict(failure) for failure in evaluation.failures[name]]
        return {**scores, "cpu_ms": float(evaluation.cpu_ms[name].mean()), "failures": failed}

    def _overall(self) -> Grid:
        by_method = self._scores["all"]
        head = ["method"]
        for fact, score in next(iter(by_method.values())).items():
            head += [f"{fact} ({score.pages if score else 0})", "95 %"]
        rows = []
        for name, scores in by_method.items():
            cells = [cell for score in scores.values() for cell in _cells(score)]
            cpu_ms = f"{self.evaluation.cpu_ms[name].mean():.1f}"
            rows.append([name, *cells, cpu_ms, str(len(self.evaluation.failures[name]))])
        return Grid(f"{self.evaluation.name}: all pages", [*head, "ms", "failed"], rows)

    def _halves(self) -> Grid:
        head = ["method"]
        rows = [[name] for name in self.evaluation.measured]
        for fact in FACTS:
            for half in HALVES:
                scores = [by_fact[fact] for by_fact in self._scores[half].values()]
                pages = scores[0].pages if scores[0] else 0
                head.append(f"{fact}, {half} ({pages})")
                for row, score in zip(rows, scores, strict=True):
                    row.append(_cells(score)[0])
        return Grid(f"{self.evaluation.name}: by halves of the hosts", head, rows)


def _cells(score: Accuracy | None) -> list[str]:
    if score is None:
        return ["", ""]
    low, high = score.interval
    return [f"{score.share:.4f}", f"{low:.4f}-{high:.4f}"]
