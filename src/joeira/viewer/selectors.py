"""From an element that somebody clicked to a selector that finds its like on other pages."""

from __future__ import annotations

import re

from joeira.page import Page
from joeira.records.fields.selectors import Step, css_of, steps_of, tag_of

_GENERATED = re.compile(r"\d{2}|[a-z]\d+[a-z]|__|^css-|^sc-")
"""Names that a program made, which another page will not have."""
_MAX_STEPS = 12


def general(page: Page, row: int) -> str | None:
    """Return the shortest selector of just the elements that are alike: same tags and classes."""
    steps: list[Step] = []
    found = None
    for above in _way_up(page, row):
        step = _said(page, above)
        if step is None:
            return found
        steps.insert(0, step)
        found = css_of(steps)
        rows = page.attributes.matching(found)
        # Without a name in it, it would find quite other things on other pages.
        named = any(each.attribute for each in steps)
        if named and all(page.class_path[rows] == page.class_path[row]):
            return found
    return found


def exact(page: Page, row: int) -> str | None:
    """Return a selector of this element alone, told by places from the nearest id or the top."""
    steps: list[Step] = []
    for above in _way_up(page, row, limit=None):
        tag = tag_of(page, above)
        if tag is None:
            return None
        step = _said(page, above)
        if step is not None and step.attribute == "id":
            return css_of([step, *steps])
        several = int(page.tag_places[1][above]) > 1
        steps.insert(0, Step(tag, place=int(page.tag_places[0][above]) if several else 0))
    return css_of(steps)


def _way_up(page: Page, row: int, limit: int | None = _MAX_STEPS) -> list[int]:
    """Return an element and those above it, up to the body."""
    found: list[int] = []
    while row > 0 and (limit is None or len(found) < limit):
        found.append(row)
        if row == page.body:
            break
        row = int(page.parent[row])
    return found


def _said(page: Page, row: int) -> Step | None:
    """Return the best way to say an element: by id or class if a person made it up, else by tag."""
    ways = steps_of(page, row)
    named = [step for step in ways if step.value and not _GENERATED.search(step.value)]
    best = next(iter(named), None) or (ways[-1] if ways else None)
    if best and best.attribute == "id" and len(page.attributes.matching(best.css)) > 1:
        best = next((step for step in named if step.attribute == "class"), ways[-1])
    return best
