"""JSON Lines: one object with a page per line, in plain or compressed files.

Where pages come from: HTML files and folders, JSONL, WARC, and lists of them.

The order of records depends on nothing but the inputs, and every record says where reading goes on
after it: that is what lets a run that was killed go on.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import importlib.util
import json
import os
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

from joeira.batch import storage, warc
from joeira.batch.output import OUR_FOLDERS, OURS
from joeira.batch.rows import Capture, Position
from joeira.batch.warc import inflated
from joeira.errors import InputError, UsageError

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


def records(name: str, file: BinaryIO, start: int) -> Iterator[tuple[int, Capture | None]]:
    """Yield the lines from an offset, each with the offset after it; None for an empty one."""
    if not is_packed(name):
        chunks, offset = _chunks(file), file.seek(start)
    else:
        chunks, offset = (inflated if name.lower().endswith(".gz") else _unpacked)(file), 0
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


def _unpacked(file: BinaryIO) -> Iterator[tuple[bytes, str]]:
    """Yield the content of a Zstandard file; at damage, say so and end."""
    import pyarrow

    # It closes what it reads as soon as nobody holds it, and the file belongs to the caller.
    copy = os.fdopen(os.dup(file.fileno()), "rb")
    stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(copy, "r"), "zstd")
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


PAGES = (".html", ".htm", ".xhtml")
ARCHIVES = (".warc", ".warc.gz")
LISTS = (".txt", ".lst", ".list", ".paths", ".paths.gz")
_COMMON_CRAWL = "s3://commoncrawl/"
"""Where the paths of its lists begin, such as those of ``warc.paths.gz``."""
ADDRESSES = ("http://", "https://")
_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)

Fetch = Callable[[str], tuple[str, bytes | str]]
"""Returns the final address and the page for an address, or raises `InputError`."""


def expand(inputs: Sequence[str | Path], output: Path | None = None) -> list[str]:
    """Return the files that inputs stand for, folders and lists opened, in a fixed order.

    Args:
        inputs: Files, folders, lists and addresses.
        output: Folder that the run writes to: what it holds by then is no input of the same run.
    """
    found: list[str] = []
    for name in map(str, inputs):
        path = Path(name)
        if name.startswith(ADDRESSES):
            found.append(name)
        elif storage.is_remote(name):
            storage.require_remote(name)  # before it is looked into
            found += storage.files_in(name, (*PAGES, *SUFFIXES, *ARCHIVES))
        elif path.is_dir():
            found += _files_in(path, output)
        elif not path.exists():
            raise UsageError(f"{name}: no such file or folder; check the path")
        elif name.lower().endswith(LISTS):
            found += _named_in(path)
        else:
            found.append(name)
    if not found:
        raise UsageError(f"no pages in {', '.join(map(str, inputs))}")
    for name in {each.partition("://")[0]: each for each in found}.values():
        if storage.is_remote(name):
            storage.require_remote(name)
    _require_what(found)
    return found


def _files_in(folder: Path, output: Path | None) -> list[str]:
    """Return the files with pages below a folder, and the folders that cannot be looked into."""
    suffixes = (*PAGES, *SUFFIXES, *ARCHIVES)
    ours = os.path.realpath(output) if output is not None else ""
    found: list[str] = []
    unreadable: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=unreadable.append):
        is_ours = os.path.realpath(parent) == ours
        if is_ours and Path(parent) != folder:  # as good as not there, for a run that goes on
            folders.clear()
            continue
        if is_ours:
            folders[:] = [each for each in folders if not OUR_FOLDERS.fullmatch(each)]
        found += [
            str(Path(parent, name))
            for name in names
            if name.lower().endswith(suffixes) and not (is_ours and OURS.fullmatch(name))
        ]
    return sorted([*found, *(str(error.filename) for error in unreadable)])


def _named_in(path: Path) -> list[str]:
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.name.lower().endswith(".gz") else data
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    names = (line.strip() for line in data.decode("utf-8", "surrogateescape").splitlines())
    return [
        f"{_COMMON_CRAWL}{name}" if name.startswith("crawl-data/") else name
        for name in names
        if name and not name.startswith("#")
    ]


def _require_what(files: Sequence[str]) -> None:
    has_fastwarc = importlib.util.find_spec("fastwarc") is not None
    if not has_fastwarc and any(name.lower().endswith(ARCHIVES) for name in files):
        raise UsageError("WARC files need FastWARC: pip install 'joeira[warc]'")
    if not all(map(can_read, files)):
        raise UsageError("Zstandard files need pyarrow: pip install 'joeira[parquet]'")


@dataclass
class Reader:
    """Reads the records of all inputs, from any position that a record gave."""

    files: Sequence[str]
    position: Position = field(default_factory=Position)
    """After the last record that was read."""
    fetch: Fetch | None = None
    """How pages at addresses are got; they are not, if nobody says."""
    _sizes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Measure the files, which tells how much is left to do."""
        self._sizes = [
            0 if name.startswith(ADDRESSES) else storage.size_of(name) for name in self.files
        ]
        self._sizes_before = [0, *accumulate(self._sizes)]
        self._bytes_read = 0

    @property
    def total_bytes(self) -> int:
        """Size of all inputs."""
        return self._sizes_before[-1]

    @property
    def done_bytes(self) -> int:
        """How much of the inputs has been read."""
        return self._sizes_before[self.position.source] + self._bytes_read

    @property
    def fingerprint(self) -> str:
        """Short hash of names, sizes, times of change, beginnings and ends of the inputs."""
        said = hashlib.sha256(json.dumps(list(self.files)).encode())
        for name in self.files:
            said.update(_state(name))
        return said.hexdigest()[:12]

    def __iter__(self) -> Iterator[Capture]:
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


