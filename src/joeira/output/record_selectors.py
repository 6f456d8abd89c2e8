"""Selectors that find the records of a list on the page: the shortest that find just them."""

from __future__ import annotations

from collections.abc import Iterator

from joeira.output.selector_steps import Step, css_of, steps_of, xpath_of
from joeira.page import Page

_WAY_UP = 12
"""Elements above the records that are tried."""
_CLASSES = 6

Selectors = tuple[str | None, str | None]


def record_selectors(page: Page, rows: list[int]) -> Selectors:
    """Return CSS and XPath of the rows, which are the first part of each record."""
    own = _common(page, rows)
    if not own:
        return None, None
    for steps in _candidates(page, rows, own):
        css = css_of(steps)
        if page.attributes.select(css) == rows:
            return css, xpath_of(steps)
    return _lines_with_data(page, rows)


def _common(page: Page, rows: list[int]) -> list[Step]:
    """Return what is true of all rows, classes first."""
    common = dict.fromkeys(step for step in steps_of(page, rows[0]) if step.attribute != "id")
    # One row of each kind is enough.
    for row in {(page.tag[row], page.classes[0][row]): row for row in rows}.values():
        if not common:
            break
        others = set(steps_of(page, row))
        common = {step: None for step in common if step in others}
    return list(common)


def _candidates(page: Page, rows: list[int], own: list[Step]) -> Iterator[list[Step]]:
    named, bare = own[:-1][:_CLASSES], own[-1]
    for step in named:
        yield [step.anywhere()]
    parents = {int(page.parent[row]) for row in rows}
    if len(parents) == 1:
        (parent,) = parents
        for above in steps_of(page, parent):
            for step in (*named, bare):
                yield [above.anywhere(), step]
        way = _way_to(page, parent)
        if way:
            for step in (*named, bare):
                yield [*way, step]
    above_all = _holder(page, rows)
    for _ in range(_WAY_UP):
        if above_all < 0:
            return
        for above in steps_of(page, above_all)[:-1]:
            for step in (*named, bare):
                yield [above.anywhere(), step.anywhere()]
        above_all = int(page.parent[above_all])


def _holder(page: Page, rows: list[int]) -> int:
    """Return the lowest row that holds all rows."""
    first, last = min(rows), max(rows)
    holder = int(page.parent[first])
    while holder > 0 and not holder <= last < page.end[holder]:
        holder = int(page.parent[holder])
    return holder


def _way_to(page: Page, row: int) -> list[Step]:
    """Return steps that find one element: from the nearest one above that has a name of its own."""
    way: list[Step] = []
    while row >= 0:
        steps = steps_of(page, row)
        if not steps:
            return []
        for step in steps:
            if page.attributes.select(step.css) == [row]:
                return [step.anywhere(), *way]
        place, count = (int(column[row]) for column in page.tag_places)
        bare = steps[-1]
        if bare.tag == "tbody" and way and count == 1:
            way[0] = way[0].anywhere()  # parsers disagree whether there is one
        elif not (bare.tag == "tbody" and count == 1):
            way.insert(0, Step(bare.tag, place=place if count > 1 else 0))
        row = int(page.parent[row])
    return []


def _lines_with_data(page: Page, rows: list[int]) -> Selectors:
    """Return an XPath of table lines that have data cells, where that tells them from headers."""
    if any(page.tag_name(row) != "tr" for row in rows):
        return None, None
    table = _holder(page, rows)
    while table > 0 and page.tag_name(table) != "table":
        table = int(page.parent[table])
    lines = page.rows_of("tr")
    inside = lines[(lines > table) & (lines < page.end[table])]
    cells = page.rows_of("td")
    with_data = sorted(set(page.parent[cells].tolist()) & set(inside.tolist()))
    way = _way_to(page, table)
    return (None, f"{xpath_of(way)}//tr[td]") if way and with_data == rows else (None, None)
