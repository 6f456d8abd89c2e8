"""The pages that sites are learned from: an index on disk, so that memory does not grow.

Sites of a batch: which pages belong to one, and what the processes do to learn it.

Learn the sites of a run before its pages are read.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any, ClassVar
from urllib.parse import urlsplit

from joeira import api
from joeira.batch.job import Job, page_of
from joeira.batch.rows import Capture
from joeira.batch.sources import PAGES, can_seek, record_at
from joeira.batch.targets import Folder, Store, Target
from joeira.errors import InputError, OutputError
from joeira.isolation.work import Limits, failed
from joeira.isolation.workers import Answer, Workers
from joeira.page import Page

_TABLE = "create table page (site text, path text, offset integer)"
_COUNT = "select count(*) from page where site = ?"
_SITES = """
    select site, path, offset from page
    where site in (select site from page group by site having count(*) >= ?) order by site, rowid
"""


class SiteIndex:
    """The first pages of every site; to be closed at the end.

    Pages of files that can only be read from the beginning are copied to one that can be read
    anywhere. Its files are hidden ones of a folder, which closing removes.
    """

    def __init__(self, folder: Path) -> None:
        """Make the files."""
        self._files = tuple(folder / f".sites.{kind}" for kind in ("sqlite", "jsonl", "warc"))
        self._remove()
        database, lines, archive = self._files
        self._index = sqlite3.connect(database, isolation_level=None)
        self._index.execute("pragma synchronous = off")
        self._index.execute("pragma journal_mode = off")
        self._index.execute(_TABLE)
        self._index.execute("create index site_of_page on page (site)")
        self._copies = {False: lines.open("wb"), True: archive.open("wb")}
        self._can_seek = lru_cache(maxsize=64)(can_seek)  # records of a file follow each other

    def close(self) -> None:
        """Remove the files."""
        self._index.close()
        for file in self._copies.values():
            file.close()
        self._remove()

    def fill(self, records: Iterable[Capture]) -> None:
        """Take the records that sites may be learned from, in their order."""
        try:
            for record in records:
                name = "" if record.problem else site_of(record)
                if name and self._index.execute(_COUNT, (name,)).fetchone()[0] < MAX_PAGES:
                    path, offset = self._place(record)
                    # As JSON, because names of files need not be proper text.
                    values = (name, json.dumps(path), offset)
                    self._index.execute("insert into page values (?, ?, ?)", values)
            for file in self._copies.values():
                file.flush()
        except (OSError, sqlite3.Error) as error:
            message = f"{self._files[0].parent}: {getattr(error, 'strerror', None) or error}"
            raise OutputError(message) from error

    def sites(self) -> Iterator[Site]:
        """Yield the sites that have enough pages."""
        rows = self._index.execute(_SITES, (MIN_PAGES,))
        for name, pages in groupby(rows, key=lambda row: str(row[0])):
            yield Site(name, tuple((json.loads(path), offset) for _, path, offset in pages))

    def _place(self, record: Capture) -> tuple[str, int]:
        """Return file and offset at which a record can be read again."""
        if self._can_seek(record.source):
            return record.source, record.offset
        file = self._copies[record.is_http]
        offset = file.tell()
        if record.is_http:
            assert isinstance(record.html, bytes)
            file.write(record.html + b"\r\n\r\n")
        else:
            said = {"url": record.url, "html": record.html}
            file.write(json.dumps(said).encode() + b"\n")
        return file.name, offset

    def _remove(self) -> None:
        for path in self._files:
            path.unlink(missing_ok=True)


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
        return self.job.limits.times(_PATIENCE)

    def warm_up(self) -> None:
        """Load what pages will need."""
        self.job.warm_up()
        self.job.load_rest()

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


def site_of(record: Capture) -> str:
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


def readable(site: Site) -> Iterator[tuple[tuple[str, int], Capture]]:
    """Read the pages of a site, one after the other, each with its place."""
    for place in site.pages:
        record = record_at(*place)
        if record is not None and not record.problem:
            yield place, record


def _pages(site: Site) -> Iterator[Page]:
    for _, record in readable(site):
        yield page_of(record)[0]


DONE = "sites.json"
"""Says which sites were learned; when it is there, all were."""
_PLAIN = re.compile(r"[a-z0-9][a-z0-9.-]{0,99}")


@dataclass(frozen=True)
class Sites:
    """What was learned of the sites of a run, in a folder of site files."""

    folder: Path
    """Where workers find them."""
    pages: dict[str, int] = field(default_factory=dict)
    """Number of pages that each site was learned from."""
    problems: dict[str, str] = field(default_factory=dict)
    """Why a site with enough pages could not be learned."""
    store: Store | None = None
    """Where they are kept, if that is not on this machine; the folder has those that were used."""

    def assigned(self, record: Capture) -> Capture:
        """Return a record with the file of its site, where there is one."""
        name = site_of(record)
        if name not in self.pages:
            return record
        return replace(record, model=str(self.brought(file_name(name))))

    def has(self, name: str) -> bool:
        """Return whether there is a file of a site, from this run or an earlier one."""
        try:
            (self.store or Folder(self.folder)).open(file_name(name)).close()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise OutputError(f"{name}: {error.strerror or error}") from error
        return True

    def brought(self, file: str) -> Path:
        """Return a site file that workers can read, brought from the store if it is not here."""
        path = self.folder / file
        if self.store is not None and not path.exists():
            try:
                with self.store.open(file) as kept:
                    Folder(self.folder).write(file, kept.read(), is_forced=False)
            except OSError as error:
                raise InputError(f"{self.store.at(file)}: {error.strerror or error}") from error
        return path

    def add(self, answer: Answer[Site]) -> bool:
        """Write the file of a site that was learned; return whether it was."""
        name = answer.record.name
        said = answer.found or {}
        if said["status"] != "ok":
            self.problems[name] = f"{said['status']}: {said['reason']}"
            return False
        self._write(file_name(name), said["model"])
        self.problems.pop(name, None)
        self.pages[name] = said["pages"]
        return True

    def to_dict(self) -> dict[str, Any]:
        """Return what is known of each site."""
        return {"pages": self.pages, "problems": self.problems}

    def save(self) -> None:
        """Say that all sites of the run were learned."""
        data = json.dumps(self.to_dict(), indent=1).encode() + b"\n"
        self._write(DONE, data)

    def _write(self, name: str, data: bytes) -> None:
        Folder(self.folder).write(name, data, is_forced=self.store is None)
        if self.store is not None:
            # The same pages teach the same, so nothing is lost if a second run has been quicker.
            self.store.write(name, data, is_forced=False)


@contextmanager
def kept(target: Target, run: str) -> Iterator[Sites]:
    """Give the sites of a run, whose files lie where its rows do; none are known as yet."""
    where = target.below(f"sites-{run}")
    if isinstance(where, Store):
        with tempfile.TemporaryDirectory(prefix="joeira-") as folder:
            yield Sites(Path(folder), store=where)
        return
    assert isinstance(where, Folder)
    try:
        where.path.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"{where.path}: {error.strerror or error}") from error
    yield Sites(where.path)


def read(found: Sites) -> Sites | None:
    """Return what an earlier run learned; None if it did not get that far."""
    try:
        with (found.store or Folder(found.folder)).open(DONE) as file:
            return replace(found, **json.loads(file.read()))
    except FileNotFoundError:
        return None
    except OSError as error:
        where = found.folder if found.store is None else found.store.address
        raise OutputError(f"{where}: {error.strerror or error}") from error


def file_name(site: str) -> str:
    """Return the name of the file of a site."""
    if _PLAIN.fullmatch(site):
        return f"{site}.json"
    return f"{hashlib.sha256(site.encode('utf-8', 'replace')).hexdigest()[:16]}.json"


def learn(records: Iterable[Capture], found: Sites, job: Job, workers: int | None = None) -> Sites:
    """Learn the sites of records, and go on where an earlier run stopped.

    Args:
        records: All of the run, from the first.
        found: Where the site files go; it belongs to this run alone.
        job: What is extracted.
        workers: Number of processes.
    """
    if known := read(found):
        return known
    try:
        index = SiteIndex(found.folder)
    except OSError as error:
        raise OutputError(f"{found.folder}: {error.strerror or error}") from error
    failures: list[Site] = []
    with closing(index):
        index.fill(records)
        with Workers(Learning(job), workers) as team:
            for answer in team.answers(index.sites()):
                if not found.add(answer):
                    failures.append(answer.record)
            if failures:
                with Workers(job, workers) as readers:
                    again = [without_poison(site, readers) for site in failures]
                for answer in team.answers(again):
                    found.add(answer)
    found.save()
    return found


def without_poison(site: Site, readers: Workers) -> Site:
    """Return a site without the pages that take their process with them, tried one by one."""
    places = []

    def records() -> Iterator[Capture]:
        for place, record in readable(site):
            places.append(place)
            yield record

    ends = [(answer.found or {})["status"] for answer in readers.answers(records())]
    good = [place for place, end in zip(places, ends, strict=True) if end in ("ok", "empty")]
    problem = "" if len(good) >= MIN_PAGES else "too few pages can be read"
    return Site(site.name, tuple(good), problem)
