"""Wrappers: selectors that find the list of a page on other pages of the site.

A wrapper is learned once (`joeira.records.wrapper_learning`) and kept as a small JSON file that
people can read and edit: an XPath of the records, one of each column within a record, the names
and kinds of the columns, and how many records and values there were. It makes no new decisions, so
it is fast, gives the same columns on every page, and detects when a page no longer fits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from joeira.arrays.trees import lowest_common_ancestor
from joeira.errors import InputError, OutputError, UsageError
from joeira.page import Page, addresses, parse
from joeira.records.fields.kinds import kind_of
from joeira.records.result import Cell, Column, Fields, Records, RecordTable

FORMAT = "joeira-records-wrapper"
VERSION = 1
METHOD = "wrapper"
LINK, IMAGE = "link", "image"
KINDS = ("text", "number", "price", "date", "rating", "boolean", "list", LINK, IMAGE)
_MAX_FILE_CHARS = 2_000_000
_MAX_XPATH_CHARS = 4_000

_VALUE = re.compile(r"/@([\w-]+)$|/text\(\)\[normalize-space\(\)\](?:\[(\d+)\])?$")
_ALTERNATIVE = " | "
_SIBLING = re.compile(r"\./following-sibling::\*\[(\d+)\](?=/|$)")


# What a selector of a column takes from a record ----------------------------------------------


@dataclass(frozen=True)
class WrapperColumn:
    """One column of a wrapper: its selectors within a record, name and kind."""

    name: str
    kind: str
    """Kind of its values, as in `Column.kind`."""
    xpath: str
    """XPaths of the values, relative to a record; the first that finds something is used."""
    css: str | None = None
    """The same as CSS (parsel's), if CSS can express it."""
    source: str = ""
    """Where the name comes from."""
    separator: str | None = None
    """Joins the values if a record may have several; None: only the first is used."""
    prefix: str = ""
    """A label before the value that is not part of it."""
    filled: float = 1.0
    """Share of the training records that had a value."""

    @cached_property
    def parts(self) -> tuple[tuple[str, str, int], ...]:
        """Per alternative: XPath of an element, the attribute to take, the number of the text.

        '' and 0 stand for the text of the whole element, -1 for its only text.
        """
        alternatives = []
        for xpath in self.xpath.split(_ALTERNATIVE):
            value = _VALUE.search(xpath)
            if value is None:
                alternatives.append((xpath, "", 0))
            else:
                number = 0 if value[1] else int(value[2] or -1)
                alternatives.append((xpath[: value.start()] or ".", value[1] or "", number))
        return tuple(alternatives)

    def to_dict(self) -> dict[str, Any]:
        """Return the column as plain data, without what is usual."""
        data: dict[str, Any] = {"name": self.name, "kind": self.kind, "xpath": self.xpath}
        usual = {"css": None, "source": "", "separator": None, "prefix": ""}
        data |= {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}
        return data | {"filled": round(self.filled, 3)}


def read_column(data: Any) -> WrapperColumn:
    """Return a column from plain data, or raise `ValueError` with what is wrong."""
    if not isinstance(data, Mapping):
        raise ValueError("a column is an object")
    texts = {name: data.get(name) for name in ("name", "kind", "xpath")}
    for name, value in texts.items():
        if not isinstance(value, str) or not value:
            raise ValueError(f"a column needs a {name}")
    if texts["kind"] not in KINDS:
        raise ValueError(f"{texts['kind']!r} is not a kind of column: {', '.join(KINDS)}")
    _check_xpath(str(texts["xpath"]))
    css, separator = data.get("css"), data.get("separator")
    source, prefix = data.get("source", ""), data.get("prefix", "")
    if not all(isinstance(value, str) for value in (css or "", separator or "", source, prefix)):
        raise ValueError(f"column {texts['name']!r}: css, source, separator and prefix are texts")
    filled = data.get("filled", 1.0)
    if isinstance(filled, bool) or not isinstance(filled, int | float) or not 0 <= filled <= 1:
        raise ValueError(f"column {texts['name']!r}: filled is a share from 0 to 1")
    names = str(texts["name"]), str(texts["kind"]), str(texts["xpath"])
    return WrapperColumn(*names, css, source, separator, prefix, float(filled))


_EMPTY = "<html></html>"


def _check_xpath(xpath: str) -> None:
    """Raise `ValueError` where an XPath cannot be read."""
    if len(xpath) > _MAX_XPATH_CHARS:
        raise ValueError(f"an XPath of more than {_MAX_XPATH_CHARS} characters")
    try:
        parse(_EMPTY).attributes.find(xpath)
    except ValueError as error:
        raise ValueError(f"the XPath {xpath!r} cannot be read: {error}") from error


# The wrapper ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class WrapperCheck:
    """How well a page fits a wrapper."""

    records: int
    """Number of records found."""
    filled: Mapping[str, float]
    """Per column: share of the records that have a value."""
    problems: tuple[str, ...]
    """What does not fit, one sentence each; empty if the wrapper still fits."""

    @property
    def changed(self) -> bool:
        """Whether the page seems to differ from those the wrapper was learned from."""
        return bool(self.problems)

    def __str__(self) -> str:
        """Return the finding as a sentence."""
        if not self.problems:
            return f"the wrapper still fits ({self.records} records)"
        return f"the page has changed: {'; '.join(self.problems)}"


@dataclass(frozen=True, eq=False)
class WrappedTable(RecordTable):
    """A table whose columns somebody else has read: a wrapper, or several pages together."""

    given: Fields = field(kw_only=True, repr=False)

    @cached_property
    def fields(self) -> Fields:
        """Columns with their cells."""
        return self.given


@dataclass(frozen=True)
class Wrapper:
    """Selectors of the records of a list and of their columns, learned from pages of one site."""

    xpaths: tuple[str, ...]
    """XPaths of the records on a page; the first one that finds any is used."""
    columns: tuple[WrapperColumn, ...]
    css: str | None = None
    """The first XPath as CSS, if CSS can express it."""
    siblings: int = 1
    """Maximum number of sibling elements in a record: the one found and those after it, up to the
    next one found."""
    counts: tuple[int, int] = (1, 1)
    """Smallest and largest number of records on the training pages."""
    pages: int = 1
    """Number of pages that the wrapper was learned from."""

    def __post_init__(self) -> None:
        """Check the wrapper."""
        if not self.xpaths:
            raise UsageError("a wrapper needs an XPath for its records")
        if len({column.name for column in self.columns}) < len(self.columns):
            raise UsageError("the columns of a wrapper have different names")

    # Use ------------------------------------------------------------------------------------------

    def extract(self, page: Page | str | bytes, /, *, url: str | None = None) -> Records:
        """Return the records of a page: one table, or none if the selectors find nothing.

        Args:
            page: A parsed page, or HTML as text or bytes.
            url: Address of the page, if `page` is HTML.
        """
        if not isinstance(page, Page):
            page = parse(page, url)
        elif url is not None:
            raise UsageError("a parsed page already has its url; pass it to parse()")
        starts = self.find(page)
        if not starts:
            return Records(page, (), METHOD, note="the wrapper finds no records on this page")
        stops = _stops(page, starts, self.siblings)
        slices = np.stack((np.array(starts), np.array(stops)), axis=1)
        holder = lowest_common_ancestor(starts[0], starts[-1], page.parent, page.end)
        reason = (
            f"{len(starts)} records found by the wrapper's selector {self.css or self.xpaths[0]}"
        )
        table = WrappedTable(
            page,
            page.region(holder),
            slices,
            np.arange(len(starts)),
            1.0,
            reason,
            given=self._fields(page, starts),
        )
        return Records(page, (table,), METHOD)

    def find(self, page: Page) -> list[int]:
        """Return the row at which each record of a page starts."""
        for xpath in self.xpaths:
            if rows := page.attributes.find(xpath):
                return outermost(page, rows)
        return []

    def _fields(self, page: Page, starts: Sequence[int]) -> Fields:
        base = addresses.base_of(page)
        cells = tuple([read_cell(page, row, c, base) for row in starts] for c in self.columns)
        columns = tuple(Column(c.name, c.kind, c.source, c.css, c.xpath) for c in self.columns)
        return Fields(columns, cells, self.css, self.xpaths[0])

    def check(self, page: Page | str | bytes, /, *, url: str | None = None) -> WrapperCheck:
        """Check whether a page still fits: records, values and kinds as on the training pages."""
        records = self.extract(page, url=url)
        if not records:
            return WrapperCheck(0, {}, ("the selectors find no records",))
        (table,) = records.tables
        problems = []
        if len(table) < self.counts[0] * _LEAST_COUNT:
            problems.append(f"{len(table)} records, but there were at least {self.counts[0]}")
        filled = {}
        for column, cells in zip(self.columns, table.fields.cells, strict=True):
            values = [cell.text for cell in cells if cell is not None]
            filled[column.name] = len(values) / len(table)
            problems += _problems(column, values, filled[column.name])
        return WrapperCheck(len(table), filled, tuple(problems))

    def to_python(self, target: str = "parsel", name: str = "RecordList") -> str:
        """Return a Python module that gives the same rows without Joeira.

        Args:
            target: The library that it uses: ``parsel``, ``scrapy`` or ``web-poet``.
            name: Name of its class.
        """
        from joeira.records.wrapper_export import to_python

        return to_python(self, target, name)

    # Storage --------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the wrapper as plain data, for `from_dict`."""
        records: dict[str, Any] = {"xpath": list(self.xpaths), "css": self.css}
        records |= {"siblings": self.siblings, "least": self.counts[0], "most": self.counts[1]}
        columns = [column.to_dict() for column in self.columns]
        head = {"format": FORMAT, "version": VERSION, "pages": self.pages}
        return {**head, "records": records, "columns": columns}

    def to_json(self) -> str:
        """Return the wrapper as readable, editable JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the wrapper as JSON: selectors and counts, nothing executable."""
        try:
            Path(path).write_text(self.to_json(), "utf-8", errors="replace")
        except OSError as error:
            raise OutputError(f"{path}: {error.strerror or error}") from error

    @classmethod
    def from_dict(cls, data: Any, name: str = "the wrapper") -> Wrapper:
        """Return a wrapper from plain data; an `InputError` starts with `name`."""
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise InputError(f"{name} is not a wrapper file from `joeira records learn`")
        if data.get("version") != VERSION:
            version = data.get("version")
            raise InputError(f"{name}: format version {version!r}, but {VERSION} is required")
        try:
            records, columns = data.get("records"), data.get("columns")
            if not isinstance(records, Mapping) or not isinstance(columns, list):
                raise ValueError("it needs records and columns")
            xpaths, css = records.get("xpath"), records.get("css")
            if not isinstance(xpaths, list) or not all(isinstance(x, str) and x for x in xpaths):
                raise ValueError("records need a list of XPaths")
            if css is not None and not isinstance(css, str):
                raise ValueError("the CSS of records is a text")
            for xpath in xpaths:
                _check_xpath(xpath)
            numbers = (records.get(key, 1) for key in ("siblings", "least", "most"))
            siblings, least, most = map(_count, numbers)
            read = tuple(map(read_column, columns))
            pages = _count(data.get("pages", 1))
            return cls(tuple(xpaths), read, css, siblings, (least, most), pages)
        except (ValueError, UsageError) as error:
            raise InputError(f"{name}: a damaged wrapper ({error})") from error

    @classmethod
    def load(cls, path: str | Path) -> Wrapper:
        """Load a wrapper that `save` wrote, or raise `InputError`."""
        try:
            text = Path(path).read_text("utf-8")
            data = json.loads(text) if len(text) <= _MAX_FILE_CHARS else None
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} is not a wrapper, or a damaged one: {error}") from error
        return cls.from_dict(data, str(path))


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("counts are whole numbers from 1 on")
    return value


