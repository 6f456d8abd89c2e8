"""Links of the README and the docs lead somewhere, and the reference is read as it was meant."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote_plus

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts),
]
LINK = re.compile(r"\]\((?!https?:|mailto:)([^()\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
MAX_README_LINES = 150
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUESTIONS = {
    "how do I get Markdown without links?": "faq.html#how-do-i-get-markdown-without-links",
    "how do I read a WARC?": "faq.html#how-do-i-read-a-warc",
    "what does confidence mean?": "faq.html#what-does-confidence-mean",
    "how do I export records to Excel?": "faq.html#how-do-i-export-records-to-excel",
    "how do I add a method?": "adding-a-method.html",
}
"""What newcomers ask, and where the answer is: one of the first three hits leads there."""


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and MyST make them."""
    text = FENCE.sub("", path.read_text("utf-8"))
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(path: Path) -> Iterator[str]:
    yield from LINK.findall(FENCE.sub("", path.read_text("utf-8")))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    broken = []
    for link in links(path):
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        is_there = target.exists() and target.is_relative_to(ROOT)
        if not is_there or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


def test_links_are_found() -> None:
    assert len([*links(ROOT / "README.md")]) > 10


def test_the_readme_is_short() -> None:
    for name in ("README.md", "README.pt.md"):
        assert len((ROOT / name).read_text("utf-8").splitlines()) <= MAX_README_LINES


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation as a site."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(DOCS), str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def test_no_field_of_the_reference_takes_a_sentence_for_a_type(built: Path) -> None:
    page = (built / "api.html").read_text("utf-8")
    assert 'class="field-odd">Parameters' in page
    assert 'class="field-odd">Type' not in page


class Quietly(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.browser
@pytest.mark.slow
def test_the_search_of_the_site_answers_questions(built: Path) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="no Playwright")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium")
    handler = partial(Quietly, directory=built)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, api.sync_playwright() as player:
        Thread(target=server.serve_forever, daemon=True).start()
        browser = player.chromium.launch(executable_path=program, args=["--no-sandbox"])
        tab = browser.new_page()
        for question, answer in QUESTIONS.items():
            asked = f"http://127.0.0.1:{server.server_port}/search.html?q={quote_plus(question)}"
            tab.goto(asked)
            tab.wait_for_function("/found \\d+ page/.test(document.body.innerText)")
            links = tab.locator("#search-results ul.search > li > a").all()
            first = [str(link.get_attribute("href")).partition("?")[0] for link in links[:3]]
            assert any(answer in link for link in first), (question, first)
        browser.close()
        server.shutdown()
