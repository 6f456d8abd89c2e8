"""What is done with each page of a batch, and the hash that says so in every row.

Names of columns: our own, or those of FineWeb.

Pages in memory, many at once.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from joeira import api, catalog
from joeira._version import __version__
from joeira.batch import warc
from joeira.batch.rows import NAMES, Record, Row
from joeira.errors import require
from joeira.isolation.work import Limits, failed
from joeira.isolation.workers import Workers
from joeira.page import Page, parse
from joeira.sites.result import SiteModel

TASKS = ("content", "records", "segments", "all")
SCHEMAS = ("joeira", "fineweb")
_WARM_UP = (
    "<ul><li><a href=x>A page</a> to load<li><a href=y>All</a> models on</ul><p>And text.</p>"
)
_METADATA = "title author date sitename hostname description image language pagetype".split()


@dataclass(frozen=True)
class Job:
    """What to extract from each page."""

    attempts: ClassVar[int] = 2

    task: str = "content"
    method: str = catalog.DEFAULT_CONTENT
    markdown: bool = False
    """Also Markdown of the content?"""
    visible_only: bool = False
    limits: Limits = field(default_factory=Limits)
    site_method: str | None = None
    """How sites are learned, if their pages are to be read in the light of each other."""

    def __post_init__(self) -> None:
        """Refuse what cannot be done, before any page is read."""
        require(self.task in TASKS, f"the task must be one of {', '.join(TASKS)}")
        catalog.find(self.method, "content")
        if self._learns_segments:
            require(self.task == "segments", f"{self.site_method!r} tells segments of sites only")

    @cached_property
    def _learns_segments(self) -> bool:
        """Whether sites are learned for the segments of their pages, not for the content."""
        method = self.site_method
        return method is not None and catalog.find_site(method).task == "site_segments"

    @cached_property
    def config_hash(self) -> str:
        """Short hash of the configuration, parameters of the methods included."""
        methods = [catalog.find(self.method, "content").load()()]
        methods += [catalog.find(catalog.DEFAULT_RECORDS, "records").load()()]
        methods += [catalog.find(catalog.DEFAULT_SEGMENTS, "segments").load()()]
        if self.site_method is not None:
            methods.append(catalog.find_site(self.site_method).load()())
        said = [asdict(self), *map(catalog.fingerprint, methods)]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the fields that rows of this job have."""
        missing = {name for name in ("text", "records", "segments") if not self._wants(name)}
        missing |= set() if self.markdown and self._wants("text") else {"markdown"}
        missing |= set() if self.site_method else {"site_pages"}
        return tuple(name for name in NAMES if name not in missing)

    def _wants(self, name: str) -> bool:
        return self.task in ("all", "content" if name == "text" else name)

    def warm_up(self) -> None:
        """Load what pages will need."""
        self.fields(Record("", None, _WARM_UP))

    def row(self, record: Record, found: dict[str, Any]) -> Row:
        """Return the row of a record from the fields that were found, with all that says whence."""
        return Row(
            id=record.id,
            url=record.url,
            crawled=record.date,
            joeira_version=__version__,
            config_hash=self.config_hash,
            source=record.source,
            offset=record.offset,
            **found,
        )

    def fields(self, record: Record) -> dict[str, Any]:
        """Return status, reason and what was extracted; a bug on the way is a status too."""
        try:
            return self._extracted(record)
        except MemoryError:
            raise
        except Exception as error:
            return failed("error", f"{type(error).__name__}: {error}"[:300])

    def _extracted(self, record: Record) -> dict[str, Any]:
        page, problem = page_of(record)
        found: dict[str, Any] = {}
        reasons = [problem]
        is_found = False
        site = _site(record.model) if record.model else None
        if site:
            found["site_pages"] = site.pages
        method = self.method if site is None or self._learns_segments else site
        content = api.extract(page, method, visible_only=self.visible_only)
        if self._wants("text"):
            found["text"] = content.text()
            found["markdown"] = content.markdown() if self.markdown else None
            is_found, reasons = bool(content), [*reasons, content.reason]
        if self._wants("records"):
            tables = api.find_records(page)
            found["records"] = [table.to_dict() for table in tables]
            is_found = is_found or bool(tables)
            reasons += [] if is_found else [tables.reason]
        if self._wants("segments"):
            parts = site.segment(page) if site and self._learns_segments else api.segment(page)
            found["segments"] = parts.to_dict()["segments"]
            is_found = is_found or bool(parts)
            reasons += [] if is_found else [parts.reason]
        said = {name: getattr(content.metadata, name) for name in _METADATA}
        found |= {name: None if value is None else str(value) for name, value in said.items()}
        confidence = content.page_confidence
        found["confidence"] = None if confidence is None else float(confidence)
        found["status"] = "ok" if is_found else "empty"
        found["reason"] = "; ".join(dict.fromkeys(filter(None, reasons)))
        return found


def site_method_for(task: str) -> str:
    """Return the name of the method by which sites are learned for a task."""
    return catalog.DEFAULT_SITE_SEGMENTS if task == "segments" else catalog.DEFAULT_SITE


def page_of(record: Record) -> tuple[Page, str]:
    """Return the page of a record, parsed, and what was wrong with how it is encoded."""
    html, problem = record.html, record.problem
    if record.is_http and isinstance(html, bytes):
        html, problem = warc.body(html)
    return parse(html, record.url), problem


@lru_cache(maxsize=8)  # pages of one site mostly follow each other
def _site(path: str) -> SiteModel:
    return api.load_site(path)


FINEWEB = (
    "text", "id", "dump", "url", "date", "file_path", "language", "language_score", "token_count",
    "status", "reason", "offset",
)  # fmt: skip
"""FineWeb's columns, then what keeps our promise: a page without text says why."""

_DUMP = re.compile(r"CC-MAIN-\d{4}-\d\d")


def columns_of(schema: str, job: Job) -> tuple[str, ...]:
    """Return the names of the columns."""
    return FINEWEB if schema == "fineweb" else job.columns


def shaped(schema: str, columns: tuple[str, ...], row: Row) -> dict[str, Any]:
    """Return a row with the columns of a schema."""
    values = row.to_dict()
    if schema == "fineweb":
        dump = _DUMP.search(row.source)
        values |= {"dump": dump[0] if dump else None, "file_path": row.source, "date": row.crawled}
    return {name: values.get(name) for name in columns}


Source = str | bytes | tuple[str | bytes, str | None]


def extract_many(
    pages: Iterable[Source], *, job: Job | None = None, workers: int | None = None
) -> Iterator[Row]:
    """Yield one row for each page, in their order, worked on by several processes.

    A page that crashes, hangs or eats memory gives a row that says so; rows are true if something
    was extracted.

    Args:
        pages: HTML as text or bytes, or pairs of HTML and address. They are taken as needed.
        job: What to extract.
        workers: Number of processes; one for each processor if not given.
    """
    job = job or Job()
    with Workers(job, workers) as team:
        for answer in team.answers(map(_record, range(1 << 62), pages)):
            assert answer.found is not None
            yield job.row(answer.record, answer.found)


def _record(number: int, page: object) -> Record:
    html, url = page if isinstance(page, tuple) else (page, None)
    if isinstance(html, str | bytes):
        return Record(str(number), url, html)
    return Record(str(number), url, b"", problem=f"HTML is str or bytes, not {type(html).__name__}")
