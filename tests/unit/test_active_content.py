"""No output lets code through: not text, Markdown, HTML, JSON, nor the report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import turbohtml
from markdown_it import MarkdownIt

import joeira

ROOT = Path(__file__).resolve().parents[2]
VECTORS = json.loads((ROOT / "tests" / "support" / "active_content.json").read_text("utf-8"))
"""Addresses, elements, texts that look like markup, which a page quotes and which stay text, and
paragraphs that carry code."""
PLACES = (
    "<p>{}</p>",
    "<h2>{}</h2>",
    "<li>{}</li>",
    "<pre>{}</pre>",
    "<code>{}</code>",
    "<table><tr><td>{}<td>b<tr><td>1<td>2</table>",
    "<b>{}</b>",
    "<a href=/x>{}</a>",
    "<p>a<br>{}</p>",
)
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ATTRIBUTES = {"href", "src", "alt", "start", "class", "colspan", "rowspan", "align"}
ELEMENTS = set(
    "a abbr b blockquote body br caption cite code dd del dl dt em figcaption figure h1 h2 h3 h4 "
    "h5 h6 head hr html i img ins kbd li mark ol p pre q s samp small strong sub sup table tbody "
    "td tfoot th thead time tr u ul var".split()
)


def check(html: str) -> None:
    """Assert that HTML, as a browser reads it, has nothing that runs, loads code or lays out."""
    for element in turbohtml.parse(html).select("*"):
        assert element.tag in ELEMENTS, element
        assert set(element.attrs) <= ATTRIBUTES, element
        for name in ("href", "src"):
            address = re.sub(r"[\x00-\x20]", "", element.attr(name) or "").lower()
            scheme = re.match(r"[a-z][a-z0-9+.-]*:", address)
            assert not scheme or scheme[0] in ("http:", "https:", "mailto:"), address


def check_all(body: str, url: str | None) -> None:
    before = "<p>Some words stand before it, and they are long enough to be kept.</p>"
    content = joeira.extract(f"<body>{before}{body}<p>After.</p>", "all_text", url=url)
    assert "Some words" in content.text()
    check(content.html())
    check(READER.render(content.markdown()))
    json.dumps(content.to_dict())
    report = turbohtml.parse(content.report())
    assert not report.select("script,iframe,object,embed,img,svg,form,base,link")
    assert not [e for e in report.select("*") if any(name.startswith("on") for name in e.attrs)]
    # Plain text has no markup of its own: what looks like some was text of the page.
    shown = turbohtml.parse(content.html()).select("body")[0].text
    for tag in re.findall(r"<\w+", content.text()):
        assert tag in shown


@pytest.mark.parametrize("url", [None, "https://e.org/d/", "javascript:alert(1)"])
@pytest.mark.parametrize("link", VECTORS["links"], ids=ascii)
def test_links(link: str, url: str | None) -> None:
    value = link.replace('"', "&quot;")
    check_all(f'<p>x <a href="{value}">link</a> <img src="{value}"> y</p>', url)


@pytest.mark.parametrize("markup", VECTORS["markup"], ids=ascii)
def test_markup(markup: str) -> None:
    check_all(f"<p>x {markup} y</p>", "https://e.org/d/")
    check_all(f"<ul><li>{markup}</li></ul><table><tr><td>{markup}<td>z<tr><td>1<td>2</table>", None)


@pytest.mark.parametrize("words", VECTORS["words"], ids=ascii)
@pytest.mark.parametrize("place", PLACES)
def test_words_stay_words(words: str, place: str) -> None:
    quoted = words.replace("&", "&amp;").replace("<", "&lt;")
    check_all(place.format(quoted), "https://e.org/d/")


@pytest.mark.parametrize("paragraph", VECTORS["paragraphs"], ids=ascii)
def test_code_in_the_prose_of_an_article(paragraph: str) -> None:
    check_all(paragraph, "https://e.org/d/")
