"""Columns of pages to columns of results: for Ray Data, Daft and polars, and any table of lists.

`extract_columns` does the work. Pages are read in the process that calls it, since these engines
have processes of their own; with ``workers``, in processes that may die without harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from joeira.batch import Job, extract_many
from joeira.batch.rows import KINDS, Capture, Row
from joeira.errors import require
from joeira.integrations import missing

COLUMNS = ("text", "title", "author", "date", "language", "pagetype", "status", "reason")
"""What is returned unless told."""


@dataclass(frozen=True)
class Columns:
    """Which columns to read and to make; calling it with a batch is the map function.

    A batch is a mapping from names to columns, as Ray Data gives them (``batch_format="numpy"``),
    and comes back with the new columns beside the others.
    """

    html: str = "html"
    """Column with HTML as text or bytes."""
    url: str | None = None
    """Column with addresses, if there is one."""
    columns: Sequence[str] = COLUMNS
    """Names of columns of a batch's rows: `joeira.batch`."""
    job: Job = field(default_factory=Job)
    workers: int = 0

    def __post_init__(self) -> None:
        """Refuse columns that the job does not make."""
        for name in self.columns:
            known = ", ".join(self.job.columns)
            require(name in self.job.columns, f"no column {name!r}; known: {known}")

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """Return a batch with the new columns."""
        urls = None if self.url is None else batch[self.url]
        return {**batch, **self.extract(batch[self.html], urls)}

    def extract(
        self, pages: Iterable[Any], urls: Iterable[Any] | None = None
    ) -> dict[str, list[Any]]:
        """Return the new columns of pages: a value for each page, None where there is none."""
        made: dict[str, list[Any]] = {name: [] for name in self.columns}
        for row in self.rows(pages, urls):
            values = row.to_dict()
            for name, column in made.items():
                column.append(values[name])
        return made

    def rows(self, pages: Iterable[Any], urls: Iterable[Any] | None = None) -> Iterable[Row]:
        """Yield a row for each page; one that is no page gives a row that says so."""
        pairs = zip(pages, repeat(None) if urls is None else urls, strict=urls is not None)
        given = ((html, url if isinstance(url, str) else None) for html, url in pairs)
        if self.workers:
            return extract_many(given, job=self.job, workers=self.workers)
        return (self._row(number, html, url) for number, (html, url) in enumerate(given))

    def _row(self, number: int, html: Any, url: str | None) -> Row:
        if not isinstance(html, str | bytes):
            reason = f"HTML is str or bytes, not {type(html).__name__}"
            return self.job.row(
                Capture(str(number), url, b""), {"status": "skipped", "reason": reason}
            )
        record = Capture(str(number), url, html)
        return self.job.row(record, self.job.fields(record))


def with_polars(frame: Any, columns: Columns | None = None) -> Any:
    """Return a polars `DataFrame` with the new columns beside its own."""
    try:
        import polars
    except ImportError as error:
        raise missing(error, "polars") from None
    columns = columns or Columns()
    urls = None if columns.url is None else frame[columns.url]
    made = columns.extract(frame[columns.html], urls)
    kinds = {"text": polars.String, "float64": polars.Float64, "int64": polars.Int64}
    return frame.with_columns(
        polars.Series(name, values, dtype=kinds.get(_kind(name)), strict=False)
        for name, values in made.items()
    )


def with_daft(frame: Any, columns: Columns | None = None) -> Any:
    """Return a Daft `DataFrame` with the new columns, made when it is collected."""
    try:
        import daft
    except ImportError as error:
        raise missing(error, "daft") from None
    columns = columns or Columns()
    kinds = {
        "text": daft.DataType.string(),
        "float64": daft.DataType.float64(),
        "int64": daft.DataType.int64(),
        "nested": daft.DataType.python(),
    }
    kind = daft.DataType.struct({name: kinds[_kind(name)] for name in columns.columns})

    @daft.udf(return_dtype=kind)
    def extract(pages: Any, urls: Any = None) -> list[dict[str, Any]]:
        made = columns.extract(pages.to_pylist(), None if urls is None else urls.to_pylist())
        return [dict(zip(made, values, strict=True)) for values in zip(*made.values(), strict=True)]

    read = [columns.html] if columns.url is None else [columns.html, columns.url]
    made = frame.with_column("_joeira", extract(*map(daft.col, read)))
    for name in columns.columns:
        made = made.with_column(name, daft.col("_joeira")[name])
    return made.exclude("_joeira")


def with_ray(dataset: Any, columns: Columns | None = None, **options: Any) -> Any:
    """Return a Ray `Dataset` with the new columns; `options` are those of ``map_batches``."""
    return dataset.map_batches(columns or Columns(), batch_format="numpy", **options)


def _kind(column: str) -> str:
    """Return the kind of a column: ``text``, ``float64``, ``int64`` or ``nested``."""
    kind = KINDS[column]
    if not isinstance(kind, str):
        return "nested"
    return kind if kind in ("float64", "int64") else "text"  # days are texts in rows
