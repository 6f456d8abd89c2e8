"""Text is hidden as CSS says: each part of the language that can decide it, in its least case."""

from __future__ import annotations

import pytest

import joeira
from joeira.page import cascade, css, rules
from joeira.page.hiding import are_hidden
from joeira.page.visibility import FADING_IN

HIDDEN = [
    # The cascade
    ("", "<p style='display:none ! important'>S"),
    (".h{display:none ! important}", "<p class=h style='display:block'>S"),
    ("", "<p style='display:none;display:bogus'>S"),
    ("", "<p style='display:none;display:block!wrong'>S"),
    ("", "<p style='font-size:0;font-size:-1px'>S"),
    (":is(.h,.z){display:none}", "<p class=h>S"),
    (":where(.h){display:none}", "<p class=h>S"),
    ("p:not(.z){display:none}", "<p class=h>S"),
    ("div:has(> .h){display:none}", "<div><p class=h>S</div>"),
    (".h:not(:hover){display:none}", "<p class=h>S"),
    ("#q:not(:checked)~.o{display:none}", "<input type=checkbox id=q><p class=o>S"),
    ("p[data-x='a{b' i]{display:none}", "<p data-x='A{B'>S"),
    (".o{ .h{display:none} }", "<div class=o><p class=h>S</div>"),
    (".o{ color:red; &.h{display:none} }", "<p class='o h'>S"),
    (".o{ > p{display:none} }", "<div class=o><p>S</div>"),
    (".o{ @media screen{display:none} }", "<p class=o>S"),
    ("@supports (display:grid){.h{display:none}}", "<p class=h>S"),
    ("@supports not (display:bogus){.h{display:none}}", "<p class=h>S"),
    ("@media (min-width:1px){.h{display:none}}", "<p class=h>S"),
    ("@media (400px <= width < 2000px){.h{display:none}}", "<p class=h>S"),
    ("@media print, screen and (orientation:landscape){.h{display:none}}", "<p class=h>S"),
    ("@media not print{.h{display:none}}", "<p class=h>S"),
    ("@layer a,b;@layer b{.h{display:none}}@layer a{.h{display:block}}", "<p class=h>S"),
    ("@layer a{.h{display:none!important}}.h{display:block!important}", "<p class=h>S"),
    ("@scope (.o){.h{display:none}}", "<div class=o><p class=h>S</div>"),
    ("@import url(data:text/css,.h%7Bdisplay:none%7D);", "<p class=h>S"),
    ("", "<link rel=stylesheet href='data:text/css,.h{display:none}'><p class=h>S"),
    (":root{--d:none}.h{display:var(--d)}", "<p class=h>S"),
    (".h{display:var(--missing,none)}", "<p class=h>S"),
    # Values
    ("", "<p style='font-size:calc(1px - 1px)'>S"),
    ("", "<p style='opacity:calc(1 - 1)'>S"),
    ("", "<p style='opacity:.01'>S"),
    ("", "<div style='opacity:.2'><p style='opacity:.2'>S</div>"),
    ("", "<p style='font-size:1px'>S"),
    ("", "<p style='font:0%/1 serif'>S"),
    ("", "<p style='position:absolute;inset:0 auto auto -9999px'>S"),
    ("", "<p style='position:absolute;left:-50em;width:20em'>S"),
    ("", "<p style='position:absolute;left:calc(-1*9999px)'>S"),
    ("", "<p style='position:fixed;left:9999px'>S"),
    ("", "<p style='scale:0'>S"),
    ("", "<p style='translate:-9999px'>S"),
    ("", "<p style='transform:rotateY(90deg)'>S"),
    ("", "<p style='transform:matrix(0,0,0,0,0,0)'>S"),
    ("", "<p style='backface-visibility:hidden;transform:rotateX(180deg)'>S"),
    ("", "<p style='text-indent:100%;white-space:nowrap;overflow:hidden'>S"),
    ("", "<p style='clip-path:inset(0 0 100% 0)'>S"),
    ("", "<p style='clip-path:circle(0)'>S"),
    ("", "<p style='clip-path:polygon(-10px -10px,-9px -10px,-9px -9px)'>S"),
    ("", "<p style='width:1px;height:1px;overflow:hidden'>S"),
    ("", "<p style='max-height:0;overflow:clip'>S"),
    ("", "<div style='height:0;overflow:auto'><p>S</div>"),
    ("", "<p style='-webkit-mask:linear-gradient(transparent,transparent)'>S"),
    # Colours
    ("", "<div style='background:#000'><p>S</div>"),
    ("", "<div style='color:white'><p><b>S</b></div>"),
    ("", "<p style='color:hsl(0,0%,100%)'>S"),
    ("", "<p style='color:rgb(100% 100% 100% / 1)'>S"),
    ("", "<p style='color:oklch(1 0 0)'>S"),
    ("", "<p style='color:rgba(0,0,0,.03)'>S"),
    ("", "<p style='-webkit-text-fill-color:transparent'>S"),
    ("p{margin:1em}", "<p style='color:white'>S"),
    ("", "<font color=white>S</font>"),
    ("", "<table bgcolor=navy><td><font color=#000080>S</font></table>"),
    ("", "<p style='color:white;background:linear-gradient(#fff,#fefefe)'>S"),
    # Elements
    ("", "<details><summary>s</summary><summary>S</summary></details>"),
    ("", "<meter value=.5>S</meter>"),
    ("", "<select><option>a<option>S</select>"),
    ("", "<div><template shadowrootmode=open><p>s</p></template>S</div>"),
]
SEEN = [
    ("", "<p style='display:none;display:block'>S"),
    ("", "<div style='visibility:hidden'><p style='visibility:visible'>S</div>"),
    (".o{visibility:hidden}.h{visibility:visible}", "<div class=o><p class=h>S</div>"),
    ("", "<div style='font-size:0'><p style='font-size:16px'>S</div>"),
    (".o{font-size:0}.o p{font-size:1rem}", "<div class=o><p>S</div>"),
    ("", "<p style='font-size:.001em'>S"),  # shown at least 6 pixels high
    (".h,:bogus{display:none}", "<p class=h>S"),
    (".h::before{display:none}", "<p class=h>S"),
    ("@media (max-width:600px){.h{display:none}}", "<p class=h>S"),
    ("@media (bogus:1px){.h{display:none}}", "<p class=h>S"),
    ("@supports (display:bogus){.h{display:none}}", "<p class=h>S"),
    ("@layer a{.h{display:none}}.h{display:block}", "<p class=h>S"),
    ("@scope (.o) to (.l){.h{display:none}}", "<div class=o><div class=l><p class=h>S</div></div>"),
    ("@keyframes k{from{display:none}}", "<p>S"),
    (".h{display:var(--missing)}", "<p class=h>S"),
    ("#i.h{display:block}.h.h{display:none}", "<p id=i class=h>S"),
    ("", "<p hidden style='display:block'>S"),
    ("[hidden]{display:revert-layer}[hidden]{display:flex}", "<p hidden>S"),
    ("", "<p>a <span style='transform:scale(0)'>S</span>"),  # not a box
    ("", "<p style='left:-9999px'>S"),  # not positioned
    ("", "<p style='height:0'>S"),
    ("", "<div style='height:0;padding-bottom:56%;overflow:hidden'>S</div>"),
    ("", "<div style='flex:1;width:1px;overflow:hidden'>S</div>"),
    ("", "<div style='background:#000'><p style='color:#fff'>S</div>"),
    ("", "<div style='color:white'><a href=x>S</a></div>"),
    ("body{background:#222}", "<p style='color:white'>S"),
    ("", "<p style='color:white;background:url(a.png)'>S"),
    ("", "<p style='color:transparent;text-shadow:0 0 2px #000'>S"),
    (
        "",
        "<p style='color:transparent;background:linear-gradient(red,blue);background-clip:text'>S",
    ),
    ("", "<p style='color:white;color:bogus(1)'>a<p>S"),
    ("", "<p aria-hidden=true role=note>S"),
    ("", "<select><option>S<option>b</select>"),
    ("", "<div><template shadowrootmode=open><slot></slot></template>S</div>"),
]


