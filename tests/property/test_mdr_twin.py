"""MDR against its pseudo-code: recursion over plain trees, every comparison in full."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.records import MDR
from support.examples import EXAMPLES
from support.plain_tree import Node, plain_tree

METHODS = (
    MDR(max_node_length=3, min_nested_size=2),
    MDR(max_node_length=3, min_nested_size=4, comparison="string"),
    MDR(comparison="string", max_node_length=3, nested=False),
    MDR(max_node_length=3, nested=False, text_nodes=False, min_similarity=0.7),
)
_leaves = st.sampled_from(("<b>x</b>", "<i>y z</i>", "<img src=x>", "w", "<hr>"))


@st.composite
def _items(draw: st.DrawFn, depth: int) -> str:
    kind = draw(st.sampled_from(("div", "section", "article")))
    if depth == 3:
        inside = "".join(draw(st.lists(_leaves, min_size=1, max_size=3)))
    else:
        different = draw(st.lists(_items(depth + 1) | _leaves, min_size=1, max_size=2))
        inside = "".join(different * draw(st.integers(1, 3)))
    return f"<{kind}>{inside}</{kind}>"


lists = st.lists(_items(1), max_size=4).map(
    lambda parts: f"<html><head></head><body>{''.join(parts)}</body></html>"
)


def prepared(node: Node, method: MDR) -> None:
    """Drop what is not compared, from the top down: texts count as filling even if no nodes."""
    node.children = [child for child in node.children if not method.drop_empty or is_filled(child)]
    for child in node.children:
        prepared(child, method)
    if not method.text_nodes:
        node.children = [child for child in node.children if not child.is_text]


def is_filled(node: Node) -> bool:
    return any(below.is_text or below.tag == "img" for below in node.subtree())


def size(nodes: Sequence[Node]) -> int:
    return sum(1 for node in nodes for _ in node.subtree())


def depth(node: Node) -> int:
    return 1 + max(map(depth, node.children), default=0)


def matched(first: Sequence[Node], second: Sequence[Node]) -> int:
    row = [0] * (len(second) + 1)
    for one in first:
        new = [0]
        for column, other in enumerate(second):
            own = 1 + matched(one.children, other.children) if one.tag == other.tag else 0
            new.append(max(row[column + 1], new[column], row[column] + own))
        row = new
    return row[-1]


def distance(first: Sequence[str], second: Sequence[str]) -> int:
    row = list(range(len(second) + 1))
    for number, one in enumerate(first, 1):
        new = [number]
        for column, other in enumerate(second):
            new.append(min(row[column] + (one != other), row[column + 1] + 1, new[column] + 1))
        row = new
    return row[-1]


def alike(first: Sequence[Node], second: Sequence[Node], method: MDR) -> bool:
    both = size(first) + size(second)
    if method.comparison == "tree":
        return 2 * matched(first, second) >= method.min_similarity * both
    one, other = ([node.tag for top in run for node in top.subtree()] for run in (first, second))
    return 2 * distance(one, other) <= method.max_distance * both


def identify(
    children: list[Node], start: int, method: MDR, longest: int
) -> list[tuple[int, int, int]]:
    best = None
    for length in range(1, longest + 1):
        for phase in range(start, start + length):
            current = None
            for place in range(phase, len(children), length):
                first = children[place : place + length]
                second = children[place + length : place + 2 * length]
                if len(second) == length and alike(first, second, method):
                    if current is None:
                        current = (length, place, 2 * length)
                    else:
                        current = (length, current[1], current[2] + length)
                elif current is not None:
                    break
            if current and (best is None or (current[2] > best[2] and current[1] <= best[1])):
                best = current
    if best is None:
        return []
    return [best, *identify(children, best[1] + best[2], method, longest)]


def regions(node: Node, method: MDR) -> list[tuple[list[Node], int]]:
    if depth(node) < method.min_depth:
        return []
    own = identify(node.children, 0, method, method.max_node_length)
    found = [(node.children[start : start + count], length) for length, start, count in own]
    covered = [child for children, _ in found for child in children]
    for child in node.children:
        if child not in covered:
            found += regions(child, method)
    return found


def are_alike(nodes: list[Node], method: MDR) -> bool:
    return all(alike([a], [b], method) for a, b in pairwise(nodes))


Record = list[list[Node]]
"""Runs of nodes."""


def records(children: list[Node], length: int, method: MDR) -> list[Record]:
    """Return the records of a region."""
    if method.nested:
        for longest in range(1, length):
            shorter = [
                (children[start : start + count], part)
                for part, start, count in identify(children, 0, method, longest)
            ]
            if sum(size(run) for run, _ in shorter) >= 0.75 * size(children):
                return [record for run in shorter for record in records(*run, method)]
    groups = [children[start : start + length] for start in range(0, len(children), length)]
    plain = [published_records(group, method) for group in groups]
    if method.nested and 2 * sum(len(found) > 1 for found in plain) < len(plain):
        plain = rows_of_records(groups, method) or plain
    return [record for found in plain for record in found]


def published_records(group: list[Node], method: MDR) -> list[Record]:
    counts = {len(node.children) for node in group}
    across = len(counts) == 1 and all(are_alike(node.children, method) for node in group)
    if across and max(counts) > (1 if len(group) == 1 else 0):
        return [[[node.children[number]] for node in group] for number in range(max(counts))]
    return [[group]]


def rows_of_records(groups: list[list[Node]], method: MDR) -> list[list[Record]]:
    inside = []
    for group in groups:
        lists = [region for node in group for region in regions(node, method)]
        inside.append(max(lists, key=lambda region: size(region[0]), default=None))
    covered = sum(size(region[0]) for region in inside if region)
    if covered < 0.75 * sum(map(size, groups)):
        return []
    listed = [records(*region, method) if region else [] for region in inside]
    times = Counter(len(found) for found in listed if found)
    most = next(number for number in times if times[number] == max(times.values()))
    sizes = [sum(map(size, record)) for found in listed for record in found]
    if 2 * times[most] < len(groups) or most < 2 or median(sizes) < method.min_nested_size:
        return []
    return [found or [[group]] for group, found in zip(groups, listed, strict=True)]


def rows(html: str, method: MDR) -> list[list[list[int]]]:
    root = plain_tree(html)
    ends = {node.row: max(below.row for below in node.subtree()) + 1 for node in root.subtree()}
    texts = {node.row for node in root.subtree() if node.is_text}
    body = next(node for node in root.children if node.tag == "body")
    prepared(body, method)
    tables = []
    for children, length in regions(body, method):
        parts = [
            [[run[0].row, ends[run[-1].row]] for run in record]
            for record in records(children, length, method)
        ]
        filled = [
            record
            for record in parts
            if any(row in texts for start, stop in record for row in range(start, stop))
        ]
        if len(filled) >= 2:
            tables.append(filled)
    return sorted(tables)


@EXAMPLES
@given(lists, st.sampled_from(METHODS))
def test_mdr_is_its_pseudo_code(html: str, method: MDR) -> None:
    found = [
        [[[region.start, region.stop] for region in record.regions] for record in table.records]
        for table in method.extract(joeira.parse(html))
    ]
    assert sorted(found) == rows(html, method)
