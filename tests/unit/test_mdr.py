"""MDR on the worked examples of its papers: trees of tags without text."""

import dataclasses
import re

import numpy as np
import pytest

import joeira
from joeira.arrays.matching import Shapes, SiblingTree
from joeira.page import tags
from joeira.records import MDR
from joeira.records.mdr import edit_distance

PAPER = MDR(comparison="string", text_nodes=False, drop_empty=False, nested=False)


def html(notation: str) -> str:
    """Return ``a(b c)`` as tags of made-up elements, each leaf with a text."""
    tokens = re.findall(r"\w+|[()]", notation)
    parts: list[str] = []
    opened: list[str] = []
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if token == ")":
            parts.append(f"</x-{opened.pop()}>")
        elif token != "(":
            parts.append(f"<x-{token}>")
            if following == "(":
                opened.append(token)
            else:
                parts.append(f"{token}</x-{token}>")
    return "".join(parts)


def records(notation: str, method: MDR = PAPER) -> list[list[list[str]]]:
    found = method.extract(joeira.parse(html(notation)))
    in_page_order = sorted(found, key=lambda table: table.slices[0, 0])
    return [
        [[region.text for region in record.regions] for record in table.records]
        for table in in_page_order
    ]


def test_rows_that_differ_by_a_cell() -> None:
    found = records("table(tr(td td) tr(td td) tr(td td td) tr(td td))")
    # The made-up rows are no rows of a data table, so each is a row of records.
    assert found == [[["td"]] * 9]


def test_rows_of_a_data_table_are_records() -> None:
    row = "<tr><td>a</td><td>b</td></tr>"
    (table,) = PAPER.extract(
        joeira.parse(f"<table>{row * 2}{row[:-5]}<td>c</td></tr>{row}</table>")
    )
    assert [record.text for record in table.records] == ["a b", "a b", "a b c", "a b"]


def test_generalised_nodes_of_two_subtrees() -> None:
    assert records("div(h(a) p(s s) h(a) p(s s) h(a) p(s s)) hr") == [[["a s s"]] * 3]


def test_cells_of_layout_rows_are_records() -> None:
    row = "tr(td(img b i) td(img b i))"
    assert records(f"table({row} {row})") == [[["img b i"]] * 4]


def test_children_that_differ_are_one_record() -> None:
    assert records("ul(li(h p) li(h p) li(h p))") == [[["h p"]] * 3]


def test_rows_that_differ_too_much_are_searched_further() -> None:
    found = records("table(tr(td(x y) td(x y)) tr(td(z w v) td(z w v)))")
    assert found == [[["x y"]] * 2, [["z w v"]] * 2]


def test_records_that_lie_across_their_rows() -> None:
    names, prices = "n(t(a b) t(a b))", "p(m(c d e f g) m(c d e f g))"
    found = records(f"table({names} {prices} {names} {prices})")
    assert found == [[["a b", "c d e f g"]] * 4]


def test_rows_of_records_of_two_subtrees_each() -> None:
    items = ["s(q) p(t(a b) u(c d))", "s(q) p(t(a b) u(c d) v)"]
    rows = f"row({' '.join(items * 2)} end) row({' '.join(items[::-1] * 2)} end)"
    nested = dataclasses.replace(PAPER, nested=True)
    assert len(records(f"list({rows})")[0]) == 2
    assert [[part for (part,) in table] for table in records(f"list({rows})", nested)] == [
        ["q a b c d", "q a b c d v"] * 2 + ["q a b c d v", "q a b c d"] * 2
    ]


def test_a_list_within_a_record_is_no_list_of_records() -> None:
    item = "<li><h3>title</h3><ul><li>a</li><li>b</li><li>c</li></ul></li>"
    (table,) = MDR().extract(joeira.parse(f"<div><ul>{item * 4}</ul></div>"))
    assert [record.text for record in table.records] == ["title a b c"] * 4


