"""Fetching by address: never from inside, whatever the address, its name or a redirect says.

A loopback address stands for the public web. Another one has a listener which must not hear of
anybody, and every connection that the service tries is written down.
"""

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from support.loopback import Site, loopback_site
from support.service import RAIN, Service, service

PUBLIC = "127.0.0.2"
NAMES = {
    "public.example": [[PUBLIC]],
    "localhost": [["127.0.0.1"]],
    "localhost.": [["127.0.0.1"]],
    "127.0.0.1.nip.io": [["127.0.0.1"]],
    "inner.example": [["10.0.0.5"]],
    "metadata.example": [["169.254.169.254"]],
    "v6.example": [["::1"]],
    "mapped.example": [["::ffff:127.0.0.1"]],
    "nat64.example": [["64:ff9b::7f00:1"]],
    "mixed.example": [[PUBLIC, "127.0.0.1"]],
    "rebinding.example": [[PUBLIC], ["127.0.0.1"]],  # another one after robots.txt
}
HOSTS = [
    "127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "2130706433", "0x7f000001", "017700000001",
    "0177.0.0.1", "0x7f.1", "127.0.0.01", "0.0.0.0", "0", "10.0.0.1", "172.16.0.1", "192.168.0.1",
    "169.254.169.254", "100.64.0.1", "192.0.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
    "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
    "[64:ff9b::a00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::1]", "[fc00::1]",
    "[fe80::1]", "[fe80::1%25lo]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[100::1]",
    "１２７.0.0.1", "127。0。0。1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "LOCALHOST", "user@127.0.0.1",
    "public.example@127.0.0.1", *[*NAMES][1:-1],
]  # fmt: skip


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with loopback_site(PUBLIC) as site:
        yield site


@pytest.fixture(scope="module")
def inside() -> Iterator[Site]:
    """What must not be reached."""
    with loopback_site() as site:
        site.add("/", "<p>A secret of the inside.</p>")
        yield site


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("world") / "connections"
    path.touch()
    return path


@pytest.fixture(scope="module")
def fetching(log: Path) -> Iterator[Service]:
    world = {"names": NAMES, "public": PUBLIC, "log": str(log)}
    program = (sys.executable, "-m", "support.serve_with_names")
    with service(
        "--workers",
        "1",
        "--allow-fetch",
        "--timeout",
        "3",
        command=program,
        WORLD=json.dumps(world),
    ) as found:
        yield found


def ask(fetching: Service, url: str) -> tuple[int, str]:
    answer = fetching.post("/v1/extract?method=all_text", json={"url": url})
    assert "secret" not in answer.text
    return answer.status_code, answer.text


OPAQUE = (
    502,
    '{"error": "the address could not be fetched", '
    '"cure": "use the public address of a web page that robots.txt allows"}',
)


def test_a_public_page_is_fetched_and_nothing_it_names(
    fetching: Service, web: Site, log: Path
) -> None:
    html = RAIN + "<img src=/image><link rel=next href=/next><iframe src=/frame></iframe>"
    web.add("/rain", html)
    web.add("/moved", status=302, Location="/rain")
    web.requests.clear()
    url = f"http://public.example:{web.port}"
    answer = fetching.post("/v1/extract", json={"url": f"{url}/moved"}).json()
    assert "left its bed" in answer["text"]
    assert answer["url"] == f"{url}/rain"
    assert web.paths == ["/robots.txt", "/moved", "/rain"]
    assert set(log.read_text().split()) == {PUBLIC}


@pytest.mark.parametrize("host", HOSTS)
def test_hosts_inside_are_not_connected_to(
    fetching: Service, inside: Site, log: Path, host: str
) -> None:
    assert ask(fetching, f"http://{host}:{inside.port}/") == OPAQUE
    assert inside.requests == []
    assert set(log.read_text().split()) <= {PUBLIC}


@pytest.mark.parametrize("host", HOSTS)
def test_redirects_inside_are_not_followed(
    fetching: Service, web: Site, inside: Site, log: Path, host: str
) -> None:
    web.add("/away", status=302, Location=f"http://{quote(host, safe='[]:%@')}:{inside.port}/")
    web.add("/chain", status=307, Location="/away")
    assert ask(fetching, f"http://public.example:{web.port}/chain") == OPAQUE
    assert inside.requests == []
    assert set(log.read_text().split()) <= {PUBLIC}


def test_a_name_that_changes_its_address(fetching: Service, web: Site, log: Path) -> None:
    """It is public when robots.txt is read, and inside when the page is."""
    web.requests.clear()
    with socket.create_server(("127.0.0.1", web.port)) as inside:
        inside.setblocking(False)
        assert ask(fetching, f"http://rebinding.example:{web.port}/rain") == OPAQUE
        with pytest.raises(BlockingIOError):
            inside.accept()
    assert web.paths == ["/robots.txt"]
    assert set(log.read_text().split()) <= {PUBLIC}


@pytest.mark.parametrize(
    "location",
    ["file:///etc/passwd", "gopher://127.0.0.1/", "data:text/html,x", "//127.0.0.1/", ""],
)
def test_redirects_to_other_things(fetching: Service, web: Site, log: Path, location: str) -> None:
    web.add("/odd", status=302, Location=location)
    assert ask(fetching, f"http://public.example:{web.port}/odd") == OPAQUE
    assert set(log.read_text().split()) <= {PUBLIC}


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "data:text/html,<p>x",
        "gopher://127.0.0.1/",
        "ftp://a.example/",
        "javascript:1",
        "page.html",
        "http//x",
        "",
    ],
)
def test_other_schemes_are_refused(fetching: Service, log: Path, url: str) -> None:
    status, _ = ask(fetching, url)
    assert status == 400
    assert set(log.read_text().split()) <= {PUBLIC}


@pytest.mark.parametrize("path", ["/\r\nHost: x", "/ x", "/\x00"])
def test_odd_addresses(fetching: Service, web: Site, path: str) -> None:
    assert ask(fetching, f"http://public.example:{web.port}{path}") == OPAQUE


def test_robots_are_heard(fetching: Service, web: Site, inside: Site) -> None:
    web.add("/private", RAIN)
    web.add("/robots.txt", "User-agent: *\nDisallow: /private", Content_Type="text/plain")
    try:
        assert ask(fetching, f"http://public.example:{web.port}/private") == OPAQUE
        assert "/private" not in web.paths
        web.add("/robots.txt", status=302, Location=f"{inside.url}/")
        assert ask(fetching, f"http://public.example:{web.port}/rain") == OPAQUE
    finally:
        del web.pages["/robots.txt"]
    assert inside.requests == []


def test_limits_of_size_and_time(fetching: Service, web: Site) -> None:
    web.add("/large", b"x" * 20_000_001)
    assert ask(fetching, f"http://public.example:{web.port}/large") == OPAQUE
    with socket.create_server((PUBLIC, 0)) as silent:
        assert ask(fetching, f"http://public.example:{silent.getsockname()[1]}/") == OPAQUE
