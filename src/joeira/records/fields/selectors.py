"""Selectors of records: the shortest that find just the records of a list on the page.

A selector is a sequence of steps, written in CSS and in XPath.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from joeira.page import Page, tags

_TAG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_WORD = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Step:
    """One element on the way: its tag, one attribute, its place among siblings of its tag."""

    tag: str
    attribute: str = ""
    """``class``, ``id``, ``itemprop`` or nothing."""
    value: str = ""
    place: int = 0
    """From 1; 0 for any; below 0 from the last one."""
    below: bool = False
    """Anywhere below the step before, not right below it."""

    @property
    def css(self) -> str:
        """The step without what joins it to the one before."""
        test = {"class": f".{self.value}", "id": f"#{self.value}"}.get(self.attribute, "")
        if self.attribute == "itemprop":
            test = f'[itemprop="{self.value}"]'
        place = f":nth-{'last-' * (self.place < 0)}of-type({abs(self.place)})"
        return f"{self.tag}{test}{place if self.place else ''}"

    @property
    def xpath(self) -> str:
        """The step without what joins it to the one before."""
        test = f'[@{self.attribute}="{self.value}"]' if self.attribute else ""
        if self.attribute == "class":
            test = f'[contains(concat(" ", normalize-space(@class), " "), " {self.value} ")]'
        from_last = f"last(){f' - {-1 - self.place}' if self.place < -1 else ''}"
        place = f"[{self.place if self.place > 0 else from_last}]"
        return f"{self.tag}{place if self.place else ''}{test}"

    def anywhere(self) -> Step:
        """Return the step joined to the one before by any number of others."""
        return replace(self, below=True)


def css_of(steps: Sequence[Step]) -> str:
    """Return steps as CSS."""
    joined = "".join(f"{' ' if step.below else ' > '}{step.css}" for step in steps)
    return joined.removeprefix(" ").removeprefix("> ")


def xpath_of(steps: Sequence[Step]) -> str:
    """Return steps as XPath, each with the slashes before it."""
    return "".join(f"{'//' if step.below else '/'}{step.xpath}" for step in steps)


def is_word(value: str) -> bool:
    """Return whether a class or id can stand in a selector as it is."""
    return _WORD.fullmatch(value) is not None


def tag_of(page: Page, row: int) -> str | None:
    """Return the tag name of an element; None where selectors would not agree about it."""
    name = page.tag_name(row)
    return name if _TAG.fullmatch(name) and page.attributes.is_html(row) else None


def steps_of(page: Page, row: int) -> list[Step]:
    """Return ways to say an element: by id, by class, by tag alone; none for odd names."""
    tag = tag_of(page, row)
    if tag is None:
        return []
    attributes = page.attributes.of(row)
    steps = [Step(tag, "id", attributes["id"])] if is_word(attributes.get("id", "")) else []
    classes = filter(is_word, attributes.get("class", "").split()[:8])
    return [*steps, *(Step(tag, "class", word) for word in classes), Step(tag)]


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
        if page.attributes.selects(css, rows):
            return css, xpath_of(steps)
    lines = _lines_with_data(page, rows)
    return lines if lines[1] else _counted(page, rows, own[-1])


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
        holder, inside = _said_holder(page, parents.pop())
        # With other elements of this tag in the holder, the tag alone is not tried.
        last = (*named, bare) if _are_all(page, rows, holder, inside) else named
        ways = [[step.anywhere()] for step in steps_of(page, holder)] if last else []
        for way in (*ways, _way_to(page, holder)) if last else ():
            for step in last if way else ():
                yield [*way, step.anywhere() if inside else step]
    else:
        yield from _same_way_down(page, rows, bare)
    above_all = _holder(page, rows)
    for _ in range(_WAY_UP):
        if above_all < 0:
            return
        for above in steps_of(page, above_all)[:-1]:
            for step in (*named, bare):
                yield [above.anywhere(), step.anywhere()]
        above_all = int(page.parent[above_all])


def _are_all(page: Page, rows: list[int], holder: int, inside: bool) -> bool:
    """Return whether rows are all elements of their tag in a holder, or right below it."""
    below = slice(holder + 1, int(page.end[holder]))
    alike = page.tag[below] == page.tag[rows[0]]
    if not inside:
        alike &= page.parent[below] == holder
    return int(alike.sum()) == len(rows)


def _same_way_down(page: Page, rows: list[int], bare: Step) -> Iterator[list[Step]]:
    """Yield the way from what holds all records to one, for records that do not share a parent."""
    holder = _holder(page, rows)
    down: list[Step] = []
    row = int(page.parent[rows[0]])
    while row > holder and len(down) < _WAY_UP:
        tag = tag_of(page, row)
        if tag is None:
            return
        down.insert(0, Step(tag))
        row = int(page.parent[row])
    way = _way_to(page, holder)
    if way and row == holder:
        place = int(page.tag_places[0][rows[0]])
        yield [*way, *down, bare]
        yield [*way, *down, replace(bare, place=place)]


def _said_holder(page: Page, parent: int) -> tuple[int, bool]:
    """Return the element to name for a parent, and whether there may be others between.

    For table lines it is the table: parsers disagree whether there is a ``tbody``.
    """
    if page.tag_name(parent) == "tbody":
        return int(page.parent[parent]), True
    return parent, False


def _counted(page: Page, rows: list[int], bare: Step) -> Selectors:
    """Return selectors that count siblings: every line from the second on, every third ..."""
    parents = {int(page.parent[row]) for row in rows}
    if len(parents) != 1:
        return None, None
    holder, inside = _said_holder(page, parents.pop())
    way = _way_to(page, holder)
    places = page.tag_places[0][rows].tolist()
    first, last, count = places[0], places[-1], int(page.tag_places[1][rows[0]])
    apart = {after - before for before, after in pairwise(places)}
    if not way:
        return None, None
    if len(apart) != 1:
        up = xpath_of(way)
        # Not `//`: it would also find the lines of tables inside the cells.
        tried = f"({up}/{bare.tag} | {up}/tbody/{bare.tag})" if inside else f"{up}/{bare.tag}"
        return None, _with_text(page, rows, tried)
    (step,) = apart
    css = f"{bare.tag}:nth-of-type({step if step > 1 else ''}n+{first})"
    tests = [f"position() >= {first}"]
    if step > 1:
        tests.append(f"(position() - {first}) mod {step} = 0")
    if last + step <= count:
        css += f":nth-of-type(-n+{last})"
        tests.append(f"position() <= {last}")
    css = f"{css_of(way)} {'' if inside else '> '}{css}"
    xpath = f"{xpath_of(way)}{'//' if inside else '/'}{bare.tag}[{' and '.join(tests)}]"
    return (css, xpath) if page.attributes.selects(css, rows) else (None, None)


def _with_text(page: Page, rows: list[int], xpath: str) -> str | None:
    """Return an XPath of the siblings that have text, where those are the records."""
    parent, tag = int(page.parent[rows[0]]), page.tag[rows[0]]
    below = slice(parent + 1, int(page.end[parent]))
    alike = np.flatnonzero((page.parent[below] == parent) & (page.tag[below] == tag)) + parent + 1
    alike = alike[page.text_index[page.end[alike]] > page.text_index[alike]]
    return f"{xpath}[normalize-space()]" if alike.tolist() == rows else None


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
        only = len(page.rows_of(steps[-1].tag)) == 1
        for step in steps if only else steps[:-1]:
            if page.attributes.selects(step.css, [row]):
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
    below = slice(table + 1, int(page.end[table]))
    parents = np.unique(page.parent[below][page.tag[below] == tags.NUMBER["td"]])
    parents = parents[parents > table]
    with_data = parents[page.tag[parents] == tags.NUMBER["tr"]].tolist()
    way = _way_to(page, table)
    return (None, f"{xpath_of(way)}//tr[td]") if way and with_data == rows else (None, None)
