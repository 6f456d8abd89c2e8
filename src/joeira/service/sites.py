"""The routes for sites: learn from pages, list, show, forget, and extract by what was learned."""

from __future__ import annotations

import asyncio
import json

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from joeira.service import openapi, questions, tasks
from joeira.service.asking import Asking, chosen
from joeira.service.pages import sent
from joeira.service.store import Store

_SITES_TAG = "sites"


def add_sites(app: FastAPI, asking: Asking, store: Store) -> None:
    """Add the routes."""

    async def learn_site(request: Request) -> Response:
        async with asking.bodies.read(request) as body:
            asked = questions.from_json(body, questions.SiteQuestion)
            pages = [(page.html, page.url) for page in asked.pages]
            wanted = chosen(asked)
            learned = await asking.run(
                request, tasks.learn, pages, wanted["method"], wanted["options"]
            )
        site = await asyncio.to_thread(store.add, asked.name, *learned)
        return _json(site.to_dict(), 201, {"Location": f"/v1/sites/{site.id}"})

    async def extract_by_site(site_id: str, request: Request) -> Response:
        _, model = await asyncio.to_thread(store.get, site_id)
        async with asking.page(request, questions.SitePageQuestion) as asked:
            return sent(await asking.run(request, tasks.extract_by_site, model, asked))

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
        tags=[_SITES_TAG],
        status_code=201,
        summary="Learn from pages of one site what is template and what is content.",
        response_class=Response,
        responses=openapi.learned(),
        openapi_extra=openapi.site_body(questions.SiteQuestion),
    )
    app.add_api_route(
        f"{one}/extract",
        extract_by_site,
        methods=["POST"],
        tags=[_SITES_TAG],
        summary="Return the main content of a page by what was learned of its site.",
        response_class=Response,
        responses={**openapi.results(tasks.FORMATS["extract"]), **openapi.problems(404)},
        openapi_extra=openapi.page_body(questions.SitePageQuestion),
    )
    app.add_api_route(
        "/v1/sites", list_sites, tags=[_SITES_TAG], summary="List what was learned.",
        response_class=Response, responses=openapi.told("Every site.", 401, 403),
    )  # fmt: skip
    app.add_api_route(
        one, show_site, tags=[_SITES_TAG], summary="Show a site.",
        response_class=Response, responses={**openapi.told("The site."), **missing},
    )  # fmt: skip
    app.add_api_route(
        one, forget_site, methods=["DELETE"], tags=[_SITES_TAG], summary="Forget a site.",
        status_code=204, response_class=Response, responses=missing,
    )  # fmt: skip


def _json(data: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    body = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status, headers, "application/json")
