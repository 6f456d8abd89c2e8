"""Tag path sequences: the examples of the thesis as pages, and the readings as parameters."""

import pytest

import joeira
from joeira.content import TPS
from joeira.page.tag_paths import main_region, tag_path_sequence


def spans(region: int, count: int) -> str:
    items = "".join(f"<span class=region{region}>{region}.{n}</span>" for n in range(count))
    return f"<div>{items}</div>"


def listing(menu: int, main: int, adverts: int) -> str:
    parts = spans(1, menu) + spans(2, main) + spans(3, adverts)
    return f"<body><br>{parts}<br></body>"


TABLE = "<body><table><tbody><tr><td></td><td></td></tr><tr><td></td><td></td></tr></table>"


def test_sequence_of_a_table() -> None:
    page = joeira.parse(TABLE)
    sequence = tag_path_sequence(page, text_nodes=False)
    number = {code: place for place, code in enumerate(dict.fromkeys(sequence.codes.tolist()), 1)}
    # The parser adds the tbody that the thesis' figure does without.
    assert [number[code] for code in sequence.codes.tolist()] == [1, 2, 3, 4, 5, 5, 4, 5, 5]


def test_main_region_of_the_listing() -> None:
    page = joeira.parse(listing(4, 10, 4))
    found = main_region(page, tag_path_sequence(page, text_nodes=False))
    assert (found.nodes, found.nodes_inside, found.nodes_left) == (24, 12, 13)
    names = [page.tag_name(row) for row in range(len(page)) if found.kept[row]]
    # The third div is in the range but lost its spans.
    assert names == ["html", "body", "div", *["span", "#text"] * 10, "div"]


@pytest.mark.parametrize("text_nodes", [True, False])
def test_content_is_the_main_region(text_nodes: bool) -> None:
    content = TPS(text_nodes=text_nodes).extract(joeira.parse(listing(4, 10, 4)))
    assert content.text().split() == [f"2.{n}" for n in range(10)]
    assert "12 of 24 nodes" in content.note or text_nodes
    assert [block.kept for block in content.explain()] == [False, True, False]


def test_style_tells_regions_apart() -> None:
    page = joeira.parse(listing(4, 10, 4))
    assert len(TPS().extract(page).text().split()) == 10
    assert len(TPS(style="class").extract(page).text().split()) == 10
    assert len(TPS(style="none").extract(page).text().split()) == 18


def test_membership_by_path_keeps_nodes_outside_the_region() -> None:
    page = joeira.parse(listing(4, 10, 4).replace("<div>", "<div>label"))
    assert TPS().extract(page).blocks()[0].startswith("label2.0")
    by_code = TPS(membership="code").extract(page).blocks()
    assert by_code[0] == "label"
    assert by_code[1].startswith("label2.0")


def test_head_and_scripts_are_no_nodes() -> None:
    page = joeira.parse("<title>t</title><body><script></script><p>a</p><svg><g></g></svg>")
    names = [page.tag_name(row) for row in tag_path_sequence(page).rows]
    assert names == ["body", "p", "#text"]
