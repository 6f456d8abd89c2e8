"""Fetching a page: robots.txt, redirects, status and type, on top of one checked request each."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from http.client import HTTPResponse
from importlib.metadata import version
from urllib.parse import urljoin
from urllib.robotparser import RobotFileParser

from joeira.errors import FetchError
from joeira.fetching import addresses, transport
from joeira.fetching.addresses import Target
from joeira.fetching.transport import Deadline
from joeira.page.parse import as_served

AGENT = "joeira"
MAX_REDIRECTS = 10
MAX_ROBOTS_BYTES = 500 * 1024  # RFC 9309 asks for at least this much to be read

_REDIRECTS = (301, 302, 303, 307, 308)
_PAGE_TYPES = (
    "text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain",
)  # fmt: skip


class Fetcher:
    """Fetches pages politely; remembers robots.txt of the sites it has met."""

    def __init__(self, timeout_seconds: float, max_bytes: int, allow_private: bool) -> None:
        """Keep the limits, which hold for each page with all its redirects."""
        self._timeout_seconds = timeout_seconds
        self._max_bytes = max_bytes
        self._allow_private = allow_private
        self._robots: dict[str, RobotFileParser | FetchError] = {}
        self._headers = {
            "User-Agent": f"{AGENT}/{version('joeira')}",
            "Accept": "text/html, application/xhtml+xml, application/xml;q=0.9, text/*;q=0.8",
            "Accept-Encoding": "gzip, deflate",
            "Connection": "close",
        }

    def fetch(self, url: str) -> tuple[str, bytes | str]:
        """Return the final address and the page: text where the server names the encoding."""
        deadline = Deadline(self._timeout_seconds)
        for _ in range(MAX_REDIRECTS + 1):
            target = addresses.check(url, allow_private=self._allow_private)
            if not self._robots_of(target, deadline).can_fetch(AGENT, target.url):
                raise FetchError(f"robots.txt of {target.host_header} does not allow it")
            with self._opened(target, deadline) as response:
                if response.status in _REDIRECTS:
                    url = _location(target, response)
                    continue
                _check_page(response)
                data = transport.body(response, deadline, self._max_bytes)
            if len(data) > self._max_bytes:
                raise FetchError(f"larger than {self._max_bytes} bytes (--max-bytes)")
            return target.url, as_served(data, response.headers.get_content_charset())
        raise FetchError(f"more than {MAX_REDIRECTS} redirects")

    def _opened(self, target: Target, deadline: Deadline) -> AbstractContextManager[HTTPResponse]:
        return transport.opened(target, deadline, self._headers, allow_private=self._allow_private)

    def _robots_of(self, target: Target, deadline: Deadline) -> RobotFileParser:
        origin = target.origin
        if origin not in self._robots:
            try:
                self._robots[origin] = self._read_robots(f"{origin}/robots.txt", deadline)
            except FetchError as error:
                self._robots[origin] = error
        rules = self._robots[origin]
        if isinstance(rules, FetchError):
            raise rules
        return rules

    def _read_robots(self, url: str, deadline: Deadline) -> RobotFileParser:
        rules = RobotFileParser()
        for _ in range(MAX_REDIRECTS + 1):
            target = addresses.check(url, allow_private=self._allow_private)
            with self._opened(target, deadline) as response:
                if response.status in _REDIRECTS:
                    url = _location(target, response)
                    continue
                if response.status >= 500:  # the site may forbid us: it only cannot say so now
                    raise FetchError(f"its robots.txt could not be read: {_status(response)}")
                text = b""
                if response.status < 300:
                    text = transport.body(response, deadline, MAX_ROBOTS_BYTES)
            rules.parse(text.decode("utf-8-sig", "replace").splitlines())
            return rules
        raise FetchError(f"its robots.txt has more than {MAX_REDIRECTS} redirects")


def _location(target: Target, response: HTTPResponse) -> str:
    location = response.headers.get("Location")
    if not location:
        raise FetchError(f"{_status(response)} without saying where to")
    with suppress(UnicodeError):
        location = location.encode("latin-1").decode("utf-8")  # what servers mean by other bytes
    return urljoin(target.url, location.strip())


def _check_page(response: HTTPResponse) -> None:
    if response.status not in (200, 203):
        raise FetchError(_status(response))
    kind = response.headers.get_content_type()
    if response.headers.get("Content-Type") and kind not in _PAGE_TYPES:
        raise FetchError(f"it is {kind}, not a web page")


def _status(response: HTTPResponse) -> str:
    return f"the server answered {response.status} {response.reason}".rstrip()
