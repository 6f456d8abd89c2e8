"""Worker processes: many pages at once, answers in the order of the records."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any

from joeira.batch.job import Job, failed
from joeira.batch.rows import Record
from joeira.errors import JoeiraError, UsageError, require

WINDOW_RECORDS = 1000
"""So many records may be waiting for a slow one before them."""
WINDOW_CHARS = 100_000_000
"""So much may wait in them."""
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass
class Answer:
    """What became of a record: the fields of its row, once they are known."""

    record: Record
    found: dict[str, Any] | None = None
    elapsed_ms: float = 0.0

    @property
    def chars(self) -> int:
        """About how much memory it holds."""
        return sum(len(v) for v in (self.found or {}).values() if isinstance(v, str))


class Workers:
    """A team of worker processes; use it in a ``with`` statement."""

    def __init__(self, job: Job, number: int | None = None) -> None:
        """Start the processes, as many as there are processors unless told otherwise."""
        if sys.platform == "win32":
            raise UsageError("batches need Linux or macOS")
        number = _processors() if number is None else number
        require(number >= 1, "there must be at least one worker")
        self._team = [_Worker(job) for _ in range(number)]

    def __enter__(self) -> Workers:
        """Return the team."""
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        """End the processes."""
        for worker in self._team:
            worker.stop()

    def answers(self, records: Iterable[Record]) -> Iterator[Answer]:
        """Yield one answer for each record, in their order."""
        incoming = iter(records)
        waiting: deque[Answer] = deque()
        chars = 0
        idle = list(self._team)
        busy: dict[Connection, _Worker] = {}
        is_over = False
        while not is_over or waiting:
            while idle and not is_over and _has_room(waiting, chars):
                record = next(incoming, None)
                if record is None:
                    is_over = True
                    break
                answer = Answer(record)
                waiting.append(answer)
                if record.problem:
                    answer.found = failed("skipped", record.problem)
                    chars += answer.chars
                else:
                    worker = idle.pop()
                    worker.take(answer)
                    busy[worker.answers] = worker
            while waiting and waiting[0].found is not None:
                chars -= waiting[0].chars
                yield waiting.popleft()
            if not busy or (idle and not is_over and _has_room(waiting, chars)):
                continue
            ready = set(wait(list(busy)))
            for connection in [each for each in busy if each in ready]:
                worker = busy.pop(connection)
                done = worker.finish()
                if done is None:  # it died, and another has taken the page
                    busy[worker.answers] = worker
                else:
                    idle.append(worker)
                    chars += done.chars


def _has_room(waiting: deque[Answer], chars: int) -> bool:
    return len(waiting) < WINDOW_RECORDS and chars < WINDOW_CHARS


class _Worker:
    """A supervisor process as its parent sees it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._answer: Answer | None = None
        self._data = b""
        self._attempts = 0
        self._start()

    def take(self, answer: Answer) -> None:
        """Begin with a record."""
        self._answer = answer
        self._attempts = 0
        self._data = pickle.dumps(answer.record)
        answer.record = replace(answer.record, html=b"")  # not kept while it waits
        self._ask()

    def finish(self) -> Answer | None:
        """Return the answer that has come; None if the process died and is tried once more."""
        answer = self._answer
        assert answer is not None
        try:
            answer.found, answer.elapsed_ms = self.answers.recv()
        except (EOFError, OSError):
            self.stop()
            self._start()
            if self._attempts < 2:
                self._ask()
                return None
            answer.found = failed("crash", "its supervisor was ended from outside, twice")
        self._answer, self._data = None, b""
        return answer

    def stop(self) -> None:
        """End the process; its child dies with it."""
        self._process.kill()
        self._process.wait()
        self._questions.close()
        self.answers.close()

    def _start(self) -> None:
        command = [sys.executable, "-m", "joeira.batch.supervisor", str(os.getpid())]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ONE_THREAD},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # Copies, so that each end has one owner to close it.
        self._questions = Connection(os.dup(self._process.stdin.fileno()), readable=False)
        self.answers = Connection(os.dup(self._process.stdout.fileno()), writable=False)
        self._process.stdin.close()
        self._process.stdout.close()
        self._is_ready = False
        with suppress(BrokenPipeError):  # found out when it is asked
            self._questions.send(self._job)

    def _ask(self) -> None:
        self._attempts += 1
        if not self._is_ready:
            try:
                self.answers.recv()
            except (EOFError, OSError):
                code = self._process.wait()
                raise JoeiraError(f"a worker could not start (exit code {code})") from None
            self._is_ready = True
        with suppress(BrokenPipeError):
            self._questions.send_bytes(self._data)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
