"""A service as users run it: a process of its own, on a free port of the loopback address."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import httpx

from support.command_line import COMMAND, ROOT, environment

TESTS = ROOT / "tests"
RAIN = (
    "<title>Rain</title><nav><a href=/>Home</a> <a href=/about>About</a></nav>"
    "<article><h1>Rain</h1>"
    "<p>It rained for a whole week, and the river left its bed.</p>"
    "<p>People carried sand to the doors, and waited for the sun to come back.</p></article>"
)
SHOP = "<ul>{}</ul>".format(
    "".join(
        f"<li><a href=/p{n}>Lamp number {n}</a><span class=price>{n},50 €</span></li>"
        for n in range(1, 9)
    )
)


class Service:
    """A running service."""

    def __init__(self, process: subprocess.Popen[bytes], url: str) -> None:
        self.process = process
        self.url = url
        self.port = int(url.rpartition(":")[2])
        # A new connection each time: the service may close an old one while it is taken up.
        alone = httpx.Limits(max_keepalive_connections=0)
        self.client = httpx.Client(base_url=url, timeout=60, limits=alone)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.client.post(path, **more)

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.client.get(path, **more)

    def head(self, *lines: str) -> bytes:
        """The head of a request with some lines of headers."""
        host = f"Host: 127.0.0.1:{self.port}"
        return "\r\n".join(["POST /v1/extract HTTP/1.1", host, *lines, "", ""]).encode()

    def talk(self, data: bytes) -> bytes:
        """Send bytes over a bare connection, and return what comes until it is closed."""
        with socket.create_connection(("127.0.0.1", self.port), 20) as connection:
            connection.sendall(data)
            answer = b""
            while part := connection.recv(65_536):
                answer += part
        return answer

    def metric(self, name: str, end: str | None = None) -> float:
        """The sum of a metric over its labels, or over calls that ended in one way."""
        labels = r"(?:{.*?})?" if end is None else f'{{end="{end}"}}'
        lines = re.findall(rf"^{name}{labels} (\S+)$", self.get("/metrics").text, re.MULTILINE)
        return sum(map(float, lines))


@contextmanager
def service(
    *options: str,
    command: tuple[str, ...] = COMMAND,
    prepare: Callable[[], None] | None = None,
    **variables: str,
) -> Iterator[Service]:
    """Run ``joeira serve`` with options, ready to answer."""
    process = subprocess.Popen(
        [*command, "serve", "--port", "0", *options],
        stderr=subprocess.PIPE,
        env=environment(PYTHONPATH=str(TESTS), **variables),
        preexec_fn=prepare,  # noqa: PLW1509 (for tests without threads)
    )
    assert process.stderr is not None
    try:
        said = process.stderr.readline().decode()
        address = re.search(r"http://\S+", said)
        assert address, said + process.stderr.read().decode()
        running = Service(process, address[0])
        deadline = time.monotonic() + 30
        while True:
            try:
                running.get("/health")
                break
            except httpx.TransportError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        with closing(running.client):
            yield running
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(60)
        process.stderr.close()
