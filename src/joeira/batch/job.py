"""What a batch extracts from each page, and the hash that records it in every row.

A job computes what its columns need and nothing else: content for text, metadata field by field.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, cast

from joeira import api, catalog
from joeira._version import __version__
from joeira.batch import warc
from joeira.batch.rows import KINDS, Capture, Kind, Row, as_text
from joeira.catalog import Extractor
from joeira.content.result import Content
from joeira.errors import require
from joeira.isolation.work import Limits, failed
from joeira.isolation.workers import Workers
from joeira.metadata import Metadata, language
from joeira.page import Page, parse

if TYPE_CHECKING:  # a worker that finds content needs none of these
    from joeira.records.result import Records
    from joeira.segments.result import Segments
    from joeira.sites.result import SiteModel

COLUMN_OF = {"content": "text", "records": "records", "segments": "segments"}
"""What can be extracted from a page, and the column that it fills."""
TASKS = (*COLUMN_OF, "all")
DEFAULTS = {
    "content": catalog.DEFAULT_CONTENT,
    "records": catalog.DEFAULT_RECORDS,
    "segments": catalog.DEFAULT_SEGMENTS,
}
SCHEMAS = ("joeira", "fineweb")
METADATA = (
    "title", "author", "date", "sitename", "hostname", "description", "image", "language",
    "pagetype",
)  # fmt: skip
"""Columns of what a page says about itself."""
_WARM_UP = (
    "<ul><li><a href=x>A page</a> to load<li><a href=y>All</a> models on</ul><p>It is the text of a"
    " page that is here to have all of the models in memory, and it is as long as it has to be for"
    " its language to be told by the words that are in it.</p>",
    # Styles that have to be read, for only they tell which heading is the title, and a script.
    "<style>.a{color:#fff}.b{display:none}</style><script>a={'b':1}</script>"
    "<h1 class=a>Kontakt</h1><h1 class=b>Verschiedenes</h1>"
    "<p><span class=a>Ver</span><span class=b>schiedenes</span> Anfahrt</p>"
    "<ul><li><a href=x>Kontakt</a><li><a href=y>Impressum</a><li><a href=z>Anfahrt</a></ul>"
    "<p>Das ist der Text, und er ist so lang, dass er in den Worten, die er hat, sagt, was er ist.",
)
"""Enough words to tell a language: the library for short texts takes longer to load than all."""

Method = str | Extractor[Any]
"""A method by its name in the catalog, or a configured one: ``joeira.content.BTE(tag_cost=2)``."""


@dataclass(frozen=True)
class Job:
    """What to extract from each page."""

    attempts: ClassVar[int] = 2

    task: str = "content"
    """``content``, ``records``, ``segments`` or ``all`` of them."""
    method: Method | None = None
    """The method of the task; with ``all``, the content method."""
    markdown: bool = False
    """Whether to include Markdown of the content."""
    visible_only: bool = False
    limits: Limits = field(default_factory=Limits)
    site_method: str | None = None
    """The site method, if sites are learned first."""
    records_method: Method | None = None
    """The record method with ``all``."""
    segments_method: Method | None = None
    """The segment method with ``all``."""
    metadata: Sequence[str] | None = None
    """Columns of `METADATA`. None: all with content, none without it."""

    def __post_init__(self) -> None:
        """Check the job before any page is read."""
        require(self.task in TASKS, f"the task must be one of {', '.join(TASKS)}")
        for part in ("records", "segments"):
            is_apt = self.task == "all" or getattr(self, f"{part}_method") is None
            require(
                is_apt, f"{part}_method works only with the task all; with {self.task}, use method"
            )
        for part in self.parts:
            _check_method(self._method_of(part), part)
        self._check_site_method()
        if self.metadata is not None:
            names = [self.metadata] if isinstance(self.metadata, str) else [*self.metadata]
            known = f"the metadata columns are {', '.join(METADATA)}"
            for name in names:
                require(name in METADATA, f"no metadata {name!r}: {known}")
            # The same however they were given, so that equal jobs have equal hashes.
            in_order = tuple(name for name in METADATA if name in names)
            object.__setattr__(self, "metadata", in_order)

    def _check_site_method(self) -> None:
        if self.site_method is None:
            return
        if self._learns_segments:
            require(self.task == "segments", f"{self.site_method!r} finds only segments of sites")
        else:
            problem = f"{self.site_method!r} learns the content of sites, not their {self.task}"
            require("content" in self.parts, problem)

    def __getstate__(self) -> dict[str, Any]:
        """Let workers make their own methods: those of the parent may have loaded their models."""
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}

    @property
    def parts(self) -> tuple[str, ...]:
        """What is extracted: keys of `COLUMN_OF`."""
        return tuple(COLUMN_OF) if self.task == "all" else (self.task,)

    @cached_property
    def methods(self) -> dict[str, Any]:
        """The configured method of each part, and of nothing that is not extracted."""
        return {part: _build(self._method_of(part), part) for part in self.parts}

    def _method_of(self, part: str) -> Method:
        own = "content" if self.task == "all" else self.task
        given = self.method if part == own else getattr(self, f"{part}_method")
        return DEFAULTS[part] if given is None else given

    @cached_property
    def _learns_segments(self) -> bool:
        """Whether sites are learned for the segments of their pages, not for the content."""
        method = self.site_method
        return method is not None and catalog.find_site(method).task == "site_segments"

    @cached_property
    def config_hash(self) -> str:
        """Short hash of the configuration, including the parameters of the methods."""
        methods = list(self.methods.values())
        if self.site_method is not None:
            methods.append(catalog.find_site(self.site_method).load()())
        said = [self.to_dict(), *map(catalog.fingerprint, methods)]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration as plain data, with the methods that are used."""
        return {
            "task": self.task,
            "methods": {part: _description(each, part) for part, each in self.methods.items()},
            "markdown": self.markdown,
            "visible_only": self.visible_only,
            "metadata": list(self.metadata_columns),
            "limits": asdict(self.limits),
            "site_method": self.site_method,
        }

    @property
    def metadata_columns(self) -> tuple[str, ...]:
        """The columns of `METADATA` that rows of this job have."""
        if self.metadata is not None:
            return tuple(self.metadata)
        return METADATA if "content" in self.parts else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the fields that rows of this job have."""
        missing = {column for part, column in COLUMN_OF.items() if part not in self.parts}
        missing |= set() if self.markdown and "content" in self.parts else {"markdown"}
        missing |= set() if "content" in self.parts else {"confidence"}
        missing |= set() if self.site_method else {"site_pages"}
        missing |= {*METADATA} - {*self.metadata_columns}
        return tuple(name for name in KINDS if name not in missing)

    def for_schema(self, schema: str) -> Job:
        """Return the job that computes what the columns of a schema need."""
        if schema != "fineweb":
            return self
        require(self.task == "content", "FineWeb's columns contain text: use the task content")
        is_fixed = self.metadata in (None, ("language",))
        require(is_fixed, "FineWeb's columns are fixed: omit the metadata")
        return replace(self, metadata=("language",), markdown=False)

    def warm_up(self) -> None:
        """Load what nearly all pages need: none of them has to do so within its own time."""
        for page in _WARM_UP:
            self.fields_so_far(Capture("", None, page))

    def load_rest(self) -> None:
        """Load what tells the language of short texts, of which a run may have none."""
        language.load_library()

    def row(self, record: Capture, fields: dict[str, Any]) -> Row:
        """Return the row of a record from what was extracted, with all that says whence."""
        return Row(
            id=as_text(record.id),
            url=record.url,
            crawled=record.date,
            joeira_version=__version__,
            config_hash=self.config_hash,
            source=as_text(record.source),
            offset=record.offset,
            **fields,
        )

    def fields(self, record: Capture) -> dict[str, Any]:
        """Return status, reason and what was extracted; a bug on the way is a status too."""
        try:
            return self._extract(record)
        except MemoryError:
            raise
        except Exception as error:
            return failed("error", f"{type(error).__name__}: {error}"[:300])

    def fields_so_far(self, record: Capture) -> dict[str, Any] | None:
        """Return the same, unless that takes what `load_rest` loads."""
        try:
            with language.without_loading():
                return self.fields(record)
        except language.LibraryNeeded:
            return None

    def _extract(self, record: Capture) -> dict[str, Any]:
        page, problem = page_of(record)
        site = _site(record.model) if record.model else None
        values: dict[str, Any] = {"site_pages": site.pages} if site else {}
        results: dict[str, Content | Records | Segments] = {}
        metadata = None
        if "content" in self.parts:
            method = self.methods["content"] if site is None else site
            content = api.extract(page, method, visible_only=self.visible_only)
            results["content"] = content
            values["text"] = content.text()
            values["markdown"] = content.markdown() if self.markdown else None
            confidence = content.page_confidence
            values["confidence"] = None if confidence is None else float(confidence)
            # It knows more than the page alone: a title that the method found, and what is text.
            metadata = content.metadata if self.metadata_columns else None
        if "records" in self.parts:
            results["records"] = tables = api.find_records(page, self.methods["records"])
            values["records"] = [table.to_dict() for table in tables]
        if "segments" in self.parts:
            if site is not None and self._learns_segments:
                parts = site.segment(page)
            else:
                parts = api.segment(page, self.methods["segments"])
            results["segments"] = parts
            values["segments"] = parts.to_dict()["segments"]
        if self.metadata_columns:
            metadata = metadata or Metadata(page)
            said = {name: getattr(metadata, name) for name in self.metadata_columns}
            values |= {name: None if value is None else str(value) for name, value in said.items()}
        reasons = [problem, *_reasons(results)]
        values["status"] = "ok" if any(results.values()) else "empty"
        values["reason"] = "; ".join(dict.fromkeys(filter(None, reasons)))
        return values


def _reasons(results: Mapping[str, Content | Records | Segments]) -> Iterator[str]:
    """Yield what is said of content and segments, and of records until something was found."""
    is_empty = True
    for part, result in results.items():
        is_empty = is_empty and not result
        if is_empty or part == "content":
            yield result.reason
        elif part == "segments":
            yield cast("Segments", result).note


def _check_method(method: Method, part: str) -> None:
    """Refuse a method that does not exist, is for something else or cannot reach the workers."""
    if isinstance(method, str):
        catalog.find(method, part)
        return
    kind = type(method)
    require(callable(getattr(method, "extract", None)), f"{method!r} is not a method for {part}")
    location = f"{kind.__module__}:{kind.__qualname__}"
    tasks = {entry.task for entry in catalog.entries() if entry.location == location}
    problem = f"{kind.__name__} is a method for {', '.join(sorted(tasks))}, not for {part}"
    require(not tasks or part in tasks, problem)
    problem = f"workers cannot import {kind.__name__} from a script: define it in a module"
    require(kind.__module__ != "__main__", problem)


def _build(method: Method, part: str) -> Any:
    return catalog.build(method, task=part) if isinstance(method, str) else method


def _description(method: Any, part: str) -> dict[str, Any]:
    """Return name and parameters of a method as plain data, the same in every run."""
    fields = dataclasses.fields(method) if dataclasses.is_dataclass(method) else ()
    values = {each.name: getattr(method, each.name) for each in fields if each.repr}
    plain = {name: _plain(value) for name, value in values.items()}
    return {"name": catalog.name_of(type(method), part), "parameters": plain}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return repr(value)


def site_method_for(task: str) -> str:
    """Return the name of the method by which sites are learned for a task."""
    return catalog.DEFAULT_SITE_SEGMENTS if task == "segments" else catalog.DEFAULT_SITE


def page_of(record: Capture) -> tuple[Page, str]:
    """Return the page of a record, parsed, and what was wrong with how it is encoded."""
    html, problem = record.html, record.problem
    if record.is_http and isinstance(html, bytes):
        html, problem = warc.body(html)
    return parse(html, record.url), problem


@lru_cache(maxsize=8)  # pages of one site mostly follow each other
def _site(path: str) -> SiteModel:
    return api.load_site(path)


FINEWEB: Mapping[str, Kind] = {
    **dict.fromkeys(("text", "id", "dump", "url", "date", "file_path", "language"), "string"),
    "language_score": "float64", "token_count": "int64",
    "status": "string", "reason": "string", "offset": "int64",
}  # fmt: skip
"""FineWeb's columns, then what keeps our promise: a page without text says why."""

_DUMP = re.compile(r"CC-MAIN-\d{4}-\d\d")


def columns_of(schema: str, job: Job) -> Mapping[str, Kind]:
    """Return the names of the columns, with the kinds of their values."""
    return FINEWEB if schema == "fineweb" else {name: KINDS[name] for name in job.columns}


def shaped(schema: str, columns: Iterable[str], row: Row) -> dict[str, Any]:
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
    """Yield one row for each page, in order, using several processes.

    A page that crashes, hangs or exhausts memory yields a row that says so. A row is truthy if
    something was extracted.

    Args:
        pages: HTML as text or bytes, or pairs of HTML and address; consumed lazily.
        job: What to extract.
        workers: Number of processes; by default one per processor.
    """
    job = job or Job()
    with Workers(job, workers) as team:
        for answer in team.answers(map(_record, range(1 << 62), pages)):
            assert answer.found is not None
            yield job.row(answer.record, answer.found)


def _record(number: int, page: object) -> Capture:
    html, url = page if isinstance(page, tuple) else (page, None)
    if isinstance(html, str | bytes):
        return Capture(str(number), url, html)
    return Capture(
        str(number), url, b"", problem=f"HTML is str or bytes, not {type(html).__name__}"
    )
