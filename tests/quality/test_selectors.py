"""Selectors of columns find in parsel what the cells say, on pages of the record data sets.

Pages are broken in ways that parsel's parser and browsers repair differently, so not all can agree.
"""

import gzip
import json
from pathlib import Path

import pytest

import joeira
from support.scraping import agreements

SHARE = 0.95
STEP = 3


@pytest.mark.quality
@pytest.mark.parametrize("name", ["tpsf", "fadwa-dev", "nexteval-dev"])
def test_selectors_agree(bench: Path, name: str) -> None:
    path = bench / "records" / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no data set {path.name} beside the repository")
    found = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % STEP == 0:
                html = json.loads(line)["html"]
                tables = joeira.find_records(html, url="https://example.org/")
                raw = [table.with_names("raw") for table in tables[:1]]
                found.extend(a for table in raw for a in agreements(table, html))
    assert found
    exact = sum(agreement.exact for agreement in found)
    assert exact >= SHARE * len(found), [a for a in found if not a.exact]
