"""Scrapy and web-poet crawl a site on the loopback address; skipped where one is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command_line import EXAMPLES, environment
from support.loopback import Site, loopback_site

pytest.importorskip("scrapy", reason="the extra 'scrapy' is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of what the libraries do

ARTICLE = (EXAMPLES / "article.html").read_bytes()
WORDS = "For sixty years the ice house"
RECORD = "<li><a href=/tea/{n}><b>Tea number {n}</b></a> <i>{n}.50 EUR</i> <span>in stock</span>"


def list_page(number: int, last: int) -> str:
    """A page of a list in several pages."""
    records = "".join(RECORD.format(n=10 * number + n) for n in range(8))
    following = f'<a rel="next" href="/list/{number + 1}">Next</a>' if number < last else ""
    return f"<title>Tea</title><h1>Tea</h1><ul>{records}</ul><nav>{following}</nav>"


@pytest.fixture
def site() -> Iterator[Site]:
    with loopback_site() as running:
        running.add("/article", ARTICLE)
        running.add("/empty", "<p>")
        for number in (1, 2, 3):
            running.add(f"/list/{number}", list_page(number, 3))
        yield running


def crawl(folder: Path, spider: str, **arguments: str) -> list[dict[str, Any]]:
    """Run a spider as users do, and return its items."""
    (folder / "spider.py").write_text(spider, "utf-8")
    command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-o", "items.jsonl"]
    command += [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
    command += ["-s", "LOG_LEVEL=WARNING", "-s", "TELNETCONSOLE_ENABLED=0"]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, encoding="utf-8",
        check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr, done.stderr
    lines = (folder / "items.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


PIPELINE = """
import scrapy

class Pages(scrapy.Spider):
    name = "pages"
    custom_settings = {
        "ITEM_PIPELINES": {"joeira.integrations.scrapy.JoeiraPipeline": 300},
        "JOEIRA_DROP_EMPTY": True,
    }

    async def start(self):
        for path in ("/article", "/empty"):
            yield scrapy.Request(self.site + path)
        yield {"note": "no page"}

    def parse(self, response):
        yield {"url": response.url, "html": response.text, "title": None, "n": 1}
"""


def test_the_pipeline_reads_the_pages_of_items(site: Site, tmp_path: Path) -> None:
    items = crawl(tmp_path, PIPELINE, site=site.url)
    (article,) = (item for item in items if "url" in item)
    assert {"note": "no page"} in items
    assert len(items) == 2, "the page without content is dropped"
    assert WORDS in article["text"]
    assert article["title"]
    assert article["n"] == 1
    assert "html" not in article


def test_items_with_fixed_fields_get_those_they_have() -> None:
    import dataclasses

    from joeira.integrations.documents import Reading
    from joeira.integrations.scrapy import JoeiraPipeline

    @dataclasses.dataclass
    class Article:
        html: str | None = None
        text: str | None = None
        title: str | None = None

    article = JoeiraPipeline(Reading("text")).process_item(Article(ARTICLE.decode()))
    assert WORDS in article.text
    assert article.title
    assert article.html is None


SPIDER = """
import scrapy
from joeira.integrations.scrapy import JoeiraSpider

class Tea(JoeiraSpider, scrapy.Spider):
    name = "tea"

    async def start(self):
        yield scrapy.Request(self.site + "/list/1")
        yield scrapy.Request(self.site + "/article", self.parse_page)
"""


def test_the_spider_reads_lists_to_their_last_page(site: Site, tmp_path: Path) -> None:
    items = crawl(tmp_path, SPIDER, site=site.url)
    (article,) = (item for item in items if "text" in item)
    assert WORDS in article["text"]
    assert article["url"] == f"{site.url}/article"
    records = [item for item in items if "text" not in item]
    names = {value for record in records for value in record.values()}
    assert len(records) == 24
    assert {"Tea number 10", "Tea number 27", "Tea number 37"} <= names
    assert {f"/list/{number}" for number in (1, 2, 3)} <= set(site.paths)


POET = """
import scrapy
from web_poet import WebPage, field
from joeira import Content, Records
from joeira.integrations.web_poet import JoeiraPage

class CountedPage(WebPage):
    def __init__(self, response, content: Content, records: Records):
        super().__init__(response)
        self.content, self.tables = content, records

    __init__.__annotations__["response"] = WebPage.__init__.__annotations__["response"]

    @field
    def words(self) -> int:
        return len(self.content.text().split())

    @field
    def lists(self) -> int:
        return len(self.tables)

class Poet(scrapy.Spider):
    name = "poet"
    custom_settings = {
        "ADDONS": {"scrapy_poet.Addon": 300},
        "SCRAPY_POET_PROVIDERS": {"joeira.integrations.web_poet.JoeiraProvider": 500},
    }

    async def start(self):
        yield scrapy.Request(self.site + "/article")
        yield scrapy.Request(self.site + "/list/1", self.parse_list)

    async def parse(self, response, page: JoeiraPage):
        yield await page.to_item()

    async def parse_list(self, response, page: CountedPage):
        yield await page.to_item()
"""


def test_page_objects_and_the_provider_in_a_crawl(site: Site, tmp_path: Path) -> None:
    pytest.importorskip("scrapy_poet", reason="the extra 'web-poet' is not installed")
    items = crawl(tmp_path, POET, site=site.url)
    (article,) = (item for item in items if "markdown" in item)
    (counted,) = (item for item in items if "words" in item)
    assert article["url"] == f"{site.url}/article"
    assert WORDS in article["markdown"]
    assert article["title"]
    assert counted["lists"] >= 1


def test_a_page_object_without_a_crawler() -> None:
    web_poet = pytest.importorskip("web_poet", reason="the extra 'web-poet' is not installed")
    import asyncio

    from joeira.integrations.web_poet import JoeiraPage

    response = web_poet.HttpResponse(
        "https://example.org/", body=(EXAMPLES / "listing.html").read_bytes()
    )
    item = asyncio.run(JoeiraPage(response).to_item())
    assert len(item["records"]) == 10
    assert "price" in item["records"][0]
