"""The web page that shows every decision."""

from __future__ import annotations

import re

import pytest
import turbohtml

import joeira
from support.command_line import EXAMPLES

PAGE = """<html><head><title>A <i>title</i></title><script>alert(1)</script></head><body>
<nav><a href="javascript:alert(2)">Home</a></nav>
<h1 onclick="alert(3)">Rain</h1><p style="display:none">unseen</p>
<p>It rained <b>all</b> day<img src="https://e.org/i.png" onerror="alert(4)">.</p>
<pre>x = 1\n  y = "&lt;script&gt;"</pre><table><tr><td>1<td>2<tr><td>3<td>4</table></body></html>"""


def document(content: joeira.Content) -> turbohtml.Document:
    return turbohtml.parse(content.report())


def solid(text: str) -> str:
    return "".join(text.split())


def test_every_word_stands_once_on_the_left() -> None:
    content = joeira.extract(PAGE, "nce")
    (left,) = document(content).select(".page")
    words = [
        text
        for text, head in zip(
            content.page.texts, content.page.in_head[content.page.text_rows], strict=True
        )
        if not head
    ]
    assert solid(left.text) == solid("The page" + "".join(words))


def test_marks_follow_the_decisions() -> None:
    content = joeira.extract(PAGE, "all_text", visible_only=True)
    found = document(content)
    assert solid("".join(mark.text for mark in found.select(".page .k"))) == solid(content.text())
    (dropped,) = found.select(".page .d")
    assert dropped.text == "unseen"
    assert "h" in (dropped.attr("class") or "").split()
    assert "hidden: display: none" in (dropped.attr("data-why") or "")
    focusable = found.select(".page [tabindex]")
    assert len(focusable) == sum(
        1 for block in content.explain() if block.xpath != "/html/head/title"
    )


def test_the_page_is_told_as_a_whole() -> None:
    (facts,) = document(joeira.extract(PAGE, "all_text")).select("dl.facts")
    for name in ("method", "version", "configuration", "status", "kept", "hidden but kept"):
        assert name in facts.text


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.html")), ids=lambda path: path.stem)
def test_nothing_runs_and_nothing_is_loaded(example) -> None:
    for source in (example.read_bytes(), PAGE.encode()):
        report = joeira.extract(source, "all_text", url="https://e.org/").report()
        found = turbohtml.parse(report)
        (policy,) = found.select("meta[http-equiv=Content-Security-Policy]")
        assert (policy.attr("content") or "").startswith("default-src 'none'")
        assert not found.select("script,iframe,img,link,object,embed,base,form,svg,video,audio")
        for element in found.select("*"):
            assert not any(
                name.startswith("on") or name in ("src", "srcset") for name in element.attrs
            )
            assert (element.attr("href") or "#first") == "#first"
        assert "url(" not in report.partition("</style>")[0]
        assert not re.search(r"@import|javascript:", report)


def test_an_empty_page_has_a_report() -> None:
    report = joeira.extract("").report()
    assert "empty" in report
    assert "first kept block" not in report
