"""The OpenAPI description of bodies and responses, beyond what the routes declare.

`page_for_people` shows the same as a web page at ``/docs``, without scripts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
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
    "With a raw page, options go into the query; set parameters of the method with "
    "`set=name=value`, repeated if needed. The JSON body documents which method has which."
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
    403: "The request is for another host, from another site, or not allowed.",
    404: "There is no such site.",
    408: "The body took too long to arrive.",
    409: "The site was learned with a method for another task.",
    413: "The body is too large, before or after decompression, or needs too much memory.",
    415: "The body has an unsupported compression.",
    429: "The client sent more requests than --rate allows; Retry-After says when to retry.",
    431: "The request has too many or too long headers.",
    500: "The page crashed its process.",
    502: "The address could not be fetched.",
    503: "The service is busy; Retry-After says when to retry.",
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
    requests.PostsQuestion,
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
    plain = (
        requests.SitePageQuestion,
        requests.SiteSegmentsQuestion,
        requests.PagesQuestion,
        requests.LearnRecordsQuestion,
    )
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
    """Return the answers to requests that fail; any may be one too many, or have a large head."""
    schema = {"$ref": _REF.format(model="Error")}
    return {
        status: {
            "description": _PROBLEMS[status],
            "content": {"application/json": {"schema": schema}},
        }
        for status in sorted({*statuses, 429, 431})
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
    names = ("show_site", "extract_by_site", "segment_by_site", "forget_site")
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


POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
"""Of the page for people: one file, with nothing to run and nothing to load."""

ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none'"
    "%3E%3Ccircle cx='12' cy='12' r='11' fill='%23fffefb' stroke='%2326221c' stroke-width='1.6'/"
    "%3E%3Cpath d='M3 8.5h18M3 15.5h18M8.5 3v18M15.5 3v18' stroke='%236f675b'/"
    "%3E%3Ccircle cx='12' cy='12' r='3' fill='%23d99a2b'/%3E%3C/svg%3E"
)
"""The sieve that the viewer shows, too."""

_PEOPLE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} {version}: the service</title>
<link rel="icon" href="{icon}">
<style>
:root {{ --ink: #26221c; --muted: #665e52; --line: #e3dccf; --paper: #fbf9f4; --code: #f3efe6;
  --mark: #7d4b00; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #ebe4d6; --muted: #a99f8e; --line: #38332b;
  --paper: #191714; --code: #262219; --mark: #e8b65a; }} }}
body {{ margin: 0 auto; max-width: 54em; padding: 2em 1.2em 5em; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }}
h1, h2, h3 {{ line-height: 1.25; }} h2 {{ margin-top: 2em; border-bottom: 1px solid var(--line); }}
h3 {{ margin: 1.8em 0 .3em; font: 600 16px/1.4 ui-monospace, monospace; }}
h3 b {{ color: var(--mark); }} a {{ color: inherit; }}
code, pre {{ font: 13.5px/1.5 ui-monospace, monospace; background: var(--code); }}
code {{ padding: 1px 4px; border-radius: 4px; }}
pre {{ padding: .8em 1em; border-radius: 6px; white-space: pre-wrap; }}
table {{ border-collapse: collapse; width: 100%; font-size: 14.5px; }}
td, th {{ text-align: left; vertical-align: top; padding: 5px 12px 5px 0;
  border-bottom: 1px solid var(--line); }}
td:first-child {{ white-space: nowrap; }} th {{ color: var(--muted); font-weight: 500; }}
/* A phone has no room for three columns: what a field may be and means stands below its name. */
@media (max-width: 40em) {{ thead {{ display: none; }}
  td {{ display: block; border: 0; padding: 0; }}
  tr {{ display: block; padding: 6px 0; border-bottom: 1px solid var(--line); }}
  td:nth-child(2) {{ color: var(--muted); }} }}
</style>
</head>
<body>
<main>
<h1>{title} {version}</h1>
<p>{about} A page is the body of a request, or <code>html</code> in JSON; what JSON says in
fields, a request with a raw page says in its query. <a href="/openapi.json">openapi.json</a> says
the same to programs, with the parameters of every method; <a href="/">the viewer</a> shows pages
to people.</p>
{sections}
<h2>Errors</h2>
<p>Every error is <code>{{"error": ..., "cure": ...}}</code>; the cure is left out where there is
none.</p>
<table><thead><tr><th>status</th><th>when</th></tr></thead><tbody>
{errors}
</tbody></table>
</main>
</body>
</html>
"""
_ABOUT_TAGS = {"pages": "Single pages", "sites": "Sites", "about": "The service itself"}


