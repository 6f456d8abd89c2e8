"""The application: routes, middleware, and state with the lifetime of the service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from joeira._version import __version__
from joeira.service import openapi, requests, routes, tasks
from joeira.service.guard import Bodies, Guard, Problem, words_of
from joeira.service.jobs import Jobs
from joeira.service.metrics import Metrics
from joeira.service.requests import Asking
from joeira.service.settings import Settings
from joeira.service.store import Store

Mount = Callable[[FastAPI, Settings], None]
"""Adds routes of another room to the service, as the viewer does."""


def create_app(settings: Settings, mounts: Iterable[Mount] = ()) -> FastAPI:
    """Return the service as an ASGI application; its processes live while it runs."""
    jobs = Jobs(settings, tasks.warm_up, requests.warm_up)
    asking = Asking(settings, jobs, Bodies(settings))
    store = Store(settings.data, settings.max_sites)
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        jobs.start()
        try:
            yield
        finally:
            jobs.stop()
            store.close()

    app = FastAPI(
        title="Joeira",
        description="Main content, records and segments of web pages.",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.asking = asking
    # FastAPI's own way to describe an application otherwise is to replace the method.
    app.openapi = lambda: openapi.describe(app)  # type: ignore[method-assign]  # see above
    routes.add_pages(app, asking)
    routes.add_wrappers(app, asking)
    routes.add_sites(app, asking, store)
    routes.add_about(app, asking, store, metrics)
    for mount in mounts:
        mount(app, settings)
    app.add_exception_handler(HTTPException, _no_such_route)
    app.add_exception_handler(RequestValidationError, _bad_parameter)
    app.add_middleware(Guard, settings=settings, metrics=metrics)
    return app


async def _bad_parameter(_: Request, error: Exception) -> Response:
    """Return FastAPI's error about a parameter in our own wording."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    problem = Problem(400, words_of({**first, "loc": first["loc"][-1:]}))
    return Response(problem.body, problem.status, media_type="application/json")


async def _no_such_route(request: Request, error: Exception) -> Response:
    """Return Starlette's error about a path or method in our own wording."""
    assert isinstance(error, HTTPException)
    problem = Problem(404, "there is no such path", "GET /docs says which there are")
    headers = dict(error.headers or {})
    if error.status_code == 405:  # it names the methods of one route: there may be several
        matching = [r for r in request.app.routes if r.matches(request.scope)[0] != Match.NONE]
        allowed = {method for route in matching for method in getattr(route, "methods", ())}
        headers["Allow"] = ", ".join(sorted(allowed))
        known = request.method if request.method.isalpha() else "such a method"
        problem = Problem(405, f"this path does not take {known}", f"send {headers['Allow']}")
    elif error.status_code != 404:
        problem = Problem(error.status_code, error.detail.lower())
    return Response(problem.body, problem.status, headers, "application/json")
