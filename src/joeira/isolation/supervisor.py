"""The life of a worker: a warm process that never touches a page, and its child, which does.

Started as ``python -m joeira.isolation.supervisor PARENT``: the nursery of a team. It loads what
the work needs once, and forks the supervisors of all workers; each of them forks in turn: a child
that crashes, hangs or eats memory is replaced in milliseconds. Pages are in shared memory, which
only the child reads.

The child hears questions from the parent and answers it, past its supervisor, which sleeps as long
as all is well: it would have to be woken several times for every page. The child notes in memory
that they share what it is doing and since when, so that the supervisor knows when to end it, and
whether the parent has to be told that a page took its process with it. Where a process was killed
within a message, the supervisor ends too: the parent then begins with a new one.

For tests only: the environment variable `HOOK` names a module whose ``touch(question)`` the child,
and nobody else, calls before it extracts.
"""

from __future__ import annotations

import gc
import importlib
import mmap
import os
import pickle
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from joeira.isolation.work import (
    DIED,
    FORK,
    FOUND,
    READY,
    UNPREPARED,
    Limits,
    LoadsLater,
    Shared,
    Work,
    failed,
    keep_freed_memory,
)

HOOK = "JOEIRA_TEST_WORKER_HOOK"
MAX_PAGES = 1000
"""A child is replaced after so many pages, ..."""
MAX_RESIDENT_BYTES = 400 << 20
"""... or when it holds so much memory, so that no leak anywhere grows for long."""

_HAND_OVER_SECONDS = 60.0
_Fields = Callable[[Any], dict[str, Any] | None]
_SHORTEST_LOOK_SECONDS = 0.05

_IDLE, _STARTING, _HEARING, _TELLING, _NO_MEMORY = 0.0, -1.0, -2.0, -3.0, -4.0
"""What a child does that does not work on a question."""


class _Deserted(Exception):
    """Nobody waits for the answer any more, or it got lost on its way."""


class _State:
    """What a child is doing, in memory that its supervisor sees, too."""

    def __init__(self) -> None:
        self._numbers = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("d")

    @property
    def now(self) -> float:
        """The time at which it began with the present question, or what else it does.

        That is one number, so that nobody ever sees half of what was noted.
        """
        return self._numbers[0]

    @now.setter
    def now(self, state: float) -> None:
        self._numbers[0] = state

    @property
    def began(self) -> float:
        """The time at which it began with the last question."""
        return self._numbers[1]

    def begin(self) -> None:
        """Note that it works on a question from now on."""
        self._numbers[1] = self._numbers[0] = time.monotonic()


