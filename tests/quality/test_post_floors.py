"""Posts are found, with their authors and dates, as well as they once were."""

import json
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from joeira.errors import UsageError
from joeira.evaluation import datasets, record_scores
from joeira.evaluation.compare import Options, evaluate

pytestmark = pytest.mark.quality

FLOORS = json.loads(Path(__file__).with_name("post_floors.json").read_text("utf-8"))
TOLERANCE = 0.003
SHARES = ("f1", "page_f1", "site_f1", "author", "date")


@pytest.mark.parametrize("floor", FLOORS, ids=[floor["data_set"] for floor in FLOORS])
def test_no_share_falls_below_its_floor(floor: dict[str, object], bench: Path) -> None:
    name = floor["data_set"]
    try:
        source = datasets.find(bench / "content" / f"{name}.jsonl.gz")
    except UsageError:
        pytest.skip(f"no data set {name} under {bench}; set JOEIRA_BENCH to its folder")
    found = evaluate(source, ["learned"], Options(task="posts"))
    assert not found.failures["learned"]
    assert found.survey.fingerprint == floor["fingerprint"], "other pages or answers"
    sites = [urlsplit(row.url or "").hostname or row.id for row in found.rows]
    now = asdict(record_scores.post_score(found.measured["learned"], sites, samples=1))
    fallen = {share: now[share] for share in SHARES if now[share] < floor[share] - TOLERANCE}
    assert fallen == {}
