"""Requests: read within limits and handed to a worker.

What is asked are the fields of the JSON of a body or, for a raw page, of the query. The page comes
from the body, or from the web if the client wants that and the service allows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.config import JsonDict
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import CoreSchema, core_schema
from starlette.requests import Request

from joeira import catalog, formats
from joeira.errors import FetchError, InputError, UsageError
from joeira.fetch.addresses import MAX_URL_CHARS
from joeira.fetch.fetcher import Fetcher
from joeira.page.parse import as_served
from joeira.service import method_options
from joeira.service.guard import Bodies, Problem, in_words
from joeira.service.jobs import Jobs
from joeira.service.settings import Settings
from joeira.service.tasks import Asked

_LARGE_BODY_BYTES = 16_384
"""A larger body is read in a worker: it may hold millions of fields, or be in a slow charset."""


Options = dict[str, Any]
"""Parameters of a method: `joeira.service.method_options` reads them, once the method is known."""
Url = Annotated[str, Field(max_length=MAX_URL_CHARS)]
Name = Annotated[str, Field(max_length=100)]
_NEEDS_HTML: JsonDict = {"required": ["html"], "properties": {"html": {"type": "string"}}}
_NEEDS_URL: JsonDict = {"required": ["url"], "properties": {"url": {"type": "string"}}}


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceQuestion(_Question):
    """A page: as it is, or its address."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [_NEEDS_HTML, _NEEDS_URL]})

    html: str | None = Field(None, description="The page. If it is missing, `url` is fetched.")
    url: Url | None = Field(None, description="Address of the page.")


class PageQuestion(SourceQuestion):
    """A page, and the method that is wanted for it."""

    task: ClassVar[str]
    default: ClassVar[str]
    """Name of the method that is used unless another one is wanted."""

    method: Name | None = Field(None, description="Name of a method; GET /v1/methods lists them.")
    options: Options = Field({}, description="Parameters of the method.")


class FormatOf:
    """Marks a text as the name of a format that a task has: one of a few, as a Literal is."""

    def __init__(self, task: str) -> None:
        """Keep the task."""
        self._task = task

    def __get_pydantic_core_schema__(self, *_: object) -> CoreSchema:
        """Return what pydantic checks by and describes."""
        return core_schema.literal_schema(formats.portable_names(self._task))


class ExtractQuestion(PageQuestion):
    """Of which page the main content is wanted, and how."""

    task: ClassVar[str] = "content"
    default: ClassVar[str] = catalog.DEFAULT_CONTENT

    format: Annotated[str, FormatOf("content")] = "json"
    visible_only: bool = Field(False, description="Leave out what readers do not see.")


class RecordsQuestion(PageQuestion):
    """Of which page the records are wanted, and how."""

    task: ClassVar[str] = "records"
    default: ClassVar[str] = catalog.DEFAULT_RECORDS

    format: Annotated[str, FormatOf("records")] = "json"
    # Not in the description: no schema can say which XPaths can be read, and others are refused.
    wrapper: SkipJsonSchema[dict[str, Any] | None] = Field(
        None, description="A wrapper from `joeira records learn` to read the records with."
    )

    @field_validator("wrapper")
    @classmethod
    def _is_wrapper(cls, data: dict[str, Any] | None) -> dict[str, Any] | None:
        """Reject an invalid wrapper before a worker sees it."""
        if data is not None:
            from joeira.records.wrapper import Wrapper

            try:
                Wrapper.from_dict(data)
            except InputError as error:
                raise ValueError(str(error)) from error
        return data


class PagesQuestion(SourceQuestion):
    """Of which page the links to the other pages of its list are wanted."""

    format: Literal["json"] = "json"


class SegmentsQuestion(PageQuestion):
    """Of which page the segments are wanted, and how."""

    task: ClassVar[str] = "segments"
    default: ClassVar[str] = catalog.DEFAULT_SEGMENTS

    format: Annotated[str, FormatOf("segments")] = "json"


class ExplainQuestion(PageQuestion):
    """Of which page every decision is wanted, and how."""

    task: ClassVar[str] = "content"
    default: ClassVar[str] = catalog.DEFAULT_CONTENT

    format: Annotated[str, FormatOf("explanation")] = "json"
    visible_only: bool = Field(False, description="Leave out what readers do not see.")


