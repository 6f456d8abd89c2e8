"""Segments: the scorer agrees with the reference, and no method falls below what it reaches.

Figures of single pages are those of `joeira evaluate kreuzer-popular.jsonl.gz --task segments`, but
of the first pages; the default has seen them (its card has figures of unseen ones). Figures of
sites are of `benchmarks/segments.py`.
"""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from joeira.evaluation import segment_scores, tasks
from joeira.evaluation.datasets import Example, find
from joeira.evaluation.marked_sites import MarkedSite, oracle
from joeira.page import parse
from joeira.segments import TPS, TreeCut
from joeira.sites import SOM

pytestmark = pytest.mark.quality

PAGES = 12
FLOORS = {"learned": 0.696, "tps": 0.302}
"""ARI as measured on these pages, cut to three digits."""
SITE_FLOORS = {
    "doc-python-en": (0.212, 0.996, 0.996),
    "news-we-dwoje.pl": (0.933, 0.933, 0.953),
    "swde-book-waterstones": (0.912, 0.912, 0.939),
    "swde-nbaplayer-wiki": (0.353, 0.352, 0.736),
}
"""ARI of `SOM` on the first 20 pages: by thresholds as published, by thresholds with ids, and as by
default. Without ids the menu and the article of the first site are told apart on no page."""


def rows_of(file: Path, limit: int) -> list[Example]:
    if not file.is_file():
        pytest.skip(f"no data set {file}")
    return list(find(file, limit).rows())


@pytest.fixture(scope="module")
def pages(bench: Path) -> list[Example]:
    return rows_of(bench / "segments" / "kreuzer-popular.jsonl.gz", PAGES)


@pytest.fixture(scope="module")
def reference(bench: Path) -> ModuleType:
    pytest.importorskip("sklearn", reason="the reference scorer needs scikit-learn")
    file = bench / "segments" / "score.py"
    if not file.is_file():
        pytest.skip(f"no reference scorer {file}")
    spec = importlib.util.spec_from_file_location("reference_scorer", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_words_and_scores_are_those_of_the_reference(
    pages: list[Example], reference: ModuleType
) -> None:
    for row in pages:
        blocks = [
            {"xpath": block.xpath, "type": block.type, "level": block.level} for block in row.blocks
        ]
        _, words, inner, _ = reference.gold_labels({"html": row.html, "blocks": blocks})
        gold = segment_scores.Gold(row)
        assert gold.marked.words == [word for word, _ in words]
        assert gold.marked.block.tolist() == [-1 if own is None else own for own in inner]
        parts = tasks.SEGMENTS.output_of(TPS().extract(parse(row.html)))
        found = segment_scores.spread(gold.marked.words, parts)
        labels = [None if own < 0 else own for own in found.tolist()]
        scores = reference.segmentation_scores(inner, labels)
        expected = [scores[name] for name in ("ari", "nmi", "b3p", "b3r", "b3f")]
        assert gold.measure(parts)[:5] == pytest.approx(expected)


@pytest.mark.parametrize("method", [TreeCut(), TPS()], ids=["learned", "tps"])
def test_single_pages(method: TreeCut | TPS, pages: list[Example]) -> None:
    found = [
        segment_scores.Gold(row).measure(tasks.SEGMENTS.output_of(method.extract(parse(row.html))))
        for row in pages
    ]
    name = "learned" if isinstance(method, TreeCut) else "tps"
    assert np.mean(found, axis=0)[0] >= FLOORS[name]


@pytest.mark.parametrize("site", SITE_FLOORS)
def test_sites(site: str, bench: Path) -> None:
    rows = rows_of(bench / "segments" / "siteseg" / f"{site}.jsonl.gz", 20)
    published = MarkedSite.of(rows, SOM.published("thresholds")).scores()["ari"]
    with_ids = MarkedSite.of(rows, SOM("thresholds", join_text=False)).scores()["ari"]
    marked = MarkedSite.of(rows, SOM())
    default = marked.scores()["ari"]
    for measured, floor in zip((published, with_ids, default), SITE_FLOORS[site], strict=True):
        assert measured >= floor
    assert default >= with_ids
    assert marked.scores(oracle(marked))["ari"] >= default
