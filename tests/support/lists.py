"""Lists of records made by hand: every element that a CSS selector finds is one."""

from __future__ import annotations

import numpy as np

from joeira.page import Page, parse
from joeira.records.result import RecordTable

URL = "https://shop.example.com/list/"


def table_of(html: str | bytes | Page, selector: str = "li", names: str = "raw") -> RecordTable:
    """Return the elements that a selector finds as records, with the names of the markup."""
    page = html if isinstance(html, Page) else parse(html, URL)
    return table_of_rows(page, page.attributes.select(selector)).with_names(names)


def table_of_rows(page: Page, rows: list[int], parts: int = 1) -> RecordTable:
    """Return rows as records, each made of so many of them."""
    starts = np.array(rows, np.int64)
    slices = np.stack((starts, page.end[starts]), axis=1) if rows else np.zeros((0, 2), np.int64)
    record_of = np.arange(len(rows)) // parts
    table = RecordTable(page, page.region(page.body), slices, record_of, 1.0, "made by hand")
    return table.with_names("raw")


def items(*inner: str) -> str:
    """Return a list with these items."""
    return "<ul>" + "".join(f"<li>{text}</li>" for text in inner) + "</ul>"
