"""Text hidden by the rules of a page's own style sheets."""

from __future__ import annotations

import pytest

import joeira
from joeira.page import cascade, rules


def reason(css: str, body: str, style: str = "<style>") -> str:
    page = joeira.parse(f"<!doctype html><head>{style}{css}</style></head><body>{body}")
    return page.hidden_reason(int(page.text_rows[-1]))


@pytest.mark.parametrize(
    "css, body, expected",
    [
        (".x{display:none}", "<p class=x>y", "display: none"),
        (".x{display:none}", "<p class=X>y", ""),
        ("#x{visibility:hidden}", "<p id=x>y", "visibility: hidden"),
        ("aside{opacity:0}", "<aside>y", "opacity: 0"),
        ("p.x, p.z{font-size:0}", "<p class='z w'>y", "font-size: 0"),
        ("div .x>b{left:-9999px;position:fixed}", "<div><p class=x><b>y", "moved off-screen"),
        (".x{left:-9999px}", "<p class=x>y", ""),
        (".x{color:white;background:#FFF}", "<p class=x>y", "text in the colour of its background"),
        (".x{color:red}", "<p class=x>y", ""),
        (".x{height:0;overflow:hidden}", "<p class=x>y", "clipped to nothing"),
        (".x{display:n\\6fne}", "<p class=x>y", "display: none"),
        ("/*{*/.x{display:/**/none}", "<p class=x>y", "display: none"),
        ("@import url(a);.x{display:none}", "<p class=x>y", "display: none"),
        ("@charset 'x';@font-face{font-family:x}.x{display:none}", "<p class=x>y", "display: none"),
        (".z{content:'{'}.x{display:none}", "<p class=x>y", "display: none"),
        ('.z{content:""}.x{display:none}.w{content:""}', "<p class=x>y", "display: none"),
        ("@media screen{.x{display:none}}", "<p class=x>y", "display: none"),
        ("@layer a{.x{display:none}}", "<p class=x>y", "display: none"),
        ("@scope (.a\\:b){.x{display:none}}", "<p class=a:b><b class=x>y", "display: none"),
        ("@media print{.x{display:none}}", "<p class=x>y", ""),
        ("@media (max-width:9px){.x{display:none}}", "<p class=x>y", ""),
        ("@keyframes k{from{opacity:0}}", "<p class=x>y", ""),
        (".x:hover{display:none}", "<p class=x>y", ""),
        (".x::before{display:none}", "<p class=x>y", ""),
        (".x:not(.z){display:none}", "<p class=x>y", "display: none"),
        (".x:not(.z){display:none}", "<p class='x z'>y", ""),
        ("body{visibility:hidden}", "<p>y", ""),
        (".x{display:none", "<p class=x>y", "display: none"),
        ("}}{{.x{display:none}", "<p class=x>y", ""),
        (".x[{display:none}", "<p class=x>y", ""),
    ],
)
def test_rules(css: str, body: str, expected: str) -> None:
    assert reason(css, body) == expected


@pytest.mark.parametrize(
    "css, body, hidden",
    [
        (".x{display:none}.x{display:block}", "<p class=x>y", False),
        (".x{display:block}.x{display:none}", "<p class=x>y", True),
        (".x.z{display:block}.x{display:none}", "<p class='x z'>y", False),
        ("#i{display:none}.x.z{display:block}", "<p id=i class='x z'>y", True),
        (".x{display:none!important}#i{display:block}", "<p id=i class=x>y", True),
        (".x{display:none}", "<p class=x style=display:block>y", False),
        (".x{display:none!important}", "<p class=x style=display:block>y", True),
        (".x{display:block!important}", "<p class=x style=display:none>y", False),
        (".x{display:none}p{color:red}", "<p class=x>y", True),
    ],
)
def test_the_cascade_decides(css: str, body: str, hidden: bool) -> None:
    assert bool(reason(css, body)) is hidden


@pytest.mark.parametrize(
    "style, hidden", [("<style media=screen>", True), ("<style media=print>", False)]
)
def test_sheets_for_other_media_are_not_read(style: str, hidden: bool) -> None:
    assert bool(reason(".x{display:none}", "<p class=x>y", style)) is hidden


HOSTILE = {
    "braces": "{" * 200_000,
    "comments": "/*" * 200_000,
    "stars": "/" + "*" * 200_000,
    "quotes": "'" * 200_000,
    "rules": ".x{display:none}" * 20_000,
    "selectors": ",".join([".x"] * 100_000) + "{display:none}",
    "long selector": ".x " * 50_000 + "{display:none}",
    "escapes": "\\" * 200_000,
    "declarations": ".x{" + "display:none;" * 20_000 + "}",
    "value": ".x{display:" + " " * 200_000 + "none}",
}


@pytest.mark.parametrize("css", HOSTILE.values(), ids=HOSTILE)
def test_hostile_sheets_are_read_in_bounded_time(css: str) -> None:
    assert reason(css, "<p class=x>y" * 500) in ("", "display: none")


def test_only_so_many_selectors_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade, "MAX_SELECTORS", 1)
    monkeypatch.setattr(cascade, "MAX_STEPS", 1)
    css = ".a{display:none}.b{display:none}"
    assert reason(css, "<p class=b>z<p class=a>y") == "display: none"
    assert reason(css, "<p class=a>z<p class=b>y") == ""


NESTED = {
    "unknown names in a list": ",".join(["p", "div", *"abcdefghij", ".x"])
    + "{"
    + "".join(f".c{number}{{display:none}}" for number in range(9_000))
    + "}",
    "unknown names in a scope": f"@scope ({'.x,' * 300}.x){{{'& .z{display:none}' * 9_000}}}",
    "nothing that matters": "&,&,&,&,&{a:b}" * 20_000,
}


@pytest.mark.parametrize("css", NESTED.values(), ids=NESTED)
def test_rules_that_say_nothing_of_the_page_bring_no_limit_nearer(css: str) -> None:
    content = joeira.extract(f"<style>{css}.x{{display:none}}</style><p>z<p class=x>y", "all_text")
    assert content.hidden_words == {"display: none": 1}
    assert content.page.hidden_notes == ()


def test_so_many_selectors_in_others_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_SELECTORS", 2)
    css = "p{&.a{display:none}&.b{display:none}&.c{display:none}}.x{display:none}"
    page = joeira.parse(f"<style>{css}</style><p class=a>a<p class=b>b<p class=c>c<p class=x>x")
    assert [bool(page.hidden_reason(row)) for row in page.text_rows.tolist()] == [1, 1, 0, 1]
    assert page.hidden_notes == ("only 2 selectors of the style sheets were read",)


@pytest.mark.parametrize("inner", ["a,b,c", "a0,a1,a2"])
def test_layers_within_many_others_are_those_around_them(inner: str) -> None:
    css = "@layer a{" * 15 + "@layer b{" * 4 + f"@layer {inner};h1{{display:none}}" + "}" * 19
    assert reason(f"{css}h1{{display:block}}", "<h1>y") == ""
    assert reason(f"@layer {'a.' * 99}b{{p{{display:none}}}}", "<p>y") == "display: none"
