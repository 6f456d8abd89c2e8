"""The default method gives the same bytes in every process, thread and order."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import joeira

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.html"))
IN_A_CHILD = """
import hashlib, json, sys
from pathlib import Path
import joeira
found = {}
for path in sys.argv[1:]:
    content = joeira.extract(Path(path).read_bytes())
    written = json.dumps([content.text(), content.scores.tolist(), content.page_confidence])
    found[Path(path).name] = hashlib.sha256(written.encode()).hexdigest()
print(json.dumps(found))
"""


def digest(path: Path) -> str:
    content = joeira.extract(path.read_bytes())
    written = json.dumps([content.text(), content.scores.tolist(), content.page_confidence])
    return hashlib.sha256(written.encode()).hexdigest()


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    return {path.name: digest(path) for path in EXAMPLES}


@pytest.mark.parametrize("threads", ["1", "2"])
def test_processes_with_other_seeds_and_threads_of_linear_algebra(
    threads: str, expected: dict[str, str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_CHILD, *map(str, reversed(EXAMPLES))],
        env={**os.environ, "PYTHONHASHSEED": "77", "OPENBLAS_NUM_THREADS": threads},
        stdout=subprocess.PIPE,
        check=True,
    )
    assert json.loads(done.stdout) == expected


def test_threads_and_shuffled_order(expected: dict[str, str]) -> None:
    paths = EXAMPLES * 4
    random.Random(5).shuffle(paths)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(digest, paths)) == [expected[path.name] for path in paths]
