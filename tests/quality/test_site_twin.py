"""Site methods against the loop over all pairs of blocks, on pages of real sites."""

from __future__ import annotations

from pathlib import Path

import pytest

from joeira.evaluation import datasets
from joeira.page import Page, parse
from joeira.sites import XCEX, ContentExtractor
from support import site_twin
from support.plain_tree import plain_copy

pytestmark = pytest.mark.quality

SITES = ("news-google.com", "portal-tv.msnbc.com_news")
PAGES = 4
METHODS = {
    "as published": XCEX(),
    "lossless": XCEX.recommended(),
    "tags of 2005, hamming": XCEX(tags=XCEX.original_tags().tags, content="hamming"),
    "cosine of counts": XCEX(structure="cosine", exact_duplicate_rule=False),
    "griazev": XCEX(structure="griazev", content_weight=0.55, exact_duplicate_of="text"),
}


@pytest.fixture(params=SITES)
def pages(request: pytest.FixtureRequest, bench: Path) -> list[Page]:
    path = bench / "sites" / f"{request.param}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no {path.name} under {bench}; set JOEIRA_BENCH to its folder")
    return [parse(row.html) for row in datasets.find(path, PAGES).rows()]


@pytest.mark.parametrize("name", METHODS)
def test_xcex_counts_as_the_loop_over_all_pairs(name: str, pages: list[Page]) -> None:
    method = METHODS[name]
    site = method.fit(pages)
    found = [n for page in pages for n in site.similar_pages(page, method.page_blocks(page)[1])]
    blocks = [
        block
        for number, page in enumerate(pages)
        for block in site_twin.blocks_of(plain_copy(page), page, number, method)
    ]
    assert found == site_twin.xcex_counts(blocks)
    assert len(set(found)) > 1


def test_content_extractor_counts_as_the_loop_over_all_pairs(pages: list[Page]) -> None:
    method = ContentExtractor()
    site = method.fit(pages)
    found = [
        count
        for page in pages
        for count in site.similar_pages(page, list(map(method.described, method.pieces(page))))
    ]
    nodes = [
        site_twin.block_set(plain_copy(page), method.tags, cut="outermost", need_word=False)
        for page in pages
    ]
    assert found == site_twin.content_extractor_counts(nodes, method)
    assert len(set(found)) > 1
