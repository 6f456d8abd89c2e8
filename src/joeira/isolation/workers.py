"""Worker processes: many questions at once, with answers in order."""

from __future__ import annotations

import os
import pickle
import select
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing.connection import Connection
from threading import Lock
from types import TracebackType
from typing import Any, Generic, TypeVar

from joeira.errors import JoeiraError, UsageError, require
from joeira.isolation.work import (
    DIED,
    FORK,
    LOAD_REST,
    READY,
    UNPREPARED,
    Question,
    Shared,
    Work,
    failed,
)

START_ATTEMPTS = 20
"""How often to restart a process that is killed while it starts."""
WINDOW_RECORDS = 1000
"""So many records may be waiting for a slow one before them."""
WINDOW_CHARS = 100_000_000
"""So much may wait in them."""
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


Asked = TypeVar("Asked", bound=Question)
Started = TypeVar("Started")


@dataclass
class Answer(Generic[Asked]):
    """What became of a record: the fields of its row, once they are known."""

    record: Asked
    found: dict[str, Any] | None = None
    elapsed_ms: float = 0.0
    exit_code: int | None = None
    """That of a process that ended by itself; that of one killed by a signal is negative."""
    chars: int = 0
    """About how much memory it holds."""

    def tell(self, found: dict[str, Any], elapsed_ms: float = 0.0) -> None:
        """Set what was found."""
        self.exit_code = found.pop("exit_code", None)
        self.found, self.elapsed_ms = found, elapsed_ms
        self.chars = sum(len(value) for value in found.values() if isinstance(value, str))


class Workers:
    """A team of worker processes; use it in a ``with`` statement."""

    def __init__(self, work: Work, number: int | None = None) -> None:
        """Start the processes, by default one per processor."""
        number = processors() if number is None else number
        require(number >= 1, "there must be at least one worker")
        self._nursery = _started(lambda: Nursery(work))
        self._team: list[Worker] = []
        try:
            for _ in range(number):
                self._team.append(Worker(self._nursery))
        except JoeiraError:
            self._stop()
            raise

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
        self._stop()

    def _stop(self) -> None:
        for worker in self._team:
            worker.stop()
        self._nursery.stop()

    def answers(self, records: Iterable[Asked]) -> Iterator[Answer[Asked]]:
        """Yield one answer for each record, in their order."""
        incoming = _Ahead(records)
        waiting: deque[Answer[Asked]] = deque()
        chars = 0
        for worker in self._team:
            if worker.is_busy:  # with what somebody asked and did not wait for
                worker.restart()
        idle = list(self._team)
        busy: dict[int, tuple[Worker, Answer[Asked]]] = {}
        """By the number of the connection that will tell."""
        told_of = select.poll()  # made once: for every page anew it would take longer than asking
        is_over = False
        while not is_over or waiting:
            while idle and not is_over and _has_room(waiting, chars):
                record = incoming.taken()
                if record is None:
                    is_over = True
                    break
                answer = Answer(record)
                waiting.append(answer)
                if record.problem:
                    answer.tell(failed("skipped", record.problem))
                    chars += answer.chars
                else:
                    worker = idle.pop()
                    worker.ask(record)
                    answer.record = record.bare()  # the page is not kept while it waits
                    busy[worker.connection.fileno()] = worker, answer
                    told_of.register(worker.connection, select.POLLIN)
            while waiting and waiting[0].found is not None:
                chars -= waiting[0].chars
                yield waiting.popleft()
            if not busy or (idle and not is_over and _has_room(waiting, chars)):
                continue
            incoming.prepare()  # the first that has told something need not wait for the next page
            for number, _ in told_of.poll():
                told_of.unregister(number)
                worker, answer = busy.pop(number)
                told = worker.heard()
                if told is None:  # there is more to come, perhaps from another that took the page
                    busy[worker.connection.fileno()] = worker, answer
                    told_of.register(worker.connection, select.POLLIN)
                else:
                    answer.tell(*told)
                    idle.append(worker)
                    chars += answer.chars


class _Ahead(Generic[Asked]):
    """Records, of which one may be read before it is needed."""

    def __init__(self, records: Iterable[Asked]) -> None:
        self._records = iter(records)
        self._prepared: list[Asked | None] = []

    def prepare(self) -> None:
        """Read the next one, if that has not been done."""
        if not self._prepared:
            self._prepared.append(next(self._records, None))

    def taken(self) -> Asked | None:
        """Return the next one; None when there are no more."""
        return self._prepared.pop() if self._prepared else next(self._records, None)


def _has_room(waiting: deque[Answer[Asked]], chars: int) -> bool:
    return len(waiting) < WINDOW_RECORDS and chars < WINDOW_CHARS


