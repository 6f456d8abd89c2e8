"""The cut against a recursion that says the same in the plainest words."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from joeira.arrays.trees import depths
from joeira.segments.learned import best_cut


@st.composite
def valued_trees(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    size = draw(st.integers(1, 25))
    parent = [-1]
    for row in range(1, size):
        # Preorder: the parent is the row before or one of its ancestors.
        choices, above = [], row - 1
        while above >= 0:
            choices.append(above)
            above = parent[above]
        parent.append(draw(st.sampled_from(choices)))
    return parent, draw(st.lists(st.integers(-3, 9), min_size=size, max_size=size))


@given(valued_trees())
def test_the_cut_is_the_plain_recursion(tree: tuple[list[int], list[int]]) -> None:
    parent, value = tree
    children: dict[int, list[int]] = {}
    for row, above in enumerate(parent):
        children.setdefault(above, []).append(row)

    def worth(row: int) -> int:
        return max(value[row], sum(map(worth, children.get(row, ()))))

    part = [len(parent)] * len(parent)

    def mark(row: int, root: int | None) -> None:
        if root is None and value[row] >= sum(map(worth, children.get(row, ()))):
            root = row
        if root is not None:
            part[row] = root
        for child in children.get(row, ()):
            mark(child, root)

    mark(0, None)
    rows = np.array(parent)
    assert best_cut(np.array(value, float), rows, depths(rows)).tolist() == part
