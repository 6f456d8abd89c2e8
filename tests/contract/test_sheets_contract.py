"""The kernel that passes over rules of style sheets loses none of which something would be made."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import joeira
from joeira._native import native_available
from joeira.page import blocks, hiding, rules
from joeira.page.hiding_values import READING

if native_available:
    from joeira._native.sheets import Sieve, shows_as_block

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")

ROOT = Path(__file__).resolve().parents[2]
BENCH = Path(os.environ.get("JOEIRA_BENCH", ROOT.parent / "shared" / "bench"))
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

Reading = tuple[list[tuple[Any, ...]], dict[str, rules.Layer]]


def readers(names: frozenset[str]) -> Iterator[Callable[[], rules.Reader]]:
    asked = rules.Wanted("display", asked=frozenset([".a", ".x", "x-y", "div"]))
    yield lambda: rules.Reader(names, READING)
    yield lambda: rules.Reader(names, READING, rules.Wanted("display"))
    yield lambda: rules.Reader(names, READING, asked)
    yield lambda: hiding._Reader(names, ["div", "h1", ".a", "#i"])


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
@given(SHEETS.map("".join), st.sampled_from([".a", ".é", ".X", "div", "x-y", "p", "-"]))
def test_names_of_blocks(text: str, name: str) -> None:
    assert shows_as_block(text, {name}) == (name in blocks._names_of_blocks(text))


@pytest.mark.quality
@pytest.mark.slow
def test_sheets_of_real_pages() -> None:
    with gzip.open(BENCH / "content" / "wcxb-dev.jsonl.gz", "rt") as lines:
        for line in list(lines)[::25]:
            page = joeira.parse(json.loads(line)["html"])
            check("\n".join(rules.sheets(page)), rules.Names(page).all)


def test_rules_that_do_not_matter_are_left_out() -> None:
    sieve = Sieve(NAMES, ["display"], ("", (), ()))
    text = (
        "@media x{.z{display:none}}@font-face{a:b}.a{display:none}p{color:red}.a{.z{x:y}}é{--x:1}"
    )
    assert sieve(text) == ".a{display:none}.a{.z{x:y}}é{--x:1}"
    assert sieve("") == ""
    assert sieve("é" * 1000 + "{") == "é" * 1000 + "{"


@pytest.mark.parametrize(
    "names, wanted",
    [
        (None, ("", (), ())),
        ([None], ("", (), ())),
        ([], ("é", (), ())),
        ([], ("x" * 129, (), ())),
        ([], (None, (), ())),
        ([], ("", None, ())),
        ([], ("", (), [1])),
    ],
)
def test_nothing_to_look_for(names: Any, wanted: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        Sieve(names, [], wanted)
