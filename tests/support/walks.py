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


def page_of(html: str | bytes, native: bool, **limits: int) -> Page:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsing, "native_available", native)
        patch.setattr(left_out, "native_available", native)
        page: Page = parsing.parse(html, "https://example.org/", **limits)
    return page


def check(html: str | bytes, **limits: int) -> Page:
    page, reference = (page_of(html, native, **limits) for native in (True, False))
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
    for name in ("metas", "links", "facts"):
        assert getattr(page.attributes, name) == getattr(reference.attributes, name), name
    rows = page.attributes.select("*")
    assert rows == reference.attributes.select("*")
    for selector in ("script", "style", "html"):  # also what was left out at first
        texts = page.attributes.inner_texts(selector)
        assert texts == reference.attributes.inner_texts(selector)
    return page
