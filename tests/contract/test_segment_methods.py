"""What every segmentation method of the catalog promises, tried on every one of them."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given

import joeira
from joeira import catalog, segments
from joeira.segments.result import Group
from strategies import pages
from support.hostile import FAMILIES

NAMES = [entry.name for entry in catalog.entries("segments") if not entry.needs]
"""Methods that need nothing but the page."""
each_method = pytest.mark.parametrize("name", NAMES)


def check(found: joeira.Segments) -> None:
    """Every text of the body is in one segment, segments are in page order, groups hold all."""
    page = found.page
    shown = page.text_rows >= page.body
    assert bool(found) == shown.any()
    assert np.array_equal(shown, found.labels >= 0)
    assert found or found.reason
    assert len(found.labels) == len(page.texts)
    for number, part in enumerate(found):
        inside = (page.text_rows >= part.start) & (page.text_rows < part.stop)
        assert np.array_equal(inside, found.labels == number)
        assert inside.any()
    assert [part.start for part in found] == sorted(part.start for part in found)
    held = [member for group in found.groups for member in group.members]
    if len(found) > 1:
        assert sorted(number for is_group, number in held if not is_group) == [*range(len(found))]
        inner = sorted(number for is_group, number in held if is_group)
        assert inner == [*range(1, len(found.groups))]


@each_method
@pytest.mark.parametrize("family", FAMILIES)
def test_hostile_pages(name: str, family: str) -> None:
    made = FAMILIES[family]
    page = joeira.parse(made.make(min(made.small, 200)))
    found = joeira.segment(page, name)
    check(found)
    assert np.array_equal(found.labels, joeira.segment(page, name).labels)
    json.dumps(found.to_dict())


@each_method
@given(html=pages())
def test_random_pages(name: str, html: str) -> None:
    check(joeira.segment(html, name))


@given(html=pages())
def test_groups_are_the_innermost_elements_around_neighbours(html: str) -> None:
    page = joeira.parse(html)
    found = joeira.segment(page, "density")

    def above(row: int) -> list[int]:
        chain = [row]
        while page.parent[chain[-1]] >= 0:
            chain.append(int(page.parent[chain[-1]]))
        return chain

    expected = {
        next(row for row in above(one.start) if row in above(other.start))
        for one, other in itertools.pairwise(found)
    }
    assert [group.row for group in found.groups] == sorted(expected)
    for group in found.groups:
        for member in found.members(group):
            start = member.row if isinstance(member, Group) else member.start
            outside = [row for row in above(start)[1:] if row in expected]
            assert outside[0] == group.row


@each_method
def test_form(name: str) -> None:
    method = catalog.find(name, "segments").load()
    assert getattr(segments, method.__name__) is method
    assert method() == method()
