"""HTTP requests to checked addresses, with strict limits of time and size.

`http.client` over a socket that we connect ourselves, because the address that was checked has to
be the address that is used.

Fetching a page: robots.txt (RFC 9309), redirects, status and type, on top of one checked request
each.
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from http.client import HTTPResponse
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from joeira._version import __version__
from joeira.errors import FetchError
from joeira.fetch import addresses
from joeira.fetch.addresses import Target
from joeira.page.parse import as_served

if TYPE_CHECKING:
    from protego import Protego

_CHUNK = 65_536
_GZIP = b"\x1f\x8b"


class Deadline:
    """A point in time until which everything has to be done."""

    def __init__(self, seconds: float) -> None:
        """Start the clock."""
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds that are left; raise `FetchError` when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            message = f"took longer than {self._seconds:g} seconds (--timeout)"
            raise FetchError(message)
        return left


@contextmanager
def opened(
    target: Target, deadline: Deadline, headers: dict[str, str], *, allow_private: bool
) -> Iterator[http.client.HTTPResponse]:
    """Send a GET request and give the response, its body not read yet."""
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.auto_open = 0  # never resolve or connect again
    try:
        with _connected(target, deadline, allow_private=allow_private) as connection.sock:
            connection.request("GET", target.path, headers={"Host": target.host_header, **headers})
            with closing(connection.getresponse()) as response:
                yield response
    except (OSError, http.client.HTTPException) as error:
        deadline.left()
        raise FetchError(_in_words(error)) from error
    finally:
        connection.close()


@contextmanager
def _connected(target: Target, deadline: Deadline, *, allow_private: bool) -> Iterator[Any]:
    """Give a connection that is shut down when the deadline passes.

    A time limit on the socket is a limit for each read: a server that sends a byte now and then
    would never reach it.
    """
    connection = _connect(target, deadline, allow_private=allow_private)
    clock: threading.Timer | None = None
    try:
        if target.scheme == "https":
            connection = ssl.create_default_context().wrap_socket(
                connection, server_hostname=target.host, do_handshake_on_connect=False
            )
        clock = threading.Timer(deadline.left(), _shut_down, (connection,))
        clock.daemon = True
        clock.start()
        if isinstance(connection, ssl.SSLSocket):
            connection.do_handshake()
        yield connection
    finally:
        if clock is not None:
            clock.cancel()
        connection.close()


def _shut_down(connection: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)  # the plain one, also under TLS


def _connect(target: Target, deadline: Deadline, *, allow_private: bool) -> socket.socket:
    found = _resolve(target, deadline)
    if not allow_private:
        # One bad address among good ones is enough: which one would be used is up to the name's
        # owner.
        for address in found:
            if reason := addresses.refusal(str(address[0])):
                shown = (
                    target.host if target.host == address[0] else f"{target.host} ({address[0]})"
                )
                raise FetchError(addresses.private(shown, reason))
    last: Exception = FetchError("the name has no address")
    for address in found:
        try:
            return socket.create_connection((str(address[0]), target.port), deadline.left())
        except OSError as error:
            last = error
    raise last


def _resolve(target: Target, deadline: Deadline) -> list[tuple[Any, ...]]:
    """Resolve a name once. In a thread, because the system's resolver has no time limit."""
    outcome: list[Any] = []

    def ask() -> None:
        try:
            found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
            outcome.append([address for *_, address in found])
        except (OSError, UnicodeError) as error:
            outcome.append(FetchError(f"the name {target.host} was not found ({error})"))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(deadline.left())
    deadline.left()
    if isinstance(outcome[0], FetchError):
        raise outcome[0]
    resolved: list[tuple[Any, ...]] = outcome[0]
    return resolved


def body(response: http.client.HTTPResponse, deadline: Deadline, max_bytes: int) -> bytes:
    """Return the decoded body, at most one byte more than `max_bytes` of it."""
    encoding = (response.headers.get("Content-Encoding") or "identity").strip().lower()
    raw = _raw(response, max_bytes)
    if encoding in ("gzip", "x-gzip", "deflate"):
        raw = inflated(raw)
    elif encoding != "identity":
        raise FetchError(f"the body is encoded as {encoding}, which was not requested")
    parts, size = [], 0
    for part in raw:
        deadline.left()  # a thousand empty members take time without taking from the network
        parts.append(part)
        size += len(part)
        if size > max_bytes:
            return b"".join(parts)[: max_bytes + 1]
    deadline.left()  # a connection that was shut down looks like one that ended
    if response.length:
        raise FetchError("the connection ended before the page did")
    return b"".join(parts)


