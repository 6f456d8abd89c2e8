"""Pagelets against the queue of the paper and sets of shingles, on random small sites."""

from __future__ import annotations

from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

import joeira
from joeira.sites.near_duplicates import SHINGLE_CHARS
from joeira.sites.pagelets import SHINGLES, Pagelets, shingle_of
from strategies import sites
from support.plain_tree import Node, plain_tree
from support.site_twin import has_word, text_of

MIXERS = [0x9E3779B1 * (2 * n + 1) % 2**32 for n in range(SHINGLES)]


def links(node: Node) -> int:
    return sum(inner.tag == "a" for inner in node.subtree())


def pagelets(root: Node, min_links: int) -> list[Node]:
    """Partition(p) of the paper: a queue of elements to take apart."""
    queue = deque([next(node for node in root.subtree() if node.tag == "body")])
    whole = []
    while queue:
        node = queue.popleft()
        if any(links(child) >= min_links for child in node.children):
            queue.extend(node.children)
        else:
            whole.append(node)
    return sorted((node for node in whole if has_word(node)), key=lambda node: node.row)


def number_of(run: str) -> int:
    number = 0
    for character in run:
        number = (number * 2654435761 + ord(character)) % 2**32
    number ^= number >> 16
    number = number * 0x85EBCA6B % 2**32
    return number ^ (number >> 13)


def shingle(text: str) -> object:
    runs = [text[at : at + SHINGLE_CHARS] for at in range(len(text) - SHINGLE_CHARS + 1)]
    if not runs:
        return text
    return tuple(min(number_of(run) * mixer % 2**32 for run in runs) for mixer in MIXERS)


@settings(max_examples=60)
@given(sites(), st.integers(1, 4), st.integers(2, 3))
def test_templates_are_those_of_the_queue_and_the_sets(
    htmls: list[str], min_links: int, min_pages: int
) -> None:
    htmls = list(dict.fromkeys(htmls))
    pages = [joeira.parse(html) for html in htmls]
    method = Pagelets(min_links=min_links, min_pages=min_pages, near_duplicates=False)
    site = method.fit(pages)
    nodes = [pagelets(plain_tree(html), min_links) for html in htmls]
    held = [{shingle(text_of(node)) for node in own} for own in nodes]
    for number, page in enumerate(pages):
        assert [piece.start for piece in method.pieces(page)] == [n.row for n in nodes[number]]
        content = [
            sum(shingle(text_of(node)) in own for own in held) < min_pages for node in nodes[number]
        ]
        assert [block.is_content for block in site.blocks(page)] == content


def test_menus_are_templates_and_texts_are_not() -> None:
    menu = "".join(f"<li><a href=/{n}>Section number {n}</a></li>" for n in range(4))

    def page(number: int) -> joeira.Page:
        text = f"<p>Story {number} is about the town of number {number * 7}.</p>"
        return joeira.parse(f"<body><ul>{menu}</ul><div>{text}</div></body>")

    pages = [page(number) for number in range(3)]
    content = joeira.learn_site(pages, "pagelets").extract(pages[0])
    assert content.text() == "Story 0 is about the town of number 0."
    menu_block = next(iter(content.explain()))
    assert menu_block.reason == "its pagelet is on 3 of 3 pages; a template is on 2 or more"
    assert shingle_of("a text that is long enough") != shingle_of("a text that is also so long")
