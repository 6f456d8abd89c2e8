"""The input records and output rows of a batch: one row for every record, whatever happens."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

FAILURES = ("skipped", "timeout", "oom", "crash", "error")
STATUSES = ("ok", "empty", *FAILURES)
"""What may become of a record. ``skipped`` is a damaged one; the others of `FAILURES` are pages
that ran out of time or memory, took their process with them, or met a bug."""


@dataclass(frozen=True)
class Position:
    """The position to resume reading from: number of the input, and offset in it."""

    source: int = 0
    offset: int = 0
    ignored: int = 0
    """Number of records skipped so far that are not pages (requests, images, ...)."""


@dataclass(frozen=True)
class Capture:
    """One page as a source gives it."""

    id: str
    url: str | None
    html: bytes | str
    source: str = ""
    offset: int = 0
    after: Position = Position()
    date: str | None = None
    """When it was crawled."""
    problem: str = ""
    """Why there is nothing to extract from; the record becomes a row all the same."""
    is_http: bool = False
    """Is `html` a whole WARC record, with an HTTP response in it?"""
    model: str = ""
    """File with what was learned of the site that it belongs to."""

    def bare(self) -> Capture:
        """Return the record without its page, to be kept while it is worked on."""
        return replace(self, html=b"")


@dataclass(frozen=True)
class Row:
    """The result for one record."""

    id: str
    url: str | None
    status: str
    reason: str
    text: str | None = None
    markdown: str | None = None
    records: list[dict[str, Any]] | None = None
    segments: list[dict[str, Any]] | None = None
    title: str | None = None
    author: str | None = None
    date: str | None = None
    sitename: str | None = None
    hostname: str | None = None
    description: str | None = None
    image: str | None = None
    language: str | None = None
    pagetype: str | None = None
    confidence: float | None = None
    site_pages: int | None = None
    """Number of pages its site was learned from; None if the page was read by itself."""
    crawled: str | None = None
    joeira_version: str = ""
    config_hash: str = ""
    source: str = ""
    offset: int = 0

    def __bool__(self) -> bool:
        """Return whether something was extracted."""
        return self.status == "ok"

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data, always in the same order."""
        return dict(self.__dict__)


Kind = str | list["Kind"] | dict[str, "Kind"]
"""Arrow's name for the kind of a value, a list with the kind of its items, or a structure."""

_COLUMN: Kind = dict.fromkeys(("name", "kind", "source", "label", "css", "xpath"), "string")
_TABLE: Kind = {
    "xpath": "string",
    "record_css": "string",
    "record_xpath": "string",
    "score": "float64",
    "presence": "float64",
    "reason": "string",
    "columns": [_COLUMN],
    "constants": [{"name": "string", "text": "string"}],
    "rows": [["string"]],
}
"""A table of records. Each has columns of its own, so values stand in their order, without names:
a structure has to be the same in all rows of all shards."""
_SEGMENT: Kind = {"label": "string", "score": "float64", "xpath": "string", "text": "string"}
_KINDS: dict[str, Kind] = {
    "records": [_TABLE],
    "segments": [_SEGMENT],
    "date": "date32",
    "confidence": "float64",
    "site_pages": "int64",
    "offset": "int64",
}
KINDS = {field.name: _KINDS.get(field.name, "string") for field in dataclasses.fields(Row)}
"""Columns and their kinds. `crawled` stays text: inputs may say it in any
form, and what is no time would be lost."""


def as_kind(value: Any, kind: Kind) -> Any:
    """Return a value that JSON may have as its kind wants it; None where it is of no such kind."""
    if value is None:
        return None
    if isinstance(kind, dict):
        fields = _with_rows(value) if "rows" in kind else value  # JSON has records with names
        return {name: as_kind(fields.get(name), inner) for name, inner in kind.items()}
    if isinstance(kind, list):
        return [as_kind(item, kind[0]) for item in value]
    try:
        return _READERS[kind](value)
    except (TypeError, ValueError):
        return None


def _with_rows(table: dict[str, Any]) -> dict[str, Any]:
    """Return a table whose records are rows of values, in the order of its columns."""
    names = [column["name"] for column in table["columns"]]
    return {**table, "rows": [[record[name] for name in names] for record in table["records"]]}


