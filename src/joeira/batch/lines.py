"""JSON lines: an object with a page in each, in plain files or compressed ones."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from typing import BinaryIO

from joeira.batch.inflating import inflated
from joeira.batch.rows import Record

SUFFIXES = tuple(
    f".{name}{packed}" for name in ("jsonl", "ndjson") for packed in ("", ".gz", ".zst")
)
_MAX_LINE = 64 << 20


def is_packed(name: str) -> bool:
    """Return whether a file can only be read from its beginning."""
    return name.lower().endswith((".gz", ".zst"))


def can_read(name: str) -> bool:
    """Return whether what a file needs is installed."""
    return not name.lower().endswith(".zst") or importlib.util.find_spec("pyarrow") is not None


def records(name: str, file: BinaryIO, start: int) -> Iterator[tuple[int, Record | None]]:
    """Yield the lines from an offset, each with the offset after it; None for an empty one."""
    if not is_packed(name):
        chunks, offset = _chunks(file), file.seek(start)
    else:
        chunks, offset = (inflated if name.lower().endswith(".gz") else _unpacked)(file), 0
    for line, problem in _split_lines(chunks):
        here, offset = offset, offset + len(line)
        if here < start:
            continue
        after = max(offset, here + 1)
        if problem:
            yield after, Record("", None, b"", offset=here, problem=problem)
        else:
            yield after, _from_line(line, here) if line.strip() else None


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, str]]:
    while chunk := file.read(1 << 18):
        yield chunk, ""


def _unpacked(file: BinaryIO) -> Iterator[tuple[bytes, str]]:
    """Yield the content of a Zstandard file; at damage, say so and end."""
    import pyarrow

    # Not closed here: it would close the file, which belongs to the caller.
    stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(file, "r"), "zstd")
    try:
        while data := stream.read(1 << 16):  # what a failed read held is lost
            yield data, ""
    except OSError as error:
        yield b"", f"damaged Zstandard data: {error}; the rest of the file is lost"


def _split_lines(chunks: Iterator[tuple[bytes, str]]) -> Iterator[tuple[bytes, str]]:
    """Yield lines; a cut one, or one beyond all measure, as an empty problem."""
    kept: list[bytes] = []
    length = 0
    for chunk, problem in chunks:
        if problem:  # a line that damage cut in two is part of the damage
            yield b"", problem
            return
        *whole, rest = chunk.split(b"\n")
        for end in whole:
            line = b"".join([*kept, end, b"\n"])
            yield (line, "") if length <= _MAX_LINE else (line, "a line of more than 64 MB")
            kept, length = [], 0
        kept.append(rest)
        length += len(rest)
    if line := b"".join(kept):
        yield line, ""


def _from_line(line: bytes, offset: int) -> Record:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Record("", None, b"", offset=offset, problem=f"no JSON: {error}"[:200])
    html = said.get("html") if isinstance(said, dict) else None
    if not isinstance(html, str):
        problem = "not a JSON object with a text named html"
        return Record("", None, b"", offset=offset, problem=problem)
    url, name, date = (said.get(key) for key in ("url", "id", "date"))
    return Record(
        str(name) if name is not None else "",
        url if isinstance(url, str) else None,
        html,
        offset=offset,
        date=date if isinstance(date, str) else None,
    )