def is_kept(sheet: str, body: str) -> bool:
    html = f"<!doctype html><head><style>{sheet}</style></head><body><p>Seen.</p>{body}"
    return "S" in joeira.extract(html, "all_text", visible_only=True).text().replace("Seen", "")


@pytest.mark.parametrize("sheet, body", HIDDEN)
def test_hidden(sheet: str, body: str) -> None:
    assert not is_kept(sheet, body)


@pytest.mark.parametrize("sheet, body", SEEN)
def test_seen(sheet: str, body: str) -> None:
    assert is_kept(sheet, body)


@pytest.mark.parametrize("least", [rules._MIN_CHARS, 0])
@pytest.mark.parametrize("sheet, body", [*HIDDEN, *SEEN])
def test_what_is_said_of_an_element_alone_tells_the_same(
    sheet: str, body: str, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "_MIN_CHARS", least)
    html = f"<!doctype html><head><style>{sheet}</style></head><body><p>Seen.</p>{body}"
    page = joeira.parse(html)
    rows = [row for row in range(page.body, len(page)) if not page.is_text[row]]
    alone = [are_hidden(joeira.parse(html), [row]) for row in rows]
    hidden = [bool(how) and how not in FADING_IN for how in page.hidden[rows].tolist()]
    assert alone == [[each] for each in hidden]
    assert are_hidden(joeira.parse(html), rows) == hidden


