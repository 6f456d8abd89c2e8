"""Gupta's filters against a tree from which nodes are really removed."""

from hypothesis import given

import joeira
from joeira.arrays.strings import words
from joeira.content import Gupta
from strategies import pages
from support.examples import EXAMPLES
from support.plain_tree import Node, collapse, plain_tree

METHOD = Gupta(ad_hosts=("example.com",), drop_tags=("form", "h1"), min_cell_chars=30)


def filtered(node: Node, method: Gupta) -> list[Node]:
    """The texts that are left of a subtree, children first."""
    if node.is_text:
        return [node]
    address = node.attributes.get("href") or node.attributes.get("src") or ""
    if node.tag in (*method.drop_tags, "head") or "ads.example.com" in address:
        return []
    left = [text for child in node.children for text in filtered(child, method)]
    if node.tag in ("ul", "td"):
        count = sum(len(words(text.text)) for text in left)
        linked = sum(len(words(text.text)) for text in left if text.linked)
        if count and linked / count > method.link_ratio:
            return []
    if node.tag == "table":
        chars = sum(len(collapse(text.text)) for text in left)
        if chars < method.min_cell_chars:
            return []
    return left


@EXAMPLES
@given(pages())
def test_gupta_removes_from_the_inside_out(html: str) -> None:
    page = joeira.parse(html)
    content = METHOD.extract(page)
    expected = [node.row for node in filtered(plain_tree(html), METHOD)]
    assert page.text_rows[content.keep].tolist() == expected
    assert ((content.scores >= 0) & (content.scores <= 1)).all()
