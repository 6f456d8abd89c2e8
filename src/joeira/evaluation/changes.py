"""Differences between two outputs for the same pages: rows paired by id, field by field.

Outputs are JSON lines, as a batch writes them. They may be larger than memory: of the old output
only the place of each row is kept, and a row is read again when its partner in the new output comes
by. What is compressed is unpacked into a temporary file for that. Rows that have the same id are
paired in the order in which they come.
"""

from __future__ import annotations

import gzip
import heapq
import json
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any

from joeira.errors import InputError, OutputError, UsageError
from joeira.evaluation.metrics import tokens, word_scores

IGNORED = ("joeira_version", "config_hash", "version", "configuration")
"""Fields that name the version and the settings: they differ after every upgrade."""
HASH = "sha256:"
"""How a value begins that is only the hash of another: it has no words to measure."""
IDS_SHOWN = 5
_WORDS_SHOWN = 8
_VALUE_CHARS = 60
_GZIP = b"\x1f\x8b"
_PAIRS_PER_REPORT = 256

Row = dict[str, Any]


@dataclass(frozen=True)
class Rows:
    """One output: JSON lines, plain or gzipped, or Parquet, in files that follow each other."""

    files: tuple[Path, ...]

    def lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield every line with its place, for messages."""
        for path in self.files:
            number = 0
            try:
                for number, line in enumerate(_lines(path), 1):
                    if not line.isspace():
                        yield f"{path}, line {number}", line
            except (OSError, EOFError, zlib.error) as error:
                reason = getattr(error, "strerror", None) or error
                message = f"{path}, after line {number}: cannot be read: {reason}"
                raise InputError(message) from error

    def __iter__(self) -> Iterator[Row]:
        """Yield every row; damage is named with its file and line."""
        return (read_row(line, place) for place, line in self.lines())


@dataclass(frozen=True)
class Options:
    """What is compared, and what is reported."""

    fields: tuple[str, ...] | None = None
    """Only these fields; None for all but `IGNORED`."""
    over: float = 0.05
    """Share of changed words above which a page is counted."""
    most: int = 20
    """How many of the most changed pages are listed."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if not 0 <= self.over <= 1:
            raise UsageError(f"the share of words must be between 0 and 1, not {self.over}")
        if self.most < 0:
            raise UsageError(f"the number of pages to list must not be negative: {self.most}")


@dataclass(frozen=True)
class Change:
    """The field of a page that changed most."""

    id: str
    field: str
    size: float | None
    """Share of its words that changed; None where it has no words."""
    lost: str
    gained: str
    """A few words, or the values if these are not texts."""
    also: tuple[str, ...] = ()
    """The other fields that changed."""


@dataclass
class FieldCount:
    """How a field fared over all pages that are in both outputs."""

    equal: int = 0
    changed: int = 0
    only_old: int = 0
    only_new: int = 0
    measured: int = 0
    """Pages on which the field has words, before or after."""
    total_size: float = 0.0
    over: int = 0

    @property
    def mean_size(self) -> float | None:
        """Mean share of changed words; None for a field without words."""
        return self.total_size / self.measured if self.measured else None


