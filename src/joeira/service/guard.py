"""What stands before every route, and what is wrong with a request.

`Guard` decides who may ask, and adds headers that keep answers harmless. A `Problem` is one
exception that knows its answer. `Bodies` are read within limits of time, size and memory, also when
they are compressed.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from pydantic import ValidationError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from joeira.errors import FetchError
from joeira.fetch.fetcher import inflated
from joeira.service.metrics import Metrics
from joeira.service.settings import Settings


class Problem(Exception):
    """Why a request has no result; the client gets it as ``{"error": ..., "cure": ...}``."""

    def __init__(
        self, status: int, error: str, cure: str = "", headers: dict[str, str] | None = None
    ) -> None:
        """Say what is wrong and, where one is known, what to do about it."""
        super().__init__(error)
        self.status = status
        self.error = error
        self.cure = cure
        self.headers = headers or {}

    @property
    def body(self) -> bytes:
        """The answer as JSON."""
        said = {"error": self.error, **({"cure": self.cure} if self.cure else {})}
        return json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")


def overloaded(retry_seconds: int, error: str = "the service is busy") -> Problem:
    """Return the problem of a request that would have to wait too long."""
    cure = f"try again in {retry_seconds} s"
    return Problem(503, error, cure, {"Retry-After": str(retry_seconds)})


def in_words(error: ValidationError) -> str:
    """Return the first thing that is wrong with what a client sent."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:100]
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def unexpected() -> Problem:
    """Return the problem of a request that met a bug; the log has more."""
    return Problem(500, "something went wrong in the service", "the log of the service says more")


HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""On every answer, unless a route has its own."""
MAX_REQUESTS = 1000
"""At once, most of them waiting for their bodies."""
MAX_TARGET_BYTES = 32_768
"""Of path and query: an address to fetch has at most 8,000 characters, escaped thrice as many."""
MAX_HEADERS = 100
MAX_HEADER_BYTES = 65_536
_PROTECTED = re.compile(r"/(v1/|metrics)")
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[^:@/\[\]]+)(:\d{1,5})?", re.IGNORECASE)
_log = logging.getLogger("joeira.service")


class Guard:
    """Lets a request through, or answers it; no error leaves as anything but JSON."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        """Keep what may come in."""
        self._app = app
        self._metrics = metrics
        self._requests = 0
        self._names = settings.known_names
        self._token = settings.token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        began = time.monotonic()
        status = 0

        async def send_safely(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        self._requests += 1
        try:
            self._check(scope)
            await self._app(scope, receive, send_safely)
        except Problem as problem:
            await _answer(problem, send_safely)
        except asyncio.CancelledError:  # told to stop, and it would have taken too long
            if not status:
                await _answer(overloaded(10, "the service is stopping"), send_safely)
        except Exception:
            _log.exception("%s %s", scope["method"], scope["path"])
            if status:
                raise
            await _answer(unexpected(), send_safely)
        finally:
            self._requests -= 1
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.count(route, status, time.monotonic() - began)

    def _check(self, scope: Scope) -> None:
        if self._requests > MAX_REQUESTS:
            raise overloaded(1)
        headers = Headers(scope=scope)
        _check_head(scope, headers)
        host = headers.get("host", "")
        authority = _AUTHORITY.fullmatch(host)
        if authority is None or authority[1].strip("[]").lower() not in self._names:
            cure = "use the address of the service; --hostname lets it answer to other names"
            raise Problem(403, "this service is not that host", cure)
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != host.lower():
            raise Problem(403, "requests of other web sites are not answered")
        if self._token and _PROTECTED.match(scope["path"]):
            self._check_token(headers.get("authorization", ""))

    def _check_token(self, authorization: str) -> None:
        scheme, _, shown = authorization.partition(" ")
        expected = (self._token or "").encode()
        is_right = hmac.compare_digest(shown.strip().encode("utf-8", "replace"), expected)
        if scheme.lower() != "bearer" or not is_right:
            cure = "send the header Authorization: Bearer TOKEN"
            raise Problem(401, "a token is needed", cure, {"WWW-Authenticate": "Bearer"})


def _check_head(scope: Scope, headers: Headers) -> None:
    """Refuse a head that no client of ours sends, and close: what follows it may be anything."""
    close = {"Connection": "close"}
    if "content-length" in headers and "transfer-encoding" in headers:
        # Whatever stands before us may have believed the other one (RFC 9112, section 6.1).
        error = "a request says its length by Content-Length or Transfer-Encoding, not by both"
        raise Problem(400, error, headers=close)
    target = len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"])
    if target > MAX_TARGET_BYTES:
        cure = "send what is long in the body, as JSON"
        raise Problem(400, f"the address is longer than {MAX_TARGET_BYTES:,} bytes", cure, close)
    size = sum(len(name) + len(value) for name, value in headers.raw)
    if len(headers.raw) > MAX_HEADERS or size > MAX_HEADER_BYTES:
        limit = f"{MAX_HEADERS} headers or {MAX_HEADER_BYTES:,} bytes of them"
        raise Problem(431, f"more than {limit}", headers=close)


async def _answer(problem: Problem, send: Send) -> None:
    headers = {"Content-Type": "application/json", **problem.headers}
    body = problem.body
    headers["Content-Length"] = str(len(body))
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


_CHUNK = 65_536
_ENCODINGS = ("gzip", "x-gzip", "deflate")


class Bodies:
    """Reads bodies; knows how much they hold together."""

    def __init__(self, settings: Settings) -> None:
        """Keep the limits."""
        self._settings = settings
        self.held_bytes = 0

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[bytes]:
        """Give the decompressed body, which counts as held until the context ends."""
        held = _Held(self)
        try:
            yield await self._read(request, held)
        finally:
            self.held_bytes -= held.size

    async def _read(self, request: Request, held: _Held) -> bytes:
        encoding = request.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("identity", "", *_ENCODINGS):
            cure = "send it as it is, or as gzip or deflate"
            accepted = {"Accept-Encoding": "gzip, deflate"}
            raise Problem(415, "the body is compressed in an unknown way", cure, accepted)
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._settings.max_body_bytes:
            raise self._too_large()
        chunks: list[bytes] = []
        seconds = self._settings.body_seconds
        try:
            async with asyncio.timeout(seconds):
                async for chunk in request.stream():
                    chunks.append(chunk)
                    if held.add(len(chunk)) > self._settings.max_body_bytes:
                        raise self._too_large()
        except TimeoutError:
            error = f"the body took more than {seconds:g} s to arrive"
            raise Problem(408, error, headers={"Connection": "close"}) from None
        except ClientDisconnect:
            raise Problem(400, "the body is cut short") from None
        body = b"".join(chunks)
        if encoding in _ENCODINGS and body:
            body = await asyncio.to_thread(self._inflated, body)
            held.add(len(body))
        return body

    def _inflated(self, body: bytes) -> bytes:
        parts, size = [], 0
        try:
            for part in inflated(_slices(body)):
                parts.append(part)
                size += len(part)
                if size > self._settings.max_body_bytes:
                    raise self._too_large()
        except FetchError as error:
            raise Problem(400, str(error)) from None
        return b"".join(parts)

    def _too_large(self) -> Problem:
        limit = self._settings.max_body_bytes
        return Problem(413, f"the body is larger than {limit:,} bytes", "send a smaller page")


class _Held:
    """What one request holds."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self.size = 0

    def add(self, size: int) -> int:
        """Return what the request holds with so many bytes more."""
        self.size += size
        self._bodies.held_bytes += size
        if self._bodies.held_bytes > self._bodies._settings.held_bytes:
            raise overloaded(1, "too many large bodies at once")
        return self.size


def _slices(body: bytes) -> Iterator[bytes]:
    return (body[start : start + _CHUNK] for start in range(0, len(body), _CHUNK))
