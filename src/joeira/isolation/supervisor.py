"""The life of a worker: a warm process that never touches a page, and its child, which does.

Started as ``python -m joeira.isolation.supervisor PARENT``: the nursery of a team. It loads what
the work needs once, and forks the supervisors of all workers; each of them forks in turn: a child
that crashes, hangs or eats memory is replaced in milliseconds. Whatever a page does to the child,
the answer is one set of fields. A page is tried as often as the work says, each time alone in a new
child, before it is given up. Pages are in shared memory, which only the child reads.

For tests only: the environment variable `HOOK` names a module whose ``touch(question)`` the child,
and nobody else, calls before it extracts.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any

from joeira.isolation.work import Shared, Work, failed

HOOK = "JOEIRA_TEST_WORKER_HOOK"
MAX_PAGES = 1000
"""A child is replaced after so many pages, ..."""
MAX_RESIDENT_BYTES = 400 << 20
"""... or when it holds so much memory, so that no leak anywhere grows for long."""

_BEGIN, _DONE, _LEAVING, _NO_MEMORY = b"B", b"D", b"L", b"M"
_HAND_OVER_SECONDS = 60.0


class _Died(Exception):
    """The child is gone."""

    def __init__(self, status: str, reason: str, exit_code: int | None = None) -> None:
        """Keep the answer, and the exit code of a child that ended by itself."""
        super().__init__(reason)
        self.found = {**failed(status, reason), "exit_code": exit_code}


class _Deserted(Exception):
    """Nobody waits for the answer any more."""


def main() -> None:
    """Fork a supervisor whenever the parent that started this process wants one."""
    gc.disable()  # nothing that is loaded is garbage: looking for it takes a tenth of the time
    _die_with(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    parent = socket.socket(fileno=os.dup(0))
    _close_standard_streams()
    with suppress(EOFError, OSError):
        work = _received(parent)
        work.warm_up()
        gc.collect()
        gc.freeze()  # what is loaded stays shared with the children
        gc.enable()
        while True:
            message, numbers, _, _ = socket.recv_fds(parent, 1, 2)
            if not message:
                return
            _fork_supervisor(work, parent, numbers)


def _received(parent: socket.socket) -> Work:
    with Connection(os.dup(parent.fileno())) as connection:
        _find_modules_as(connection.recv())
        work: Work = connection.recv()
        return work


def _fork_supervisor(work: Work, parent: socket.socket, numbers: list[int]) -> None:
    """Fork a supervisor that has a connection to the parent, and memory that they share."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:  # those that have ended
            pass
    nursery = os.getpid()
    with suppress(OSError):  # too many processes: the parent will ask again
        if os.fork() == 0:
            try:
                _die_with(nursery)
                parent.close()
                _supervise(work, Connection(numbers[0]), Shared(numbers[1]))
            finally:
                os._exit(0)  # nothing of the nursery is this process's to clean up
    for number in numbers:
        os.close(number)


def _supervise(work: Work, parent: Connection, pages: Shared) -> None:
    supervisor = _Supervisor(work, parent, pages)
    with suppress(EOFError, OSError, _Deserted):
        parent.send(None)
        while True:
            told = parent.recv_bytes()
            parent.send_bytes(supervisor.answer(told))
    supervisor.end()


