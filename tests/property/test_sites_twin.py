"""Site methods against the loop over all pairs of blocks, on random small sites."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import joeira
from joeira.sites.content_extractor import ContentExtractor
from joeira.sites.xcex import XCEX
from strategies import sites
from support import site_twin
from support.plain_tree import Node, plain_tree

methods = st.builds(
    XCEX,
    tags=st.sampled_from((XCEX().tags, XCEX.original_tags().tags, ("body", "section", "p"))),
    blocks=st.sampled_from(("outermost", "innermost", "lossless")),
    exact_duplicate_rule=st.booleans(),
    exact_duplicate_of=st.sampled_from(("html", "text")),
    content_weight=st.sampled_from((0.0, 0.3, 0.5, 0.55, 0.6, 0.7, 0.75, 0.8, 1.0)),
    structure=st.sampled_from(("html_similarity", "cosine", "griazev")),
    content=st.sampled_from(
        ("cosine", "cosine", "levenshtein", "damerau_levenshtein", "hamming", "jaro_winkler")
    ),
    similarity_threshold=st.sampled_from((0.0, 0.5, 0.8)),
    compare_same_page=st.booleans(),
    word_pattern=st.sampled_from(("ascii", "unicode")),
    stop_words=st.booleans(),
    empty_elements_cut=st.booleans(),
    near_duplicates=st.just(False),  # the loop over all pairs knows equal pages only
)


def different(htmls: list[str]) -> list[str]:
    """A page given twice counts once."""
    return list(dict.fromkeys(htmls))


@settings(max_examples=80)
@given(sites(), methods)
def test_xcex_counts_as_the_loop_over_all_pairs(htmls: list[str], method: XCEX) -> None:
    htmls = different(htmls)
    pages = [joeira.parse(html) for html in htmls]
    blocks = [
        block
        for number, (html, page) in enumerate(zip(htmls, pages, strict=True))
        for block in site_twin.blocks_of(plain_tree(html), page, number, method)
    ]
    site = method.fit(pages)
    found = [n for page in pages for n in site.similar_pages(page, method.page_blocks(page)[1])]
    assert found == site_twin.xcex_counts(blocks)
    limit = max(1, method.page_limit_percent * len(pages) // 100)
    for number, page in enumerate(pages):
        kept = site.extract(page).keep
        own = [(b, n) for b, n in zip(blocks, found, strict=True) if b.page == number]
        rows = {node.row for b, n in own if 0 <= n < limit for node in b.nodes if node.is_text}
        assert set(page.text_rows[kept].tolist()) == rows


@settings(max_examples=40)
@given(sites(), methods)
def test_a_page_from_outside_is_one_more_page(htmls: list[str], method: XCEX) -> None:
    *learned, asked = [joeira.parse(html) for html in different(htmls)]
    apart = method.fit(learned).extract(asked)
    together = method.fit([*learned, asked]).extract(asked)
    assert apart.keep.tolist() == together.keep.tolist()
    assert apart.scores.tolist() == together.scores.tolist()


def nodes_of(html: str, method: ContentExtractor) -> list[Node]:
    return site_twin.block_set(plain_tree(html), method.tags, cut="outermost", need_word=False)


@settings(max_examples=50)
@given(
    sites(),
    st.builds(
        ContentExtractor,
        tags=st.sampled_from((ContentExtractor().tags, ("div", "p"))),
        similarity_threshold=st.sampled_from((0.3, 0.8, 0.9)),
        include_term_count=st.booleans(),
        near_duplicates=st.just(False),
    ),
)
def test_content_extractor_counts_as_the_loop_over_all_pairs(
    htmls: list[str], method: ContentExtractor
) -> None:
    htmls = different(htmls)
    pages = [joeira.parse(html) for html in htmls]
    nodes = [nodes_of(html, method) for html in htmls]
    site = method.fit(pages)
    found = []
    for page, expected in zip(pages, nodes, strict=True):
        blocks = method.pieces(page)
        assert [block.start for block in blocks] == [node.row for node in expected]
        found += site.similar_pages(page, list(map(method.described, blocks)))
    assert found == site_twin.content_extractor_counts(nodes, method)


@pytest.mark.parametrize("method", [XCEX(), XCEX(blocks="lossless"), ContentExtractor()])
def test_adding_pages_later_is_learning_from_all(method: XCEX | ContentExtractor) -> None:
    texts = ("alfa beta gama", "delta zeta rain", "rain rain town", "home news mail")
    pages = [joeira.parse(f"<p>home news mail<p>{text}<div>{text}</div>") for text in texts]
    at_once = method.fit(pages)
    later = method.fit(pages[:1]).update(pages[1:3]).update(pages[3:])
    assert at_once.to_dict() == later.to_dict()
    restored = method.restore(at_once.to_dict())
    for page in pages:
        assert restored.extract(page).text() == at_once.extract(page).text()
