"""Checks before every route, and error responses.

`Guard` decides who may ask, and adds headers that keep answers harmless. A `Problem` is one
exception that knows its answer. `Bodies` are read within limits of time, size and memory, also when
they are compressed.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import math
import re
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib import import_module
from typing import Any

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
    return words_of(error.errors(include_url=False, include_input=False)[0])


def words_of(detail: Mapping[str, Any]) -> str:
    """Return one finding of pydantic in our words: where, and what is wanted there."""
    context = {name: str(value) for name, value in detail.get("ctx", {}).items()}
    place = re.search(r"line (\d+) column (\d+)$", context.get("error", ""))
    context["place"] = f"line {place[1]}, column {place[2]}" if place else "at its end"
    wanted = _WANTED.get(str(detail["type"]), "cannot be read")
    with suppress(KeyError):
        wanted = wanted.format(**context)
    # Where several types would do, the place ends with the name of one of them.
    parts = [str(part) for part in detail["loc"]]
    names = [part for part in parts if not _TYPE_NAME.match(part)]
    where = ".".join(names)[:_MAX_PLACE_CHARS]
    if not where:
        return wanted if wanted.startswith("the body") else f"the body {wanted}"
    return f"{where}: {wanted}"


_MAX_PLACE_CHARS = 100
_TYPE_NAME = re.compile(
    r"(str|int|float|bool|none|list|dict|literal|constrained-|function-|Parts)\b|(list|literal)\["
)
_WANTED = {
    "missing": "is needed",
    "extra_forbidden": "unknown field",
    "json_invalid": "the body is not JSON ({place})",
    "value_error": "{error}",
    "string_type": "must be a string",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "string_pattern_mismatch": "must have the form {pattern}",
    "string_unicode": "must be valid Unicode",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "is too large a number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "none_required": "must be null",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "list_type": "must be a list",
    "too_short": "must have at least {min_length} items",
    "too_long": "must have at most {max_length} items",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}
"""By pydantic's name of what is wrong."""


def unexpected() -> Problem:
    """Return the problem of a request that met a bug; the log has more."""
    return Problem(500, "something went wrong in the service", "see the log of the service")


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
MAX_CLIENTS = 10_000
"""So many clients are counted one by one."""
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
        self._tokens = settings.all_tokens
        self._rates = Rates(settings.rate) if settings.rate else None

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
            cure = "use the address of the service; --hostname adds other names"
            raise Problem(403, "this service does not answer to that host name", cure)
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != host.lower():
            raise Problem(403, "requests from other web sites are refused")
        if _PROTECTED.match(scope["path"]):
            client = (scope.get("client") or ("",))[0]
            if self._tokens:
                client = self._check_token(headers.get("authorization", ""))
            if self._rates is not None:
                self._rates.count(client)

    def _check_token(self, authorization: str) -> str:
        """Return the token that a client shows, if it is one of ours."""
        scheme, _, shown = authorization.partition(" ")
        given = shown.strip().encode("utf-8", "replace")
        # All are compared, so that the time tells nothing of which one was nearly right.
        matching = [t for t in self._tokens if hmac.compare_digest(given, t.encode())]
        if scheme.lower() != "bearer" or not matching:
            cure = "send the header Authorization: Bearer TOKEN"
            raise Problem(401, "a token is required", cure, {"WWW-Authenticate": "Bearer"})
        return matching[0]


class Rates:
    """How many requests each client may still send: so many a minute, as fast as it likes."""

    def __init__(self, per_minute: int) -> None:
        """Keep the rate."""
        self._per_minute = per_minute
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count(self, client: str, now: float | None = None) -> None:
        """Count a request of a client, or raise the problem that it sent too many."""
        now = time.monotonic() if now is None else now
        left, last = self._left.pop(client, (float(self._per_minute), now))
        left = min(self._per_minute, left + (now - last) * self._per_minute / 60)
        self._left[client] = (max(left - 1, 0.0) if left >= 1 else left, now)
        if len(self._left) > MAX_CLIENTS:
            self._left.popitem(last=False)  # who has not come for longest has all of it again
        if left < 1:
            seconds = math.ceil((1 - left) * 60 / self._per_minute)
            error = f"more than {self._per_minute:,} requests per minute"
            cure = f"try again in {seconds} s"
            raise Problem(429, error, cure, {"Retry-After": str(seconds)})


