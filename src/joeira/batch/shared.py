"""Memory that a worker's processes share: a question is written once and read once, past all pipes.

Pages are large, and a pipe takes 64 kB at a time: each process that hands one on would copy it, and
be woken for every part of it.
"""

from __future__ import annotations

import os
import tempfile

KEPT_BYTES = 4 << 20
"""What a larger question took is given back when the next one is written."""

_SIZE, _WHOLE = b"S", b"W"


class Shared:
    """A file without a name, in memory where the system has such, that other processes inherit."""

    def __init__(self, number: int | None = None) -> None:
        """Make one, or use that of another process by its number."""
        self.number = _made() if number is None else number
        self._size = 0

    def write(self, data: bytes) -> bytes:
        """Replace what is there; return what `read` has to be told.

        Where there is no room for it, that is all of it.
        """
        try:
            self._replace(data)
        except OSError:  # memory is short, or the size of files is limited
            return _WHOLE + data
        return _SIZE + b"%d" % len(data)

    def _replace(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.pwrite(self.number, left, len(data) - len(left)) :]
        if len(data) < self._size > KEPT_BYTES:
            os.ftruncate(self.number, len(data))
            self._size = 0
        self._size = max(self._size, len(data))

    def read(self, told: bytes) -> bytes:
        """Return what was written."""
        if told.startswith(_WHOLE):
            return told[1:]
        parts: list[bytes] = []
        offset, size = 0, int(told[1:])
        while offset < size and (part := os.pread(self.number, size - offset, offset)):
            parts.append(part)
            offset += len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Let go of it; other processes keep it."""
        os.close(self.number)


def _made() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("joeira")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
