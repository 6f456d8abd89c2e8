"""How a command ends: exit codes, and one line on standard error instead of a traceback."""

from __future__ import annotations

import os
import signal
import sys
from enum import IntEnum
from types import FrameType

from joeira.errors import JoeiraError, OutputError, UsageError

DEBUG = "JOEIRA_DEBUG"
"""Environment variable that asks for tracebacks; ``--debug`` sets it."""


class ExitCode(IntEnum):
    """What the exit code says; scripts rely on these numbers."""

    OK = 0
    SOME_FAILED = 1
    USAGE = 2
    NOTHING_FOUND = 3
    NOT_WRITTEN = 4


class ReaderLeft(Exception):
    """Nobody reads the output any more, as after ``| head``: no error, but the end.

    Not an OSError: Typer would turn that into exit code 1 before we see it.
    """


def say(message: str) -> None:
    """Write one line for people to standard error."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"joeira: {printable(message)}\n")
        sys.stderr.flush()
    except OSError:
        pass  # nobody listens


def printable(text: str) -> str:
    """Return text without the control characters that could steer a terminal."""
    return text.translate(_CONTROL)


_CONTROL = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def is_debugging() -> bool:
    """Return whether tracebacks are wanted."""
    return os.environ.get(DEBUG, "") not in ("", "0")


def unexpected(error: Exception) -> str:
    """Return the line for an error that nobody foresaw."""
    return f"{type(error).__name__}: {error} (a bug in joeira; {DEBUG}=1 shows where)"


def code_of(error: Exception) -> ExitCode:
    """Report an error that ended a command, and return its exit code."""
    if isinstance(error, ReaderLeft):
        return ExitCode.OK
    if is_debugging():
        raise error
    if not isinstance(error, JoeiraError):
        say(unexpected(error))
        return ExitCode.SOME_FAILED
    say(str(error))
    if isinstance(error, UsageError):
        return ExitCode.USAGE
    return ExitCode.NOT_WRITTEN if isinstance(error, OutputError) else ExitCode.SOME_FAILED


def end_on_signals() -> None:
    """Let Ctrl-C and SIGTERM end the command as an exit, so that half-written files are removed."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # A background job of a script ignores Ctrl-C on purpose.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second Ctrl-C ends at once
    sys.exit(128 + number)  # 130 and 143, as shells have it
