"""Every Python block in the README and the docs runs, from top to bottom, file by file.

Blocks of one file share their names. Console blocks and figures are not run.
"""

from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    ROOT / "README.md",
    ROOT / "README.pt.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts),
]
EXAMPLES = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()], path=str(ROOT))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_python_blocks_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # the blocks read examples/article.html
    for example in EXAMPLES.parse(path).examples():
        example.evaluate()


def test_the_readme_has_python_to_run() -> None:
    assert list(EXAMPLES.parse(ROOT / "README.md").examples())