def page_for_people(description: dict[str, Any]) -> str:
    """Return the description of the service as a web page."""
    routes: dict[str, list[str]] = {}
    for path, operations in description["paths"].items():
        for verb, operation in operations.items():
            text = _route(verb.upper(), path, operation, description["components"]["schemas"])
            routes.setdefault(operation.get("tags", ["about"])[0], []).append(text)
    known = sorted(routes, key=lambda tag: [*_ABOUT_TAGS, tag].index(tag))
    sections = (
        f"<h2>{escape(_ABOUT_TAGS.get(tag, tag))}</h2>{''.join(routes[tag])}" for tag in known
    )
    errors = (f"<tr><td>{status}</td><td>{about}</td></tr>" for status, about in _PROBLEMS.items())
    return _PEOPLE.format(
        icon=ICON,
        title=escape(description["info"]["title"]),
        version=escape(description["info"]["version"]),
        about=escape(description["info"]["description"]),
        sections="\n".join(sections),
        errors="\n".join(errors),
    )


def _route(verb: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    """Return one route: what it answers, what may be asked, and a request to try."""
    body = operation.get("requestBody", {}).get("content", {})
    reference = body.get("application/json", {}).get("schema", {}).get("$ref", "")
    schema = schemas.get(reference.rpartition("/")[2], {})
    needed = schema.get("required", ())
    rows = [
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(_values(field))}</td>"
        f"<td>{_prose(field.get('description', ''))}{' Required.' * (name in needed)}</td></tr>"
        for name, field in schema.get("properties", {}).items()
    ]
    head = "<thead><tr><th>field</th><th>values</th><th>meaning</th></tr></thead>"
    fields = f"<table>{head}<tbody>{''.join(rows)}</tbody></table>" if rows else ""
    address = f"http://127.0.0.1:8377{path}"
    call = "curl" + ("" if verb in ("GET", "POST") else f" -X {verb}")
    if "text/html" in body:
        call += " --data-binary @page.html"
    elif body:
        example = json.dumps(_short(body["application/json"]["example"]), ensure_ascii=False)
        call += f" --json '{example}'"
    anchor = escape(operation.get("operationId", path))
    return (
        f'<h3 id="{anchor}"><b>{verb}</b> {escape(path)}</h3>'
        f"<p>{escape(operation.get('summary', ''))}</p>{fields}"
        f"<pre>$ {escape(call)} '{escape(address)}'</pre>"
    )


_EXAMPLE_CHARS = 70
"""Of a text: enough to see what belongs there."""
_CODE = re.compile(r"`([^`]+)`")


def _prose(text: str) -> str:
    """Return a description as HTML."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _short(example: Any) -> Any:
    """Return an example that fits on a few lines and can still be sent: its long texts are cut."""
    if isinstance(example, dict):
        return {name: _short(value) for name, value in example.items()}
    if isinstance(example, list):
        return [_short(value) for value in example]
    return example[:_EXAMPLE_CHARS] if isinstance(example, str) else example


def _values(schema: dict[str, Any]) -> str:
    """Return what a field may be, in words."""
    if "anyOf" in schema:
        kinds = (_values(each) for each in schema["anyOf"] if each.get("type") != "null")
        return " or ".join(kinds)
    if "enum" in schema:
        return ", ".join(str(value) for value in schema["enum"] if value is not None)
    if "const" in schema:
        return str(schema["const"])
    names = {"string": "text", "boolean": "true or false", "array": "list", "integer": "number"}
    kind = str(schema.get("type", ""))
    return names.get(kind, kind)
