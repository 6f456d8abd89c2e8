"""A web site on the loopback address, with pages that are as odd as a test needs them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """Answers by path; remembers the requests it got."""

    def __init__(self, host: str, port: int) -> None:
        self.port = port
        self.url = f"http://{host}:{port}"
        self.pages: dict[str, Answer] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def add(self, path: str, body: bytes | str = b"", status: int = 200, **headers: str) -> str:
        """Add a page; underscores in names of headers stand for hyphens."""
        data = body.encode() if isinstance(body, str) else body
        named = {"Content-Type": "text/html", "Content-Length": str(len(data))}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in named.items():
                if value:
                    handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(data)

        return self.answer(path, answer)

    def answer(self, path: str, answer: Answer) -> str:
        """Add a page that is answered by a function."""
        self.pages[path] = answer
        return self.url + path


@contextmanager
def loopback_site(host: str = "127.0.0.1") -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append((self.path, dict(self.headers)))
            answer = site.pages.get(self.path)
            try:
                if answer:
                    answer(self)
                else:
                    self.send_error(404)
            except OSError:
                pass  # the client had enough

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads = True
    site = Site(host, server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
