"""Inputs of commands: files, folders, standard input and web addresses.

A feed or sitemap stands for the pages that it names.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from joeira.cli.writing import say
from joeira.errors import FetchError, InputError, UsageError

if TYPE_CHECKING:
    from joeira.fetch.fetcher import Fetcher

STDIN = "-"
PAGE_SUFFIXES = (".html", ".htm", ".xhtml")

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_LISTING_SUFFIXES = (".xml", ".xml.gz", ".rss", ".atom", ".rdf")
_LISTING_NAME = re.compile(r"feeds?|rss|atom|sitemaps?", re.IGNORECASE)
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


def expand(arguments: Sequence[str], reader: Reader | None = None) -> list[Source]:
    """Return the pages that arguments stand for; no argument stands for standard input.

    With a reader, a feed or sitemap is read, and stands for the pages that it names.
    """
    if not arguments:
        if sys.stdin is None or sys.stdin.isatty():
            message = "no input; give a file, a folder or a web address, or '-' for stdin"
            raise UsageError(message)
        arguments = [STDIN]
    if arguments.count(STDIN) > 1:
        message = "'-' appears twice, but there is only one standard input"
        raise UsageError(message)
    if reader is None:
        return [source for argument in arguments for source in _sources(argument)]
    return [source for argument in arguments for source in _opened(argument, reader)]


def is_input(argument: str) -> bool:
    """Return whether an argument names something that can be read."""
    if argument == STDIN or _ADDRESS.match(argument):
        return True
    try:
        return Path(argument).exists()
    except (OSError, ValueError):  # longer than any name, or with a NUL in it
        return False


def are_several(arguments: Sequence[str], count: int, url: str | None) -> bool:
    """Return whether arguments may stand for more than one page; a folder always may.

    The address that a user gives is that of one page. `count` is the number of pages: of a feed
    or sitemap, more than one.
    """
    several = len(arguments) > 1 or any(Path(argument).is_dir() for argument in arguments)
    several = several or count > 1
    if url and several:
        message = "--url is the address of one page, but there are several inputs"
        raise UsageError(message)
    return several


def _opened(argument: str, reader: Reader) -> Iterator[Source]:
    """Yield the pages of an argument; those that it names, if it is a feed or sitemap."""
    if not may_list_pages(argument):
        yield from _sources(argument)
        return
    try:
        named = reader.read_listing(argument)
    except InputError as error:
        (source,) = _sources(argument)
        yield replace(source, problem=str(error))
        return
    if named is None:
        yield from _sources(argument)
        return
    for address in named:
        yield from _sources(address)
    if not named:
        yield Source(argument, PurePath("page"), "a feed or sitemap that lists no pages")


def may_list_pages(argument: str) -> bool:
    """Return whether an argument may be a feed or sitemap: whether it is named like one."""
    path = urlsplit(argument).path if _ADDRESS.match(argument) else argument
    if path.lower().endswith(_LISTING_SUFFIXES):
        return not Path(argument).is_dir()
    last = path.rstrip("/").rpartition("/")[2]
    return _ADDRESS.match(argument) is not None and _LISTING_NAME.fullmatch(last) is not None


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
        # Somebody who names a pipe wants it read; one that lies in a folder might never end.
        problem = "" if not path.exists() or path.is_file() else "neither a file nor a folder"
        yield Source(str(path), path.relative_to(folder).with_suffix(""), problem)
    for error in unreadable:
        yield Source(str(error.filename), PurePath("page"), error.strerror or str(error))
    if not found and not unreadable:
        problem = f"no {', '.join(PAGE_SUFFIXES)} files in this folder; list other files one by one"
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
        except FileNotFoundError as error:
            raise missing(source.name) from error
        except (OSError, ValueError) as error:  # ValueError: a path with a NUL
            raise InputError(getattr(error, "strerror", None) or str(error)) from error

    def read_listing(self, name: str) -> list[str] | None:
        """Return the pages that a feed or sitemap names; None if it is neither."""
        from joeira.fetch import feeds

        if _ADDRESS.match(name):
            return feeds.pages_of(name, self._fetcher, say)
        try:
            first = feeds.read_listing(self._read_bytes(name))
        except (OSError, ValueError):  # said when it is read as a page
            return None
        return None if first is None else feeds.all_pages(first, self._fetcher, say)

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


def missing(name: str) -> InputError:
    """Return the error about a file that is not there, for `raise ... from` what told of it."""
    if _OTHER_SCHEME.match(name):
        return FetchError("no such file, and only http and https addresses can be fetched")
    return InputError("no such file; check the path (a web address starts with https://)")
