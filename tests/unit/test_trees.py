"""Array functions on trees in preorder."""

from __future__ import annotations

import numpy as np
import pytest

from joeira.arrays import trees

#        0
#      1   4
#     2 3  5
#          6
PARENT = np.array([-1, 0, 1, 1, 0, 4, 5], np.int32)
DEPTH = np.array([0, 1, 2, 2, 1, 2, 3])
END = np.array([7, 4, 3, 4, 7, 7, 7])
EMPTY = np.zeros(0, np.int32)


def test_depths() -> None:
    assert trees.depths(PARENT).tolist() == DEPTH.tolist()


def test_ends() -> None:
    assert trees.ends(PARENT, DEPTH).tolist() == END.tolist()


def test_a_chain_is_as_deep_as_it_is_long() -> None:
    chain = np.arange(-1, 4999, dtype=np.int32)
    assert trees.depths(chain).tolist() == list(range(5000))
    assert (trees.ends(chain, trees.depths(chain)) == 5000).all()


def test_nearest_marked_row() -> None:
    marked = np.array([0, 1, 0, 0, 0, 1, 0], bool)
    assert trees.nearest(marked, PARENT).tolist() == [-1, 1, 1, 1, -1, 5, 5]


def test_inside_marked_subtrees() -> None:
    marked = np.array([0, 0, 1, 0, 0, 1, 0], bool)
    assert trees.inside(marked, END).tolist() == [False, False, True, False, False, True, True]
    assert not trees.inside(np.zeros(7, bool), END).any()


def test_inside_nested_marks() -> None:
    marked = np.array([0, 1, 1, 0, 0, 0, 0], bool)
    assert trees.inside(marked, END).tolist() == [False, True, True, True, False, False, False]


def test_minimum_over_ancestors() -> None:
    value = np.array([5, 3, 9, 1, 7, 4, 6])
    assert trees.minimum_over_ancestors(value, PARENT).tolist() == [5, 3, 3, 1, 5, 4, 4]


def test_subtree_sums() -> None:
    assert trees.subtree_sums(np.arange(7), END).tolist() == [21, 6, 2, 3, 15, 11, 6]


def test_child_counts() -> None:
    assert trees.child_counts(PARENT).tolist() == [2, 2, 0, 0, 1, 1, 0]
    assert trees.child_counts(PARENT, np.arange(7)).tolist() == [5, 5, 0, 0, 5, 6, 0]


def test_sibling_places() -> None:
    kind = np.array([0, 1, 2, 2, 1, 2, 2])
    place, count = trees.sibling_places(PARENT, kind)
    assert place.tolist() == [1, 1, 1, 2, 2, 1, 1]
    assert count.tolist() == [1, 2, 2, 2, 2, 1, 1]


@pytest.mark.parametrize(
    "first, second, expected", [(2, 3, 1), (3, 6, 0), (5, 6, 5), (6, 6, 6), (6, 5, 5)]
)
def test_lowest_common_ancestor(first: int, second: int, expected: int) -> None:
    assert trees.lowest_common_ancestor(first, second, PARENT, END) == expected


def test_path_hashes_tell_paths_apart() -> None:
    symbol = np.array([1, 2, 3, 3, 2, 3, 3], np.uint64)
    hashes = trees.path_hashes(symbol, PARENT).tolist()
    assert hashes[2] == hashes[3] == hashes[5]
    assert hashes[1] == hashes[4]
    assert len(set(hashes)) == 4


def test_path_hashes_see_the_order() -> None:
    chain = np.array([-1, 0, 1], np.int32)
    one, other = (np.array(symbols, np.uint64) for symbols in ([1, 2, 3], [2, 1, 3]))
    assert trees.path_hashes(one, chain)[2] != trees.path_hashes(other, chain)[2]


def test_shape_hashes_see_structure_wherever_it_stands() -> None:
    #   0 ( 1 (2 3)  4 (5 6)  7 (8 (9)) )
    parent = np.array([-1, 0, 1, 1, 0, 4, 4, 0, 7, 8], np.int32)
    depth = trees.depths(parent)
    symbol = np.ones(10, np.uint64)
    hashes = trees.shape_hashes(symbol, depth, trees.ends(parent, depth))
    assert hashes[1] == hashes[4]
    assert hashes[1] != hashes[7]
    assert hashes[2] == hashes[6] == hashes[9]


def test_nothing_in_nothing_out() -> None:
    assert not len(trees.depths(EMPTY))
    assert not len(trees.ends(EMPTY, EMPTY))
    assert not len(trees.nearest(EMPTY.astype(bool), EMPTY))
    assert not len(trees.inside(EMPTY.astype(bool), EMPTY))
    assert not len(trees.subtree_sums(EMPTY, EMPTY))
    assert not len(trees.child_counts(EMPTY))
    assert not len(trees.sibling_places(EMPTY, EMPTY)[0])
    assert not len(trees.path_hashes(EMPTY.astype(np.uint64), EMPTY))
    assert not len(trees.shape_hashes(EMPTY.astype(np.uint64), EMPTY, EMPTY))


def test_climbing_finds_what_the_nearest_marks_are() -> None:
    parent = np.array([-1, 0, 1, 2, 1, 0, 5])
    marked = np.array([True, False, True, False, False, False, True])
    rows = np.array([3, 4, 6, 0])
    found = trees.climb(rows, marked, parent)
    assert found.tolist() == trees.nearest(marked, parent)[rows].tolist() == [2, 0, 6, 0]


def test_largest_subtrees_with_one_of_some_rows() -> None:
    def tops(*rows: int) -> list[int]:
        return trees.lone_subtrees(np.array(rows), PARENT, DEPTH).tolist()

    assert tops(2, 3) == [2, 3]
    assert tops(2, 6) == [1, 4]
    assert tops(2, 3, 6) == [2, 3, 4]
    assert tops(6) == [0]
    assert trees.lone_subtrees(EMPTY, PARENT, DEPTH).tolist() == []


def test_largest_subtrees_are_what_a_look_at_every_subtree_says() -> None:
    random = np.random.default_rng(7)
    for _ in range(50):
        parent = np.array([-1, *(random.integers(0, row) for row in range(1, 40))], np.int32)
        order = _preorder(parent)
        parent = np.array([-1, *(order.index(parent[row]) for row in order[1:])], np.int32)
        depth = trees.depths(parent)
        end = trees.ends(parent, depth)
        leaves = np.flatnonzero(end == np.arange(40) + 1)
        rows = np.sort(random.choice(leaves, size=min(5, len(leaves)), replace=False))
        for row, top in zip(rows, trees.lone_subtrees(rows, parent, depth), strict=True):
            alone = [
                above
                for above in range(row + 1)
                if row < end[above] and ((rows >= above) & (rows < end[above])).sum() == 1
            ]
            assert top == min(alone)


def test_the_next_row_that_is_not_deeper() -> None:
    rows = np.array([1, 2, 5, 6, 9])
    depth = np.array([1, 2, 3, 2, 1])
    assert trees.next_as_high(depth, rows, 10).tolist() == [9, 6, 6, 9, 10]
    assert trees.next_as_high(EMPTY, EMPTY, 10).tolist() == []


def _preorder(parent: np.ndarray) -> list[int]:
    """Return the rows of a tree in preorder."""
    order: list[int] = []
    waiting = [0]
    while waiting:
        row = waiting.pop()
        order.append(row)
        waiting += np.flatnonzero(parent == row).tolist()
    return order
