"""From marked fields to the records of the page: one for each repeated unit.

A click on one name of a list says what a name is, and the list says where the other ones are. Where
a record method found the list, its records are the units, and a mark stands for the columns whose
cell was marked. Where it found none, the units are recognised by what is alike: each holds one
value of the field that was found most often. From an element that somebody clicked comes a selector
that finds its like on other pages.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.errors import UsageError
from joeira.page import Page, Region
from joeira.records.fields.selectors import Step, css_of, steps_of, tag_of
from joeira.records.result import Cell, RecordTable

MAX_MARKS = 2_000
_DECISIONS = ("content", "noise", "field")
_MAX_NAME_CHARS = 60


@dataclass(frozen=True)
class Mark:
    """What a person said about a run of texts within a block."""

    first: int
    stop: int
    decision: str
    name: str = ""
    """Of a field."""
    row: int | None = None
    """Of the element that was clicked, where it is less than a block: a cell of a record."""

    @property
    def said(self) -> str:
        """What the mark says, as one word: equal for marks that agree."""
        return f"{self.decision} {self.name}"

    @classmethod
    def read(cls, data: Any) -> Mark:
        """Return a mark from plain data, or raise `UsageError`."""
        if not isinstance(data, Mapping):
            raise UsageError("a mark must be an object")
        first, stop = data.get("first"), data.get("stop")
        decision, name = data.get("as"), data.get("name") or ""
        if not (isinstance(first, int) and isinstance(stop, int) and 0 <= first < stop):
            raise UsageError("a mark needs its first text and one past its last")
        if decision not in _DECISIONS:
            raise UsageError(f"a block can be marked as {', '.join(_DECISIONS)}")
        is_name = isinstance(name, str) and name.isprintable() and len(name) <= _MAX_NAME_CHARS
        if not is_name or (decision == "field") != bool(name.strip()):
            raise UsageError(
                f"a field, and only a field, has a name of up to {_MAX_NAME_CHARS} characters"
            )
        row = data.get("row")
        if row is not None and not (isinstance(row, int) and row >= 0):
            raise UsageError("the row of a mark must be the number of an element")
        return cls(first, stop, decision, name.strip(), row)


_GENERATED = re.compile(r"\d{2}|[a-z]\d+[a-z]|__|^css-|^sc-")
"""Names that a program made, which another page will not have."""
_MAX_STEPS = 12


def general(page: Page, row: int) -> str | None:
    """Return the shortest selector of just the elements that are alike: same tags and classes."""
    steps: list[Step] = []
    best = None
    for above in _way_up(page, row):
        step = _said(page, above)
        if step is None:
            return best
        steps.insert(0, step)
        best = css_of(steps)
        rows = page.attributes.matching(best)
        # Without a name in it, it would find quite other things on other pages.
        named = any(each.attribute for each in steps)
        if named and all(page.class_path[rows] == page.class_path[row]):
            return best
    return best


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
    ancestors: list[int] = []
    while row > 0 and (limit is None or len(ancestors) < limit):
        ancestors.append(row)
        if row == page.body:
            break
        row = int(page.parent[row])
    return ancestors


def _said(page: Page, row: int) -> Step | None:
    """Return the best way to say an element: by id or class if a person made it up, else by tag."""
    ways = steps_of(page, row)
    named = [step for step in ways if step.value and not _GENERATED.search(step.value)]
    best = next(iter(named), None) or (ways[-1] if ways else None)
    if best and best.attribute == "id" and len(page.attributes.matching(best.css)) > 1:
        best = next((step for step in named if step.attribute == "class"), ways[-1])
    return best


MODE = "attrs"
"""How `joeira evaluate` reads such records: some of their values are given."""


@dataclass(frozen=True)
class MarkedRecords:
    """Records by what was marked of them."""

    columns: tuple[str, ...] = ()
    """The names of the fields, as they were marked."""
    records: list[list[str]] = field(default_factory=list)
    """A value for each column, '' where a record has none."""

    def to_dict(self) -> dict[str, Any]:
        """Return them as part of a row of a data set."""
        told = {"records": self.records, "n_records": len(self.records)}
        return {**told, "columns": list(self.columns), "mode": MODE}


def marked_records(
    page: Page,
    tables: Sequence[RecordTable],
    marks: Sequence[Mark],
    alike: Mapping[str, Iterable[int]],
) -> MarkedRecords:
    """Return the records that marks of fields are about.

    Args:
        page: The page.
        tables: The lists of records that a method found on it, best first.
        marks: What was marked as a field.
        alike: By field, the rows of all that is alike: the elements that its rules find.
    """
    columns = tuple(dict.fromkeys(mark.name for mark in marks))
    best_records: list[dict[str, str]] = []
    outside = list(marks)
    for table in (table.with_names("raw") for table in tables):  # any text may be marked
        holders = [_holder(table, mark) for mark in outside]
        inside = [(m, at) for m, at in zip(outside, holders, strict=True) if at is not None]
        outside = [m for m, at in zip(outside, holders, strict=True) if at is None]
        if inside:
            best_records += _of_table(table, inside, alike)
    rows = {mark.name: sorted(alike[mark.name]) for mark in outside if alike.get(mark.name)}
    # Beside a list, what is there once tells of the page and is no record of its own.
    if rows and (not best_records or max(map(len, rows.values())) > 1):
        best_records += _of_likeness(page, rows)
    columns = tuple(name for name in columns if any(values.get(name) for values in best_records))
    records = [[values.get(name, "") for name in columns] for values in best_records]
    return MarkedRecords(columns, [values for values in records if any(values)])


def _holder(table: RecordTable, mark: Mark) -> int | None:
    """Return the number of the record in which a mark begins."""
    row = table.page.text_rows[mark.first]
    parts = np.flatnonzero((table.slices[:, 0] <= row) & (row < table.slices[:, 1]))
    return int(table.record_of[parts[0]]) if len(parts) else None


def _of_table(
    table: RecordTable, marks: Sequence[tuple[Mark, int]], alike: Mapping[str, Iterable[int]]
) -> list[dict[str, str]]:
    """Return the values of each record: its cells, or where none was marked, what is alike."""
    cells = table.cells
    hit: dict[str, set[int]] = {mark.name: set() for mark, _ in marks}
    for mark, at in marks:
        hit[mark.name] |= {n for n, cell in enumerate(cells[at]) if cell and _overlap(cell, mark)}
    others = {name: sorted(alike[name]) for name, numbers in hit.items() if not numbers}
    records = []
    for record, line in zip(table.records, cells, strict=True):
        values = {}
        for name, numbers in hit.items():
            rows = [cell.row for n in numbers if (cell := line[n])]
            if name in others:
                rows = [row for part in record.regions for row in _within(others[name], part)]
            values[name] = _words(table.page, rows)
        records.append(values)
    return records


def _within(rows: list[int], part: Region) -> list[int]:
    """Return those of some rows, given in order, that are in a part of a page."""
    return rows[bisect_left(rows, part.start) : bisect_left(rows, part.stop)]


def _overlap(cell: Cell, mark: Mark) -> bool:
    first, stop = _texts(cell.page, cell.row)
    return max(first, mark.first) < min(stop, mark.stop)


def _texts(page: Page, row: int) -> tuple[int, int]:
    return int(page.text_index[row]), int(page.text_index[page.end[row]])


def _words(page: Page, rows: Sequence[int]) -> str:
    """Return the text of some rows, each text once: the cells of a link and its words share one."""
    texts: list[str] = []
    done = 0
    for first, stop in sorted(_texts(page, row) for row in rows):
        if stop > done:
            texts.append(page.joined(max(first, done), stop))
            done = stop
    return " ".join(filter(None, texts))


def _of_likeness(page: Page, rows: Mapping[str, Sequence[int]]) -> list[dict[str, str]]:
    """Return records around the values of the field that was found most often."""
    anchors = np.array(max(rows.values(), key=len))
    units = _units(page, anchors)
    members: list[dict[str, list[int]]] = [{} for _ in anchors]
    for name, members_of_name in rows.items():
        for row in members_of_name:
            # In a unit, or else after the value that the record begins with.
            at = int(np.searchsorted(anchors, row, "right")) - 1
            if at + 1 < len(anchors) and units[at + 1] <= row:
                at += 1
            members[max(at, 0)].setdefault(name, []).append(row)
    return [{name: _words(page, values) for name, values in one.items()} for one in members]


def _units(page: Page, anchors: NDArray[np.int64]) -> list[int]:
    """Return for each row the highest element around it that holds none of the other rows."""
    units = []
    for at, row in enumerate(anchors.tolist()):
        before = anchors[at - 1] if at else -1
        after = anchors[at + 1] if at + 1 < len(anchors) else len(page)
        unit = row
        while unit > page.body:
            above = int(page.parent[unit])
            if above <= before or page.end[above] > after:
                break
            unit = above
        units.append(unit)
    return units