@dataclass
class Comparison:
    """All that was found; it grows with every pair of rows."""

    options: Options
    equal_pages: int = 0
    changed_pages: int = 0
    over_pages: int = 0
    """Pages of which some field changed by more than the wanted share of its words."""
    only_old: list[str] = field(default_factory=list)
    only_new: list[str] = field(default_factory=list)
    """Ids of the first rows that have no partner, and the number of all such rows."""
    only_old_rows: int = 0
    only_new_rows: int = 0
    fields: dict[str, FieldCount] = field(default_factory=dict)
    ignored: dict[str, None] = field(default_factory=dict)
    """Fields that were left out, as they occurred."""
    _most: list[tuple[float, int, Change]] = field(default_factory=list)

    @property
    def pages(self) -> int:
        """Number of pages in both outputs."""
        return self.equal_pages + self.changed_pages

    @property
    def differs(self) -> bool:
        """Whether anything at all is different."""
        return bool(self.changed_pages or self.only_old_rows or self.only_new_rows)

    @property
    def most_changed(self) -> list[Change]:
        """The pages that changed most, those first."""
        return [change for _, _, change in sorted(self._most, reverse=True)]

    def add(self, old: Row, new: Row) -> None:
        """Compare two rows of one page."""
        changes: list[tuple[float, str]] = []
        names = dict.fromkeys((*old, *new))
        for name in names:
            if not self._is_compared(name):
                continue
            size = self._compare(name, old.get(name), new.get(name))
            if size is not None:
                changes.append((size, name))
        if not changes:
            self.equal_pages += 1
            return
        self.changed_pages += 1
        self.over_pages += max(changes)[0] > self.options.over
        # Of fields that changed about as much, the first, which is easier to read than its markup.
        size, name = max(changes, key=lambda change: round(change[0], 1))
        rank = (size, -self.pages)
        if len(self._most) < self.options.most or (self._most and rank > self._most[0][:2]):
            also = tuple(other for _, other in changes if other != name)
            change = describe_change(str(new["id"]), name, old.get(name), new.get(name))
            entry = (*rank, replace(change, also=also))
            push = heapq.heappush if len(self._most) < self.options.most else heapq.heapreplace
            push(self._most, entry)

    def add_unpaired(self, page_id: str, *, is_old: bool) -> None:
        """Count a row without a partner."""
        ids = self.only_old if is_old else self.only_new
        if len(ids) < IDS_SHOWN:
            ids.append(page_id)
        self.only_old_rows += is_old
        self.only_new_rows += not is_old

    def _is_compared(self, name: str) -> bool:
        if self.options.fields is not None:
            return name in self.options.fields
        if name in IGNORED:
            self.ignored[name] = None
        return name != "id" and name not in IGNORED

    def _compare(self, name: str, old: Any, new: Any) -> float | None:
        """Count a field of a page; return the share of words that changed, None if it is equal."""
        count = self.fields.setdefault(name, FieldCount())
        if self.options.fields is None:
            old, new = without_ignored(old), without_ignored(new)
        texts = texts_of(old, new)
        count.measured += texts is not None
        if old == new:
            count.equal += 1
            return None
        if old is None:
            count.only_new += 1
        elif new is None:
            count.only_old += 1
        else:
            count.changed += 1
        size = size_of_change(*texts) if texts else 0.0
        count.total_size += size
        count.over += size > self.options.over
        return size


