"""trafilatura's functions, done by Joeira."""

from __future__ import annotations

import csv
import gzip
import inspect
import io
import json
import os
import warnings
from pathlib import Path

import lxml.etree
import lxml.html
import pytest

from joeira.compat import trafilatura as ours
from joeira.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
ARTICLE = (ROOT / "examples" / "article.html").read_bytes()
URL = "https://courier.example.org/2024/04/seed-library-port-ellery"
FORMATS = ["txt", "markdown", "json", "csv", "html", "xml", "xmltei"]


@pytest.mark.parametrize("output_format", FORMATS)
def test_formats(output_format: str) -> None:
    found = ours.extract(ARTICLE, URL, output_format=output_format, with_metadata=True)
    assert found is not None
    assert "ice house" in found
    assert "purple leek" in found  # a comment
    if output_format == "json":
        assert json.loads(found)["source"] == URL
    if output_format == "csv":
        (row,) = csv.reader(io.StringIO(found, newline=""), delimiter="\t")
        assert (len(row), row[0]) == (11, URL)
    if output_format == "xml":
        assert lxml.etree.fromstring(found).find("main/p") is not None
    if output_format == "xmltei":
        document = lxml.etree.fromstring(found.encode())
        assert document.find("{*}text/{*}body/{*}div[@type='entry']/{*}p") is not None


def test_comments_are_apart_and_optional() -> None:
    document = ours.bare_extraction(ARTICLE, URL)
    assert isinstance(document, ours.Document)
    assert "purple leek" in document.comments
    assert "purple leek" not in document.text
    without = ours.extract(ARTICLE, URL, include_comments=False)
    assert without is not None
    assert "purple leek" not in without


def test_none_is_nothing() -> None:
    assert ours.extract("") is None
    assert ours.extract(None) is None
    assert ours.bare_extraction("<p>x</p>") is None
    assert ours.extract(ARTICLE, URL, url_blacklist={URL}) is None
    assert ours.extract(ARTICLE, URL, target_language="de") is None
    assert ours.extract(ARTICLE, only_with_metadata=True) is None or ours.bare_extraction(ARTICLE)


def test_inputs() -> None:
    expected = ours.extract(ARTICLE)
    assert ours.extract(ARTICLE.decode()) == expected
    assert ours.extract(lxml.html.document_fromstring(ARTICLE.decode())) is not None
    with pytest.raises(UsageError, match="cannot read a page"):
        ours.extract(42)
    with pytest.raises(UsageError, match="no output_format"):
        ours.extract(ARTICLE, output_format="pdf")


def test_what_cannot_be_honoured_warns_once() -> None:
    ours._warn.cache_clear()
    with pytest.warns(UserWarning, match="prune_xpath has no effect"):
        ours.extract(ARTICLE, prune_xpath="//p")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.extract(ARTICLE, prune_xpath="//p")


def theirs():
    return pytest.importorskip(
        "trafilatura", reason="trafilatura is not installed", exc_type=ImportError
    )


@pytest.mark.parametrize("name", ["extract", "bare_extraction"])
def test_the_signatures_are_the_same(name: str) -> None:
    expected = inspect.signature(getattr(theirs(), name)).parameters
    found = inspect.signature(getattr(ours, name)).parameters
    assert list(found) == list(expected)
    for key in set(found) - {"config"}:
        assert found[key].default == expected[key].default


def has_the_types_and_fields_of_theirs(html: str) -> bool:
    """Compare what both find; return whether both find something."""
    found = ours.bare_extraction(html, with_metadata=True)
    expected = theirs().bare_extraction(html, with_metadata=True)
    if found is None or expected is None:
        return False
    mine, other = found.as_dict(), expected.as_dict()
    assert set(mine) == set(other)
    for key in set(mine) - {"body", "commentsbody", "filedate"}:
        if mine[key] is not None and other[key] is not None:
            assert type(mine[key]) is type(other[key]), key
    assert isinstance(ours.extract(html), str)
    return True


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.html")), ids=lambda p: p.stem)
def test_types_and_fields(path: Path) -> None:
    assert has_the_types_and_fields_of_theirs(path.read_text("utf-8"))


@pytest.mark.quality
def test_types_and_fields_on_real_pages() -> None:
    bench = Path(os.environ.get("JOEIRA_BENCH") or ROOT.parent / "shared" / "bench")
    path = bench / "content" / "trafilatura-dev.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {path.name} under {bench}; set JOEIRA_BENCH to its folder")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        pages = [json.loads(line)["html"] for _, line in zip(range(50), file, strict=False)]
    assert sum(map(has_the_types_and_fields_of_theirs, pages)) > 40
