"""The kernels that read what a page declares say the same as the plain functions beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira._native import native_available
from joeira.arrays.strings import collapse
from joeira.metadata import statements, structured
from joeira.metadata.claims import as_read, unescaped
from joeira.metadata.statements import Statements
from joeira.page.left_out import without_surrogates
from support.walks import page_of

if native_available:
    from joeira._native import characters, declarations

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")

_SPACES = " \t\n\r\x0b\x1c\x1f\x7f\x85\xa0\u2003\u3000"
_NAMES = st.sampled_from(
    (
        "",
        " ",
        "og:title",
        " og:title",
        "OG:Title\n",
        "author",
        "É",
        "é",
        "İ",
        "\xa0author",
        "\u8aad",
    )
)


@given(st.text(st.sampled_from(f"ab é\u8aad\U0001d4b3{_SPACES}"), max_size=12))
def test_texts_that_collapsing_does_not_change(text: str) -> None:
    plain = " ".join(text.split())
    assert characters.is_collapsed(text) == (text == plain)
    assert collapse(text) == plain


@given(st.text(st.sampled_from("ab  &amp;\n\xa0é\u8aad\U0001d4b3\ud800\udc00"), max_size=12))
def test_texts_that_are_as_people_read_them(text: str) -> None:
    slow = collapse(without_surrogates(unescaped(text)))
    assert as_read(text) == slow
    assert not characters.is_plain(text) or text == slow


@given(
    st.lists(st.tuples(_NAMES, _NAMES, st.sampled_from(("", "a", " "))), max_size=8),
    st.dictionaries(st.integers(0, 8), st.tuples(_NAMES, _NAMES)),
)
def test_metas_by_name(
    metas: list[tuple[str, str, str]], otherwise: dict[int, tuple[str, str]]
) -> None:
    rows = [3 * number for number in range(len(metas))]
    expected = statements._named(metas, rows, otherwise)
    assert declarations.named(metas, rows, otherwise) == expected


def test_metas_have_a_row_each() -> None:
    with pytest.raises(ValueError, match="row"):
        declarations.named([("a", "", "b")], [], {})


@given(
    st.lists(
        st.lists(st.sampled_from(("image_src", "IMAGE_SRC", "x", " ", "\n", "\x1c", "é"))).map(
            "".join
        ),
        max_size=5,
    )
)
def test_relations_of_links(relations: list[str]) -> None:
    links = [(relation, "/") for relation in relations]
    numbers = [n for n, names in enumerate(relations) if "image_src" in names.lower().split()]
    assert declarations.related("image_src", links) == numbers


_KEYS = st.sampled_from(
    (
        "@type",
        "@id",
        "@graph",
        "name",
        "Author",
        "review",
        "schema:name",
        "mainEntity",
        "é",
        "",
        "a-b",
    )
)
_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(("Article", "#1", "\u8aad")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=25,
)


def _without_kernels(read: Any, *given: object) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structured, "native_available", False)
        return read(*given)


@given(_DATA)
def test_things_in_data(data: object) -> None:
    found = structured._things(data)
    assert found == _without_kernels(structured._things, data)
    for _, _, thing in found:
        assert structured._named(thing) == _without_kernels(structured._named, thing)
        assert not declarations.are_plain(thing) or structured._named(thing) is thing


@given(_DATA, st.integers(0, 4), st.integers(0, 12))
def test_so_many_things_are_looked_at(data: object, most: int, most_seen: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structured, "MAX_THINGS", most)
        patch.setattr(structured, "MAX_SEEN", most_seen)
        assert structured._things(data) == _without_kernels(structured._things, data)


def test_data_however_deep() -> None:
    data: object = {}
    for _ in range(20_000):
        data = [{"review": data}]
    found = structured._things(data)
    assert len(found) == 20_001
    assert found[1][:2] == ("$[0].review[0]", 2)


_TAGS = st.lists(
    st.sampled_from(
        (
            "<html lang=en>", "<html LANG=de itemscope class=a>", "<body>", "<body id=b class=c>",
            "<body itemscope itemtype=Article lang=fr>", "<body itemtype=Recipe>", "</body>",
            "<p itemprop=name>Ice", "<svg itemscope></svg>", "<b content=x itemprop='name author'>",
            "<body style='a' style='b' content='&amp;'>", "<div typeof=Person property=author>",
        )
    ),
    max_size=9,
).map("".join)  # fmt: skip


@given(_TAGS)
def test_elements_with_several_tags(html: str) -> None:
    page, reference = page_of(html, native=True), page_of(html, native=False)
    ours, theirs = page.attributes, reference.attributes
    assert [*ours.described] == [*theirs.described]
    for names in (("lang",), ("content", "class"), ("typeof", "property")):
        assert ours.having(*names) == theirs.having(*names)
    for name in ("lang", "id", "class", "itemscope"):
        assert ours.column(name) == theirs.column(name)
    for row in reference.attributes.select("*"):
        assert ours.of(row) == theirs.of(row)
        assert ours.get(row, "class") == theirs.get(row, "class")
        assert ours.inner_text(row) == theirs.inner_text(row)
    for selector in ("body", "body[class]", "html[lang]"):
        assert ours.select(selector) == theirs.select(selector)
    assert _stated(page) == _stated(reference)


def test_no_tree_is_made_of_a_page_with_two_bodies() -> None:
    page = page_of("<body id=a><p>b<body itemscope id=c lang=d><p itemprop=name>e", native=True)
    body = int(page.rows_of("body")[0])
    assert page.attributes.of(body) == {"id": "a", "itemscope": "", "lang": "d"}
    assert page.attributes.column("lang") == ([body], ["d"])
    assert page.attributes.column("id", "c") == ([], [])
    (item,) = Statements(page).items
    assert (item.row, item.values("name")) == (body, ["e"])
    assert "_document" not in vars(page.attributes)


def _stated(page: joeira.Page) -> Sequence[object]:
    """What is stated of things, those in it as they are stated."""
    return [
        (item.source, item.types, item.row, item.nesting, item.repeated, _plain(item.properties))
        for item in Statements(page).items
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, structured.Item):
        return value.types, _plain(value.properties)
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


@given(_DATA, st.integers(0, 5))
def test_things_of_which_something_is_stated(data: object, most: int) -> None:
    page = joeira.parse(f"<script type='application/ld+json'>{json.dumps(data)}</script>")
    said, names = Statements(page), ("name", "author")
    found = said.items_with(names, most)
    assert found == [item for item in said.items[:most] if {*names} & {*item.properties}]
    assert all(item in found for item in said.items[:most] if any(map(item.values, names)))
