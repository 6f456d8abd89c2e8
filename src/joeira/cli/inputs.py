"""What a command reads: files, folders, standard input and web addresses, several at once.

Where results go: standard output, one file, or a folder with one file per input.

Going over many inputs: progress for those who watch, and the exit code of it all.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeVar

from joeira.cli import writing
from joeira.cli.ending import ExitCode, say
from joeira.errors import FetchError, InputError, UsageError

if TYPE_CHECKING:
    from joeira.fetch.fetcher import Fetcher

STDIN = "-"
PAGE_SUFFIXES = (".html", ".htm", ".xhtml")

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """One page to read, not read yet."""

    name: str
    """As it was given: a path, an address, or ``-``."""
    label: PurePath
    """Relative path without suffix for what is made of it."""
    problem: str = ""
    """Why it cannot be read, where that is known already."""

    @property
    def is_address(self) -> bool:
        """Whether it has to be fetched."""
        return _ADDRESS.match(self.name) is not None


@dataclass(frozen=True)
class Document:
    """One page, read."""

    name: str
    url: str | None
    html: bytes | str
    """Text where the server named the encoding, else bytes."""


def expand(arguments: Sequence[str]) -> list[Source]:
    """Return the pages that arguments stand for; no argument stands for standard input."""
    if not arguments:
        if sys.stdin is None or sys.stdin.isatty():
            message = "nothing to read: name a file, a folder or a web address, or '-' for stdin"
            raise UsageError(message)
        arguments = [STDIN]
    if arguments.count(STDIN) > 1:
        message = "'-' is given twice, but there is only one standard input"
        raise UsageError(message)
    return [source for argument in arguments for source in _sources(argument)]


def are_several(arguments: Sequence[str], url: str | None) -> bool:
    """Return whether arguments may stand for more than one page; a folder always may.

    The address that a user gives is that of one page.
    """
    several = len(arguments) > 1 or any(Path(argument).is_dir() for argument in arguments)
    if url and several:
        message = "--url is the address of one page, but there are several inputs"
        raise UsageError(message)
    return several


def _sources(argument: str) -> Iterator[Source]:
    if argument == STDIN:
        yield Source(argument, PurePath("stdin"))
    elif _ADDRESS.match(argument):
        words = re.sub(r"[^A-Za-z0-9._-]+", "-", argument.partition("://")[2]).strip("-.")
        yield Source(argument, PurePath(words[:100] or "page"))
    elif Path(argument).is_dir():
        yield from _pages_in(argument)
    else:
        yield Source(argument, PurePath(PurePath(argument).stem or "page"))


def _pages_in(folder: str) -> Iterator[Source]:
    unreadable: list[OSError] = []
    found = sorted(
        Path(parent, name)
        for parent, _, names in os.walk(folder, onerror=unreadable.append)
        for name in names
        if name.lower().endswith(PAGE_SUFFIXES)
    )
    for path in found:
        yield Source(str(path), path.relative_to(folder).with_suffix(""))
    for error in unreadable:
        yield Source(str(error.filename), PurePath("page"), error.strerror or str(error))
    if not found and not unreadable:
        problem = f"no {', '.join(PAGE_SUFFIXES)} file in this folder; name other files one by one"
        yield Source(folder, PurePath("page"), problem)


@dataclass(frozen=True)
class Reader:
    """Reads sources within limits."""

    max_bytes: int
    timeout_seconds: float
    allow_private: bool
    url: str | None = None
    """Address of the page, for what is not fetched."""

    def read(self, source: Source) -> Document:
        """Return the page; raise `InputError` with what to do about it."""
        if source.problem:
            raise InputError(source.problem)
        if source.is_address:
            url, html = self._fetcher.fetch(source.name)
            return Document(source.name, url, html)
        try:
            return Document(source.name, self.url, self._read_bytes(source.name))
        except FileNotFoundError:
            raise _missing(source.name) from None
        except (OSError, ValueError) as error:  # ValueError: a path with a NUL
            raise InputError(getattr(error, "strerror", None) or str(error)) from error

    def _read_bytes(self, name: str) -> bytes:
        # One byte more than the limit, so that parsing can tell that there was more.
        if name == STDIN:
            if sys.stdin is None:
                raise InputError("standard input is closed")
            return sys.stdin.buffer.read(self.max_bytes + 1)
        with Path(name).open("rb") as file:
            return file.read(self.max_bytes + 1)

    @cached_property
    def _fetcher(self) -> Fetcher:
        from joeira.fetch.fetcher import Fetcher

        return Fetcher(self.timeout_seconds, self.max_bytes, self.allow_private)


def _missing(name: str) -> InputError:
    if _OTHER_SCHEME.match(name):
        return FetchError("no such file, and only http and https addresses are fetched")
    return InputError("no such file; check the path (a web address begins with https://)")


_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))


def plan(
    sources: Sequence[Source], output: str | None, suffix: str, *, several: bool
) -> list[Path | None]:
    """Return a place for the result of each source, before anything is read or written.

    No two places are the same, and none is a page that is read. None is standard output.
    """
    if output is None or output == STDIN:
        return [None] * len(sources)
    places = [Path(output)]
    if several or is_folder(output):
        if Path(output).is_file():
            message = f"-o {output} is a file, but results need a folder here"
            raise UsageError(message)
        places = _in_folder(sources, Path(output), suffix)
    _spare_inputs(sources, places)
    return [*places]


def write(place: Path | None, content: str | bytes) -> None:
    """Write a result to its place."""
    if place is not None:
        writing.to_file(place, content)
    elif isinstance(content, bytes):
        writing.bytes_to_stdout(content)
    else:
        writing.to_stdout(content)


def is_folder(output: str) -> bool:
    """Return whether an output is meant as a folder, however many inputs there are."""
    return output.endswith(_SEPARATORS) or Path(output).is_dir()


def _in_folder(sources: Sequence[Source], folder: Path, suffix: str) -> list[Path]:
    names = []
    seen: Counter[str] = Counter()
    for source in sources:
        name = f"{source.label}{suffix}"
        label = str(source.label).casefold()  # some file systems do not tell A from a
        while seen[name.casefold()]:
            seen[label] += 1
            name = f"{source.label}-{seen[label] + 1}{suffix}"
        seen[name.casefold()] += 1
        names.append(name)
    return [folder / name for name in names]


def _spare_inputs(sources: Sequence[Source], places: Sequence[Path]) -> None:
    read = {os.path.realpath(source.name) for source in sources if not source.is_address}
    for place in places:
        if place.is_file() and os.path.realpath(place) in read:
            message = f"{place} is an input and would be overwritten; choose another -o"
            raise UsageError(message)


_FEW = 3
"""So many inputs are done before a progress bar could be read."""

Item = TypeVar("Item")


def exit_code(ends: Counter[str], *, strict: bool = False) -> ExitCode:
    """Return the exit code for how inputs ended (ok, empty or failed), and sum up many."""
    if ends.total() > 1 and ends["ok"] < ends.total():
        counts = ", ".join(f"{ends[end]} {end}" for end in ("ok", "empty", "failed"))
        say(f"{ends.total()} inputs: {counts}")
    if ends["failed"] or (strict and ends["empty"]):
        return ExitCode.SOME_FAILED
    return ExitCode.OK if ends["ok"] else ExitCode.NOTHING_FOUND


def with_progress(items: list[Item], doing: str, *, on_screen: bool) -> Iterable[Item]:
    """Show how far we are, where somebody watches and results do not go to the same screen."""
    if len(items) <= _FEW or sys.stderr is None or not sys.stderr.isatty() or on_screen:
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, doing, console=Console(stderr=True), transient=True)