def test_the_colours_of_the_body_are_inherited() -> None:
    page = joeira.parse("<!doctype html><body text=white><p>S")
    assert page.hidden_reason(int(page.text_rows[-1])) == "text in the colour of its background"


LIMITS = {
    "style attribute": f"<p style='{'x:y;' * cascade.MAX_STYLE_CHARS}display:none'>S",
    "style sheet": f"<style>{'a' * rules.MAX_CSS_CHARS}{{}}p{{display:none}}</style><p>S",
    "rules": f"<style>{'.x{display:none}' * (rules.MAX_RULES + 1)}</style><b class=x></b><p>S",
    "long selector": f"<style>p:not({'.y' * css.MAX_SELECTOR_CHARS}){{display:none}}</style><p>S",
    "combinators": f"<style>{':not(.y) ' * (css.MAX_COMBINATORS + 2)}p{{display:none}}</style><p>S",
}


@pytest.mark.parametrize("html", LIMITS.values(), ids=LIMITS)
def test_limits_speak(html: str) -> None:
    content = joeira.extract(f"<!doctype html>{html}<p>Seen.", "all_text", visible_only=True)
    assert content.status == "cut"
    assert content.reason.startswith("hidden text may have passed: ")
    assert joeira.extract(f"<!doctype html>{html}<p>Seen.", "all_text").status == "ok"


def test_many_hiding_selectors_are_looked_for_or_told() -> None:
    rules = "".join(f".h{number}{{display:none}}" for number in range(1000))
    names = "".join(f"<i class=h{number}></i>" for number in range(1000))
    html = f"<!doctype html><style>{rules}</style>{names}<p class=h999>S<p>Seen."
    content = joeira.extract(html, "all_text", visible_only=True)
    assert content.text() == "Seen." or "hidden text may have passed" in content.reason


_PROSE = "<p>These are the words of a page that waits for its script to fade it in.</p>" * 20


@pytest.mark.parametrize(
    "html",
    [
        f"<main style='opacity:0'>{_PROSE}</main>",
        f"<style>p {{ opacity: 0 }}</style><main>{_PROSE}</main>",
        f"<div hidden>{_PROSE}</div>",
        f"<div style='display:none'>{_PROSE}</div>",
        f"<div style='visibility:hidden'>{_PROSE}</div>",
    ],
)
def test_a_page_that_waits_for_its_script_counts_as_seen(html: str) -> None:
    secret = "<p style='font-size:0'>Nobody reads this sentence.</p>"
    content = joeira.extract(f"<h1>A title</h1>{html}{secret}", "all_text", visible_only=True)
    assert "words of a page" in content.text()
    assert "Nobody" not in content.text()
    assert "until a script shows it" in content.reason


def test_parts_of_a_page_that_wait_stay_hidden() -> None:
    html = f"<h1>A title</h1>{_PROSE}<div hidden>{_PROSE[: len(_PROSE) // 2]}</div>"
    content = joeira.extract(html, "all_text", visible_only=True)
    assert content.text().count("words of a page") == 20
    assert not content.reason


def test_what_stands_for_a_formula_is_not_seen() -> None:
    html = "<p>Let <math alttext='secret words'><mi>x</mi></math> be given.</p>"
    seen = joeira.extract(html, "all_text", visible_only=True)
    assert seen.markdown() == "Let x be given."
    assert "secret" in joeira.extract(html, "all_text").markdown()
