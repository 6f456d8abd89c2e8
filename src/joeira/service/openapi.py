"""What the OpenAPI description says of bodies and answers beyond what the types say."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from joeira.service.tasks import MEDIA_TYPES

_PAGE = (
    "<title>Rain</title><nav>Home | About</nav>"
    "<article><h1>Rain</h1><p>It rained for a whole week.</p></article>"
)
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "string"}, "cure": {"type": "string"}},
    "additionalProperties": False,
}
_PROBLEMS = {
    400: "The request cannot be understood.",
    401: "The token is missing or wrong.",
    403: "The request is for another host, from another site, or asks for what is not allowed.",
    408: "The body took too long to arrive.",
    413: "The body is too large, also when it is decompressed.",
    415: "The body is compressed in an unknown way.",
    500: "The page took its process with it.",
    502: "The address could not be fetched.",
    503: "The service is busy; Retry-After says when to come back.",
    504: "The page took too long.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the answers to requests that fail."""
    return {
        status: {
            "description": _PROBLEMS[status],
            "content": {"application/json": {"schema": _ERROR}},
        }
        for status in statuses or _PROBLEMS
    }


def results(formats: tuple[str, ...]) -> dict[int | str, dict[str, Any]]:
    """Return the answers of a route for pages."""
    content: dict[str, Any] = {
        MEDIA_TYPES[form].partition(";")[0]: {"schema": {"type": "string"}} for form in formats
    }
    content["application/json"] = {"schema": {"type": "object"}}
    return {200: {"description": "The result.", "content": content}, **problems()}


def page_body(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the body of a route for pages."""
    schema = kind.model_json_schema()
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": schema,
                    "example": {"html": _PAGE, "url": "https://example.org/rain"},
                },
                "text/html": {"schema": {"type": "string"}, "example": _PAGE},
            },
        }
    }
