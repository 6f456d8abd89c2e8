"""Title, author and date are right on as many pages as they once were."""

import json
from pathlib import Path

import pytest

from joeira.errors import UsageError
from joeira.evaluation import datasets, metadata_scores
from joeira.evaluation.compare import Options, evaluate

pytestmark = pytest.mark.quality

FLOORS = json.loads(Path(__file__).with_name("metadata_floors.json").read_text("utf-8"))
TOLERANCE = 0.003


@pytest.mark.parametrize("floor", FLOORS, ids=[floor["data_set"] for floor in FLOORS])
def test_no_fact_falls_below_its_floor(floor: dict[str, object], bench: Path) -> None:
    name = floor["data_set"]
    try:
        path = bench / "content" / f"{name}.jsonl.gz"
        source = datasets.find(path, step=int(str(floor["step"])))
    except UsageError:
        pytest.skip(f"no data set {name} under {bench}; set JOEIRA_BENCH to its folder")
    found = evaluate(source, ["metadata"], Options(task="metadata"))
    assert not found.failures["metadata"]
    assert found.survey.fingerprint == floor["fingerprint"], "other pages or answers"
    now = {
        fact: score.share
        for fact, column in zip(metadata_scores.FACTS, found.measured["metadata"].T, strict=True)
        if (score := metadata_scores.accuracy(column, samples=1))
    }
    assert {f: round(share, 4) for f, share in now.items() if share < floor[f] - TOLERANCE} == {}
