"""Evaluations of records, segments, metadata, posts and products as plain data and tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from joeira.arrays import Floats
from joeira.evaluation import metadata_scores, record_scores, segment_scores
from joeira.evaluation.compare import Evaluation
from joeira.evaluation.metadata_scores import FACTS, HALVES, Accuracy, ProductScore
from joeira.evaluation.metrics import BOOTSTRAP_SAMPLES, interval, resamples
from joeira.evaluation.record_scores import PostScore, RecordScore
from joeira.evaluation.report import Grid, failures, heading

_SHARES = {
    "P": "precision", "R": "recall", "F1": "f1", "page F1": "page_f1", "micro P": "micro_precision",
    "micro R": "micro_recall", "micro F1": "micro_f1", "region": "region_rate", "exact": "exact",
    "P found": "precision_where_found", "F1 found": "f1_where_found",
}  # fmt: skip


@dataclass(frozen=True)
class RecordReport:
    """The report of one evaluation of record methods."""

    evaluation: Evaluation
    compare: bool = False
    """Whether the first method is taken as the one whose noise the others remove."""

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        survey = self.evaluation.survey
        notes = [f"{survey.pages} pages, fingerprint {survey.fingerprint}."]
        if survey.without_gold:
            notes.append(f"Left out: {survey.without_gold} without records in the gold.")
        return [
            *notes,
            "P, R: means over pages; F1: their harmonic mean; micro: over all records; region: "
            "pages on which one table contains 80 % of the records; found: over those pages, and "
            "with their share as recall.",
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
                name: dict(zip(("share", "pages"), removed, strict=True))
                for name, removed in self._noise_removed.items()
            },
        }

    @cached_property
    def _scores(self) -> dict[str, dict[str, RecordScore]]:
        """By the tables that count and method."""
        measured = self.evaluation.measured
        tables = list(measured.values())
        return {
            which: dict(zip(measured, record_scores.scores(tables, first=first), strict=True))
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
        shares = {name: record_scores.noise_removed(before, after) for name, after in others}
        return {name: (float(np.mean(all_)), len(all_)) for name, all_ in shares.items() if all_}

    def _method(self, name: str) -> dict[str, Any]:
        evaluation = self.evaluation
        method_scores = {which: dataclasses.asdict(by[name]) for which, by in self._scores.items()}
        failed = [dataclasses.asdict(failure) for failure in evaluation.failures[name]]
        return {
            **method_scores,
            "cpu_ms": float(evaluation.cpu_ms[name].mean()),
            "failures": failed,
        }

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


_HEAD = ("ARI", "NMI", "B3 P", "B3 R", "B3 F1", "segments", "blocks")


@dataclass(frozen=True)
class SegmentReport:
    """The report of one evaluation of segmentation methods."""

    evaluation: Evaluation

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        survey = self.evaluation.survey
        notes = [f"{survey.pages} pages, fingerprint {survey.fingerprint}."]
        if survey.without_gold:
            notes.append(f"Left out: {survey.without_gold} without blocks in the gold.")
        return [
            *notes,
            "Means over pages. ARI, NMI: over the words that are in some block of the gold; B3: "
            "extended BCubed over all words; segments, blocks: number per page.",
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
            **dict(zip(segment_scores.COLUMNS, means.tolist(), strict=True)),
            "ari_interval": ari_interval,
            "cpu_ms": float(evaluation.cpu_ms[name].mean()),
            "failures": [dataclasses.asdict(failure) for failure in evaluation.failures[name]],
        }


def _interval(scores: Floats) -> tuple[float, float]:
    drawn = resamples(len(scores), BOOTSTRAP_SAMPLES, 0)
    return interval(np.concatenate([times @ scores / len(scores) for times in drawn]))


@dataclass(frozen=True)
class FactsReport:
    """The report of one evaluation of metadata."""

    evaluation: Evaluation

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        survey = self.evaluation.survey
        return [
            f"{survey.pages} pages, fingerprint {survey.fingerprint}.",
            f"Left out: {survey.without_gold} without title, author and date in the gold.",
            "Share of pages that are right: title regardless of case and punctuation, the same "
            "set of authors, the same day.",
            "Halves: by host; most rules were written by looking at failures in the first half "
            "only.",
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
        first = metadata_scores.in_first_half(self.evaluation.rows)
        pages = {"all": np.ones(len(first), bool), HALVES[0]: first, HALVES[1]: ~first}
        return {
            which: {
                name: {
                    fact: metadata_scores.accuracy(measured[inside, number])
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


@dataclass(frozen=True)
class ProductReport:
    """The report of one evaluation of products."""

    evaluation: Evaluation

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        survey = self.evaluation.survey
        return [
            f"{survey.pages} pages, fingerprint {survey.fingerprint}.",
            f"Left out: {survey.without_gold} without a product in the gold.",
            "P: share of the extracted values that are accepted; R: share of the gold that is "
            "met; a value that the gold lacks counts against P.",
            "ms: CPU time per page from source to facts; intervals: 95 %, bootstrap.",
        ]

    def grids(self) -> Iterator[Grid]:
        """Yield the tables of the report."""
        head = ["method", "fact", "P", "R", "F1", "95 % of F1", "right", "ms", "failed"]
        rows = []
        for name, scores in self._scores.items():
            cpu_ms = f"{self.evaluation.cpu_ms[name].mean():.1f}"
            failed = str(len(self.evaluation.failures[name]))
            for fact, score in scores.items():
                shares = [f"{x:.4f}" for x in (score.precision, score.recall, score.f1)]
                low, high = score.interval
                ends = [f"{low:.4f}-{high:.4f}", str(score.right), cpu_ms, failed]
                rows.append([name, fact, *shares, *ends])
        yield Grid(f"{self.evaluation.name}: products", head, rows)
        yield from failures(self.evaluation)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain data."""
        evaluation = self.evaluation
        return {
            **heading(evaluation),
            "methods": {
                name: {
                    **{fact: dataclasses.asdict(score) for fact, score in scores.items()},
                    "cpu_ms": float(evaluation.cpu_ms[name].mean()),
                    "failures": [dataclasses.asdict(f) for f in evaluation.failures[name]],
                }
                for name, scores in self._scores.items()
            },
        }

    @cached_property
    def _scores(self) -> dict[str, dict[str, ProductScore]]:
        """By method and fact."""
        measured = self.evaluation.measured
        return {name: metadata_scores.product_scores(table) for name, table in measured.items()}


