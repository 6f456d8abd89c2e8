"""Simple tree matching and partial tree alignment: worked examples, limits and long lists."""

import pytest

from joeira.arrays.matching import Shapes, TooManySteps
from joeira.records.fields.align import partial_alignment
from support.plain_alignment import Tree


class Words:
    """Shapes whose symbols are words."""

    def __init__(self, max_steps: int | None = None) -> None:
        self.shapes = Shapes(max_steps)
        self.words: list[str] = []

    def add(self, tree: Tree | str) -> int:
        tree = Tree.read(tree) if isinstance(tree, str) else tree
        if tree.tag not in self.words:
            self.words.append(tree.tag)
        children = tuple(self.add(child) for child in tree.below)
        return self.shapes.add(self.words.index(tree.tag), children)


def test_matching() -> None:
    words = Words()
    first, second = words.add("p(a b(c d) e)"), words.add("p(a b(c) f e)")
    assert words.shapes.matched([first], [second]) == 5
    assert words.shapes.size[first] == words.shapes.size[second] == 6


def test_trees_with_other_roots_have_nothing_in_common() -> None:
    words = Words()
    assert words.shapes.matched([words.add("p(a)")], [words.add("q(a)")]) == 0


def test_alignment_of_optional_fields() -> None:
    words = Words()
    texts = (
        "r(title price rating)",
        "r(title old price rating)",
        "r(title price ship)",
        "r(title badge old price)",
    )
    found = partial_alignment(words.shapes, [words.add(text) for text in texts])
    assert found.columns == 5  # title badge old price rating
    # "ship" could stand before the rating or after it, so it has no column.
    assert found.rows == [[0, 3, 4], [0, 2, 3, 4], [0, 3, -1], [0, 1, 2, 3]]


def test_a_tree_is_tried_again_when_the_seed_has_grown() -> None:
    words = Words()
    trees = [words.add(text) for text in ("r(a b d)", "r(b c d e)", "r(c d)")]
    found = partial_alignment(words.shapes, trees)
    assert found.columns == 5
    assert found.rows == [[0, 1, 3], [1, 2, 3, 4], [2, 3]]


def test_no_trees() -> None:
    assert partial_alignment(Shapes(), []).rows == []


def test_trees_as_deep_as_pages_are() -> None:
    shapes = Shapes()
    first, second = shapes.add(1), shapes.add(2)
    for _ in range(5000):
        first, second = shapes.add(0, (first,)), shapes.add(0, (second,))
    assert shapes.matched([first], [second]) == 5000
    assert partial_alignment(shapes, [first, second]).rows == [[0], [-1]]


def test_equal_trees_cost_nothing() -> None:
    words = Words(max_steps=0)
    tree = words.add("r(a b(c d) e)")
    assert partial_alignment(words.shapes, [tree] * 1000).rows == [[0, 1, 2, 3]] * 1000


def test_a_limit_leaves_trees_without_row() -> None:
    words = Words(max_steps=20)
    trees = [words.add(text) for text in ("r(a b c)", "r(a c)", "r(a a a a b b b b)")]
    found = partial_alignment(words.shapes, trees)
    assert found.rows[2] is not None  # the largest is the seed
    assert None in found.rows


def test_matching_beyond_the_limit() -> None:
    words = Words(max_steps=3)
    first, second = words.add("r(a b)"), words.add("r(b a)")
    with pytest.raises(TooManySteps):
        words.shapes.matched([first], [second])
