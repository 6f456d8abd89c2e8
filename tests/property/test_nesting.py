"""The nearest of a few marked rows, against the kernel that answers for all rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from joeira.arrays import trees
from joeira.arrays.trees import enclosing, outermost


@st.composite
def forests(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Parents of a random tree in preorder, and a mark for every row."""
    count = draw(st.integers(1, 40))
    parent = [-1]
    path = [0]
    for row in range(1, count):
        del path[draw(st.integers(1, len(path))) :]
        parent.append(path[-1])
        path.append(row)
    marked = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    return np.array(parent, np.int32), np.array(marked, bool)


@given(forests())
def test_enclosing(forest: tuple[np.ndarray, np.ndarray]) -> None:
    parent, marked = forest
    end = trees.ends(parent, trees.depths(parent))
    rows = np.arange(len(parent))
    found = enclosing(np.flatnonzero(marked), end, rows)
    assert found.tolist() == trees.nearest(marked, parent).tolist()


@given(forests())
def test_outermost(forest: tuple[np.ndarray, np.ndarray]) -> None:
    parent, marked = forest
    end = trees.ends(parent, trees.depths(parent))
    expected = []
    for row in np.flatnonzero(marked).tolist():
        above = parent[row]
        while above >= 0 and not marked[above]:
            above = parent[above]
        if above < 0:
            expected.append(row)
    assert outermost(np.flatnonzero(marked), end).tolist() == expected