class MetadataQuestion(PageQuestion):
    """Of which page the metadata are wanted, and how."""

    task: ClassVar[str] = "content"
    default: ClassVar[str] = catalog.DEFAULT_CONTENT

    format: Annotated[str, FormatOf("metadata")] = "json"
    candidates: bool = Field(False, description="Include every candidate value.")


class PostsQuestion(PageQuestion):
    """Of which page the posts are wanted."""

    task: ClassVar[str] = "content"
    default: ClassVar[str] = catalog.DEFAULT_CONTENT

    format: Literal["json"] = "json"
    visible_only: bool = Field(False, description="Leave out what readers do not see.")


class SitePageQuestion(SourceQuestion):
    """Of which page of a site the main content is wanted, and how."""

    format: Annotated[str, FormatOf("content")] = "json"
    visible_only: bool = Field(False, description="Leave out what readers do not see.")


class SiteSegmentsQuestion(SourceQuestion):
    """Of which page of a site the segments are wanted, and how."""

    format: Annotated[str, FormatOf("segments")] = "json"


class SitePage(_Question):
    """One page of a site."""

    html: str
    url: Url | None = None


class LearnRecordsQuestion(_Question):
    """The pages of a site whose list is to be learned, and what its records show."""

    pages: list[SitePage] = Field(min_length=1, max_length=100)
    examples: list[Name] | dict[str, Name] = Field(
        [], max_length=100, description="Values of one record, or values by column name."
    )


class SiteQuestion(_Question):
    """The pages of a site, and how to learn from them."""

    task: ClassVar[str] = method_options.SITES
    default: ClassVar[str] = catalog.DEFAULT_SITE

    pages: list[SitePage] = Field(min_length=1, max_length=1000)
    name: str = Field("", max_length=200, description="Display name.")
    method: Name | None = Field(None, description="Name of a site method.")
    options: Options = Field({}, description="Parameters of the method.")


Question = TypeVar("Question", bound=BaseModel)
T = TypeVar("T")


