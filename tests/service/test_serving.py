"""Beginning and ending: where the service listens, and how it stops."""

import signal
import socket

import pytest

from joeira.service.server import listening
from joeira.service.settings import Settings
from support.command_line import hear_interrupts, joeira
from support.service import RAIN, service


def test_small_answers_are_sent_at_once() -> None:
    """Without the name of the protocol, asyncio leaves Nagle's algorithm on: 40 ms an answer."""
    with listening(Settings(port=0)) as opened:
        assert opened.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1", "no such host"])
def test_where_it_cannot_listen(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = joeira("serve", "--host", host, "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert f"cannot listen on {host}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_stops_when_told_with_all_its_processes(number: signal.Signals, code: int) -> None:
    with service("--workers", "1", prepare=hear_interrupts) as running:
        running.post("/v1/extract", content=RAIN)
        with socket.create_connection(("127.0.0.1", running.port)) as idle:
            running.process.send_signal(number)
            assert running.process.wait(20) == code
            assert idle.recv(1) == b""
        assert running.process.stderr is not None
        assert running.process.stderr.read() == b""


def test_who_can_reach_it() -> None:
    for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost"):
        assert Settings(host=host).is_local
    for host in ("0.0.0.0", "::", "192.0.2.1", "joeira.example"):
        assert not Settings(host=host).is_local
