"""Our measure of records agrees with the reference scorer of the data sets."""

import importlib.util
import random
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from joeira.evaluation import record_scores
from joeira.evaluation.datasets import Example, find

pytestmark = pytest.mark.quality


@pytest.fixture(scope="module")
def scorer(bench: Path) -> ModuleType:
    path = bench / "records" / "score.py"
    if not path.exists():
        pytest.skip(f"no reference scorer {path}; set JOEIRA_BENCH to its folder")
    spec = importlib.util.spec_from_file_location("record_scorer", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def output(row: Example, luck: random.Random) -> list[list[str]]:
    """Return what a method might find: records, joined, cut, repeated or missing, and noise."""
    texts = [record if isinstance(record, str) else " ".join(record) for record in row.records]
    tables: list[list[str]] = [[] for _ in range(luck.randint(0, 3))]
    for text, following in zip(texts, [*texts[1:], ""], strict=True):
        words = text.split()
        kept = [word for word in words if luck.random() > 0.12]
        changed = luck.choice([text, " ".join(kept), f"{text} {following}", f"{text} noise " * 2])
        for table in tables:
            table.extend([changed] * luck.randint(0, 2))
    return [*tables, [], ["noise", ""]] if luck.random() < 0.5 else tables


@pytest.mark.parametrize("name", ["tpsf", "fadwa-dev", "nexteval-dev"])
def test_every_number_is_the_reference_scorers(name: str, bench: Path, scorer: ModuleType) -> None:
    rows = [row for row in find(bench / "records" / f"{name}.jsonl.gz").rows() if row.records]
    rows = rows[::3]  # the reference scorer takes its time
    luck = random.Random(name)
    outputs = [output(row, luck) for row in rows]
    measured = np.array(
        [
            record_scores.Gold(row, 2).measure(found)
            for row, found in zip(rows, outputs, strict=True)
        ]
    )
    answers = [{"id": row.id, "records": row.records, "mode": row.mode} for row in rows]
    found = {row.id: {"regions": tables} for row, tables in zip(rows, outputs, strict=True)}
    for top, first in ((None, False), (2, True)):
        _, expected = scorer.evaluate(answers, found, top)
        (ours,) = record_scores.scores([measured], first=first, samples=1)
        pairs = {
            "P": ours.precision, "R": ours.recall, "F": ours.f1, "pageF": ours.page_f1,
            "uP": ours.micro_precision, "uR": ours.micro_recall, "uF": ours.micro_f1,
            "region": ours.region_rate, "exact": ours.exact, "Pkept": ours.precision_where_found,
            "Fkept": ours.f1_where_found, "gold": ours.wanted, "returned": ours.returned,
            "tp": ours.matched,
        }  # fmt: skip
        assert pairs == pytest.approx({key: expected[key] for key in pairs})
