"""From a request to what a worker is asked: body, query, and the page from the web if wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from starlette.requests import Request

from joeira.errors import FetchError, UsageError
from joeira.fetch.fetcher import Fetcher
from joeira.service import options, questions
from joeira.service.bodies import Bodies
from joeira.service.jobs import Jobs
from joeira.service.problems import Problem
from joeira.service.questions import PageQuestion, SiteQuestion, SourceQuestion
from joeira.service.settings import Settings
from joeira.service.tasks import Asked

T = TypeVar("T")
_FETCHES = 8
"""So many pages are fetched at once."""
_TOGETHER = frozenset({"method", "options"})
_MAX_REASON_CHARS = 500


@dataclass
class Asking:
    """What handlers of requests share."""

    settings: Settings
    jobs: Jobs
    bodies: Bodies
    _fetching: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_FETCHES, "fetch"), repr=False
    )

    @asynccontextmanager
    async def page(self, request: Request, kind: type[SourceQuestion]) -> AsyncIterator[Asked]:
        """Give the page of a request and what is wanted of it."""
        question, settings = questions.from_query(request, kind)
        async with self.bodies.read(request) as body:
            html: bytes | str | None
            if questions.is_json(request):
                said = questions.from_json(body, kind)
                given = {name: getattr(said, name) for name in said.model_fields_set}
                if given.keys() & _TOGETHER:  # a method and its parameters are said in one place
                    given |= {name: getattr(said, name) for name in _TOGETHER}
                    settings = {}
                question = question.model_copy(update=given)
                html = question.html
            else:
                html = questions.page_of(request, body) if body else None
            wanted = question.model_dump(exclude={"html", "url", *_TOGETHER})
            if isinstance(question, PageQuestion):
                wanted |= chosen(question, settings)
            elif settings:
                raise Problem(400, "'set' has no place in this query")
            url = question.url
            if html is None:
                if url is None:
                    raise Problem(400, "there is no page", "send html, or a url to fetch")
                url, html = await self.fetched(url)
            yield Asked(html, url, **wanted)

    async def run(self, request: Request, function: Callable[..., T], *arguments: Any) -> T:
        """Return what a function returns in a worker, unless the client leaves before its turn."""
        job = asyncio.ensure_future(self.jobs.run(function, *arguments))
        leaving = asyncio.ensure_future(_left(request))
        try:
            await asyncio.wait((job, leaving), return_when=asyncio.FIRST_COMPLETED)
            if job.done():
                return job.result()
            raise Problem(400, "the client has left")  # nobody will read it
        finally:
            job.cancel()
            leaving.cancel()

    async def fetched(self, url: str) -> tuple[str, bytes | str]:
        """Return the final address and the page; errors do not tell what is behind an address."""
        if not self.settings.allow_fetch:
            cure = "send html, or start the service with --allow-fetch"
            raise Problem(403, "this service does not fetch pages", cure)
        try:
            scheme = urlsplit(url).scheme.lower()
        except ValueError:
            scheme = ""
        if scheme not in ("http", "https"):
            raise Problem(400, "only http and https addresses are fetched")
        fetcher = Fetcher(self.settings.limits.seconds, self.settings.max_body_bytes, False)
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._fetching, fetcher.fetch, url)
        except FetchError:
            cure = "it must be the public address of a web page that robots.txt lets us read"
            raise Problem(502, "the address could not be fetched", cure) from None


async def _left(request: Request) -> None:
    """Wait until the client of a request, whose body has been read, has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def chosen(
    question: PageQuestion | SiteQuestion, settings: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the method that is wanted, and its parameters; those of the query are texts."""
    name = question.method or question.default
    try:
        values = options.from_texts(name, question.task, settings or {})
        given = options.read(name, question.task, {**values, **question.options})
    except UsageError as error:
        raise Problem(400, str(error)[:_MAX_REASON_CHARS]) from None
    return {"method": name, "options": given}
