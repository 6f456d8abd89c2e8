"""CETR against a source that is really broken into lines."""

import math
import statistics
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.content import CETR
from joeira.page import tags
from strategies import pages
from support.examples import EXAMPLES
from support.plain_tree import VOID, Node, collapse, plain_tree

INLINE = {name for number, name in enumerate(tags.NAMES) if tags.INLINE[number]}


@dataclass
class Line:
    tags: int = 0
    chars: dict[int, int] = field(default_factory=dict)
    """Characters by text."""


def lines_of(html: str) -> list[Line]:
    lines = [Line()]
    numbers: dict[Node, int] = {}

    def visit(node: Node) -> None:
        if node.is_text:
            number = numbers.setdefault(node, len(numbers))
            for place, piece in enumerate(node.text.split("\n")):
                if place:
                    lines.append(Line())
                if collapse(piece):
                    lines[-1].chars[number] = len(collapse(piece))
            return
        block = node.tag not in INLINE
        counted = node.tag not in ("script", "style")
        if block:
            lines.append(Line())
        lines[-1].tags += counted
        for child in node.children:
            visit(child)
        lines[-1].tags += counted and node.tag not in VOID
        if block or node.tag == "br":
            lines.append(Line())

    visit(plain_tree(html))
    return [line for line in lines if line.tags or line.chars]


def smoothed(values: list[float], radius: int) -> list[float]:
    if radius == 0:
        return values
    weights = [math.exp(-(i**2) / (2 * radius**2)) for i in range(-radius, radius + 1)]
    last = len(values) - 1
    return [
        sum(
            weight * values[min(max(place + step - radius, 0), last)]
            for step, weight in enumerate(weights)
        )
        / sum(weights)
        for place in range(len(values))
    ]


@EXAMPLES
@given(pages(), st.integers(0, 3))
def test_cetr_keeps_lines_with_many_characters_per_tag(html: str, radius: int) -> None:
    lines = lines_of(html)
    ratios = [sum(line.chars.values()) / max(line.tags, 1) for line in lines]
    ratios = smoothed(ratios, radius)
    limit = statistics.pstdev(ratios)
    page = joeira.parse(html)
    content = CETR(radius=radius).extract(page)
    for number, keep in enumerate(content.keep.tolist()):
        parts = [
            (ratio, line.chars[number])
            for ratio, line in zip(ratios, lines, strict=True)
            if number in line.chars
        ]
        total = sum(chars for _, chars in parts)
        near = any(math.isclose(ratio, limit, rel_tol=1e-9, abs_tol=1e-9) for ratio, _ in parts)
        kept = sum(chars for ratio, chars in parts if ratio >= limit)
        assert near or keep == (2 * kept >= total)
        mean = sum(ratio * chars for ratio, chars in parts) / total
        assert math.isclose(content.scores[number], mean, rel_tol=1e-9, abs_tol=1e-9)
