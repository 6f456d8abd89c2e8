"""The cascade against a slow and literal one: tinycss2 reads the sheet, cssselect2 matches."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import joeira

tinycss2 = pytest.importorskip("tinycss2")
cssselect2 = pytest.importorskip("cssselect2")

BODY = (
    "<body><div class='a' id='i'><p class='b'>t0</p><p class='b c'>t1<b class='a'>t2</b></p></div>"
    "<section class='c'><div class='a b'>t3<i>t4</i></div><p id='j'>t5</p></section></body>"
)
SELECTORS = st.sampled_from(
    (
        "p|div|.a|.b|.c|#i|#j|div .b|.a > p|p + p|.a.b|section *|.b:not(.c)|:is(.a, #j)|"
        ":where(#i) p|p:first-child|[class~=c]|div:has(b)"
    ).split("|")
)
DECLARATIONS = st.sampled_from(
    (
        "display:none|display:block|display:bogus|display : NONE ! important|color:red|x:y|"
        "display:block!important|visibility:hidden|visibility:visible|font-size:0|opacity:0|"
        "font-size:12px|font-size:2em|opacity:1|visibility:inherit|opacity:0!important|"
        "display:/*;}*/none|content:'}display:none'|visibility:unset"
    ).split("|")
)
RULES = st.tuples(
    st.lists(SELECTORS, min_size=1, max_size=2), st.lists(DECLARATIONS, min_size=1, max_size=3)
)
VALID = {
    "display": {"none", "block"},
    "visibility": {"hidden", "visible", "inherit", "unset"},
    "font-size": {"0", "12px", "2em"},
    "opacity": {"0", "1"},
}


def declared(content: Any) -> list[tuple[str, str, bool]]:
    parsed = tinycss2.parse_declaration_list(content, skip_comments=True, skip_whitespace=True)
    pairs = [
        (each.lower_name, "".join(t.serialize() for t in each.value if t.type != "comment"), each)
        for each in parsed
        if each.type == "declaration"
    ]
    return [
        (name, value.strip().lower(), each.important)
        for name, value, each in pairs
        if value.strip().lower() in VALID.get(name, ())
    ]


def styles(sheet: str, root: ElementTree.Element) -> dict[Any, dict[str, str]]:
    """Return the winning values of every element."""
    said: dict[Any, dict[str, tuple[Any, str]]] = {}
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    elements = list(cssselect2.ElementWrapper.from_html_root(root).iter_subtree())
    for order, rule in enumerate(rules):
        for selector in cssselect2.compile_selector_list(rule.prelude):
            for element in elements:
                if not selector.test(element):
                    continue
                own = said.setdefault(element.etree_element, {})
                for place, (name, value, important) in enumerate(declared(rule.content)):
                    key = (important, selector.specificity, order, place)
                    if name not in own or key >= own[name][0]:
                        own[name] = (key, value)
    return {
        element: {name: value for name, (_, value) in own.items()} for element, own in said.items()
    }


def seen(sheet: str) -> list[str]:
    """Return the texts that are seen."""
    root = ElementTree.fromstring(f"<html>{BODY}</html>")
    style_of = styles(sheet, root)
    texts: list[str] = []

    def walk(element: ElementTree.Element, visible: bool, size: float) -> None:
        style = style_of.get(element, {})
        if style.get("display") == "none" or style.get("opacity") == "0":
            return
        visible = {"hidden": False, "visible": True}.get(style.get("visibility", ""), visible)
        size = {"0": 0.0, "12px": 12.0, "2em": 2 * size}.get(style.get("font-size", ""), size)
        if visible and size and element.text:
            texts.append(element.text)
        for child in element:
            walk(child, visible, size)

    walk(root, True, 16.0)
    return texts


@settings(max_examples=300, deadline=None)
@given(st.lists(RULES, max_size=6))
def test_the_same_texts_are_seen(rules: list[tuple[list[str], list[str]]]) -> None:
    sheet = "\n".join(f"{','.join(names)}{{{';'.join(said)}}}" for names, said in rules)
    html = f"<!doctype html><html><head><style>{sheet}</style></head>{BODY}</html>"
    page = joeira.parse(html)
    shown = page.hidden[page.text_rows] == 0
    assert [text for text, kept in zip(page.texts, shown, strict=True) if kept] == seen(sheet)
