"""The output of a batch: atomic shards, each with the position to resume from.

`joeira.batch.targets` writes them. What a later run has to know
(position in the inputs, counts and checksum so far) travels in the shard itself: as the comment of
its gzip header, or in the footer of Parquet. Readers of either do not see it, and there is no other
state that could get lost.

The folder that a run writes to: what is in it, and the manifest that says that all is there.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from joeira._version import __version__
from joeira.batch.job import SCHEMAS, Job
from joeira.batch.rows import STATUSES, Kind, Position, column, packed, unpacked
from joeira.batch.targets import Target, target_of
from joeira.errors import OutputError, UsageError, require

FORMATS = ("jsonl", "parquet")
_KEY = b"joeira"
_REPEATED = (
    "status", "reason", "sitename", "hostname", "language", "pagetype", "joeira_version",
    "config_hash", "source", "dump", "file_path",
)  # fmt: skip
"""Columns whose values are worth a dictionary; of others it would be as large as they are."""
_PIECE_ROWS = 100


@dataclass(frozen=True)
class Cursor:
    """How far a run has come."""

    run: str = ""
    """Hash of configuration and inputs: only the same run can be resumed."""
    shards: int = 0
    rows: int = 0
    position: Position = field(default_factory=Position)
    counts: dict[str, int] = field(default_factory=dict)
    checksum: str = "0" * 32
    """Sum of the hashes of all rows: the same in any order."""

    def to_json(self) -> str:
        """Return the cursor as text."""
        return json.dumps(asdict(self), separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_json(cls, said: str | bytes) -> Cursor:
        """Return the cursor that a text tells; ValueError if it tells none."""
        try:
            values = json.loads(said)
            return cls(**{**values, "position": Position(**values["position"])})
        except (TypeError, KeyError) as error:
            raise ValueError(str(error)) from error


class Form(Protocol):
    """A format of shards."""

    suffix: str

    def kept(self, row: Mapping[str, Any], line: bytes) -> Any:
        """Return what is kept of a row, also given as a line of JSON, until its shard is full."""
        ...

    def encode(self, rows: Sequence[Any], cursor: Cursor) -> bytes:
        """Return the bytes of a shard from what was kept of its rows."""
        ...

    def cursor(self, file: BinaryIO) -> Cursor:
        """Read the cursor of a shard."""
        ...


class JsonLines:
    """Gzip-compressed lines of JSON."""

    suffix = ".jsonl.gz"

    def kept(self, _row: Mapping[str, Any], line: bytes) -> bytes:
        """Return the line."""
        return line

    def encode(self, rows: Sequence[bytes], cursor: Cursor) -> bytes:
        """Return the bytes of a shard."""
        data = b"".join(rows)
        deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
        # Method 8, a comment, no time (the same rows are the same bytes), system unknown.
        head = b"\x1f\x8b\x08\x10" + b"\0" * 5 + b"\xff" + cursor.to_json().encode("ascii") + b"\0"
        tail = struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)
        return b"".join([head, deflate.compress(data), deflate.flush(), tail])

    def cursor(self, file: BinaryIO) -> Cursor:
        """Read the cursor of a shard."""
        head = file.read(1 << 16)
        if not head.startswith(b"\x1f\x8b\x08\x10"):
            raise ValueError("not a shard of a batch")
        return Cursor.from_json(head[10:].partition(b"\0")[0])


class Parquet:
    """Parquet, compressed with Zstandard."""

    suffix = ".parquet"

    def __init__(self, columns: Mapping[str, Kind]) -> None:
        """Prepare the schema, which is that of all shards; every column may be null."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise UsageError("Parquet needs pyarrow: pip install 'joeira[parquet]'") from None
        self._arrow = pyarrow
        self._columns = columns
        self._schema = pyarrow.schema([(name, self._type(kind)) for name, kind in columns.items()])

    def _type(self, kind: Kind) -> Any:
        """Return Arrow's type for a kind."""
        if isinstance(kind, dict):
            return self._arrow.struct([(name, self._type(kind[name])) for name in kind])
        if isinstance(kind, list):
            return self._arrow.list_(self._type(kind[0]))
        return getattr(self._arrow, kind)()

    def kept(self, row: Mapping[str, Any], _line: bytes = b"") -> list[Any]:
        """Return the values of a row, packed."""
        return [packed(row.get(name), kind) for name, kind in self._columns.items()]

    def encode(self, rows: Sequence[Sequence[Any]], cursor: Cursor) -> bytes:
        """Return the bytes of a shard."""
        said = {_KEY: cursor.to_json().encode()}
        table = self.table(rows).replace_schema_metadata(said)
        self._arrow.default_memory_pool().release_unused()  # it would keep the most it ever held
        sink = self._arrow.BufferOutputStream()
        repeated = [name for name in _REPEATED if name in table.column_names]
        self._arrow.parquet.write_table(table, sink, use_dictionary=repeated, compression="zstd")
        data: bytes = sink.getvalue().to_pybytes()
        del table, sink
        self._arrow.default_memory_pool().release_unused()
        return data

    def table(self, rows: Sequence[Sequence[Any]]) -> Any:
        """Return what was kept of rows as an Arrow table.

        Few of them are unpacked at a time: that takes several times as much memory.
        """
        starts = range(0, len(rows), _PIECE_ROWS)
        pieces = [self._piece(rows[start : start + _PIECE_ROWS]) for start in starts]
        return self._arrow.Table.from_batches(pieces, self._schema).combine_chunks()

    def _piece(self, rows: Sequence[Sequence[Any]]) -> Any:
        columns = [
            column(self._arrow, kind, field.type, [unpacked(each, kind) for each in said])
            for kind, field, said in zip(
                self._columns.values(), self._schema, zip(*rows, strict=True), strict=True
            )
        ]
        return self._arrow.RecordBatch.from_arrays(columns, schema=self._schema)

    def cursor(self, file: BinaryIO) -> Cursor:
        """Read the cursor of a shard."""
        try:
            said = self._arrow.parquet.read_schema(file).metadata
        except self._arrow.ArrowException as error:
            raise ValueError(str(error)) from error
        return Cursor.from_json((said or {}).get(_KEY, b"null"))


