"""Quality checks need data sets from outside the repository: say so where they are absent."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="check quality on whole data sets, not samples (run as: pytest tests/quality --full)",
    )


@pytest.fixture(scope="session")
def bench() -> Path:
    """Folder with the data sets: $JOEIRA_BENCH, else shared/bench beside the repository."""
    folder = os.environ.get("JOEIRA_BENCH")
    return Path(folder) if folder else ROOT.parent / "shared" / "bench"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    by_itself = metafunc.definition.get_closest_marker("parametrize")
    if by_itself or "floor" not in metafunc.fixturenames:
        return
    from joeira.evaluation import floors

    size = "full" if metafunc.config.getoption("--full", False) else "sample"
    found = floors.read(Path(__file__).with_name("floors.json"))[size]
    metafunc.parametrize("floor", found, ids=[floor.name for floor in found])
