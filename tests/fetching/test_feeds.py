"""Feeds and sitemaps stand for the pages that they name."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from joeira.cli.batch import _with_named_pages
from joeira.cli.inputs import Reader, expand, may_list_pages
from joeira.errors import FetchError
from joeira.fetch import feeds
from joeira.fetch.fetcher import Fetcher
from support.command_line import joeira
from support.loopback import Site, loopback_site

SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
URL = "<url><loc> {} </loc><lastmod>2024-01-01</lastmod></url>"
RSS = """<?xml version="1.0"?><rss version="2.0"
 xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News</title>
<link>https://example.org/</link><atom:link rel="self" href="https://example.org/feed"/>
<item><title>A</title><link>https://example.org/a?x=1&amp;y=2</link><guid>1</guid></item>
<item><title>B</title><link><![CDATA[ /b ]]></link></item>
<item><guid isPermaLink="true">https://example.org/c</guid></item>
<item><title>None</title><guid>tag:example.org,2024:4</guid></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.org/"/>
<entry><link rel="edit" href="/edit"/><link href="/a"/><link rel="alternate" href="/z"/></entry>
<entry><link rel="alternate" type="text/html" href="https://example.org/b"/>
<source><link href="https://example.com/other"/></source></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/"><channel><link>https://example.org/</link></channel>
<item><link>https://example.org/a</link></item></rdf:RDF>"""
BASE = "https://example.org/feed"


def pages(data: str | bytes) -> list[str] | None:
    listing = feeds.read_listing(data.encode() if isinstance(data, str) else data, BASE)
    return None if listing is None else list(listing.pages)


def test_the_kinds_of_listings() -> None:
    a, b, c = (f"https://example.org/{name}" for name in "abc")
    assert pages(RSS) == [f"{a}?x=1&y=2", b, c]
    assert pages(ATOM) == [a, b]
    assert pages(RDF) == [a]
    sitemap = SITEMAP.format(URL.format(a) + URL.format(b) + URL.format(a))
    assert pages(sitemap) == [a, b]
    assert pages(gzip.compress(sitemap.encode())) == [a, b]


@pytest.mark.parametrize(
    "data",
    ["", "<p>A page", "<html><body><urlset></urlset></body></html>", "\x00\x01", "{}", "<svg/>"],
)
def test_other_files_are_none(data: str) -> None:
    assert pages(data) is None


def test_what_stands_before_damage_counts() -> None:
    whole = SITEMAP.format("".join(URL.format(f"https://example.org/{n}") for n in range(9)))
    assert pages(whole[: len(whole) // 2]) == [f"https://example.org/{n}" for n in range(4)]


def test_no_entity_is_expanded_and_no_other_scheme_is_taken() -> None:
    bomb = '<!DOCTYPE u [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + SITEMAP.format(
        URL.format("&b;")
    )
    assert pages(bomb) is None
    wrong = ("javascript:alert(1)", "file:///etc/hostname", f"https://e.org/{'x' * 9_000}")
    assert pages(SITEMAP.format("".join(map(URL.format, wrong)))) == []


def test_a_bomb_is_not_unpacked() -> None:
    with pytest.raises(FetchError, match="larger than 1000 bytes unpacked"):
        feeds.read_listing(gzip.compress(bytes(100_000)), None, max_bytes=1000)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("https://example.org/feed/", True),
        ("https://example.org/blog/rss?x=1", True),
        ("https://example.org/sitemap.xml.gz", True),
        ("https://example.org/news.atom", True),
        ("https://example.org/feedback", False),
        ("https://example.org/", False),
        ("sitemap.xml", True),
        ("feed", False),
        ("page.html", False),
        ("-", False),
    ],
)
def test_names(name: str, expected: bool) -> None:
    assert may_list_pages(name) is expected


# From a site -------------------------------------------------------------------------------------


@pytest.fixture
def site() -> Iterator[Site]:
    with loopback_site() as running:
        for name in "abc":
            running.add(f"/{name}", f"<title>{name}</title><p>words of page {name}</p>")
        yield running


def add_sitemaps(site: Site) -> str:
    """An index that names two sitemaps, one of them itself, and one that is missing."""
    index = "<sitemapindex>{}</sitemapindex>"
    named = ("one.xml.gz", "two.xml", "missing.xml", "sitemap.xml")
    maps = "".join(f"<sitemap><loc>{site.url}/{name}</loc></sitemap>" for name in named)
    one = SITEMAP.format(URL.format(f"{site.url}/a") + URL.format(f"{site.url}/b"))
    packed = gzip.compress(one.encode())
    site.add("/one.xml.gz", packed, Content_Type="application/gzip")
    site.add("/two.xml", SITEMAP.format(URL.format(f"{site.url}/c")), Content_Type="text/xml")
    return site.add("/sitemap.xml", index.format(maps), Content_Type="application/xml")


def test_an_index_of_sitemaps(site: Site) -> None:
    address = add_sitemaps(site)
    fetcher = Fetcher(10, 1_000_000, allow_private=True)
    assert feeds.pages_of(address, fetcher) == [f"{site.url}/{name}" for name in "abc"]
    assert site.paths.count("/sitemap.xml") <= 2
    assert feeds.pages_of(f"{site.url}/a", fetcher) is None
    alone = site.add("/alone.xml", f"<sitemapindex><sitemap><loc>{site.url}/no.xml</loc></sitemap>"
                     "</sitemapindex>", Content_Type="text/xml")  # fmt: skip
    with pytest.raises(FetchError, match="404"):
        feeds.pages_of(alone, fetcher)


def test_a_file_names_pages_and_a_page_is_a_page(site: Site, tmp_path: Path) -> None:
    reader = Reader(1_000_000, 10, allow_private=True)
    file = tmp_path / "feed.xml"
    file.write_text(RSS)
    named = ["https://example.org/a?x=1&y=2", "https://example.org/c"]
    assert [source.name for source in expand([str(file)], reader)] == named
    assert _with_named_pages([str(file), "pages.jsonl"]) == [*named, "pages.jsonl"]
    page = site.add("/feed", "<p>a page that is called feed</p>")
    assert [source.name for source in expand([page], reader)] == [page]
    (missing,) = expand([f"{site.url}/missing.xml"], reader)
    assert "404" in missing.problem


def test_the_command_reads_all_pages_of_a_sitemap(site: Site, tmp_path: Path) -> None:
    address = add_sitemaps(site)
    done = joeira("extract", address, "-m", "all_text", "--allow-private", "-o", tmp_path / "out")
    assert done.returncode == 0
    assert done.stderr == f"joeira: {site.url}/missing.xml: the server answered 404 Not Found\n"
    texts = sorted(path.read_text("utf-8") for path in (tmp_path / "out").iterdir())
    assert texts == [f"words of page {name}\n" for name in "abc"]


def test_a_page_that_is_called_as_a_feed_is_one_page(tmp_path: Path) -> None:
    page = tmp_path / "page.xml"
    page.write_text("<html><body><p>words of one page</p></body></html>")
    done = joeira("extract", page, "-m", "all_text", "-o", tmp_path / "out.txt")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out.txt").read_text("utf-8") == "words of one page\n"
