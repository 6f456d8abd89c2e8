"""Beginning and ending: where the service listens, and how it stops."""

import signal
import socket
import time

import pytest

from joeira.errors import UsageError
from joeira.service.server import listening
from joeira.service.settings import Settings
from support import poison
from support.command_line import hear_interrupts, joeira
from support.service import RAIN, service


def test_small_answers_are_sent_at_once() -> None:
    """Without the name of the protocol, asyncio leaves Nagle's algorithm on: 40 ms an answer."""
    with listening(Settings(port=0)) as opened:
        assert opened.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.1", "no such host"])
def test_where_it_cannot_listen(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen on {host}:{port}"):
            listening(Settings(host=host, port=port))


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = joeira("serve", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "cannot listen on 127.0.0.1" in done.stderr
    assert "Traceback" not in done.stderr


def test_it_stops_when_told_even_while_a_page_hangs() -> None:
    with service("--workers", "1", "--timeout", "60", **poison.HOOK) as running:
        running.post("/v1/extract", content=RAIN)
        body = poison.page("loop").encode()
        idle, busy = (socket.create_connection(("127.0.0.1", running.port)) for _ in range(2))
        with idle, busy:
            busy.sendall(running.head(f"Content-Length: {len(body)}") + body)
            while not running.get("/health").json()["running"]:
                time.sleep(0.05)
            running.process.terminate()
            assert running.process.wait(60) == 143
            assert busy.recv(100).startswith(b"HTTP/1.1 503")
            assert idle.recv(1) == b""
        assert running.process.stderr is not None
        assert b"Traceback" not in running.process.stderr.read()


def test_it_stops_when_interrupted() -> None:
    with service("--workers", "1", prepare=hear_interrupts) as running:
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(60) == 130
        assert running.process.stderr is not None
        assert running.process.stderr.read() == b""


def test_who_can_reach_it() -> None:
    for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost"):
        assert Settings(host=host).is_local
    for host in ("0.0.0.0", "::", "192.0.2.1", "joeira.example"):
        assert not Settings(host=host).is_local
