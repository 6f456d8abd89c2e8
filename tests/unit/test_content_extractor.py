"""Content Extractor: the worked example of its description."""

from __future__ import annotations

import pytest

import joeira
from joeira.errors import BadParameter
from joeira.sites.content_extractor import ContentExtractor

NAV = "<p>home news mail</p>"
TOOLS = "<p><a>share</a> <a>print</a></p>"
PAGES = (
    f"{NAV}<p>alfa beta</p>{TOOLS}",
    f"{NAV}<p>gama delta</p><p><a>share</a> <a>print</a> mail</p>",
    f"{NAV}<p>zeta</p>",
)


def test_three_pages() -> None:
    pages = [joeira.parse(html) for html in PAGES]
    method = ContentExtractor()
    site = method.fit(pages)
    found = [
        site.similar_pages(page, list(map(method.described, method.pieces(page)))) for page in pages
    ]
    assert found == [[2, 0, 1], [2, 0, 1], [2, 0]]
    assert [site.extract(page).text().strip() for page in pages] == [
        "alfa beta", "gama delta", "zeta",
    ]  # fmt: skip


def test_heading_outside_every_block_is_lost() -> None:
    html = "<body><div><p>nav</p></div><article><h1>T</h1><div><p>one</p></div><p>two</p></article>"
    method = ContentExtractor()
    page = joeira.parse(html)
    assert [piece.text for piece in method.pieces(page)] == ["nav", "one", "two"]
    content = method.fit([page]).extract(page)
    assert content.text().split() == ["nav", "one", "two"]
    assert "outside every block" in [block.reason for block in content.explain()]


@pytest.mark.parametrize("count, expected", [(True, 1), (False, 0)])
def test_a_raw_number_of_terms_makes_long_paragraphs_alike(count: bool, expected: int) -> None:
    long = [
        " ".join(f"{letter}{n}" for n in range(size)) for letter, size in (("a", 100), ("b", 110))
    ]
    pages = [joeira.parse(f"<p>{text}</p>") for text in long]
    method = ContentExtractor(include_term_count=count)
    site = method.fit(pages)
    assert site.similar_pages(pages[0], list(map(method.described, method.pieces(pages[0])))) == [
        expected
    ]


def test_an_empty_rule_is_no_block() -> None:
    page = joeira.parse("<table><tr><td>a<hr>b</td></tr></table>")
    assert [piece.text for piece in ContentExtractor().pieces(page)] == ["a b"]


def test_a_bad_pattern_is_refused() -> None:
    with pytest.raises(BadParameter, match="word_pattern"):
        ContentExtractor(word_pattern="(")