# Records of a page ----------------------------------------------------------------------------


def outermost(page: Page, rows: Sequence[int]) -> list[int]:
    """Return rows in page order without those that are inside another one."""
    kept: list[int] = []
    stop = -1
    for row in sorted(set(rows)):
        if row >= stop:
            kept.append(row)
            stop = int(page.end[row])
    return kept


def _stops(page: Page, starts: Sequence[int], siblings: int) -> list[int]:
    """Return where the run of siblings that begins with each record ends."""
    following = set(starts)
    stops = []
    for row in starts:
        stop, parent = int(page.end[row]), int(page.parent[row])
        for _ in range(siblings - 1):
            after = _next_element(page, stop, parent)
            if after is None or after in following:
                break
            stop = int(page.end[after])
        stops.append(stop)
    return stops


def _next_element(page: Page, row: int, parent: int) -> int | None:
    """Return the first element from a row on that has this parent."""
    while row < len(page) and page.parent[row] == parent:
        if not page.is_text[row]:
            return row
        row += 1
    return None


# Values of a record ---------------------------------------------------------------------------


def read_cell(page: Page, record: int, column: WrapperColumn, base: str | None) -> Cell | None:
    """Return the value of a column in the record that begins with a row."""
    cells = read_cells(page, record, column, base)
    if column.separator is None or column.kind in (LINK, IMAGE):
        return next(cells, None)
    items = list(cells)
    text = column.separator.join(cell.text for cell in items)
    return Cell(text, None, items[0].row, page) if items else None


