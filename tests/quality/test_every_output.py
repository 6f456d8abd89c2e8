"""Every output of every task can be written for real pages, whatever they hold."""

import json
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

import joeira
from joeira.evaluation.datasets import find

pytestmark = pytest.mark.quality


def test_nothing_that_is_found_fails_to_be_written(bench: Path) -> None:
    path = bench / "content" / "wcxb-dev.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no data set {path}; set JOEIRA_BENCH to its folder")
    for row in islice(find(path).rows(), 0, None, 7):
        page = joeira.parse(row.html, row.url)
        content = joeira.extract(page)
        tables = [table.to_dict() for table in joeira.find_records(page)]
        found = (content.to_dict(), tables, joeira.segment(page).to_dict())
        assert json.loads(json.dumps(found))
        assert bool(content.text()) is bool(content.markdown()) is bool(content.html())
        assert content.report()


def test_our_own_html_is_content_again(bench: Path) -> None:
    path = bench / "content" / "wcxb-dev.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no data set {path}; set JOEIRA_BENCH to its folder")
    kept = total = 0
    for row in islice(find(path).rows(), 0, None, 7):
        content = joeira.extract(row.html, url=row.url)
        once = Counter(content.text().split())
        again = Counter(joeira.extract(content.html(), url=row.url).text().split())
        kept += (once & again).total()
        total += once.total()
    assert kept >= 0.99 * total, f"{kept / total:.4f} of the words are kept"
