"""The routes for single pages: ``/v1/extract``, ``records``, ``segments`` and ``explain``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from joeira.service import openapi, questions, tasks
from joeira.service.asking import Asking
from joeira.service.questions import PageQuestion
from joeira.service.tasks import MEDIA_TYPES, Rendered

KINDS: dict[str, type[PageQuestion]] = {
    "extract": questions.ExtractQuestion,
    "records": questions.RecordsQuestion,
    "segments": questions.SegmentsQuestion,
    "explain": questions.ExplainQuestion,
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
            responses=openapi.results(tasks.FORMATS[name]),
            openapi_extra=openapi.page_body(kind),
        )


def _handler(
    name: str, kind: type[PageQuestion], asking: Asking
) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        async with asking.page(request, kind) as asked:
            return sent(await asking.run(request, tasks.TASKS[name], asked))

    return handle


def sent(rendered: Rendered) -> Response:
    """Return a result as an answer."""
    headers = {"Content-Type": MEDIA_TYPES[rendered.format]}
    if rendered.format == "html":  # a page of somebody else: it may show, and nothing more
        headers["Content-Security-Policy"] = (
            "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        )
    return Response(rendered.body, headers=headers)