def read_cells(page: Page, record: int, column: WrapperColumn, base: str | None) -> Iterator[Cell]:
    """Yield the values that the selector of a column finds, in page order."""
    places: list[tuple[int, str, int]] = []
    for xpath, attribute, number in column.parts:
        places += ((row, attribute, number) for row in page.attributes.find(xpath, record))
    for row, attribute, number in sorted(places, key=lambda place: place[0]):
        if attribute:
            address = page.attributes.get(row, attribute) or ""
            schemes = addresses.IMAGE_SCHEMES if column.kind == IMAGE else addresses.LINK_SCHEMES
            url = None if address.startswith("#") else addresses.clean(address, base, schemes)
            if url:
                yield Cell("" if column.kind == IMAGE else text_at(page, row), url, row, page)
            continue
        text = text_at(page, row, number).removeprefix(column.prefix).strip()
        if text:
            yield Cell(text, None, row, page)


def text_at(page: Page, row: int, number: int = 0) -> str:
    """Return the text of an element, or one of the texts right below it, as a line."""
    if not number:
        return page.joined(int(page.text_index[row]), int(page.text_index[page.end[row]]))
    texts = own_texts(page, row)
    place = abs(number) - 1
    return " ".join(page.texts[texts[place]].split()) if place < len(texts) else ""


