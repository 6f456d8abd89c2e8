"""What the OpenAPI description says of bodies and answers, beyond what the routes say."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from joeira.service import questions
from joeira.service.tasks import MEDIA_TYPES

Answers = dict[int | str, dict[str, Any]]

_REF = "#/components/schemas/{model}"
_PAGE = (
    "<title>Rain</title><nav>Home | About</nav>"
    "<article><h1>Rain</h1><p>It rained for a whole week.</p></article>"
)
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
    500: "The page took its process with it.",
    502: "The address could not be fetched.",
    503: "The service is busy; Retry-After says when to come back.",
    504: "The page took too long.",
    507: "There is no room for another site.",
}
_OF_BODIES = (400, 401, 403, 408, 413, 415, 500, 503, 504)
_MODELS: tuple[type[BaseModel], ...] = (
    questions.ExtractQuestion,
    questions.RecordsQuestion,
    questions.SegmentsQuestion,
    questions.ExplainQuestion,
    questions.SitePageQuestion,
    questions.SiteQuestion,
)


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the description of an application, with the bodies that its handlers read."""
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        _, bodies = models_json_schema(
            [(kind, "validation") for kind in _MODELS], ref_template=_REF
        )
        schemas = {**found.get("components", {}).get("schemas", {}), **bodies["$defs"]}
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


def problems(*statuses: int) -> Answers:
    """Return the answers to requests that fail."""
    schema = {"$ref": _REF.format(model="Error")}
    return {
        status: {
            "description": _PROBLEMS[status],
            "content": {"application/json": {"schema": schema}},
        }
        for status in statuses
    }


def told(about: str, *statuses: int, status: int = 200) -> Answers:
    """Return the answers of a route that tells something in JSON."""
    content = {"application/json": {"schema": {"type": "object"}}}
    return {status: {"description": about, "content": content}, **problems(*statuses)}


def results(formats: tuple[str, ...]) -> Answers:
    """Return the answers of a route for pages."""
    content: dict[str, Any] = {
        MEDIA_TYPES[form].partition(";")[0]: {"schema": {"type": "string"}} for form in formats
    }
    content["application/json"] = {"schema": {"type": "object"}}
    return {200: {"description": "The result.", "content": content}, **problems(*_OF_BODIES, 502)}


def learned() -> Answers:
    """Return the answers of the route that learns."""
    answers = told("The site.", *_OF_BODIES, 507, status=201)
    site = {"parameters": {"site_id": "$response.body#/id"}}
    names = ("show_site", "extract_by_site", "forget_site")
    answers[201]["links"] = {name: {"operationId": name, **site} for name in names}
    return answers


def page_body(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the query and the body of a route for pages."""
    properties = kind.model_json_schema()["properties"]
    query = {name: properties[name] for name in properties if name not in ("html", "options")}
    if "options" in properties:
        pair = {"type": "string", "pattern": "^[^=]*[^= ][^=]*="}
        about = "A parameter of the method, as name=value; may be given several times."
        query["set"] = {"type": "array", "items": pair, "description": about}
    return {
        "parameters": [
            {"in": "query", "name": name, "schema": schema} for name, schema in query.items()
        ],
        **_body(kind, {"html": _PAGE, "url": "https://example.org/rain"}, page=True),
    }


def site_body(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the body of the route that learns."""
    pages = [{"html": _PAGE.replace("week", word)} for word in ("week", "month", "year")]
    return _body(kind, {"name": "example.org", "pages": pages}, page=False)


def _body(kind: type[BaseModel], example: dict[str, Any], *, page: bool) -> dict[str, Any]:
    schema = {"$ref": _REF.format(model=kind.__name__)}
    content: dict[str, Any] = {"application/json": {"schema": schema, "example": example}}
    if page:
        content["text/html"] = {"schema": {}, "example": _PAGE}
    return {"requestBody": {"required": True, "content": content}}