def main() -> None:
    """Fork a supervisor whenever the parent that started this process wants one."""
    gc.disable()  # nothing that is imported is garbage: looking for it takes a tenth of the time
    _die_with(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    parent = socket.socket(fileno=os.dup(0))
    _close_standard_streams()
    keep_freed_memory()
    with suppress(EOFError, OSError):
        work = _received(parent)
        _load(work.warm_up)
        has_rest = not isinstance(work, LoadsLater)
        while True:
            message, numbers, _, _ = socket.recv_fds(parent, 1, 2)
            if not message:
                return
            if message == FORK:
                _fork_supervisor(work, has_rest, parent, numbers)
            elif not has_rest and isinstance(work, LoadsLater):
                _load(work.load_rest)
                has_rest = True


def _load(what: Callable[[], None]) -> None:
    """Load what children will share."""
    gc.disable()
    what()
    gc.collect()
    gc.freeze()  # what is loaded stays shared with the children
    gc.enable()


def _received(parent: socket.socket) -> Work:
    with Connection(os.dup(parent.fileno())) as connection:
        _find_modules_as(connection.recv())
        work: Work = connection.recv()
        return work


def _fork_supervisor(work: Work, has_rest: bool, parent: socket.socket, numbers: list[int]) -> None:
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
                fields: _Fields = work.fields
                if isinstance(work, LoadsLater) and not has_rest:
                    fields = work.fields_so_far
                child = _Child(fields, work.limits, Connection(numbers[0]), Shared(numbers[1]))
                _Supervisor(child).run()
            finally:
                os._exit(0)  # nothing of the nursery is this process's to clean up
    for number in numbers:
        os.close(number)


class _Child:
    """What touches pages: a process that is forked as often as it takes."""

    def __init__(
        self,
        fields: _Fields,
        limits: Limits,
        parent: Connection,
        pages: Shared,
    ) -> None:
        self.limits = limits
        self.parent = parent
        self.state = _State()
        self._fields = fields
        self._pages = pages

    def live(self) -> None:
        """Answer page after page."""
        import resource  # here and below: Windows has none, and modules can be imported anywhere

        with suppress(ValueError, OSError):  # some systems do not limit it
            resource.setrlimit(resource.RLIMIT_AS, (_allowed_bytes(self.limits),) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        hook = os.environ.get(HOOK)
        touch = importlib.import_module(hook).touch if hook else None
        with suppress(EOFError, OSError), socket.socket(fileno=os.dup(self.parent.fileno())) as end:
            for _ in range(MAX_PAGES):
                self.state.now = _IDLE
                # Until it is noted that there is a question, another child could still read it.
                if not end.recv(1, socket.MSG_PEEK):
                    return
                self.state.now = _HEARING
                told = self.parent.recv_bytes()
                answer = self._within_limits(told, touch)
                if not answer:
                    self.state.now = _NO_MEMORY
                    return
                self.state.now = _TELLING
                self.parent.send_bytes(answer)
                if _is_large():
                    break
            self.state.now = _IDLE

    def _within_limits(self, told: bytes, touch: Any) -> bytes:
        """Return the answer to a question; nothing if there was no memory for it."""
        self.state.begin()
        # Should the supervisor be gone and unable to say so, this ends an endless loop.
        signal.alarm(int(2 * self.limits.seconds + 2))
        # SIGPROF has no handler, so it ends the process even in C code that never looks up.
        signal.setitimer(signal.ITIMER_PROF, self.limits.cpu_seconds or 0)
        try:
            answer = self._answer(told, touch)
        except MemoryError:
            answer = b""
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        return answer

    def _answer(self, told: bytes, touch: Any) -> bytes:
        question = pickle.loads(self._pages.read(told))
        if touch:
            touch(question)
        found = self._fields(question)
        if found is None:
            return UNPREPARED
        return FOUND + pickle.dumps((found, (time.monotonic() - self.state.began) * 1000))


class _Supervisor:
    """Forks a child when there is a question, and sees to it that the parent hears of it."""

    def __init__(self, child: _Child) -> None:
        self._child = child
        self._parent = child.parent
        self._state = child.state
        self._pid = 0
        self._life = -1
        """The end of a pipe that the child has the other end of, as long as it lives."""
        self._poll = select.poll()
        self._unheard: tuple[float, float] | None = None
        """When the last question began before one that nobody hears, and when that was seen."""

    def run(self) -> None:
        """Go on until the parent has gone."""
        with suppress(EOFError, OSError, _Deserted):
            self._parent.send_bytes(READY)
            while self._parent.poll(None):
                self._fork()
                while self._pid:
                    self._watch()
        if self._pid:
            self._end()

    def _fork(self) -> None:
        life, theirs = os.pipe()
        supervisor = os.getpid()
        self._state.now = _STARTING
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                _die_with(supervisor)
                os.close(life)
                self._child.live()
                code = 0
            finally:
                os._exit(code)  # nothing of the supervisor is this process's to clean up
        os.close(theirs)
        self._pid, self._life, self._unheard = pid, life, None
        self._poll = select.poll()
        for number in (life, self._parent.fileno()):
            self._poll.register(number, 0)  # only their end

    def _watch(self) -> None:
        """Sleep until the child ends, or would have to."""
        state = self._state.now
        seconds = self._child.limits.seconds
        now = time.monotonic()
        if state > _IDLE:
            left = state + seconds - now
        else:
            # A question that comes meanwhile has as much time as that, and is not looked at before.
            left = max(seconds, _SHORTEST_LOOK_SECONDS)
            if self._waited(now) > _HAND_OVER_SECONDS:
                seconds, left = _HAND_OVER_SECONDS, 0
        ended = self._poll.poll(1000 * left) if left > 0 else []
        if any(number != self._life for number, _ in ended):
            raise _Deserted
        if ended:
            self._settle(self._death())
        elif left <= 0:
            self._end()
            # It may have finished at the last moment, and have begun with another question.
            is_same = state <= _IDLE or state == self._state.began
            late = _died("timeout", f"more than {seconds:g} s") if is_same else None
            self._settle(late, is_heard=state > _IDLE)

    def _waited(self, now: float) -> float:
        """Return for how long a child has been seen not to hear a question that there is."""
        if not self._parent.poll():
            self._unheard = None
        elif self._unheard is None or self._unheard[0] != self._state.began:
            self._unheard = self._state.began, now
        return now - self._unheard[1] if self._unheard else 0.0

    def _settle(self, died: dict[str, Any] | None, *, is_heard: bool = True) -> None:
        """Tell the parent what became of the question that a child had, if it had one."""
        state = self._state.now
        if state == _TELLING and self._parent.poll():
            state = _IDLE  # the parent has heard it all, or would not have asked again
        if state in (_HEARING, _TELLING):
            raise _Deserted  # nobody knows how much of a message has been read or written
        if state == _IDLE and is_heard:
            return  # the next one hears the question that may have come by now
        if state in (_IDLE, _STARTING):
            if not self._parent.poll():
                return
            self._parent.recv_bytes()
            spent = 0.0
        else:
            spent = time.monotonic() - self._state.began
        self._parent.send_bytes(DIED + pickle.dumps((died, spent * 1000)))

    def _death(self) -> dict[str, Any]:
        """Return how the child ended, in words."""
        _, status = os.waitpid(self._pid, 0)
        self._forget()
        if self._state.now == _NO_MEMORY:
            size = _allowed_bytes(self._child.limits) >> 20
            return _died("oom", f"more than {size} MB of memory")
        code = os.waitstatus_to_exitcode(status)
        seconds = self._child.limits.cpu_seconds
        if seconds is not None and code == -signal.SIGPROF:
            return _died("timeout", f"more than {seconds:g} s of CPU time")
        if code < 0:
            return _died("crash", f"its process was ended by {signal.Signals(-code).name}", code)
        return _died("crash", f"its process ended with exit code {code}", code)

    def _end(self) -> None:
        """End the child."""
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        self._forget()

    def _forget(self) -> None:
        os.close(self._life)
        self._pid, self._life = 0, -1


def _died(status: str, reason: str, exit_code: int | None = None) -> dict[str, Any]:
    """Return the answer to a question, with the exit code of a child that ended by itself."""
    return {**failed(status, reason), "exit_code": exit_code}


def _allowed_bytes(limits: Limits) -> int:
    """Return the address space that a page may use: nobody may ask for more than the system's."""
    import resource

    wanted, hard = limits.memory_bytes, resource.getrlimit(resource.RLIMIT_AS)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def _is_large() -> bool:
    """Return whether this process holds so much memory that another should go on."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit <= MAX_RESIDENT_BYTES:
        return False  # it never did
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123  (no path made per page)
            return int(file.read().split()[1]) * resource.getpagesize() > MAX_RESIDENT_BYTES
    except OSError:  # no Linux: the most it ever held has to do
        return True


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
