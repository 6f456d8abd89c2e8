"""The kernel that leaves rules out of style sheets changes nothing that is said of the elements.

Where the kernels were not compiled there is nothing to compare.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira._native import native_available
from joeira.page import css, hiding

if native_available:
    from joeira._native.rules import concerning

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")

NAMES = frozenset(("h1", "div", "body", "html", ".a", ".b-c", ".sm:a.b", "#top"))
PIECES = [
    *"{}{}(),;:@&/\\ \n\"'*>+~[].#|", "/*", "*/", "/* } */", "url(", "url( 'x}' )", "URL(a;b{c)",
    "h1", "H1", "div", ".a", ".B-C", ".other", "p", "#top", "#else", ":hover",
    ".md\\:a", ".sm\\:a\\.b", "\\", "\\.", "\\3a ", "::before",
    ":not(.a, .b)", ":is(h1 , .x .y:hover)", "[x='} ,']", "<!--", "é", ".ünlü", "\u3000",
    "@media print", "@media (min-width:1px)", "@layer a", "@layer a, b;", "@keyframes k",
    "@supports (display:grid)", "@import 'x';", "@font-face", "&.a", "> h1",
    "{display:none}", "{color:red}", "{left:-9999px;position:absolute}", "display:none;",
    "{content:'}'}", "{background:url(a}b)}", "{width:calc(1px}", "from{top:0}", "50%{top:0}",
]  # fmt: skip
PAGE = joeira.parse(
    "<title>T</title><div class='a b-c'><h1 id=top>S</h1><h1 class='a sm:a.b'>T</h1></div>"
)
ROWS = [row for name in ("html", "body", "div", "h1") for row in PAGE.rows_of(name).tolist()]
sheets = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def rules_in(sheet: str, is_reduced: bool) -> list[tuple[str, str]]:
    """Return the rules of a style sheet that match elements, with what they declare."""
    reader = hiding._Reader(NAMES | {".other", "#else", ".md:a"}, NAMES, None)
    if is_reduced:
        sheet = concerning(sheet, NAMES)
    found = super(hiding._Reader, reader).rules(sheet, hiding.cascade._Place())
    matching = PAGE.attributes.matching_among
    return [
        (rule.selector, rule.block.text)
        for rule in found
        if matching(ROWS, css.readable(rule.selector))
    ]


@given(sheets)
def test_no_rule_about_the_elements_is_left_out(sheet: str) -> None:
    assert rules_in(sheet, is_reduced=True) == rules_in(sheet, is_reduced=False)


@given(sheets)
def test_nothing_is_left_out_twice(sheet: str) -> None:
    once = concerning(sheet, NAMES)
    assert len(once) <= len(sheet)
    assert css.plain(once).count("{") <= css.plain(sheet).count("{")


@pytest.mark.parametrize(
    "sheet, rest",
    [
        (".other{display:none}h1{top:0}", "h1{top:0}"),
        (".x,.y , p{top:0} div.a{top:0}", " div.a{top:0}"),
        ("@media print{.x{top:0}p{top:0}}h1{}", "h1{}"),
        ("@media print{.x{top:0}p{top:0}h1{}}", "@media print{h1{}}"),
        ("@layer a{.x{top:0}}", "@layer a{}"),
        ("@font-face{src:url(x)}/* x */ @font-face {src:'}'}h1{}", "h1{}"),
        ("@layer a;/* x */@media print{.x{}}", "@layer a;/* x */@media print{}"),
        ("@keyframes k{0%{top:0}to{top:1px}}h1{}", "h1{}"),
        (".x{content:'}'}.a{}", ".a{}"),
        ("/* a } */ .x{top:0}.a{}", ".a{}"),
        (".a:not(.x){}.x:not(.a){}", ".a:not(.x){}"),
        (r".sm\:x,.a\:b{}.sm\:a\.b{}", r".sm\:a\.b{}"),
        (".x{ .a{} }", ".x{ .a{} }"),
        (".x{width:calc(1px}.y{}", ".x{width:calc(1px}.y{}"),
    ],
)
def test_what_is_left_out(sheet: str, rest: str) -> None:
    assert concerning(sheet, NAMES) == rest


@given(sheets)
def test_the_same_elements_are_hidden_without_the_kernel(sheet: str) -> None:
    html = f"<style>{sheet}</style><div class='a b-c'><h1 id=top>S</h1><h1 class=other>T</h1></div>"
    page = joeira.parse(html)
    rows = page.rows_of("h1").tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hiding, "native_available", False)
        expected = hiding.are_hidden(page, rows)
    assert hiding.are_hidden(page, rows) == expected


AMOUNTS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    st.sampled_from("0 0.1 .5 1 1.0 1.5 2 3.9 4 24 50 99 100 200 719.5 720 9999 1e3 4e-1".split()),
    st.sampled_from(["", "px", "em", "rem", "%", "vh", "vw", "pt", "q", "in", "ch", "deg", "dpi"]),
)
VALUES = AMOUNTS | st.sampled_from(
    "none None hidden auto inherit block var(--x) calc(1px) rect(0,0,0,0) inset(50%) smaller "
    "scale(0) translateX(-999px) rotateY(180deg) 0/0 12px/1.5 n\\6fne !important".split()
)
STYLES = st.lists(
    st.builds(
        "{}{}{}".format,
        st.sampled_from(sorted({*hiding.KINDS, "Width", "h\\65ight", "--x"})),
        st.sampled_from([":", " : ", ":/**/"]),
        st.lists(VALUES, min_size=1, max_size=3).map(" ".join),
    ),
    max_size=3,
).map(";".join)


@given(STYLES)
def test_no_rule_that_hides_is_left_out(style: str) -> None:
    declared = css.declarations(css.plain(style), hiding._READING)
    known = {name: said for name, said in declared.items() if css.PENDING not in said[1]}
    if hiding._hides(declared):
        assert hiding._READING.hides(declared)
    if hiding._READING.hides(known) - hiding._FADING:
        assert hiding._hides(declared)
    if hiding._hides(declared):
        sheet = f"h1{{{style}}}"
        assert concerning(sheet, NAMES, hiding.KINDS) == sheet


@pytest.mark.parametrize(
    "style",
    [
        "color:red;background:url(a;b)",
        "display:block;margin:0 auto 20px -15px;width:100%;font-size:14px",
        "font:bold 14px/20px 'Fira Sans',serif;line-height:1.5;top:50px;text-indent:2em",
    ],
)
def test_what_hides_nothing_is_left_out(style: str) -> None:
    assert concerning(f"h1{{{style}}}", NAMES) == f"h1{{{style}}}"
    assert concerning(f"h1{{{style}}}", NAMES, hiding.KINDS) == ""
