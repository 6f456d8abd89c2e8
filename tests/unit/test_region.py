"""Regions: views of rows."""

from __future__ import annotations

import joeira


def test_region_is_a_subtree() -> None:
    page = joeira.parse("<div><p>a  b</p><p>c</p></div>d")
    region = page.region(3)
    assert (region.start, region.stop) == (3, 8)
    assert region.text == "a b c"
    assert region.xpath == "/html/body/div"
    assert repr(region) == "<Region 3:8  'a b c'>"


def test_region_of_several_subtrees() -> None:
    page = joeira.parse("<div><p>a</p><p>b</p><p>c</p></div>")
    region = joeira.Region(page, 6, 10, "list", 0.5)
    assert region.text == "b c"
    assert region.xpath == "/html/body/div/p[2]"
    assert (region.label, region.score) == ("list", 0.5)


def test_xpath_of_the_root() -> None:
    assert joeira.parse("").xpath(0) == "/html"


def test_xpath_counts_siblings_of_the_same_tag_only() -> None:
    page = joeira.parse("<p>a</p><div>b</div><p>c</p>")
    rows = [int(page.parent[row]) for row in page.text_rows]
    assert [page.xpath(row) for row in rows] == [
        "/html/body/p[1]",
        "/html/body/div",
        "/html/body/p[2]",
    ]
