"""X-CEX: the worked examples, and each option on pages made for it."""

from __future__ import annotations

import numpy as np
import pytest

import joeira
from joeira.errors import BadParameter, UsageError
from joeira.sites.xcex import XCEX, likeness
from joeira.sites.xcex.likeness import griazev_similarity, html_similarity

NESTED = (
    "<html><body><div><p>nav</p></div><main><article><h1>T</h1><div><p>one</p><p>two</p></div>"
    "<p>outside</p></article></main></body></html>"
)
DIVS = (
    "<html><body><div><div>lead</div><div><p>a b</p></div></div><div>only text</div></body></html>"
)
WORDS = "ada bea cid dov eli fay gus hal ivo joy".split()


def ten_pages() -> list[joeira.Page]:
    pages = []
    for number, w in enumerate(WORDS):
        article = f"{w}a {w}b {w}c {w}d" if number < 8 else f"shared common {w}c {w}d"
        pages.append(
            joeira.parse(
                "<html><body><main><article><div><p>Home Sport News Contact</p>"
                f"<p>{article}</p><p>Updated {w} editor desk</p></div></article></main>"
            )
        )
    return pages


def counts(method: XCEX, pages: list[joeira.Page]) -> list[list[int]]:
    site = method.fit(pages)
    return [site.similar_pages(page, method.page_blocks(page)[1]) for page in pages]


@pytest.mark.parametrize(
    "html, method, expected",
    [
        (NESTED, XCEX(), ["one", "two"]),
        (DIVS, XCEX(), ["a b", "only text"]),
        (DIVS, XCEX(blocks="innermost"), ["lead", "a b", "only text"]),
        (DIVS, XCEX(blocks="lossless"), ["lead", "a b", "only text"]),
        (NESTED, XCEX(blocks="lossless"), ["nav", "T", "one", "two", "outside"]),
        (NESTED, XCEX.original_tags(), ["nav", "one", "two", "outside"]),
        ("<p>—</p><p> </p>", XCEX(), []),
    ],
)
def test_blocks(html: str, method: XCEX, expected: list[str]) -> None:
    assert [piece.text for piece in method.pieces(joeira.parse(html))] == expected


@pytest.mark.parametrize(
    "text, pattern, expected",
    [
        (
            "Não é o fim: a Seleção venceu por 3-0, disse o técnico!",
            "ascii",
            "disse fim por venceu",
        ),
        ("L'Équipe a gagné hier soir", "ascii", "hier soir"),
        ("L'Équipe a gagné hier soir", "unicode", "gagné hier soir équipe"),
    ],
)
def test_words(text: str, pattern: str, expected: str) -> None:
    method = XCEX(word_pattern=pattern, stop_words=False)  # type: ignore[arg-type]  # one of two names
    _, (block,) = method.page_blocks(joeira.parse(f"<p>{text}</p>"))
    assert sorted(block.words) == expected.split()


def test_stop_words_follow_the_language_of_the_page() -> None:
    html = "<html lang=pt-BR><p>o fim do jogo por venceu"
    assert "por" not in XCEX().page_blocks(joeira.parse(html))[1][0].words
    assert "por" in XCEX(stop_words=False).page_blocks(joeira.parse(html))[1][0].words


def test_stop_words_are_known_where_the_page_does_not_declare_its_language() -> None:
    sentence = "O fim do jogo foi uma festa para todos os que não tinham visto a final por perto."
    words = XCEX().page_blocks(joeira.parse(f"<p>{sentence}"))[1][0].words
    assert words == {"fim", "jogo", "festa", "todos", "tinham", "visto", "final", "perto"}


def test_empty_elements_cut_as_published() -> None:
    html = "<body><div>outer words<section></section><p>inner words</p></div><div>more</div>"
    page = joeira.parse(html)
    tags = ("body", "section", "div", "p")
    assert [piece.text for piece in XCEX(tags=tags).pieces(page)] == ["inner words", "more"]
    assert not XCEX(tags=tags, empty_elements_cut=True).pieces(page)


