"""What type checkers make of the public names: right uses pass, wrong ones are told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mypy import api

ROOT = Path(__file__).parents[2]

RIGHT = """
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import joeira
from joeira.catalog import Extractor
from joeira.content.all_text import AllText

page = joeira.parse("<p>x", "https://example.org/", max_bytes=10)
assert_type(page, joeira.Page)
assert_type(joeira.parse(b"<p>x"), joeira.Page)
assert_type(joeira.parse(bytearray()), joeira.Page)
assert_type(page.url, str | None)
assert_type(page.texts, tuple[str, ...])
assert_type(page.notes, tuple[str, ...])
assert_type(page.end, NDArray[np.int32])
assert_type(page.path, NDArray[np.uint64])
assert_type(page.blocks, joeira.Blocks)
assert_type(page.blocks.texts, tuple[str, ...])
assert_type(page.region(0), joeira.Region)
assert_type(page.xpath(0), str)
assert_type(page.attributes.get(0, "lang"), str | None)

assert_type(joeira.extract(page), joeira.Content)
assert_type(joeira.extract("<p>x", "all_text", url="https://example.org/"), joeira.Content)
assert_type(joeira.extract(b"<p>x", AllText()), joeira.Content)
method: Extractor[joeira.Content] = AllText()
content = method.extract(page)
assert_type(content.text(), str)
assert_type(content.markdown(), str)
assert_type(content.html(), str)
assert_type(content.metadata.title, str | None)
assert_type(content.keep, NDArray[np.bool_])
for block in content.explain():
    assert_type(block.kept, bool)
    assert_type(block.xpath, str)
"""

WRONG = {
    "joeira.parse(5)": "arg-type",
    "joeira.parse(None)": "arg-type",
    "joeira.parse('', max_bytes='1')": "arg-type",
    "joeira.parse('', speed=1)": "call-arg",
    "joeira.extract(5)": "arg-type",
    "joeira.extract('', 5)": "arg-type",
    "joeira.extract('', str)": "arg-type",
    "joeira.parse('').url = 'x'": "misc",
    "joeira.parse('').no_column": "attr-defined",
    "joeira.extract('').method = 'x'": "misc",
    "joeira.extract('').text(1)": "call-arg",
    "wanted: int = joeira.extract('').text()": "assignment",
    "joeira.nothing": "attr-defined",
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what mypy says of both files: one run, for most of it is reading numpy."""
    folder = tmp_path_factory.mktemp("typing")
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text("\n".join(["import joeira", *WRONG]) + "\n")
    settings = ["--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary"]
    before = Path.cwd()
    os.chdir(folder)
    try:
        out, err, _ = api.run(
            [*settings, "--cache-dir", str(ROOT / ".mypy_cache"), "right.py", "wrong.py"]
        )
    finally:
        os.chdir(before)
    assert not err
    return out.splitlines()


def test_right_uses_pass(told: list[str]) -> None:
    assert [line for line in told if not line.startswith("wrong.py")] == []


@pytest.mark.parametrize("line, code", list(enumerate(WRONG.values(), 2)), ids=list(WRONG))
def test_wrong_uses_are_told(line: int, code: str, told: list[str]) -> None:
    errors = [text for text in told if text.startswith(f"wrong.py:{line}: error:")]
    assert errors
    assert errors[0].endswith(f"[{code}]")


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "src/joeira/py.typed").exists()
