"""The default record finder never falls below what it once reached.

Measured on every fourth page: `joeira evaluate DATASET.jsonl.gz --task records --methods learned`
tells the same of all pages. Weights were fitted on fadwa-dev and nexteval-dev: there the floor says
that nothing was lost, not how well unseen pages do. The model's card tells that.
"""

import json
from pathlib import Path

import pytest

from joeira.errors import UsageError
from joeira.evaluation import record_scores
from joeira.evaluation.compare import Options, evaluate
from joeira.evaluation.floors import Floor

pytestmark = pytest.mark.quality

STORED = json.loads(Path(__file__).with_name("record_floors.json").read_text("utf-8"))
FLOORS = [Floor(**floor) for floor in STORED]


@pytest.mark.parametrize("floor", FLOORS, ids=[floor.name for floor in FLOORS])
def test_first_table(floor: Floor, bench: Path) -> None:
    try:
        source = floor.source(bench / "records")
    except UsageError:
        pytest.skip(f"no data set {floor.data_set} under {bench}; set JOEIRA_BENCH to its folder")
    found = evaluate(source, ["learned"], Options(task="records"))
    assert not found.failures["learned"]
    (score,) = record_scores.scores([found.measured["learned"]], first=True)
    now = Floor(floor.data_set, floor.step, found.survey.fingerprint, {"learned": score.f1})
    complaints = floor.complaints(now)
    assert not complaints, "\n".join(complaints)
