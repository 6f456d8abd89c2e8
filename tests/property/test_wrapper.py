"""Wrappers on random lists: what they read is there, and they survive being written down."""

from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.errors import InputError, UsageError
from joeira.records import Wrapper

URL = "https://example.org/list/"
_words = st.text("abcdefgh ", min_size=1, max_size=12).filter(str.strip)
_fields = (
    "<h3><a href='/p/{0}'>{0}</a></h3>",
    "<span class=price>{0}</span>",
    "<p class=by>by <b>{0}</b></p>",
    "<div class=box><p>{0}</p><p>{0} too</p></div>",
    "<img src='{0}.png'>",
    "<em itemprop=brand>{0}</em>",
    "{0}<br>",
)


@st.composite
def pages(draw: st.DrawFn) -> list[str]:
    """Two pages with lists of the same fields, some of them optional."""
    fields = draw(st.lists(st.sampled_from(_fields), min_size=1, max_size=5, unique=True))
    htmls = []
    for _ in range(2):
        items = []
        for _ in range(draw(st.integers(3, 6))):
            kept = [field.format(draw(_words).strip()) for field in fields]
            items.append(f"<li class=item>{''.join(kept)}</li>")
        htmls.append(f"<p>Before.</p><ul class=list>{''.join(items)}</ul><p>After.</p>")
    return htmls


@given(pages())
def test_every_value_is_in_its_record_and_no_record_is_missed(htmls: list[str]) -> None:
    first, second = (joeira.parse(html, URL) for html in htmls)
    try:
        wrapper = joeira.learn_records(first)
    except UsageError:
        return  # nothing repeats
    found = joeira.find_records(first, min_presence=0.0)[0]
    (again,) = wrapper.extract(first)
    assert {int(row) for row in found.slices[:, 0]} <= {int(row) for row in again.slices[:, 0]}
    for table in wrapper.extract(second):
        for record, cells in zip(table.records, table.cells, strict=True):
            for cell in filter(None, cells):
                inside = record.regions[0]
                assert inside.start <= cell.row < inside.stop
                if cell.url is None:
                    words = "".join(record.text.split())
                    assert all("".join(part.split()) in words for part in cell.text.split("|"))


@given(pages())
def test_written_down_and_read_again(htmls: list[str]) -> None:
    try:
        wrapper = joeira.learn_records(htmls[0])
    except UsageError:
        return
    again = Wrapper.from_dict(json.loads(wrapper.to_json()))
    assert again.xpaths == wrapper.xpaths
    assert [table.rows() for table in again.extract(htmls[1])] == [
        table.rows() for table in wrapper.extract(htmls[1])
    ]


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@given(_values, st.sampled_from(("records", "columns", "pages", "version", "format")))
def test_no_file_makes_loading_fail_in_another_way(value: object, name: str) -> None:
    data = joeira.learn_records("<ul>" + "<li>one <b>two</b></li>" * 4 + "</ul>").to_dict()
    with suppress(InputError):
        Wrapper.from_dict({**data, name: value})
