"""What isolated processes receive: questions, the work to do on them, and limits."""

from __future__ import annotations

import mmap
import os
import pickle
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from joeira.errors import require

MAX_SECONDS = 1_000_000
"""The longest time that the system can wait for, nearly."""
KEPT_BYTES = 4 << 20
"""What a larger question took is given back when the next one is written."""
KEPT_FREE_BYTES = 64 << 20
"""So much of what was freed a process may keep for its next question."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of the settings of the GNU C library, as its ``malloc.h`` has them."""

FORK, LOAD_REST = b"F", b"L"
"""The commands that a nursery understands."""
READY, FOUND, DIED, UNPREPARED = b"R", b"D", b"C", b"U"
"""How the messages of a worker begin: it can be asked, has found something, a page has taken its
process with it, or needs what is not loaded yet."""
_SIZE, _WHOLE = b"S", b"W"


@dataclass(frozen=True)
class Limits:
    """Limits for one question, such as a page."""

    seconds: float = 5.0
    memory_bytes: int = 1 << 30
    """Address space of the process that handles it."""
    cpu_seconds: float | None = None
    """CPU time of that process. Unlike `seconds`, it does not depend on how busy the machine is."""

    def __post_init__(self) -> None:
        """Check the limits."""
        for name, seconds in (("time", self.seconds), ("CPU time", self.cpu_seconds)):
            limit = f"the {name} limit must be more than 0 and at most {MAX_SECONDS} s"
            require(seconds is None or 0 < seconds <= MAX_SECONDS, limit)
        require(self.memory_bytes >= 256 << 20, "the memory limit must be at least 256M")

    def times(self, factor: float) -> Limits:
        """Return limits with more time, and the same memory."""
        seconds = min(factor * self.seconds, MAX_SECONDS)
        if self.cpu_seconds is None:
            return replace(self, seconds=seconds)
        cpu_seconds = min(factor * self.cpu_seconds, MAX_SECONDS)
        return replace(self, seconds=seconds, cpu_seconds=cpu_seconds)


class Question(Protocol):
    """What a team is asked about, such as a record."""

    @property
    def problem(self) -> str:
        """Why there is nothing to ask; '' if there is."""
        ...

    def bare(self) -> Self:
        """Return it without what only the worker needs."""
        ...


class Work(Protocol):
    """What the children of supervisors do with the questions they are asked."""

    attempts: ClassVar[int]
    """A question that took its process with it is tried so often, each time in a new process."""

    @property
    def limits(self) -> Limits:
        """What one question may use."""
        ...

    def warm_up(self) -> None:
        """Load what questions will need: what is not loaded here, every process loads again."""
        ...

    def fields(self, question: Any, /) -> dict[str, Any]:
        """Return status, reason and what was found."""
        ...


@runtime_checkable
class LoadsLater(Work, Protocol):
    """Work that loads what takes long and few questions need when the first of them comes.

    That question is asked again, in a process that has it, and with all of its time.
    """

    def fields_so_far(self, question: Any, /) -> dict[str, Any] | None:
        """Return what `fields` does, with what `warm_up` has loaded; None if it takes more."""
        ...

    def load_rest(self) -> None:
        """Load all that a question may need, once for all processes that are forked later."""
        ...


def failed(status: str, reason: str) -> dict[str, Any]:
    """Return the fields of a row without a result."""
    return {"status": status, "reason": reason}


def keep_freed_memory() -> None:
    """Let this process keep memory that it has freed, up to a bound, instead of giving it back.

    A page takes some megabytes and returns them all. Left to itself, the GNU C library hands them
    to the system after most pages and asks for them again, and the system clears them each time:
    about a twentieth of the CPU time of a batch. Other C libraries have no such setting. It holds
    for the whole process, so only processes that are entirely ours ask for it.
    """
    import ctypes  # here, because a process that only asks questions does not need it

    with suppress(AttributeError, OSError, TypeError):
        adjust = ctypes.CDLL(None).mallopt
        adjust(_TRIM_THRESHOLD, KEPT_FREE_BYTES)
        adjust(_MMAP_THRESHOLD, KEPT_FREE_BYTES // 2)


class Shared:
    """A file without a name, in memory where the system has such, that other processes inherit.

    A question is written to it once and read once, where it is. Pages are large, and a pipe takes
    64 kB at a time: both sides would copy them, and be woken for every part.
    """

    def __init__(self, number: int | None = None) -> None:
        """Make one, or use that of another process by its number."""
        self.number = _open_nameless_file() if number is None else number
        self._size = 0
        self._seen: mmap.mmap | None = None

    def put(self, question: object) -> bytes:
        """Replace what is there by a pickled question; return what `read` has to be told.

        Where there is no room for it, that is all of it. It is pickled into the file, which copies
        a large page once; a string of bytes between them would be another copy.
        """
        file = _Pickled(self.number)
        try:
            pickle.dump(question, file)
            if file.size < self._size > KEPT_BYTES:
                os.ftruncate(self.number, file.size)
                self._size = 0
        except OSError:  # memory is short, or the size of files is limited
            return _WHOLE + pickle.dumps(question)
        self._size = max(self._size, file.size)
        return _SIZE + b"%d" % file.size

    def read(self, told: bytes) -> bytes | memoryview:
        """Return what was written, in place: until the next question is."""
        if told.startswith(_WHOLE):
            return told[1:]
        size = int(told[1:])
        if self._seen is None or len(self._seen) < size:
            try:
                self._seen = mmap.mmap(self.number, size, prot=mmap.PROT_READ)
            except OSError as error:  # the address space is limited
                raise MemoryError from error
        return memoryview(self._seen)[:size]

    def close(self) -> None:
        """Let go of it, once; other processes keep it."""
        if self.number >= 0:
            os.close(self.number)
            self.number = -1


class _Pickled:
    """What is written to a file from its beginning on, all of it or `OSError`."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.size = 0

    def write(self, data: bytes | memoryview) -> None:
        left = memoryview(data)
        while left:
            written = os.pwrite(self._number, left, self.size)
            self.size += written
            left = left[written:]


def _open_nameless_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("joeira")
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
