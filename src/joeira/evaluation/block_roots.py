"""Where the blocks of an answer are in our own tree of the page.

The answer names blocks by XPath in lxml's tree, which may differ from ours (it makes no ``tbody``
elements, for one). So a block is found by its words: it is the element around the same words, and
of several such elements the one that has its tag, id and classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from joeira.arrays import trees
from joeira.evaluation.datasets import Row
from joeira.evaluation.segments import UNSEEN, lxml_tree, spread, words
from joeira.page import Page


@dataclass(frozen=True)
class _Element:
    """A block in lxml's tree."""

    start: int
    """Number of its first word."""
    stop: int
    type: str
    tag: str
    id: str
    classes: str


def block_roots(row: Row, page: Page) -> dict[int, set[str]]:
    """Return the rows of the blocks of an answer that have words, with the types of each."""
    tree = lxml_tree(row.html)
    wanted: dict[Any, str] = {}
    for block in row.blocks:
        wanted |= dict.fromkeys(tree.xpath(block.xpath), block.type)
    found: list[str] = []
    elements = list(_elements(tree, wanted, found))
    text_rows = page.text_rows
    seen = np.flatnonzero(~page.in_head[text_rows]).tolist()
    text_of = spread(found, [(page.texts[number], number) for number in seen])
    roots: dict[int, set[str]] = {}
    for element in elements:
        texts = text_of[element.start : element.stop]
        texts = texts[texts >= 0]
        if len(texts):
            root = _root(page, int(texts.min()), int(texts.max()), element)
            roots.setdefault(root, set()).add(element.type)
    return roots


def _elements(tree: Any, wanted: dict[Any, str], found: list[str]) -> Iterator[_Element]:
    """Yield the wanted elements in order of their ends; `found` gets the words of the page."""
    stack: list[tuple[Any, int | None]] = [(tree, None)]
    while stack:
        element, start = stack.pop()
        if start is None and isinstance(element.tag, str) and element.tag not in UNSEEN:
            stack.append((element, len(found)))
            found += words(element.text or "")
            stack += [(child, None) for child in reversed(element)]
            continue
        if start is not None and element in wanted:
            classes = " ".join((element.get("class") or "").split())
            yield _Element(
                start, len(found), wanted[element], element.tag, element.get("id") or "", classes
            )
        if element is not tree:
            found += words(element.tail or "")


def _root(page: Page, first: int, last: int, element: _Element) -> int:
    """Return the row around the texts `first` to `last` that is most like the element."""
    rows = page.text_rows
    inner = trees.lowest_common_ancestor(int(rows[first]), int(rows[last]), page.parent, page.end)
    if page.is_text[inner]:
        inner = int(page.parent[inner])
    around = [inner]
    extent = _texts(page, inner)
    while page.parent[around[-1]] >= 0 and _texts(page, int(page.parent[around[-1]])) == extent:
        around.append(int(page.parent[around[-1]]))
    return max(around, key=lambda row: _likeness(page, row, element))


def _texts(page: Page, row: int) -> tuple[int, int]:
    return int(page.text_index[row]), int(page.text_index[page.end[row]])


def _likeness(page: Page, row: int, element: _Element) -> tuple[bool, bool, bool]:
    classes = " ".join((page.attributes.get(row, "class") or "").split())
    return (
        page.tag_name(row) == element.tag,
        (page.attributes.get(row, "id") or "") == element.id,
        classes == element.classes,
    )
