"""HTML to page table: rows, texts, decoding, limits."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import joeira
from joeira.errors import BadParameter, UsageError
from joeira.page import Page
from joeira.page.nodes import SourcePlaces


def names(page: Page) -> list[str]:
    return [page.tag_name(row) for row in range(len(page))]


def test_rows_of_a_small_page() -> None:
    page = joeira.parse("<title>T</title><p>a <b>b</b><br>c</p>", "https://example.org/")
    assert names(page) == "html head title #text body p #text b #text br #text".split()
    assert page.parent.tolist() == [-1, 0, 1, 2, 0, 4, 5, 5, 7, 5, 5]
    assert page.end.tolist() == [11, 4, 4, 4, 11, 11, 7, 9, 9, 10, 11]
    assert page.depth.tolist() == [0, 1, 2, 3, 1, 2, 3, 3, 4, 3, 3]
    assert page.texts == ("T", "a ", "b", "c")
    assert page.body == 4
    assert page.in_head.tolist() == [False, True, True, True] + [False] * 7
    assert page.url == "https://example.org/"
    assert page.notes == ()
    assert repr(page) == "<Page https://example.org/: 11 rows, 4 texts>"


@pytest.mark.parametrize(
    "html",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<!-- x -->",
        "<template><p>x</p></template>",
        "<noscript><p>x</p></noscript>",
        "<textarea>x</textarea>",
        "<svg><text>x</text></svg>",
        "<iframe>x</iframe>",
        "<div><template shadowrootmode=open>x</template></div>",
        " \n\t&nbsp;\u3000",
    ],
)
def test_what_is_not_text(html: str) -> None:
    assert joeira.parse(f"<p>a</p>{html}<p>b</p>").texts == ("a", "b")


def test_formulas_are_text() -> None:
    page = joeira.parse("<math><mi>x</mi><annotation>tex</annotation></math>")
    assert page.texts == ("x",)


def test_own_tags_are_numbered_in_order_of_appearance() -> None:
    page = joeira.parse("<x-b></x-b><x-a></x-a><x-b></x-b>")
    assert page.foreign_names == ("x-b", "x-a")
    assert page.rows_of("x-b").tolist() == [3, 5]
    assert page.rows_of("x-c").tolist() == []
    assert page.rows_of("table").tolist() == []


@pytest.mark.parametrize("empty", ["", b"", " ", "<!doctype html>", bytearray(), memoryview(b"")])
def test_a_page_without_content_has_its_three_elements(empty: str | bytes) -> None:
    page = joeira.parse(empty)
    assert names(page) == ["html", "head", "body"]
    assert page.texts == ()


# Decoding -----------------------------------------------------------------------------------------

TEXT = "Ação é “bom”"


@pytest.mark.parametrize(
    "source, encoding",
    [
        (TEXT.encode(), "utf-8"),
        (b"\xef\xbb\xbf" + TEXT.encode(), "utf-8"),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), "utf-16le"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16be"),
        (b"<meta charset=windows-1252>" + TEXT.encode("cp1252"), "windows-1252"),
        (b"<meta charset=latin1>" + TEXT.encode("cp1252"), "windows-1252"),
        (b"<meta charset=koi8-r>" + "Привет".encode("koi8-r"), "koi8-r"),
    ],
)
def test_bytes_are_decoded_as_browsers_do(source: bytes, encoding: str) -> None:
    page = joeira.parse(source)
    assert page.texts[0] in (TEXT, "Привет")
    assert page.encoding is not None
    assert page.encoding.lower() == encoding


def test_text_has_no_encoding() -> None:
    assert joeira.parse("<meta charset=koi8-r>é").encoding is None
    assert joeira.parse("<meta charset=koi8-r>é").texts == ("é",)


def test_surrogates_are_joined_or_replaced() -> None:
    page = joeira.parse("<p>\ud83d\ude00 a\ud800b\udfff")
    assert page.texts == ("😀 a\ufffdb\ufffd",)


# Limits -------------------------------------------------------------------------------------------


def test_input_is_cut_at_max_bytes() -> None:
    page = joeira.parse(b"<p>abcdef", max_bytes=6)
    assert page.texts == ("abc",)
    assert page.notes == ("input cut at 6 bytes",)
    assert joeira.parse("<p>abc", max_bytes=6).notes == ()
    assert joeira.parse("<p>abcd", max_bytes=6).notes == ("input cut at 6 characters",)


def test_document_is_cut_at_max_nodes() -> None:
    page = joeira.parse("<p>a</p><p>b</p><p>c</p>", max_nodes=7)
    assert page.texts == ("a", "b")
    assert page.notes == ("document cut at 7 nodes",)
    assert joeira.parse("<p>a</p><p>b</p><p>c</p>", max_nodes=9).notes == ()


def test_deep_elements_are_flattened_at_max_depth() -> None:
    page = joeira.parse("<div>a<div>b<div>c<div>d</div>e</div></div></div>", max_depth=3)
    assert page.texts == ("a", "b", "c", "d", "e")
    assert page.depth.max() == 4  # the text of an element at the limit
    assert page.depth[~page.is_text].max() == 3
    assert page.notes == ("elements nested deeper than 3 flattened",)
    assert page.parent.tolist() == [-1, 0, 0, 2, 3, 3, 5, 3, 7, 3, 9, 7]


def test_the_parsers_own_limit_is_told() -> None:
    page = joeira.parse("<div>" * 600 + "deep")
    assert page.texts == ("deep",)
    assert page.notes == ("elements nested deeper than 511 flattened by the parser",)
    assert joeira.parse("<div>" * 500 + "deep").notes == ()


@pytest.mark.parametrize("limit", ["max_bytes", "max_nodes", "max_depth"])
def test_limits_must_be_positive(limit: str) -> None:
    with pytest.raises(BadParameter, match="at least 1"):
        joeira.parse("", **{limit: 0})  # type: ignore[arg-type]  # mypy cannot follow the names


@pytest.mark.parametrize("wrong", [None, 5, ["<p>"], object()])
def test_only_text_and_bytes_are_parsed(wrong: object) -> None:
    with pytest.raises(UsageError, match="html must be str or bytes"):
        joeira.parse(wrong)  # type: ignore[arg-type]  # the caller's mistake is what is tested


# Attributes ---------------------------------------------------------------------------------------


def test_attributes() -> None:
    page = joeira.parse('<p id=1 class="a b">x<a href="/y" hidden>z</a>')
    attributes = page.attributes
    assert attributes.of(3) == {"id": "1", "class": "a b"}
    assert attributes.of(4) == {}
    assert attributes.get(5, "hidden") == ""
    assert attributes.get(5, "rel") is None
    assert attributes.get(4, "id") is None
    assert attributes.select("a[href]") == [5]
    assert attributes.select("ul") == []
    assert attributes.column("id") == ([3], ["1"])
    assert SourcePlaces(page).position(3) == (1, 0)


def test_attributes_after_a_template() -> None:
    page = joeira.parse("<template><p id=no>x</p></template><p id=yes>y")
    row = int(page.rows_of("p")[0])
    assert page.attributes.of(row) == {"id": "yes"}
    assert page.attributes.select("p") == [row]


def test_inner_text_is_what_tables_leave_out() -> None:
    page = joeira.parse("<script>var a;</script><p>b")
    assert page.attributes.inner_text(int(page.rows_of("script")[0])) == "var a;"
    assert page.texts == ("b",)


# Pages that only show themselves without scripts ---------------------------------------------


def test_a_script_shell_is_read_through_its_noscript() -> None:
    page = joeira.parse(f"<script>app()</script><noscript><p>{'word ' * 300}</p></noscript>")
    assert not page.scripting
    assert [text.split()[0] for text in page.texts] == ["word"]


def test_a_template_stays_unread_in_a_page_that_is_read_through_its_noscript() -> None:
    template = "<template><noscript>hidden</noscript></template>"
    html = f"<script>app()</script>{template}<noscript><p>{'word ' * 300}</p>{template}</noscript>"
    page = joeira.parse(html)
    assert not page.scripting
    assert [text.split()[0] for text in page.texts] == ["word"]
    assert page.depth[1:].tolist() == (page.depth[page.parent[1:]] + 1).tolist()
    assert len(joeira.segment(page)) == 1


@pytest.mark.parametrize("depth", range(8))
@pytest.mark.parametrize("misplaced", ["</table>out", "</table><a>out</a>", "</tr><i>out</i>"])
def test_what_the_parser_puts_beside_the_root_at_its_greatest_depth_is_kept(
    misplaced: str, depth: int
) -> None:
    page = joeira.parse(f"{'<div>' * depth}{'<table><td>' * 140}in{misplaced}")
    assert sorted(page.texts) == ["in", "out"]
    assert (page.parent[1:] < np.arange(1, len(page))).all()
    assert sorted(joeira.extract(page, "all_text").text().split()) == ["in", "out"]
    assert len(joeira.segment(page)) >= 1


@pytest.mark.parametrize("tag", ["iframe src='/x'", "textarea rows=2", "title", "SCRIPT src=/x "])
def test_a_page_stored_as_xml_is_not_swallowed(tag: str) -> None:
    html = f"<html><body><p>above</p><{tag}/><div>{'<p>below</p>' * 100}</div></body></html>"
    for source in (html, html.encode()):
        page = joeira.parse(source)
        assert page.text_of(0) == "above" + " below" * 100
    line, column = SourcePlaces(page).position(int(page.rows_of("div")[0]))
    assert (line, html[column:][:5]) == (1, "<div>")
    assert len(pickle.loads(pickle.dumps(page)).texts) == 101


def test_what_html_swallows_stays_swallowed() -> None:
    tail = "<p>below</p>" * 100
    assert joeira.parse(f"<p>above</p><textarea>{tail}").text_of(0) == "above"
    assert joeira.parse(f"<p>above</p><iframe/>{tail}</iframe><p>on</p>").text_of(0) == "above on"
    assert joeira.parse(f"<p>above</p><iframe/>{'word ' * 300}").text_of(0) == "above"


def test_noscript_stays_unread_beside_real_text() -> None:
    page = joeira.parse(f"<p>{'real ' * 300}</p><noscript><p>{'word ' * 300}</p></noscript>")
    assert page.scripting
    assert [text.split()[0] for text in page.texts] == ["real"]


@pytest.mark.parametrize(
    "junk, kind",
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "a PNG image"),
        (b"%PDF-1.7 <p>text", "a PDF document"),
        (b"\xff\xd8\xff\xe0" + bytes(range(256)), "a JPEG image"),
        (b"GIF89a" + bytes(range(256)), "a GIF image"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(range(256)), "a WebP image"),
        (b"PK\x03\x04" + b"word/document.xml" * 9, "a ZIP archive (or an Office document)"),
        (b"\x1f\x8b\x08" + bytes(range(255, 0, -1)) * 20, "gzip data"),
        (bytes(range(256)) * 20, "binary data"),
        ("".join(map(chr, range(1, 32))) * 20, "binary data"),
        (b' {"text": "<p>Words in an object of data, not in a page.</p>"}', "JSON data"),
        ('[{"text": "Words in a list of data."}]', "JSON data"),
    ],
)
def test_data_is_no_page_and_says_what_it_is(junk: str | bytes, kind: str) -> None:
    page = joeira.parse(junk)
    assert page.texts == ()
    assert page.notes == (f"{kind}, not a web page",)
    content = joeira.extract(page)
    assert not content
    assert content.status == "empty"
    assert content.reason == f"{kind}, not a web page"


@pytest.mark.parametrize(
    "text", ["[1] Smith, 2001.\nA note.", "{x} is the name of a set.", "[" * 9**5]
)
def test_what_only_begins_like_json_is_text(text: str) -> None:
    assert joeira.parse(text).texts


POEM = (
    "A refrain\n=========\n\nRoses are red,\nviolets are < blue.\n \n\t\nSee <https://example.org>."
)


@pytest.mark.parametrize("text", [POEM, POEM.encode(), POEM.replace("\n", "\r\n").encode()])
def test_plain_text_keeps_its_lines(text: str | bytes) -> None:
    page = joeira.parse(text)
    assert page.is_plain_text
    assert [page.tag_name(row) for row in page.blocks.owner] == ["p", "p", "p"]
    content = joeira.extract(page, "all_text")
    assert content.text() == POEM.replace("\n \n\t\n", "\n\n")
    assert "Roses are red,  \nviolets" in content.markdown()
    assert pickle.loads(pickle.dumps(page)).is_plain_text


def test_encodings_of_plain_text_are_detected_as_before() -> None:
    text = "Größe und Höhe.\n\nÜber den Fluß führt eine Brücke.\nSie ist schön."
    for encoding in ("utf-8", "utf-8-sig", "cp1252", "utf-16"):
        assert joeira.extract(text.encode(encoding), "all_text").text().split() == text.split()


@pytest.mark.parametrize(
    "html", ["One line of text", "One line\n", "a\n<b>b</b>", "a\n</p>", "a\n<!-- b -->", "<"]
)
def test_one_line_and_what_has_tags_are_read_as_html(html: str) -> None:
    assert not joeira.parse(html).is_plain_text


def test_too_many_lines_stay_one_text() -> None:
    page = joeira.parse("a\n" * 100, max_nodes=100)
    assert not page.is_plain_text
    assert not page.notes


def test_some_stray_controls_are_no_binary_data() -> None:
    page = joeira.parse(b"<p>An ordi\x01nary sentence, long enough to be one.")
    assert len(page.texts) == 1


@pytest.mark.parametrize(
    "html",
    [
        "<p \ud800=1>hello",
        "<p class='\ud800' id='\udfff'>hello",
        "<a href='/\ud800'>hello</a>",
        "<x\ud800>hello</x\ud800>",
        "<meta name=author content='\ud800'><p>hello",
    ],
    ids=["name", "class", "address", "tag", "metadata"],
)
def test_surrogates_reach_no_output(html: str) -> None:
    content = joeira.extract(html, "all_text")
    blocks = [block.to_dict() for block in content.explain()]
    written = [content.markdown(), content.html(), content.report(), str(content.to_dict())]
    assert blocks
    assert "hello" in written[0]
    for text in (*written, *map(str, blocks), content.page.region(0).html):
        text.encode()


def test_rows_are_those_of_their_elements_where_some_have_none() -> None:
    inside = "<p class=d>no row<i>x</i>"
    html = f"<p class=a>A<template>{inside}</template><p class=b>B<svg><title>t</title></svg><i>I"
    attributes = (page := joeira.parse(html)).attributes
    named = attributes.read("p,i,title", ["class"])
    said = [(page.tag_name(row), name) for row, (name,) in named]
    assert said == [("p", "a"), ("p", "b"), ("title", None), ("i", None)]
    attributes = (page := joeira.parse(html)).attributes
    rows = page.rows_of("p").tolist()
    assert [attributes.get(row, "class") for row in rows] == ["a", "b"]
    assert attributes.select("i") == page.rows_of("i").tolist()