def is_json(content_type: str) -> bool:
    """Return whether a body is JSON; any other body is a page."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


def from_json(body: bytes, kind: type[Question]) -> Question:
    """Return what a JSON body asks."""
    try:
        return kind.model_validate_json(body, strict=True)
    except ValidationError as error:
        raise Problem(400, in_words(error)) from None


def from_query(request: Request, kind: type[Question]) -> tuple[Question, dict[str, str]]:
    """Return what a query asks, and the options that it names: ``set=name=value``."""
    fields: dict[str, Any] = {}
    options: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name == "set":
            key, equals, setting = value.partition("=")
            if not equals or not key.strip():
                raise Problem(400, "set must be name=value")
            options[key.strip()] = setting.strip()
        elif name in fields or name in ("html", "options", "wrapper"):
            raise Problem(400, f"{name[:50]!r} is not allowed in the query, or only once")
        else:
            fields[name] = value
    try:
        return kind.model_validate(fields), options
    except ValidationError as error:
        raise Problem(400, in_words(error)) from None


def page_of(content_type: str, body: bytes) -> bytes | str:
    """Return a raw body as its media type says that it is encoded."""
    charset = content_type.lower().partition("charset=")[2].split(";")[0].strip(" \"'")
    return as_served(body, charset or None)


@dataclass(frozen=True)
class Unread:
    """A body that nobody has looked into, and what the head of its request asks."""

    html: bytes = field(repr=False)
    """The body, which may be JSON."""
    content_type: str
    question: SourceQuestion
    """From the query."""
    settings: dict[str, str]
    """Options that the query names."""

    def read(self) -> Asked:
        """Return the page and what is wanted of it; without a page, with its address."""
        question, settings = self.question, self.settings
        html: bytes | str | None = None
        if is_json(self.content_type):
            said = from_json(self.html, type(question))
            given = {name: getattr(said, name) for name in said.model_fields_set}
            if given.keys() & _TOGETHER:  # a method and its parameters are said in one place
                given |= {name: getattr(said, name) for name in _TOGETHER}
                settings = {}
            question = question.model_copy(update=given)
            html = question.html
        elif self.html:
            html = page_of(self.content_type, self.html)
        wanted = question.model_dump(exclude={"html", "url", *_TOGETHER})
        if isinstance(question, PageQuestion):
            wanted |= chosen(question, settings)
        elif settings:
            raise Problem(400, "'set' is not allowed in this query")
        if html is None and question.url is None:
            raise Problem(400, "there is no page", "send html, or a url to fetch")
        return Asked(html, question.url, **wanted)


def warm_up() -> None:
    """Load what the bodies of requests need; for a worker."""
    question = ExtractQuestion.model_validate({})
    Unread(b'{"html": "<p>"}', "application/json", question, {}).read()


def read_first(function: Callable[..., T], *arguments: Any) -> T:
    """Call a function with what bodies say in their place; for a worker."""
    try:
        read = [each.read() if isinstance(each, Unread) else each for each in arguments]
    except Problem as problem:
        raise UsageError(problem.error) from None
    if any(isinstance(each, Asked) and each.html is None for each in read):
        raise UsageError("a body of this size cannot contain a page")
    return function(*read)


def read_json(body: bytes, kind: type[Question]) -> Question:
    """Return what a JSON body asks; for a worker."""
    try:
        return from_json(body, kind)
    except Problem as problem:
        raise UsageError(problem.error) from None


_FETCHES = 8
"""So many pages are fetched at once."""
_TOGETHER = frozenset({"method", "options"})
_MAX_REASON_CHARS = 500


@dataclass
class Asking:
    """What handlers of requests share."""

    settings: Settings
    jobs: Jobs
    bodies: Bodies
    _fetching: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_FETCHES, "fetch"), repr=False
    )

    @asynccontextmanager
    async def page(
        self, request: Request, kind: type[SourceQuestion]
    ) -> AsyncIterator[Asked | Unread]:
        """Give the page of a request and what is wanted of it, for `run`."""
        question, settings = from_query(request, kind)
        content_type = request.headers.get("content-type", "")
        async with self.bodies.read(request) as body:
            unread = Unread(body, content_type, question, settings)
            if len(body) > _LARGE_BODY_BYTES:
                yield unread
                return
            asked = unread.read()
            if asked.html is None:
                url, html = await self.fetched(asked.url or "")
                asked = replace(asked, url=url, html=html)
            yield asked

    async def json(self, request: Request, body: bytes, kind: type[Question]) -> Question:
        """Return what a JSON body asks."""
        if len(body) > _LARGE_BODY_BYTES:
            return await self.run(request, read_json, body, kind)
        return from_json(body, kind)

    async def run(self, request: Request, function: Callable[..., T], *arguments: Any) -> T:
        """Return what a function returns in a worker, unless the client leaves before its turn."""
        if any(isinstance(each, Unread) for each in arguments):
            function = partial(read_first, function)
        job = asyncio.ensure_future(self.jobs.run(function, *arguments))
        leaving = asyncio.ensure_future(_left(request))
        try:
            await asyncio.wait((job, leaving), return_when=asyncio.FIRST_COMPLETED)
            if job.done():
                return job.result()
            raise Problem(400, "the client disconnected")  # nobody will read it
        finally:
            job.cancel()
            leaving.cancel()

    async def fetched(self, url: str) -> tuple[str, bytes | str]:
        """Return the final address and the page; errors do not tell what is behind an address."""
        if not self.settings.allow_fetch:
            cure = "send html, or start the service with --allow-fetch"
            raise Problem(403, "this service does not fetch pages", cure)
        try:
            scheme = urlsplit(url).scheme.lower()
        except ValueError:
            scheme = ""
        if scheme not in ("http", "https"):
            raise Problem(400, "only http and https addresses can be fetched")
        fetcher = Fetcher(self.settings.limits.seconds, self.settings.max_body_bytes, False)
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._fetching, fetcher.fetch, url)
        except FetchError:
            cure = "use the public address of a web page that robots.txt allows"
            raise Problem(502, "the address could not be fetched", cure) from None


async def _left(request: Request) -> None:
    """Wait until the client of a request, whose body has been read, has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def chosen(
    question: PageQuestion | SiteQuestion, settings: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the method that is wanted, and its parameters; those of the query are texts."""
    name = question.method or question.default
    try:
        values = method_options.from_texts(name, question.task, settings or {})
        given = method_options.read(name, question.task, {**values, **question.options})
    except UsageError as error:
        raise Problem(400, str(error)[:_MAX_REASON_CHARS]) from None
    return {"method": name, "options": given}
