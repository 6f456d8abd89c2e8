"""A document as a plain tree of Python objects, read by the standard library's parser.

Only for well-formed documents, such as those of `strategies.pages`: nothing is repaired.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from joeira.page import Page

VOID = frozenset({"br", "img", "hr", "meta", "link", "input"})
UNSEEN = frozenset({"script", "style", "template", "noscript"})


@dataclass(eq=False)
class Node:
    tag: str
    parent: Node | None = None
    text: str = ""
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    row: int = -1
    """Number in preorder."""

    def subtree(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.subtree()

    def ancestors(self) -> Iterator[Node]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def is_text(self) -> bool:
        return self.tag == "#text"

    @property
    def linked(self) -> bool:
        return any(above.tag == "a" for above in self.ancestors())

    def texts(self) -> list[Node]:
        return [node for node in self.subtree() if node.is_text]


def plain_tree(html: str) -> Node:
    """Return the root of a well-formed document, rows numbered as in the page table."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    root = reader.top.children[0]
    root.parent = None
    for row, node in enumerate(root.subtree()):
        node.row = row
    return root


def plain_copy(page: Page) -> Node:
    """Return the tree of a page table, for pages that only a parser of HTML can read."""
    texts = iter(page.texts)
    nodes: list[Node] = []
    for row, parent in enumerate(page.parent.tolist()):
        above = nodes[parent] if parent >= 0 else None
        if page.is_text[row]:
            node = Node("#text", above, next(texts), row=row)
        else:
            attributes: dict[str, str | None] = dict(page.attributes.of(row))
            node = Node(page.tag_name(row), above, attributes=attributes, row=row)
        if above is not None:
            above.children.append(node)
        nodes.append(node)
    return nodes[0]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.top = self.here = Node("#document")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = self._add(Node(tag, self.here, attributes=dict(attrs)))
        if tag not in VOID:
            self.here = node

    def handle_endtag(self, tag: str) -> None:
        assert self.here.tag == tag, "the document is not well-formed"
        assert self.here.parent is not None
        self.here = self.here.parent

    def handle_data(self, data: str) -> None:
        if data.strip() and self.here.tag not in UNSEEN:
            self._add(Node("#text", self.here, data))

    def _add(self, node: Node) -> Node:
        self.here.children.append(node)
        return node


def collapse(text: str) -> str:
    return " ".join(text.split())
