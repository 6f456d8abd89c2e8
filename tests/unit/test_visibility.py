"""Which rows a browser would not show, and why."""

from __future__ import annotations

import time

import pytest

import joeira


def reason(html: str) -> str:
    page = joeira.parse(html)
    return page.hidden_reason(int(page.text_rows[-1]))


@pytest.mark.parametrize(
    "attributes, expected",
    [
        ("", ""),
        ("hidden", "hidden attribute"),
        ("hidden=until-found", "hidden attribute"),
        ("aria-hidden=true", "aria-hidden"),
        ("aria-hidden=false", ""),
        ("style=display:none", "display: none"),
        ("style='DISPLAY : NONE !important'", "display: none"),
        ("style=display:block", ""),
        ("style=visibility:hidden", "visibility: hidden"),
        ("style=visibility:collapse", "visibility: hidden"),
        ("style=overflow:hidden", ""),
        ("style=opacity:0", "opacity: 0"),
        ("style='color:red; opacity: 0.0;'", "opacity: 0"),
        ("style=opacity:.00", "opacity: 0"),
        ("style=opacity:0.5", ""),
        ("style=opacity:.5", ""),
        ("style=fill-opacity:0", ""),
        ("style=font-size:0", "font-size: 0"),
        ("style='font-size: 0px !important'", "font-size: 0"),
        ("style=font-size:0.9em", ""),
        ("style=position:absolute;left:-9999px", "moved off-screen"),
        ("style=text-indent:-1000em", "moved off-screen"),
        ("style=left:-5px", ""),
        ("style=padding-left:-9999px", ""),
        ("style='position:absolute;clip: rect(0, 0, 0, 0)'", "clipped to nothing"),
        ("style='position:fixed;clip: rect(1px 1px 1px 1px)'", "clipped to nothing"),
        ("style='clip: rect(0, 0, 0, 0)'", ""),
        ("style='clip-path: inset(100%)'", "clipped to nothing"),
        ("style='clip-path: inset(5%)'", ""),
        ("style='transform: scale(0)'", "clipped to nothing"),
        ("style='transform: scale(0.5)'", ""),
        ("style='transform: translateX(-9999px)'", "moved off-screen"),
        ("style='transform: translateX(-50%)'", ""),
        ("style='max-height:0;overflow:hidden'", "clipped to nothing"),
        ("style='max-height:0'", ""),
        ("style='font:0/0 a'", "font-size: 0"),
        ("style='font:10px/0 a'", ""),
        ("style='filter:opacity(0)'", "opacity: 0"),
        ("style='content-visibility:hidden'", "visibility: hidden"),
        ("style='display:/**/none'", "display: none"),
        ("style='display:n\\6f ne'", "display: none"),
        ("style=color:transparent", "text in the colour of its background"),
        ("style=color:#FFFFFF", "text in the colour of its background"),
        ("style=color:#fefefe", "text in the colour of its background"),
        ("style=color:#888", ""),
        (
            "style='color:rgb(255,255,255);background:rgb(100% 100% 100%)'",
            "text in the colour of its background",
        ),
        ("style='color:white;background:url(a.png) #fff'", ""),
        ("style='color:white;background:transparent'", "text in the colour of its background"),
        ("popover", "closed popover"),
        ("style=color:#fff;background:#fff", "text in the colour of its background"),
        ("style=color:#fff;background-color:#000", ""),
    ],
)
def test_reasons(attributes: str, expected: str) -> None:
    assert reason(f"<p {attributes}>x") == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<dialog>x", "closed dialog"),
        ("<dialog open>x", ""),
        ("<datalist><option>x", "never shown by browsers"),
        ("<ruby>y<rp>x", "never shown by browsers"),
        ("<body style=opacity:0>x", ""),
        ("<body bgcolor=navy><p style=color:white>x", ""),
        ("<link rel=stylesheet href=a><p style=color:white>x", ""),
        ("<details><p>x", "closed details"),
        ("<details>x", "closed details"),
        ("<details open>x", ""),
        ("<details><summary><b>x</b></summary>", ""),
        ("<div hidden><p><b>x", "hidden attribute"),
        ("<div hidden>y</div>x", ""),
        ("<div hidden><div style=display:none>x", "display: none"),
    ],
)
def test_elements_hide_what_is_in_them(html: str, expected: str) -> None:
    assert reason(html) == expected


def test_long_styles_take_little_time() -> None:
    # Measured: 0.02 s; the same patterns with overlapping parts took over a minute.
    html = f"<p style='opacity:{'0' * 1900}x;font-size:{'0' * 50}x'>y" * 500
    start = time.process_time()
    assert not joeira.parse(html).hidden.any()
    assert time.process_time() - start < 5
