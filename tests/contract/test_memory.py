"""Memory goes back when a page is done with: what a process keeps does not grow with its pages."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from joeira.metadata import title
from joeira.page import tags
from joeira.sites import _words, profile

MAX_MEGABYTES = 120
"""With the interpreter, numpy and all of our code, some 75 of it; leaks took hundreds more."""

PAGES = """
import gc, sys
from pathlib import Path
import joeira

WORDS = "the quick brown fox jumps over a lazy dog while seven small ships sail home".split()

def page(number, chars):
    paragraphs, size = [], 0
    while size < chars:
        place = number + len(paragraphs)
        text = " ".join(f"{WORDS[(place * 7 + k * k) % 15]}{place * k % 97}" for k in range(40))
        paragraphs.append(f"<p class=c{place % 50}>{text}</p>")
        size += len(text)
    return f"<html><body><article>{''.join(paragraphs)}</article></body></html>"

for number in range(1, int(sys.argv[1]) + 1):
    assert joeira.extract(page(number, number * int(sys.argv[2]))).text()
gc.collect()
status = Path("/proc/self/status").read_text()
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))
"""

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")


def megabytes_after(pages: int, step_chars: int, **variables: str) -> float:
    """What a process takes up after pages of growing length."""
    done = subprocess.run(
        [sys.executable, "-c", PAGES, str(pages), str(step_chars)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout) / 1024


@needs_proc
def test_memory_goes_back_after_pages_of_growing_length() -> None:
    assert megabytes_after(30, 1 << 16) <= MAX_MEGABYTES


@needs_proc
@pytest.mark.slow
def test_memory_goes_back_after_pages_at_the_limit_of_the_parser() -> None:
    """The C library may keep what was freed for later; here it gives it back at once."""
    assert megabytes_after(6, 3_200_000, MALLOC_TRIM_THRESHOLD_="131072") <= MAX_MEGABYTES


@pytest.mark.parametrize("function", [tags.symbol, profile._class_symbol, _words.stem, title.same])
def test_caches_keep_no_long_texts(function: Callable[[str], object]) -> None:
    function("warm")
    tracemalloc.start()
    try:
        for number in range(50):
            function(f"{number} {'word ' * 20_000}")
        assert tracemalloc.get_traced_memory()[0] < 100_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("function", [tags.symbol, profile._class_symbol, _words.stem, title.same])
def test_short_and_long_texts_have_the_same_kind_of_answer(
    function: Callable[[str], object],
) -> None:
    for text in ("navigation", "navigation" * 200):
        assert function(text) == function(text)
        assert type(function(text)) is type(function("word"))
