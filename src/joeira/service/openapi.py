"""What the OpenAPI description says of bodies and answers, beyond what the routes say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from joeira import formats
from joeira.service import method_options, requests
from joeira.service.requests import PageQuestion, SiteQuestion, SourceQuestion

Answers = dict[int | str, dict[str, Any]]

_REF = "#/components/schemas/{model}"
_PAGE = (
    "<title>Rain</title><nav>Home | About</nav>"
    "<article><h1>Rain</h1><p>It rained for a whole week.</p></article>"
)
_SET = (
    "A page that is sent as it is has its wishes in the query; parameters of the method are set by "
    "`set=name=value`, several times if need be. The JSON body says which method has which."
)
"""OpenAPI cannot say that the values of one parameter of a query depend on another."""
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "string"}, "cure": {"type": "string"}},
    "additionalProperties": False,
    "example": {"error": "the service is busy", "cure": "try again in 2 s"},
}
_PROBLEMS = {
    400: "The request cannot be understood.",
    401: "The token is missing or wrong.",
    403: "The request is for another host, from another site, or asks for what is not allowed.",
    404: "There is no such site.",
    408: "The body took too long to arrive.",
    413: "The body is too large, also when it is decompressed, or needs too much memory.",
    415: "The body is compressed in an unknown way.",
    431: "The request has too many headers, or too long ones.",
    500: "The page took its process with it.",
    502: "The address could not be fetched.",
    503: "The service is busy; Retry-After says when to come back.",
    504: "The page took too long.",
    507: "There is no room for another site.",
}
OF_BODIES = (400, 401, 403, 408, 413, 415, 500, 503, 504)
_ASKING: tuple[type[PageQuestion | SiteQuestion], ...] = (
    requests.ExtractQuestion,
    requests.RecordsQuestion,
    requests.SegmentsQuestion,
    requests.ExplainQuestion,
    requests.MetadataQuestion,
    requests.SiteQuestion,
)
"""What is asked of a method."""


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the description of an application, with the bodies that its handlers read."""
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        schemas = {**found.get("components", {}).get("schemas", {}), **_bodies()}
        schemas = {n: s for n, s in schemas.items() if not n.endswith("ValidationError")}
        schemas["Error"] = _ERROR
        token = {"type": "http", "scheme": "bearer", "description": "If the service has a token."}
        found["components"] = {"schemas": schemas, "securitySchemes": {"token": token}}
        found["security"] = [{}, {"token": []}]
        for path in found["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)  # we say 400
        app.openapi_schema = found
    return app.openapi_schema


def _bodies() -> dict[str, Any]:
    """Return the schemas of all bodies, and of the parameters of every method in them."""
    entries = dict.fromkeys(
        entry for kind in _ASKING for entry in method_options.offered(kind.task)
    )
    plain = (requests.SitePageQuestion, requests.PagesQuestion, requests.LearnRecordsQuestion)
    kinds = [*_ASKING, *plain, *map(method_options.model_of, entries)]
    _, found = models_json_schema([(kind, "validation") for kind in kinds], ref_template=_REF)
    schemas: dict[str, Any] = found["$defs"]
    for kind in _ASKING:
        names = [entry.name for entry in method_options.offered(kind.task)]
        schemas[kind.__name__]["properties"]["method"] = {"enum": [*names, None]}
        schemas[kind.__name__]["oneOf"] = list(_choices(kind))
    return schemas


def _choices(kind: type[PageQuestion | SiteQuestion]) -> Iterator[dict[str, Any]]:
    """Yield each method with its parameters as a body may name it; the default unnamed."""
    for entry in method_options.offered(kind.task):
        options = {"$ref": _REF.format(model=method_options.model_of(entry).__name__)}
        choice: dict[str, Any] = {"title": entry.name}
        if entry.name == kind.default:
            choice["properties"] = {"method": {"enum": [entry.name, None]}, "options": options}
        else:
            choice["properties"] = {"method": {"const": entry.name}, "options": options}
            choice["required"] = ["method"]
        yield choice


def problems(*statuses: int) -> Answers:
    """Return the answers to requests that fail; any may have too large a head."""
    schema = {"$ref": _REF.format(model="Error")}
    return {
        status: {
            "description": _PROBLEMS[status],
            "content": {"application/json": {"schema": schema}},
        }
        for status in sorted({*statuses, 431})
    }


def told(about: str, *statuses: int, status: int = 200) -> Answers:
    """Return the answers of a route that tells something in JSON."""
    content = {"application/json": {"schema": {"type": "object"}}}
    return {status: {"description": about, "content": content}, **problems(*statuses)}


def results(kind: type[SourceQuestion]) -> Answers:
    """Return the answers of a route for pages."""
    choice = kind.model_json_schema()["properties"]["format"]
    names = choice.get("enum") or [choice["const"]]  # there may be only one
    content: dict[str, Any] = {
        formats.find(name).media_type.partition(";")[0]: {"schema": {"type": "string"}}
        for name in names
    }
    content["application/json"] = {"schema": {"type": "object"}}
    return {200: {"description": "The result.", "content": content}, **problems(*OF_BODIES, 502)}


def learned() -> Answers:
    """Return the answers of the route that learns."""
    answers = told("The site.", *OF_BODIES, 507, status=201)
    site = {"parameters": {"site_id": "$response.body#/id"}}
    names = ("show_site", "extract_by_site", "forget_site")
    answers[201]["links"] = {name: {"operationId": name, **site} for name in names}
    return answers


def page_body(kind: type[SourceQuestion]) -> dict[str, Any]:
    """Return the query and the body of a route for pages."""
    properties = kind.model_json_schema()["properties"]
    query = {name: properties[name] for name in properties if name not in ("html", "options")}
    told = {}
    if issubclass(kind, PageQuestion):
        names = [entry.name for entry in method_options.offered(kind.task)]
        query["method"] = {"enum": names, "default": kind.default}
        told["description"] = _SET
    return {
        "parameters": [
            {"in": "query", "name": name, "schema": schema} for name, schema in query.items()
        ],
        **told,
        **_body(kind, {"html": _PAGE, "url": "https://example.org/rain"}, page=True),
    }


def site_body(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the body of the route that learns."""
    pages = [{"html": _PAGE.replace("week", word)} for word in ("week", "month", "year")]
    return _body(kind, {"name": "example.org", "pages": pages}, page=False)


def wrapper_body() -> dict[str, Any]:
    """Return the body of the route that learns the list of a site."""
    items = "".join(f"<li><a href=/{n}>Tea {n}</a> <b>{n},50 €</b></li>" for n in range(3, 9))
    example = {"pages": [{"html": f"<ul>{items}</ul>"}], "examples": ["Tea 3", "3,50 €"]}
    return _body(requests.LearnRecordsQuestion, example, page=False)


def _body(kind: type[BaseModel], example: dict[str, Any], *, page: bool) -> dict[str, Any]:
    schema = {"$ref": _REF.format(model=kind.__name__)}
    content: dict[str, Any] = {"application/json": {"schema": schema, "example": example}}
    if page:
        content["text/html"] = {"schema": {"minLength": 1}, "example": _PAGE}
    return {"requestBody": {"required": True, "content": content}}
