"""JSON lines: an object with a page in each, in plain files or compressed ones."""

from __future__ import annotations

import importlib.util
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from joeira.batch import storage, warc
from joeira.batch.rows import Capture
from joeira.batch.warc import inflated

SUFFIXES = tuple(
    f".{name}{packed}" for name in ("jsonl", "ndjson") for packed in ("", ".gz", ".zst")
)
_MAX_LINE = 64 << 20


def is_packed(name: str) -> bool:
    """Return whether a file can only be read from its beginning."""
    return storage.path_of(name).endswith((".gz", ".zst"))


def can_read(name: str) -> bool:
    """Return whether what a file needs is installed."""
    return (
        not storage.path_of(name).endswith(".zst")
        or importlib.util.find_spec("pyarrow") is not None
    )


def records(name: str, file: BinaryIO, start: int) -> Iterator[tuple[int, Capture | None]]:
    """Yield the lines from an offset, each with the offset after it; None for an empty one."""
    if not is_packed(name):
        chunks, offset = _chunks(file), file.seek(start)
    else:
        is_gzip = storage.path_of(name).endswith(".gz")
        chunks, offset = (inflated if is_gzip else _unpacked)(file), 0
    for line, length, problem in _split_lines(chunks):
        here, offset = offset, offset + length
        if here < start:
            continue
        after = max(offset, here + 1)
        if problem:
            yield after, Capture("", None, b"", offset=here, problem=problem)
        else:
            yield after, _from_line(line, here) if line.strip() else None


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, str]]:
    while chunk := file.read(1 << 18):
        yield chunk, ""


class _Lent(io.RawIOBase):
    """A file that stays open when Arrow closes it, as Arrow does with whatever it has read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _unpacked(file: BinaryIO) -> Iterator[tuple[bytes, str]]:
    """Yield the content of a Zstandard file; at damage, say so and end."""
    import pyarrow

    stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(_Lent(file), "r"), "zstd")
    try:
        while data := stream.read(1 << 16):  # what a failed read held is lost
            yield data, ""
    except OSError as error:
        yield b"", f"damaged Zstandard data: {error}; the rest of the file is lost"


def _split_lines(chunks: Iterator[tuple[bytes, str]]) -> Iterator[tuple[bytes, int, str]]:
    """Yield lines with their lengths; one that is cut or beyond all measure as an empty problem.

    No more is kept of a line than `_MAX_LINE`: a small compressed file may hold one of any length.
    """
    kept: list[bytes] = []
    length = 0
    for chunk, problem in chunks:
        if problem:  # a line that damage cut in two is part of the damage
            yield b"", 0, problem
            return
        start = 0
        while end := chunk.find(b"\n", start) + 1:
            yield _line([*kept, chunk[start:end]], length + end - start)
            kept, length, start = [], 0, end
        length += len(chunk) - start
        if length <= _MAX_LINE:
            kept.append(chunk[start:])
        else:
            kept = []
    if length:
        yield _line(kept, length)


def _line(parts: Sequence[bytes], length: int) -> tuple[bytes, int, str]:
    if length > _MAX_LINE:
        return b"", length, f"a line of more than {_MAX_LINE >> 20} MB"
    return b"".join(parts), length, ""


def _from_line(line: bytes, offset: int) -> Capture:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Capture("", None, b"", offset=offset, problem=f"not JSON: {error}"[:200])
    html = said.get("html") if isinstance(said, dict) else None
    if not isinstance(html, str):
        problem = "not a JSON object with a string named html"
        return Capture("", None, b"", offset=offset, problem=problem)
    url, name, date = (said.get(key) for key in ("url", "id", "date"))
    return Capture(
        str(name) if name is not None else "",
        url if isinstance(url, str) else None,
        html[: warc.MAX_BYTES + 1],  # parsing tells that there was more
        offset=offset,
        date=date if isinstance(date, str) else None,
    )
