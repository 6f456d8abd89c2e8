"""Measure contenders side by side on one data set.

Every contender takes its turn on every page in a process that may die of it (`joeira.isolation`).
A turn that runs out of CPU time, of memory or into a crash fails alone: the next one gets a new
process. CPU time is what is limited first, so that outcomes do not depend on how busy the machine
is.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Floats
from joeira.errors import InputError, JoeiraError, UsageError
from joeira.evaluation import contenders, metrics, tasks
from joeira.evaluation.contenders import Contender
from joeira.evaluation.datasets import Example, Source, Survey, survey
from joeira.evaluation.metrics import Difference, Score
from joeira.evaluation.tasks import CONTENT, Gold, Reading, Task
from joeira.isolation.work import Limits, failed
from joeira.isolation.workers import Answer, Workers, processors

GROUPINGS = ("page_type", "lang")
UNKNOWN = "unknown"

# Above this share of the gold's letters a set has pages in such scripts, below only stray ones.
CJK_MIN_SHARE = 0.001

LIMITS = Limits(seconds=300, memory_bytes=4 << 30, cpu_seconds=20)
"""What a contender may use for one page, measuring included."""
NOBODY = -1
"""In the place of a contender: the output of one that failed."""

_WARM_UP = Example("warm-up", "<html><body><p>A page to import everything on.</p></body></html>")


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
    limits: Limits = LIMITS
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
    rows: Sequence[Example]
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
    workers = processors() if options.workers is None else options.workers
    if not names or workers < 1:
        message = "an evaluation needs at least one method and one worker"
        raise UsageError(message)
    task = tasks.find(options.task)
    for name in names:
        contenders.find(name, task)  # refuse a wrong name before anything runs
    known = survey(source, task.has_gold, facts=task is tasks.METADATA, posts=task is tasks.POSTS)
    split_cjk = options.split_cjk
    if split_cjk is None:
        split_cjk = known.cjk_share >= CJK_MIN_SHARE
    pages = known.pages - known.without_gold
    if not pages:
        message = f"{source.path}: no page has gold to measure against"
        raise InputError(message)
    reading = Reading(split_cjk, options.first_tables)
    comparison = Comparison(tuple(names), task.name, reading, options.limits)
    rows: list[Example] = []
    measured = np.full((len(names), pages, task.width), np.nan)
    cpu_ms = np.zeros((len(names), pages))
    failed: list[dict[int, str]] = [{} for _ in names]
    outcomes = _outcomes(comparison, source, rows, min(workers, pages))
    for done, outcome in enumerate(outcomes, 1):
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


# Turns -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """One contender on one page: what a process is asked."""

    page: int
    contender: int
    row: Example

    problem: ClassVar[str] = ""

    def bare(self) -> Turn:
        """Return the turn without its page."""
        return replace(self, row=_without_page(self.row))


@dataclass(frozen=True)
class Outcome:
    """What became of a turn."""

    page: int
    contender: int
    measured: Floats | None
    """None where the process died before it could measure anything."""
    cpu_ms: float
    failure: str = ""
    """Why there is no output; the page is then measured as if the output were empty."""


@dataclass(frozen=True)
class Comparison:
    """What the processes do: they let a contender take its turn, and measure what it returns."""

    names: Sequence[str]
    task_name: str
    reading: Reading
    limits: Limits

    attempts: ClassVar[int] = 1  # one that dies has failed

    @property
    def task(self) -> Task:
        """What is measured; by name, because functions do not travel between processes."""
        return tasks.find(self.task_name)

    @cached_property
    def contenders(self) -> list[Contender]:
        """The contenders; made by the processes alone, because peers take long to import."""
        return [contenders.find(name, self.task)() for name in self.names]

    def warm_up(self) -> None:
        """Make every contender, and let it import all it needs."""
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        for contender in self.contenders:
            with suppress(Exception):
                contender(_WARM_UP)

    def fields(self, turn: Turn) -> dict[str, Any]:
        """Return the measurement of a turn, its CPU time, and why it failed if it did."""
        try:
            gold = _gold(self.task_name, turn.row, self.reading)
        except JoeiraError as error:
            return failed("error", str(error))
        except Exception as error:  # the answer is wrong, which is not the contender's fault
            return failed("error", f"{type(error).__name__}: {error}"[:300])
        output, cpu_ms, failure = self.task.nothing, 0.0, ""
        if turn.contender != NOBODY:
            output, cpu_ms, failure = _run(self.contenders[turn.contender], turn.row)
        measured = gold.measure(self.task.nothing if failure else output)
        return {"status": "ok", "measured": measured, "cpu_ms": cpu_ms, "failure": failure}

    def outcome(self, answer: Answer[Turn]) -> Outcome:
        """Return what became of a turn; refuse a page that cannot be measured at all."""
        turn, found = answer.record, answer.found or {}
        if found["status"] == "ok":
            measured, cpu_ms, failure = (found[name] for name in ("measured", "cpu_ms", "failure"))
            return Outcome(turn.page, turn.contender, measured, cpu_ms, failure)
        reason = found["reason"]
        if found["status"] == "error" or turn.contender == NOBODY:
            raise UsageError(f"page {turn.row.id!r} cannot be measured: {reason}")
        if answer.exit_code is not None:
            reason = f"the process died (exit code {answer.exit_code})"
        most_ms = 1000 * (self.limits.cpu_seconds or self.limits.seconds)
        return Outcome(turn.page, turn.contender, None, most_ms, reason)


def _outcomes(
    comparison: Comparison, source: Source, rows: list[Example], workers: int
) -> Iterator[Outcome]:
    """Run every contender over every page; turns that took their process with them come last.

    Args:
        comparison: What is compared.
        source: The pages.
        rows: Gets every page that is measured, without what is large.
        workers: Number of processes.
    """
    died: dict[int, list[Outcome]] = {}
    task = comparison.task
    with Workers(comparison, workers) as team:
        every = turns(_measurable(source, task, rows), len(comparison.names))
        for answer in team.answers(every):
            outcome = comparison.outcome(answer)
            if outcome.measured is None:
                died.setdefault(outcome.page, []).append(outcome)
            else:
                yield outcome
        if not died:
            return
        # Pages are not kept, so those that somebody died of are read again: there are few.
        again = enumerate(_measurable(source, task, []))
        empty = (Turn(page, NOBODY, row) for page, row in again if page in died)
        for answer in team.answers(empty):
            nothing = comparison.outcome(answer)
            for outcome in died[nothing.page]:
                yield replace(outcome, measured=nothing.measured)


def turns(rows: Iterable[Example], count: int) -> Iterator[Turn]:
    """Yield the turns of all contenders on each page.

    Who comes first finds cold caches and a full heap: everybody does so equally often.
    """
    for page, row in enumerate(rows):
        for place in range(count):
            yield Turn(page, (page + place) % count, row)


@lru_cache(maxsize=1)  # the turns on one page mostly follow each other
def _gold(task: str, row: Example, reading: Reading) -> Gold:
    return tasks.find(task).gold(row, reading)


def _run(contender: Contender, row: Example) -> tuple[Any, float, str]:
    """Return a contender's output, its CPU time in milliseconds, and why it failed if it did."""
    output, failure = None, ""
    # Not process_time(): a running timer makes Linux update that clock a few times a second only.
    began = time.thread_time()
    try:
        output = contender(row)
    except Exception as error:  # whatever a contender does is an outcome to report
        failure = f"{type(error).__name__}: {error}"[:200]
    return output, (time.thread_time() - began) * 1000, failure


def _measurable(source: Source, task: Task, seen: list[Example]) -> Iterator[Example]:
    """Yield the pages with some gold, and note them without what is large."""
    for row in source.rows():
        if task.has_gold(row):
            seen.append(_without_page(row))
            yield row


def _without_page(row: Example) -> Example:
    return replace(row, html="", text=None, wanted=(), unwanted=(), records=(), blocks=(), posts=())
