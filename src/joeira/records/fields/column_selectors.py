"""Selectors of columns: how to find the values of a column within a record.

Candidates are ways from a record down to the element of a value, as steps. First come the ways to
one of the elements, shortest first; then what is common to all of them: level by level from the
elements upwards, a tag, classes, a place from the first or from the last sibling. One is taken
when, in all records that are looked at, it finds the elements of the column and nothing else that
has a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Bools, Ints, trees
from joeira.page import addresses, tags
from joeira.records.fields.leaves import IMAGE, LINK, LIST, RecordNodes
from joeira.records.fields.rows import RecordRows
from joeira.records.fields.selectors import Step, css_of, is_word, tag_of, xpath_of
from joeira.records.fields.values import LEFT_OVER, Values

_MAX_COMMON_WAYS = 40
"""Ways that are tried of what elements have in common."""
_MAX_NAMES = 3
"""Classes of one level that are tried."""


def ways_to(table: RecordRows, top: Ints, elements: Ints) -> Iterator[list[Step]]:
    """Yield ways from a part of each record to elements, each way once.

    Args:
        table: The records.
        top: Per place the part of the record that holds it.
        elements: Places that the ways should lead to.
    """
    seen = set()
    for way in _every_way(table, top, elements):
        key = tuple(way)
        if key not in seen:
            seen.add(key)
            yield way


def _every_way(table: RecordRows, top: Ints, elements: Ints) -> Iterator[list[Step]]:
    yield from _ways_to_one(table, top, elements)
    # Most columns never get here, and finding out what elements have in common takes time.
    yield from islice(_common_ways(_levels(table, top, elements)), _MAX_COMMON_WAYS)


def _ways_to_one(table: RecordRows, top: Ints, elements: Ints) -> Iterator[list[Step]]:
    """Yield ways to the first or the last element; ones that count siblings come last."""
    for element in dict.fromkeys((int(elements[0]), int(elements[-1]))):
        chain = _chain(table, top, element)
        if not chain:  # it cannot be said, or is a part of a record itself
            continue
        last = len(chain) - 1
        # A name says more than a tag alone, and both say more than a count of siblings.
        starts = [start for start in range(last, -1, -1) if chain[start].attribute]
        bare = [last] if last not in starts else []
        plain = [replace(step, place=0) for step in chain]
        yield from (_floating(plain, start) for start in (*starts, *bare))
        yield plain
        yield from (_floating(chain, start) for start in (*starts, *bare))
        yield chain


def _chain(table: RecordRows, top: Ints, element: int) -> list[Step] | None:
    """Return the steps from a part of a record down to an element."""
    page = table.page
    called, names = table.called
    chain: list[Step] = []
    place = element
    while place != top[element]:
        row = int(table.rows[place])
        tag = tag_of(page, row)
        if tag is None:
            return None
        name = names[called[place]]
        kind = "itemprop" if name.startswith("@") else "class"
        name = name.removeprefix("@")
        nth, count = (int(column[row]) for column in page.tag_places)
        named = is_word(name)
        counted = nth if count > 1 else 0
        chain.insert(0, Step(tag, kind if named else "", name if named else "", counted))
        place = int(table.parent[place])
    return chain


def _floating(chain: Sequence[Step], start: int) -> list[Step]:
    """Return the steps from one on, to be found anywhere in a record."""
    return [chain[start].anywhere(), *chain[start + 1 :]]


# What is common to all elements ----------------------------------------------------------------


@dataclass(frozen=True)
class _Level:
    """What elements, or those so many levels above them, have in common."""

    bare: Step
    names: list[Step]
    places: list[int]
    """From the first sibling of the tag, or below 0 from the last one."""

    def steps(self) -> list[Step]:
        """Return ways to say it, without and with a place."""
        plain = [*self.names, self.bare]
        return [*plain, *(replace(step, place=n) for step in plain for n in self.places)]


def _levels(table: RecordRows, top: Ints, elements: Ints) -> list[_Level]:
    """Return the levels from elements up to where they differ or a part of a record is reached."""
    page = table.page
    levels: list[_Level] = []
    while (top[elements] != elements).all():
        rows = table.rows[elements]
        tag = tag_of(page, int(rows[0]))
        if tag is None or (page.tag[rows] != page.tag[rows[0]]).any():
            break
        nth, count = (column[rows] for column in page.tag_places)
        places = [int(n[0]) for n in (nth, nth - count - 1) if (n == n[0]).all()]
        levels.append(_Level(Step(tag), _common_names(table, tag, elements), places))
        elements = np.unique(table.parent[elements])
    return levels


def _common_names(table: RecordRows, tag: str, elements: Ints) -> list[Step]:
    """Return the property or the classes that all of some elements have, rarest first."""
    called, names = table.called
    own = {names[number] for number in np.unique(called[elements]).tolist()}
    steps = []
    if len(own) == 1 and (name := own.pop()).startswith("@") and is_word(name[1:]):
        steps.append(Step(tag, "itemprop", name[1:]))
    numbers, values = table.page.classes
    distinct = np.unique(numbers[table.rows[elements]]).tolist()
    classes = set.intersection(*(set(values[number].split()) for number in distinct))
    use = _uses(table, numbers)
    rarest = sorted(filter(is_word, classes), key=lambda word: (_count(use, values, word), word))
    return steps + [Step(tag, "class", word) for word in rarest[:_MAX_NAMES]]


def _uses(table: RecordRows, numbers: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Return how many places of the records have each class attribute."""
    used, counts = np.unique(numbers[table.rows[table.rows >= 0]], return_counts=True)
    return list(zip(used.tolist(), counts.tolist(), strict=True))


