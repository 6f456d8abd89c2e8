"""Markdown that four other programs turn into HTML: nothing of a page runs, no tag gets through."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
import turbohtml

import joeira
from support import injection

cmarkgfm = pytest.importorskip("cmarkgfm", reason="no cmark-gfm")
markdown = pytest.importorskip("markdown", reason="no Python-Markdown")
mistune = pytest.importorskip("mistune", reason="no mistune")
markdown_it = pytest.importorskip("markdown_it", reason="no markdown-it")

pytestmark = pytest.mark.browser

PROSE = "The harbour was opened on Monday, after nine years of work, by the mayor of the town. "
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LIST = Path(__file__).parents[1] / "support" / "active_content.json"


def _readers() -> dict[str, Callable[[str], str]]:
    """Return the readers, none of which is asked to clean what it writes."""
    from cmarkgfm.cmark import Options

    own_list = mistune.create_markdown(escape=False, plugins=["table", "footnotes"])
    reader = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table"])
    return {
        "markdown-it": reader.render,
        "mistune": lambda text: str(own_list(text)),
        "Python-Markdown": lambda text: markdown.markdown(text, extensions=["tables", "footnotes"]),
        "cmark-gfm": lambda text: cmarkgfm.github_flavored_markdown_to_html(
            text, options=Options.CMARK_OPT_UNSAFE
        ),
    }


def _vectors() -> list[str]:
    strings: list[str] = []

    def collect(value: Any) -> None:
        if isinstance(value, str):
            strings.append(value)
        elif isinstance(value, dict):
            for each in value.values():
                collect(each)
        elif isinstance(value, list):
            for each in value:
                collect(each)

    collect(json.loads(LIST.read_text("utf-8")))
    return [*injection.vectors(), *strings]


def _page(vectors: list[str]) -> str:
    """Return a page that has every vector as words, as markup, as an address and as code."""
    words = "".join(f"<p>{PROSE}{escape(vector)}</p>" for vector in vectors)
    markup = "".join(f"<div>{PROSE}{vector}</div>" for vector in vectors)
    links = "".join(f'<p>{PROSE}<a href="{escape(vector)}">go</a></p>' for vector in vectors)
    cells = "".join(f"<tr><td>{escape(vector)}<td>b" for vector in vectors)
    code = "".join(f"<p><code>{escape(vector)}</code></p>" for vector in vectors[:50])
    title = escape(vectors[0])
    return (
        f"<title>{title}</title><h1>{title}</h1>{words}{links}<table>{cells}</table>{code}{markup}"
    )


@pytest.fixture(scope="module")
def written() -> str:
    content = joeira.extract(_page(_vectors()), "all_text", url="https://example.org/a")
    return content.markdown(posts=False)


@pytest.fixture(scope="module")
def tab() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="no Playwright")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = browser.new_context(offline=True)
        context.route("**/*", lambda route: route.abort())
        yield context.new_page()
        browser.close()


@pytest.mark.parametrize("name", _readers())
def test_nothing_runs(name: str, written: str, tab: Any) -> None:
    ran: list[str] = []
    tab.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
    tab.set_content(_readers()[name](written), wait_until="load")
    for link in tab.query_selector_all("a[href]")[:400]:
        address = (link.get_attribute("href") or "").strip().lower()
        assert re.match(r"https?:|mailto:|[/#?.\w%-]*$", re.sub(r"[\x00-\x20]", "", address))
    tab.wait_for_timeout(300)
    assert ran == []


@pytest.mark.parametrize("name", _readers())
def test_no_tag_of_the_page_gets_through(name: str, written: str) -> None:
    document = turbohtml.parse(_readers()[name](written))
    dangerous = "script,iframe,object,embed,svg,math,form,input,button,style,link,meta,base,video"
    assert not [node.tag for node in document.select("body *") if node.tag in dangerous.split(",")]
    handlers = [
        (node.tag, attribute)
        for node in document.select("*")
        for attribute in node.attrs
        if attribute.startswith("on") or attribute in ("srcdoc", "style", "formaction")
    ]
    allowed = {("td", "style"), ("th", "style")}  # how readers align the columns of tables
    assert set(handlers) <= allowed


def test_a_scheme_with_invisible_characters_is_no_link() -> None:
    for hidden in ("\u200b", "\u00ad", "\ufeff", "\u2060", "\u202e"):
        addresses = (f"java{hidden}script:alert(1)", f"javascript{hidden}:alert(2)")
        links = " or ".join(f'<a href="{address}">this</a>' for address in addresses)
        source = f"<p>Read {links}.</p>"
        content = joeira.extract(source, "all_text", url="https://example.org/")
        assert content.markdown() == "Read this or this."
        assert "href" not in content.html()
