"""Result types for data records: tables of records, columns and cells.

Columns and cells are computed on demand (`joeira.records.fields`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from joeira.errors import UsageError
from joeira.page import Page, Region

if TYPE_CHECKING:
    from joeira.records.merging import DetailLinks
    from joeira.records.wrapper import Wrapper

Row = Sequence[str | None]
Value = str | int | float | bool | date | list[str] | None
"""A value as programs want it."""
NAMINGS = ("common", "raw")
"""How columns can be named."""

LIST_SEPARATOR = " | "
"""Between the values of a list within a record."""
_NOT_IN_XML = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]")
_EXCEL_CHARS = 32_767
_FORMULA = re.compile(r"[=+\-@\t\r]")
_PLAIN_NUMBER = re.compile(r"[-+]?[\d.,]+\s?%?")
_MARKUP = str.maketrans({"\\": "\\\\", "|": "\\|", "<": "&lt;", "\n": " ", "\r": " "})


def to_dicts(columns: Sequence[str], rows: Iterable[Row]) -> list[dict[str, str | None]]:
    """Return one dictionary per record."""
    names = [str(column) for column in columns]
    return [dict(zip(names, row, strict=True)) for row in rows]


def to_csv(
    columns: Sequence[str], rows: Iterable[Row], *, safe: bool = False, header: bool = True
) -> str:
    """Return CSV; missing values are empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    lines: Iterable[Row] = [columns, *rows] if header else rows
    if safe:
        lines = ([_harmless(value) for value in line] for line in lines)
    writer.writerows(lines)
    return buffer.getvalue()


