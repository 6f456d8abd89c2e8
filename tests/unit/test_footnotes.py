"""Footnotes in Markdown, read by another program; nothing but their marks may go."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

import joeira

READER = MarkdownIt("commonmark", {"html": True}).use(footnote_plugin)

REFERENCES = {
    "in sup": '<sup id="r{0}"><a href="#n{0}">{0}</a></sup>',
    "plain": '<a id="r{0}" href="#n{0}">[{0}]</a>',
    "anchor before": '<a name="r{0}"></a><a href="#n{0}"><span>[</span>{0}<span>]</span></a>',
    "absolute": '<sup><a id="r{0}" href="https://e.org/p#n{0}">{0}</a></sup>',
}
NOTES = {
    "list": '<ol><li id="n1">Alpha <i>one</i>. <a href="#r1">↩</a></li>'
    '<li id="n2"><p>Beta.</p><p>Gamma <a href="#r2">↩</a></p></li></ol>',
    "paragraphs in items": '<ul><li><p id="n1">Alpha <i>one</i>. <a href="#r1">back</a></p></li>'
    '<li><div id="n2"><p>Beta.</p><p>Gamma</p><a href="#r2">back</a></div></li></ul>',
    "anchors": '<p><a name="n1" href="#r1">1</a>. Alpha <i>one</i>.</p>'
    '<div id="n2">[<a href="#r2">2</a>]<p>Beta.</p><p>Gamma</p></div>',
    "jumps": '<ol><li id="n1"><b>^ <a href="#r1">a</a></b> Alpha <i>one</i>.</li>'
    '<li id="n2"><span>2</span> <p>Beta.</p><p>Gamma <a href="#r2">2</a></p></li></ol>',
}


def markdown(source: str) -> str:
    return joeira.extract(source, "all_text", url="https://e.org/p").markdown()


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


@pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES)
@pytest.mark.parametrize("notes", NOTES.values(), ids=NOTES)
def test_footnotes_come_back(reference: str, notes: str) -> None:
    first, second = reference.format(1), reference.format(2)
    written = markdown(f"<p>Grain{first} and <b>chaff</b>{second}.</p>{notes}<p>End</p>")
    assert "Grain[^1] and **chaff**[^2]." in written
    document = turbohtml.parse(READER.render(written))
    items = document.select("section.footnotes li.footnote-item")
    texts = [" ".join(item.text.replace("↩︎", "").split()) for item in items]
    assert texts == ["Alpha one.", "Beta. Gamma"]
    assert [item.text for item in document.select("li.footnote-item em")] == ["one"]
    assert len(document.select("sup.footnote-ref")) == 2
    assert [node.text for node in document.select("body > p")][-1] == "End"


def test_a_note_that_is_referred_to_twice() -> None:
    again = '<sup><a href="#n1">1</a></sup>'
    source = f"<p>A{REFERENCES['in sup'].format(1)} b{again}</p><p id=n1>N <a href=#r1>^</a></p>"
    assert markdown(source) == "A[^1] b[^1]\n\n[^1]: N"


def test_marks_without_letters_get_a_label() -> None:
    source = "<p>A<a id=r href=#n>*</a></p><p id=n><a href=#r>*</a> N</p>"
    assert markdown(source) == "A[^note1]\n\n[^note1]: N"


def test_other_items_of_the_list_stay_items() -> None:
    notes = '<ol><li>zero</li><li id=n1>N <a href="#r1">↩</a></li><li>two</li></ol>'
    assert markdown(f"<p>A{REFERENCES['in sup'].format(1)}</p>{notes}") == (
        "A[^1]\n\n- zero\n\n[^1]: N\n\n- two"
    )


@pytest.mark.parametrize(
    "source",
    [
        "<p>A<a id=r href=#n>1</a></p><p id=n>N</p>",  # no link back
        "<p>A<a id=r href=#n>1</a></p><p id=n>N <a href=#top>up</a></p>",  # to another place
        "<p id=r>A<a href=#n>1</a></p><p id=n>N <a href=#r>up</a></p>",  # to a whole paragraph
        "<p>A<a id=r href=#n>a long name</a></p><p id=n>N <a href=#r>up</a></p>",
        "<p>A<a id=r href=#n>1</a></p><h2 id=n>N <a href=#r>up</a></h2>",
        "<p>A<a id=r href=#n>1</a></p><p id=n><a href=#r>up</a></p>",  # nothing but the link
        "<p id=n>N <a href=#r>up</a></p><p>A<a id=r href=#n>1</a></p>",  # a note before it
        "<pre>A<a id=r href=#n>1</a></pre><p id=n>N <a href=#r>up</a></p>",
        "<p>A<a id=r href=#n>1</a></p><blockquote><p id=n>N <a href=#r>up</a></p></blockquote>",
        "<p>A<a id=r href=#n>1</a></p><table><tr><th>a<th>b<tr id=n><td>N<td><a href=#r>up</a>",
        "<p>A<a id=r href=#n>1</a></p><p>some <a id=n href=#r>N</a> more</p>",
    ],
)
def test_what_is_not_certain_stays_a_link(source: str) -> None:
    written = markdown(source)
    assert "[^" not in written
    shown = turbohtml.parse(READER.render(written)).text
    assert words(joeira.extract(source, "all_text").text()) - words(shown) == Counter()


def test_a_note_that_kept_text_refers_to_is_kept_in_markdown() -> None:
    page = joeira.parse("<p>A<a id=r href=#n>1</a></p><p id=n>N <a href=#r>up</a></p>")
    content = joeira.extract(page, "all_text")
    keep = content.keep.copy()
    keep[2:] = False
    without_note = replace(content, keep=keep)
    assert without_note.markdown() == "A[^1]\n\n[^1]: N"
    assert "N" not in without_note.text()


LOOSE_NOTES = {
    "superscripts after a rule": "<p>A.<sup>1</sup></p><hr><p><sup>1</sup> Note one.</p>",
    "bold numbers": "<p>A.<sup>1</sup></p><hr><p><strong>1</strong> Note one.</p>",
    "a named list": "<p>A.<sup>1</sup></p><div class=footnotes><ol><li>Note one.</ol></div>",
    "an aside": "<p>A.<sup>1</sup></p><aside><ol start=1><li>Note one.</ol></aside>",
    "a titled list": "<p>A.<a href=#b>[1]</a></p><h2>References</h2><ol><li id=b>Note one.</ol>",
    "a number before it": "<p>A.<a href=#b>1</a></p><div id=b><b>1.</b> Note one.</div>",
    "brackets": "<p>A.[<a href=#b>1</a>]</p><div id=b>[1] <span>Note one.</span></div>",
}


@pytest.mark.parametrize("source", LOOSE_NOTES.values(), ids=LOOSE_NOTES)
def test_notes_that_do_not_link_back(source: str) -> None:
    written = markdown(source)
    assert "A.[^1]" in written
    assert "[^1]: Note one." in written


def test_several_notes_in_one_paragraph() -> None:
    source = """<p>A<a href=#one><sup>1</sup></a> b<a href=#two><sup>2</sup></a></p>
        <p><a name=one><sup>1</sup></a> First. <a href=#>↩</a><br><br>
        <a name=two><sup>2</sup></a> <i>Second</i>. <a href=#>↩</a></p>"""
    assert markdown(source) == "A[^1] b[^2]\n\n[^1]: First.\n\n[^2]: *Second*."