def _cells(score: Accuracy | None) -> list[str]:
    if score is None:
        return ["", ""]
    low, high = score.interval
    return [f"{score.share:.4f}", f"{low:.4f}-{high:.4f}"]


@dataclass(frozen=True)
class PostReport:
    """The report of one evaluation of posts."""

    evaluation: Evaluation

    def notes(self) -> list[str]:
        """Return what has to be said beside the numbers."""
        survey = self.evaluation.survey
        return [
            f"{survey.pages} pages, fingerprint {survey.fingerprint}.",
            f"Left out: {survey.without_gold} without posts in the gold.",
            "A post is found if its text and that of a gold post have a word F1 of at least 0.8. "
            "P, R, F1: over all posts; page F1: mean over pages; site F1: mean over sites.",
            "author, date: share of the posts found that have the right one.",
            "ms: CPU time per page from source to posts; interval: 95 %, bootstrap.",
        ]

    def grids(self) -> Iterator[Grid]:
        """Yield the tables of the report."""
        head = ["method", *_POST_SHARES, "95 % of page F1", "ms", "failed"]
        rows = []
        for name, score in self._scores.items():
            shares = [f"{getattr(score, field):.4f}" for field in _POST_SHARES.values()]
            low, high = score.interval
            cpu_ms = f"{self.evaluation.cpu_ms[name].mean():.1f}"
            failed = str(len(self.evaluation.failures[name]))
            rows.append([name, *shares, f"{low:.4f}-{high:.4f}", cpu_ms, failed])
        yield Grid(f"{self.evaluation.name}: posts", head, rows)
        yield from failures(self.evaluation)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain data."""
        evaluation = self.evaluation
        methods = {
            name: {
                **dataclasses.asdict(score),
                "cpu_ms": float(evaluation.cpu_ms[name].mean()),
                "failures": [dataclasses.asdict(failure) for failure in evaluation.failures[name]],
            }
            for name, score in self._scores.items()
        }
        return {**heading(evaluation), "methods": methods}

    @cached_property
    def _scores(self) -> dict[str, PostScore]:
        sites = [urlsplit(row.url or "").hostname or row.id for row in self.evaluation.rows]
        return {
            name: record_scores.post_score(table, sites)
            for name, table in self.evaluation.measured.items()
        }


_POST_SHARES = {
    "P": "precision", "R": "recall", "F1": "f1", "page F1": "page_f1", "site F1": "site_f1",
    "author": "author", "date": "date",
}  # fmt: skip
