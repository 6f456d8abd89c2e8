"""Links of the README and the docs lead somewhere, and the reference is read as it was meant."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

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


def test_no_field_of_the_reference_takes_a_sentence_for_a_type(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(DOCS), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    page = (tmp_path / "api.html").read_text("utf-8")
    assert 'class="field-odd">Parameters' in page
    assert 'class="field-odd">Type' not in page