def own_texts(page: Page, row: int) -> list[int]:
    """Return the numbers of the texts right below an element."""
    rows = np.arange(row + 1, page.end[row])
    below = rows[(page.parent[rows] == row) & page.is_text[rows]]
    numbers: list[int] = page.text_index[below].tolist()
    return numbers


def sibling_of(xpath: str) -> int:
    """Return how many sibling elements after the start of a record an XPath looks at most."""
    return max((int(number) for number in _SIBLING.findall(xpath)), default=0)


# Checks ---------------------------------------------------------------------------------------

_LEAST_COUNT = 0.34
"""A page may have so much fewer records than any before: the last one of several often has."""
_LEAST_FILLED = 0.5
"""A column may have so much fewer values than when it was learned."""
_USUAL = 0.5
"""Columns with fewer values than this may well have none on a page."""
_TOLD_KINDS = frozenset(("number", "price", "date"))
_ENOUGH_VALUES = 4
"""Fewer values say nothing about their kind."""


def _problems(column: WrapperColumn, values: list[str], filled: float) -> Iterator[str]:
    if column.filled >= _USUAL and filled < column.filled * _LEAST_FILLED:
        yield f"{column.name}: {filled:.0%} of the records have a value, not {column.filled:.0%}"
    is_telling = column.kind in _TOLD_KINDS and len(values) >= _ENOUGH_VALUES
    if is_telling and kind_of(values) != column.kind:
        yield f"{column.name}: the values are no longer of kind {column.kind}"
