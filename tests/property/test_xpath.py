"""The XPath of every row finds exactly that node again, in the parser's tree and in lxml's."""

from __future__ import annotations

from typing import Any

import lxml.html
import pytest
from hypothesis import example, given

import joeira
from support.examples import EXAMPLES
from support.html import agreed_trees, documents
from support.twin import Row, Twin


@EXAMPLES
@given(documents)
@example("<p>a&nbsp;<br>&nbsp;<br>b")
@example("<p> <!-- c -->a")
@example("<div><a'\"b>x</a'\"b><b>y</b><a'\"b>z")
def test_in_the_parsers_tree(html: str) -> None:
    page, twin = joeira.parse(html), Twin(html)
    for number, row in enumerate(twin.rows):
        xpath = page.xpath(number)
        found = twin.document.xpath(xpath)
        if row.text is None:
            assert found == [row.node], xpath
        else:
            assert found == [row.text], xpath


@EXAMPLES
@given(agreed_trees)
@example("<!DOCTYPE html><html><head></head><body>a<br>&nbsp;<br>b<i>c</i>d</body></html>")
def test_in_the_tree_of_lxml(html: str) -> None:
    page, twin = joeira.parse(html), Twin(html)
    tree = lxml.html.document_fromstring(html)
    for number, row in enumerate(twin.rows):
        xpath = page.xpath(number)
        found = tree.xpath(xpath)
        assert len(found) == 1, xpath
        assert _same(found[0], row, twin), xpath


def _same(node: Any, row: Row, twin: Twin) -> bool:
    """Return whether a node of lxml is the row: same text, or same name at the same place."""
    if row.text is not None:
        return bool(node == row.text)
    place = [node.tag]
    for above in node.iterancestors():
        place.append(above.index(node))
        node = above
    names = twin.names_to(row)
    return place[0] == names[-1].lower() and place[1:] == _places(row, twin)


def _places(row: Row, twin: Twin) -> list[int]:
    """Return the number of each ancestor-or-self among its siblings but texts, from the row up."""
    found = []
    node = row.node
    for above in reversed(row.ancestors):
        parent = twin.rows[above].node
        others = [child for child in parent.children if not _is_text(child)]
        found.append(others.index(node))
        node = parent
    return found


def _is_text(node: Any) -> bool:
    return type(node).__name__ in ("Text", "CData")


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<p>a", "/html/body/p/text()"),
        ("<p>a<p>b", "/html/body/p[2]/text()"),
        ("<p>a<br>b", "/html/body/p/text()[normalize-space()][2]"),
        ("<p>a<br>&nbsp;<br>b", "/html/body/p/text()[normalize-space()][3]"),
        ("<p>a<br>  <br>b", "/html/body/p/text()[normalize-space()][2]"),
        ("<my-part>b", "/html/body/my-part/text()"),
        ("<o:p>b", "/html/body/*[name()='o:p']/text()"),
        ("<math><mi>b", "/html/body/*[name()='math']/*[name()='mi']/text()"),
    ],
)
def test_xpath_of_the_last_text(html: str, expected: str) -> None:
    page = joeira.parse(html)
    assert page.xpath(int(page.text_rows[-1])) == expected


def test_xpath_of_foreign_names_is_by_place() -> None:
    page = joeira.parse("<svg><g></g><foreignObject><p></p></foreignObject></svg>")
    row = int(page.rows_of("p")[0])
    assert page.xpath(row) == "/html/body/*[name()='svg']/*[2]/p"
