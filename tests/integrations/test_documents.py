"""Pages as documents, and what index libraries make of them; skipped where one is missing."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from joeira.errors import UsageError
from joeira.fetch.fetcher import Fetcher
from joeira.integrations.documents import Reading
from support.command_line import EXAMPLES
from support.loopback import Site, loopback_site

pytestmark = pytest.mark.filterwarnings("ignore")  # of what the libraries do

ARTICLE = EXAMPLES / "article.html"
WORDS = "For sixty years the ice house"


@pytest.fixture
def site() -> Iterator[Site]:
    with loopback_site() as running:
        running.add("/article", ARTICLE.read_bytes())
        yield running


@pytest.fixture
def reading() -> Reading:
    return Reading(fetcher=Fetcher(10, 1_000_000, allow_private=True))


def test_a_page_is_text_with_metadata(site: Site, reading: Reading) -> None:
    page = reading.read(f"{site.url}/article")
    assert WORDS in page.text
    assert page.text.startswith("# ")
    assert page.metadata["source"] == f"{site.url}/article"
    assert page.metadata["status"] == "ok"
    assert page.metadata["title"]
    assert None not in page.metadata.values()
    assert not Reading("text").convert(ARTICLE.read_bytes()).text.startswith("#")


def test_what_cannot_be_read_is_said_and_left_out(
    site: Site, reading: Reading, caplog: pytest.LogCaptureFixture
) -> None:
    sources = [ARTICLE, f"{site.url}/nowhere", "no such file", f"{site.url}/article"]
    with caplog.at_level(logging.WARNING):
        assert len(list(reading.read_all(sources))) == 2
    assert "404" in caplog.text
    assert "no content in no such file" in caplog.text
    kept = list(Reading(keep_empty=True).read_all(["no such file", ARTICLE]))
    assert [page.metadata["status"] for page in kept] == ["failed", "ok"]


def test_private_addresses_are_refused_unless_a_fetcher_allows_them(site: Site) -> None:
    page = Reading().read(f"{site.url}/article")
    assert page.text == ""
    assert "loopback" in page.metadata["reason"]
    assert site.requests == []


def test_documents_are_texts() -> None:
    with pytest.raises(UsageError, match="documents must be text, not json"):
        Reading("json").convert("<p>Rain")


# LangChain ---------------------------------------------------------------------------------------


def test_langchain_loader(site: Site, reading: Reading) -> None:
    pytest.importorskip("langchain_core", reason="the extra 'langchain' is not installed")
    from joeira.integrations.langchain import JoeiraLoader

    loader = JoeiraLoader([ARTICLE, f"{site.url}/article", f"{site.url}/nowhere"], reading)
    first, second = loader.load()
    assert WORDS in first.page_content
    assert first.metadata["source"] == str(ARTICLE)
    assert second.metadata["source"] == f"{site.url}/article"
    assert second.page_content == first.page_content
    assert len(JoeiraLoader(ARTICLE).load()) == 1


def test_langchain_transformer() -> None:
    pytest.importorskip("langchain_core", reason="the extra 'langchain' is not installed")
    import asyncio

    from langchain_core.documents import Document

    from joeira.integrations.langchain import JoeiraTransformer

    html = ARTICLE.read_text("utf-8")
    given = [
        Document(page_content=html, id="1", metadata={"source": "https://example.org/", "n": 1}),
        Document(page_content="<p>"),
    ]
    (document,) = JoeiraTransformer().transform_documents(given)
    assert WORDS in document.page_content
    assert (document.id, document.metadata["n"]) == ("1", 1)
    assert document.metadata["source"] == "https://example.org/"
    assert document.metadata["title"]
    assert len(JoeiraTransformer(Reading(keep_empty=True)).transform_documents(given)) == 2
    (same,) = asyncio.run(JoeiraTransformer().atransform_documents(given))
    assert same == document


# LlamaIndex --------------------------------------------------------------------------------------


def test_llama_index_reader(site: Site, reading: Reading) -> None:
    pytest.importorskip("llama_index.core", reason="the extra 'llama-index' is not installed")
    from joeira.integrations.llama_index import JoeiraReader

    url = f"{site.url}/article"
    reader = JoeiraReader(reading)
    (document,) = reader.load_data([url, f"{site.url}/nowhere"], extra_info={"n": 1})
    assert WORDS in document.text
    assert (document.id_, document.metadata["n"]) == (url, 1)
    assert document.metadata["title"]
    assert reader.class_name() == "JoeiraReader"
    assert isinstance(JoeiraReader.from_dict(reader.to_dict()), JoeiraReader)


def test_llama_index_folder() -> None:
    pytest.importorskip("llama_index.core", reason="the extra 'llama-index' is not installed")
    from llama_index.core import SimpleDirectoryReader

    from joeira.integrations.llama_index import JoeiraReader

    folder = SimpleDirectoryReader(
        input_files=[ARTICLE], file_extractor={".html": JoeiraReader()}, raise_on_error=True
    )
    (document,) = folder.load_data()
    assert WORDS in document.text
    assert document.metadata["file_name"] == "article.html"


# Haystack ----------------------------------------------------------------------------------------


def test_haystack_converter(tmp_path: Path) -> None:
    pytest.importorskip("haystack", reason="the extra 'haystack' is not installed")
    from haystack import Pipeline
    from haystack.dataclasses import ByteStream

    from joeira.integrations.haystack import JoeiraConverter

    pipeline = Pipeline()
    pipeline.add_component("convert", JoeiraConverter(to="text", visible_only=True))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["joeira.integrations.haystack"])
    empty = tmp_path / "empty.html"
    empty.write_text("<p>")
    stream = ByteStream(ARTICLE.read_bytes(), meta={"url": "https://example.org/"})
    for each in (pipeline, again):
        given = {"sources": [ARTICLE, empty, stream], "meta": {"n": 1}}
        first, second = each.run({"convert": given})["convert"]["documents"]
        assert WORDS in first.content
        assert "#" not in first.content[:2]
        assert first.meta["n"] == 1
        assert second.meta["source"] == "https://example.org/"


# NeMo Curator ------------------------------------------------------------------------------------


def test_nemo_curator_algorithm() -> None:
    try:
        from nemo_curator.stages.text.download.common_crawl.extract import CommonCrawlHTMLExtractor
    except ImportError as error:
        pytest.skip(f"the extra 'nemo-curator' is not installed ({error})")
    from joeira.integrations.nemo_curator import JoeiraExtractor

    record = {"url": "https://example.org/", "warc_id": "1", "source_id": "a"}
    extractor = CommonCrawlHTMLExtractor(algorithm=JoeiraExtractor())
    answer = extractor.extract({**record, "content": ARTICLE.read_bytes()})
    assert answer["language"] == "ENGLISH"
    assert WORDS in answer["text"]
    assert JoeiraExtractor().extract_text("<p>", frozenset(), "ENGLISH") is None
