"""Learning wrappers from a few values that a page shows, as somebody would point at them.

The values are found whatever the markup within them, the list is the one that shows most of them,
and each value stands for the column that it is in. Where no list has a column for it, its element
says how to find its like in the other records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from joeira.errors import UsageError
from joeira.page import Page, addresses
from joeira.records.result import Cell, RecordTable
from joeira.records.wrapper import IMAGE, LINK, Wrapper, WrapperColumn, read_cell, sibling_of
from joeira.records.wrapper_learning import (
    COST,
    LEFT_OVER,
    SAMPLE,
    Choice,
    begins_with_text,
    column_rule,
    common_ancestor,
    learn_from_tables,
    relative_choices,
    starts_of,
)


def learn_from_examples(
    page: Page, tables: Iterable[RecordTable], examples: Sequence[tuple[str, str]]
) -> Wrapper:
    """Return the wrapper of the list that shows some values, with a column for each.

    Args:
        page: The page.
        tables: Lists that were found on it, best first.
        examples: Names, '' for none, and values of one record or of several.
    """
    text = _SquashedText(page)
    spans = {value: text.spans(value) for _, value in examples}
    missing = [value for value, places in spans.items() if not places]
    if missing:
        raise UsageError(f"the page does not show the example {missing[0]!r}")
    table, record_of = _holder(page, tables, spans)
    plain = learn_from_tables([table])
    columns: dict[str, WrapperColumn] = {}
    for name, value in examples:
        rule = _example_column(table, spans[value], value, record_of)
        if rule is None:
            raise UsageError(f"no selector finds values like the example {value!r}")
        same = {column.xpath for column in columns.values()}
        if rule.xpath not in same:
            label = name or (rule.name if rule.name not in columns else f"{rule.name}_2")
            columns[label] = replace(rule, name=label)
    given = replace(plain, columns=tuple(columns.values()), siblings=max(
        plain.siblings, 1 + max(sibling_of(rule.xpath) for rule in columns.values())))  # fmt: skip
    (records,) = given.extract(page).tables
    filled = [
        replace(rule, filled=sum(cell is not None for cell in cells) / len(records))
        for rule, cells in zip(given.columns, records.fields.cells, strict=True)
    ]
    return replace(given, columns=tuple(filled))


Span = tuple[int, int, bool]
"""First text and one past the last that show an example, and whether they show nothing else."""


class _SquashedText:
    """The text of a page without white space, to find values whatever the markup within them."""

    def __init__(self, page: Page) -> None:
        """Join the texts of a page."""
        pieces = ["".join(text.split()).casefold() for text in page.texts]
        self.text = "".join(pieces)
        self.start = np.concatenate(([0], np.cumsum([len(piece) for piece in pieces]))).astype(int)

    def spans(self, value: str) -> list[Span]:
        """Return where the page shows a value; alone, if it does so anywhere."""
        wanted = "".join(value.split()).casefold()
        spans: list[Span] = []
        at = self.text.find(wanted) if wanted else -1
        while at >= 0 and len(spans) < _MAX_PLACES:
            stop = at + len(wanted)
            first = int(np.searchsorted(self.start, at, "right")) - 1
            last = int(np.searchsorted(self.start, stop, "left"))
            alone = bool(self.start[first] == at and self.start[last] == stop)
            spans.append((first, last, alone))
            at = self.text.find(wanted, at + 1)
        alone = [span for span in spans if span[2]]
        return alone or spans


_MAX_PLACES = 500


def _holder(
    page: Page, tables: Iterable[RecordTable], spans: dict[str, list[Span]]
) -> tuple[RecordTable, int]:
    """Return the list that shows most examples, and the record that shows most of them."""
    best: tuple[tuple[int, int, int], RecordTable, int] | None = None
    for rank, table in enumerate(tables):
        if begins_with_text(table):
            continue
        shown: Counter[int] = Counter()
        inside = 0
        for places in spans.values():
            records = {record for span in places if (record := _record_of(table, span)) is not None}
            inside += bool(records)
            shown.update(records)
        if inside:
            record = min(shown, key=lambda number: (-shown[number], number))
            key = (inside, shown[record], -rank)
            if best is None or key > best[0]:
                best = key, table, record
    if best is None or best[0][0] < len(spans):
        alike = _table_of_alike(page, next(iter(spans.values())))
        if best is None and alike is None:
            raise UsageError("the examples are in no list: nothing on the page is like them")
        if best is None and alike is not None:
            return alike, 0
    assert best is not None
    return best[1], best[2]


def _record_of(table: RecordTable, span: Span) -> int | None:
    """Return the record that shows some texts."""
    rows = table.page.text_rows
    first, last = int(rows[span[0]]), int(rows[span[1] - 1])
    part = int(np.searchsorted(table.slices[:, 0], first, "right")) - 1
    inside = part >= 0 and last < table.slices[part, 1]
    return int(table.record_of[part]) if inside else None


def _element_of(page: Page, span: Span) -> int:
    """Return the smallest element that holds some texts, or the text itself beside others."""
    rows = page.text_rows
    first, last = int(rows[span[0]]), int(rows[span[1] - 1])
    row = first
    while row > 0 and (page.is_text[row] or last >= page.end[row]):
        row = int(page.parent[row])
    index = page.text_index
    if span[1] - span[0] == 1 and index[page.end[row]] - index[row] > 1:
        return first
    return row


def _example_column(
    table: RecordTable, spans: list[Span], value: str, record: int
) -> WrapperColumn | None:
    """Return how to find the values that an example is one of."""
    page = table.page
    inside = [(span, number) for span in spans if (number := _record_of(table, span)) is not None]
    inside.sort(key=lambda pair: (pair[1] != record, pair[1]))
    starts = starts_of(table)
    for span, number in inside:
        column = _cell_column(table, span, number)
        if column is not None:
            return column
    for span, number in inside:
        element = _element_of(page, span)
        target = [(starts[number], Cell(value, None, element, page))]
        best = _widest(page, starts, relative_choices(page, target, "text"), element)
        if best is not None:
            return best
    return None


def _cell_column(table: RecordTable, span: Span, number: int) -> WrapperColumn | None:
    """Return the column whose cell of a record shows just some texts."""
    page = table.page
    index = page.text_index
    for column, cells in zip(table.columns, table.fields.cells, strict=True):
        cell = cells[number]
        if cell is None or column.kind in (LINK, IMAGE) or column.source == LEFT_OVER:
            continue
        shown = int(index[cell.row]), int(index[page.end[cell.row]])
        if shown == (span[0], span[1]):
            return column_rule(table, column, cells)
    return None


def _widest(
    page: Page, starts: Sequence[int], choices: Iterable[Choice], wanted: int
) -> WrapperColumn | None:
    """Return the way that finds a value in most records and the example in its own."""
    base = addresses.base_of(page)
    best, best_share = None, 0.0
    sample = starts[:SAMPLE]
    target = int(page.parent[wanted]) if page.is_text[wanted] else wanted
    for choice in choices:
        tried = WrapperColumn("value", "text", choice.xpath)
        cells = [read_cell(page, row, tried, base) for row in sample]
        if target not in {cell.row for cell in cells if cell} and len(starts) <= SAMPLE:
            continue
        share = sum(cell is not None for cell in cells) / len(sample) - 5 * COST * choice.cost
        if share > best_share:
            best, best_share = tried, share
    return best


def _table_of_alike(page: Page, spans: list[Span]) -> RecordTable | None:
    """Return a list made of all that is like an example, each with what is around it alone."""
    for span in spans:
        row = _element_of(page, span)
        row = int(page.parent[row]) if page.is_text[row] else row
        alike = np.flatnonzero(page.class_path == page.class_path[row])
        alike = alike[~page.is_text[alike]]
        if len(alike) > 1:
            units = _units(page, alike.tolist())
            slices = np.array([(unit, int(page.end[unit])) for unit in units])
            region = page.region(common_ancestor(page, units))
            return RecordTable(page, region, slices, np.arange(len(units)), 0.0, "alike")
    return None


def _units(page: Page, rows: list[int]) -> list[int]:
    """Return for each row the highest element around it that holds none of the other rows."""
    units = []
    for before, row, after in zip([-1, *rows], rows, [*rows[1:], len(page)], strict=False):
        unit = row
        while unit > page.body:
            above = int(page.parent[unit])
            if above <= max(before, 0) or page.end[above] > after:
                break
            unit = above
        units.append(unit)
    return units


Find = Callable[[Page], Sequence[RecordTable]]


def learn(pages: Sequence[Page], find: Find, examples: Any = ()) -> Wrapper:
    """Return the wrapper of the list that pages share, or of the one that shows the examples.

    Args:
        pages: Pages of one site.
        find: Returns the lists of a page, best first.
        examples: Values that one record or several show, or a mapping from names to values.
    """
    if not pages:
        raise UsageError("a wrapper is learned from at least one page")
    named = _named_examples(examples)
    if named:
        problems = []
        for page in pages:
            try:
                return learn_from_examples(page, find(page), named)
            except UsageError as error:
                problems.append(error)
        raise problems[0]
    tables = [lists[0] for page in pages if (lists := find(page))]
    if not tables:
        raise UsageError("no list of records found to learn from: give examples of its values")
    return learn_from_tables(tables)


def _named_examples(examples: Any) -> list[tuple[str, str]]:
    """Return names, '' for none, and values."""
    pairs = list(examples.items()) if hasattr(examples, "items") else [("", e) for e in examples]
    for name, value in pairs:
        if not isinstance(name, str) or not isinstance(value, str) or not value.strip():
            raise UsageError("examples are texts that the page shows")
    return pairs
