"""The routes of the service: single pages, sites, and the service itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import cache

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from joeira import catalog, formats
from joeira._version import __version__
from joeira.service import method_options, openapi, requests, tasks
from joeira.service.guard import Problem
from joeira.service.metrics import MEDIA_TYPE, Metrics
from joeira.service.requests import Asking, SourceQuestion, chosen
from joeira.service.store import Site, Store

_ABOUT, _SITES = "about", "sites"
_SHOWN_ONLY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Policy for a page of somebody else: it may show, and nothing more."""


@cache
def _methods() -> bytes:
    """Return all methods as JSON; to read them takes too long to be done before anybody asks."""
    described = [catalog.describe(entry).to_dict() for entry in method_options.offered()]
    return json.dumps({"methods": described}, ensure_ascii=False, default=str).encode()


def add_about(app: FastAPI, asking: Asking, store: Store, metrics: Metrics) -> None:
    """Add the routes."""
    jobs = asking.jobs

    async def list_methods() -> Response:
        return Response(await asyncio.to_thread(_methods), media_type="application/json")

    async def health() -> Response:
        said = {"status": "ok", "version": __version__, **_now()}
        return Response(json.dumps(said), media_type="application/json")

    async def show_metrics() -> Response:
        now = {**_now(), "held_body_bytes": asking.bodies.held_bytes, "sites": len(store)}
        return Response(metrics.text(now, jobs.ends), media_type=MEDIA_TYPE)

    def _now() -> dict[str, int]:
        return {"workers": jobs.workers, "running": jobs.running, "waiting": jobs.waiting}

    app.add_api_route(
        "/v1/methods", list_methods, tags=[_ABOUT], response_class=Response,
        summary="Every method: task, paper, parameters and measured F1.",
        responses=openapi.told("The methods.", 401, 403),
    )  # fmt: skip

    async def show_docs() -> Response:
        html = await asyncio.to_thread(openapi.page_for_people, app.openapi())
        return Response(html, headers={"Content-Security-Policy": openapi.POLICY},
                        media_type="text/html; charset=utf-8")  # fmt: skip

    app.add_api_route("/docs", show_docs, include_in_schema=False)
    app.add_api_route(
        "/health", health, tags=[_ABOUT], response_class=Response,
        summary="Show whether the service is up and how busy it is.",
        responses=openapi.told("It is up.", 403),
    )  # fmt: skip
    app.add_api_route(
        "/metrics", show_metrics, tags=[_ABOUT], response_class=PlainTextResponse,
        summary="Counters in the text format of Prometheus.",
        responses=openapi.problems(401, 403),
    )  # fmt: skip


KINDS: dict[str, type[SourceQuestion]] = {
    "extract": requests.ExtractQuestion,
    "records": requests.RecordsQuestion,
    "pages": requests.PagesQuestion,
    "segments": requests.SegmentsQuestion,
    "explain": requests.ExplainQuestion,
    "metadata": requests.MetadataQuestion,
    "posts": requests.PostsQuestion,
}


def add_pages(app: FastAPI, asking: Asking) -> None:
    """Add the routes."""
    for name, kind in KINDS.items():
        app.add_api_route(
            f"/v1/{name}",
            _handler(name, kind, asking),
            methods=["POST"],
            name=name,
            summary=(tasks.TASKS[name].__doc__ or "").strip(),
            tags=["pages"],
            response_class=Response,
            responses=openapi.results(kind),
            openapi_extra=openapi.page_body(kind),
        )


def add_wrappers(app: FastAPI, asking: Asking) -> None:
    """Add the route that learns to read the list of a site."""

    async def learn_records(request: Request) -> Response:
        async with asking.bodies.read(request) as body:
            asked = await asking.json(request, body, requests.LearnRecordsQuestion)
            pages = [(page.html, page.url) for page in asked.pages]
            return sent(await asking.run(request, tasks.learn_records, pages, asked.examples))

    app.add_api_route(
        "/v1/records/learn", learn_records, methods=["POST"], tags=["pages"],
        summary="Learn the list on pages of a site: return a wrapper, or why there is none.",
        response_class=Response, responses=openapi.told("The wrapper.", *openapi.OF_BODIES),
        openapi_extra=openapi.wrapper_body(),
    )  # fmt: skip


def _handler(
    name: str, kind: type[SourceQuestion], asking: Asking
) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        async with asking.page(request, kind) as asked:
            return sent(await asking.run(request, tasks.TASKS[name], asked))

    return handle


