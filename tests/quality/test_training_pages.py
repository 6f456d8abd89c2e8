"""No page that is measured was fitted, under whatever name, and readers agree about what was."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from joeira.evaluation.datasets import beside, find
from joeira.page import parse
from training import labels
from training.pages import MEASURING_SETS, TRAINING_SETS

pytestmark = pytest.mark.quality

LEAST_AGREEMENT = 0.95


@pytest.fixture(scope="module")
def content(bench: Path) -> Path:
    folder = bench / "content"
    if not (folder / "wcxb-dev.jsonl.gz").is_file():
        pytest.skip(f"no data sets under {bench}; set JOEIRA_BENCH to their folder")
    return folder


def marks(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    """Yield what each page is known by, and its id: the hash of its source, and its address."""
    for row in find(beside(folder / name, name)).rows():
        yield labels.html_hash(row.html), f"{name}/{row.id}"
        address = re.sub(r"^https?://(www\.)?", "", (row.url or "").partition("#")[0]).rstrip("/")
        if address:
            yield address.lower(), f"{name}/{row.id}"


def test_no_page_of_a_measuring_set_is_in_a_training_set(content: Path) -> None:
    measured = {mark: page for name in MEASURING_SETS for mark, page in marks(content, name)}
    assert len(measured) > 2000
    fitted = ((mark, page) for name in TRAINING_SETS for mark, page in marks(content, name))
    assert [(page, measured[mark]) for mark, page in fitted if mark in measured] == []


def test_two_readers_agree(content: Path) -> None:
    second = labels.read_file("second")
    first = {digest: label for digest, label in labels.read().items() if digest in second}
    scores = []
    for name in sorted({label.dataset for label in first.values()}):
        for row in find(beside(content / name, name)).rows():
            digest = labels.html_hash(row.html)
            if digest in first:
                page = parse(row.html, row.url)
                texts = (label.text_of(page) for label in (first.pop(digest), second[digest]))
                scores.append(labels.agreement(*texts))
    assert first == {}, "these pages are nowhere"
    assert len(scores) >= 40
    assert sum(scores) / len(scores) >= LEAST_AGREEMENT
