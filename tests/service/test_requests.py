"""Requests that cannot be answered: each is told why, quickly, and the service goes on."""

import gzip
import json
import socket
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from support.service import RAIN, Service

JSON = {"Content-Type": "application/json"}
LIMIT = 300_000


BAD_BODIES = {
    "deep lists": (b"[" * 100_000, JSON, 400),
    "deep objects": (b'{"options":' * 20_000, JSON, 400),
    "deep options": (b'{"html":"","options":{"a":' + b"[" * 5000 + b"]" * 5000 + b"}}", JSON, 400),
    "invalid UTF-8": (b'{"html": "\xff\xfe"}', JSON, 400),
    "lone surrogate": (b'{"html": "\\ud800"}', JSON, 400),
    "cut JSON": (b'{"html": "<p>', JSON, 400),
    "not an object": (b"7", JSON, 400),
    "nothing": (b"", JSON, 400),
    "no page": (b"{}", JSON, 400),
    "unknown field": (b'{"html": "", "htlm": ""}', JSON, 400),
    "wrong type": (b'{"html": 5}', JSON, 400),
    "unknown method": (b'{"html": "", "method": "magic"}', JSON, 400),
    "method of another task": (b'{"html": "", "method": "mdr"}', JSON, 400),
    "browser": (b'{"html": "", "method": "vips"}', JSON, 400),
    "long method": (json.dumps({"html": "", "method": "m" * 101}).encode(), JSON, 400),
    "long option": (json.dumps({"html": "", "options": {"o" * 200_000: 1}}).encode(), JSON, 400),
    "unknown format": (b'{"html": "", "format": "pdf"}', JSON, 400),
    "unknown option": (b'{"html": "", "method": "nce", "options": {"x": 1}}', JSON, 400),
    "bad value": (b'{"html": "", "method": "nce", "options": {"leaf_min_chars": "x"}}', JSON, 400),
    "value as text": (
        b'{"html": "", "options": {"beta": "5"}}',
        JSON,
        400,
    ),
    "out of bounds": (b'{"html": "", "method": "cetr", "options": {"radius": 1001}}', JSON, 400),
    "huge number": (
        b'{"html": "", "options": {"beta": 1e30}}',
        JSON,
        400,
    ),
    "unknown choice": (b'{"html": "", "method": "cetr", "options": {"variant": "x"}}', JSON, 400),
    "long address": (json.dumps({"html": "", "url": "h" * 9000}).encode(), JSON, 400),
    "fetching is off": (b'{"url": "http://127.0.0.1/"}', JSON, 403),
    "oversize": (b"x" * (LIMIT + 1), {}, 413),
    "gzip bomb": (gzip.compress(bytes(30_000_000)), {"Content-Encoding": "gzip"}, 413),
    "deflate bomb": (zlib.compress(bytes(30_000_000)), {"Content-Encoding": "deflate"}, 413),
    "gzip bombs in a row": (gzip.compress(bytes(200_000)) * 9, {"Content-Encoding": "gzip"}, 413),
    "no gzip": (b"plain", {"Content-Encoding": "gzip"}, 400),
    "cut gzip": (gzip.compress(RAIN.encode())[:-20], {"Content-Encoding": "gzip"}, 400),
    "unknown encoding": (b"x", {"Content-Encoding": "compress"}, 415),
    "stacked encodings": (b"x", {"Content-Encoding": "gzip, gzip"}, 415),
}


@pytest.mark.parametrize("name", BAD_BODIES)
def test_bad_bodies(strict: Service, name: str) -> None:
    body, headers, status = BAD_BODIES[name]
    answer = strict.post("/v1/extract", content=body, headers=headers)
    assert answer.status_code == status, answer.text
    said = answer.json()
    assert said["error"]
    assert said.keys() <= {"error", "cure"}
    assert "Traceback" not in answer.text
    assert len(answer.content) < 1000


@pytest.mark.parametrize(
    "query",
    [
        "set=x",
        "set=beta=inf",
        "set=beta=-1",
        "method=nce&set=beta=1",
        "set==1",
        "format=pdf",
        "format=text&format=json",
        "x=1",
        "html=a",
        "visible_only=maybe",
    ],
)
def test_bad_queries(strict: Service, query: str) -> None:
    answer = strict.post(f"/v1/extract?{query}", content=RAIN)
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_compressed_pages_are_read(strict: Service) -> None:
    plain = strict.post("/v1/extract", content=RAIN)
    packers = {"gzip": gzip.compress, "deflate": zlib.compress, "x-gzip": gzip.compress}
    for name, packed in packers.items():
        answer = strict.post(
            "/v1/extract", content=packed(RAIN.encode()), headers={"Content-Encoding": name}
        )
        assert answer.json() == plain.json()


