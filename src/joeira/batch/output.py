"""The folder that a run writes to: what is in it, and the manifest that says that all is there."""

from __future__ import annotations

import hashlib
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
    r"\.?(part|timing)-\d{5,}(-\d{5,})?\.(jsonl\.gz|parquet|jsonl)(\.tmp)?"
    r"|\.?manifest\.json(\.tmp)?"
)
_ANEW = "choose another output, or --overwrite to start anew"


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


def run_hash(output: Output, job: Job, inputs: str) -> str:
    """Return a hash of all that rows and their division into shards depend on."""
    said = [job.config_hash, VERSION, inputs]
    said += [output.form, output.schema, str(output.shard_rows), str(output.shard_bytes)]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]


def write_manifest(output: Output, job: Job, cursor: Cursor, inputs: Sequence[str]) -> None:
    """Say that all rows are there."""
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
        "shards": shards_in(output.folder),
    }
    data = json.dumps(said, indent=1).encode("utf-8", "replace") + b"\n"
    sinks.write(output.folder / MANIFEST, data)


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
    folder, form = output.folder, sinks.form_of(output.form, ())
    names = [sinks.shard_name(name, number, form) for number in range(len(shards))]
    if set(shards) != set(names):
        raise UsageError(f"{folder}: shards of another form, or some are missing; {_ANEW}")
    try:
        last = form.cursor(folder / names[-1])
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder / names[-1]} cannot be read ({error}); {_ANEW}") from error
    if last.run != start.run:
        message = f"{folder} holds rows of another configuration, version or input; {_ANEW}"
        raise UsageError(message)
    return last


def ignored_in(folder: Path) -> int | None:
    """Return how many records a finished run passed by; None if the run has not finished."""
    path = folder / MANIFEST
    try:
        return int(json.loads(path.read_bytes())["ignored"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} cannot be read ({error}); --overwrite starts anew") from error


def prepare(output: Output) -> None:
    """Remove what an earlier run left half-written, or all that is its if that is wanted."""
    files = written(output.folder)
    if output.overwrite:
        sinks.remove(files)
        sinks.remove_folders(list(output.folder.glob("sites-" + 12 * "[0-9a-f]")))
    else:
        sinks.remove([path for path in files if path.name.endswith(".tmp")])


def written(folder: Path) -> list[Path]:
    """Return what runs have written to a folder, site files aside."""
    return sorted(path for path in folder.iterdir() if _OURS.fullmatch(path.name))


def shards_in(folder: Path) -> list[str]:
    """Return the names of all shards in a folder, in the order of the inputs."""
    names = [path.name for path in written(folder)]
    found = (re.fullmatch(r"part-(\d+)(?:-(\d+))?\.(?:jsonl\.gz|parquet)", name) for name in names)
    numbers = {each[0]: (int(each[1]), int(each[2] or 0)) for each in found if each}
    return sorted(numbers, key=numbers.__getitem__)


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
