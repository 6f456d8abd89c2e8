"""Ways from a record down to some of its elements, as steps: what selectors are tried of.

First come the ways to one of the elements, shortest first; then what is common to all of them:
level by level from the elements upwards, a tag, classes, a place from the first or from the last
sibling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from joeira.output.record_rows import Ints, RecordRows
from joeira.output.selector_steps import Step, is_word, tag_of

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
    found: list[_Level] = []
    while (top[elements] != elements).all():
        rows = table.rows[elements]
        tag = tag_of(page, int(rows[0]))
        if tag is None or (page.tag[rows] != page.tag[rows[0]]).any():
            break
        nth, count = (column[rows] for column in page.tag_places)
        places = [int(n[0]) for n in (nth, nth - count - 1) if (n == n[0]).all()]
        found.append(_Level(Step(tag), _common_names(table, tag, elements), places))
        elements = np.unique(table.parent[elements])
    return found


def _common_names(table: RecordRows, tag: str, elements: Ints) -> list[Step]:
    """Return the property or the classes that all of some elements have, rarest first."""
    called, names = table.called
    own = {names[number] for number in np.unique(called[elements]).tolist()}
    found = []
    if len(own) == 1 and (name := own.pop()).startswith("@") and is_word(name[1:]):
        found.append(Step(tag, "itemprop", name[1:]))
    numbers, values = table.page.classes
    distinct = np.unique(numbers[table.rows[elements]]).tolist()
    classes = set.intersection(*(set(values[number].split()) for number in distinct))
    use = _uses(table, numbers)
    rarest = sorted(filter(is_word, classes), key=lambda word: (_count(use, values, word), word))
    return found + [Step(tag, "class", word) for word in rarest[:_MAX_NAMES]]


def _uses(table: RecordRows, numbers: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Return how many places of the records have each class attribute."""
    found, counts = np.unique(numbers[table.rows[table.rows >= 0]], return_counts=True)
    return list(zip(found.tolist(), counts.tolist(), strict=True))


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
