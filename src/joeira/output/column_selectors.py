"""Selectors that find the values of a column within a record.

Candidates are ways to the element of a value, shortest first; one is taken when, in all records
that are looked at, it finds the elements of the column and nothing else that has a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.output.record_leaves import IMAGE, LINK, LIST, RecordNodes
from joeira.output.record_rows import Ints
from joeira.output.record_values import LEFT_OVER, Values
from joeira.output.selector_steps import Step, css_of, xpath_of
from joeira.output.selector_ways import ways_to
from joeira.page import addresses, tags

LOOKED_AT = 1000
"""Records of a list on which a selector is checked."""
_MAX_WAYS = 3
"""Selectors that one column may be made of, where its values have several places."""
_IMAGE_SOURCES = ("src", "data-src", "data-original")

Bools = NDArray[np.bool_]
Selectors = tuple[str | None, str | None]
NONE: Selectors = None, None


@dataclass(frozen=True, eq=False)
class _Targets:
    """What a selector has to find."""

    elements: Ints
    """Places."""
    has_value: Bools
    """Places where it would find something."""
    css: str | None = ""
    """What follows the element in CSS, such as ``::attr(href)``; None where CSS cannot say it."""
    xpath: str = ""


class ColumnSelectors:
    """Finds selectors for the columns of one list of records."""

    def __init__(self, nodes: RecordNodes) -> None:
        """Prepare what all columns share."""
        table = nodes.table
        self.nodes = nodes
        self.table = table
        self.size = int(table.roots[LOOKED_AT]) if len(table.roots) > LOOKED_AT else len(table)
        size = self.size
        self.parent = table.parent[:size]
        self.top = trees.nearest(table.depth[:size] == 1, self.parent).astype(np.int64)
        self.texts = np.bincount(
            self.parent[table.is_text[:size]], minlength=size
        )  # texts right below
        self.holds_text = trees.subtree_sums(table.is_text[:size], table.end[:size]) > 0
        self._masks: dict[tuple[str, str], Bools] = {}

    def of(self, column: Values) -> Selectors:
        """Return CSS and XPath of a column, relative to a record; None where there is none."""
        targets = None if column.source == LEFT_OVER else self._targets(column)
        if targets is None or not len(targets.elements):
            return NONE
        part = self._part(targets.elements)
        if part is None:
            return NONE
        scope = self._scope(part)
        at_top = bool((self.top[targets.elements] == targets.elements).all())
        ways = [list[Step]()] if at_top else ways_to(self.table, self.top, targets.elements)
        for steps in ways:
            reached = self._reached(steps, scope)
            if reached[targets.elements].all() and self._is_exact(reached, targets):
                return self._written([steps], part, targets)
        return NONE if at_top else self._written(self._several(scope, targets), part, targets)

    def _several(self, scope: Bools, targets: _Targets) -> list[list[Step]]:
        """Return a few ways that together find the targets; none where there are no such ways."""
        left = targets.elements
        found: list[list[Step]] = []
        reached = np.zeros(self.size, bool)
        while len(left) and len(found) < _MAX_WAYS:
            for steps in ways_to(self.table, self.top, left):
                more = self._reached(steps, scope)
                if more[left].any() and self._is_exact(more, targets):
                    break
            else:
                return []
            found.append(steps)
            reached |= more
            left = left[~more[left]]
        return found if not len(left) and self._is_exact(reached, targets) else []

    # What is to be found ----------------------------------------------------------------------

    def _targets(self, column: Values) -> _Targets | None:
        nodes, table = self.nodes, self.table
        node = column.nodes[(column.nodes >= 0)]
        node = node[nodes.place[node] < self.size]
        if not len(node):
            return None
        if column.kind in (IMAGE, LINK):
            places = column.links[(column.links >= 0) & (column.links < self.size)]
            name = "href" if column.kind == LINK else self._image_source(places)
            known = list(table.links if column.kind == LINK else table.images)
            has_value = np.zeros(self.size, bool)
            has_value[[place for place in known if place < self.size]] = True
            if name is None:
                return None
            return _Targets(np.unique(places), has_value, f"::attr({name})", f"/@{name}")
        place = nodes.place[node]
        above = nodes.parent[node]
        if (nodes.leaf_counts[above] == 1).all() and (nodes.parent[above] >= 0).all():
            return _Targets(nodes.place[above], self.holds_text)
        several = nodes.stop[node] > table.end[place]
        is_text = table.tag[place] == tags.TEXT
        if is_text.all() and not several.any():
            return self._text_targets(place)
        if not is_text.any() and not several.any():
            return _Targets(place, self.holds_text)  # prose: elements whole
        if column.kind == LIST and not is_text.any():
            items = [self._siblings(n) for n in node.tolist()]
            return _Targets(np.concatenate(items), self.holds_text)
        return None

    def _text_targets(self, place: Ints) -> _Targets | None:
        """Return texts that stand beside other values in their element."""
        page = self.table.page
        above = self.parent[place]
        if (self.table.rows[above] < 0).any():
            return None
        nth = page.tag_places[0][self.table.rows[place]]
        if (self.texts[above] == 1).all():
            return _Targets(above, self.texts > 0, "::text", "/text()[normalize-space()]")
        if (nth != nth[0]).any():
            return None
        number = int(nth[0])
        return _Targets(above, self.texts >= number, None, f"/text()[normalize-space()][{number}]")

    def _siblings(self, node: int) -> Ints:
        place, stop = int(self.nodes.place[node]), int(self.nodes.stop[node])
        inside = np.arange(place, stop)
        found: Ints = inside[self.parent[place:stop] == self.parent[place]]
        return found

    def _image_source(self, places: Ints) -> str | None:
        """Return the attribute that holds the address of images; None where they differ."""
        table = self.table
        found = set()
        for place in places[:20].tolist():
            attributes = table.page.attributes.of(int(table.rows[place]))
            for name in _IMAGE_SOURCES:
                address = addresses.clean(
                    attributes.get(name, ""), table.base, addresses.IMAGE_SCHEMES
                )
                if address == table.images.get(place):
                    found.add(name)
                    break
            else:
                return None
        return found.pop() if len(found) == 1 else None

    # Parts of a record --------------------------------------------------------------------------

    def _part(self, elements: Ints) -> int | None:
        """Return how many sibling elements after the first part of a record the values are."""
        page, table = self.table.page, self.table
        first = table.roots[table.record[elements]] + 1
        rows, firsts = table.rows[self.top[elements]], table.rows[first]
        apart = page.element_places[rows].astype(int) - page.element_places[firsts]
        if (apart != apart[0]).any() or (page.parent[rows] != page.parent[firsts]).any():
            return None
        if page.is_text[firsts].any():
            return None
        return int(apart[0])

    def _scope(self, part: int) -> Bools:
        """Return the places in that part of the records."""
        page, table = self.table.page, self.table
        top = np.maximum(self.top, 0)
        first = np.minimum(table.roots[table.record[: self.size]] + 1, self.size - 1)
        apart = (
            page.element_places[table.rows[top]].astype(int)
            - page.element_places[table.rows[first]]
        )
        scope: Bools = (self.top >= 0) & (apart == part)
        return scope

    # Checks ---------------------------------------------------------------------------------------

    def _reached(self, steps: Sequence[Step], scope: Bools) -> Bools:
        """Return the places that steps lead to."""
        is_top = self.top == np.arange(self.size)
        reached: Bools = scope & is_top
        for step in steps:
            below = scope & ~is_top if step.below else reached[np.maximum(self.parent, 0)]
            reached = below & scope & self._mask(step) & (self.parent >= 0)
        return reached

    def _is_exact(self, reached: Bools, targets: _Targets) -> bool:
        """Return whether nothing but targets is reached that has a value."""
        reached = reached.copy()
        reached[targets.elements] = False
        if (reached & targets.has_value).any():
            return False
        # What is found without having a value must not stand before one.
        record = self.table.record[: self.size]
        return not np.isin(record[reached], record[targets.elements]).any()

    def _mask(self, step: Step) -> Bools:
        """Return the places that a step describes."""
        page, table = self.table.page, self.table
        rows = table.rows[: self.size]
        key = (step.tag, f"{step.attribute}={step.value}")
        if key not in self._masks:
            number = tags.NUMBER.get(step.tag)
            if number is None:
                number = tags.FIRST_FOREIGN + page.foreign_names.index(step.tag)
            mask = (rows >= 0) & (page.tag[rows] == number)
            if step.attribute == "class":
                numbers, values = page.classes
                used, inverse = np.unique(numbers[rows], return_inverse=True)
                has = np.array([step.value in values[n].split() for n in used.tolist()], bool)
                mask &= has[inverse]
            elif step.attribute:
                called, names = table.called
                mask &= called[: self.size] == names.index(f"@{step.value}")
            self._masks[key] = mask
        mask = self._masks[key]
        if not step.place:
            return mask
        nth, count = (column[rows] for column in page.tag_places)
        counted: Bools = (nth if step.place > 0 else nth - count - 1) == step.place
        return mask & counted

    def _written(self, ways: Sequence[Sequence[Step]], part: int, targets: _Targets) -> Selectors:
        """Return the selectors of ways that find the targets together."""
        if not ways:
            return NONE
        start = f"./following-sibling::*[{part}]" if part else "."
        xpath = " | ".join(f"{start}{xpath_of(steps)}{targets.xpath}" for steps in ways)
        if part or targets.css is None:
            return None, xpath
        return ", ".join(f"{_below_scope(steps)}{targets.css}" for steps in ways), xpath


def _below_scope(steps: Sequence[Step]) -> str:
    """Return steps as CSS that begins at a record."""
    if not steps:
        return ":scope"
    return css_of(steps) if steps[0].below else f":scope > {css_of(steps)}"
