"""Worker processes that survive what they measure.

A page is given to a process with every contender's turn still to come; the process answers turn by
turn. One that runs out of CPU time, of memory or into a crash takes its process with it: the turn
counts as failed, a new process takes the remaining turns. CPU time is what is limited, so that the
outcome does not depend on how busy the machine is.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from joeira.arrays import Floats
from joeira.errors import JoeiraError
from joeira.evaluation import tasks
from joeira.evaluation.contenders import Contender, find
from joeira.evaluation.datasets import Row
from joeira.evaluation.tasks import Reading, Task

if sys.platform != "win32":  # which limits neither CPU time nor memory: the wall clock has to do
    import resource

_WARM_UP = Row("warm-up", "<html><body><p>A page to import everything on.</p></body></html>")


@dataclass(frozen=True)
class Limits:
    """What one contender may use for one page."""

    cpu_seconds: float = 20.0
    wall_seconds: float = 300.0
    memory_bytes: int = 4 << 30


@dataclass(frozen=True)
class Plan:
    """What every worker process has to know."""

    names: Sequence[str]
    task_name: str
    reading: Reading = field(default_factory=Reading)
    limits: Limits = field(default_factory=Limits)

    @property
    def task(self) -> Task:
        """What is measured; by name, because functions do not travel between processes."""
        return tasks.find(self.task_name)


@dataclass(frozen=True)
class Outcome:
    """One contender on one page."""

    page: int
    contender: int
    measured: Floats
    cpu_ms: float
    failure: str = ""
    """Why there is no output; the page is then measured as if the output were empty."""


def outcomes(plan: Plan, rows: Iterable[Row], workers: int) -> Iterator[Outcome]:
    """Run every contender over every page; outcomes come in no particular order."""
    numbered = enumerate(rows)
    team = [_Worker(plan) for _ in range(workers)]
    try:
        busy = [worker for worker in team if worker.take(numbered)]
        while busy:
            ready = wait([worker.answers for worker in busy], _seconds_left(busy))
            for worker in list(busy):
                yield from worker.collect(worker.answers in ready)
                if not worker.turns and not worker.take(numbered):
                    busy.remove(worker)
    finally:
        for worker in team:
            worker.stop()


def _seconds_left(busy: list[_Worker]) -> float:
    return max(0.0, min(worker.deadline for worker in busy) - time.monotonic())


class _Worker:
    """One process, replaced by another when it dies."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._start()
        self.turns: list[int] = []
        self.deadline = 0.0
        self._page = -1
        self._row = _WARM_UP

    def take(self, numbered: Iterator[tuple[int, Row]]) -> bool:
        """Begin the next page; False when there is none."""
        task = next(numbered, None)
        if task is None:
            return False
        self._page, self._row = task
        # Who comes first finds cold caches and a full heap: everybody does so equally often.
        turns = range(len(self._plan.names))
        first = self._page % len(turns)
        self.turns = [*turns[first:], *turns[:first]]
        self._ask()
        return True

    def collect(self, has_answer: bool) -> Iterator[Outcome]:
        """Yield the outcome of a turn if it has come, or the failure if it never will."""
        if has_answer:
            try:
                measured, cpu_ms, failure = self.answers.recv()
            except (EOFError, OSError):
                yield self._failed()
            else:
                yield Outcome(self._page, self.turns.pop(0), measured, cpu_ms, failure)
                self.deadline = time.monotonic() + self._plan.limits.wall_seconds
        elif time.monotonic() > self.deadline:
            yield self._failed(f"more than {self._plan.limits.wall_seconds:g} s")

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self.answers.close()

    def _start(self) -> None:
        # Spawned, not forked: the parent may have threads, a progress bar for one.
        context = multiprocessing.get_context("spawn")
        self.answers, theirs = context.Pipe()
        self._process: SpawnProcess = context.Process(
            target=_serve, args=(self._plan, theirs), daemon=True
        )
        self._process.start()
        theirs.close()  # ours would keep the pipe open when the process dies
        self._is_ready = False

    def _wait_until_ready(self) -> None:
        """Wait for the first sign of life: processes start side by side, and it is not timed."""
        if self._is_ready:
            return
        try:
            self.answers.recv()
        except EOFError:
            self._process.join()
            message = f"a worker process could not start (exit code {self._process.exitcode})"
            raise JoeiraError(message) from None
        self._is_ready = True

    def _ask(self) -> None:
        self._wait_until_ready()
        self.deadline = time.monotonic() + self._plan.limits.wall_seconds
        with suppress(BrokenPipeError):  # collect() finds the process dead
            self.answers.send((self._row, self.turns))

    def _failed(self, reason: str = "") -> Outcome:
        self.stop()
        code = self._process.exitcode
        limits = self._plan.limits
        if not reason and code == -getattr(signal, "SIGPROF", 0):
            reason = f"more than {limits.cpu_seconds:g} s of CPU time"
        task = self._plan.task
        measured = task.gold(self._row, self._plan.reading).measure(task.nothing)
        reason = reason or f"the process died (exit code {code})"
        failed = Outcome(self._page, self.turns.pop(0), measured, limits.cpu_seconds * 1000, reason)
        self._start()
        if self.turns:
            self._ask()
        return failed


def _serve(plan: Plan, questions: Connection) -> None:
    """Answer questions until the parent goes away: the life of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    task = plan.task
    contenders = [find(name, task)() for name in plan.names]
    for contender in contenders:
        with suppress(Exception):
            contender(_WARM_UP)
    _limit_memory(plan.limits.memory_bytes)
    with suppress(EOFError, OSError):
        questions.send(None)
        while True:
            row, turns = questions.recv()
            gold = task.gold(row, plan.reading)
            for turn in turns:
                output, cpu_ms, failure = _run(contenders[turn], row, plan.limits.cpu_seconds)
                measured = gold.measure(task.nothing if failure else output)
                questions.send((measured, cpu_ms, failure))


def _run(contender: Contender, row: Row, cpu_seconds: float) -> tuple[Any, float, str]:
    output, failure = None, ""
    # SIGPROF has no handler here, so it ends the process even in C code that never looks up.
    _limit_cpu(cpu_seconds)
    # Not process_time(): a running timer makes Linux update that clock a few times a second only.
    began = time.thread_time()
    try:
        output = contender(row)
    except Exception as error:  # whatever a contender does is an outcome to report
        failure = f"{type(error).__name__}: {error}"[:200]
    cpu_ms = (time.thread_time() - began) * 1000
    _limit_cpu(0)
    return output, cpu_ms, failure


def _limit_memory(size: int) -> None:
    if sys.platform == "win32":
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        size = min(size, hard)
    with suppress(ValueError, OSError):  # some systems do not limit it
        resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def _limit_cpu(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)
