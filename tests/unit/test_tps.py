"""Tag path sequences: the examples of the thesis as pages, and the readings as parameters."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import joeira
from joeira import catalog, formats
from joeira.content import TPS
from joeira.errors import BadParameter
from joeira.page.tag_paths import TagPathFilter, tag_path_sequence
from joeira.records import MDR, SubtreeClasses


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
    # The parser adds the tbody that the thesis' figure does without.
    assert sequence.codes.tolist() == [1, 2, 3, 4, 5, 5, 4, 5, 5]


def test_codes_are_numbered_by_first_appearance() -> None:
    sequence = tag_path_sequence(joeira.parse(listing(4, 10, 4)), text_nodes=False)
    spans_ = [4] * 4, [5] * 10, [6] * 4
    assert sequence.codes.tolist() == [1, 2, 3, *spans_[0], 3, *spans_[1], 3, *spans_[2], 2]


def test_main_region_of_the_listing() -> None:
    page = joeira.parse(listing(4, 10, 4))
    found = TagPathFilter(text_nodes=False).apply(page)
    assert (found.nodes, found.nodes_inside, found.nodes_left) == (24, 12, 13)
    assert (found.start, found.stop) == (7, 19)
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


# The filter before other methods -----------------------------------------------------------------

LISTING = Path("examples/listing.html")


def records(found: joeira.Records) -> list[list[str]]:
    return [[record.text for record in table.records] for table in found]


@pytest.mark.parametrize("membership", ["position", "code"])
def test_main_region_and_complement_part_the_page(membership: Any) -> None:
    page = joeira.parse(LISTING.read_bytes())
    main, rest = (
        TPS(region=each, membership=membership).extract(page) for each in ("main", "complement")
    )
    assert (main.keep ^ rest.keep)[page.text_rows > page.body].all()
    kept = {
        content.reason: {block.code for block in content.explain() if block.kept}
        for content in (main, rest)
    }
    assert list(kept.values()) == [{"in_region"}, {"outside_region"}]
    numbers = [int(reason.split(": ")[1].split()[0]) for reason in kept]
    assert sum(numbers) == len(tag_path_sequence(page).rows)


def test_the_pruned_page_keeps_its_structure() -> None:
    html = listing(4, 10, 4).replace("<div>", "<div class=c id=i data-x='1 &lt; 2' onclick='x()'>")
    html = html.replace(
        "<body>", "<html lang=pt><title>T &amp; U</title><body class=b><script>s</script>"
    )
    html = html.replace(
        "<span class=region2>2.5",
        "<embed src=e><iframe src=f></iframe><img src=i.png><span class=region2 "
        "href=' java\nscript:x()'>2.5",
    )
    pruned = TPS(text_nodes=False).prune(joeira.parse(html))
    page = joeira.parse(pruned)
    names = [page.tag_name(row) for row in range(page.body, len(page))]
    assert names == ["body", "div", *["span", "#text"] * 5, "img", *["span", "#text"] * 5, "div"]
    assert page.attributes.of(page.body) == {"class": "b"}
    assert page.attributes.of(page.body + 1) == {"class": "c", "id": "i", "data-x": "1 < 2"}
    assert page.attributes.of(0) == {"lang": "pt"}
    assert "<title>T &amp; U</title>" in pruned
    assert "script:" not in pruned
    assert "<script" not in pruned
    assert '<img src="i.png">' in pruned
    assert "default-src 'none'" in pruned


@pytest.mark.parametrize("method", [MDR, SubtreeClasses])
@pytest.mark.parametrize(
    "settings", [{}, {"frequent": "above", "split_policy": "scan_on"}, {"region": "complement"}]
)
def test_another_extractor_finds_the_same_on_the_pruned_page(
    method: Any, settings: dict[str, Any]
) -> None:
    page = joeira.parse(LISTING.read_bytes())
    pruned = joeira.parse(TPS(**settings).prune(page))
    expected = records(method(prefilter=settings).extract(page))
    assert expected
    assert records(method().extract(pruned)) == expected


def test_the_filter_goes_before_any_record_method() -> None:
    html = LISTING.read_bytes()
    found = joeira.find_records(html, prefilter={"frequent": "above"})
    assert len(found[0]) == 10
    assert len(found.page) < len(joeira.parse(html))
    others = joeira.find_records(html, prefilter={"region": "complement"}, min_presence=0)
    assert "Moradia T3" not in others.page.text_of(0)
    assert not joeira.find_records(html, "tables", prefilter="tps")


def test_prefilter_settings_as_texts() -> None:
    texts = {"prefilter.frequent": "above", "prefilter.min_imbalance": "0.1"}
    filter_ = TagPathFilter(min_imbalance=0.1, frequent="above")
    assert catalog.build("mdr", texts, "records") == MDR(prefilter=filter_)
    assert catalog.build("tables", texts, "records").prefilter == filter_


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"prefilter.often": "above"}, "prefilter has no parameter 'often'; it has: min_imb"),
        ({"prefilter.frequent": "often"}, "prefilter.frequent must be one of at_least, above"),
        ({"prefilter": "tps", "prefilter.frequent": "above"}, "prefilter is also given as a whole"),
        ({"nested.frequent": "above"}, "nested.frequent: nested has no parts"),
        ({"prefilter": "all"}, "prefilter must be one of none, tps, tps_scan_on, or any of min_"),
    ],
)
def test_wrong_prefilter_settings(settings: dict[str, str], message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        catalog.build("mdr", settings, "records")


def test_the_sequence_as_a_drawing() -> None:
    page = joeira.parse(listing(4, 10, 4))
    root = ElementTree.fromstring(formats.write("content", "svg", TPS().extract(page)))
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "Tag path sequence: 42 nodes, 9 tag paths, 10 of 18 texts kept"
    assert ElementTree.fromstring(formats.write("content", "svg", TPS().extract(joeira.parse(""))))
