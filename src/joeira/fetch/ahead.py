"""Fetching a few thousand pages: many hosts at once, each host one page at a time.

Pages are fetched before they are asked for, and given in the order in which they are: who reads
them one after the other need not know. Every request goes through the same `Fetcher`, so the same
checks hold. A host is left alone for a while after each page, longer if its robots.txt asks for it.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import urlsplit

from joeira.errors import FetchError, require
from joeira.fetch.fetcher import Fetcher

Page = tuple[str, bytes | str]
"""The final address and the page, as `Fetcher.fetch` gives them."""

MAX_DELAY_SECONDS = 60.0
"""However long a robots.txt asks us to wait."""


@dataclass(frozen=True)
class Pace:
    """How fast pages are fetched."""

    hosts: int = 16
    """Hosts that are asked at the same time."""
    delay_seconds: float = 1.0
    """How long a host is left alone after each page."""
    pages_ahead: int = 64
    """Pages that are fetched, or waited for, before they are asked for."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        require(
            self.hosts > 0 and self.pages_ahead > 0,
            "there must be at least one host and one page at a time",
        )
        require(self.delay_seconds >= 0, "the delay must not be negative")


class Ahead:
    """Fetches the pages at addresses ahead of who asks for them in that order."""

    def __init__(
        self, addresses: Sequence[str], fetcher: Fetcher, pace: Pace | None = None
    ) -> None:
        """Keep what will be asked for; nothing is fetched before the first page is."""
        self._addresses = addresses
        self._fetcher = fetcher
        self._pace = pace or Pace()
        self._place = {address: number for number, address in reversed([*enumerate(addresses)])}
        self._pages: dict[int, Future[Page]] = {}
        self._next = 0
        self._hosts = _Hosts(fetcher, self._pace)

    def __enter__(self) -> Ahead:
        """Use it within ``with``: it has threads, which end there."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """End the threads; pages that they are fetching are given up."""
        self._hosts.close()

    def fetch(self, address: str) -> Page:
        """Return a page, or raise `FetchError`; those that follow it are begun to be fetched."""
        number = self._place.get(address)
        if number is None:
            return self._fetcher.fetch(address)
        self._next = max(self._next, number)  # a run that is resumed asks for none before
        stop = min(number + self._pace.pages_ahead, len(self._addresses))
        for ahead in range(self._next, stop):
            if self._place[self._addresses[ahead]] == ahead:
                self._pages[ahead] = self._hosts.add(self._addresses[ahead])
        self._next = max(self._next, stop)
        page = self._pages.pop(number, None)
        return page.result() if page else self._fetcher.fetch(address)

    def __iter__(self) -> Iterator[tuple[str, Page | FetchError]]:
        """Yield every address with its page, or with why it could not be fetched."""
        for address in self._addresses:
            try:
                yield address, self.fetch(address)
            except FetchError as error:
                yield address, error


class _Hosts:
    """Threads that fetch pages, no two from one host at the same time."""

    def __init__(self, fetcher: Fetcher, pace: Pace) -> None:
        self._fetcher = fetcher
        self._pace = pace
        self._changed = threading.Condition()
        self._waiting: dict[str, deque[tuple[str, Future[Page]]]] = {}
        """Per host that is asked, or will be: the pages that are wanted from it."""
        self._turns: list[tuple[float, str]] = []
        """When which host may be asked next; a host that is being asked has no turn."""
        self._threads: list[threading.Thread] = []
        self._is_closed = False

    def add(self, address: str) -> Future[Page]:
        """Return what will be the page at an address."""
        page: Future[Page] = Future()
        host = urlsplit(address).netloc.lower()
        with self._changed:
            if host not in self._waiting:
                self._waiting[host] = deque()
                heapq.heappush(self._turns, (time.monotonic(), host))
            self._waiting[host].append((address, page))
            if len(self._threads) < min(self._pace.hosts, len(self._waiting)):
                self._threads.append(threading.Thread(target=self._work, daemon=True))
                self._threads[-1].start()
            self._changed.notify()
        return page

    def close(self) -> None:
        """Let the threads end, and wait for none of them."""
        with self._changed:
            self._is_closed = True
            for queue in self._waiting.values():
                for _, page in queue:
                    page.cancel()
            self._changed.notify_all()

    def _work(self) -> None:
        while (host := self._next_host()) is not None:
            with self._changed:
                address, page = self._waiting[host].popleft()
            try:
                page.set_result(self._fetcher.fetch(address))
            except Exception as error:  # whoever asks for the page has to hear of it
                page.set_exception(error)
            asked = self._fetcher.crawl_delay(address) or 0.0
            delay = min(max(self._pace.delay_seconds, asked), MAX_DELAY_SECONDS)
            with self._changed:
                heapq.heappush(self._turns, (time.monotonic() + delay, host))
                self._changed.notify()

    def _next_host(self) -> str | None:
        """Return the next host whose turn has come, when it has; None at the end."""
        with self._changed:
            while not self._is_closed:
                wait = self._turns[0][0] - time.monotonic() if self._turns else None
                if wait is None or wait > 0:
                    self._changed.wait(wait)
                    continue
                _, host = heapq.heappop(self._turns)
                if self._waiting[host]:
                    return host
                del self._waiting[host]  # left alone for long enough, and nothing more is wanted
            return None
