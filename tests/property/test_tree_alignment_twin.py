"""Shared shapes and no recursion give what the literal reading gives, on random trees."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from joeira.arrays.matching import Shapes
from joeira.records.fields.align import partial_alignment
from support import plain_alignment
from support.plain_alignment import Tree

tags = st.sampled_from("abc")
trees = st.recursive(
    st.builds(Tree, tags), lambda inner: st.builds(Tree, tags, st.lists(inner, max_size=4))
)
rooted = st.builds(Tree, st.just("r"), st.lists(trees, max_size=4))


def shape_of(shapes: Shapes, tree: Tree) -> int:
    return shapes.add(ord(tree.tag), tuple(shape_of(shapes, child) for child in tree.below))


@given(trees, trees)
def test_matching(first: Tree, second: Tree) -> None:
    shapes = Shapes()
    one, other = [shape_of(shapes, first)], [shape_of(shapes, second)]
    assert shapes.matched(one, other) == plain_alignment.matching(first, second)
    assert shapes.matched(other, one) == shapes.matched(one, other)


@given(st.lists(rooted, min_size=1, max_size=5))
def test_alignment(forest: list[Tree]) -> None:
    shapes = Shapes()
    found = partial_alignment(shapes, [shape_of(shapes, tree) for tree in forest])
    seed, rows = plain_alignment.align(forest)
    assert found.columns == len(seed.leaves())
    assert found.rows == rows
