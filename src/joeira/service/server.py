"""Running the service until it is told to stop."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable

import uvicorn

from joeira.errors import UsageError
from joeira.service.app import create_app
from joeira.service.protocol import PatientProtocol
from joeira.service.settings import Settings

_STOP_SECONDS = 5


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; say where."""
    config = uvicorn.Config(
        create_app(settings),
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
        say(f"listening on http://{f'[{host}]' if ':' in host else host}:{port}")
        if not (settings.is_local or settings.token):
            say("others may reach it, and all may use it: --token keeps them out")
        uvicorn.Server(config).run(sockets=[opened])


def listening(settings: Settings) -> socket.socket:
    """Return a socket that listens where it is told."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Only of sockets that name TCP does asyncio know that they may send small answers at once.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((settings.host, settings.port))
    except (OSError, UnicodeError) as error:
        opened.close()
        where = f"{settings.host}:{settings.port}"
        raise UsageError(
            f"cannot listen on {where}: {getattr(error, 'strerror', None) or error}"
        ) from None
    return opened