def form_of(name: str, columns: Mapping[str, Kind]) -> Form:
    """Return a format by its name."""
    return Parquet(columns) if name == "parquet" else JsonLines()


def shard_name(name: str, number: int, form: Form) -> str:
    """Return the file name of a shard, such as ``part-00000.jsonl.gz``."""
    return f"{name}-{number:05d}{form.suffix}"


def checksum_of(value: str, row: bytes, digest: Any) -> str:
    """Return a checksum with one row more."""
    added = int.from_bytes(digest(row).digest()[:16], "big")
    return f"{(int(value, 16) + added) % (1 << 128):032x}"


MANIFEST = "manifest.json"
OURS = re.compile(
    r"\.?(part|timing)-\d{5,}(-\d{5,})?\.(jsonl\.gz|parquet|jsonl)(\.tmp)?"
    r"|\.?manifest\.json(\.tmp)?"
)
"""Names of the files that a run writes to its folder, and, ..."""
OUR_FOLDERS = re.compile(r"sites-[0-9a-f]{12}")
"""... with sites, the folder."""
_ANEW = "choose another output, or --overwrite to start over"


@dataclass(frozen=True)
class Output:
    """The output folder and format of a batch."""

    folder: Path | str
    """A folder of this machine, or an address of fsspec such as ``s3://bucket/rows``."""
    form: str = "jsonl"
    schema: str = "joeira"
    shard_rows: int = 500
    """Rows per shard; a killed run repeats less work than this."""
    shard_bytes: int = 64 << 20
    overwrite: bool = False

    def __post_init__(self) -> None:
        """Check the options."""
        require(self.form in FORMATS, f"the output is one of {', '.join(FORMATS)}")
        require(self.schema in SCHEMAS, f"the schema is one of {', '.join(SCHEMAS)}")
        require(min(self.shard_rows, self.shard_bytes) >= 1, "a shard needs at least one row")

    @property
    def target(self) -> Target:
        """What is written to."""
        return target_of(self.folder)


