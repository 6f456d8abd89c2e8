"""The walk in C makes the same of real pages as its reference."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path

import pytest

from joeira._native import native_available
from support.walks import check


@pytest.mark.skipif(not native_available, reason="the kernels were not compiled")
@pytest.mark.parametrize("name", ["wcxb-dev", "fundus-dev", "daniel-dev"])
def test_real_pages(bench: Path, name: str) -> None:
    path = bench / "content" / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {path.name} under {bench}; set JOEIRA_BENCH to its folder")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, None, 20):
            html = json.loads(line)["html"]
            check(html)
            check(html.encode("utf-8", "replace"))
