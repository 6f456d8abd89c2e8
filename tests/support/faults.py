"""Lets one call to the system fail in the middle of `joeira batch`, then runs it again.

    python -m support.faults SOURCE FOLDER STEP

For every STEP-th of the calls that an undisturbed run makes, in the process that reads and writes:
it fails, once, and whatever the run left behind, the same command has to go on from there. What
fails are functions of Python's own (`open`, writing to a file, `os.fsync`, `os.replace`, ...), so
that all of our code runs as it is. One line of JSON on standard output tells of each call.
"""

import errno
import io
import json
import os
import pickle
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joeira.cli import app

ERRORS: dict[str, Callable[[], BaseException]] = {
    "open": lambda: OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
    "write": lambda: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "fsync": lambda: OSError(errno.EIO, os.strerror(errno.EIO)),
    "rename": lambda: OSError(errno.EACCES, os.strerror(errno.EACCES)),
    "memory": MemoryError,
}
WATCHED = (
    (io, "open", "open"),
    (os, "open", "open"),
    (os, "pipe", "open"),
    (os, "memfd_create", "open"),
    (os, "dup", "open"),
    (os, "scandir", "open"),
    (os, "listdir", "open"),
    (os, "mkdir", "write"),
    (os, "pwrite", "write"),
    (os, "unlink", "write"),
    (os, "fsync", "fsync"),
    (os, "replace", "rename"),
    (pickle, "dumps", "memory"),  # a page for a worker
    (zlib, "compressobj", "memory"),  # a shard
)
"""Functions by module and name, and how each of them fails."""


@dataclass
class Fault:
    """Counts calls, and lets one of them fail."""

    at: int = -1
    calls: list[str] = field(default_factory=list)

    def count(self, kind: str) -> None:
        """Note a call, which fails if its turn has come."""
        if _is_of_packaging():
            return
        self.calls.append(kind)
        if len(self.calls) - 1 == self.at:
            raise ERRORS[kind]()


def _is_of_packaging() -> bool:
    """Return whether Python looks for installed packages, in which every file counts as one."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__", "").startswith("importlib."):
            return True
    return False


class FailingFile(io.FileIO):
    """A file that may refuse to be written."""

    fault = Fault()

    def write(self, data: Any) -> int:
        """Write, if that does not fail."""
        self.fault.count("write")
        return super().write(data)


@contextmanager
def injected(fault: Fault) -> Iterator[None]:
    """Have functions count their calls with a fault, and fail when it says so."""
    before = {(module, name): getattr(module, name) for module, name, _ in WATCHED}
    open_as_ever = io.open

    def open_counted(file: Any, mode: str = "r", *rest: Any, **more: Any) -> Any:
        fault.count("open")
        if mode == "wb" and isinstance(file, str | Path):
            raw = FailingFile(file, mode)
            raw.fault = fault
            return io.BufferedWriter(raw)
        return open_as_ever(file, mode, *rest, **more)

    def counted(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            fault.count(kind)
            return function(*arguments, **more)

        return call

    for module, name, kind in WATCHED:
        setattr(module, name, counted(before[module, name], kind))
    io.open = open_counted
    try:
        yield
    finally:
        for (module, name), function in before.items():
            setattr(module, name, function)


def joeira(*arguments: str) -> tuple[int, str]:
    """Run the program in this process; return its exit code and what it said."""
    sys.argv = ["joeira", *arguments]
    said = io.StringIO()
    code: Any = 0
    with redirect_stderr(said):
        try:
            app.main()
        except SystemExit as leaving:
            code = leaving.code
    return int(code or 0), said.getvalue()


def shards(folder: Path) -> dict[str, bytes]:
    """Return the content of all that must not differ."""
    kept = [*folder.glob("part-*"), *folder.glob("manifest.json")]
    return {path.name: path.read_bytes() for path in kept}


def open_files() -> int:
    """Return how many files this process has open, where the system tells."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir()) if sys.platform == "linux" else 0


def main(source: str, folder: str, step: str) -> None:
    """Let calls fail, one in each run, and tell what came of it."""
    arguments = ("batch", source, "-m", "bte", "--workers", "1", "--timeout", "60", "-o")
    calm, fault = Path(folder, "calm"), Fault()
    with injected(fault):
        code, _ = joeira(*arguments, str(calm))
    expected = shards(calm)
    for number in range(int(step) // 2, len(fault.calls), int(step)):
        out = Path(folder, f"rough-{number}")
        rough = Fault(number)
        files = open_files()
        with injected(rough):
            ended, said = joeira(*arguments, str(out))
        is_done = (out / "manifest.json").exists()
        again, said_again = joeira(*arguments, str(out))
        left = open_files() - files
        told = {
            "call": number,
            "of": len(fault.calls),
            "kind": rough.calls[number] if number < len(rough.calls) else "",
            "code": ended,
            "said": said,
            "finished": is_done,
            "calm_code": code,
            "code_again": again,
            "said_again": said_again,
            "same": shards(out) == expected,
            "temporary": sorted(path.name for path in out.glob(".*")),
            "open_files": left,
        }
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        shutil.rmtree(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
