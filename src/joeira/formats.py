"""The output formats: one table that the command line, the service, the viewer and the docs read.

A new format is one entry of `FORMATS`, with a writer for each task that has it. From the entry come
``--to`` with its choices, the suffix of files, ``format`` and the media type of the service, and
the list in ``docs/command-line.md``, which a test compares with this table.

Other packages add formats through the entry point group ``joeira.formats``: the object of an entry
point is a `Format`.

A writer returns text or bytes, which are written as they are, or plain data: a dictionary becomes
one JSON object, a list one JSON object per line. The caller decides on the layout of JSON.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from joeira.errors import UsageError

if TYPE_CHECKING:
    from joeira.content.result import Content
    from joeira.metadata import Candidate, Metadata
    from joeira.page import Region
    from joeira.records.result import RecordTable, Value
    from joeira.segments.result import Segments

_SOURCE, _TABLE = "source", "table"
"""Columns that say from which page, and which list of it, a record is."""

RecordRow = dict[str, str | None]
Output = str | bytes | dict[str, Any] | list[RecordRow]


@dataclass(frozen=True)
class Choices:
    """What can be chosen about the writing; a writer ignores what does not concern it."""

    links: bool = True
    images: bool = True
    formatting: bool = True
    """Bold, italic and the like."""
    title: bool | None = None
    """Whether the title that the page shows stands first; None: in Markdown only."""
    posts: bool | None = None
    """Whether author and date stand above each post; None: in Markdown, on forum pages."""
    scripts: str = "html"
    """How Markdown writes sub and sup."""
    schema: str | None = None
    """Names of JSON fields that another program knows."""
    candidates: bool = False
    """With every value that was considered for a field of the metadata."""
    safe: bool = False
    """Keep spreadsheets from running values as formulas."""
    source: str = ""
    """Name of the page, where it has to be told from others."""

    @property
    def shown(self) -> dict[str, bool]:
        """What markup shows beside the words."""
        return {"links": self.links, "images": self.images, "formatting": self.formatting}


@dataclass(frozen=True)
class PageTables:
    """The lists of records of one page, as the writers of records take them."""

    tables: Sequence[RecordTable]
    source: str | None = None
    """Name of the page, where it has to be told from others."""
    is_numbered: bool = False
    """Whether each record says in which list of the page it is."""

    def origin(self, number: int) -> RecordRow:
        """Return where the records of a list come from, as far as that has to be told."""
        origin: RecordRow = {} if self.source is None else {_SOURCE: self.source}
        return origin | {_TABLE: str(number)} if self.is_numbered else origin

    def rows(self) -> list[RecordRow]:
        """Return the records of all lists, each with where it comes from."""
        rows: list[RecordRow] = []
        for number, table in enumerate(self.tables, 1):
            origin = self.origin(number)
            # A column of the page with such a name gives way.
            names = [f"{name}_" if name in origin else str(name) for name in table.columns]
            rows.extend(origin | dict(zip(names, row, strict=True)) for row in table.rows())
        return rows


Writer = Callable[[Any, Choices], Output]
"""Takes the result of a task, and what was chosen: `Content` for ``content`` and ``explanation``,
`Segments`, `Metadata`, and for ``records`` a list of `PageTables`."""


@dataclass(frozen=True)
class Format:
    """One row of the table."""

    name: str
    media_type: str
    suffix: str
    about: str
    """What it is for."""
    writers: Mapping[str, Writer]
    """By task: ``content``, ``records``, ``segments``, ``metadata`` or ``explanation``."""
    drawn_for: frozenset[str] = field(default=frozenset())
    """Tasks for which only the command line has it: in colours, as wide as the terminal."""
    needs: str = ""
    """Extra of the package that the writers need, if any."""
    imports: str = ""
    """Module that this extra brings."""
    joins_pages: bool = False
    """Whether the records of several pages become one table, written when all are known."""
    nests_tables: bool = False
    """Whether one output can hold several lists of records, whose columns differ."""

    @property
    def tasks(self) -> frozenset[str]:
        """The tasks whose results it can hold."""
        return self.drawn_for | frozenset(self.writers)

    @property
    def is_text(self) -> bool:
        """Whether people can read it on a terminal."""
        return (
            self.media_type.startswith("text/")
            or "json" in self.media_type
            or (self.media_type == "application/xml")
        )

    def check_needs(self) -> None:
        """Raise `UsageError` with the cure unless what the writers need is installed."""
        if not self.imports:
            return
        try:
            import_module(self.imports)
        except ImportError:
            package = self.imports.partition(".")[0]
            message = f"{self.name} needs {package}: pip install 'joeira[{self.needs}]'"
            raise UsageError(message) from None


# Content ------------------------------------------------------------------------------------------


def _content_text(content: Content, choices: Choices) -> str:
    return content.text(title=bool(choices.title), posts=bool(choices.posts))


def _content_markdown(content: Content, choices: Choices) -> str:
    return content.markdown(
        links=choices.links,
        images=choices.images,
        formatting=choices.formatting,
        title=choices.title is not False,
        posts=choices.posts,
        scripts=choices.scripts,
    )


def _content_html(content: Content, choices: Choices) -> str:
    return content.html(**choices.shown)


def _content_svg(content: Content, _: Choices) -> str:
    from joeira.content import tps

    return tps.plot(content.page, content.keep)


def _content_xml(content: Content, choices: Choices) -> str:
    return content.xml(**choices.shown)


def _content_tei(content: Content, choices: Choices) -> str:
    return content.xml(tei=True, **choices.shown)


CONTENT_COLUMNS = (
    "source", "url", "title", "author", "date", "sitename", "hostname", "description", "language",
    "pagetype", "status", "reason", "text", "comments",
)  # fmt: skip


def _content_csv(content: Content, choices: Choices) -> str:
    """Write a header and one row."""
    from joeira.records.result import to_csv

    values = {**content.to_dict(), "source": choices.source}
    row = [values[name] or "" for name in CONTENT_COLUMNS]
    return to_csv(CONTENT_COLUMNS, [row], safe=choices.safe)


def _content_json(content: Content, choices: Choices) -> dict[str, Any]:
    return content.to_dict(choices.schema)


# Explanation and metadata -------------------------------------------------------------------------


def _explanation_html(content: Content, _: Choices) -> str:
    return content.report()


def _explanation_json(content: Content, _: Choices) -> dict[str, Any]:
    explanation = content.explain()
    return {**explanation.to_dict(), "blocks": [block.to_dict() for block in explanation]}


def _metadata_json(metadata: Metadata, choices: Choices) -> dict[str, Any]:
    written = {**metadata.to_dict(), "structured": list(metadata.structured)}
    if choices.candidates:
        written["candidates"] = {
            name: [asdict(candidate) for candidate in rivals]
            for name, rivals in candidates_by_field(metadata).items()
        }
    return written


def candidates_by_field(metadata: Metadata) -> dict[str, list[Candidate]]:
    """Return all candidates; those for the product are called ``product.price`` and the like."""
    by_field = {name: metadata.candidates(name) for name in metadata.sourced_fields}
    if metadata.product is not None:
        for name in metadata.product.to_dict():
            by_field[f"product.{name}"] = metadata.product.candidates(name)
    return by_field


# Segments -----------------------------------------------------------------------------------------


def _segments_text(segments: Segments, _: Choices) -> str:
    """Write each segment under its label; neighbours of one kind are shown as one."""
    written, label = [], None
    for part in segments:
        is_new = not part.label or part.label != label
        written.append(f"{_label(part) if is_new else ''}{part.text}\n")
        label = part.label
    return "\n".join(written)


def _label(part: Region) -> str:
    """Return a line that names a segment; nothing where the method has no labels."""
    probability = "" if part.score is None else f" {part.score:.0%}"
    return f"[{part.label}{probability}]\n" if part.label else ""


def _segments_html(segments: Segments, _: Choices) -> str:
    return segments.html()


def _segments_json(segments: Segments, _: Choices) -> dict[str, Any]:
    return segments.to_dict()


# Records ------------------------------------------------------------------------------------------


def _records_csv(pages: Sequence[PageTables], choices: Choices) -> str:
    from joeira.records.result import to_csv

    columns, rows = _joined(pages)
    values = ([row.get(name) for name in columns] for row in rows)
    return to_csv(columns, values, safe=choices.safe) if columns else ""


def _records_markdown(pages: Sequence[PageTables], _: Choices) -> str:
    return "\n".join(table.to_markdown() for page in pages for table in page.tables)


def _records_json(pages: Sequence[PageTables], _: Choices) -> dict[str, Any]:
    return {"tables": [table.to_dict() for page in pages for table in page.tables]}


def _records_jsonl(pages: Sequence[PageTables], _: Choices) -> list[RecordRow]:
    return [row for page in pages for row in page.rows()]


def _records_parquet(pages: Sequence[PageTables], _: Choices) -> bytes:
    import pyarrow
    import pyarrow.parquet

    data = {name: _arrow(pyarrow, values) for name, values in _joined_data(pages).items()}
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(data), sink)
    file: bytes = sink.getvalue().to_pybytes()
    return file


def _arrow(pyarrow: Any, values: list[Value]) -> Any:
    """Return a column of values; of texts where pages differ in what they are."""
    try:
        array = pyarrow.array(values)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        array = pyarrow.array([None if value is None else str(value) for value in values])
    return array.cast(pyarrow.string()) if pyarrow.types.is_null(array.type) else array


def _records_excel(pages: Sequence[PageTables], _: Choices) -> bytes:
    from joeira.records.result import to_excel

    return to_excel([_joined_data(pages)])


def _joined_data(pages: Sequence[PageTables]) -> dict[str, list[Value]]:
    """Return the typed values of all pages by column, in the order of first occurrence."""
    columns: dict[str, list[Value]] = {}
    count = 0
    for page in pages:
        for number, table in enumerate(page.tables, 1):
            own = page.origin(number)
            data: dict[str, list[Value]] = {
                name: [value] * len(table) for name, value in own.items()
            }
            data |= {f"{k}_" if k in own else k: values for k, values in table.data().items()}
            for name, values in data.items():
                columns.setdefault(name, []).extend([None] * (count - len(columns[name])))
                columns[name].extend(values)
            count += len(table)
    return {name: values + [None] * (count - len(values)) for name, values in columns.items()}


def _joined(pages: Sequence[PageTables]) -> tuple[list[str], list[RecordRow]]:
    """Return the columns of all pages, in the order in which they first occur, and all records."""
    rows = [row for page in pages for row in page.rows()]
    return list(dict.fromkeys(name for row in rows for name in row)), rows


# The table ----------------------------------------------------------------------------------------

FORMATS = (
    Format(
        "text", "text/plain; charset=utf-8", ".txt", "words without markup, for reading and search",
        {"content": _content_text, "segments": _segments_text}, frozenset({"explanation"}),
    ),
    Format(
        "markdown", "text/markdown; charset=utf-8", ".md", "structure for people and language "
                                                           "models",
        {"content": _content_markdown, "records": _records_markdown},
    ),
    Format(
        "html", "text/html; charset=utf-8", ".html",
        "clean content; for segments and decisions, the highlighted page",
        {"content": _content_html, "segments": _segments_html, "explanation": _explanation_html},
    ),
    Format(
        "svg", "image/svg+xml", ".svg", "a plot of the page's tag paths that shows where content "
                                        "is",
        {"content": _content_svg},
    ),
    Format(
        "xml", "application/xml", ".xml", "XML with trafilatura's element names",
        {"content": _content_xml},
    ),
    Format(
        "tei", "application/tei+xml", ".tei.xml", "corpora in the Text Encoding Initiative format",
        {"content": _content_tei},
    ),
    Format(
        "json", "application/json", ".json", "the complete result, for programs",
        {
            "content": _content_json, "records": _records_json, "segments": _segments_json,
            "metadata": _metadata_json, "explanation": _explanation_json,
        },
        nests_tables=True,
    ),
    Format(
        "jsonl", "application/jsonl", ".jsonl", "one record per line, for streaming",
        {"records": _records_jsonl},
    ),
    Format(
        "csv", "text/csv; charset=utf-8", ".csv", "spreadsheets and data frames",
        {"content": _content_csv, "records": _records_csv}, joins_pages=True,
    ),
    Format(
        "parquet", "application/vnd.apache.parquet", ".parquet",
        "data frames and databases; columns contain numbers, dates and text",
        {"records": _records_parquet}, needs="parquet", imports="pyarrow.parquet", joins_pages=True,
    ),
    Format(
        "excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx",
        "a workbook; columns contain numbers, dates and text",
        {"records": _records_excel}, needs="excel", imports="openpyxl", joins_pages=True,
    ),
    Format(
        "table", "text/plain; charset=utf-8", ".txt", "a table for reading",
        {}, frozenset({"records", "metadata"}),
    ),
)  # fmt: skip


def all_formats() -> tuple[Format, ...]:
    """Return every format, ours first, then those of other packages."""
    return (*FORMATS, *_plugged())


@lru_cache(maxsize=1)  # what is installed does not change while a program runs
def _plugged() -> tuple[Format, ...]:
    from importlib.metadata import entry_points  # slow to import, and few have other packages

    plugged: dict[str, Format] = {}
    taken = {form.name for form in FORMATS}
    for point in entry_points(group="joeira.formats"):
        try:
            form = point.load()
            if not isinstance(form, Format) or form.name in taken | set(plugged):
                problem = (
                    "no Format" if not isinstance(form, Format) else ("its name is already in use")
                )
                raise UsageError(problem)
        except Exception as error:  # somebody else's code: our own formats must go on working
            warnings.warn(f"format {point.name!r} of another package: {error!r}", stacklevel=3)
        else:
            plugged[form.name] = form
    return tuple(plugged.values())


def find(name: str) -> Format:
    """Return the format of a name, or raise `UsageError` with the names that exist."""
    for form in all_formats():
        if form.name == name:
            return form
    message = f"no format {name!r}; known: {', '.join(form.name for form in all_formats())}"
    raise UsageError(message)


def names(task: str) -> list[str]:
    """Return the names of all formats that a task has on the command line."""
    return [form.name for form in all_formats() if task in form.tasks]


def portable_names(task: str) -> list[str]:
    """Return the names of the formats that a task has everywhere, whatever is installed."""
    return [form.name for form in all_formats() if task in form.writers and not form.needs]


def write(task: str, name: str, result: Any, choices: Choices | None = None) -> Output:
    """Return the result of a task in a format: text, bytes, or data to be written as JSON."""
    writers = find(name).writers
    if task not in writers:
        known = ", ".join(form.name for form in all_formats() if task in form.writers)
        message = f"{task} cannot be written as {name}; known: {known or 'none'}"
        raise UsageError(message)
    return writers[task](result, choices or Choices())
