"""HTML tables as records: headers, spans, links, and tables that are none."""

import numpy as np
import pytest

import joeira
from joeira.errors import BadParameter
from joeira.records import HTMLTables
from joeira.records.fields.grid import table_grids
from joeira.records.result import RecordTable

PLAIN = "<tr><td>Tea<td>5<tr><td>Coffee<td>7<tr><td>Milk<td>2"


def only(html: str) -> RecordTable:
    (table,) = joeira.find_records(html, "tables", url="https://example.org/")
    return table


@pytest.mark.parametrize(
    "header",
    [
        "<thead><tr><td>Drink<td>Cups</thead>",
        "<tr><th>Drink<th>Cups",
        "<tr><td><b>Drink</b><td><strong>Cups</strong>",
        "<tr><td>Drink<td>Cups",  # words above numbers
    ],
)
def test_headers_name_columns(header: str) -> None:
    table = only(f"<table>{header}{PLAIN}</table>")
    assert table.columns == ("Drink", "Cups")
    assert [column.kind for column in table.columns] == ["text", "number"]
    assert [column.source for column in table.columns] == ["header", "header"]
    assert table.rows() == [["Tea", "5"], ["Coffee", "7"], ["Milk", "2"]]
    assert "header" in table.reason


def test_no_header() -> None:
    table = only("<table><tr><td>Tea<td>hot<tr><td>Milk<td>cold</table>")
    assert table.columns == ("column_1", "column_2")
    assert len(table) == 2


def test_header_in_two_lines() -> None:
    head = "<tr><th rowspan=2>Town<th colspan=2>People<tr><th>2010<th>2020"
    body = "<tr><td>Faro<td>64<td>67<tr><td>Lagos<td>31<td>33"
    table = only(f"<table>{head}{body}</table>")
    assert table.columns == ("Town", "People 2010", "People 2020")
    assert table.rows() == [["Faro", "64", "67"], ["Lagos", "31", "33"]]


def test_spans_are_resolved() -> None:
    body = "<tr><td rowspan=2>A<td>1<td>x<tr><td>2<td>y<tr><td>B<td colspan=2>both"
    table = only(f"<table><tr><th>K<th>N<th>L{body}</table>")
    assert table.rows() == [["A", "1", "x"], ["A", "2", "y"], ["B", "both", "both"]]
    assert [column.css for column in table.columns] == [None, None, None]  # spans move them


def test_selectors_count_cells() -> None:
    table = only(f"<table><tr><th>a<th>b{PLAIN}</table>")
    assert table.columns[1].css == ":scope > :nth-child(2)"
    assert table.columns[1].xpath == "./*[2]"


def test_links_and_images_of_cells() -> None:
    body = "".join(f"<tr><td><img src={n}.png><td><a href=/t/{n}>Tea {n}</a>" for n in range(3))
    table = only(f"<table><tr><th>Picture<th>Name{body}</table>")
    assert table.columns == ("Picture", "Name", "Name_url")
    assert table.rows()[1] == ["https://example.org/1.png", "Tea 1", "https://example.org/t/1"]
    assert [column.kind for column in table.columns] == ["image", "text", "link"]


def test_empty_columns_are_left_out() -> None:
    body = "<tr><td>1<td><td>x<tr><td>2<td> <td>y"
    assert only(f"<table><tr><th>a<th>b<th>c{body}</table>").columns == ("a", "c")


def test_layout_tables_are_no_records() -> None:
    found = joeira.find_records("<table><tr><td><h1>Hello</h1><td><p>you</table>", "tables")
    assert not found
    assert found.reason == "the page has no table of data"


def test_larger_tables_come_first() -> None:
    small = f"<table>{PLAIN}</table>"
    large = f"<table>{PLAIN * 3}</table>"
    found = joeira.find_records(small + large, "tables")
    assert [len(table) for table in found] == [9, 3]


def test_min_records() -> None:
    assert not joeira.find_records(f"<table>{PLAIN}</table>", "tables", min_records=4)
    with pytest.raises(BadParameter):
        HTMLTables(min_records=0)


@pytest.mark.parametrize("span", ["colspan=1000", "rowspan=65534", "colspan=999 rowspan=0"])
def test_spans_cannot_make_a_grid_huge(span: str) -> None:
    page = joeira.parse(f"<table>{f'<tr><td {span}>x<td {span}>y' * 300}</table>")
    (grid,) = table_grids(page)
    assert grid.cells.size <= 20_000
    assert set(np.unique(grid.cells[grid.cells >= 0])) <= set(np.flatnonzero(page.tag).tolist())