def test_an_oversize_body_is_refused_before_it_is_sent(strict: Service) -> None:
    with socket.create_connection(("127.0.0.1", strict.port), 10) as connection:
        connection.sendall(strict.head(f"Content-Length: {10**12}"))
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_an_endless_body_is_refused(strict: Service) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 10_000

    assert strict.post("/v1/extract", content=endless()).status_code == 413


def test_a_slow_body_is_refused(strict: Service) -> None:
    answer = strict.talk(strict.head("Content-Length: 1000") + b"<p>")
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"took more than 1 s" in answer


def test_a_slow_head_is_refused(strict: Service) -> None:
    answer = strict.talk(b"POST /v1/extract HTTP/1.1\r\nHost: 127.0")
    assert answer.startswith(b"HTTP/1.1 408")
    assert strict.talk(b"") == b""  # nothing was asked: nothing is said


def test_sending_on_after_the_answer_ends_too(strict: Service) -> None:
    with socket.create_connection(("127.0.0.1", strict.port), 20) as connection:
        connection.sendall(strict.head(f"Content-Length: {10**9}"))
        assert connection.recv(100).startswith(b"HTTP/1.1 413")
        deadline = time.monotonic() + 20
        is_open = True
        while is_open and time.monotonic() < deadline:
            try:
                connection.sendall(b"x" * 1000)
            except OSError:  # reset, or a broken pipe
                is_open = False
            time.sleep(0.05)
    assert not is_open


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(300),
        b"\r\n" * 50 + b"nonsense\r\n\r\n",
        b"GET /health HTTP/1.1\r\n" + b"X-Y: z\r\n" * 10_000 + b"\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"POST /v1/extract HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["TLS", "nonsense", "10k headers", "long path", "length", "chunks"],
)
def test_what_is_no_http(strict: Service, data: bytes) -> None:
    answer = strict.talk(data)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"nosniff" in answer
    assert strict.get("/health").status_code == 200


def test_a_head_that_comes_byte_by_byte_is_refused(strict: Service) -> None:
    with socket.create_connection(("127.0.0.1", strict.port), 20) as connection:
        connection.sendall(b"POST /v1/extract HTTP/1.1\r\nX-Slow: ")
        began = time.monotonic()
        answer = b""
        connection.settimeout(0.1)
        while not answer and time.monotonic() < began + 10:
            with suppress(TimeoutError):
                answer = connection.recv(1000)
            with suppress(OSError):
                connection.send(b"x")
    assert answer.startswith(b"HTTP/1.1 408")
    assert time.monotonic() < began + 5  # the limit is one second


def test_an_answer_that_nobody_reads_is_given_up(strict: Service) -> None:
    """Many answers to one client, so that they fill what the system buffers."""
    body = b"<p>" + b"It rained. " * 25_000
    ask = b"POST /v1/extract?method=all_text&format=text HTTP/1.1\r\nHost: localhost\r\n"
    ask += b"Content-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(0.5)
        connection.connect(("127.0.0.1", strict.port))
        deadline = time.monotonic() + 30
        is_open = True
        while is_open and time.monotonic() < deadline:
            try:
                connection.sendall(ask)
            except TimeoutError:
                pass  # neither of us reads any more
            except OSError:  # reset: given up
                is_open = False
    assert not is_open


def test_two_lengths_are_refused_and_nothing_after_them_is_read(strict: Service) -> None:
    smuggled = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for order in (1, -1):
        lengths = ["Content-Length: 5", "Transfer-Encoding: chunked"][::order]
        answer = strict.talk(strict.head(*lengths) + b"0\r\n\r\n" + smuggled)
        assert answer.startswith(b"HTTP/1.1 400")
        assert b"connection: close" in answer.lower()
        assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("host", [b"Host: localhost\r\n", b""])