class Nursery:
    """A process that loads what the work needs, once, and forks supervisors that have all of it."""

    def __init__(self, work: Work) -> None:
        """Start the process."""
        require_processes()
        self.work = work
        self._lock = Lock()
        self._start()

    def _start(self) -> None:
        """Start the process, or leave nothing open."""
        self._has_rest = False
        with ExitStack() as undo:
            self._socket, theirs = socket.socketpair()
            undo.enter_context(self._socket)
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "joeira.isolation.supervisor", str(os.getpid())],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    env={**os.environ, **_ONE_THREAD},
                )
            undo.callback(self._process.wait)
            undo.callback(self._process.kill)
            # A copy, so that each number has one owner to close it.
            with Connection(os.dup(self._socket.fileno())) as connection, suppress(ConnectionError):
                connection.send(sys.path)
                connection.send(self.work)
            undo.pop_all()

    def fork(self) -> tuple[Connection, Shared]:
        """Return the connection to a new supervisor, and the memory that it reads pages from."""
        with self._lock, ExitStack() as undo:
            ours, theirs = socket.socketpair()
            with theirs:
                undo.enter_context(ours)
                shared = Shared()
                undo.callback(shared.close)
                numbers = [theirs.fileno(), shared.number]
                if self._socket.fileno() < 0:  # it could not be started anew
                    self._start()
                try:
                    socket.send_fds(self._socket, [FORK], numbers)
                except ConnectionError:  # it has ended
                    self._close()
                    self._start()
                    socket.send_fds(self._socket, [FORK], numbers)
            undo.pop_all()
            return Connection(ours.detach()), shared

    def load_rest(self) -> None:
        """Have all loaded that a question may need, before the next supervisor is forked."""
        with self._lock, suppress(OSError):  # it has ended: whoever wants a fork finds out
            if not self._has_rest:
                self._socket.sendall(LOAD_REST)
                self._has_rest = True

    def exit_code(self) -> int | None:
        """Return how the process ended; None while it lives."""
        with self._lock:
            try:
                is_over = not self._socket.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
            except BlockingIOError:
                is_over = False
            except OSError:
                is_over = True
            return self._process.wait() if is_over else None

    def stop(self) -> None:
        """End the process; all that it has forked dies with it."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._socket.close()


class Worker:
    """A supervisor process as its parent sees it: it is asked, and always tells."""

    def __init__(self, nursery: Nursery) -> None:
        """Have the process forked."""
        self._nursery = nursery
        self._question: object = None
        self._attempts = 0
        self._failed_starts = 0
        self._spent_ms = 0.0
        self.is_over = False
        """Was it killed for good?"""
        self._start()

    @property
    def is_busy(self) -> bool:
        """Whether it was asked something and has not told yet."""
        return self._question is not None

    def ask(self, question: object) -> None:
        """Begin with a question."""
        self._attempts, self._failed_starts, self._spent_ms = 1, 0, 0.0
        self._question = question
        self._ask()

    def told(self) -> tuple[dict[str, Any], float]:
        """Wait for what was found, and the milliseconds it took."""
        while (told := self.heard()) is None:
            pass
        return told

    def heard(self) -> tuple[dict[str, Any], float] | None:
        """Wait for a message: what was found, and the milliseconds it took; None if it goes on."""
        try:
            message = self.connection.recv_bytes()
        except (EOFError, OSError):
            return self._heard_nothing()
        kind = message[:1]
        if kind == READY:
            self._is_ready = True
            return None
        if kind == UNPREPARED:
            self._nursery.load_rest()
            self._ask_another()
            return None
        found, spent_ms = pickle.loads(memoryview(message)[1:])
        if kind == DIED:
            spent_ms += self._spent_ms
            if found is None or self._attempts < self._nursery.work.attempts:
                self._attempts += found is not None  # else it was ended by mistake
                self._spent_ms = spent_ms
                self._ask()
                return None
        self._question = None
        return found, spent_ms

    def _heard_nothing(self) -> tuple[dict[str, Any], float] | None:
        """Begin with a new process where the old one was ended, unless that was done too often."""
        if not self._is_ready:
            self._require_another_start()
            self._ask_another()
            return None
        if not self.is_over and self._attempts < self._nursery.work.attempts:
            self._attempts += 1
            self._ask_another()
            return None
        if not self.is_over:
            self.restart()
        self._question = None
        return failed("crash", "its supervisor was ended from outside"), 0.0

    def restart(self) -> None:
        """Begin with a new process."""
        self.stop()
        self._start()

    def kill(self) -> None:
        """End the process for good; for another thread than the one that waits for it."""
        self.is_over = True
        _hang_up(self.connection)

    def stop(self) -> None:
        """End the process, and its child with it."""
        _hang_up(self.connection)
        self.connection.close()
        self._shared.close()

    def _start(self) -> None:
        self.connection, self._shared = _started(self._nursery.fork)
        self._is_ready = False

    def _ask(self) -> None:
        with suppress(ConnectionError):  # found out when it should tell
            self.connection.send_bytes(self._shared.put(self._question))

    def _ask_another(self) -> None:
        self.restart()
        self._ask()

    def _require_another_start(self) -> None:
        """Refuse to start a process again that would fail again."""
        self._failed_starts += 1
        code = self._nursery.exit_code()
        is_killed = code is None or code < 0
        if self.is_over or not is_killed or self._failed_starts >= START_ATTEMPTS:
            why = "no process could be forked" if code is None else f"exit code {code}"
            raise JoeiraError(f"a worker could not start ({why})")


def _started(start: Callable[[], Started]) -> Started:
    try:
        return start()
    except OSError as error:  # such as too many open files
        raise JoeiraError(f"a worker could not start: {error.strerror or error}") from error


def _hang_up(connection: Connection) -> None:
    """Let the other side know that nobody listens, whoever else has a copy of our end."""
    with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.shutdown(socket.SHUT_RDWR)


def require_processes() -> None:
    """Refuse systems on which processes can be neither forked nor limited."""
    if not hasattr(os, "fork") or find_spec("resource") is None:
        message = "worker processes need Linux or macOS; "
        raise UsageError(f"{message}on Windows, use the Windows Subsystem for Linux")


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
