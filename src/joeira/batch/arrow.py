"""Rows as columns of Arrow, made of the bytes of their values.

Arrow's own way from Python objects first loads pandas where that is installed, to know its objects
when it sees them, which takes longer than all columns of a shard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from joeira.batch.rows import Kind, as_kind

_EPOCH = 719_163
"""The ordinal of 1970-01-01."""
_NUMBERS = {"float64": np.float64, "int64": np.int64, "date32": np.int32}


def column(arrow: Any, kind: Kind, type_: Any, said: Sequence[Any]) -> Any:
    """Return a column of values that JSON has, each as its kind wants it or null.

    Args:
        arrow: The module ``pyarrow``.
        kind: What the values are.
        type_: Arrow's type for that.
        said: The values.
    """
    values = [as_kind(value, kind) for value in said]
    if not isinstance(kind, str):
        return arrow.array(values, type_)
    buffers = _text_buffers(values) if kind == "string" else _number_buffers(values, kind)
    there = np.array([value is not None for value in values], bool)
    pieces = [arrow.py_buffer(each) for each in (np.packbits(there, bitorder="little"), *buffers)]
    return arrow.Array.from_buffers(type_, len(values), pieces)


def _text_buffers(values: Sequence[str | None]) -> tuple[Any, bytes]:
    encoded = [b"" if value is None else value.encode() for value in values]
    ends = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(each) for each in encoded], out=ends[1:])
    return ends, b"".join(encoded)


def _number_buffers(values: Sequence[Any], kind: str) -> tuple[Any]:
    if kind == "date32":
        values = [None if day is None else day.toordinal() - _EPOCH for day in values]
    numbers = [0 if value is None else value for value in values]
    return (np.array(numbers, _NUMBERS[kind]),)
