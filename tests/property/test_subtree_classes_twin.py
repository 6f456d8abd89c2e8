"""Subtree classes against a slow reading: shapes as nested tuples, containment node by node."""

import dataclasses
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.page import tags
from joeira.records import SubtreeClasses
from strategies import pages
from support.examples import EXAMPLES
from support.plain_tree import Node, plain_tree
from support.twin import names

UNSEEN = names(tags.NOT_TEXT | tags.HEAD)

methods = st.builds(
    SubtreeClasses,
    min_size=st.integers(1, 4),
    max_classes=st.integers(1, 4),
    max_drop=st.sampled_from((0.3, 0.9)),
    min_frequency=st.integers(1, 3),
    record_rule=st.sampled_from(("first_class", "any_repeat")),
)


def shown(node: Node) -> None:
    node.children = [child for child in node.children if child.tag not in UNSEEN]
    for child in node.children:
        shown(child)


def shape(node: Node) -> tuple:
    return (node.tag, *map(shape, node.children)) if node.children else ()


def size(node: Node) -> int:
    return sum(1 for _ in node.subtree())


def records(root: Node, method: SubtreeClasses) -> list[list[Node]]:
    return read_off(root, chosen_from([root], method), method)


def chosen_from(roots: list[Node], method: SubtreeClasses) -> list[tuple]:
    nodes = [node for root in roots for node in root.subtree() if size(node) >= method.min_size]
    order = {id(node): number for number, node in enumerate(nodes)}
    count = Counter(shape(node) for node in nodes)
    first = {shape(node): node for node in reversed(nodes)}
    ranked = sorted(count, key=lambda one: (-count[one], -size(first[one]), order[id(first[one])]))
    chosen: list[tuple] = []
    for one in ranked:
        if count[one] < method.min_frequency or len(chosen) == method.max_classes:
            break
        if chosen and count[one] / count[chosen[-1]] < 1 - method.max_drop:
            break
        chosen.append(one)
    contained = {
        shape(node)
        for node in nodes
        if shape(node) in chosen
        and any(shape(above) in chosen for above in node.ancestors() if id(above) in order)
    }
    return [one for one in chosen if one not in contained]


def read_off(root: Node, chosen: list[tuple], method: SubtreeClasses) -> list[list[Node]]:
    left = [
        node for node in root.subtree() if size(node) >= method.min_size and shape(node) in chosen
    ]
    found: list[list[Node]] = []
    for node in left:
        if method.record_rule == "first_class":
            new = shape(node) == shape(left[0])
        else:
            new = not found or shape(node) in map(shape, found[-1])
        if new:
            found.append([])
        found[-1].append(node)
    with_text = [[node for node in record if node.texts()] for record in found]
    return [record for record in with_text if record]


@EXAMPLES
@given(pages(), methods)
def test_subtree_classes_are_their_pseudo_code(html: str, method: SubtreeClasses) -> None:
    (body,) = (node for node in plain_tree(html).children if node.tag == "body")
    shown(body)
    expected = [[node.row for node in record] for record in records(body, method)]
    found = method.extract(joeira.parse(html))
    ours = [
        [region.start for region in record.regions] for table in found for record in table.records
    ]
    assert ours == expected


@EXAMPLES
@given(st.lists(pages(), min_size=1, max_size=3), methods)
def test_classes_of_a_collection_are_those_of_all_pages(
    sources: list[str], method: SubtreeClasses
) -> None:
    method = dataclasses.replace(method, scope="collection")
    bodies = []
    for source in sources:
        (body,) = (node for node in plain_tree(source).children if node.tag == "body")
        shown(body)
        bodies.append(body)
    chosen = chosen_from(bodies, method)
    fitted = method.fit(map(joeira.parse, sources))
    for source, body in zip(sources, bodies, strict=True):
        expected = [[node.row for node in record] for record in read_off(body, chosen, method)]
        found = fitted.extract(joeira.parse(source))
        ours = [
            [region.start for region in record.regions]
            for table in found
            for record in table.records
        ]
        assert ours == expected
