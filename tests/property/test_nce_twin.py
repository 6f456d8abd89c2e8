"""NCE against a slow reading of its pseudo-code, line by line."""

import re
from collections import Counter
from collections.abc import Iterable

from hypothesis import given

import joeira
from joeira.content import NCE
from strategies import pages
from support.examples import EXAMPLES
from support.plain_tree import Node, collapse, plain_tree

SMALL = NCE(
    leaf_min_chars=15,
    subtree_min_chars=30,
    comment_min_chars=10,
    comment_max_chars=40,
    comment_window=3,
)


def chars(nodes: Iterable[Node]) -> int:
    return sum(len(collapse(node.text)) for node in nodes)


def density(nodes: Iterable[Node]) -> float:
    nodes = list(nodes)
    total = chars(nodes)
    return chars(node for node in nodes if node.linked) / total if total else 0.0


def text(nodes: Iterable[Node]) -> str:
    return " ".join(collapse(node.text) for node in nodes if node.is_text)


def find_separator(root: Node, nce: NCE) -> Node | None:
    for leaf in root.texts():
        if chars([leaf]) < nce.leaf_min_chars:
            continue
        node = leaf.parent
        while node is not None and node.parent is not None:
            parent = node.parent
            own = set(node.subtree())
            rest = [other for other in parent.subtree() if other not in own]
            text_siblings = [
                sibling
                for sibling in parent.children
                if sibling is not node
                and chars(sibling.subtree()) > nce.remainder_min_chars
                and density(sibling.subtree()) < nce.link_density_min
            ]
            if (
                node.tag != "p"
                and chars(own) >= nce.subtree_min_chars
                and density(rest) >= nce.link_density_min
                and chars(rest) >= nce.remainder_min_chars
                and len(text_siblings) <= 1
            ):
                return node
            node = parent
    return None


def common_subsequence(first: str, second: str) -> int:
    row = [0] * (len(second) + 1)
    for one in first:
        new = [0]
        for column, other in enumerate(second):
            new.append(row[column] + 1 if one == other else max(row[column + 1], new[column]))
        row = new
    return row[-1]


def find_cut(roots: list[Node], nce: NCE) -> int | None:
    headers: list[Node] = []

    def visit(node: Node) -> None:
        if nce.comment_min_chars <= chars(node.subtree()) <= nce.comment_max_chars:
            headers.append(node)
        else:
            for child in node.children:
                visit(child)

    for root in roots:
        visit(root)
    texts = [text(header.subtree()) for header in headers]
    groups = [{number} for number in range(len(headers))]
    for i in range(len(headers)):
        for j in range(i + 1, min(len(headers), i + nce.comment_window + 1)):
            shorter = min(len(texts[i]), len(texts[j]))
            if common_subsequence(texts[i], texts[j]) >= nce.comment_lcs_ratio * shorter:
                merged = groups[i] | groups[j]
                for member in merged:
                    groups[member] = merged
    for group in groups:
        if len(group) >= nce.comment_min_nodes:
            first, second = (headers[number] for number in sorted(group)[:2])
            above = list(second.ancestors())
            return next(node for node in [first, *first.ancestors()] if node.parent in above).row
    return None


def words(string: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", string.casefold()))


def find_title(root: Node, roots: list[Node], body: list[Node], nce: NCE) -> str | None:
    bag = words(text(body))
    candidates = []
    for node in root.subtree():
        if not roots or node.row >= roots[0].row:
            break
        own = words(text(node.subtree()))
        few = 1 <= own.total() <= nce.title_max_words
        if node.tag == "title" or (few and (own & bag).total() >= nce.title_overlap * own.total()):
            candidates.append(node)
    if not candidates:
        return None
    return text(max(candidates, key=lambda node: (chars(node.subtree()), node.row)).subtree())


@EXAMPLES
@given(pages())
def test_nce_is_its_pseudo_code(html: str) -> None:
    root = plain_tree(html)
    separator = find_separator(root, SMALL)
    roots = [root]
    if separator is not None:
        limit = SMALL.child_max_link_density
        roots = [child for child in separator.children if density(child.subtree()) <= limit]
    cut = find_cut(roots, SMALL)
    body = [node for part in roots for node in part.texts() if cut is None or node.row < cut]

    page = joeira.parse(html)
    content = SMALL.extract(page)
    assert page.text_rows[content.keep].tolist() == [node.row for node in body]
    assert content.title == find_title(root, roots, body, SMALL)
    assert ("comments cut" in content.note) == (cut is not None)
    assert ("no separator" in content.note) == (separator is None and bool(page.texts))
