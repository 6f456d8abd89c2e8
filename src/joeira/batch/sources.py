"""Where pages come from: HTML files and folders, JSONL, WARC, and lists of them.

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
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, TypeVar

from joeira.batch import storage, warc
from joeira.batch.json_lines import SUFFIXES, can_read, is_packed, records
from joeira.batch.output import OUR_FOLDERS, OURS
from joeira.batch.rows import Capture, Position
from joeira.errors import InputError, UsageError

PAGES = (".html", ".htm", ".xhtml")
ARCHIVES = (".warc", ".warc.gz")
LISTS = (".txt", ".lst", ".list", ".paths", ".paths.gz")
WEB_LISTS = (".paths", ".paths.gz")
"""On web servers, a name that ends with ``.txt`` may be that of a page."""
_COMMON_CRAWL = "s3://commoncrawl/"
"""Where the paths of its lists begin, such as those of ``warc.paths.gz``, ..."""
_COMMON_CRAWL_WEB = "https://data.commoncrawl.org/"
"""... and for those who have no account with Amazon."""
_AHEAD_OF_ONE = 1 << 18
_QUESTIONS = 16
_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)

Fetch = Callable[[str], tuple[str, bytes | str]]
"""Returns the final address and the page for an address, or raises `InputError`."""


def is_page_address(name: str) -> bool:
    """Return whether a name is the web address of a page, not of an archive or a list."""
    files = (*ARCHIVES, *SUFFIXES, *WEB_LISTS)
    return name.startswith(storage.WEB) and not storage.path_of(name).endswith(files)


def expand(inputs: Sequence[str | Path], output: str | Path | None = None) -> list[str]:
    """Return the files that inputs stand for, folders and lists opened, in a fixed order.

    Args:
        inputs: Files, folders, lists and addresses.
        output: Folder that the run writes to: what it holds by then is no input of the same run.
    """
    found: list[str] = []
    for name in map(str, inputs):
        path = Path(name)
        if is_page_address(name):
            found.append(name)
        elif name.startswith(storage.WEB):
            found += _on_the_web(name)
        elif storage.is_remote(name):
            storage.require_remote(name)  # before it is looked into
            found += _in_a_store(name, str(output or ""))
        elif path.is_dir():
            found += _files_in(path, output)
        elif not path.exists():
            raise UsageError(f"{name}: no such file or folder; check the path")
        elif name.lower().endswith(LISTS):
            found += _named_in(name)
        else:
            found.append(name)
    if not found:
        raise UsageError(f"no pages in {', '.join(map(str, inputs))}")
    for name in {each.partition("://")[0]: each for each in found}.values():
        if storage.is_remote(name):
            storage.require_remote(name)
    _require_what(found)
    return found


def _on_the_web(name: str) -> list[str]:
    """Return the archive, or what the list names, at a web address."""
    if storage.path_of(name).endswith(WEB_LISTS):
        return _named_in(name)
    try:
        storage.state_of(name)
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or error}; check the address") from error
    return [name]


def _in_a_store(name: str, output: str) -> list[str]:
    """Return the files below an address; of a list, what it names."""
    found = storage.files_in(name, (*PAGES, *SUFFIXES, *ARCHIVES))
    if found == [name] and name.lower().endswith(LISTS):
        return _named_in(name)
    below = output.rstrip("/") + "/" if storage.is_remote(output) else ""
    if name.rstrip("/") + "/" == below:
        below_names = ((each, each.removeprefix(below)) for each in found)
        return [each for each, rest in below_names if not (OURS.fullmatch(rest))]
    return [each for each in found if not (below and each.startswith(below))]


def _files_in(folder: Path, output: str | Path | None) -> list[str]:
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


def _named_in(name: str) -> list[str]:
    """Return what a list names; paths of Common Crawl lie where its list does."""
    try:
        with storage.open_file(name) as file:
            data = file.read()
        data = gzip.decompress(data) if storage.path_of(name).endswith(".gz") else data
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{name}: {getattr(error, 'strerror', None) or error}") from error
    names = (line.strip() for line in data.decode("utf-8", "surrogateescape").splitlines())
    base, is_there, _ = name.partition("crawl-data/")
    if not (is_there and storage.is_elsewhere(name)):
        base = _COMMON_CRAWL_WEB if name.startswith(storage.WEB) else _COMMON_CRAWL
    return [
        f"{base}{each}" if each.startswith("crawl-data/") else each
        for each in names
        if each and not each.startswith("#")
    ]


def _require_what(files: Sequence[str]) -> None:
    has_fastwarc = importlib.util.find_spec("fastwarc") is not None
    if not has_fastwarc and any(storage.path_of(name).endswith(ARCHIVES) for name in files):
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
    read_ahead: int = storage.READ_AHEAD
    """How much a store is asked for at a time."""
    _bytes_read: int = 0

    @cached_property
    def _sizes_before(self) -> list[int]:
        """How many bytes lie before each file, which tells how much is left to do."""
        return [0, *accumulate(_of_each(self.files, _size))]

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
        for state in _of_each(self.files, _state):
            said.update(state)
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


_Told = TypeVar("_Told")


def _of_each(files: Sequence[str], ask: Callable[[str], _Told]) -> Iterator[_Told]:
    """Ask about every file; about those that are far away, many at the same time."""
    if not any(map(storage.is_elsewhere, files)):
        yield from map(ask, files)
        return
    from concurrent.futures import ThreadPoolExecutor  # files of this machine need none

    with ThreadPoolExecutor(_QUESTIONS) as threads:
        for start in range(0, len(files), _QUESTIONS):  # the first refusal ends it
            yield from threads.map(ask, files[start : start + _QUESTIONS])


def _size(name: str) -> int:
    return 0 if is_page_address(name) else storage.size_of(name)


def _state(name: str) -> bytes:
    """Return what changes when somebody writes to a file; ``-`` for what is none."""
    if is_page_address(name):
        return b"-"
    try:
        return storage.state_of(name)
    except storage.NoAccess as error:
        raise UsageError(f"{name}: {error.strerror}") from error
    except (OSError, ValueError) as error:  # gone
        _require_means(name, error)
        return b"-"


def _require_means(name: str, error: Exception) -> None:
    """Raise `InputError` where the system is short of something, which is no fault of the file.

    So it is where a server fails: what a row would call lost can be read by a run that goes on.
    """
    if not isinstance(error, OSError):
        return
    is_lost = isinstance(error, FileNotFoundError)
    if error.errno in _SHORTAGES or (storage.is_elsewhere(name) and not is_lost):
        raise InputError(f"{name}: {error.strerror or error}") from error


def _special(name: str) -> str:
    """Return what a name stands for that is no file, and might never end; '' for a file."""
    if storage.is_elsewhere(name):
        return ""
    mode = Path(name).stat().st_mode
    return next((kind for test, kind in _SPECIAL if test(mode)), "")


def _read(name: str, reader: Reader) -> Iterator[Capture]:
    """Yield the records of one file that follow the reader's position."""
    if is_page_address(name):
        reader.finish()
        yield _fetched(name, reader.fetch)
        return
    lower = storage.path_of(name)
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
        with storage.open_file(name, reader.read_ahead) as file:
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
    if name.startswith(storage.WEB):  # each page would take several requests
        return False
    lower = name.lower()
    if lower.endswith(SUFFIXES):
        return not is_packed(name)
    try:
        if _special(name):
            return False
        with storage.open_file(name) as file:
            return not (lower.endswith(ARCHIVES) and warc.is_packed(file))
    except (OSError, ValueError):
        return False


def record_at(name: str, offset: int) -> Capture | None:
    """Return the record of a file at an offset that another record gave; None if it is gone."""
    reader = Reader([name], Position(0, offset), read_ahead=_AHEAD_OF_ONE)
    return next((record for record in reader if record.offset == offset), None)