def compare(
    old: Rows,
    new: Rows,
    options: Options,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Comparison:
    """Pair the rows of two outputs and compare them; `progress` gets pairs done and expected."""
    comparison = Comparison(options)
    with index_of(old) as index:
        total = len(index)
        for number, row in enumerate(new, 1):
            partner = index.take(str(row["id"]))
            if partner is None:
                comparison.add_unpaired(str(row["id"]), is_old=False)
            else:
                comparison.add(partner, row)
            if number % _PAIRS_PER_REPORT == 0:
                progress(number, max(total, number))
        for page_id in index.left():
            comparison.add_unpaired(page_id, is_old=True)
    missing = [name for name in options.fields or () if name not in comparison.fields]
    if missing and comparison.pages:
        raise UsageError(f"no page in both outputs has the field {missing[0]!r}")
    return comparison


class Index:
    """Where the rows of an output are, by id; a row is read when it is asked for, and once."""

    def __init__(self, file: IO[bytes], lines: Iterable[tuple[str, int, bytes]]) -> None:
        """Read every row once, to know its id.

        Args:
            file: Holds the rows, and can be read at any place.
            lines: Every row of it with its place in words, and its offset.
        """
        self._file = file
        self._offsets: dict[str, list[int]] = {}
        for place, offset, line in lines:
            page_id = str(read_row(line, place)["id"])
            self._offsets.setdefault(page_id, []).append(offset)

    def __len__(self) -> int:
        """Return the number of rows that nobody has taken."""
        return sum(map(len, self._offsets.values()))

    def take(self, page_id: str) -> Row | None:
        """Return the next row of an id; None if there is none (any more)."""
        offsets = self._offsets.get(page_id)
        if not offsets:
            return None
        self._file.seek(offsets.pop(0))
        if not offsets:
            del self._offsets[page_id]
        row: Row = json.loads(self._file.readline())
        return row

    def left(self) -> Iterator[str]:
        """Yield the id of every row that nobody has taken."""
        return (page_id for page_id, offsets in self._offsets.items() for _ in offsets)


@contextmanager
def index_of(rows: Rows) -> Iterator[Index]:
    """Give an index of an output, by way of a temporary file where it is packed or in parts."""
    if len(rows.files) == 1 and _is_plain(rows.files[0]):
        with rows.files[0].open("rb") as file:
            yield Index(file, _offsets(rows.files[0], file))
    else:
        with tempfile.TemporaryFile() as copy:
            yield Index(copy, _copied(rows, copy))


def _offsets(path: Path, file: IO[bytes]) -> Iterator[tuple[str, int, bytes]]:
    offset = 0
    for number, line in enumerate(file, 1):
        if not line.isspace():
            yield f"{path}, line {number}", offset, line
        offset += len(line)


def _copied(rows: Rows, copy: IO[bytes]) -> Iterator[tuple[str, int, bytes]]:
    """Yield the lines of an output while they are copied into a file."""
    offset = 0
    for place, line in rows.lines():
        whole = line if line.endswith(b"\n") else line + b"\n"
        try:
            copy.write(whole)
        except OSError as error:
            reason = error.strerror or error
            raise OutputError(f"temporary copy of {place}: {reason}") from error
        yield place, offset, line
        offset += len(whole)


def _is_plain(path: Path) -> bool:
    if path.suffix == ".parquet":
        return False
    try:
        with path.open("rb") as file:
            return file.read(2) != _GZIP
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def _lines(path: Path) -> Iterator[bytes]:
    if path.suffix == ".parquet":
        yield from _parquet_lines(path)
        return
    if _is_plain(path):
        with path.open("rb") as file:
            yield from file
    else:
        with gzip.open(path, "rb") as packed:
            yield from packed


def _parquet_lines(path: Path) -> Iterator[bytes]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'joeira[parquet]'") from None
    try:
        for batch in pyarrow.parquet.ParquetFile(path).iter_batches(batch_size=64):
            for row in batch.to_pylist():
                yield json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    except pyarrow.ArrowException as error:
        raise OSError(str(error)) from error


def read_row(line: bytes, place: str) -> Row:
    """Return a row with an id, or raise `InputError` that says where it stands."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON: {error}") from error
    if not isinstance(row, dict):
        raise InputError(f"{place}: a row is a JSON object, not {type(row).__name__}")
    if not isinstance(row.get("id"), str | int):
        raise InputError(f"{place}: the row has no 'id'")
    return row


# Measures -----------------------------------------------------------------------------------------


def without_ignored(value: Any) -> Any:
    """Return plain data without the fields in it that are ignored."""
    if isinstance(value, dict):
        return {k: without_ignored(each) for k, each in value.items() if k not in IGNORED}
    return [without_ignored(each) for each in value] if isinstance(value, list) else value


def texts_of(old: Any, new: Any) -> tuple[str, str] | None:
    """Return two values as texts, also what is within lists and objects; None without texts."""
    if any(isinstance(value, str) and value.startswith(HASH) for value in (old, new)):
        return None
    texts = list(_texts_in(old)), list(_texts_in(new))
    return ("\n".join(texts[0]), "\n".join(texts[1])) if any(texts) else None


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(each)


def size_of_change(old: str, new: str) -> float:
    """Return the share of words that changed: 1 - F1 of the bags of words, 0 to 1."""
    return 1 - word_scores(old, new, split_cjk=True)[2]


def describe_change(page_id: str, name: str, old: Any, new: Any) -> Change:
    """Return a change with a few words of what was lost and gained."""
    texts = texts_of(old, new)
    if texts is None:
        return Change(page_id, name, None, _short(old), _short(new))
    before, after = texts
    lost, gained = _more_in(before, after), _more_in(after, before)
    return Change(page_id, name, size_of_change(before, after), lost, gained)


def _more_in(text: str, other: str) -> str:
    """Return the first words that a text has more often than another one."""
    spare = Counter(tokens(other.lower(), split_cjk=True))
    words = list(islice(_unmatched(tokens(text, split_cjk=True), spare), _WORDS_SHOWN + 1))
    return " ".join(words[:_WORDS_SHOWN]) + " …" * (len(words) > _WORDS_SHOWN)


def _unmatched(words: Sequence[str], spare: Counter[str]) -> Iterator[str]:
    for word in words:
        if spare[word.lower()] > 0:
            spare[word.lower()] -= 1
        else:
            yield word


def _short(value: Any) -> str:
    """Return a short form of a value that is not text; '' if there is none."""
    if value is None:
        return ""
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return said if len(said) <= _VALUE_CHARS else f"{said[: _VALUE_CHARS - 1]}…"
