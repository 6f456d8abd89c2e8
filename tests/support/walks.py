"""The same page by the walk in C and by its reference, compared column by column."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from joeira.page import Page, left_out

parsing = import_module("joeira.page.parse")  # the function of this name hides it
COLUMNS = (
    "tag", "parent", "depth", "gap_before", "end", "known_tag", "in_head", "text_rows",
    "text_linked", "text_index",
)  # fmt: skip
NAMES = ("classes", "ids", "roles")
PLAIN = ("texts", "foreign_names", "notes", "encoding", "scripting", "is_plain_text")


def page_of(html: str | bytes, native: bool, parsed: bool = False, **limits: int) -> Page:
    """The page by the kernels or by their reference; `parsed`: not from its source."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsing, "native_available", native)
        patch.setattr(left_out, "native_available", native)
        if parsed:
            patch.setattr(parsing, "_plain_table", lambda *_: None)
        page: Page = parsing.parse(html, "https://example.org/", **limits)
    return page


def check(html: str | bytes, **limits: int) -> Page:
    """Compare the page as it is read with what else it could be read by; return it."""
    reference = page_of(html, native=False, **limits)
    compare(page_of(html, native=True, parsed=True, **limits), reference)
    page = page_of(html, native=True, **limits)
    compare(page, reference)
    return page


def compare(page: Page, reference: Page) -> None:
    for name in COLUMNS:
        ours, theirs = getattr(page, name), getattr(reference, name)
        assert ours.dtype == theirs.dtype, name
        assert not ours.flags.writeable, name
        np.testing.assert_array_equal(ours, theirs, name)
    assert page.some_texts(0, page.text_count) == reference.texts
    for name in ("codes", "classes", "starts"):
        ours, theirs = getattr(page.characters, name), getattr(reference.characters, name)
        assert ours.dtype == theirs.dtype, name
        np.testing.assert_array_equal(ours, theirs, name)
    for name in NAMES:
        (ours, values), (theirs, expected) = getattr(page, name), getattr(reference, name)
        assert values == expected
        assert ours.dtype == theirs.dtype, name
        np.testing.assert_array_equal(ours, theirs, name)
    for name in PLAIN:
        assert getattr(page, name) == getattr(reference, name), name
    for name in ("metas", "links", "facts", "metas_named_otherwise"):
        assert getattr(page.attributes, name) == getattr(reference.attributes, name), name
    for selector in ("p", "meta[content]", "a[href]", "p[class~='a' i]", "link[rel~='x' i][href]"):
        assert page.attributes.select(selector) == reference.attributes.select(selector), selector
        values = page.attributes.values(selector, "class")
        assert values == reference.attributes.values(selector, "class"), selector
    facts = reference.attributes.fact_rows
    assert [row for row, _ in page.attributes.fact_rows] == [row for row, _ in facts]
    for row, number in page.attributes.fact_rows:
        assert number < 0 or page.attributes.facts[number] == reference.attributes.inner_text(row)
    for name in ("class", "href", "style", "itemprop"):
        assert page.attributes.column(name) == reference.attributes.column(name), name
    for names in (("class",), ("content", "itemprop", "rel")):
        assert page.attributes.having(*names) == reference.attributes.having(*names)
    assert [*page.attributes.described] == [*reference.attributes.described]
    rows = reference.attributes.select("*")
    for row in rows[:: max(len(rows) // 300, 1)]:
        assert page.attributes.of(row) == reference.attributes.of(row)
        assert page.attributes.get(row, "id") == reference.attributes.get(row, "id")
        if rows[-1] < 300:
            text = reference.attributes.inner_text(row)
            assert page.attributes.inner_text(row) == text, page.tag_name(row)
    assert page.attributes.select("*") == rows
    for selector in ("script", "style", "html"):  # also what was left out at first
        texts = page.attributes.inner_texts(selector)
        assert texts == reference.attributes.inner_texts(selector)
