"""HTTP/1.1 by uvicorn, with time limits.

A client that sends the head of a request byte by byte, goes on sending a body that was answered
already, or does not read its answer would otherwise keep its connection for ever. uvicorn has no
setting for this, so one of its classes is refined that it does not promise to keep: what is relied
on is checked at the start.

The service runs until a signal stops it.
"""

from __future__ import annotations

import asyncio
import math
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from inspect import getattr_static
from signal import SIGINT, SIGTERM
from types import FrameType
from typing import cast

import h11
import uvicorn

from joeira.errors import UsageError
from joeira.service.app import Mount, create_app
from joeira.service.guard import HEADERS, Problem
from joeira.service.settings import Settings

UVICORN = "uvicorn>=0.30,<0.55,!=0.43.*,!=0.44.*"
"""The versions that were tested, as pyproject.toml has them."""
_UNSUPPORTED = (
    f"uvicorn {uvicorn.__version__} has no {{missing}}, which the service relies on: "
    f"pip install '{UVICORN}'"
)

try:
    from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
except ImportError as error:
    raise UsageError(_UNSUPPORTED.format(missing="H11Protocol, RequestResponseCycle")) from error

_RELIED_ON: dict[type, tuple[str, ...]] = {
    H11Protocol: (
        "connection_made", "data_received", "on_response_complete", "connection_lost",
        "send_400_response", "pause_writing", "resume_writing", "conn", "cycle", "loop",
        "timeout_keep_alive", "transport",
    ),
    RequestResponseCycle: ("response_complete",),
    uvicorn.Server: ("capture_signals", "handle_exit", "run"),
}  # fmt: skip
"""Methods and attributes of uvicorn's classes that `PatientProtocol` and `_Server` use."""


_LEAST_BYTES_PER_SECOND = 1000
"""A client that reads its answer slower than this does not want it."""


class PatientProtocol(H11Protocol):
    """A connection that is closed when its client keeps it for nothing.

    uvicorn's ``timeout_keep_alive`` is the time from the beginning of a connection, or the end of
    an answer, to the end of the next request's head. In the same time, something has to be read of
    an answer that fills all buffers.
    """

    _clock: asyncio.TimerHandle | None = None
    _reader_clock: asyncio.TimerHandle | None = None

    def connection_made(  # type: ignore[override]  # a narrower transport, as uvicorn has it
        self, transport: asyncio.Transport
    ) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        self._stop_clock()
        self._stop_reader_clock()

    def pause_writing(self) -> None:
        """Begin to wait for the client to read its answer."""
        super().pause_writing()
        self._await_reader()

    def resume_writing(self) -> None:
        """Stop waiting, unless the little that is left is the last."""
        super().resume_writing()
        self._stop_reader_clock()
        if self.transport.is_closing():
            self._await_reader()

    def send_400_response(self, msg: str) -> None:
        """Respond to invalid HTTP or to a head that is too long."""
        self._refuse(Problem(400, msg.strip(".").lower()))

    def _watch(self) -> None:
        """Run the clock while no request is being answered."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # before the first request
        if cycle is not None and not cycle.response_complete:
            self._stop_clock()
        elif self.transport.is_closing():
            self._await_reader()
        elif self._clock is None:
            self._clock = self.loop.call_later(self.timeout_keep_alive, self._give_up)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _await_reader(self) -> None:
        """Run the other clock while there is an answer to be read; closing waits for that, too."""
        left = self.transport.get_write_buffer_size()
        if left and self._reader_clock is None:
            self._reader_clock = self.loop.call_later(
                self.timeout_keep_alive, self._check_reader, left
            )

    def _check_reader(self, left_before: int) -> None:
        self._reader_clock = None
        has_read = left_before - self.transport.get_write_buffer_size()
        if has_read < _LEAST_BYTES_PER_SECOND * self.timeout_keep_alive:
            self.transport.abort()
        else:
            self._await_reader()

    def _stop_reader_clock(self) -> None:
        if self._reader_clock is not None:
            self._reader_clock.cancel()
            self._reader_clock = None

    def _give_up(self) -> None:
        if self.transport.is_closing():
            self._await_reader()
            return
        has_begun = self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]
        if has_begun:
            self._refuse(Problem(408, "the request took too long to arrive"))
        else:
            self.transport.close()
            self._await_reader()

    def _refuse(self, problem: Problem) -> None:
        """Answer without a route, and close."""
        body = problem.body
        headers = {
            **HEADERS,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
        }
        try:
            for event in (
                h11.Response(status_code=problem.status, headers=list(headers.items())),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:
            pass  # in the middle of an answer: nothing can be said any more
        self.transport.close()
        self._await_reader()


def check_uvicorn() -> None:
    """Raise `UsageError` when uvicorn lacks something that the service relies on."""
    missing = []
    for kind, names in _RELIED_ON.items():
        set_at_first = getattr_static(kind, "__init__").__code__.co_names
        known = {*dir(kind), *set_at_first}
        missing += [f"{kind.__name__}.{name}" for name in names if name not in known]
    if missing:
        raise UsageError(_UNSUPPORTED.format(missing=", ".join(missing)))


_STOP_SECONDS = 3


def serve(
    settings: Settings, announce: Callable[[str], None], mounts: Iterable[Mount] = ()
) -> None:
    """Serve until SIGINT or SIGTERM; announce the address.

    Args:
        settings: Where to listen, and the limits.
        announce: Called with the address as soon as the service listens there.
        mounts: What adds further routes to it.
    """
    check_uvicorn()
    config = uvicorn.Config(
        create_app(settings, mounts),
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        access_log=False,
        log_level="error",
        timeout_keep_alive=math.ceil(settings.body_seconds),
        timeout_graceful_shutdown=_STOP_SECONDS,
    )
    with listening(settings) as opened:
        host, port = opened.getsockname()[:2]
        announce(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        server = _Server(config)
        server.run(sockets=[opened])
        if server.heard:
            signal.raise_signal(server.heard[-1])


class _Server(uvicorn.Server):
    """Hands signals on when all is closed: inside its loop, the program's end would be an error."""

    heard: tuple[int, ...] = ()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal, and remember it."""

        def hear(number: int, frame: FrameType | None) -> None:
            self.heard += (number,)
            self.handle_exit(number, frame)

        before = {number: signal.signal(number, hear) for number in (SIGINT, SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listening(settings: Settings) -> socket.socket:
    """Return a socket that listens at the address of the settings."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Only of sockets that name TCP does asyncio know that they may send small answers at once.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((settings.host, settings.port))
        opened.listen()  # whoever hears of the address may come at once, and waits
    except (OSError, UnicodeError) as error:
        opened.close()
        where = f"{settings.host}:{settings.port}"
        raise UsageError(
            f"cannot listen on {where}: {getattr(error, 'strerror', None) or error}"
        ) from None
    return opened
