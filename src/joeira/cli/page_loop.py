"""The loop over pages, the same for every command that reads them.

A command says what it finds on one page; the loop expands the inputs, reads and parses each page,
says what went wrong and goes on, shows progress, writes results to their places, and counts, from
which the exit code follows. A result is written before the next page is read, so that nothing that
is done gets lost when the command is stopped.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from joeira.cli import inputs, writing
from joeira.cli.inputs import STDIN, Document, Reader, Source
from joeira.cli.writing import (
    ExitCode,
    ReaderLeft,
    is_debugging,
    is_missing_file,
    printable,
    say,
    unexpected,
)
from joeira.errors import JoeiraError, OutputError, UsageError

if TYPE_CHECKING:
    from joeira.formats import Format, Output
    from joeira.page import Page

_FEW = 3
"""So many inputs are done before a progress bar could be read."""
_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))

Item = TypeVar("Item")
Result = TypeVar("Result")
Heading = Callable[[str], str]
"""From the name of a page to what stands before its result, where several follow each other."""


@dataclass(frozen=True)
class OpenPage:
    """A page that was read and parsed."""

    source: Source
    document: Document
    page: Page

    @property
    def name(self) -> str:
        """Its name, as it was given."""
        return self.source.name


@dataclass(frozen=True)
class Answer(Generic[Result]):
    """What a command found on one page."""

    result: Result
    is_empty: bool = False
    note: str = ""
    """What people should know about it; said on standard error with the name of the page."""


@dataclass(frozen=True)
class Target:
    """Where results go: standard output, one file, or a folder with one file per page."""

    output: str | None
    suffix: str
    """Of files in a folder."""
    shares_file: bool = False
    """Whether one file takes the results of several pages; else these need a folder."""

    @property
    def is_stdout(self) -> bool:
        """Whether results go to standard output."""
        return self.output is None or self.output == STDIN

    def has_file_each(self, *, several: bool) -> bool:
        """Return whether every page gets a file of its own, in a folder."""
        if self.output is None or self.output == STDIN:
            return False
        return _is_folder(self.output) or (several and not self.shares_file)

    def places(self, sources: Sequence[Source], *, several: bool) -> list[Path | None]:
        """Return a place for the result of each source, before anything is read or written.

        No place is a page that is read. None is standard output.
        """
        if self.output is None or self.output == STDIN:
            return [None] * len(sources)
        places = [Path(self.output)] * len(sources)
        if self.has_file_each(several=several):
            if Path(self.output).is_file():
                message = f"-o {self.output} is a file, but these results need a folder"
                raise UsageError(message)
            places = _in_folder(sources, Path(self.output), self.suffix)
        _spare_inputs(sources, places)
        return [*places]


class PageLoop:
    """Goes over the pages that a command was given, and counts how each of them ended."""

    def __init__(
        self,
        pages: Sequence[str] | None,
        target: Target,
        reader: Reader,
        doing: str,
        outcomes: tuple[str, str] = ("ok", "empty"),
    ) -> None:
        """Find the pages and the places of their results; nothing is read yet.

        Args:
            pages: The arguments of the command; None or nothing stands for standard input.
            target: Where results go.
            reader: How pages are read.
            doing: What the progress bar says.
            outcomes: What pages on which something, and nothing, was found are called in the sum.
        """
        self.sources = inputs.expand(pages or (), reader)
        self.several = inputs.are_several(pages or (), len(self.sources), reader.url)
        self.places = target.places(self.sources, several=self.several)
        self.follow_each_other = self.several and not target.has_file_each(several=self.several)
        """Whether several results go to the same place."""
        self.on_screen = target.is_stdout and writing.is_terminal()
        """Whether results are shown on a terminal."""
        self.ends: Counter[str] = Counter()
        self._is_one_file = self.follow_each_other and not target.is_stdout
        self._reader = reader
        self._documents: dict[str, Document] = {}
        self._doing = doing
        self._outcomes = outcomes

    def refuse_whole_pages(self, form: Format) -> None:
        """Raise `UsageError` where several results would be whole web pages in one place."""
        if self.follow_each_other and form.media_type.startswith("text/html"):
            message = f"several pages as {form.name} need a folder; choose one with -o"
            raise UsageError(message)

    def read_all(self) -> Iterator[Page]:
        """Yield every page that can be read, for what is learned from all of them.

        They are kept until they are gone over; errors of reading are reported then.
        """
        from joeira.page import parse

        for source in self.sources:
            try:
                document = self._documents[source.name] = self._reader.read(source)
            except (OutputError, ReaderLeft):
                raise
            except JoeiraError:
                continue
            yield parse(document.html, document.url, max_bytes=self._reader.max_bytes)

    def to_json(self, data: dict[str, Any]) -> str:
        """Return data as JSON: on one line where several results follow each other."""
        indent = None if self.follow_each_other else 2
        return json.dumps(data, ensure_ascii=False, indent=indent) + "\n"

    def render(self, opened: OpenPage, output: Output) -> str | bytes:
        """Return what a writer of a format gave as it is written: data as JSON with its source."""
        if isinstance(output, dict):
            return self.to_json({"source": opened.name, **output})
        if isinstance(output, list):
            return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in output)
        return output

    def answers(
        self, ask: Callable[[OpenPage], Answer[Result]], *, at_the_end: bool = False
    ) -> Iterator[tuple[Source, Path | None, Result]]:
        """Yield each page that could be read with its place and what was found on it.

        Args:
            ask: Returns what is found on a page.
            at_the_end: Whether nothing is written before all pages are read, so that a progress
                bar is in nobody's way.
        """
        items = list(zip(self.sources, self.places, strict=True))
        on_screen = self.on_screen and not at_the_end
        for source, place in with_progress(items, self._doing, on_screen=on_screen):
            answer = self._answer(source, ask)
            if answer is None:
                continue
            if answer.note:
                say(f"{source.name}: {answer.note}")
            self.ends["empty" if answer.is_empty else "ok"] += 1
            yield source, place, answer.result

    def write_each(
        self,
        ask: Callable[[OpenPage], Answer[str | bytes | None]],
        heading: Heading | None = None,
        *,
        strict: bool = False,
        drawn: bool = False,
    ) -> ExitCode:
        """Write what is found on each page as soon as it is known, and return the exit code.

        Args:
            ask: Returns what is written of a page; None for nothing at all.
            heading: What stands before each result where several follow each other.
            strict: Whether a page on which nothing was found counts as failed.
            drawn: Whether results may steer a terminal, such as by colours of our own.
        """
        pieces: list[bytes] = []
        between = ""
        for source, place, result in self.answers(ask):
            if result is None:
                continue
            text = result
            if isinstance(text, str) and heading is not None and self.follow_each_other:
                text = f"{between}{printable(heading(source.name))}{text}"
                between = "\n"
            if self._is_one_file:
                pieces.append(writing.encode(text))
            else:
                write(place, text, drawn=drawn)
        if pieces:
            write(self.places[0], b"".join(pieces))
        return self.exit_code(strict=strict)

    def write_joined(
        self,
        ask: Callable[[OpenPage], Answer[Result]],
        join: Callable[[list[Result]], str | bytes],
        *,
        strict: bool = False,
    ) -> ExitCode:
        """Write what is found on all pages as one result, and return the exit code."""
        results = [result for _, _, result in self.answers(ask, at_the_end=True)]
        if results:
            write(self.places[0], join(results))
        return self.exit_code(strict=strict)

    def exit_code(self, *, strict: bool = False) -> ExitCode:
        """Return the exit code for how the pages ended, and sum up many."""
        return exit_code(self.ends, strict=strict, outcomes=self._outcomes)

    def _answer(
        self, source: Source, ask: Callable[[OpenPage], Answer[Result]]
    ) -> Answer[Result] | None:
        """Return what is found on a page, or None when it failed, which is said and counted."""
        from joeira.page import parse

        try:
            document = self._documents.pop(source.name, None) or self._reader.read(source)
            page = parse(document.html, document.url, max_bytes=self._reader.max_bytes)
            return ask(OpenPage(source, document, page))
        except (OutputError, ReaderLeft):
            raise  # no fault of the page, and the others would fare no better
        except JoeiraError as error:
            count_failure(self.ends, source.name, error)
        except Exception as error:  # a bug must not lose the other pages
            if is_debugging():
                raise
            say(f"{source.name}: {unexpected(error)}")
            self.ends["failed"] += 1
        return None


def count_failure(ends: Counter[str], name: str, error: JoeiraError) -> None:
    """Say why an input failed, and count it."""
    say(f"{name}: {error}")
    ends["missing" if is_missing_file(error) else "failed"] += 1


def heading_for(form: Format) -> Heading | None:
    """Return what names a page before its result in a format; None where the result says it."""
    if form.media_type.startswith("application/"):
        return None
    return _html_comment if form.media_type.startswith("text/html") else head_line


def head_line(name: str) -> str:
    """Return a line that names a page, as head(1) does it."""
    return f"==> {' '.join(name.split())} <==\n"


def _html_comment(name: str) -> str:
    """Return a comment that names a page; no name may end it early."""
    return f"<!-- {head_line(name).strip().replace('--', '- -')} -->\n"


def write(place: Path | None, content: str | bytes, *, drawn: bool = False) -> None:
    """Write a result to its place; None is standard output."""
    if place is not None:
        writing.to_file(place, content)
    elif isinstance(content, bytes):
        writing.bytes_to_stdout(content)
    elif drawn:
        writing.to_stdout_as_drawn(content)
    else:
        writing.to_stdout(content)


def exit_code(
    ends: Counter[str], *, strict: bool = False, outcomes: tuple[str, str] = ("ok", "empty")
) -> ExitCode:
    """Return the exit code for how inputs ended, and sum up many.

    They are ok, empty, failed, or missing, which is counted as failed but has a code of its own.
    """
    if ends.total() > 1 and ends["ok"] < ends.total():
        failed = ends["failed"] + ends["missing"]
        counts = zip((ends["ok"], ends["empty"], failed), (*outcomes, "failed"), strict=True)
        say(f"{ends.total()} inputs: {', '.join(f'{count} {word}' for count, word in counts)}")
    if ends["missing"]:
        return ExitCode.USAGE
    if ends["failed"] or (strict and ends["empty"]):
        return ExitCode.SOME_FAILED
    return ExitCode.OK if ends["ok"] else ExitCode.NOTHING_FOUND


def with_progress(items: list[Item], doing: str, *, on_screen: bool) -> Iterator[Item]:
    """Yield items, and show how far we are, unless results go to the same screen."""
    if len(items) <= _FEW or sys.stderr is None or on_screen:
        yield from items
        return
    with writing.progress_bar(doing) as progress:
        for done, item in enumerate(items):
            progress(done, len(items))
            yield item
        progress(len(items), len(items))


def _is_folder(output: str) -> bool:
    """Return whether an output is meant as a folder, however many inputs there are."""
    return output.endswith(_SEPARATORS) or Path(output).is_dir()


def _in_folder(sources: Sequence[Source], folder: Path, suffix: str) -> list[Path]:
    """Return a file for each source, no two the same."""
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
    """Raise `UsageError` where a result would overwrite a page."""
    read = {os.path.realpath(source.name) for source in sources if not source.is_address}
    for place in dict.fromkeys(places):
        if place.is_file() and os.path.realpath(place) in read:
            message = f"{place} is an input and would be overwritten; choose another -o"
            raise UsageError(message)
