"""Output, messages and exit codes of commands.

Results go to standard output in UTF-8, or to files that appear whole or not at all. Errors are one
line on standard error instead of a traceback, and an exit code.
"""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import shutil
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import IntEnum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO, TypeGuard

from joeira.errors import FetchError, InputError, JoeiraError, OutputError, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

_WIDTH_OF_FILES = 1_000_000
"""Characters in a line of a file or pipe: enough that no table is cut or folded."""
_SECONDS_BETWEEN_LINES = 60.0
NO_SUCH_FILE = "no such file; check the path"
_NO_FOLDER = "cannot be written: there is no such folder, and none can be made"
_LINE_END_BLANKS = re.compile(" +$", re.MULTILINE)


def prepare_streams() -> None:
    """Make both streams UTF-8 whatever the locale; a lone surrogate becomes a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def is_terminal() -> bool:
    """Return whether results go to a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def to_stdout(text: str) -> None:
    """Write text to standard output at once."""
    to_stdout_as_drawn(printable(text) if is_terminal() else text)


def flush_stdout() -> None:
    """Write what is still buffered, such as a help text."""
    if sys.stdout is not None:
        to_stdout_as_drawn("")


def show(*renderables: RenderableType) -> None:
    """Write what rich draws to standard output, with colours where it is a terminal."""
    to_stdout_as_drawn(draw(*renderables, on_screen=is_terminal()))


def draw(*renderables: RenderableType, on_screen: bool) -> str:
    """Return what rich draws: on a screen as wide and colourful as it is, elsewhere uncut.

    Rich's own writing ends the program with code 1 when a pipe closes, so it only draws.
    """
    from rich.console import Console

    drawing = io.StringIO()
    width = None if on_screen else _WIDTH_OF_FILES
    console = Console(file=drawing, force_terminal=on_screen, width=width, soft_wrap=True)
    for renderable in renderables:
        console.print(renderable, highlight=False)
    drawn = drawing.getvalue()
    return drawn if on_screen else _LINE_END_BLANKS.sub("", drawn)


@dataclass
class LineAMinute:
    """Says how far a long command is where nobody watches a bar."""

    name: str
    unit: str = "pages"
    clock: Callable[[], float] = time.monotonic
    began: float = field(init=False)
    said: float = field(init=False)

    def __post_init__(self) -> None:
        """Begin to count."""
        self.began = self.said = self.clock()

    def __call__(self, done: int, total: int) -> None:
        """Say how much is done, how fast, and what time is left; nothing in the first minute."""
        now = self.clock()
        if now - self.said < _SECONDS_BETWEEN_LINES:
            return
        self.said = now
        rate = done / (now - self.began)
        of_all = left = ""
        if rate and total > done:
            of_all = f" of {total}"
            left = f", {timedelta(seconds=round((total - done) / rate))} left"
        say(f"{self.name}: {done}{of_all} {self.unit}, {rate:.1f} {self.unit}/s{left}")


@contextmanager
def progress_bar(name: str, unit: str = "pages") -> Iterator[Callable[[int, int], None]]:
    """Show on standard error how much is done, how fast, and what time is left.

    On a terminal as a bar; a file or a pipe gets a line a minute.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:  # a disabled bar of older versions of rich still ends a line
        yield LineAMinute(name, unit)
        return
    began = time.monotonic()
    words, rate = TextColumn("{task.description}"), TextColumn("{task.fields[rate]}")
    columns = (words, BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(name, total=None, rate="")

        def show(done: int, total: int) -> None:
            speed = f"{done / max(time.monotonic() - began, 1e-9):.1f} {unit}/s"
            bar.update(task, completed=done, total=total, rate=speed)

        yield show


def to_stdout_as_drawn(text: str) -> None:
    """Write text that may steer a terminal, such as by colours of our own."""
    with _stdout() as stream:
        stream.write(text)
        stream.flush()


def bytes_to_stdout(data: bytes) -> None:
    """Write binary data to standard output at once."""
    with _stdout() as stream:
        stream.buffer.write(data)
        stream.flush()


@contextmanager
def _stdout() -> Iterator[TextIO]:
    """Give standard output, and put what goes wrong with it into our own words."""
    if sys.stdout is None:
        message = "standard output is closed"
        raise OutputError(message)
    try:
        yield sys.stdout
    except BrokenPipeError:
        _drop_stdout()
        raise ReaderLeft from None
    except OSError as error:
        raise stdout_failed(error) from error


def stdout_failed(error: OSError) -> OutputError:
    """Give up standard output, and return the error to raise."""
    _drop_stdout()
    return OutputError(f"standard output: {error.strerror or error}")


def coloured(text: str, colour: str) -> str:
    """Return text in a colour, where it is shown on a terminal that wants colours."""
    import typer

    return typer.style(text, colour, bold=True) if is_terminal() and _wants_colours() else text


def _wants_colours() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def to_file(path: Path, content: str | bytes) -> None:
    """Write a file, making its folder: all of the content or nothing."""
    data = encode(content)
    try:
        _make_folder(path.parent)
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            path.write_bytes(data)  # a device or a pipe, which nothing may replace
        else:
            _replace(path.resolve(), data)
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise OutputError(message) from error


def encode(content: str | bytes) -> bytes:
    """Return content as the bytes of a file; a lone surrogate becomes a question mark."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "replace")


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        message = f"{path} cannot be a folder, because a file has this name"
        raise OutputError(message) from error


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name[:60]}.{secrets.token_hex(4)}.tmp")
    try:
        # Opened like any file, so that it gets the permissions that the user's umask gives.
        with temporary.open("xb") as file:
            file.write(data)
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _drop_stdout() -> None:
    """Send what is left in the buffer nowhere, or Python complains about it at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


DEBUG = "JOEIRA_DEBUG"
"""Environment variable that asks for tracebacks; ``--debug`` sets it."""


class ExitCode(IntEnum):
    """What the exit code says; scripts rely on these numbers."""

    OK = 0
    SOME_FAILED = 1
    USAGE = 2
    """Wrong usage, or an input that is not there: what the user has to change."""
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
        sys.stderr.write(f"joeira: {printable(message).translate(_MISLEADING)}\n")
        sys.stderr.flush()
    except OSError:
        pass  # nobody listens


def printable(text: str) -> str:
    """Return text without the control characters that could steer a terminal."""
    return text.translate(_CONTROL)


_CONTROL = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_MISLEADING = {ord("\n"): " ", **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))}
"""What in the name of a file makes one line look like two, or an ending like a beginning. Pages in
Arabic or Hebrew may have such marks of direction, so results keep them."""


def is_debugging() -> bool:
    """Return whether tracebacks are wanted."""
    return os.environ.get(DEBUG, "") not in ("", "0")


def unexpected(error: Exception) -> str:
    """Return the line for an error that nobody foresaw, or for a package that is not there."""
    if is_missing_package(error):
        package = str(error.name).partition(".")[0]
        return f"this needs the package {package}, which is not installed: pip install {package}"
    return f"{type(error).__name__}: {error} (a bug in joeira; {DEBUG}=1 shows where)"


def is_missing_package(error: Exception) -> TypeGuard[ModuleNotFoundError]:
    """Return whether an error tells of a package that somebody else makes."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return False
    return error.name.partition(".")[0] not in {"joeira", *sys.stdlib_module_names}


