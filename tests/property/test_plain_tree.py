"""The ground that the twins of the methods stand on: their plain tree is the page table."""

from hypothesis import given

import joeira
from strategies import pages
from support.examples import EXAMPLES
from support.plain_tree import plain_tree


@EXAMPLES
@given(pages())
def test_plain_tree_has_the_rows_of_the_page(html: str) -> None:
    page = joeira.parse(html)
    nodes = list(plain_tree(html).subtree())
    assert [node.tag for node in nodes] == [page.tag_name(row) for row in range(len(page))]
    assert [node.parent.row if node.parent else -1 for node in nodes] == page.parent.tolist()
    assert [node.text for node in nodes if node.is_text] == list(page.texts)
