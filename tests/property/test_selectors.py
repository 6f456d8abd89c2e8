"""Selectors that are matched without a tree match what the parser says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import joeira
from joeira.page import css, rules
from joeira.page.hiding import _Few

TAGS = st.sampled_from(["div", "p", "section", "h1", "span", "ul", "li", "H1", "template", "x-y"])
ATTRIBUTES = st.sampled_from(
    [
        "", "class=a", "class='a b'", "class='A  a'", "class='b\tmd:x'", "class='é -y'",
        "class='1x _z'", "class='x.y'", "id=i", "id=I", "id='j k'", "id=' i'", "id='#'", "hidden",
        "data-x='A b'", "data-x=''", "type=TEXT", "lang=en-US", "class=a id=i hidden", "DATA-X=A",
    ]
)  # fmt: skip
STARTS = [
    "", "<svg/>", "<svg><p>t", "<template><p>t</template>", "<!doctype html>",
    "<!doctype html><html class=a><body id=i hidden>",
]  # fmt: skip
ELEMENTS = st.lists(st.tuples(TAGS, ATTRIBUTES, st.integers(0, 2)), min_size=1, max_size=12)
SIMPLE = st.sampled_from(
    [
        ".a", ".b", ".A", r".md\:x", r".md\3a x", ".é", ".1x", r".\31 x", ".-y", "._z", r".x\.y",
        ".zzz", "#i", "#I", "#1", "[hidden]", "[HIDDEN]", "[data-x]", "[data-x='A b']",
        "[data-x=A]", '[data-x="a b"]', "[data-x~=b]", "[data-x~='B']", "[data-x^=A]",
        "[data-x$=b]", "[data-x*=' ']", "[data-x='']", "[data-x^='']", "[type=text]",
        "[type=TEXT]", "[lang|=en]", "[lang|='en-us']", "[class~=a]", "[id=i]",
        "[ data-x = 'A b' i ]", ":root", ":ROOT",
        ":first-child", ":last-child", ":only-child", ":first-of-type", ":last-of-type",
        ":only-of-type", ":FIRST-CHILD", ":first-child()",
        ":is(p::before)", ":where(p::before,.a)", ":is(::-moz-x, p::-moz-y)", ":host",
        ":hover", "::before", ":empty", ":nth-child(2)", ":has(.a)",
        ":not(.a)", ":not(.zzz)", ":not([hidden],.b)", ":not(:root)", ":not(:first-child)",
        ":not(:last-child)", ":is(:only-of-type,.a)", ":is(:host,.a)", ":not(div + p, div ~ .a)",
        ":not(:host)", ":not(::before)", ":not(.zzz:bogus)", ":not(.1x)", ":not(div,:is(.a))",
        ":is(.a,#i)", ":is(.zzz,.a)", ":is(div .a:not(.b))", ":is()", ":where(p > .b)",
    ]
)  # fmt: skip
COMPOUND = st.tuples(
    st.sampled_from(["", "*", "div", "p", "h1", "H1", "html", "body", "span", "li", "section"]),
    st.lists(SIMPLE, max_size=2).map("".join),
).map("".join)
SELECTORS = st.lists(
    st.tuples(st.sampled_from([" ", " ", ">", " > ", "+", "~", "  "]), COMPOUND),
    min_size=1,
    max_size=4,
).map(lambda parts: "".join(mark + compound for mark, compound in parts)[1:])


def document(start: str, elements: list[tuple[str, str, int]]) -> str:
    """Return elements in each other, of which some end before the next begins."""
    opened: list[str] = []
    html = start
    for tag, attributes, ended in elements:
        html += f"<{tag} {attributes}>t"
        opened.append(tag)
        for _ in range(min(ended, len(opened))):
            html += f"</{opened.pop()}>"
    return html


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(STARTS),
    ELEMENTS,
    st.lists(SELECTORS, min_size=1, max_size=10),
    st.data(),
)
def test_matching_without_a_tree(
    start: str, elements: list[tuple[str, str, int]], selectors: list[str], data: st.DataObject
) -> None:
    page = joeira.parse(document(start, elements))
    rows = [row for row in range(len(page)) if not page.is_text[row]]
    few = _Few(page, data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=3)))
    for selector in map(css.plain, selectors):
        expected = page.attributes.matching_among(few.names, css.readable(selector))
        found, is_sure = few.find(selector)
        assert found == expected or not is_sure
        assert {*found} >= {*expected}
        assert few.matching(selector) == expected


def test_names_attributes_and_some_states_need_no_tree() -> None:
    page = joeira.parse("<!doctype html><div class='a md:x' data-x=y><h1 id=i>t</h1></div>")
    few = _Few(page, page.rows_of("h1").tolist())
    for selector in (
        "div.a > h1#i", r".md\3a x h1", "[data-x='y'] :is(p, h1)", "h1:not(.b)", ":root h1",
    ):  # fmt: skip
        assert few.find(selector) == (page.rows_of("h1").tolist(), True)
    for selector in (".A h1", "h1:nth-child(1)", "h1:has(b)"):
        assert not few.find(selector)[1]


def test_places_and_siblings_need_no_tree() -> None:
    page = joeira.parse("<!doctype html><div><p class=b>s<svg class=b></svg><h1>t</h1><p>u</div>")
    few = _Few(page, page.rows_of("h1").tolist())
    for selector in (
        "h1:only-of-type", "p.b > :last-child", "p.b + h1", "body :first-child ~ h1:last-child",
        "div > p:first-child ~ h1", "h1:not(div ~ h1, :only-child)",
    ):  # fmt: skip
        assert few.find(selector)[1]
        expected = page.attributes.matching(selector)
        assert few.matching(selector) == [row for row in expected if row in few.names]
    for selector in (":host", ":host h1"):
        assert few.find(selector) == ([], True)
    assert not few.find("svg + h1:first-of-type")[1] or not few.matching("svg + h1:first-of-type")


def test_many_steps_take_no_longer_than_their_number() -> None:
    page = joeira.parse("<!doctype html>" + "<div>" * 400 + "<h1>t")
    few = _Few(page, page.rows_of("h1").tolist())
    assert few.find("p " + "div " * 28 + "h1") == ([], True)
    assert few.find("div " * 28 + "h1")[0] == page.rows_of("h1").tolist()


STYLES = st.sampled_from(
    [
        "<style>p{x:y}</style>", "<style type=text/css>&lt;</style>", "<style disabled/>",
        "<style media=print>x</style>", "<style><![CDATA[p{x:y}]]></style>",
        "<style>a<!-- c -->b</style>",
        "<style>a<g>b</g>c</style>", "<style>\r\nx\r</style>", "<style></style>",
        "<style>é&eacute;",
        "<style>a<p>b</p>", "<title>t</title>", "<g>", "</g>", "<text>t</text>", "<STYLE TYPE=X>",
    ]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(STYLES, max_size=5).map("".join), st.lists(STYLES, max_size=3).map("".join))
def test_styles_in_svg_are_what_the_parser_says(inside: str, behind: str) -> None:
    html = f"<!doctype html><p>t<svg>{inside}</svg>{behind}<p>u"
    page, other = joeira.parse(html), joeira.parse(html)
    other.attributes._written = None
    names = ("type", "media", "disabled")
    said = list(page.attributes.read("style", names))
    assert said == list(other.attributes.read("style", names))
    for row, _ in said:
        assert page.attributes.inner_text(row) == other.attributes.inner_text(row)
    assert list(rules.sheets(page)) == list(rules.sheets(other))
