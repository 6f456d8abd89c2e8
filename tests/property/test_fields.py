"""Columns and cells on any page: no error, nothing lost, nothing invented."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.page import Page
from joeira.records.result import RecordTable
from strategies import pages
from support.examples import EXAMPLES
from support.hostile import FAMILIES
from support.html import documents
from support.lists import table_of_rows


def squeezed(text: str) -> str:
    return "".join(text.split())


def children(page: Page, row: int) -> list[int]:
    return np.flatnonzero(page.parent == row).tolist()


def check(table: RecordTable) -> None:
    """What holds of every table."""
    page = table.page
    rows = table.rows()
    assert len(rows) == len(table)
    assert len(set(table.columns)) == len(table.columns)
    assert all(len(row) == len(table.columns) for row in rows)
    for name, column in zip(table.columns, table.fields.cells, strict=True):
        assert name
        assert any(column), "an empty column"
        for record, cell in zip(table.records, column, strict=True):
            if cell is None:
                continue
            assert cell.value
            assert cell.text == " ".join(cell.text.split())
            # The cell of a table may cover several lines.
            spans = page.tag_name(cell.row) in ("td", "th")
            assert spans or any(part.start <= cell.row < part.stop for part in record.regions)
            if name != "other":
                below = squeezed("".join(page.texts[slice(*page.text_index[
                    [cell.row, page.end[cell.row]]
                ])]))  # fmt: skip
                for part in cell.text.split(" | "):
                    assert squeezed(part) in below
    table.to_csv(safe=True)
    table.to_markdown()


@EXAMPLES
@given(pages() | documents, st.data())
def test_any_siblings(html: str, data: st.DataObject) -> None:
    page = joeira.parse(html, "https://example.org/")
    parents = np.unique(page.parent[1:]).tolist() or [0]
    rows = children(page, data.draw(st.sampled_from(parents)))
    parts = data.draw(st.integers(1, 3))
    check(table_of_rows(page, rows, parts))


@EXAMPLES
@given(pages())
def test_no_text_is_lost(html: str) -> None:
    """A text that only one record has is in a cell of it, unless it says nothing."""
    page = joeira.parse(html)
    table = table_of_rows(page, children(page, page.body))
    texts = [
        {" ".join(page.texts[number].split()) for number in range(*page.text_index[
            [record.regions[0].start, record.regions[0].stop]
        ])}
        for record in table.records
    ]  # fmt: skip
    seen = Counter(text for own in texts for text in own)
    for own, cells in zip(texts, table.cells, strict=True):
        shown = squeezed(" ".join(cell.text for cell in cells if cell))
        for text in own:
            if seen[text] == 1 and any(map(str.isalnum, text)):
                assert squeezed(text.rpartition(":")[2]) in shown


@pytest.mark.parametrize("family", FAMILIES)
def test_hostile_pages(family: str) -> None:
    page = joeira.parse(FAMILIES[family].make(FAMILIES[family].small))
    fullest = np.bincount(page.parent[1:]).argmax() if len(page) > 1 else 0
    check(table_of_rows(page, children(page, int(fullest))))
