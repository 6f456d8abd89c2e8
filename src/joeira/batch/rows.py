"""What goes into a batch and what comes out of it: one row for every record, whatever happens."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, replace
from typing import Any

FAILURES = ("skipped", "timeout", "oom", "crash", "error")
STATUSES = ("ok", "empty", *FAILURES)
"""What may become of a record. ``skipped`` is a damaged one; the others of `FAILURES` are pages
that ran out of time or memory, took their process with them, or met a bug."""


@dataclass(frozen=True)
class Position:
    """Where reading goes on after a record: number of the input, and offset in it."""

    source: int = 0
    offset: int = 0
    ignored: int = 0
    """How many records that are no pages (requests, pictures, ...) were passed so far."""


@dataclass(frozen=True)
class Record:
    """One page as a source gives it."""

    id: str
    url: str | None
    html: bytes | str
    source: str = ""
    offset: int = 0
    after: Position = Position()
    date: str | None = None
    """When it was crawled."""
    problem: str = ""
    """Why there is nothing to extract from; the record becomes a row all the same."""
    is_http: bool = False
    """Is `html` a whole WARC record, with an HTTP response in it?"""
    model: str = ""
    """File with what was learned of the site that it belongs to."""

    def bare(self) -> Record:
        """Return the record without its page, to be kept while it is worked on."""
        return replace(self, html=b"")


@dataclass(frozen=True)
class Row:
    """What became of one record."""

    id: str
    url: str | None
    status: str
    reason: str
    text: str | None = None
    markdown: str | None = None
    records: list[dict[str, Any]] | None = None
    segments: list[dict[str, Any]] | None = None
    title: str | None = None
    author: str | None = None
    date: str | None = None
    sitename: str | None = None
    hostname: str | None = None
    description: str | None = None
    image: str | None = None
    language: str | None = None
    pagetype: str | None = None
    confidence: float | None = None
    site_pages: int | None = None
    """From so many pages its site was learned; None if the page was read by itself."""
    crawled: str | None = None
    joeira_version: str = ""
    config_hash: str = ""
    source: str = ""
    offset: int = 0

    def __bool__(self) -> bool:
        """Return whether something was extracted."""
        return self.status == "ok"

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data, always in the same order."""
        return dict(self.__dict__)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)
NAMES = tuple(field.name for field in dataclasses.fields(Row))


def line(row: dict[str, Any]) -> bytes:
    """Return a row as a line of JSON, the same for equal rows; a lone surrogate becomes ``?``."""
    return _ENCODER.encode(row).encode("utf-8", "replace") + b"\n"
