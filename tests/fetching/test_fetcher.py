"""Fetching from a site on the loopback address: what is asked for, followed and refused."""

import gzip
import socket
import time
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from joeira import __version__
from joeira.errors import FetchError
from joeira.fetch.fetcher import Fetcher
from support.command_line import joeira
from support.loopback import Site, loopback_site

PAGE = "<html><body><p>words of the page</p></body></html>"
PUBLIC = "93.184.216.34"


@pytest.fixture
def site() -> Iterator[Site]:
    with loopback_site() as running:
        yield running


def fetch(
    url: str, *, timeout: float = 10.0, max_bytes: int = 1_000_000
) -> tuple[str, bytes | str]:
    return Fetcher(timeout, max_bytes, allow_private=True).fetch(url)


# The command ------------------------------------------------------------------------------------


def test_a_page_is_fetched_with_our_name_after_robots_txt(site: Site) -> None:
    url = site.add("/page", PAGE)
    done = joeira("extract", "-m", "all_text", url, "--allow-private")
    assert (done.returncode, done.stdout, done.stderr) == (0, "words of the page\n", "")
    assert site.paths == ["/robots.txt", "/page"]
    assert {headers["User-Agent"] for _, headers in site.requests} == {f"joeira/{__version__}"}


def test_private_addresses_see_no_request_unless_allowed(site: Site, tmp_path) -> None:
    site.add("/page", PAGE)
    hosts = ("127.0.0.1", "localhost", "localhost.", "[::1]", "127.1", "0")
    urls = [f"http://{host}:{site.port}/page" for host in hosts]
    done = joeira("extract", "-m", "all_text", *urls, "-o", tmp_path / "out")
    assert (done.returncode, done.stdout) == (1, "")
    told = done.stderr.splitlines()
    for url in urls:
        (line,) = (line for line in told if url in line)
        assert "needs --allow-private" in line or "was not found" in line
    assert site.requests == []


def test_addresses_beside_files_in_a_folder(site: Site, tmp_path) -> None:
    url, missing = site.add("/a/page.html?x=1", PAGE), f"{site.url}/missing"
    done = joeira("extract", "-m", "all_text", url, missing, "examples/article.html",
                  "--allow-private", "-o", tmp_path / "out")  # fmt: skip
    assert done.returncode == 1
    assert f"{missing}: the server answered 404 Not Found" in done.stderr
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [f"127.0.0.1-{site.port}-a-page.html-x-1.txt", "article.txt"]


def test_why_for_an_address(site: Site) -> None:
    url = site.add("/page", PAGE)
    done = joeira("why", "-m", "all_text", url, "words of", "--allow-private")
    assert done.returncode == 0
    assert done.stdout.startswith("kept")


def test_a_slow_page_ends_at_the_time_limit(site: Site) -> None:
    url = site.answer("/slow", trickle)
    done = joeira("extract", url, "--allow-private", "--timeout", "1")
    assert done.returncode == 1
    assert "took longer than 1 seconds" in done.stderr


def test_a_bomb_ends_at_the_size_limit(site: Site) -> None:
    """It goes on for ever: who reads all of it before looking at the size never ends."""
    done = joeira("extract", site.answer("/bomb", bomb), "--allow-private", "--timeout", "60")
    assert done.returncode == 1
    assert "larger than 20000000 bytes (--max-bytes)" in done.stderr


# Pages ------------------------------------------------------------------------------------------


# These end when their client has had enough, and only then: no clock has to say how long that took.


def trickle(handler: BaseHTTPRequestHandler) -> None:
    """Send a byte now and then: each read ends in time, the page never does."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    while True:
        handler.wfile.write(b"x")
        time.sleep(0.02)


def trickle_headers(handler: BaseHTTPRequestHandler) -> None:
    """The same, before the page begins."""
    handler.wfile.write(b"HTTP/1.0 200 OK\r\n")
    while True:
        handler.wfile.write(b"X: ")
        time.sleep(0.02)


def bomb(handler: BaseHTTPRequestHandler) -> None:
    """Send a page that is a thousand times as large as what is sent, and has no end."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Content-Encoding", "gzip")
    handler.end_headers()
    engine, zeros = zlib.compressobj(wbits=31), bytes(1_000_000)
    while True:
        handler.wfile.write(engine.compress(zeros) + engine.flush(zlib.Z_SYNC_FLUSH))


