"""The routes that tell about the service itself: methods, health and metrics."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from functools import cache
from importlib.metadata import version

from fastapi import FastAPI
from starlette.responses import PlainTextResponse, Response

from joeira.service import offers, openapi
from joeira.service.asking import Asking
from joeira.service.metrics import MEDIA_TYPE, Metrics
from joeira.service.store import Store

_TAG = "about"


@cache
def _methods() -> bytes:
    """Return all methods as JSON; to read them takes too long to be done before anybody asks."""
    described = [dataclasses.asdict(offers.described(entry)) for entry in offers.offered()]
    return json.dumps({"methods": described}, ensure_ascii=False, default=str).encode()


def add_about(app: FastAPI, asking: Asking, store: Store, metrics: Metrics) -> None:
    """Add the routes."""
    jobs = asking.jobs

    async def list_methods() -> Response:
        return Response(await asyncio.to_thread(_methods), media_type="application/json")

    async def health() -> Response:
        said = {"status": "ok", "version": version("joeira"), **_now()}
        return Response(json.dumps(said), media_type="application/json")

    async def show_metrics() -> Response:
        now = {**_now(), "held_body_bytes": asking.bodies.held_bytes, "sites": len(store)}
        return Response(metrics.text(now, jobs.ends), media_type=MEDIA_TYPE)

    def _now() -> dict[str, int]:
        return {"workers": jobs.workers, "running": jobs.running, "waiting": jobs.waiting}

    app.add_api_route(
        "/v1/methods", list_methods, tags=[_TAG], response_class=Response,
        summary="Every method: task, paper, parameters and measured F1.",
        responses=openapi.told("The methods.", 401, 403),
    )  # fmt: skip
    app.add_api_route(
        "/health", health, tags=[_TAG], response_class=Response,
        summary="Whether the service is up, and how busy it is.",
        responses=openapi.told("It is up.", 403),
    )  # fmt: skip
    app.add_api_route(
        "/metrics", show_metrics, tags=[_TAG], response_class=PlainTextResponse,
        summary="Counters in the text format of Prometheus.",
        responses=openapi.problems(401, 403),
    )  # fmt: skip
