"""Where pages come from: HTML files and folders, JSONL, WARC, and lists of them.

The order of records depends on nothing but the inputs, and every record says where reading goes on
after it: that is what lets a run that was killed go on.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from joeira.batch import warc
from joeira.batch.rows import Position, Record
from joeira.errors import UsageError

PAGES = (".html", ".htm", ".xhtml")
LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
ARCHIVES = (".warc", ".warc.gz")
LISTS = (".txt", ".lst", ".list")
_MAX_LINE = 64 << 20


def expand(inputs: Sequence[str | Path]) -> list[str]:
    """Return the files that inputs stand for, folders and lists opened, in a fixed order."""
    found: list[str] = []
    for name in map(str, inputs):
        path = Path(name)
        if path.is_dir():
            found += _files_in(path)
        elif not path.exists():
            raise UsageError(f"{name}: no such file or folder")
        elif name.lower().endswith(LISTS):
            found += _named_in(path)
        else:
            found.append(name)
    if not found:
        raise UsageError(f"no pages in {', '.join(map(str, inputs))}")
    if any(name.lower().endswith(ARCHIVES) for name in found):
        _require_fastwarc()
    return found


def _files_in(folder: Path) -> list[str]:
    suffixes = (*PAGES, *LINES, *ARCHIVES)
    return sorted(
        str(Path(parent, name))
        for parent, _, names in os.walk(folder)
        for name in names
        if name.lower().endswith(suffixes)
    )


def _named_in(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8", "surrogateescape").splitlines()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    names = (line.strip() for line in lines)
    return [name for name in names if name and not name.startswith("#")]


def _require_fastwarc() -> None:
    if importlib.util.find_spec("fastwarc") is None:
        raise UsageError("WARC files need FastWARC: pip install 'joeira[warc]'")


@dataclass
class Reader:
    """Reads the records of all inputs, from any position that a record gave."""

    files: Sequence[str]
    position: Position = field(default_factory=Position)
    """After the last record that was read."""
    _sizes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Measure the files, which tells how much is left to do."""
        self._sizes = [_size(name) for name in self.files]
        self._bytes_read = 0

    @property
    def total_bytes(self) -> int:
        """Size of all inputs."""
        return sum(self._sizes)

    @property
    def done_bytes(self) -> int:
        """How much of the inputs has been read."""
        return sum(self._sizes[: self.position.source]) + self._bytes_read

    @property
    def fingerprint(self) -> str:
        """Short hash of names and sizes of the inputs."""
        said = json.dumps([list(self.files), self._sizes])
        return hashlib.sha256(said.encode()).hexdigest()[:12]

    def __iter__(self) -> Iterator[Record]:
        """Yield the records that follow the position."""
        for number in range(self.position.source, len(self.files)):
            if number > self.position.source:
                self.position = Position(number, 0, self.position.ignored)
                self._bytes_read = 0
            name = self.files[number]
            for record in _read(name, self):
                known = record.id or f"{name}:{record.offset}"
                yield replace(record, id=known, source=name, after=self.position)
        self.position = Position(len(self.files), 0, self.position.ignored)

    def passed(self, offset: int, *, is_page: bool = True, bytes_read: int | None = None) -> None:
        """Note that all before an offset of the present input is done with."""
        ignored = self.position.ignored + (not is_page)
        self.position = Position(self.position.source, offset, ignored)
        self._bytes_read = offset if bytes_read is None else bytes_read

    def finish(self) -> None:
        """Note that the present input is done with, however much of it was read."""
        self.position = Position(self.position.source + 1, 0, self.position.ignored)
        self._bytes_read = 0


def _size(name: str) -> int:
    try:
        return Path(name).stat().st_size
    except (OSError, ValueError):
        return 0


def _read(name: str, reader: Reader) -> Iterator[Record]:
    """Yield the records of one file that follow the reader's position."""
    if name.startswith(("http://", "https://")):
        reader.finish()
        yield Record(name, name, b"", problem="web addresses are not fetched in a batch")
        return
    lower = name.lower()
    read: Callable[[str, BinaryIO, Reader], Iterator[Record]] = _page
    if lower.endswith(LINES):
        read = _lines
    elif lower.endswith(ARCHIVES):
        read = _archive
    try:
        with Path(name).open("rb") as file:
            yield from read(name, file, reader)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = getattr(error, "strerror", None) or str(error)
        offset = reader.position.offset
        reader.finish()
        yield Record("", None, b"", offset=offset, problem=f"cannot be read: {reason}")


def _page(name: str, file: BinaryIO, reader: Reader) -> Iterator[Record]:
    if reader.position.offset == 0:
        html = file.read(warc.MAX_BYTES + 1)
        reader.passed(max(1, len(html)))
        yield Record(name, None, html)


def _archive(_name: str, file: BinaryIO, reader: Reader) -> Iterator[Record]:
    for part in warc.parts(file, reader.position.offset):
        fields, block = warc.split(part.data)
        is_page = bool(part.problem) or warc.is_page(fields, block)
        reader.passed(part.stop, is_page=is_page)
        if is_page:
            said = {name: value.decode("utf-8", "replace") for name, value in fields.items()}
            yield Record(
                said.get(b"warc-record-id", ""),
                said.get(b"warc-target-uri", "").strip("<>") or None,
                part.data,
                offset=part.offset,
                date=said.get(b"warc-date"),
                problem=part.problem,
                is_http=True,
            )


def _lines(name: str, file: BinaryIO, reader: Reader) -> Iterator[Record]:
    is_gzip = name.lower().endswith(".gz")
    chunks = _inflated(file) if is_gzip else _chunks(file)
    start = reader.position.offset
    offset = 0
    for line, problem in _split_lines(chunks):
        here, offset = offset, offset + len(line)
        if here < start:
            continue
        reader.passed(max(offset, here + 1), bytes_read=file.tell())
        if problem:
            yield Record("", None, b"", offset=here, problem=problem)
        elif line.strip():
            yield _from_line(line, here)


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, str]]:
    while chunk := file.read(1 << 18):
        yield chunk, ""


def _inflated(file: BinaryIO) -> Iterator[tuple[bytes, str]]:
    """Yield the content of a gzip file of any number of members; at damage, say so and end."""
    inflate = zlib.decompressobj(31)
    rest = b""
    began = False
    try:
        while rest or (rest := file.read(1 << 16)):
            if inflate.eof:
                inflate, began = zlib.decompressobj(31), False
                rest = rest.lstrip(b"\0")  # padding between members
                continue
            began = True
            data = inflate.decompress(rest, 1 << 20)
            rest = inflate.unconsumed_tail or inflate.unused_data
            yield data, ""
    except zlib.error as error:
        yield b"", f"damaged gzip near byte {file.tell()}: {error}; the rest of the file is lost"
        return
    if began and not inflate.eof:
        yield b"", "the file ends within its gzip data; the rest of the file is lost"


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
