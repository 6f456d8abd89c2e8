"""Measure contenders side by side on one data set."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.errors import InputError, UsageError
from joeira.evaluation import contenders, metrics, tasks
from joeira.evaluation.datasets import Row, Source, Survey, survey
from joeira.evaluation.metrics import Difference, Score
from joeira.evaluation.tasks import CONTENT, Reading, Task
from joeira.evaluation.workers import Limits, Plan, outcomes

GROUPINGS = ("page_type", "lang")
UNKNOWN = "unknown"

# Above this share of the gold's letters a set has pages in such scripts, below only stray ones.
CJK_MIN_SHARE = 0.001


@dataclass(frozen=True)
class Failure:
    """A page on which a contender gave no output."""

    page_id: str
    reason: str


@dataclass(frozen=True)
class Options:
    """How to run an evaluation."""

    split_cjk: bool | None = None
    """Whether Han, kana, hangul and Thai characters are words; None: if the gold has such pages."""
    workers: int | None = None
    """Number of processes; None: one for each processor."""
    limits: Limits = field(default_factory=Limits)
    task: str = CONTENT.name
    """What is measured: a task of `joeira.evaluation.tasks`."""
    first_tables: int = 1
    """How many tables of records are measured on their own, beside all of them."""


@dataclass(frozen=True)
class Evaluation:
    """Every contender on every page of one data set."""

    name: str
    survey: Survey
    split_cjk: bool
    rows: Sequence[Row]
    """The pages that were measured, without their source and answers."""
    measured: dict[str, Floats] = field(repr=False)
    """Per contender a row of numbers per page: those of the task."""
    cpu_ms: dict[str, Floats] = field(repr=False)
    """Per contender the CPU time per page, from source to text."""
    failures: dict[str, list[Failure]]
    options: Options = field(default_factory=Options)

    def score(self, contender: str, metric: str = "words") -> Score | None:
        """Return a content metric over all pages; None when no page has gold for it."""
        return metrics.score(metric, self.measured[contender])

    def scores(self, metric: str, inside: NDArray[np.bool_] | None = None) -> dict[str, Score]:
        """Return a content metric of every contender over some pages; nothing without gold."""
        tables = [t if inside is None else t[inside] for t in self.measured.values()]
        return dict(zip(self.measured, metrics.scores(metric, tables), strict=False))

    def groups(self, grouping: str) -> dict[str, NDArray[np.bool_]]:
        """Return which pages are in each group, largest first; nothing when there is only one."""
        values = np.array([getattr(row, grouping) or UNKNOWN for row in self.rows])
        names, counts = np.unique(values, return_counts=True)
        if len(names) < 2:
            return {}
        return {str(names[i]): values == names[i] for i in np.argsort(-counts, kind="stable")}

    def differences(self, metric: str) -> dict[str, Difference]:
        """Return how much better the first contender is than each other, on the same pages."""
        first, *others = self.measured.values()
        found = metrics.differences(metric, first, others)
        return dict(zip(list(self.measured)[1:], found, strict=False))


def evaluate(
    source: Source,
    names: Sequence[str],
    options: Options | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Evaluation:
    """Run contenders over a data set.

    Args:
        source: The pages.
        names: Contenders: ``name``, ``name[key=value;...]`` or ``peer:name``.
        options: How to run.
        progress: Called with the number of finished and of all turns.
    """
    options = options or Options()
    workers = options.workers or _processors()
    if not names or workers < 1:
        message = "an evaluation needs at least one method and one worker"
        raise UsageError(message)
    task = tasks.find(options.task)
    for name in names:
        contenders.find(name, task)  # refuse a wrong name before anything runs
    known = survey(source, task.has_gold, facts=task is tasks.METADATA)
    split_cjk = options.split_cjk
    if split_cjk is None:
        split_cjk = known.cjk_share >= CJK_MIN_SHARE
    pages = known.pages - known.without_gold
    if not pages:
        message = f"{source.path}: no page has an answer to measure against"
        raise InputError(message)
    reading = Reading(split_cjk, options.first_tables)
    plan = Plan(tuple(names), task.name, reading, options.limits)
    team = min(workers, pages)
    rows: list[Row] = []
    measured = np.full((len(names), pages, task.width), np.nan)
    cpu_ms = np.zeros((len(names), pages))
    failed: list[dict[int, str]] = [{} for _ in names]
    for done, outcome in enumerate(outcomes(plan, _measurable(source, task, rows), team), 1):
        measured[outcome.contender, outcome.page] = outcome.measured
        cpu_ms[outcome.contender, outcome.page] = outcome.cpu_ms
        if outcome.failure:
            failed[outcome.contender][outcome.page] = outcome.failure
        progress(done, pages * len(names))
    return Evaluation(
        name=source.name,
        survey=known,
        split_cjk=split_cjk,
        rows=rows,
        measured=dict(zip(names, measured, strict=True)),
        cpu_ms=dict(zip(names, cpu_ms, strict=True)),
        options=options,
        failures={
            name: [Failure(rows[page].id, reasons[page]) for page in sorted(reasons)]
            for name, reasons in zip(names, failed, strict=True)
        },
    )


def _measurable(source: Source, task: Task, seen: list[Row]) -> Iterator[Row]:
    """Yield the pages with some gold, and note them without what is large."""
    for row in source.rows():
        if task.has_gold(row):
            seen.append(
                replace(row, html="", text=None, wanted=(), unwanted=(), records=(), blocks=())
            )
            yield row


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
