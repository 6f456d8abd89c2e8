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
assert_type(content.metadata, joeira.Metadata)
assert_type(content.metadata.candidates("title"), list[joeira.Candidate])
assert_type(content.metadata.product, joeira.Product | None)
assert_type(content.explain(), joeira.Explanation)
for block in content.explain():
    assert_type(block, joeira.BlockDecision)
    assert_type(block.kept, bool)
    assert_type(block.xpath, str)

assert_type(joeira.find_records(page, joeira.records.Auto()), joeira.Records)
for table in joeira.find_records(page):
    assert_type(table, joeira.RecordTable)
    assert_type(table.columns, tuple[joeira.Column, ...])
    assert_type(table.cells, list[list[joeira.Cell | None]])
    assert_type(table.fields, joeira.records.Fields)
    assert_type(table.wrapper(), joeira.records.Wrapper)
    assert_type(table.wrapper().check(page), joeira.records.WrapperCheck)
    assert_type(joeira.learn_records([page], ["a"]).extract(page), joeira.Records)
    assert_type(joeira.find_pages(page).next, joeira.records.Link | None)
    assert_type(table + table, joeira.RecordTable)
    assert_type(table.links(), joeira.records.DetailLinks)
    assert_type(table.records, tuple[joeira.Record, ...])

parts = joeira.segment(page, joeira.segments.TreeCut())
assert_type(parts, joeira.Segments)
assert_type(parts[0], joeira.Region)
assert_type(parts.children, tuple[joeira.Group | joeira.Region, ...])

site = joeira.learn_site([page], joeira.sites.Template())
assert_type(site, joeira.SiteModel)
assert_type(site.drift([page]), joeira.Drift)
ruled = site.with_rules([joeira.sites.Rule("aside", "noise")])
assert_type(ruled.rules, tuple[joeira.sites.Rule, ...])
assert_type(site.templates, tuple[tuple[int, int], ...])

job = joeira.Job(limits=joeira.Limits(seconds=1))
for row in joeira.extract_many(["<p>x"], job=job):
    assert_type(row, joeira.Row)
assert_type(joeira.batch.run(["pages"], "out", job), joeira.Summary)
try:
    joeira.load_site("site.json")
except (joeira.InputError, joeira.errors.UnknownMethod) as error:
    caught: joeira.JoeiraError = error
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
    "joeira.content.Nothing": "attr-defined",
    "joeira.batch.nothing": "attr-defined",
    "joeira.Row('1')": "call-arg",
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