def to_markdown(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a Markdown table; '' without columns."""
    if not columns:
        return ""
    lines: list[Row] = [columns, ["---"] * len(columns), *rows]
    return "".join(
        f"| {' | '.join((value or '').translate(_MARKUP) for value in line)} |\n" for line in lines
    )


def needed(module: str, caller: str, extra: str) -> Any:
    """Import an optional module, or raise `UsageError` that says how to install it."""
    try:
        return import_module(module)
    except ImportError:
        message = f"{caller} needs {module}: pip install 'joeira[{extra}]'"
        raise UsageError(message) from None


def to_excel(tables: Sequence[Mapping[str, Sequence[Value]]]) -> bytes:
    """Return a workbook with a sheet for each table, given by columns; texts stay texts."""
    openpyxl = needed("openpyxl", "to_excel", "excel")
    book = openpyxl.Workbook(write_only=True)
    for number, columns in enumerate(tables, 1):
        sheet = book.create_sheet(f"records {number}" if len(tables) > 1 else "records")
        for line in [list(columns), *zip(*columns.values(), strict=True)]:
            sheet.append([_excel_cell(openpyxl, sheet, value) for value in line])
    if not tables:
        book.create_sheet("records")
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _excel_cell(openpyxl: Any, sheet: Any, value: Value) -> Any:
    """Return a value for a sheet; a text is marked as one, so that none runs as a formula."""
    if isinstance(value, list):
        value = LIST_SEPARATOR.join(value)
    if not isinstance(value, str):
        return value
    text = _NOT_IN_XML.sub("", value)[:_EXCEL_CHARS]
    cell = openpyxl.cell.WriteOnlyCell(sheet, text)
    cell.data_type = "s"
    return cell


def _harmless(value: str | None) -> str | None:
    """Return a value that no spreadsheet runs as a formula."""
    if value and _FORMULA.match(value) and not _PLAIN_NUMBER.fullmatch(value):
        return f"'{value}"
    return value


class Column(str):
    """A column name (a string) with the kind, source and selectors of its values."""

    __slots__ = ("css", "kind", "label", "source", "xpath")

    kind: str
    """``text``, ``number``, ``price``, ``date``, ``rating``, ``boolean``, ``list``, ``link`` or
    ``image``."""
    css: str | None
    """CSS selector (parsel's) of the values within a record; None if CSS cannot express it."""
    xpath: str | None
    """XPath of the values, relative to a record; None if there is no simple one."""
    source: str
    """Where the name comes from, such as ``class`` or ``label``, and what the page says there."""
    label: str
    """Label before each value that is not part of it, such as ``Price`` or ``by``."""

    def __new__(
        cls,
        name: str,
        kind: str = "text",
        source: str = "",
        css: str | None = None,
        xpath: str | None = None,
        *,
        label: str = "",
    ) -> Column:
        """Make a column."""
        column = super().__new__(cls, name)
        column.kind, column.source, column.css, column.xpath = kind, source, css, xpath
        column.label = label
        return column

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, str]]:
        """Return all attributes, for copying and pickling."""
        return (str(self), self.kind, self.source, self.css, self.xpath), {"label": self.label}

    def to_dict(self) -> dict[str, str | None]:
        """Return the column as plain data."""
        return {
            "name": str(self), "kind": self.kind, "source": self.source,
            "label": self.label, "css": self.css, "xpath": self.xpath,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of one record."""

    text: str
    """The text on the page, with white space collapsed; '' for an image."""
    url: str | None
    """Address of the link or image; absolute if the address of the page is known."""
    row: int
    """Row of the page: the element of the text, link or image, or the text itself."""
    page: Page = field(repr=False, compare=False)

    @property
    def value(self) -> str:
        """The address of a link or image, otherwise the text."""
        return self.text if self.url is None else self.url

    @property
    def xpath(self) -> str:
        """XPath of the node at `row`."""
        return self.page.xpath(self.row)


@dataclass(frozen=True, eq=False)
class Fields:
    """Columns, and the cells of each column: one per record, None if a record has no value."""

    columns: tuple[Column, ...]
    cells: tuple[Sequence[Cell | None], ...]
    record_css: str | None = None
    record_xpath: str | None = None
    constants: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Record:
    """One record: a subtree, a run of siblings, or several of them that belong together."""

    regions: tuple[Region, ...]

    @property
    def text(self) -> str:
        """The text of the record, with white space collapsed."""
        return " ".join(part for part in (region.text for region in self.regions) if part)


@dataclass(frozen=True, eq=False)
class RecordTable:
    """A list of records on a page, as a table."""

    page: Page = field(repr=False)
    region: Region
    """The subtree that contains all records."""
    slices: NDArray[np.integer[Any]] = field(repr=False)
    """Rows ``start, stop`` of each part of a record, in page order within a record."""
    record_of: NDArray[np.integer[Any]] = field(repr=False)
    """Number of the record that each part belongs to, from 0, ascending."""
    score: float
    """Confidence of the method, on its own scale: higher is better."""
    why: str | Callable[[], str] = field(repr=False)
    """The `reason`, or a function that computes it."""
    presence: float | None = None
    """Probability that the page has a main list and this is it; None if not computed."""
    names: str = "common"
    """Whether columns have common names, or ``raw`` ones from the markup."""

    def __post_init__(self) -> None:
        """Freeze the columns."""
        if self.slices.shape != (len(self.record_of), 2):
            message = "slices must have a start and a stop for each entry of record_of"
            raise UsageError(message)
        for column in (self.slices, self.record_of):
            column.flags.writeable = False

    def __len__(self) -> int:
        """Return the number of records."""
        return int(self.record_of[-1]) + 1 if len(self.record_of) else 0

    @property
    def records(self) -> tuple[Record, ...]:
        """The records in page order."""
        bounds = np.searchsorted(self.record_of, np.arange(len(self) + 1)).tolist()
        parts = [Region(self.page, start, stop) for start, stop in self.slices.tolist()]
        return tuple(Record(tuple(parts[first:last])) for first, last in pairwise(bounds))

    @cached_property
    def reason(self) -> str:
        """Why these are records, as a sentence."""
        return self.why if isinstance(self.why, str) else self.why()

    # The table: derived from the rows when first asked for --------------------------------------

    @cached_property
    def fields(self) -> Fields:
        """Columns with their cells."""
        from joeira.records.fields import read_fields

        return read_fields(self.page, self.slices, self.record_of, self.names)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns: strings (their names) with the kind and selectors of their values."""
        return self.fields.columns

    @property
    def cells(self) -> list[list[Cell | None]]:
        """The cells of each record; None if a record has no value."""
        return [list(cells) for cells in zip(*self.fields.cells, strict=True)] or [
            [] for _ in range(len(self))
        ]

    @property
    def record_css(self) -> str | None:
        """CSS selector of the records on the page; None if none selects exactly them."""
        return self.fields.record_css

    @property
    def record_xpath(self) -> str | None:
        """XPath of the records on the page; None if no simple one selects exactly them."""
        return self.fields.record_xpath

    @property
    def constants(self) -> Mapping[str, str]:
        """Values that all records share, such as button texts, and that form no column."""
        return self.fields.constants

    def with_names(self, names: str) -> RecordTable:
        """Return the table with ``common`` column names, or with all columns under ``raw`` names.

        Raw names come from the labels and classes of the page.
        """
        if names not in NAMINGS:
            message = f"no names {names!r}; known: {', '.join(NAMINGS)}"
            raise UsageError(message)
        return replace(self, names=names)

    def rows(self) -> list[list[str | None]]:
        """Return the values of each record: texts and addresses of links and images."""
        return [[cell.value if cell else None for cell in cells] for cells in self.cells]

    def data(self) -> dict[str, list[Value]]:
        """Return the typed values of each column: numbers, dates, booleans, lists or strings.

        A value that cannot be parsed as the kind of its column is None; `rows` has its text. A
        column ``currency`` with the currency codes follows the prices.
        """
        from joeira.metadata.statements import writes_month_first
        from joeira.records.fields.kinds import currency_of, typed

        month_first = any(column.kind == "date" for column in self.columns) and bool(
            writes_month_first(self.page)
        )
        data: dict[str, list[Value]] = {}
        money: list[Sequence[Cell | None]] = []
        for column, cells in zip(self.columns, self.fields.cells, strict=True):
            data[str(column)] = [
                typed(cell.value, column.kind, month_first=month_first) if cell else None
                for cell in cells
            ]
            if column.kind == "price":
                money.append(cells)
        if money and "currency" not in data:
            shown = [next(filter(None, own), None) for own in zip(*money, strict=True)]
            codes: list[Value] = [
                currency_of(cell.text, self.page.url) if cell else None for cell in shown
            ]
            last = max(n for n, column in enumerate(self.columns) if column.kind == "price")
            items = list(data.items())
            data = dict([*items[: last + 1], ("currency", codes), *items[last + 1 :]])
        return data

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` of typed values."""
        return needed("pandas", "to_pandas", "pandas").DataFrame(self.data())

    def to_polars(self) -> Any:
        """Return a ``polars.DataFrame`` of typed values."""
        polars = needed("polars", "to_polars", "polars")
        return polars.DataFrame(self.data(), strict=False)

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table`` of typed values."""
        return needed("pyarrow", "to_arrow", "parquet").table(self.data())

    def to_excel(self) -> bytes:
        """Return a workbook of one sheet with typed values."""
        return to_excel([self.data()])

    def to_dicts(self) -> list[dict[str, str | None]]:
        """Return each record as a dictionary from column names to values."""
        return to_dicts(self.columns, self.rows())

    def to_csv(self, *, safe: bool = False) -> str:
        """Return the table as CSV with a header.

        Spreadsheets run a value that starts with ``=``, ``+``, ``-`` or ``@`` as a formula; with
        `safe`, an apostrophe before it makes it plain text. Numbers stay unchanged.
        """
        return to_csv(self.columns, self.rows(), safe=safe)

    def to_markdown(self) -> str:
        """Return the table as Markdown (GFM)."""
        return to_markdown(self.columns, self.rows())

    # Beyond the page ------------------------------------------------------------------------------

    def wrapper(self) -> Wrapper:
        """Return a wrapper that reads the same list on other pages of the site."""
        from joeira.records.wrapper_learning import learn_from_tables

        return learn_from_tables([self])

    def links(self) -> DetailLinks:
        """Return the links of the records to their own pages."""
        from joeira.records.merging import detail_links

        return detail_links(self)

    def __add__(self, other: RecordTable) -> RecordTable:
        """Return the records of both tables as one table without duplicates."""
        if not isinstance(other, RecordTable):
            return NotImplemented
        from joeira.records.merging import merge_tables

        return merge_tables([self, other])

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data: its attributes, columns and records."""
        return {
            "xpath": self.region.xpath,
            "record_css": self.record_css,
            "record_xpath": self.record_xpath,
            "score": float(self.score),
            "presence": self.presence,
            "reason": self.reason,
            "columns": [column.to_dict() for column in self.columns],
            "constants": [{"name": name, "text": text} for name, text in self.constants.items()],
            "records": self.to_dicts(),
        }


@dataclass(frozen=True, eq=False)
class Records(Sequence[RecordTable]):
    """The record tables of a page, best first; falsy if there are none."""

    page: Page = field(repr=False)
    tables: tuple[RecordTable, ...]
    method: str
    note: str = ""
    """Remark of the method about the page as a whole."""
    rest: Callable[[], tuple[RecordTable, ...]] | None = field(default=None, repr=False)
    """Function that computes the `candidates`."""

    @cached_property
    def candidates(self) -> tuple[RecordTable, ...]:
        """Lists that the method rejected, best first, each with its presence."""
        return self.rest() if self.rest is not None else ()

    @overload
    def __getitem__(self, index: int) -> RecordTable: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[RecordTable, ...]: ...

    def __getitem__(self, index: int | slice) -> RecordTable | tuple[RecordTable, ...]:
        """Return one table, or a slice of them."""
        return self.tables[index]

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self.tables)

    def __iter__(self) -> Iterator[RecordTable]:
        """Yield the tables, best first."""
        return iter(self.tables)

    @property
    def reason(self) -> str:
        """Reason for the result as a whole, such as why it is empty."""
        notes = [*self.page.notes, *([self.note] if self.note else [])]
        if not self and not notes:
            notes = ["the page has no text" if not self.page.texts else "no list of records found"]
        return "; ".join(notes)
