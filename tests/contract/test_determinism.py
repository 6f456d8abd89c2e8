"""The same input gives the same page: in every process, thread and order, and after pickling."""

from __future__ import annotations

import dataclasses
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import joeira
from support.columns import arrays, fingerprint

TESTS = Path(__file__).parents[1]
PAGES: dict[str, str | bytes] = {
    "article": "<title>T</title><h1>Head</h1><p class=a>One <b>two</b>.</p><p hidden>x</p>" * 20,
    "own tags": "<x-b class='q r'>a<x-a>b</x-a></x-b><o:p>c</o:p><svg><g/></svg>" * 20,
    "bytes": "<meta charset=windows-1252><p>Ação</p><template><p>x</p></template>é".encode(
        "cp1252"
    ),
    "junk": bytes(range(256)) * 4,
    "empty": "",
}
IN_A_CHILD = """
import pickle, sys
from support.columns import fingerprint
import joeira
pages = pickle.load(sys.stdin.buffer)
for name, html in pages.items():
    print(name, fingerprint(joeira.parse(html, "https://example.org/")), sep="\\t")
"""


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    return {
        name: fingerprint(joeira.parse(html, "https://example.org/"))
        for name, html in PAGES.items()
    }


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_processes_with_other_hash_seeds(seed: str, expected: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_CHILD],
        input=pickle.dumps(PAGES),
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(TESTS)},
        stdout=subprocess.PIPE,
        check=True,
    )
    lines = done.stdout.decode().splitlines()
    assert dict(line.split("\t") for line in lines) == expected


def test_threads(expected: dict[str, str]) -> None:
    # The same page objects, too: columns computed at the same time by several threads.
    pages = {name: joeira.parse(html, "https://example.org/") for name, html in PAGES.items()}
    names = [*PAGES] * 8
    with ThreadPoolExecutor(8) as pool:
        shared = pool.map(lambda name: fingerprint(pages[name]), names)
        own = pool.map(
            lambda name: fingerprint(joeira.parse(PAGES[name], "https://example.org/")), names
        )
        assert list(shared) == [expected[name] for name in names]
        assert list(own) == [expected[name] for name in names]


def _answers(page: joeira.Page) -> str:
    """Ask for what needs the parser's tree, too: no two threads may ask it at once."""
    hidden = page.hidden.tolist()
    content = joeira.extract(page)
    return repr((hidden, content.text(), content.markdown(), content.metadata.to_dict()))


def test_one_page_for_many_threads() -> None:
    html = (TESTS.parent / "examples" / "article.html").read_text("utf-8")
    rules = "".join(f"p:nth-child({number}) > b, i + b {{ color: red }}" for number in range(300))
    html += f"<style>{rules}</style>" + "<p>a <i>b</i><b>c</b></p>" * 300
    with ThreadPoolExecutor(4) as pool:
        for source in (html, f"<table>moved{html}</table>"):
            alone = _answers(joeira.parse(source))
            page = joeira.parse(source)
            assert {*pool.map(_answers, [page] * 4)} == {alone}


@pytest.mark.parametrize("name", PAGES)
def test_order_of_reading_columns(name: str, expected: dict[str, str]) -> None:
    page = joeira.parse(PAGES[name], "https://example.org/")
    joeira.extract(page, "all_text").blocks()
    list(reversed(arrays(page)))
    assert fingerprint(page) == expected[name]


@pytest.mark.parametrize("name", PAGES)
def test_pickling(name: str, expected: dict[str, str]) -> None:
    page = joeira.parse(PAGES[name], "https://example.org/")
    assert fingerprint(pickle.loads(pickle.dumps(page))) == expected[name]


def test_pickling_keeps_limits_and_notes() -> None:
    for limit in ({"max_bytes": 40}, {"max_nodes": 8}, {"max_depth": 2}):
        page = joeira.parse(PAGES["article"], **limit)  # type: ignore[arg-type]  # names of limits
        again = pickle.loads(pickle.dumps(page))
        assert page.notes
        assert again.notes == page.notes
        assert fingerprint(again) == fingerprint(page)
        assert fingerprint(pickle.loads(pickle.dumps(again))) == fingerprint(page)


def test_pickling_results() -> None:
    content = joeira.extract(PAGES["article"], "all_text")
    again = pickle.loads(pickle.dumps(content))
    assert list(again.explain()) == list(content.explain())
    assert again.text() == content.text()
    assert again.metadata == content.metadata


@pytest.mark.parametrize("name", PAGES)
def test_every_array_is_read_only(name: str) -> None:
    for column, array in arrays(joeira.parse(PAGES[name])).items():
        assert not array.flags.writeable, column


def test_pages_are_frozen() -> None:
    page = joeira.parse("<p>a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        page.url = "https://example.org/"  # type: ignore[misc]  # what is tested
    with pytest.raises(ValueError, match="read-only"):
        page.tag[0] = 1


def test_pages_are_themselves() -> None:
    one, other = joeira.parse("<p>a"), joeira.parse("<p>a")
    assert one == one  # noqa: PLR0124  # that comparing never compares arrays
    assert one != other
    assert len({one, other}) == 2


def test_methods_leave_the_page_as_it_was() -> None:
    page = joeira.parse(PAGES["article"])
    before = {name: np.copy(array) for name, array in arrays(page).items()}
    joeira.extract(page, "all_text").text()
    for name, array in arrays(page).items():
        assert (array == before[name]).all(), name
