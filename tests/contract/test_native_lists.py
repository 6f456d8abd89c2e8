"""The kernels of lists and segments, and the numpy code beside them, count the same.

Where the kernels were not compiled there is nothing to compare.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import joeira
from joeira._native import native_available
from joeira.records.learned.candidates import (
    Ground,
    Lists,
    alike,
    alike_by_numpy,
    are_whole_by_numpy,
    candidates,
)
from joeira.records.learned.candidates import are_whole as kernel_whole
from joeira.records.learned.templates import (
    counts,
    counts_by_numpy,
    presence,
    presence_by_numpy,
    sampled,
)
from joeira.segments.learned import best_cut, cut_by_numpy
from joeira.segments.learned.features import (
    FEATURES,
    STEMS,
    SegmentView,
    columns,
    write_by_numpy,
)
from joeira.segments.learned.names import Names

if native_available:
    from joeira._native.elements import Elements, StemFinder, union_over_ancestors
    from joeira._native.elements import best_cut as kernel_cut
    from joeira._native.lists import AlikeRows, PageTemplates, are_whole

pytestmark = pytest.mark.skipif(not native_available, reason="the kernels were not compiled")

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.html"))
TAGS = "div p li ul ol h1 h2 h3 span a nav article table tr td dt dd img header aside x-y".split()
WORDS = ["", " ", "grain", "chaff. And", "12", "€ 5,00", "読む", "a, b; c!", "© grain"]
NAMES = ["", "", "row1", "row2", "card", "toptop", "nav-item", "main post"]
trees = st.recursive(
    st.sampled_from(WORDS),
    lambda inner: st.builds(
        lambda tag, name, times, parts: (
            f"<{tag} class='{name}' id='{name}'>{''.join(parts)}</{tag}>" * times
        ),
        st.sampled_from(TAGS),
        st.sampled_from(NAMES),
        st.sampled_from([1, 1, 2, 5]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=30,
)


def check(page: joeira.Page) -> None:
    ground, rows = Ground(page), np.arange(1, len(page))
    (start, first), slow = alike(ground, rows, 2), alike_by_numpy(ground, rows, 2)
    assert (start.tolist(), first.tolist()) == (slow[0].tolist(), slow[1].tolist())
    every = Lists(
        ground, start, page.end[start].astype(np.int64), first, np.zeros(len(first) - 1, bool)
    )
    assert kernel_whole(every).tolist() == are_whole_by_numpy(every).tolist()
    lists = candidates(page)
    if len(lists):
        sample = sampled(lists)
        assert counts(sample).tolist() == counts_by_numpy(sample).tolist()
        for one, other in zip(presence(lists), presence_by_numpy(lists), strict=True):
            assert one.tolist() == other.tolist()
    view = SegmentView(page)
    rows = np.arange(len(page))
    other = np.zeros((len(FEATURES), len(page)), np.float32)
    write_by_numpy(other, view, rows)
    other[-len(STEMS) :] = list(view.names.with_stems(STEMS).values())
    logarithmic = [line for line, each in enumerate(FEATURES) if each.scale == "log1p"]
    other[logarithmic] = np.log1p(other[logarithmic])
    assert np.array_equal(columns(view, rows), other)
    for one, slow in (
        (view.words, view.below(view.own_words)),
        (view.alike_children, view.alike_by_class[1]),
    ):
        assert one.tolist() == slow.tolist()
    value = view.words**1.7 * np.sin(rows)
    cut = cut_by_numpy(value, page.parent, page.depth)
    assert best_cut(value, page.parent, page.depth).tolist() == cut.tolist()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    check(joeira.parse(path.read_bytes()))


@settings(max_examples=150, deadline=None)
@given(trees)
def test_random_trees(html: str) -> None:
    check(joeira.parse(f"<title>grain</title><body>{html}"))


def test_a_list_of_more_records_than_are_looked_at() -> None:
    items = "".join(f"<li><b>{n}</b>{'<i>new</i>' * (n % 3)}" for n in range(500))
    check(joeira.parse(f"<ul>{items}</ul>"))


@given(st.lists(st.text("navtopd-_ İé", max_size=12), max_size=8))
def test_stems(names: list[str]) -> None:
    page = joeira.parse("".join(f'<p class="{name}">a<p id="{name}">b' for name in names))
    stems = {"one": "nav .top. top-", "two": ".ad pat.", "three": "dd"}
    found = Names(page)
    assert found.by_kernel(stems).tolist() == found.by_splitting(stems).tolist()


# What kernels are given is checked ----------------------------------------------------------------


def ints(*values: int, kind: type = np.int32) -> np.ndarray[Any, Any]:
    return np.array(values, kind)


def hashes(*values: int) -> np.ndarray[Any, Any]:
    return ints(*values, kind=np.uint64)


def templates(**changes: Any) -> PageTemplates:
    """Two items with a text each, below a root."""
    long = np.int64
    given = {
        "path": hashes(1, 2, 3, 2, 3),
        "parent": ints(-1, 0, 1, 0, 3),
        "depth": ints(0, 1, 2, 1, 2),
        "before": ints(0, 0, 0, 1, 1, 2, kind=long),
        "leaf": ints(2, 4, kind=long),
        "is_text": ints(1, 1, kind=np.uint8),
        "tag_path": hashes(3, 3),
        "text": hashes(8, 9),
    } | changes
    return PageTemplates(
        (given["path"], given["parent"], given["depth"], given["before"]),
        (given["leaf"], given["is_text"]),
        (given["tag_path"], given["text"]),
    )


def test_templates_that_fit() -> None:
    start, stop, first = (ints(*values, kind=np.int64) for values in ((1, 3), (3, 5), (0, 2)))
    headed = ints(0, kind=np.uint8)
    found = templates().counts(start, stop, first, headed, 0.8)
    assert found[:, 0].tolist() == [2, 1, 1, 2, 2, 0, 2, 2, 2, 2]
    sizes, present = templates().presence(start, stop, first, headed)
    assert (sizes.tolist(), present.tolist()) == ([1], [1, 1])


@pytest.mark.parametrize(
    "changes",
    [
        {"parent": ints(-1, 0, 5, 0, 3)},
        {"parent": ints(-1, 0, 1, 0)},
        {"depth": ints(0, 1, 9, 1, 2)},
        {"before": ints(0, 0, 0, 1, 1, 3, kind=np.int64)},
        {"before": ints(0, 0, 2, 1, 1, 2, kind=np.int64)},
        {"leaf": ints(2, 7, kind=np.int64)},
        {"text": hashes(8)},
    ],
)
def test_pages_that_do_not_fit(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        templates(**changes)


@pytest.mark.parametrize(
    "start, stop, first, headed",
    [
        ((1, 3), (3, 9), (0, 2), 0),
        ((1, 3), (3, 3), (0, 2), 0),
        ((-1, 3), (3, 5), (0, 2), 0),
        ((1, 3), (3, 5), (0, 1), 0),
        ((0, 3), (3, 5), (0, 2), 1),
    ],
)
def test_lists_of_another_page(
    start: tuple[int, ...], stop: tuple[int, ...], first: tuple[int, ...], headed: int
) -> None:
    given = [ints(*values, kind=np.int64) for values in (start, stop, first)]
    with pytest.raises(ValueError, match="not of this page"):
        templates().presence(*given, ints(headed, kind=np.uint8))


def test_rows_of_another_page() -> None:
    symbols = (hashes(1, 2), hashes(1, 2), hashes(0, 0))
    numbers = (ints(1, 2), ints(-1, 0), ints(0, 0), ints(2, 2))
    with pytest.raises(ValueError, match="do not fit"):
        AlikeRows(ints(1, 2, kind=np.int64), symbols, numbers, 2)
    with pytest.raises(ValueError, match="do not fit"):
        AlikeRows(ints(1, kind=np.int64), symbols, (*numbers[:3], ints(2)), 2)
    with pytest.raises(ValueError, match="not of this page"):
        are_whole(
            ints(5, kind=np.int64), ints(0, 1, kind=np.int64),
            (ints(-1, 0), ints(2, 2), ints(0, 0, 1)), hashes(1, 2),
        )  # fmt: skip


@pytest.mark.parametrize("broken", ["parent", "end", "tag"])
def test_elements_that_do_not_fit(broken: str) -> None:
    rows = {
        "tag": ints(1, 2, 0),
        "known": ints(1, 2, 0),
        "parent": ints(-1, 0, 1),
        "end": ints(3, 3, 3),
        "depth": ints(0, 1, 2),
        "class": ints(0, 0, 0),
        "id": ints(0, 0, 0),
    }
    flags = ints(0, 0, 1, kind=np.uint8)
    words = (ints(0, 0, 5), ints(0, 0, 0))
    assert Elements(tuple(rows.values()), words, flags, flags * 0).words.tolist() == [5, 5, 5]
    rows[broken] = {"parent": ints(-1, 2, 1), "end": ints(3, 4, 3), "tag": ints(1, 2)}[broken]
    with pytest.raises(ValueError, match="do not fit"):
        Elements(tuple(rows.values()), words, flags, flags * 0)


def test_columns_without_room() -> None:
    view = SegmentView(joeira.parse("<p>grain"))
    tables = tuple(np.zeros(257, np.int32) for _ in range(4))
    room = np.zeros((5, 1), np.float32)
    with pytest.raises(ValueError, match="do not fit"):
        view.kernel.columns(np.zeros(1, np.int64), tables, 0, room)


def test_ancestors_of_no_tree() -> None:
    for parent in (ints(-1, 1), ints(-1)):
        with pytest.raises(ValueError, match="do not fit"):
            union_over_ancestors(ints(1, 2, kind=np.uint32), parent)


def test_cuts_of_no_tree() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        kernel_cut(np.zeros(2), ints(-1, 1), ints(0, 1))


def test_stems_that_cannot_be_found() -> None:
    for stem in ("éé", "d", ""):
        with pytest.raises(ValueError, match="ASCII"):
            StemFinder([(stem, False, False, 0)])
    finder = StemFinder([("nav", False, False, 0)])
    codes = np.array([*map(ord, "nav\0a\0nav")], np.uint32)
    assert finder(codes, 2).tolist() == [1, 0]
    assert finder(codes, 4).tolist() == [1, 0, 1, 0]
