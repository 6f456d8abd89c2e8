"""BlockFusion against word wrap and fusion done by hand."""

import re

from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.arrays.strings import UNSPACED_RANGES
from joeira.content import BlockFusion
from strategies import pages
from support.examples import EXAMPLES
from support.plain_tree import Node, plain_tree

TOKEN = re.compile(rf"[{UNSPACED_RANGES}]|[^\s{UNSPACED_RANGES}]+|\s+")


def atomic_blocks(html: str) -> list[list[tuple[int, str]]]:
    """Runs of texts with no tag but `a` between them; those of the head are left out."""
    blocks: list[list[tuple[int, str]]] = [[]]
    numbers: list[Node] = []

    def visit(node: Node) -> None:
        if node.is_text:
            if not any(above.tag == "head" for above in node.ancestors()):
                blocks[-1].append((len(numbers), node.text))
            numbers.append(node)
            return
        if node.tag != "a":
            blocks.append([])
        for child in node.children:
            visit(child)
        if node.tag != "a":
            blocks.append([])

    visit(plain_tree(html))
    return [block for block in blocks if block]


def wrap(texts: list[str], width: int) -> list[int]:
    """Tokens on each line."""
    lines = [0]
    used = 0
    gap = 0
    for piece in TOKEN.findall(" ".join(texts).strip()):
        if piece.isspace():
            gap = 1
            continue
        if lines[-1] and used + gap + len(piece) > width:
            lines.append(0)
            used = gap = 0
        used += len(piece) + (gap if lines[-1] else 0)
        lines[-1] += 1
        gap = 0
    return lines


def fuse(
    blocks: list[tuple[int, int, list[int]]], theta: float
) -> list[tuple[int, int, list[int]]]:
    changed = True
    while changed:
        changed = False
        place = 0
        while place + 1 < len(blocks):
            (tokens, lines, texts), (more_tokens, more_lines, more) = blocks[place : place + 2]
            one, other = tokens / lines, more_tokens / more_lines
            if abs(one - other) / max(one, other) <= theta:
                blocks[place : place + 2] = [
                    (tokens + more_tokens, lines + more_lines, texts + more)
                ]
                changed = True
            else:
                place += 1
    return blocks


@EXAMPLES
@given(pages(), st.sampled_from([10, 25, 80]), st.booleans(), st.sampled_from([None, 2.5]))
def test_the_densest_fused_block_is_kept(
    html: str, width: int, exclude_last_line: bool, min_density: float | None
) -> None:
    blocks = []
    for block in atomic_blocks(html):
        lines = wrap([text for _, text in block], width)
        if exclude_last_line and len(lines) > 1:
            lines.pop()
        blocks.append((sum(lines), len(lines), [number for number, _ in block]))
    fused = fuse(blocks, 0.38)
    densities = [tokens / lines for tokens, lines, _ in fused]
    if min_density is None:
        expected = fused[densities.index(max(densities))][2] if fused else []
    else:
        expected = [
            number
            for density, (_, _, texts) in zip(densities, fused, strict=True)
            if density >= min_density
            for number in texts
        ]
    method = BlockFusion(
        line_width=width, exclude_last_line=exclude_last_line, min_density=min_density
    )
    keep = method.extract(joeira.parse(html)).keep
    assert [number for number, kept in enumerate(keep) if kept] == expected
