"""Title, author and date are right on as many pages as they once were, and so are products."""

import json
from pathlib import Path

import pytest

import joeira
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


def _source(bench: Path, folder: str, name: str) -> datasets.Source:
    try:
        return datasets.find(bench / folder / f"{name}.jsonl.gz")
    except UsageError:
        pytest.skip(f"no data set {name} under {bench}; set JOEIRA_BENCH to its folder")


PRODUCT_FLOORS = {
    "price": 0.95, "currency": 0.9, "availability": 0.96, "brand": 0.84, "sku": 0.9, "gtin": 0.8,
    "mpn": 0.75,
}  # fmt: skip


def test_products_are_read_as_well_as_they_were(bench: Path) -> None:
    source = _source(bench, "metadata", "products-dev")
    found = evaluate(source, ["product"], Options(task="product"))
    assert not found.failures["product"]
    scores = metadata_scores.product_scores(found.measured["product"], samples=1)
    assert {f: s.f1 for f, s in scores.items() if s.f1 < PRODUCT_FLOORS[f] - TOLERANCE} == {}


def test_hardly_any_page_about_things_has_a_false_author(bench: Path) -> None:
    """On pages about a product and on lists, an author whom the answer lacks is a false one."""
    source = _source(bench, "content", "wcxb-dev")
    kinds = ("product", "listing", "collection")
    rows = [row for row in source.rows() if row.page_type in kinds]
    authors = [(joeira.extract(row.html, url=row.url).metadata.author, row.author) for row in rows]
    false = sum(bool(found) and not gold for found, gold in authors)
    assert len(rows) == 335
    assert false / len(rows) <= 0.02