def test_a_site_tells_its_own_blocks() -> None:
    pages = ten_pages()
    site = joeira.learn_site(pages, XCEX(stop_words=False))
    blocks = site.blocks(pages[8])
    assert [block.text for block in blocks] == [
        "Home Sport News Contact",
        "shared common ivoc ivod",
        "Updated ivo editor desk",
    ]
    assert [block.similar_pages for block in blocks] == [-1, 1, 9]
    assert [block.ibdf for block in blocks] == [-1.0, 1.0, 1 / 9]
    assert [block.is_content for block in blocks] == [False, True, False]
    assert blocks[1].xpath == "/html/body/main/article/div/p[2]"
    assert blocks[2].to_dict()["ibdf"] == 1 / 9
    with pytest.raises(UsageError, match="no blocks of its own"):
        joeira.learn_site(pages).blocks(pages[0])


def test_structure_similarities() -> None:
    first, second = ("p",), ("p", "b")
    assert html_similarity(
        (first, frozenset({"a", "b"})), (second, frozenset({"b", "c"}))
    ) == pytest.approx(0.5 * 6 / 7 + 0.5 / 3)
    assert griazev_similarity(("p", "b", "i"), ("p", "a"), 0.225) == pytest.approx(
        0.408333, abs=1e-6
    )


@pytest.mark.parametrize(
    "kind, first, second, expected",
    [
        ("levenshtein", "kitten", "sitting", 1 - 3 / 7),
        ("levenshtein", "fish", "ifsh", 0.5),
        ("damerau_levenshtein", "fish", "ifsh", 0.75),
        ("damerau_levenshtein", "ca", "abc", 1 / 3),
        ("hamming", "abc", "abcd", 0.75),
        ("hamming", "", "", 1.0),
        ("jaro_winkler", "MARTHA", "MARHTA", 0.961111),
    ],
)
def test_content_similarities(kind: str, first: str, second: str, expected: float) -> None:
    (found,) = likeness.similarities(kind, first, [second], np.zeros(1))
    assert found == pytest.approx(expected, abs=1e-6)


def test_ten_pages() -> None:
    pages = ten_pages()
    assert counts(XCEX(), pages) == [[-1, 0 if page < 8 else 1, 9] for page in range(10)]
    site = XCEX().fit(pages)
    assert [site.extract(page).text().split()[0] for page in pages] == [
        *(f"{word}a" for word in WORDS[:8]), "shared", "shared",
    ]  # fmt: skip
    without = counts(XCEX(exact_duplicate_rule=False), pages)
    assert [found[0] for found in without] == [9] * 10


def test_reasons_name_the_pages() -> None:
    pages = ten_pages()
    content = XCEX().fit(pages).extract(pages[9])
    reasons = [block.reason for block in content.explain()]
    assert reasons == [
        "appears unchanged on another page of the site",
        "similar blocks on 1 of 10 pages; content if fewer than 2",
        "similar blocks on 9 of 10 pages; content if fewer than 2",
    ]


def test_limits_are_whole_percent_of_the_pages() -> None:
    pages = ten_pages()
    for percent, limit in ((0, 1), (15, 1), (35, 3), (100, 10)):
        content = XCEX(page_limit_percent=percent).fit(pages).extract(pages[9])
        assert f"content if fewer than {limit}" in list(content.explain())[1].reason


@pytest.mark.parametrize(
    "parameters, name",
    [
        ({"tags": ("P>",)}, "tags"),
        ({"tags": ()}, "tags"),
        ({"structure": "shape"}, "structure"),
        ({"content": "soundex"}, "content"),
        ({"content_weight": 1.1}, "content_weight"),
        ({"page_limit_percent": 101}, "page_limit_percent"),
    ],
)
def test_misuse(parameters: dict[str, object], name: str) -> None:
    with pytest.raises(BadParameter, match=name):
        XCEX(**parameters)  # type: ignore[arg-type]  # the mistake is tested
