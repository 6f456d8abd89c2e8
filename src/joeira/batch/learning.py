"""Sites of a batch: which pages belong to one, and what the processes do to learn it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, ClassVar
from urllib.parse import urlsplit

from joeira import api
from joeira.batch.job import Job, page_of
from joeira.batch.rows import Record
from joeira.batch.sources import PAGES, record_at
from joeira.isolation.work import MAX_SECONDS, Limits, failed
from joeira.page import Page

MIN_PAGES = 5
"""With fewer pages there is little to learn, and each is read by itself."""
MAX_PAGES = 100
"""A site is learned from its first pages: more change little, and take time."""
_PATIENCE = 12
"""A site may take the time of so many pages: learning is quick, and machines are busy."""


@dataclass(frozen=True)
class Site:
    """The pages to learn a site from, as files and offsets."""

    name: str
    pages: tuple[tuple[str, int], ...]
    problem: str = ""

    def bare(self) -> Site:
        """Return the same: it holds no pages."""
        return self


@dataclass(frozen=True)
class Learning:
    """What worker processes do to learn sites; all pages of a site in one go."""

    job: Job

    attempts: ClassVar[int] = 1

    @property
    def limits(self) -> Limits:
        """What one site may use."""
        seconds = min(_PATIENCE * self.job.limits.seconds, MAX_SECONDS)
        return Limits(seconds, self.job.limits.memory_bytes)

    def warm_up(self) -> None:
        """Load what pages will need."""
        self.job.warm_up()

    def fields(self, site: Site) -> dict[str, Any]:
        """Return what was learned, as the content of a site file."""
        assert self.job.site_method is not None
        try:
            learned = api.learn_site(_pages(site), self.job.site_method)
        except MemoryError:
            raise
        except Exception as error:
            return failed("error", f"{type(error).__name__}: {error}"[:300])
        model = learned.to_json().encode("utf-8", "replace")
        return {"status": "ok", "reason": "", "pages": learned.pages, "model": model}


def site_of(record: Record) -> str:
    """Return the name of the site that a record belongs to; '' if nobody knows.

    That is the host of its address, or the folder of a page without one.
    """
    try:
        host = urlsplit(record.url or "").hostname or ""
    except ValueError:
        host = ""
    if not host and not record.url and record.source.lower().endswith(PAGES):
        host = str(PurePath(record.source).parent)
    return host.removeprefix("www.").encode("utf-8", "replace").decode()  # no lone surrogates


def readable(site: Site) -> Iterator[tuple[tuple[str, int], Record]]:
    """Read the pages of a site, one after the other, each with its place."""
    for place in site.pages:
        record = record_at(*place)
        if record is not None and not record.problem:
            yield place, record


def _pages(site: Site) -> Iterator[Page]:
    for _, record in readable(site):
        yield page_of(record)[0]