@pytest.mark.parametrize("answer", [trickle, trickle_headers])
def test_the_time_limit_holds_for_headers_and_body(site: Site, answer) -> None:
    with pytest.raises(FetchError, match="took longer"):
        fetch(site.answer("/slow", answer), timeout=1)


RAW_DEFLATE = zlib.compressobj(wbits=-15)


@pytest.mark.parametrize(
    "encoding, body",
    [
        pytest.param("gzip", gzip.compress(PAGE.encode()), id="gzip"),
        pytest.param(
            "gzip",
            gzip.compress(PAGE[:20].encode()) + gzip.compress(PAGE[20:].encode()),
            id="gzip in two members",
        ),
        pytest.param("gzip", gzip.compress(PAGE.encode()) + b"\0\0\0", id="gzip and zeros"),
        pytest.param("x-gzip", gzip.compress(PAGE.encode()), id="x-gzip"),
        pytest.param("deflate", zlib.compress(PAGE.encode()), id="deflate"),
        pytest.param(
            "deflate", RAW_DEFLATE.compress(PAGE.encode()) + RAW_DEFLATE.flush(), id="raw deflate"
        ),
        pytest.param("identity", PAGE.encode(), id="identity"),
    ],
)
def test_compressed_pages(site: Site, encoding: str, body: bytes) -> None:
    assert fetch(site.add("/page", body, Content_Encoding=encoding))[1] == PAGE.encode()


@pytest.mark.parametrize(
    "encoding, body, words",
    [
        pytest.param("gzip", gzip.compress(PAGE.encode())[:-12], "cut short", id="cut"),
        pytest.param("gzip", b"no gzip at all", "damaged", id="no gzip"),
        pytest.param("br", b"?", "encoded as br", id="brotli"),
        pytest.param("gzip", gzip.compress(b"") * 60_000, "larger than", id="many members"),
    ],
)
def test_bodies_that_cannot_be_decoded(site: Site, encoding: str, body: bytes, words: str) -> None:
    url = site.add("/page", body, Content_Encoding=encoding)
    with pytest.raises(FetchError, match=words):
        fetch(url)


def test_the_size_limit_is_exact(site: Site) -> None:
    url = site.add("/page", b"x" * 1000)
    assert len(fetch(url, max_bytes=1000)[1]) == 1000
    with pytest.raises(FetchError, match="larger than 999 bytes"):
        fetch(url, max_bytes=999)


def test_a_page_that_ends_early(site: Site) -> None:
    with pytest.raises(FetchError, match="ended before the page did"):
        fetch(site.add("/page", PAGE, Content_Length="5000"))


@pytest.mark.parametrize("kind", ["image/png", "application/pdf", "application/json", "text/css"])
def test_other_types_are_refused(site: Site, kind: str) -> None:
    with pytest.raises(FetchError, match=f"it is {kind}, not a web page"):
        fetch(site.add("/page", PAGE, Content_Type=kind))


@pytest.mark.parametrize(
    "kind", ["text/html", "application/xhtml+xml", "text/xml; x=y", "TEXT/PLAIN", ""]
)
def test_types_of_pages(site: Site, kind: str) -> None:
    assert fetch(site.add("/page", PAGE, Content_Type=kind))[1] == PAGE.encode()


@pytest.mark.parametrize(
    "charset, data, expected",
    [
        ("utf-8", "é".encode(), "é"),
        ("iso-8859-1", b"\x93\xe9\x94", "“é”"),
        ("windows-1251", "да".encode("cp1251"), "да"),
        ("GB2312", "镕".encode("gb18030"), "镕"),
        ("iso-8859-1", "\ufeffé".encode(), b"\xef\xbb\xbf\xc3\xa9"),  # the mark is stronger
        ("punycode", b"x-", b"x-"),
        ("utf-7", b"+ADw-", b"+ADw-"),
        ("nosuch", b"x", b"x"),
    ],
)
def test_the_encoding_that_the_server_names(
    site: Site, charset: str, data: bytes, expected
) -> None:
    url = site.add("/page", data, Content_Type=f"text/html; charset={charset}")
    assert fetch(url)[1] == expected


