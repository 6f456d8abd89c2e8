"""Hostile pages are read like any other: no error, little time, little memory, nothing lost."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import joeira
from support.hostile import FAMILIES
from support.survey import survey

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="limits of memory are read from /proc and kept by Linux only"
)

MAX_EXPONENT = 1.3
NOISE = 1.6
"""What chance may add. Quadratic time at four times the size is still above the limit by 1.6."""
CLOCK = 0.02
"""Seconds below which the times of a page tell nothing about their growth."""

Results = dict[str, dict[str, Any]]


def _survey(kind: str, times: int) -> Results:
    """Return what became of each family at a quarter and all of a size."""
    sizes = {name: getattr(family, kind) for name, family in FAMILIES.items()}
    requests = [(name, [size // 4, size], times) for name, size in sizes.items()]
    found = dict(zip(sizes, survey(requests), strict=True))
    # Another program on the same core makes anything slow once; what is slow is slow again.
    slow = [request for request in requests if not _is_quick(found[request[0]])]
    return found | dict(zip([name for name, *_ in slow], survey(slow), strict=True))


@pytest.fixture(scope="module")
def small() -> Results:
    return _survey("small", 2)


@pytest.fixture(scope="module")
def big() -> Results:
    return _survey("big", 1)


@pytest.mark.parametrize("name", FAMILIES)
def test_small(name: str, small: Results) -> None:
    _check(name, small[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_big(name: str, big: Results) -> None:
    _check(name, big[name])


def _check(name: str, result: dict[str, Any]) -> None:
    assert result["status"] == "ok"
    assert result["same"]
    assert result["found"] is FAMILIES[name].found
    assert result["depth"] <= 513
    assert _is_quick(result), result["seconds"]


def _is_quick(result: dict[str, Any]) -> bool:
    """Return whether all was read in time, in time that grows little faster than the page."""
    quarter, whole = result.get("seconds", (0, 0))
    in_time: bool = result["status"] != "out of time"
    return in_time and whole <= max(CLOCK, quarter * 4**MAX_EXPONENT * NOISE)


def test_depth_is_told(small: Results) -> None:
    assert small["nested div"]["notes"] == [
        "elements nested deeper than 511 flattened by the parser"
    ]
    assert small["p"]["notes"] == []


def test_the_survey_does_limit_memory() -> None:
    too_long, fine = survey([("text", [40_000_000], 1), ("empty", [0], 1)])
    assert too_long["status"] == "out of memory"
    assert fine["status"] == "ok"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/" + "a" * 100_000,
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://[::1%25eth0]:99999/",
        "http://[broken",
        "https://user:secret@exämple.org/",
        "https://example.org/\r\nHost: x",
        "\ud800",
        "",
    ],
)
def test_odd_addresses(url: str) -> None:
    content = joeira.extract("<title>T</title><p>x", "all_text", url=url)
    assert content.page.url == url
    assert content.metadata.title == "T"
    assert repr(content.page)


@pytest.mark.parametrize("name", FAMILIES)
def test_limits_hold_for_every_family(name: str) -> None:
    source = FAMILIES[name].make(FAMILIES[name].small // 100)
    for nodes in (1, 2, 3, 4, 7):
        page = joeira.parse(source, max_nodes=nodes, max_bytes=500, max_depth=2)
        assert len(page) <= nodes
        assert page.depth.max(initial=0) <= 3
        content = joeira.extract(page, "all_text")
        assert content.blocks() == [block.text for block in content.explain() if block.kept]
        assert isinstance(content.text(), str)
        assert content.metadata.url is None
