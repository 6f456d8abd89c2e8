"""The body of a request: read within limits of time, size and memory, also when compressed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from joeira.errors import FetchError
from joeira.fetch.fetcher import inflated
from joeira.service.problems import Problem, overloaded
from joeira.service.settings import Settings

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
            raise Problem(408, f"the body took more than {seconds:g} s to arrive") from None
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
