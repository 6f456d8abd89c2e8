"""What each method makes of the example pages; `pytest --update-golden` rewrites the files."""

from pathlib import Path

import pytest

import joeira
from joeira import catalog

HERE = Path(__file__).parent
CONTENT_METHODS = [entry for entry in catalog.METHODS if entry.task == "content"]
EXAMPLES = sorted((HERE.parents[1] / "examples").glob("*.html"))


@pytest.mark.parametrize("entry", CONTENT_METHODS, ids=lambda entry: entry.name)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_text(example: Path, entry: catalog.Entry, request: pytest.FixtureRequest) -> None:
    text = joeira.extract(example.read_bytes(), entry.name).text()
    golden = HERE / example.stem / f"content.{entry.name}.txt"
    if request.config.getoption("--update-golden"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text + "\n", "utf-8")
    assert golden.read_text("utf-8") == text + "\n"
