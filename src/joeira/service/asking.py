"""From a request to what a worker is asked: body, query, and the page from the web if wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.requests import Request

from joeira.errors import FetchError
from joeira.fetching.fetcher import Fetcher
from joeira.service import questions
from joeira.service.bodies import Bodies
from joeira.service.jobs import Jobs
from joeira.service.problems import Problem
from joeira.service.questions import SourceQuestion
from joeira.service.settings import Settings
from joeira.service.tasks import Asked

_FETCHES = 8
"""So many pages are fetched at once."""


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
        question = questions.from_query(request, kind)
        async with self.bodies.read(request) as body:
            html: bytes | str | None
            if questions.is_json(request):
                said = questions.from_json(body, kind)
                question = question.model_copy(
                    update={n: getattr(said, n) for n in said.model_fields_set}
                )
                html = question.html
            else:
                html = questions.page_of(request, body) if body else None
            wanted = question.model_dump(exclude={"html", "url"})
            url = question.url
            if html is None:
                if url is None:
                    raise Problem(400, "there is no page", "send html, or a url to fetch")
                url, html = await self.fetched(url)
            yield Asked(html, url, **wanted)

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