def run_hash(output: Output, job: Job, inputs: str) -> str:
    """Return a hash of all that rows and their division into shards depend on."""
    said = [job.config_hash, __version__, inputs]
    said += [output.form, output.schema, str(output.shard_rows), str(output.shard_bytes)]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]


def write_manifest(output: Output, job: Job, cursor: Cursor, inputs: Sequence[str]) -> None:
    """Say that all rows are there."""
    said = {
        "joeira_version": __version__,
        "config_hash": job.config_hash,
        "configuration": {**job.to_dict(), "schema": output.schema, "to": output.form},
        "run": cursor.run,
        "inputs": list(inputs),
        "rows": cursor.rows,
        "counts": {status: cursor.counts[status] for status in STATUSES},
        "ignored": cursor.position.ignored,
        "checksum": cursor.checksum,
        "shards": shards_in(output.folder),
    }
    data = json.dumps(said, indent=1).encode("utf-8", "replace") + b"\n"
    output.target.write(MANIFEST, data)


def last_cursor(output: Output, start: Cursor, name: str, shards: Sequence[str]) -> Cursor:
    """Return where an earlier run stopped; refuse to mix two different ones.

    Args:
        output: Where the rows go.
        start: The cursor of a run that has just begun.
        name: How the names of its shards begin.
        shards: Names of the shards that are there, in any order.
    """
    if not shards:
        return start
    target, form = output.target, form_of(output.form, {})
    names = [shard_name(name, number, form) for number in range(len(shards))]
    if set(shards) != set(names):
        said = f"{output.folder}: shards of another format, or some are missing; {_ANEW}"
        raise UsageError(said)
    try:
        with target.open(names[-1]) as file:
            last = form.cursor(file)
    except OSError as error:
        raise OutputError(f"{target.at(names[-1])}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"{target.at(names[-1])} cannot be read ({error}); {_ANEW}") from error
    if last.run != start.run:
        raise _another_run(output.folder)
    return last


def ignored_in(folder: str | Path, run: str) -> int | None:
    """Return how many records a finished run passed by; None if the run has not finished.

    A run without a row has no shard, so the manifest has to tell, too, that it is the same run.
    """
    target = target_of(folder)
    path = target.at(MANIFEST)
    try:
        with target.open(MANIFEST) as file:
            said = json.loads(file.read())
        ignored, finished = int(said["ignored"]), said["run"]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} cannot be read ({error}); --overwrite starts over") from error
    if finished != run:
        raise _another_run(folder)
    return ignored


def _another_run(folder: str | Path) -> UsageError:
    return UsageError(f"{folder} contains rows of another configuration, version or input; {_ANEW}")


def prepare(output: Output) -> None:
    """Remove what an earlier run left half-written, or all that is its if that is wanted."""
    names = [name for name in output.target.names() if OURS.fullmatch(name)]
    if output.overwrite:
        output.target.remove(names)
        output.target.remove_folders(OUR_FOLDERS)
    else:
        output.target.remove([name for name in names if name.endswith(".tmp")])


def shards_in(folder: str | Path) -> list[str]:
    """Return the names of all shards in a folder, in the order of the inputs."""
    names = target_of(folder).names()
    found = (re.fullmatch(r"part-(\d+)(?:-(\d+))?\.(?:jsonl\.gz|parquet)", name) for name in names)
    numbers = {each[0]: (int(each[1]), int(each[2] or 0)) for each in found if each}
    return sorted(numbers, key=numbers.__getitem__)