# Redirects --------------------------------------------------------------------------------------


def test_redirects_are_followed_to_the_final_address(site: Site) -> None:
    site.add("/new/page", PAGE)
    site.add("/middle", status=308, Location="new/page#part")
    url = site.add("/old", status=302, Location=f"{site.url}/middle")
    assert fetch(url) == (f"{site.url}/new/page", PAGE.encode())


@pytest.mark.parametrize(
    "location, words",
    [
        ("/loop", "more than 10 redirects"),
        ("file:///etc/hostname", "only http and https"),
        ("http://user@127.0.0.1/", "user name"),
        ("", "without saying where"),
    ],
)
def test_redirects_that_are_not_followed(site: Site, location: str, words: str) -> None:
    with pytest.raises(FetchError, match=words):
        fetch(site.add("/loop", status=301, Location=location))


@pytest.fixture
def public_name(site: Site, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A name with a public address, whose connections end up at the site; gives those made."""
    connected: list[str] = []
    connect, resolve = socket.create_connection, socket.getaddrinfo

    def resolved(host: str, port: int, *rest: object, **more: object) -> list:
        if host != "public.test":
            return resolve(host, port, *rest, **more)
        # Each time it is asked the name has another address, as in a rebinding attack.
        address = "127.0.0.1" if connected else PUBLIC
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    def connection(address: tuple[str, int], *rest: object, **more: object) -> socket.socket:
        connected.append(address[0])
        return connect(("127.0.0.1", site.port), *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    monkeypatch.setattr(socket, "create_connection", connection)
    return connected


def test_a_redirect_to_a_private_address_is_not_followed(
    site: Site, public_name: list[str]
) -> None:
    site.add("/secret", PAGE)
    site.add("/robots.txt", status=302, Location=f"{site.url}/secret")
    with pytest.raises(FetchError, match=r"127\.0\.0\.1 is a loopback address"):
        Fetcher(5, 1000, allow_private=False).fetch("http://public.test/")
    assert public_name == [PUBLIC]
    assert "/secret" not in site.paths


def test_a_name_that_changes_its_address_is_caught(site: Site, public_name: list[str]) -> None:
    site.add("/page", PAGE)
    with pytest.raises(FetchError, match=r"public\.test \(127\.0\.0\.1\) is a loopback address"):
        Fetcher(5, 1000, allow_private=False).fetch("http://public.test/page")
    assert public_name == [PUBLIC]
    assert site.paths == ["/robots.txt"]


# robots.txt -------------------------------------------------------------------------------------


def is_fetched(site: Site, rules: str | bytes, path: str) -> bool:
    """Whether a page is fetched from a site with such a robots.txt."""
    site.add("/robots.txt", rules, Content_Type="text/plain")
    url = site.add(path, PAGE)
    try:
        fetch(url)
    except FetchError as refusal:
        refused = "disallows it" in str(refusal)
        return not refused and pytest.fail(str(refusal))
    return True


@pytest.mark.parametrize(
    "rules, allowed",
    [
        pytest.param("", True, id="empty"),
        pytest.param("User-agent: *\nDisallow: /\n", False, id="everybody"),
        pytest.param("User-agent: joeira\nDisallow: /pa\n", False, id="us"),
        pytest.param("User-agent: other\nDisallow: /\n", True, id="others"),
        pytest.param("\ufeffUser-agent: *\nDisallow: /\n", False, id="byte order mark"),
        pytest.param("User-agent: *\rDisallow: /\r", False, id="lines that end with CR"),
        pytest.param("user-AGENT : JoeIRA # us\ndisALLOW:/page", False, id="case and spaces"),
        pytest.param("User-agent: joeira/0.1\nDisallow: /", False, id="our name and version"),
        pytest.param("User-agent: joe\nDisallow: /", True, id="the beginning of our name"),
        pytest.param("User-agent: joeira-news\nDisallow: /", True, id="a name that begins so"),
        pytest.param("User-agent: *bot\nDisallow: /", True, id="no name at all"),
        pytest.param(
            "User-agent: *\nDisallow: /\n\nUser-agent: joeira\nDisallow:\n", True,
            id="our group is stronger than everybody's",
        ),
        pytest.param(
            "User-agent: joeira\nAllow: /\n\nUser-agent: *\nDisallow: /\n", True,
            id="wherever it stands",
        ),
        pytest.param(
            "User-agent: other\nUser-agent: joeira\n\nDisallow: /page\n", False,
            id="a group of several agents",
        ),
        pytest.param(
            "User-agent: joeira\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n\n"
            "User-agent: joeira\nDisallow: /page\n", False,
            id="groups of one agent are merged",
        ),
        pytest.param(
            "User-agent: joeira\nSitemap: /map\nDisallow: /page", False, id="sitemap within"
        ),
        pytest.param("Disallow: /\nnonsense\nUser-agent: *", True, id="rules of nobody"),
        pytest.param("\0\xff<html>\x0b: :::\n$*\n" * 100, True, id="not a robots.txt"),
    ],
)  # fmt: skip
def test_whom_robots_txt_means(site: Site, rules: str, allowed: bool) -> None:
    assert is_fetched(site, rules, "/page") is allowed


@pytest.mark.parametrize(
    "rules, path, allowed",
    [
        # The longest match counts, whatever the order; Allow where both are as long.
        ("Allow: /a/b\nDisallow: /a", "/a/b/c", True),
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("Disallow: /a/b\nAllow: /a", "/a/b/c", False),
        ("Disallow: /page\nAllow: /page", "/page", True),
        ("Allow: /page\nDisallow: /*.html", "/page.html", False),
        ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif",
         "/example/page/disallowed.gif", False),
        # Wildcards.
        ("Disallow: /*.php", "/a/index.php?x=1", False),
        ("Disallow: /*.php$", "/a/index.php?x=1", True),
        ("Disallow: /*.php$", "/a/index.php", False),
        ("Disallow: /*/private/*/old", "/x/private/y/old/z", False),
        ("Disallow: /*/private/*/old", "/private/y/old", True),
        ("Disallow: *", "/page", False),
        ("Disallow: /$", "/page", True),
        ("Disallow: /page*****$", "/page/x", False),
        ("Disallow: /a?b", "/a?b=1", False),
        ("Disallow: /a?b", "/aab=1", True),
        # Percent-encoding: examples of RFC 9309.
        ("Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", False),
        ("Disallow: /foo/bar/\u30c4", "/foo/bar/%E3%83%84", False),
        ("Disallow: /foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", False),
        ("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
        ("Disallow: /foo%2fbar", "/foo/bar", True),
        # Paths know cases, and end with their comment.
        ("Disallow: /Page", "/page", True),
        ("Disallow: /page # not this one", "/page/x", False),
        ("Disallow:\nAllow:", "/page", True),
    ],
)  # fmt: skip
def test_which_paths_robots_txt_means(site: Site, rules: str, path: str, allowed: bool) -> None:
    assert is_fetched(site, f"User-agent: *\n{rules}\n", path) is allowed
    assert site.paths == (["/robots.txt", path] if allowed else ["/robots.txt"])


def test_only_the_first_500_kibibytes_of_robots_txt_are_read(site: Site) -> None:
    comment = "#" * 99 + "\n"
    head = "User-agent: *\nDisallow: /x\n"
    head += comment * ((500 * 1024 - len(head)) // 100)
    cut = 500 * 1024 - len(head) - len("Disallow: /p")
    head += "#" * (cut - 1) + "\n"  # the limit is within the next path
    assert is_fetched(site, head + "Disallow: /page\n", "/path")
    assert is_fetched(site, head + "Disallow: /path\n", "/path")


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(
            "".join(f"User-agent: a{n}\n" for n in range(13_000)) + "Disallow: /a\n" * 20_000,
            id="many agents with many rules",
        ),
        pytest.param(
            "".join(f"useragent a{n}\x0b" for n in range(13_000)) + "Disallow: /a\n" * 20_000,
            id="in other words",
        ),
        pytest.param(
            "User-agent: *\n" + f"Disallow: /{'*a' * 100}b\n" * 2_000, id="many wildcards"
        ),
    ],
)
def test_a_hostile_robots_txt_takes_no_time(site: Site, rules: str) -> None:
    site.add("/robots.txt", rules, Content_Type="text/plain")
    url = site.add(f"/{'a' * 3000}", PAGE)
    assert len(rules) < 500 * 1024
    started = time.process_time()
    fetch(url)
    assert time.process_time() - started < 10


@pytest.mark.parametrize("status, allowed", [(401, True), (404, True), (500, False), (503, False)])
def test_robots_txt_that_cannot_be_read(site: Site, status: int, allowed: bool) -> None:
    site.add("/robots.txt", status=status)
    url = site.add("/page", PAGE)
    if allowed:
        fetch(url)
    else:
        with pytest.raises(FetchError, match=r"robots\.txt could not be read"):
            fetch(url)
        assert "/page" not in site.paths


def test_robots_txt_is_read_once_and_asked_for_each_redirect(site: Site) -> None:
    site.add("/robots.txt", "User-agent: *\nDisallow: /hidden")
    fetcher = Fetcher(5, 1000, allow_private=True)
    fetcher.fetch(site.add("/page", PAGE))
    with pytest.raises(FetchError, match=r"robots\.txt"):
        fetcher.fetch(site.add("/link", status=302, Location="/hidden/page"))
    assert site.paths == ["/robots.txt", "/page", "/link"]


def test_robots_txt_is_read_again_when_it_is_old(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetcher = Fetcher(5, 1000, allow_private=True)
    url = site.add("/page", PAGE)
    fetcher.fetch(url)
    monkeypatch.setattr("joeira.fetch.fetcher.MAX_ROBOTS_SECONDS", 0)
    fetcher.fetch(url)
    assert site.paths == ["/robots.txt", "/page"] * 2


def test_robots_txt_of_few_sites_is_remembered(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joeira.fetch.fetcher.MAX_ROBOTS_SITES", 2)
    site.add("/page", PAGE)
    fetcher = Fetcher(5, 1000, allow_private=True)

    def reads(host: str) -> bool:
        site.requests.clear()
        fetcher.fetch(f"http://{host}:{site.port}/page")
        return "/robots.txt" in site.paths

    hosts = ["127.0.0.1", "localhost", "127.0.0.1", "127.1", "127.0.0.1", "localhost"]
    assert [reads(host) for host in hosts] == [True, True, False, True, False, True]


def test_robots_txt_that_could_not_be_read_is_said_each_time(site: Site) -> None:
    site.add("/robots.txt", status=500)
    fetcher = Fetcher(5, 1000, allow_private=True)
    for _ in range(3):
        with pytest.raises(FetchError, match="could not be read") as refusal:
            fetcher.fetch(f"{site.url}/page")
        depth = len(refusal.traceback)
    assert depth == len(refusal.traceback) < 6
    assert site.paths == ["/robots.txt"]


# Failures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("status, words", [(404, "404"), (410, "410"), (503, "503"), (204, "204")])
def test_statuses(site: Site, status: int, words: str) -> None:
    with pytest.raises(FetchError, match=words):
        fetch(site.add("/page", PAGE, status=status))


def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(FetchError, match="refused"):
            fetch(f"http://127.0.0.1:{port}/")


def test_an_answer_that_is_no_http(site: Site) -> None:
    url = site.answer("/page", lambda handler: handler.wfile.write(b"\x00\xff nonsense\r\n\r\n"))
    with pytest.raises(FetchError, match="is invalid"):
        fetch(url)


def test_https_to_a_server_without_it(site: Site) -> None:
    with pytest.raises(FetchError):
        fetch(site.url.replace("http:", "https:"))