PARTS = st.sampled_from(
    [
        "<p id=a1>one</p>", "<p>two<sup id=r1><a href=#a1>1</a></sup></p>", "<a href=#r1>x</a>",
        "<li id=a1>three", "<ol>", "</ol>", "<div id=r1>", "</div>", "<a id=a1 href=#r1>5</a>",
        "<a id=r1 href=#a1>6</a>", "<blockquote>", "<td id=a1>four", "<table><tr>", "</table>",
        "<pre>", "</pre>", "<p>", "seven", "<h2 id=a1>eight</h2>", "<dd id=a1>nine",
    ]
)  # fmt: skip


@given(st.lists(PARTS, max_size=14).map("".join))
def test_no_word_is_ever_lost(source: str) -> None:
    shown = turbohtml.parse(READER.render(markdown(source))).text
    spelt = ("one", "two", "three", "four", "seven", "eight", "nine")
    for word in spelt:
        assert shown.count(word) >= joeira.extract(source, "all_text").text().count(word)


@pytest.mark.parametrize(
    "note",
    [
        "<span class=inline-footnote>1<span class=fn-text>A <b>note</b> here.</span></span>",
        "<label class=margin-toggle></label><span class=sidenote>A <b>note</b> here.</span>",
    ],
)
def test_notes_in_the_middle_of_a_line(note: str) -> None:
    written = markdown(f"<p>Grain{note} and chaff.</p><p>End</p>")
    label = "1" if "inline" in note else "note1"
    assert written == f"Grain[^{label}] and chaff.\n\nEnd\n\n[^{label}]: A **note** here."
