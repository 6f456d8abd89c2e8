"""BTE and its form with several ranges against all pairs of tokens."""

from dataclasses import dataclass

import pytest
from hypothesis import given

import joeira
from joeira.arrays.strings import words
from joeira.content import BTE, MultiBTE
from strategies import pages
from support.examples import EXAMPLES
from support.plain_tree import VOID, Node, plain_tree


@dataclass
class Source:
    tokens: list[int]
    """1 for a tag, 0 for a word."""
    places: list[tuple[int, int]]
    """Per text: its first token and one past its last."""


def read(html: str) -> Source:
    source = Source([], [])

    def visit(node: Node) -> None:
        if node.is_text:
            start = len(source.tokens)
            source.tokens += [0] * len(words(node.text))
            source.places.append((start, len(source.tokens)))
        elif node.tag not in ("script", "style"):
            source.tokens.append(1)
            for child in node.children:
                visit(child)
            if node.tag not in VOID:
                source.tokens.append(1)

    visit(plain_tree(html))
    return source


def kept(source: Source, first: int, last: int) -> list[bool]:
    """Which texts lie in tokens first..last; one without words must have tokens on both sides."""
    return [
        first <= start and stop <= last + 1 and (start < stop or first < start <= last)
        for start, stop in source.places
    ]


@pytest.mark.parametrize("tag_cost", [1, 2])
@EXAMPLES
@given(html=pages())
def test_bte_maximises_words_inside_and_tags_outside(tag_cost: int, html: str) -> None:
    source = read(html)
    tokens = source.tokens
    tags_before = [0]
    for tag in tokens:
        tags_before.append(tags_before[-1] + tag)
    best: tuple[int, int, int] | None = None
    for last in range(len(tokens)):
        for first in range(last + 1):
            inside = tags_before[last + 1] - tags_before[first]
            value = (last - first + 1 - inside) + tag_cost * (tags_before[-1] - inside)
            # Of equal ranges: the earliest end, then the latest start.
            if best is None or (value, -last, first) > (best[0], -best[2], best[1]):
                best = (value, first, last)
    assert best is not None
    expected = kept(source, best[1], best[2]) if 0 in tokens else [False] * len(source.places)
    assert BTE(tag_cost=tag_cost).extract(joeira.parse(html)).keep.tolist() == expected


def maximal_runs(values: list[int], offset: int = 0) -> list[tuple[int, int, int]]:
    """Ruzzo and Tompa's definition: the best run, then the best ones left and right of it."""
    runs = [
        (sum(values[i : j + 1]), i - j, -i, j)
        for i in range(len(values))
        for j in range(i, len(values))
    ]
    score, _, negative_start, last = max(runs, default=(0, 0, 0, 0))
    if score <= 0:
        return []
    first = -negative_start
    return [
        *maximal_runs(values[:first], offset),
        (offset + first, offset + last, score),
        *maximal_runs(values[last + 1 :], offset + last + 1),
    ]


@EXAMPLES
@given(pages().filter(lambda html: len(html) < 1500))
def test_multi_bte_keeps_the_maximal_runs_that_score_enough(html: str) -> None:
    method = MultiBTE(min_score=2, min_share=0.3)
    source = read(html)
    runs = maximal_runs([1 - 2 * tag for tag in source.tokens])
    limit = max(2, 0.3 * max((score for *_, score in runs), default=0))
    expected = [False] * len(source.places)
    for first, last, score in runs:
        if score >= limit:
            inside = kept(source, first, last)
            expected = [one or other for one, other in zip(expected, inside, strict=True)]
    assert method.extract(joeira.parse(html)).keep.tolist() == expected