def _raw(response: http.client.HTTPResponse, max_bytes: int) -> Iterator[bytes]:
    """Yield the body as it was sent; the limit holds here too, for what inflates to nothing."""
    size = 0
    while chunk := response.read(_CHUNK):
        yield chunk
        size += len(chunk)
        if size > max_bytes:
            raise FetchError(f"larger than {max_bytes} bytes even compressed (--max-bytes)")


def inflated(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield decompressed pieces that stay small whatever a chunk may hold.

    A gzip body may have several members; what follows the last one is ignored, as gunzip does it.
    """
    engine, rest, members = None, b"", 0
    try:
        for chunk in chunks:
            rest += chunk
            while len(rest) > 1 or (rest and engine):  # two bytes tell what begins here
                if engine is None:
                    if members and not rest.startswith(_GZIP):
                        rest = b""
                        break
                    engine = zlib.decompressobj(_window(rest))
                yield engine.decompress(rest, _CHUNK)
                rest = engine.unused_data or engine.unconsumed_tail
                if engine.eof:
                    engine, members = None, members + 1
    except zlib.error as error:
        raise FetchError(f"the compressed body is damaged ({error})") from None
    if engine is not None:
        yield engine.flush()
    if (rest and not members) if engine is None else not engine.eof:
        raise FetchError("the compressed body is cut short")


def _window(start: bytes) -> int:
    """Return zlib's number for gzip, zlib or, as some servers send it, bare deflate."""
    if start.startswith(_GZIP):
        return 31
    is_zlib = start[0] & 15 == 8 and int.from_bytes(start[:2], "big") % 31 == 0
    return 15 if is_zlib else -15


def _in_words(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the server's certificate is not valid: {error.verify_message}"
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    if isinstance(error, http.client.IncompleteRead):
        return "the connection ended before the page did"
    return f"the server's response is invalid ({type(error).__name__}: {error})"


AGENT = "joeira"
MAX_REDIRECTS = 10
MAX_ROBOTS_BYTES = 500 * 1024  # RFC 9309 asks for at least this much to be read
MAX_ROBOTS_SECONDS = 24 * 60 * 60  # and for robots.txt to be read again after a day
MAX_ROBOTS_SITES = 100
"""So many sites are remembered with their robots.txt, those met last."""

_REDIRECTS = (301, 302, 303, 307, 308)
_PAGE_TYPES = (
    "text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain",
)  # fmt: skip

_LISTING_TYPES = (
    "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/gzip",
    "application/x-gzip",
)  # fmt: skip
"""Of feeds and sitemaps, beside those of pages."""


class Fetcher:
    """Fetches pages politely; remembers robots.txt of the sites it has met."""

    def __init__(
        self,
        timeout_seconds: float,
        max_bytes: int,
        allow_private: bool,
        *,
        types: tuple[str, ...] = _PAGE_TYPES,
    ) -> None:
        """Keep the limits, which hold for each page with all its redirects, and the media types."""
        self._types = types
        self._timeout_seconds = timeout_seconds
        self._max_bytes = max_bytes
        self._allow_private = allow_private
        self._robots: dict[str, _Robots] = {}
        self._lock = threading.Lock()
        self._headers = {
            "User-Agent": f"{AGENT}/{__version__}",
            "Accept": "text/html, application/xhtml+xml, application/xml;q=0.9, text/*;q=0.8",
            "Accept-Encoding": "gzip, deflate",
            "Connection": "close",
        }

    def fetch(self, url: str) -> tuple[str, bytes | str]:
        """Return the final address and the page: text where the server names the encoding."""
        final, data, charset = self._download(url, self._types)
        return final, as_served(data, charset)

    def fetch_listing(self, url: str) -> tuple[str, bytes]:
        """Return the final address and the bytes of a feed or sitemap, or of a page."""
        final, data, _ = self._download(url, _PAGE_TYPES + _LISTING_TYPES)
        return final, data

    def crawl_delay(self, url: str) -> float | None:
        """Return the seconds between pages that robots.txt asks for, if it was read and does."""
        try:
            target = addresses.check(url, allow_private=self._allow_private)
        except FetchError:
            return None
        robots = self._robots.get(target.origin)
        return None if robots is None else robots.crawl_delay

    def _download(self, url: str, kinds: tuple[str, ...]) -> tuple[str, bytes, str | None]:
        """Return the final address, the body, and the encoding that the server names."""
        deadline = Deadline(self._timeout_seconds)
        for _ in range(MAX_REDIRECTS + 1):
            target = addresses.check(url, allow_private=self._allow_private)
            if not self._robots_of(target, deadline).allows(target.url):
                raise FetchError(f"robots.txt of {target.host_header} disallows it")
            with self._opened(target, deadline) as response:
                if response.status in _REDIRECTS:
                    url = _location(target, response)
                    continue
                _check_page(response, kinds)
                data = body(response, deadline, self._max_bytes)
            if len(data) > self._max_bytes:
                raise FetchError(f"larger than {self._max_bytes} bytes (--max-bytes)")
            return target.url, data, response.headers.get_content_charset()
        raise FetchError(f"more than {MAX_REDIRECTS} redirects")

    def _opened(self, target: Target, deadline: Deadline) -> AbstractContextManager[HTTPResponse]:
        return opened(target, deadline, self._headers, allow_private=self._allow_private)

    def _robots_of(self, target: Target, deadline: Deadline) -> _Robots:
        robots = self._robots.get(target.origin)
        if robots is None or robots.is_old:
            try:
                text = self._read_robots(f"{target.origin}/robots.txt", deadline)
                robots = _Robots.parse(text)
            except FetchError as error:
                robots = _Robots(None, str(error))
        with self._lock:  # threads may share a fetcher
            self._robots.pop(target.origin, None)
            self._robots[target.origin] = robots  # as the one met last
            if len(self._robots) > MAX_ROBOTS_SITES:
                del self._robots[next(iter(self._robots))]
        return robots

    def _read_robots(self, url: str, deadline: Deadline) -> str:
        for _ in range(MAX_REDIRECTS + 1):
            target = addresses.check(url, allow_private=self._allow_private)
            with self._opened(target, deadline) as response:
                if response.status in _REDIRECTS:
                    url = _location(target, response)
                    continue
                if response.status >= 500:  # the site may forbid us: it only cannot say so now
                    raise FetchError(f"its robots.txt could not be read: {_status(response)}")
                data = b""
                if response.status < 300:
                    data = body(response, deadline, MAX_ROBOTS_BYTES)
            if len(data) > MAX_ROBOTS_BYTES:  # half a path would forbid more than the whole one
                data = data[: data.rfind(b"\n") + 1]
            return data.decode("utf-8-sig", "replace")
        raise FetchError(f"its robots.txt has more than {MAX_REDIRECTS} redirects")


class _Robots:
    """What the robots.txt of a site allows, and when it was read."""

    def __init__(self, rules: Protego | None, problem: str = "") -> None:
        """Remember the rules, or why they could not be read."""
        self._rules = rules
        self._problem = problem
        self._time = time.monotonic()

    @classmethod
    def parse(cls, text: str) -> _Robots:
        """Read the rules."""
        from protego import Protego

        return cls(Protego.parse("\n".join(map(_with_plain_agent, text.splitlines()))))

    @property
    def is_old(self) -> bool:
        """Whether the rules have to be read again."""
        return time.monotonic() - self._time > MAX_ROBOTS_SECONDS

    @property
    def crawl_delay(self) -> float | None:
        """Seconds between pages that the rules ask for, if they do."""
        return None if self._rules is None else self._rules.crawl_delay(AGENT)

    def allows(self, url: str) -> bool:
        """Return whether a page may be fetched; raise `FetchError` when nobody can tell."""
        if self._rules is None:
            raise FetchError(self._problem)
        return self._rules.can_fetch(url, AGENT)


# The parser keeps the rules of a group once for each of its agents, of which a file may name tens
# of thousands, and it takes the beginning of our name for our name. So it learns only whether a
# line means us, everybody or somebody else.
_AGENT_LINE = re.compile(r"\s*user[-\s]*agent\s*[:\s]\s*([^#]*)", re.IGNORECASE)
_PRODUCT = re.compile(r"\*(?!\S)|[a-z_-]*", re.IGNORECASE)


def _with_plain_agent(line: str) -> str:
    agent_line = _AGENT_LINE.match(line)
    product = agent_line and _PRODUCT.match(agent_line[1])
    if not product:
        return line
    agent = product[0].lower()
    return f"User-agent: {agent if agent in ('*', AGENT) else 'another'}"


def _location(target: Target, response: HTTPResponse) -> str:
    location = response.headers.get("Location")
    if not location:
        raise FetchError(f"{_status(response)} without saying where to")
    with suppress(UnicodeError):
        location = location.encode("latin-1").decode("utf-8")  # what servers mean by other bytes
    return urljoin(target.url, location.strip())


def _check_page(response: HTTPResponse, types: tuple[str, ...]) -> None:
    if response.status not in (200, 203):
        raise FetchError(_status(response))
    kind = response.headers.get_content_type()
    if response.headers.get("Content-Type") and kind not in types:
        wanted = "a web page" if types[: len(_PAGE_TYPES)] == _PAGE_TYPES else " or ".join(types)
        raise FetchError(f"it is {kind}, not {wanted}")


def _status(response: HTTPResponse) -> str:
    return f"the server answered {response.status} {response.reason}".rstrip()