def _count(uses: list[tuple[int, int]], values: Sequence[str], word: str) -> int:
    return sum(count for number, count in uses if word in values[number].split())


def _common_ways(levels: Sequence[_Level]) -> Iterator[list[Step]]:
    """Yield ways that begin at one level with a name and say the elements more or less closely."""
    if not levels:
        return
    last = levels[0]
    for step in last.steps():
        yield [step.anywhere()]
    for up in range(1, len(levels)):
        between = [level.bare for level in reversed(levels[1:up])]
        starts = levels[up].names or []
        for start in starts:
            for step in (last.bare, *last.names):
                yield [start.anywhere(), *between, step]
        for start in starts[:1]:
            for place in last.places:
                yield [start.anywhere(), *between, replace(last.bare, place=place)]
            for place in levels[up].places:
                yield [replace(start, place=place).anywhere(), *between, last.bare]
    for counted in range(len(levels)):
        for place in levels[counted].places:
            way = [level.bare for level in levels]
            way[counted] = replace(way[counted], place=place)
            yield [way[-1].anywhere(), *reversed(way[:-1])]


LOOKED_AT = 1000
"""Records of a list on which a selector is checked."""
_MAX_WAYS = 3
"""Selectors that one column may be made of, where its values have several places."""
_IMAGE_SOURCES = ("src", "data-src", "data-original")

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
        targets = None if column.joined or column.source == LEFT_OVER else self._targets(column)
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
        """Return a few paths that together find the targets, if there are any."""
        left = targets.elements
        ways: list[list[Step]] = []
        reached = np.zeros(self.size, bool)
        while len(left) and len(ways) < _MAX_WAYS:
            for steps in ways_to(self.table, self.top, left):
                more = self._reached(steps, scope)
                if more[left].any() and self._is_exact(more, targets):
                    break
            else:
                return []
            ways.append(steps)
            reached |= more
            left = left[~more[left]]
        return ways if not len(left) and self._is_exact(reached, targets) else []

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
        siblings: Ints = inside[self.parent[place:stop] == self.parent[place]]
        return siblings

    def _image_source(self, places: Ints) -> str | None:
        """Return the attribute that holds the address of images; None where they differ."""
        table = self.table
        sources = set()
        for place in places[:20].tolist():
            attributes = table.page.attributes.of(int(table.rows[place]))
            for name in _IMAGE_SOURCES:
                address = addresses.clean(
                    attributes.get(name, ""), table.base, addresses.IMAGE_SCHEMES
                )
                if address == table.images.get(place):
                    sources.add(name)
                    break
            else:
                return None
        return sources.pop() if len(sources) == 1 else None

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
