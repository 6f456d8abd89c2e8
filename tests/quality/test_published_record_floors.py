"""The published record methods never fall below what they reach on every fourth page.

F1 over all tables, as `joeira evaluate DATASET.jsonl.gz --task records` tells it of all pages.
``python tests/quality/test_published_record_floors.py FOLDER`` measures and writes the floors.
"""

import dataclasses
import json
import sys
from pathlib import Path

import pytest

from joeira.errors import UsageError
from joeira.evaluation import record_scores
from joeira.evaluation.compare import Options, evaluate
from joeira.evaluation.floors import Floor

pytestmark = pytest.mark.quality

FILE = Path(__file__).with_name("published_record_floors.json")
FLOORS = [Floor(**floor) for floor in json.loads(FILE.read_text("utf-8"))]
METHODS = [
    "mdr",
    "mdr[prefilter=tps]",
    "mdr[comparison=string]",
    "subtree_classes",
    "subtree_classes[choice=coverage;leaves=drop]",
]


def measured(floor: Floor, folder: Path) -> Floor:
    found = evaluate(floor.source(folder), METHODS, Options(task="records"))
    assert not any(found.failures.values())
    scores = record_scores.scores(list(found.measured.values()))
    f1 = {name: round(score.f1, 4) for name, score in zip(METHODS, scores, strict=True)}
    return dataclasses.replace(floor, fingerprint=found.survey.fingerprint, f1=f1)


@pytest.mark.parametrize("floor", FLOORS, ids=[floor.name for floor in FLOORS])
def test_no_published_method_falls(floor: Floor, bench: Path) -> None:
    try:
        floor.source(bench / "records")
    except UsageError:
        pytest.skip(f"no data set {floor.data_set} under {bench}; set JOEIRA_BENCH to its folder")
    complaints = floor.complaints(measured(floor, bench / "records"))
    assert not complaints, "\n".join(complaints)


if __name__ == "__main__":
    now = [dataclasses.asdict(measured(floor, Path(sys.argv[1]))) for floor in FLOORS]
    FILE.write_text(json.dumps(now, indent=2) + "\n", "utf-8")
