"""The kernel that passes over rules of style sheets loses none of which something would be made."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import joeira
from joeira._native import native_available
from joeira.page import blocks, cascade, css, hiding, rules
from joeira.page.hiding_values import READING

if native_available:
    from joeira._native.sheets import Sieve, shows_as_block

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")

ROOT = Path(__file__).resolve().parents[2]
BENCH = Path(os.environ.get("JOEIRA_BENCH", ROOT.parent / "shared" / "bench"))
PAGE = joeira.parse("<!doctype html><p class=b><div class='a é'><h1 id=i>x</h1></div>")
NAMES = frozenset([".a", ".b", "#i", ".é", ".a:b"])
PIECES = """
.a|.b|.x|#i|#z|.X|.A|a|div|p|*|>|+|~|,|:hover|:not(.x)|:not(.a)|:is(.x,.b)|::before|:first-child
:after|[href]|[class="a b"]|[x=".q"]|[x='}']|&|\\|\\61 |\\{|\\:|\\g|.x\\:a|/*|*/|/* c */|/* } { */
"|'|"}"|(|)|[|]|url(|url(a}b)|url("x")|URL( '|{|}|{|}|{|}|;|@|@media print|@media screen|@font-face
@media (min-width:1px)|@keyframes k|@layer l|@layer l;|@layer|@supports (display:grid)|@scope (.a)
@supports(x:y)|@container (width>1px)|@import url(data:text/css,.a%7Bdisplay:block%7D);
display:block|display:none|display : flex|DISPLAY:block|color:red|Color : red|margin:0|x:y|opacity:0
d\\69splay:none|content:"d\\69splay"|--v:1|--x:var(--y)|k--:1|color/**/:red|é|İ|.é|𝒳|-|_|from|50%|to|!important
.a{display:block}|.x{display:block}|.x{}|p.a:hover{color:red}|.b,.x{display:none}|/*!c*/.b{color:red}
@keyframes z{from{opacity:0}to{opacity:1}}|@media print{.a{display:none}.x{color:red}}
@media screen{.x{color:red}}|@media screen{.x{color:red}.a{display:block}}|@media screen{ }
.a{.b{display:block}.x{display:block}&:hover{display:none}}|.a\\:b{.x{display:block}}
.a{color:red;.b{display:none}}
""".replace("\n", "|").split("|")  # fmt: skip
SHEETS = st.lists(st.sampled_from([*filter(None, PIECES), " ", "\n", "\r", "\x1c", "\u3000"]))

Reading = tuple[list[tuple[Any, ...]], list[rules.Layer]]


def readers(names: frozenset[str]) -> Iterator[Callable[[], rules.Reader]]:
    asked = rules.Wanted("display", asked=frozenset([".a", ".x", "x-y", "div"]))
    yield lambda: rules.Reader(names, READING)
    yield lambda: rules.Reader(names, READING, rules.Wanted("display"))
    yield lambda: rules.Reader(names, READING, asked)
    yield lambda: hiding._Reader(hiding._Few(PAGE, [len(PAGE) - 2]))


def read(reader: rules.Reader, text: str) -> Reading:
    found = [
        (rule.selector, rule.unscoped, rule.layer, rule.order, rule.block.text)
        for rule in reader.rules(text, rules.Place())
    ]
    return found, reader._layers


def check(text: str, names: frozenset[str]) -> None:
    for make in readers(names):
        quick, slow = make(), make()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rules, "_MIN_CHARS", 0)
            found = read(quick, text)
            patch.setattr(rules, "native_available", False)
            assert found == read(slow, text)


@settings(max_examples=300, deadline=None)
@given(SHEETS.map("".join))
def test_random_sheets(text: str) -> None:
    check(text, NAMES)


@settings(max_examples=300, deadline=None)
@given(SHEETS.map("".join))
@example("&,&,&{a:b}.a{.b,.b,.b,.b,.x{a:b}.b,.b,.b,.x{display:none}&{display:block}}.b{--v:1}")
def test_rules_that_do_not_matter_bring_no_limit_nearer(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "MAX_SELECTORS", 3)
        check(text, NAMES)


@settings(max_examples=300, deadline=None)
@given(SHEETS.map("".join), st.sampled_from([".a", ".é", ".X", "div", "x-y", "p", "-"]))
def test_names_of_blocks(text: str, name: str) -> None:
    assert shows_as_block(text, {name}) == (name in blocks._names_of_blocks(text))


@pytest.mark.quality
@pytest.mark.slow
def test_sheets_of_real_pages() -> None:
    path = BENCH / "content" / "wcxb-dev.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {path.name} under {BENCH}; set JOEIRA_BENCH to its folder")
    with gzip.open(path, "rt") as lines:
        for line in list(lines)[::25]:
            page = joeira.parse(json.loads(line)["html"])
            check("\n".join(rules.sheets(page)), cascade.Names(page).all)


def test_rules_that_do_not_matter_are_left_out() -> None:
    sieve = Sieve(NAMES, {"display": 0}, ("", (), (), False))
    text = (
        "@media x{.z{display:none}}@font-face{a:b}.a{display:none}p{color:red}.a{.z{x:y}}é{--x:1}"
    )
    assert sieve(text) == ".a{display:none}.a{.z{x:y}}é{--x:1}"
    assert sieve("") == ""
    assert sieve("é" * 1000 + "{") == "é" * 1000 + "{"


@pytest.mark.parametrize(
    "selector, is_kept",
    [
        ("div .a", True),
        ("DIV > .A:hover .a", False),
        ("pre > *", False),
        ("div,pre", True),
        ("pre + div", True),
        ("pre div + div", False),
        ("pre + pre ~ div", True),
        (".z~.a", True),
        (".z > .a ~ div", False),
        (".z > :not([hidden]) ~ :not([hidden])", False),
        (":not([hidden]) ~ :not(.z, [x='y'])", True),
        (":is(pre, [x]) .z", False),
        (":nth-child(2) pre", False),
        (r".b\:c div", True),
        (r".b\3a c div", True),
        (r".b\3ac div", True),
        (r".b\00003Ac div", True),
        (r".b\3b c div", False),
        (r".b\3", False),
        (r".b\0 c", True),
        (r".b\e9", True),
        (r"\64iv", True),
        ("svg|pre", True),
        ("pré", True),
        ("pre\u200b", True),
    ],
)
def test_tags_of_few_elements_are_known(selector: str, is_kept: bool) -> None:
    names = {".a", "div", ".b:c"}
    rule = f"{selector}{{display:none}}"
    assert Sieve(names, {"display": 0}, ("", (), (), True))(rule) == rule * is_kept


def test_only_variables_that_are_named_are_wanted() -> None:
    text = ".a{--x:1}.a{--y:1}.a{--X : 1}.a{x--x:1}.a{color:red}.a{--\u00e9:1}"
    said = ("", (), (), False)
    assert Sieve(NAMES, {"--x": 0}, said, False)(text) == ".a{--x:1}.a{--X : 1}.a{--\u00e9:1}"
    assert Sieve(NAMES, {"--x": 0}, said)(text) == text.replace(".a{x--x:1}.a{color:red}", "")


@pytest.mark.parametrize(
    "names, wanted",
    [
        (None, ("", (), (), False)),
        ([None], ("", (), (), False)),
        ([], ("é", (), (), False)),
        ([], ("x" * 129, (), (), False)),
        ([], (None, (), (), False)),
        ([], ("", None, (), False)),
        ([], ("", (), [1], False)),
        ([], ("", (), ())),
    ],
)
def test_nothing_to_look_for(names: Any, wanted: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        Sieve(names, {}, wanted)


@pytest.mark.parametrize("kinds", [{"display": 256}, {"display": -1}, {"display": "x"}, {1: 0}, []])
def test_no_kinds_of_values(kinds: Any) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)):
        Sieve([], kinds, ("", (), (), False))


VALUES = st.sampled_from(
    "none hidden collapse block flex auto inherit initial unset normal NONE important foo 0 0px "
    "1px 1 2px 10px 99px 100px -99px -100px -101px 699px 720px 1e3px 2e-5px 0.5em 1em 1.2em 5em "
    "6em -1em -5em -7em 39em 40em 45em 1rem 50% 49% 57% 100% 3% 24% 25% 25.5% 1% 2% 2vw 1vh 100vh "
    "3cm 50dpi 2q 12pt .5px -.5px +1px 5px 4px 3.9px -0.5em -0 var(--x) calc(0px) rect(0,0,0,0) "
    "scale(0) rotate(90deg) 0/0 12px/1.2 'x' url(a) \\30 px n\\6fne /**/ ! !important ,".split()
)
DECLARATION = st.tuples(
    st.sampled_from(sorted([*hiding._ABLE, "overflow", "overflow-x", "color", "--x", "-display"])),
    st.sampled_from([":", " : ", ":\n", "/**/:"]),
    st.lists(VALUES, max_size=3).map(" ".join),
).map("".join)


@settings(max_examples=500, deadline=None)
@given(st.lists(DECLARATION, min_size=1, max_size=3).map(";".join))
def test_no_value_that_hides_is_passed_over(declarations: str) -> None:
    declared = css.declarations(css.plain(declarations), hiding._READING)
    if hiding._hides(declared):
        text = f"p{{{declarations}}}"
        assert Sieve([], hiding._KINDS, ("", (), (), False), False)(text) == text


@pytest.mark.parametrize(
    "declarations",
    ["display:block", "margin:0 auto", "width:100%!important", "font-size:1.2em;--x:0", "top:-5px"],
)
def test_usual_values_are_passed_over(declarations: str) -> None:
    assert not Sieve([], hiding._KINDS, ("", (), (), False), False)(f"p{{{declarations}}}")
