"""The folder that a run writes to: what is in it, and the manifest that says that all is there."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from joeira.batch import sinks
from joeira.batch.job import SCHEMAS, VERSION, Job
from joeira.batch.rows import STATUSES
from joeira.batch.sinks import Cursor
from joeira.errors import OutputError, UsageError, require

MANIFEST = "manifest.json"
_OURS = re.compile(
    r"\.?(part|timing)-\d{5,}\.(jsonl\.gz|parquet|jsonl)(\.tmp)?|\.?manifest\.json(\.tmp)?"
)


@dataclass(frozen=True)
class Output:
    """Where the rows go, and how."""

    folder: Path
    form: str = "jsonl"
    schema: str = "joeira"
    shard_rows: int = 500
    """A run that is killed repeats less work than this."""
    shard_bytes: int = 64 << 20
    overwrite: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be written."""
        require(self.form in sinks.FORMATS, f"the output is one of {', '.join(sinks.FORMATS)}")
        require(self.schema in SCHEMAS, f"the schema is one of {', '.join(SCHEMAS)}")
        require(min(self.shard_rows, self.shard_bytes) >= 1, "a shard has at least one row")


def manifest(output: Output, job: Job, cursor: Cursor, inputs: Sequence[str]) -> bytes:
    """Return what is said of a finished run."""
    form = sinks.form(output.form, ())
    said = {
        "joeira_version": VERSION,
        "config_hash": job.config_hash,
        "configuration": {**asdict(job), "schema": output.schema, "to": output.form},
        "run": cursor.run,
        "inputs": list(inputs),
        "rows": cursor.rows,
        "counts": {status: cursor.counts[status] for status in STATUSES},
        "ignored": cursor.position.ignored,
        "checksum": cursor.checksum,
        "shards": [sinks.shard_name(number, form) for number in range(cursor.shards)],
    }
    return json.dumps(said, indent=1).encode("utf-8", "replace") + b"\n"


def clear(folder: Path) -> None:
    """Remove what earlier runs have written, and nothing else."""
    sinks.remove(written(folder))
    sinks.remove_folders(list(folder.glob("sites-" + 12 * "[0-9a-f]")))


def written(folder: Path) -> list[Path]:
    """Return what runs have written to a folder, site files aside."""
    return sorted(path for path in folder.iterdir() if _OURS.fullmatch(path.name))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the output folder, and keep a second run out of it."""
    import fcntl  # which Windows has not; workers have said so by then

    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise OutputError(f"{folder}: {error.strerror or error}") from error
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{folder}: another run is writing there") from None
        yield
    finally:
        os.close(number)