def test_a_head_beyond_all_measure_is_refused(strict: Service, host: bytes) -> None:
    for data in (
        b"GET /health HTTP/1.1\r\n" + host + b"X-Y: z\r\n" * 10_000 + b"\r\n",
        b"GET /health HTTP/1.1\r\n" + host + b"X-Y: z\r\n" * 101 + b"\r\n",
        b"GET /health?" + b"a" * 100_000 + b" HTTP/1.1\r\n" + host + b"\r\n",
        b"GET /health?" + b"a" * 33_000 + b" HTTP/1.1\r\n" + host + b"\r\n",
        b"GET /health HTTP/1.1\r\n" + host + b"X-Y: " + b"z" * 70_000 + b"\r\n\r\n",
    ):
        answer = strict.talk(data)  # ends, so the connection was closed
        assert answer[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 414", b"HTTP/1.1 431"), data[:40]
    assert strict.get("/health").status_code == 200


def test_paths_and_methods_that_do_not_exist(strict: Service) -> None:
    for method, path, status in (
        ("GET", "/nowhere", 404),
        ("GET", "/v1/extract", 405),
        ("DELETE", "/health", 405),
        ("GET", "/..%2f..%2fetc/passwd", 404),
        ("GET", "/v1/sites/..%2f..%2fetc%2fpasswd", 404),
        ("GET", "/v1/sites/%00", 404),
        ("DELETE", "/v1/sites/' OR 1=1 --", 404),
    ):
        answer = strict.client.request(method, path)
        assert answer.status_code == status, path
        assert answer.json()["error"]
        assert answer.json()["cure"]
    assert strict.get("/nowhere").json()["cure"] == "GET /docs says which there are"
    refused = strict.get("/v1/extract").json()
    assert refused == {"error": "this path does not take GET", "cure": "send POST"}


def test_every_answer_has_the_headers_of_safety(strict: Service) -> None:
    answers = [strict.get(path) for path in ("/health", "/nowhere", "/openapi.json", "/metrics")]
    answers += [strict.post("/v1/extract", content=body) for body in (RAIN, b"x" * (LIMIT + 1))]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "server" not in answer.headers


def packers() -> dict[str, Callable[[bytes], bytes]]:
    """What packs bodies in the ways that need a library."""
    brotli = pytest.importorskip("brotli", reason="the extra 'service' brings brotli")
    zstd = pytest.importorskip("backports.zstd", reason="the extra 'service' brings it")
    return {"br": brotli.compress, "zstd": zstd.compress}


@pytest.mark.parametrize("encoding", ["br", "zstd"])
def test_newer_compressions(running: Service, encoding: str) -> None:
    pack = packers()[encoding]
    headers = {"Content-Encoding": encoding}
    packed = pack(RAIN.encode() * 2000)
    answer = running.post("/v1/extract?format=text", content=packed, headers=headers)
    assert answer.text == running.post("/v1/extract?format=text", content=RAIN * 2000).text
    for body, status in (
        (b"nothing of the kind", 400),
        (packed[: len(packed) // 2], 400),
        (pack(bytes(30_000_000)), 413),
    ):
        answer = running.post("/v1/extract", content=body, headers=headers)
        assert answer.status_code == status
    unknown = running.post("/v1/extract", content=b"x", headers={"Content-Encoding": "lzma"})
    assert encoding in unknown.headers["accept-encoding"]


@pytest.mark.parametrize(
    "body, error",
    [
        ({"html": 3}, "html: must be a string"),
        ({"x": 1}, "x: unknown field"),
        ([1], "the body must be an object"),
        ({"html": "", "visible_only": "yes"}, "visible_only: must be true or false"),
        ({"html": "", "url": "x" * 9000}, "url: must have at most 8000 characters"),
        ({"html": "", "format": "x"}, "format: must be 'text', 'markdown', 'html'"),
        (
            {"html": "", "method": "nce", "options": {"leaf_min_chars": -1}},
            "options of nce: leaf_min_chars: must be at least 0",
        ),
        (
            {"html": "", "method": "nce", "options": {"leaf_min_chars": "many"}},
            "options of nce: leaf_min_chars: must be a whole number",
        ),
    ],
    ids=str,
)
def test_errors_are_in_our_words(running: Service, body: object, error: str) -> None:
    answer = running.post("/v1/extract", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(error)


def test_no_answer_speaks_as_a_library_does(running: Service) -> None:
    """Whatever pydantic can find in our models has words of ours."""
    found = set()
    for body in (
        '{"pages": 1}', '{"pages": []}', "{", '"x"', "null", '{"pages": [{}]}',
        '{"pages": [{"html": "", "url": 1}]}', '{"name": null, "pages": [{"html": ""}]}',
    ):  # fmt: skip
        headers = {"Content-Type": "application/json"}
        answer = running.post("/v1/sites", content=body, headers=headers)
        assert answer.status_code == 400
        found.add(answer.json()["error"])
    assert not [error for error in found if "nput should" in error or "cannot be read" in error]
    assert "the body is not JSON (line 1, column 1)" in found
    assert running.get("/v1/viewer/pages/example-article/source?row=x").json() == {
        "error": "row: must be a whole number"
    }