def test_shorter_generalised_nodes_take_the_place_of_longer_ones() -> None:
    short, long = "h(a) p(s s)", "h(a) p(s s s s s s s s)"
    # Runs of four are alike all along; of two only where none is much longer than the next.
    notation = f"div({short} {short} {long} {long} {short} {short} {long} {long})"
    assert [len(table) for table in records(notation)] == [2]
    nested = dataclasses.replace(PAPER, nested=True)
    assert [len(table) for table in records(notation, nested)] == [8]


def test_sections_of_a_list_are_one_table() -> None:
    item = "<div><img src=x><h3>name</h3><p><b>4</b> <i>5</i></p></div>"
    section = "<section><h2>part</h2><p>about</p><div>{}</div></section>"
    page = joeira.parse("<main>" + "".join(section.format(item * n) for n in (8, 5, 5)) + "</main>")
    (table,) = MDR().extract(page)
    assert len(table) == 18
    assert table.reason == "3 neighbours of subtree each are similar; they contain 18 records"


def test_separators_do_not_break_a_list() -> None:
    items = "<li><h3>a</h3><p>b</p></li><hr>" * 2 + "<li><h3>a</h3><p>b</p></li>" * 2
    page = joeira.parse(f"<div><ul>{items}</ul></div>")
    assert len(MDR().extract(page)[0]) == 4


def test_only_the_main_region_is_searched() -> None:
    menu = "<nav>" + "<div><a href=x>home</a></div>" * 4 + "</nav>"
    items = "<main>" + "<article class=x><h2>title</h2><p>text</p></article>" * 9 + "</main>"
    page = joeira.parse(menu + items)
    assert [len(table) for table in MDR().extract(page)] == [9, 4]
    assert [len(table) for table in MDR(prefilter="tps").extract(page)] == [9]


def test_the_filter_may_go_on_past_a_border_that_does_not_pass() -> None:
    def entries(name: str, count: int) -> str:
        return f"<div class={name}><b>a</b><i>b</i></div>" * count

    # The first border parts halves of nearly one size; the second one drops the last entries.
    page = joeira.parse(entries("x", 10) + entries("y", 10) + entries("z", 2))
    tables = {use: MDR(prefilter=use).extract(page) for use in ("tps", "tps_scan_on")}
    assert {use: len(found[0]) for use, found in tables.items()} == {"tps": 22, "tps_scan_on": 20}


@pytest.mark.parametrize("method", [MDR(), MDR(comparison="string")])
def test_long_lists(method: MDR) -> None:
    page = joeira.parse("<ul>" + "<li><b>a</b> b <i>c</i></li>" * 20_000 + "</ul>")
    (table,) = method.extract(page)
    assert len(table) == 20_000


@pytest.mark.parametrize("method", [MDR(), MDR(comparison="string")])
def test_lists_made_to_take_long_end(method: MDR) -> None:
    names = ("em", "b", "i", "u")
    items = []
    for number in range(1024):
        kinds = [names[number >> 2 * place & 3] for place in range(5)]
        items.append("<li>" + "".join(f"<{kind}>x</{kind}>" for kind in kinds) + "</li>")
    assert method.extract(joeira.parse(f"<ul>{''.join(items)}</ul>"))


def test_simple_tree_matching() -> None:
    page = joeira.parse(html("p(a b(c d) e) p(a b(c) f e)"))
    rows = np.flatnonzero(~page.is_text & (np.arange(len(page)) >= page.body))
    tree = SiblingTree.induced(tags.tag_symbols(page), page.parent, rows)
    shapes = Shapes()
    shape = shapes.add_tree(tree)
    first, second = (shape[row] for row in tree.children[:2])
    assert shapes.matched([first], [second]) == 5
    assert shapes.size[first] == shapes.size[second] == 6


@pytest.mark.parametrize(
    "first, second, expected",
    [
        ("", "", 0),
        ("", "ab", 2),
        ("ab", "", 2),
        ("kitten", "sitting", 3),
        ("abc" * 50, "acb" * 50, 100),
    ],
)
def test_edit_distance(first: str, second: str, expected: int) -> None:
    assert edit_distance(first, second) == expected
