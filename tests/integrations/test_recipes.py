"""The Python of docs/integrations.md runs, block by block, where the libraries are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "integrations.md"
BLOCKS = list(Sybil(parsers=[PythonCodeBlockParser()], path=str(ROOT)).parse(PAGE).examples())


def test_there_are_recipes() -> None:
    assert len(BLOCKS) >= 9


@pytest.mark.filterwarnings("ignore")  # of what the libraries do
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"line {block.line}")
def test_a_recipe_runs(block: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    block.namespace.clear()
    try:
        block.evaluate()
    except ImportError as error:
        pytest.skip(str(error))
