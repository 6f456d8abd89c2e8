"""Running the service until it is told to stop."""

from __future__ import annotations

import math
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM
from types import FrameType

import uvicorn

from joeira.errors import UsageError
from joeira.service.app import Mount, create_app
from joeira.service.protocol import PatientProtocol
from joeira.service.settings import Settings

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
    """Return a socket that listens where it is told."""
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
