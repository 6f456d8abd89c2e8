"""Every public function and method takes time and memory in proportion to the page.

The short form; ``python benchmarks/growth.py`` tries all hostile pages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

import pytest

import joeira
from joeira.blockmodel import view
from support.growth import LONGEST_PAGES, PAGES, QUICK_PAGES, SHEETS, Growth, functions, measure

READERS_OF_STYLES = ("metadata", "visible")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="limits of memory are read from /proc and kept by Linux only"
)


def growths(families: Iterable[str], names: Iterable[str]) -> dict[tuple[str, str], Growth]:
    requests = [
        (name, pages, [size // 2, size, 2 * size], 1)
        for pages in families
        for size in [PAGES[pages].small]
        for name in names
    ]
    return {(growth.function, growth.pages): growth for growth in measure(requests)}


@pytest.fixture(scope="module")
def quick() -> dict[tuple[str, str], Growth]:
    return growths(QUICK_PAGES, functions())


@pytest.mark.parametrize("pages", QUICK_PAGES)
@pytest.mark.parametrize("name", functions())
def test_growth(name: str, pages: str, quick: dict[tuple[str, str], Growth]) -> None:
    growth = quick[name, pages]
    assert growth.is_fine, growth


@pytest.fixture(scope="module")
def sheets() -> dict[tuple[str, str], Growth]:
    return growths(SHEETS, READERS_OF_STYLES)


@pytest.mark.parametrize("pages", SHEETS)
@pytest.mark.parametrize("name", READERS_OF_STYLES)
def test_style_sheets(name: str, pages: str, sheets: dict[tuple[str, str], Growth]) -> None:
    growth = sheets[name, pages]
    assert growth.is_fine, growth
    assert growth.seconds[-1] < 2, growth


def test_the_check_sees_what_is_quadratic() -> None:
    assert not Growth("f", "p", "ok", (0.1, 0.4, 1.6)).is_fine
    assert not Growth("f", "p", "MemoryError: ").is_fine
    assert Growth("f", "p", "ok", (0.1, 0.2, 0.4)).is_fine


@pytest.mark.parametrize("name", LONGEST_PAGES)
def test_the_default_method_reads_the_longest_pages_in_512_megabytes(name: str) -> None:
    (growth,) = measure([("extract, learned", name, [1], 1)])
    assert growth.status == "ok"
    assert growth.seconds[0] <= 5


def test_blocks_beyond_the_limit_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "MAX_BLOCKS", 3)
    content = joeira.extract("<title>T</title>" + "".join(f"<p>Some words {i}." for i in range(9)))
    assert "only the first 3 of 9 blocks are read" in content.reason
    codes = [block.code for block in content.explain()]
    assert codes[0] == "head"
    assert codes[4:] == ["beyond"] * 6
    assert content.report()
