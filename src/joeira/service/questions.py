"""What a request asks: the fields of its JSON body or, for a raw page, of its query."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.config import JsonDict
from starlette.requests import Request

from joeira import catalog
from joeira.fetch.addresses import MAX_URL_CHARS
from joeira.page.parse import as_served
from joeira.service.problems import Problem, in_words

Options = dict[str, Any]
"""Parameters of a method: `joeira.service.options` reads them, once the method is known."""
Url = Annotated[str, Field(max_length=MAX_URL_CHARS)]
Name = Annotated[str, Field(max_length=100)]
_NEEDS_HTML: JsonDict = {"required": ["html"], "properties": {"html": {"type": "string"}}}
_NEEDS_URL: JsonDict = {"required": ["url"], "properties": {"url": {"type": "string"}}}


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceQuestion(_Question):
    """A page: as it is, or its address."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [_NEEDS_HTML, _NEEDS_URL]})

    html: str | None = Field(None, description="The page. Without it, `url` is fetched.")
    url: Url | None = Field(None, description="Address of the page.")


class PageQuestion(SourceQuestion):
    """A page, and the method that is wanted for it."""

    task: ClassVar[str]
    default: ClassVar[str]
    """Name of the method that is used unless another one is wanted."""

    method: Name | None = Field(None, description="Name of a method; GET /v1/methods lists them.")
    options: Options = Field({}, description="Parameters of the method.")


class ExtractQuestion(PageQuestion):
    """Of which page the main content is wanted, and how."""

    task: ClassVar[str] = "content"
    default: ClassVar[str] = catalog.DEFAULT_CONTENT

    format: Literal["json", "text", "markdown", "html"] = "json"
    visible_only: bool = Field(False, description="Leave out what readers do not see.")


class RecordsQuestion(PageQuestion):
    """Of which page the records are wanted, and how."""

    task: ClassVar[str] = "records"
    default: ClassVar[str] = catalog.DEFAULT_RECORDS

    format: Literal["json", "jsonl", "csv", "markdown"] = "json"


class SegmentsQuestion(PageQuestion):
    """Of which page the segments are wanted, and how."""

    task: ClassVar[str] = "segments"
    default: ClassVar[str] = catalog.DEFAULT_SEGMENTS

    format: Literal["json", "text", "html"] = "json"


class ExplainQuestion(PageQuestion):
    """Of which page every decision is wanted, and how."""

    task: ClassVar[str] = "content"
    default: ClassVar[str] = catalog.DEFAULT_CONTENT

    format: Literal["json", "html"] = "json"
    visible_only: bool = Field(False, description="Leave out what readers do not see.")


class SitePageQuestion(SourceQuestion):
    """Of which page of a site the main content is wanted, and how."""

    format: Literal["json", "text", "markdown", "html"] = "json"
    visible_only: bool = Field(False, description="Leave out what readers do not see.")


class SitePage(_Question):
    """One page of a site."""

    html: str
    url: Url | None = None


class SiteQuestion(_Question):
    """The pages of a site, and how to learn from them."""

    task: ClassVar[str] = "site"
    default: ClassVar[str] = catalog.DEFAULT_SITE

    pages: list[SitePage] = Field(min_length=1, max_length=1000)
    name: str = Field("", max_length=200, description="For people to know it by.")
    method: Name | None = Field(None, description="Name of a site method.")
    options: Options = Field({}, description="Parameters of the method.")


Question = TypeVar("Question", bound=BaseModel)


def is_json(request: Request) -> bool:
    """Return whether the body is JSON; any other body is a page."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
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
                raise Problem(400, "set needs name=value")
            options[key.strip()] = setting.strip()
        elif name in fields or name in ("html", "options"):
            raise Problem(400, f"{name[:50]!r} has no place in the query, or only once")
        else:
            fields[name] = value
    try:
        return kind.model_validate(fields), options
    except ValidationError as error:
        raise Problem(400, in_words(error)) from None


def page_of(request: Request, body: bytes) -> bytes | str:
    """Return a raw body as its media type says that it is encoded."""
    content_type = request.headers.get("content-type", "")
    charset = content_type.lower().partition("charset=")[2].split(";")[0].strip(" \"'")
    return as_served(body, charset or None)
