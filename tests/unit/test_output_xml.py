"""XML with trafilatura's element names, and TEI that is valid by the schema of TEI P5."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from lxml import etree

import joeira
from joeira import formats
from strategies import pages

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.html"))
SCHEMA = ROOT / "tests" / "support" / "tei_p5.rng.gz"
"""Version 3.0.0 of P5, generated with all modules; the file itself says under what licence."""
NAMES = set("main head p list item quote hi ref graphic table row cell lb del code note".split())
TEI = "{http://www.tei-c.org/ns/1.0}"

PAGE = """
<title>Odds &amp; ends</title><h1>Odds &amp; ends</h1>
<p>A <b>bold</b> <i>claim</i>, x<sup>2</sup>, <q>said</q> <s>so</s> <code>a < b</code>
<a href="https://example.org/a b?c=[d]&e=%zz#f#g">there</a> \x0c\x07 and a lot of other words.</p>
<table><tr><th colspan=2>Both</th></tr><tr><td>1<td>2</tr>
<caption>Below<p>the table</caption></table>
<table><caption>No rows here, only words of a caption that stand alone</caption></table>
<dl><dt>Term<dd>What it is<dd><p>And more<p>of it</dl>
<ul><li>One<ul><li>Nested</ul><li><h3>Headed</h3><p>item</ul><ol start=3><li>Three</ol>
<figure><img src="/i.png" alt="An <image>"><figcaption>A caption of it</figcaption></figure>
<blockquote><p>Quoted words</blockquote><hr>
<pre><code class="language-python">if a &lt; b:
    print("&amp;")</code></pre>
<p>Noted<sup><a href="#fn1" id="r1">1</a></sup>.</p>
<section class="footnotes"><ol><li id="fn1">The note itself. <a href="#r1">back</a></ol></section>
"""


@pytest.fixture(scope="module")
def schema() -> etree.RelaxNG:
    with gzip.open(SCHEMA) as file:
        return etree.RelaxNG(etree.parse(file))


def tei_of(content: joeira.Content) -> etree._Element:
    return etree.fromstring(content.xml(tei=True).encode())


@pytest.mark.parametrize("method", ["learned", "all_text"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_valid(path: Path, method: str, schema: etree.RelaxNG) -> None:
    content = joeira.extract(path.read_bytes(), method, url="https://example.org/a")
    document = tei_of(content)
    assert schema.validate(document), schema.error_log
    main = etree.fromstring(content.xml().encode()).find("main")
    assert {element.tag for element in main.iter()} <= NAMES


def test_a_page_with_everything(schema: etree.RelaxNG) -> None:
    content = joeira.extract(PAGE, "all_text", url="https://example.org/")
    document = tei_of(content)
    assert schema.validate(document), schema.error_log
    body = document.find(f".//{TEI}body")
    has = {element.tag.removeprefix(TEI) for element in body.iter()}
    assert has >= {*NAMES - {"main"}, "ab", "figure", "milestone", "desc"} - {"head", "lb"}
    (table,) = body.iter(f"{TEI}table")
    assert [child.tag for child in table] == [f"{TEI}head", f"{TEI}row", f"{TEI}row"]
    assert "".join(table[0].itertext()) == "Belowthe table"
    assert table[1][0].get("cols") == "2"
    (note,) = body.iter(f"{TEI}note")
    identifier = note.get("{http://www.w3.org/XML/1998/namespace}id")
    assert f"#{identifier}" in {each.get("target") for each in body.iter(f"{TEI}ref")}
    (graphic,) = body.iter(f"{TEI}graphic")
    assert graphic.get("url") == "https://example.org/i.png"
    assert graphic[0].text == "An <image>"
    assert 'print("&")' in "".join(body.itertext())


def test_plain_xml_has_trafilaturas_names() -> None:
    document = etree.fromstring(joeira.extract(PAGE, "all_text").xml().encode())
    assert document.get("title") == "Odds & ends"
    main = document.find("main")
    assert main.find("head[@rend='h1']").text == "Odds & ends"
    assert [hi.get("rend") for hi in main.iter("hi")][:3] == ["#b", "#i", "#sup"]
    assert [each.get("rend") for each in main.findall("list")][:3] == ["dl", "ul", "ol"]
    assert main.find(".//cell[@role='head']").text == "Both"
    assert main.find(".//graphic").get("alt") == "An <image>"
    assert main.find("code").text.startswith("if a < b:")


def test_comments_stand_apart() -> None:
    content = joeira.extract((ROOT / "examples" / "article.html").read_bytes())
    document = etree.fromstring(content.xml().encode())
    comments = "".join(document.find("comments").itertext())
    assert "My father worked in that building" in comments
    assert "My father" not in "".join(document.find("main").itertext())
    kinds = [div.get("type") for div in tei_of(content).iter(f"{TEI}div")]
    assert kinds == ["entry", "comments"]


def test_links_images_and_formatting_can_be_left_out() -> None:
    content = joeira.extract(PAGE, "all_text", url="https://example.org/")
    plain = content.xml(links=False, images=False, formatting=False)
    assert not {"<ref", "<graphic", 'rend="#b"'} & {
        mark for mark in ("<ref", "<graphic", 'rend="#b"') if mark in plain
    }
    choices = formats.Choices(links=False, images=False, formatting=False)
    assert formats.write("content", "xml", content, choices) == plain


def test_a_page_without_content(schema: etree.RelaxNG) -> None:
    content = joeira.extract("<p>")
    assert schema.validate(tei_of(content))
    assert etree.fromstring(content.xml().encode()).find("main") is not None


@given(pages())
def test_any_page_is_valid(schema: etree.RelaxNG, html: str) -> None:
    content = joeira.extract(html, "all_text", url="https://example.org/")
    document = tei_of(content)
    assert schema.validate(document), schema.error_log
    etree.fromstring(content.xml().encode())


def test_rows_of_csv() -> None:
    import csv
    import io

    content = joeira.extract((ROOT / "examples" / "article.html").read_bytes())
    text = formats.write("content", "csv", content, formats.Choices(source="article.html"))
    (row,) = csv.DictReader(io.StringIO(str(text), newline=""))
    assert row["source"] == "article.html"
    assert row["text"] == content.text()
    assert row["title"] == content.metadata.title
    assert tuple(row) == formats.CONTENT_COLUMNS
