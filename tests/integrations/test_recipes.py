"""The Python of docs/integrations.md runs, block by block, where the libraries are installed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "integrations.md"
BLOCKS = list(Sybil(parsers=[PythonCodeBlockParser()], path=str(ROOT)).parse(PAGE).examples())
ADAPTERS = (
    "langchain", "llama_index", "haystack", "scrapy", "web_poet", "pandas", "polars", "duckdb",
    "daft", "ray", "nemo_curator", "datatrove",
)  # fmt: skip


def adapter(block: Any) -> str:
    """Name a recipe after the library that it imports, for those who run one library's alone."""
    return next(
        name for name in ADAPTERS if re.search(rf"^(import|from) {name}", block.parsed, re.M)
    )


def test_every_adapter_has_a_recipe() -> None:
    assert {adapter(block) for block in BLOCKS} == set(ADAPTERS)


@pytest.mark.filterwarnings("ignore")  # of what the libraries do
@pytest.mark.parametrize("block", BLOCKS, ids=adapter)
def test_a_recipe_runs(block: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    block.namespace.clear()
    try:
        block.evaluate()
    except ImportError as error:
        pytest.skip(str(error))
