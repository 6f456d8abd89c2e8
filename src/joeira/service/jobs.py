"""Work in disposable processes, with limits on concurrency, waiting and time."""

from __future__ import annotations

import asyncio
import math
import os
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from joeira.errors import JoeiraError, UsageError
from joeira.isolation.work import Limits, failed
from joeira.isolation.workers import Nursery, Worker, processors
from joeira.service.guard import Problem, overloaded
from joeira.service.settings import Settings

T = TypeVar("T")
_NICENESS = 5
_MAX_REASON_CHARS = 500


@dataclass(frozen=True)
class Call:
    """A function of a module with its arguments, which all have to be picklable."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Calls:
    """What the processes do: they call functions and tell what these return."""

    limits: Limits
    warmed: tuple[Callable[[], None], ...]

    attempts: ClassVar[int] = 1  # a client that waits wants an answer, and may ask again

    def warm_up(self) -> None:
        """Load what calls will need, in a process that gives way to the one that answers."""
        os.nice(_NICENESS)
        for function in self.warmed:
            function()

    def fields(self, call: Call) -> dict[str, Any]:
        """Return what a call returned, or what was wrong with it."""
        try:
            return {"status": "ok", "value": call.function(*call.arguments)}
        except MemoryError:
            raise
        except UsageError as error:
            return failed("refused", str(error))
        except Exception as error:
            return failed("error", f"{type(error).__name__}: {error}"[:300])


class Jobs:
    """Runs functions in worker processes."""

    def __init__(self, settings: Settings, *warmed: Callable[[], None]) -> None:
        """Keep the limits, and what the processes do before the first call comes."""
        self.workers = settings.workers or processors()
        self.waiting = 0
        self.running = 0
        self.ends: Counter[str] = Counter()
        """How many calls ended in which way."""
        self._max_waiting = settings.max_waiting
        self._seconds = settings.limits.seconds
        self._mean_ms = 50.0
        self._calls = Calls(settings.limits, warmed)
        self._threads = ThreadPoolExecutor(self.workers, "worker")
        self._nursery: Nursery | None = None
        self._team: list[Worker] = []
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()

    def start(self) -> None:
        """Start the processes."""
        self._nursery = nursery = Nursery(self._calls)
        self._team = [Worker(nursery) for _ in range(self.workers)]
        for worker in self._team:
            self._idle.put_nowait(worker)

    def stop(self) -> None:
        """End the processes, whatever they do."""
        for worker in self._team:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._team:
            worker.stop()
        if self._nursery:
            self._nursery.stop()

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return what a function of a module returns for picklable arguments.

        Raises `Problem`: 503 when too many wait, 504 when it took too long, 500 when it crashed,
        413 when it ran out of memory, 400 when it raised `UsageError`.
        """
        worker = await self._free_worker()
        self.running += 1
        loop = asyncio.get_running_loop()
        task = loop.run_in_executor(self._threads, _told, worker, Call(function, arguments))
        task.add_done_callback(lambda _: self._release(worker))
        # A client that leaves does not take the worker with it, nor the answer it is working on.
        found, elapsed_ms = await asyncio.shield(task)
        self.ends[found["status"]] += 1
        if found["status"] != "ok":
            raise self._problem(found["status"], found["reason"])
        self._mean_ms += (elapsed_ms - self._mean_ms) / 20
        value: T = found["value"]
        return value

    async def _free_worker(self) -> Worker:
        if self._idle.empty() and self.waiting >= self._max_waiting:
            self.ends["overload"] += 1
            raise overloaded(self._wait_seconds())
        self.waiting += 1
        try:
            return await self._idle.get()
        except asyncio.CancelledError:
            self.ends["left"] += 1  # nobody waits for it any more: it is not begun
            raise
        finally:
            self.waiting -= 1

    def _release(self, worker: Worker) -> None:
        self.running -= 1
        self._idle.put_nowait(worker)

    def _wait_seconds(self) -> int:
        """Return about how long it takes until all who wait have had their turn."""
        return min(30, math.ceil(self.waiting * self._mean_ms / 1000 / self.workers) or 1)

    def _problem(self, status: str, reason: str) -> Problem:
        if status == "refused":
            return Problem(400, reason[:_MAX_REASON_CHARS])  # it may repeat what was sent
        if status == "timeout":
            return Problem(504, f"the page took more than {self._seconds:g} s")
        if status == "oom":
            return Problem(413, "the page exceeded the memory limit")
        if status == "crash":
            return Problem(500, "the page crashed its process")
        return Problem(500, "a bug in joeira", "please report it with the page")


def _told(worker: Worker, call: Call) -> tuple[dict[str, Any], float]:
    """Ask a worker and wait, in a thread."""
    try:
        worker.ask(call)
        return worker.told()
    except JoeiraError as error:  # it could not start: perhaps the next time
        if not worker.is_over:
            worker.restart()
        return failed("error", str(error)), 0.0