def sent(rendered: tasks.Rendered) -> Response:
    """Return a result as an answer."""
    media_type = formats.find(rendered.format).media_type
    is_page = media_type.startswith("text/html")
    headers = {"Content-Security-Policy": _SHOWN_ONLY} if is_page else {}
    return Response(rendered.body, headers={"Content-Type": media_type, **headers})


def add_sites(app: FastAPI, asking: Asking, store: Store) -> None:
    """Add the routes."""

    async def learn_site(request: Request) -> Response:
        async with asking.bodies.read(request) as body:
            asked = await asking.json(request, body, requests.SiteQuestion)
            pages = [(page.html, page.url) for page in asked.pages]
            wanted = chosen(asked)
            learned = await asking.run(
                request, tasks.learn, pages, wanted["method"], wanted["options"]
            )
        site = await asyncio.to_thread(store.add, asked.name, *learned)
        return _json(site.to_dict(), 201, {"Location": f"/v1/sites/{site.id}"})

    async def extract_by_site(site_id: str, request: Request) -> Response:
        site, model = await asyncio.to_thread(store.get, site_id)
        _check_task(site, "site", "extract")
        async with asking.page(request, requests.SitePageQuestion) as asked:
            return sent(await asking.run(request, tasks.extract_by_site, model, asked))

    async def segment_by_site(site_id: str, request: Request) -> Response:
        site, model = await asyncio.to_thread(store.get, site_id)
        _check_task(site, "site_segments", "segments")
        async with asking.page(request, requests.SiteSegmentsQuestion) as asked:
            return sent(await asking.run(request, tasks.segment_by_site, model, asked))

    async def list_sites() -> Response:
        found = await asyncio.to_thread(store.all)
        return _json({"sites": [site.to_dict() for site in found]})

    async def show_site(site_id: str) -> Response:
        site, model = await asyncio.to_thread(store.get, site_id)
        return _json({**site.to_dict(), "parameters": json.loads(model)["parameters"]})

    async def forget_site(site_id: str) -> Response:
        await asyncio.to_thread(store.remove, site_id)
        return Response(status_code=204)

    one = "/v1/sites/{site_id}"
    missing = openapi.problems(400, 401, 403, 404)
    app.add_api_route(
        "/v1/sites",
        learn_site,
        methods=["POST"],
        tags=[_SITES],
        status_code=201,
        summary="Learn from pages of one site what is template and what is content, or its "
        "segments.",
        response_class=Response,
        responses=openapi.learned(),
        openapi_extra=openapi.site_body(requests.SiteQuestion),
    )
    app.add_api_route(
        f"{one}/extract",
        extract_by_site,
        methods=["POST"],
        tags=[_SITES],
        summary="Return the main content of a page according to a learned site.",
        response_class=Response,
        responses={**openapi.results(requests.SitePageQuestion), **openapi.problems(404, 409)},
        openapi_extra=openapi.page_body(requests.SitePageQuestion),
    )
    app.add_api_route(
        f"{one}/segments",
        segment_by_site,
        methods=["POST"],
        tags=[_SITES],
        summary="Return the segments of a page according to a site learned with a method such as "
        "som.",
        response_class=Response,
        responses={**openapi.results(requests.SiteSegmentsQuestion), **openapi.problems(404, 409)},
        openapi_extra=openapi.page_body(requests.SiteSegmentsQuestion),
    )
    app.add_api_route(
        "/v1/sites", list_sites, tags=[_SITES], summary="List the learned sites.",
        response_class=Response, responses=openapi.told("Every site.", 401, 403),
    )  # fmt: skip
    app.add_api_route(
        one, show_site, tags=[_SITES], summary="Show a site.",
        response_class=Response, responses={**openapi.told("The site."), **missing},
    )  # fmt: skip
    app.add_api_route(
        one, forget_site, methods=["DELETE"], tags=[_SITES], summary="Delete a site.",
        status_code=204, response_class=Response, responses=missing,
    )  # fmt: skip


def _check_task(site: Site, task: str, route: str) -> None:
    """Refuse to ask a site for what its method does not tell."""
    if catalog.find_site(site.method).task != task:
        other = "segments" if route == "extract" else "extract"
        error = f"{site.method!r} does not tell the {'content' if route == 'extract' else 'parts'}"
        raise Problem(409, f"{error} of pages", f"POST /v1/sites/{site.id}/{other}")


def _json(data: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    body = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status, headers, "application/json")