def _state(name: str) -> bytes:
    """Return what changes when somebody writes to a file; ``-`` for what is none."""
    if name.startswith(ADDRESSES):
        return b"-"
    try:
        return storage.state_of(name)
    except (OSError, ValueError) as error:  # gone
        _require_means(name, error)
        return b"-"


def _require_means(name: str, error: Exception) -> None:
    """Raise `InputError` if the system lacks resources, which is not a fault of the file."""
    if isinstance(error, OSError) and error.errno in _SHORTAGES:
        raise InputError(f"{name}: {error.strerror}") from error


def _special(name: str) -> str:
    """Return the kind of a name that is not a regular file, and might never end; '' for a file."""
    if storage.is_remote(name):
        return ""
    mode = Path(name).stat().st_mode
    return next((kind for test, kind in _SPECIAL if test(mode)), "")


def _read(name: str, reader: Reader) -> Iterator[Capture]:
    """Yield the records of one file that follow the reader's position."""
    if name.startswith(ADDRESSES):
        reader.finish()
        yield _fetched(name, reader.fetch)
        return
    lower = name.lower()
    read: Callable[[str, BinaryIO, Reader], Iterator[Capture]] = _page
    if lower.endswith(SUFFIXES):
        read = _lines
    elif lower.endswith(ARCHIVES):
        read = _archive
    try:
        if kind := _special(name):
            reader.finish()
            yield Capture(name, None, b"", problem=f"{kind}, not a file")
            return
        with storage.open_file(name) as file:
            yield from read(name, file, reader)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        _require_means(name, error)
        reason = getattr(error, "strerror", None) or str(error)
        offset = reader.position.offset
        reader.finish()
        yield Capture("", None, b"", offset=offset, problem=f"cannot be read: {reason}")


def _fetched(address: str, fetch: Fetch | None) -> Capture:
    if fetch is None:
        return Capture(address, address, b"", problem="not fetched: use --fetch")
    try:
        url, html = fetch(address)
    except InputError as error:
        return Capture(address, address, b"", problem=f"not fetched: {error}")
    return Capture(address, url, html)


def _page(name: str, file: BinaryIO, reader: Reader) -> Iterator[Capture]:
    if reader.position.offset == 0:
        html = file.read(warc.MAX_BYTES + 1)
        reader.passed(max(1, len(html)))
        yield Capture(name, None, html)


def _archive(_name: str, file: BinaryIO, reader: Reader) -> Iterator[Capture]:
    for part in warc.parts(file, reader.position.offset):
        fields, start = warc.head(part.data)
        is_page = bool(part.problem) or warc.is_page(fields, part.data, start)
        reader.passed(part.stop, is_page=is_page)
        if is_page:
            said = {name: value.decode("utf-8", "replace") for name, value in fields.items()}
            yield Capture(
                said.get(b"warc-record-id", ""),
                said.get(b"warc-target-uri", "").strip("<>") or None,
                part.data,
                offset=part.offset,
                date=said.get(b"warc-date"),
                problem=part.problem,
                is_http=True,
            )


def _lines(name: str, file: BinaryIO, reader: Reader) -> Iterator[Capture]:
    for after, record in records(name, file, reader.position.offset):
        reader.passed(after, bytes_read=file.tell())
        if record is not None:
            yield record


def can_seek(name: str) -> bool:
    """Return whether `record_at` reads one record of a file without all before it."""
    lower = name.lower()
    if lower.endswith(SUFFIXES):
        return not is_packed(name)
    if name.startswith(ADDRESSES):
        return False
    try:
        if _special(name):
            return False
        with storage.open_file(name) as file:
            return not (lower.endswith(ARCHIVES) and warc.is_packed(file))
    except (OSError, ValueError):
        return False


def record_at(name: str, offset: int) -> Capture | None:
    """Return the record of a file at an offset that another record gave; None if it is gone."""
    reader = Reader([name], Position(0, offset))
    return next((record for record in reader if record.offset == offset), None)