def code_of(error: Exception) -> ExitCode:
    """Report an error that ended a command, and return its exit code."""
    if isinstance(error, ReaderLeft):
        return ExitCode.OK
    if is_debugging():
        raise error
    if not isinstance(error, JoeiraError):
        say(unexpected(error))
        return ExitCode.USAGE if is_missing_package(error) else ExitCode.SOME_FAILED
    say(in_words(error))
    if isinstance(error, UsageError) or is_missing_file(error):
        return ExitCode.USAGE
    return ExitCode.NOT_WRITTEN if isinstance(error, OutputError) else ExitCode.SOME_FAILED


def is_missing_file(error: BaseException) -> bool:
    """Return whether an input could not be read because it is not there."""
    is_input = isinstance(error, InputError) and not isinstance(error, FetchError)
    return is_input and isinstance(error.__cause__, FileNotFoundError)


def in_words(error: JoeiraError) -> str:
    """Return what is said about an error: the same of the same fault, whoever met it.

    What the system or the interpreter says is put into our words, with what to do about it.
    """
    said, cause = str(error), error.__cause__
    if isinstance(cause, ValueError):
        return said.replace(f"not JSON: {cause}", _fault(cause)).replace(str(cause), _fault(cause))
    if not isinstance(cause, OSError) or not cause.strerror or cause.strerror not in said:
        return said
    if isinstance(cause, FileNotFoundError):
        missing = _NO_FOLDER if isinstance(error, OutputError) else NO_SUCH_FILE
        # What a store says has no file name.
        return said if cause.filename is None else f"{os.fspath(cause.filename)}: {missing}"
    if isinstance(cause, IsADirectoryError):
        return said.replace(cause.strerror, "this is a folder; name a file")
    return said


def _fault(error: ValueError) -> str:
    """Return what is wrong with the text of a file."""
    if isinstance(error, UnicodeDecodeError):
        return "not text in UTF-8"
    if isinstance(error, json.JSONDecodeError):
        place = f"line {error.lineno}, column {error.colno}"
        return f"not JSON ({place})" if error.doc.strip() else "it is empty"
    return str(error)


def usage_line(error: Any) -> str:
    """Return Click's error about arguments as ours: what is wrong, and what to do about it."""
    message = str(error.format_message()).strip().rstrip(".")
    for pattern, words in _CLICK_WORDS:
        message = re.sub(pattern, words, message)
    command = getattr(error.ctx, "command_path", None) or "joeira"
    return f"{message[:1].lower()}{message[1:]}; see {command} --help"


_CLICK_WORDS = (
    (r"^Invalid value for '?([^':]+)'?: ", r"\1: "),
    (r"Value error, ", ""),
    (r", unable to (parse|interpret) .*", ""),
    (r"Input should be (a valid |an? )?", "must be "),
    (r"\binteger\b", "a whole number"),
    (r"(?<=be )number\b", "a number"),
    (r" \(Possible options: ([^)]*)\)", r" (did you mean \1?)"),
    (r"\. Did you mean (.*)\?$", r" (did you mean \1?)"),
)
"""What Click, or what Typer checks by, says in other words than the rest of the program."""


def end_on_signals() -> None:
    """Let Ctrl-C and SIGTERM end the command as an exit, so that half-written files are removed."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # A background job of a script ignores Ctrl-C on purpose.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second Ctrl-C ends at once
    sys.exit(128 + number)  # 130 and 143, as shells have it