class _Supervisor:
    """Gives pages to a child, one at a time, and always has an answer."""

    def __init__(self, work: Work, parent: Connection, pages: Shared) -> None:
        self._work = work
        self._pages = pages
        self._parent = parent
        self._pid = 0
        self._child: Connection | None = None
        self._poll = select.poll()

    def answer(self, told: bytes) -> bytes:
        """Return the pickled fields of a page's row, and the milliseconds they took."""
        began = time.monotonic()
        for _ in range(self._work.attempts):
            try:
                return self._ask(told)
            except _Died as died:
                found = died.found
                self.end()  # the next one is alone: whatever other pages left behind is gone
        return pickle.dumps((found, (time.monotonic() - began) * 1000))

    def _ask(self, told: bytes) -> bytes:
        child = self._child or self._fork()
        try:
            child.send_bytes(told)
            self._receive(child, _HAND_OVER_SECONDS)
            message = self._receive(child, self._work.limits.seconds)
        except (EOFError, OSError):
            raise self._death() from None
        kind, answer = message[:1], message[1:]
        if kind == _NO_MEMORY:
            size = _allowed_bytes(self._work) >> 20
            raise _Died("oom", f"more than {size} MB of memory")
        if kind == _LEAVING:
            self.end()
        return answer

    def _receive(self, child: Connection, seconds: float) -> bytes:
        ready = self._poll.poll(1000 * seconds)
        if not ready:
            raise _Died("timeout", f"more than {seconds:g} s")
        if all(number != child.fileno() for number, _ in ready):
            raise _Deserted  # while it waits for an answer, the parent has nothing to say
        return child.recv_bytes()

    def _fork(self) -> Connection:
        ours, theirs = Pipe()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                _die_with(parent)
                ours.close()
                self._parent.close()
                _work(self._work, theirs, self._pages)
                code = 0
            finally:
                os._exit(code)  # nothing of the supervisor is this process's to clean up
        theirs.close()
        self._pid, self._child = pid, ours
        # Made once: twice for every page would take longer than all else.
        self._poll = select.poll()
        self._poll.register(ours, select.POLLIN)
        self._poll.register(self._parent, select.POLLIN)
        return ours

    def _death(self) -> _Died:
        """Return how the child ended, in words."""
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        code = os.waitstatus_to_exitcode(status)
        seconds = self._work.limits.cpu_seconds
        if seconds is not None and code == -signal.SIGPROF:
            return _Died("timeout", f"more than {seconds:g} s of CPU time")
        if code < 0:
            return _Died("crash", f"its process was ended by {signal.Signals(-code).name}", code)
        return _Died("crash", f"its process ended with exit code {code}", code)

    def end(self) -> None:
        """End the child, if there is one."""
        if self._child is not None:
            self._child.close()
            self._child = None
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pid = 0


def _work(work: Work, questions: Connection, pages: Shared) -> None:
    """Answer page after page: the life of a child."""
    import resource  # here and below: Windows has none, and modules can be imported anywhere

    with suppress(ValueError, OSError):  # some systems do not limit it
        resource.setrlimit(resource.RLIMIT_AS, (_allowed_bytes(work),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hook = os.environ.get(HOOK)
    touch = importlib.import_module(hook).touch if hook else None
    done = 0
    with suppress(EOFError, OSError):
        while True:
            told = questions.recv_bytes()
            # Should the supervisor be gone and unable to say so, this ends an endless loop.
            signal.alarm(int(2 * work.limits.seconds + 2))
            questions.send_bytes(_BEGIN)
            # SIGPROF has no handler, so it ends the process even in C code that never looks up.
            signal.setitimer(signal.ITIMER_PROF, work.limits.cpu_seconds or 0)
            try:
                answer = _answer(work, pages.read(told), touch)
            except MemoryError:
                answer = b""
            signal.setitimer(signal.ITIMER_PROF, 0)
            if not answer:
                questions.send_bytes(_NO_MEMORY)
                return
            signal.alarm(0)
            done += 1
            is_spent = done >= MAX_PAGES or _resident_bytes() > MAX_RESIDENT_BYTES
            questions.send_bytes((_LEAVING if is_spent else _DONE) + answer)


def _allowed_bytes(work: Work) -> int:
    """Return the address space that a page may use: nobody may ask for more than the system's."""
    import resource

    wanted, hard = work.limits.memory_bytes, resource.getrlimit(resource.RLIMIT_AS)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def _answer(work: Work, data: bytes, touch: Any) -> bytes:
    began = time.monotonic()
    question = pickle.loads(data)
    if touch:
        touch(question)
    found = work.fields(question)
    return pickle.dumps((found, (time.monotonic() - began) * 1000))


def _resident_bytes() -> int:
    import resource

    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123  (no path made per page)
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:  # no Linux: the most it ever held has to do
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _die_with(parent: int) -> None:
    """Have this process killed when its parent dies, however that dies."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:  # it died before we asked
        os._exit(1)


def _find_modules_as(parent_path: list[str]) -> None:
    """Import from where the parent does: the work may be of a module that only the parent finds."""
    sys.path[:] = [*parent_path, *(place for place in sys.path if place not in parent_path)]


def _close_standard_streams() -> None:
    """Let nothing that a library prints get between the answers, or onto a terminal."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    is_debugging = os.environ.get("JOEIRA_DEBUG", "") not in ("", "0")
    for number in (0, 1) if is_debugging else (0, 1, 2):
        os.dup2(nowhere, number)


if __name__ == "__main__":
    main()