def _check_head(scope: Scope, headers: Headers) -> None:
    """Refuse a head that no client of ours sends, and close: what follows it may be anything."""
    close = {"Connection": "close"}
    if "content-length" in headers and "transfer-encoding" in headers:
        # Whatever stands before us may have believed the other one (RFC 9112, section 6.1).
        error = "a request must not have both Content-Length and Transfer-Encoding"
        raise Problem(400, error, headers=close)
    target = len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"])
    if target > MAX_TARGET_BYTES:
        cure = "send long values in the body, as JSON"
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


def _brotli(body: bytes) -> Iterator[bytes]:
    """Yield a Brotli body decompressed, in pieces."""
    engine = _BROTLI.Decompressor()
    try:
        for chunk in _slices(body):
            yield engine.process(chunk, output_buffer_limit=_CHUNK)
            while not engine.can_accept_more_data():
                yield engine.process(b"", output_buffer_limit=_CHUNK)
        while not engine.is_finished() and (
            piece := engine.process(b"", output_buffer_limit=_CHUNK)
        ):
            yield piece  # it has read everything, and not told all of it
    except _BROTLI.error:
        raise FetchError("the compressed body is damaged") from None
    if not engine.is_finished():
        raise FetchError("the compressed body is truncated")


def _zstandard(body: bytes) -> Iterator[bytes]:
    """Yield a Zstandard body decompressed, in pieces; it may have several frames."""
    rest = body
    try:
        while rest:
            engine = _ZSTD.ZstdDecompressor()
            yield engine.decompress(rest, _CHUNK)
            while not engine.eof and not engine.needs_input:
                yield engine.decompress(b"", _CHUNK)
            if not engine.eof:
                raise FetchError("the compressed body is truncated")
            rest = engine.unused_data
    except _ZSTD.ZstdError:
        raise FetchError("the compressed body is damaged") from None


def _slices(body: bytes) -> Iterator[bytes]:
    return (body[start : start + _CHUNK] for start in range(0, len(body), _CHUNK))


def _library(*names: str) -> Any:
    """Return the first of some libraries that is installed, or None."""
    for name in names:
        with suppress(ImportError):
            return import_module(name)
    return None


_BROTLI = _library("brotli")
_ZSTD = _library("compression.zstd", "backports.zstd")


def _decoders() -> dict[str, Callable[[bytes], Iterator[bytes]]]:
    """Return what decompresses bodies, by the names of encodings; two need a library."""
    zlib = partial(_call_with_slices, inflated)
    known: dict[str, Callable[[bytes], Iterator[bytes]]] = {"gzip": zlib, "deflate": zlib}
    # Older ones cannot be stopped in the middle of what becomes very much.
    if hasattr(getattr(_BROTLI, "Decompressor", None), "can_accept_more_data"):
        known["br"] = _brotli
    if _ZSTD is not None:
        known["zstd"] = _zstandard
    return known


def _call_with_slices(
    function: Callable[[Iterator[bytes]], Iterator[bytes]], body: bytes
) -> Iterator[bytes]:
    return function(_slices(body))


ENCODINGS = _decoders()
_SAME = {"x-gzip": "gzip", "": "identity"}


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
        encoding = _SAME.get(encoding, encoding)
        if encoding not in ("identity", *ENCODINGS):
            cure = f"send it uncompressed, or as {', '.join(ENCODINGS)}"
            accepted = {"Accept-Encoding": ", ".join(ENCODINGS)}
            raise Problem(415, "the body has an unsupported compression", cure, accepted)
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
            raise Problem(400, "the body is truncated") from None
        body = b"".join(chunks)
        if encoding in ENCODINGS and body:
            body = await asyncio.to_thread(self._inflated, ENCODINGS[encoding], body)
            held.add(len(body))
        return body

    def _inflated(self, decode: Callable[[bytes], Iterator[bytes]], body: bytes) -> bytes:
        parts, size = [], 0
        try:
            for part in decode(body):
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
