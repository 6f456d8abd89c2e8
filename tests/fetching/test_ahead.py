"""Pages of several hosts are fetched ahead, politely to each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from itertools import pairwise

import pytest

from joeira.errors import BadParameter, FetchError
from joeira.fetch.ahead import Ahead, Pace
from joeira.fetch.fetcher import Fetcher
from support.loopback import Site, loopback_site


@pytest.fixture
def sites() -> Iterator[list[Site]]:
    with loopback_site() as one, loopback_site() as two:
        yield [one, two]


@pytest.fixture
def fetcher() -> Fetcher:
    return Fetcher(10, 1_000_000, allow_private=True)


def add_timed(site: Site, path: str, times: list[float], seconds: float = 0.0) -> str:
    """Add a page that notes when it is asked for, and takes its time."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        times.append(time.monotonic())
        time.sleep(seconds)
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        handler.wfile.write(f"<p>{path}".encode())

    return site.answer(path, answer)


def test_pages_come_in_order_and_failures_say_why(sites: list[Site], fetcher: Fetcher) -> None:
    addresses = [site.add(f"/{n}", f"<p>{site.port} {n}") for n in range(5) for site in sites]
    addresses[3] = f"{sites[1].url}/missing"
    addresses.append("ftp://example.org/")
    addresses.append(addresses[0])
    with Ahead(addresses, fetcher, Pace(delay_seconds=0, pages_ahead=3)) as ahead:
        outcomes = list(ahead)
    assert [address for address, _ in outcomes] == addresses
    failures = {address: str(page) for address, page in outcomes if isinstance(page, FetchError)}
    assert set(failures) == {f"{sites[1].url}/missing", "ftp://example.org/"}
    assert "404" in failures[f"{sites[1].url}/missing"]
    for address, page in outcomes:
        if isinstance(page, tuple):
            assert page[0] == address


def test_a_host_is_left_alone_after_each_page(sites: list[Site], fetcher: Fetcher) -> None:
    times: list[list[float]] = [[], []]
    addresses = [
        add_timed(site, f"/{n}", times[which]) for n in range(4) for which, site in enumerate(sites)
    ]
    with Ahead(addresses, fetcher, Pace(delay_seconds=0.2)) as ahead:
        assert len(list(ahead)) == 8
    for of_site in times:
        gaps = [after - before for before, after in pairwise(of_site)]
        assert len(gaps) == 3
        assert min(gaps) >= 0.2


def test_hosts_do_not_wait_for_each_other(sites: list[Site], fetcher: Fetcher) -> None:
    slow: list[float] = []
    quick: list[float] = []
    addresses = [add_timed(sites[0], f"/{n}", slow, seconds=0.5) for n in range(4)]
    addresses += [add_timed(sites[1], f"/{n}", quick) for n in range(4)]
    with Ahead(addresses, fetcher, Pace(delay_seconds=0)) as ahead:
        assert len(list(ahead)) == 8
    assert max(quick) < slow[-1], "the second host is done while the first is busy"


def test_robots_txt_may_ask_for_more_time(sites: list[Site], fetcher: Fetcher) -> None:
    times: list[float] = []
    site = sites[0]
    site.add("/robots.txt", "User-agent: *\nCrawl-delay: 0.5", Content_Type="text/plain")
    addresses = [add_timed(site, f"/{n}", times) for n in range(2)]
    with Ahead(addresses, fetcher, Pace(delay_seconds=0)) as ahead:
        list(ahead)
    assert fetcher.crawl_delay(addresses[0]) == 0.5
    assert times[1] - times[0] >= 0.5


def test_who_begins_in_the_middle_gets_nothing_from_before(
    sites: list[Site], fetcher: Fetcher
) -> None:
    site = sites[0]
    addresses = [site.add(f"/{n}", f"<p>{n}") for n in range(6)]
    with Ahead(addresses, fetcher, Pace(delay_seconds=0, pages_ahead=2)) as ahead:
        for address in addresses[3:]:
            assert ahead.fetch(address)[0] == address
        assert ahead.fetch(addresses[1])[0] == addresses[1], "but may ask for it"
    pages = [path for path in site.paths if path != "/robots.txt"]
    assert sorted(pages) == ["/1", "/3", "/4", "/5"]


def test_it_ends_without_waiting(sites: list[Site], fetcher: Fetcher) -> None:
    times: list[float] = []
    addresses = [add_timed(sites[0], f"/{n}", times) for n in range(50)]
    began = time.monotonic()
    with Ahead(addresses, fetcher, Pace(delay_seconds=5)) as ahead:
        ahead.fetch(addresses[0])
    assert time.monotonic() - began < 5
    assert len(times) == 1


@pytest.mark.parametrize("wrong", [{"hosts": 0}, {"pages_ahead": 0}, {"delay_seconds": -1}])
def test_a_pace_that_cannot_be(wrong: dict[str, int]) -> None:
    with pytest.raises(BadParameter):
        Pace(**wrong)