_READERS: dict[str, Callable[[Any], object]] = {
    "string": str,
    "float64": float,
    "int64": int,
    "date32": datetime.date.fromisoformat,
}


_EPOCH = 719_163
"""The ordinal of 1970-01-01."""
_NUMBERS = {"float64": np.float64, "int64": np.int64, "date32": np.int32}


def column(arrow: Any, kind: Kind, type_: Any, said: Sequence[Any]) -> Any:
    """Return a column of Arrow with values that JSON has, each as its kind wants it or null.

    Text may be given as UTF-8, too.

    It is made of bytes: Arrow's own way from Python objects first loads pandas where that is
    installed, to know its objects when it sees them, which takes longer than a whole shard.

    Args:
        arrow: The module ``pyarrow``.
        kind: What the values are.
        type_: Arrow's type for that.
        said: The values.
    """
    values = [value if type(value) is bytes else as_kind(value, kind) for value in said]
    if not isinstance(kind, str):
        return arrow.array(values, type_)
    buffers = _text_buffers(values) if kind == "string" else _number_buffers(values, kind)
    there = np.array([value is not None for value in values], bool)
    pieces = [arrow.py_buffer(each) for each in (np.packbits(there, bitorder="little"), *buffers)]
    return arrow.Array.from_buffers(type_, len(values), pieces)


def _text_buffers(values: Sequence[str | bytes | None]) -> tuple[Any, bytes]:
    encoded = [value.encode() if isinstance(value, str) else value or b"" for value in values]
    ends = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(each) for each in encoded], out=ends[1:])
    return ends, b"".join(encoded)


def _number_buffers(values: Sequence[Any], kind: str) -> tuple[Any]:
    if kind == "date32":
        values = [None if day is None else day.toordinal() - _EPOCH for day in values]
    numbers = [0 if value is None else value for value in values]
    return (np.array(numbers, _NUMBERS[kind]),)


_SURROGATE = re.compile("[\ud800-\udfff]")


def as_text(name: str) -> str:
    r"""Return a name as proper text, another one for every name.

    A byte of a file name that is no UTF-8 becomes ``\xff``, a lone surrogate ``\ud800``.
    """
    return name if name.isascii() else _SURROGATE.sub(_escape, name)


def _escape(surrogate: re.Match[str]) -> str:
    code = ord(surrogate[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)
_LONG_CHARS = 200
_RARE_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r")


def line(row: dict[str, Any]) -> bytes:
    """Return a row as a line of JSON, the same for equal rows; a lone surrogate becomes ``?``."""
    parts: list[bytes] = []
    short: dict[str, Any] = {}
    for name, value in row.items():
        if type(value) is str and len(value) > _LONG_CHARS:
            if short:
                parts.append(_as_json(short)[1:-1])
                short = {}
            parts.append(b"%s:%s" % (_as_json(name), _long_as_json(value)))
        else:
            short[name] = value
    if short:
        parts.append(_as_json(short)[1:-1])
    return b"{%s}\n" % b",".join(parts)


def _as_json(value: Any) -> bytes:
    return _ENCODER.encode(value).encode("utf-8", "replace")


def _long_as_json(text: str) -> bytes:
    """Return the same for a text, in a fifth of the time where it is long."""
    data = text.encode("utf-8", "replace")
    if len(data.translate(None, _RARE_CONTROLS)) < len(data):
        return _as_json(text)
    data = data.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    data = data.replace(b"\n", b"\\n").replace(b"\r", b"\\r").replace(b"\t", b"\\t")
    return b'"%s"' % data


def packed(value: Any, kind: Kind) -> Any:
    """Return a value as a row keeps it until it is written: text as UTF-8, what has parts as JSON.

    As objects of Python, both may take several times as much memory.
    """
    if value is None:
        return None
    if kind == "string":
        text = value if type(value) is str else str(json.loads(_as_json(value)))
        return text.encode("utf-8", "replace")
    is_number = isinstance(kind, str) and type(value) in (int, float, str)
    return value if is_number else _as_json(value)


def unpacked(value: Any, kind: Kind) -> Any:
    """Return a value that was packed, as `column` wants it."""
    return json.loads(value) if type(value) is bytes and kind != "string" else value
