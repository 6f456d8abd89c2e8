"""The application: routes, what stands before them, and what lives as long as the service."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from joeira import catalog
from joeira.descriptions import Description
from joeira.service import pages, tasks
from joeira.service.asking import Asking
from joeira.service.bodies import Bodies
from joeira.service.guard import Guard
from joeira.service.jobs import Jobs
from joeira.service.problems import Problem
from joeira.service.settings import Settings


def create_app(settings: Settings) -> FastAPI:
    """Return the service as an ASGI application; its processes live while it runs."""
    jobs = Jobs(settings, tasks.warm_up)
    asking = Asking(settings, jobs, Bodies(settings))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        jobs.start()
        try:
            yield
        finally:
            jobs.stop()

    app = FastAPI(
        title="Joeira",
        description="Main content, records and segments of web pages.",
        version=version("joeira"),
        lifespan=lifespan,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
    )
    app.state.asking = asking
    pages.add(app, asking)
    _add_about(app, jobs)
    if importlib.util.find_spec("joeira.viewer"):
        importlib.import_module("joeira.viewer.routes").add(app, jobs, settings)
    app.add_exception_handler(HTTPException, _no_such_route)
    app.add_middleware(Guard, settings=settings)
    return app


async def _no_such_route(_: Request, error: Exception) -> Response:
    """Return what Starlette has to say of a path or method, as we say such things."""
    assert isinstance(error, HTTPException)
    problem = Problem(error.status_code, error.detail.lower())
    return Response(problem.body, problem.status, error.headers, "application/json")


def _add_about(app: FastAPI, jobs: Jobs) -> None:
    """Add the routes that tell about the service itself."""
    described = [dataclasses.asdict(Description.of(entry)) for entry in catalog.entries()]
    methods = json.dumps({"methods": described}, ensure_ascii=False, default=str).encode()

    @app.get("/v1/methods", tags=["about"], summary="Every method: task, paper, parameters, F1.")
    async def _methods() -> Response:
        return Response(methods, media_type="application/json")

    @app.get("/health", tags=["about"], summary="Whether the service is up.")
    async def _health() -> dict[str, str | int]:
        return {
            "status": "ok",
            "version": version("joeira"),
            "workers": jobs.workers,
            "running": jobs.running,
            "waiting": jobs.waiting,
        }
