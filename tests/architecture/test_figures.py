"""The figure of layers in the docs shows the layers of the import contract."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def contract() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (lines,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [re.sub(r"[()]", "", line) for line in lines]


def test_figure_is_the_contract() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    (figure,) = re.findall(r"^```text\n(cli .*?)^```$", text, re.MULTILINE | re.DOTALL)
    layers = [re.split(r"\s{2,}", line)[0] for line in figure.splitlines()]
    assert layers == contract()
