"""Learning wrappers: from tables that were found, from several pages, or from example values.

The columns are those of the tables, each with the selector that gives most of its cells again.
Example values are found whatever the markup within them; the list is the one that shows most of
them, and each value stands for the column that it is in. Where no list has a column for it, its
element says how to find its like in the other records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from joeira.errors import UsageError
from joeira.page import Page, addresses
from joeira.records.fields.values import LEFT_OVER
from joeira.records.result import Cell, Column, RecordTable
from joeira.records.wrapper import (
    IMAGE,
    LINK,
    Wrapper,
    WrapperColumn,
    own_texts,
    read_cell,
    read_cells,
    sibling_of,
)
from joeira.records.wrapper_selectors import (
    COST,
    Choice,
    common_ancestor,
    judge,
    record_choices,
    ways_to,
    with_second_choices,
)

_SAMPLE = 60
"""Records that the selectors of columns are tried on."""
_SAME = 0.8
"""Share of the cells of a column that its selector has to give again."""


# From tables ------------------------------------------------------------------------------------


def learn_from_tables(tables: Sequence[RecordTable]) -> Wrapper:
    """Return the wrapper of a list that several pages have, each given as the table of its page."""
    known = [table for table in tables if len(table) and not _begins_with_text(table)]
    if not known:
        raise UsageError("no wrapper: the records are not elements that a selector can find")
    wanted = [(table.page, _starts_of(table)) for table in known]
    choices: dict[str, Choice] = {}
    for page, starts in wanted[:_MAX_PAGES_TRIED]:
        for choice in record_choices(page, starts):
            choices.setdefault(choice.xpath, choice)
    judged = judge(choices.values(), wanted)
    if not judged:
        raise UsageError("no wrapper: no selector finds the records on the page")
    best = judged[0][1]
    siblings = max(_siblings(table) for table in known)
    plain = Wrapper(with_second_choices(judged), (), best.css, siblings)
    columns = _columns(plain, known)
    counts = [len(starts) for page, _ in wanted if (starts := plain.find(page))]
    return replace(plain, columns=columns, counts=(min(counts), max(counts)), pages=len(known))


_MAX_PAGES_TRIED = 8
"""Pages from which selectors are made; they are judged on all."""


def _begins_with_text(table: RecordTable) -> bool:
    return bool(table.page.is_text[_starts_of(table)].any())


def _starts_of(table: RecordTable) -> list[int]:
    first = np.searchsorted(table.record_of, np.arange(len(table)))
    starts: list[int] = table.slices[first, 0].tolist()
    return starts


def _siblings(table: RecordTable) -> int:
    """Return how many sibling elements the largest record is made of."""
    page = table.page
    most = 1
    for record in table.records:
        roots = [row for part in record.regions for row in part.roots()]
        most = max(most, sum(not page.is_text[row] for row in roots))
    return most


# Columns ---------------------------------------------------------------------------------------


def _columns(plain: Wrapper, tables: Sequence[RecordTable]) -> tuple[WrapperColumn, ...]:
    """Return the columns of tables that selectors give again, each name once."""
    columns: dict[str, WrapperColumn] = {}
    for table in tables:
        cells = table.fields.cells
        for column, values in zip(table.columns, cells, strict=True):
            if str(column) not in columns and column.source != LEFT_OVER:
                rule = _column_rule(table, column, values)
                if rule is not None:
                    columns[str(column)] = rule
    kept = replace(plain, columns=tuple(columns.values()))
    records = [table for each in tables for table in kept.extract(each.page)]
    total = sum(map(len, records))
    filled = []
    for number, rule in enumerate(kept.columns):
        count = sum(cell is not None for each in records for cell in each.fields.cells[number])
        filled.append(replace(rule, filled=count / max(total, 1)))
    return tuple(rule for rule in filled if rule.filled)


def _column_rule(
    table: RecordTable, column: Column, cells: Sequence[Cell | None]
) -> WrapperColumn | None:
    """Return how to find the values of a column; None where no selector gives them again."""
    starts = _starts_of(table)
    pairs = list(zip(starts, cells, strict=True))
    sample = pairs if len(pairs) <= _SAMPLE else pairs[: _SAMPLE // 2] + pairs[-_SAMPLE // 2 :]
    rule = WrapperColumn(str(column), column.kind, column.xpath or ".", column.css, column.source)
    best, best_share = None, 0.0
    choices = [Choice(column.xpath, column.css, 0.0)] if column.xpath else []
    for choice in (*choices, *_relative_choices(table.page, sample, column.kind)):
        tried = replace(rule, xpath=choice.xpath, css=choice.css)
        tried, share = _judged(table.page, sample, tried)
        if share - COST * choice.cost > best_share:
            best, best_share = tried, share - COST * choice.cost
        if best_share >= _ENOUGH:
            break
    return best if best_share >= _SAME else None


_ENOUGH = 0.99
_SEPARATORS = (None, " | ", " ")


def _judged(
    page: Page, pairs: Sequence[tuple[int, Cell | None]], rule: WrapperColumn
) -> tuple[WrapperColumn, float]:
    """Return a column, with separator and prefix as they fit best, and its share of right cells."""
    base = addresses.base_of(page)
    wanted = [cell.value if cell else None for _, cell in pairs]
    given = [[cell.value for cell in read_cells(page, row, rule, base)] for row, _ in pairs]
    best, best_share = rule, -1.0
    several = rule.kind not in (LINK, IMAGE) and any(len(values) > 1 for values in given)
    for separator in _SEPARATORS if several else (None,):
        joined = [_join(values, separator) for values in given]
        prefix = _common_prefix(joined, wanted)
        if prefix:
            joined = [_join([v.removeprefix(prefix).strip() for v in one], separator)
                      for one in given]  # fmt: skip
        share = sum(a == b for a, b in zip(joined, wanted, strict=True)) / len(wanted)
        if share > best_share:
            best, best_share = replace(rule, separator=separator, prefix=prefix), share
    return best, best_share


def _join(values: list[str], separator: str | None) -> str | None:
    """Return the values of a record as one, as `read_cell` does."""
    values = list(filter(None, values))
    if not values:
        return None
    return values[0] if separator is None else separator.join(values)


def _common_prefix(values: Sequence[str | None], wanted: Sequence[str | None]) -> str:
    """Return what most values have before the wanted ones: a label."""
    rests = Counter(
        value[: -len(want)].strip()
        for value, want in zip(values, wanted, strict=True)
        if value and want and value != want and value.endswith(want)
    )
    prefix, count = rests.most_common(1)[0] if rests else ("", 0)
    return prefix if 2 * count > sum(value is not None for value in values) else ""


def _relative_choices(
    page: Page, pairs: Sequence[tuple[int, Cell | None]], kind: str
) -> Iterator[Choice]:
    """Yield ways from the first element of a record to that of a value."""
    targets = [(start, cell.row) for start, cell in pairs if cell is not None]
    if not targets:
        return
    suffixes = {LINK: ("/@href",), IMAGE: ("/@src", "/@data-src", "/@data-original")}.get(
        kind, ("",)
    )
    if page.is_text[[row for _, row in targets]].all():
        numbers = Counter(_text_number(page, row) for _, row in targets)
        suffixes = (f"/text()[normalize-space()][{numbers.most_common(1)[0][0]}]", "")
    elements = [
        (start, int(page.parent[row]) if page.is_text[row] else row) for start, row in targets
    ]
    for choice in islice(ways_to(page, elements), _MAX_WAYS):
        for suffix in suffixes:
            yield replace(choice, xpath=choice.xpath + suffix, css=None)


_MAX_WAYS = 40


def _text_number(page: Page, row: int) -> int:
    """Return the place of a text among the texts of its element, from 1."""
    return own_texts(page, int(page.parent[row])).index(int(page.text_index[row])) + 1


# From examples ---------------------------------------------------------------------------------


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
        return [span for span in spans if span[2]] or spans


_MAX_PLACES = 500


def _holder(
    page: Page, tables: Iterable[RecordTable], spans: dict[str, list[Span]]
) -> tuple[RecordTable, int]:
    """Return the list that shows most examples, and the record that shows most of them."""
    best: tuple[tuple[int, int, int], RecordTable, int] | None = None
    for rank, table in enumerate(tables):
        if _begins_with_text(table):
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
    if best is None:
        if (alike := _table_of_alike(page, next(iter(spans.values())))) is None:
            raise UsageError("the examples are in no list: nothing on the page is similar to them")
        return alike, 0
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
    inside = [(one, number) for one in spans if (number := _record_of(table, one)) is not None]
    inside.sort(key=lambda pair: (pair[1] != record, pair[1]))
    starts = _starts_of(table)
    # The page's own columns are all of them: also constants, and what is too rare for a table.
    for columns in (table, table.with_names("raw")):
        for span, number in inside:
            column = _cell_column(columns, span, number)
            if column is not None:
                return column
    for span, number in inside:
        element = _element_of(page, span)
        target = [(starts[number], Cell(value, None, element, page))]
        best = _widest(page, starts, _relative_choices(page, target, "text"), element)
        if best is not None:
            return best
    return None


def _cell_column(table: RecordTable, span: Span, number: int) -> WrapperColumn | None:
    """Return the column whose cell of a record shows just some texts."""
    page, index = table.page, table.page.text_index
    for column, cells in zip(table.columns, table.fields.cells, strict=True):
        cell = cells[number]
        joined = column.kind == "list" and column.xpath is None
        if cell is None or column.kind in (LINK, IMAGE) or column.source == LEFT_OVER or joined:
            continue
        shown = int(index[cell.row]), int(index[page.end[cell.row]])
        if shown == (span[0], span[1]):
            return _column_rule(table, column, cells)
    return None


def _widest(
    page: Page, starts: Sequence[int], choices: Iterable[Choice], wanted: int
) -> WrapperColumn | None:
    """Return the way that finds a value in most records and the example in its own."""
    base = addresses.base_of(page)
    best, best_share = None, 0.0
    sample = starts[:_SAMPLE]
    target = int(page.parent[wanted]) if page.is_text[wanted] else wanted
    for choice in choices:
        tried = WrapperColumn("value", "text", choice.xpath)
        cells = [read_cell(page, row, tried, base) for row in sample]
        if target not in {cell.row for cell in cells if cell} and len(starts) <= _SAMPLE:
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
        raise UsageError("no list of records found; give examples of its values")
    return learn_from_tables(tables)


def _named_examples(examples: Any) -> list[tuple[str, str]]:
    """Return names, '' for none, and values."""
    pairs = list(examples.items()) if hasattr(examples, "items") else [("", e) for e in examples]
    for name, value in pairs:
        if not isinstance(name, str) or not isinstance(value, str) or not value.strip():
            raise UsageError("examples are texts that the page shows")
    return pairs
