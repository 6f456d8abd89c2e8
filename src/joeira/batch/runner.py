"""A whole run: from inputs to shards and a manifest, going on where an earlier run stopped."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from joeira.batch import sinks, sites
from joeira.batch.job import VERSION, Job
from joeira.batch.output import MANIFEST, Output, clear, locked, manifest, written
from joeira.batch.rows import FAILURES, STATUSES, Position, Record, line
from joeira.batch.schemas import columns_of, shaped
from joeira.batch.sinks import Cursor
from joeira.batch.sources import ADDRESSES, Fetch, Reader, expand
from joeira.batch.workers import Answer, Workers
from joeira.errors import UsageError


@dataclass(frozen=True)
class Summary:
    """How a run ended, or how it goes."""

    rows: int
    counts: dict[str, int]
    """Rows of each status."""
    ignored: int
    """Records of WARC files that are no pages."""
    checksum: str
    resumed_rows: int
    """Rows that an earlier run had written."""
    done_bytes: int = 0
    total_bytes: int = 0
    slowest: tuple[float, str] = (0.0, "")
    """Milliseconds and id."""

    @property
    def failed(self) -> int:
        """Number of rows without a result that are not just empty."""
        return sum(self.counts[status] for status in FAILURES)


Progress = Callable[[Summary], None]


def run(
    inputs: Sequence[str | Path],
    output: Output | str | Path,
    job: Job | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    fetch: Fetch | None = None,
) -> Summary:
    """Extract from every page of the inputs and write one row for each.

    A run that was stopped, by whatever, goes on when it is started again in the same way.

    Args:
        inputs: HTML files, folders, JSONL, WARC, or lists of them.
        output: A folder, or more precise wishes.
        job: What to extract.
        workers: Number of processes; one for each processor if not given.
        progress: Called with the state of affairs after every row.
        fetch: How pages at web addresses are got; without it, they are skipped.
    """
    job = job or Job()
    output = output if isinstance(output, Output) else Output(Path(output))
    reader = Reader(expand(inputs), fetch=fetch)
    if job.site_method and any(name.startswith(ADDRESSES) for name in reader.files):
        raise UsageError("sites are learned from pages at hand: fetch them first, without --site")
    with locked(output.folder):
        writer = _Writer(output, job, reader)
        if not writer.is_complete:
            records: Iterable[Record] = reader
            if job.site_method:
                folder = output.folder / f"sites-{writer.cursor.run}"
                found = sites.learn(Reader(reader.files), folder, job, workers)
                records = map(found.assigned, reader)
            with Workers(job, workers) as team:
                for answer in team.answers(records):
                    writer.add(answer)
                    if progress:
                        progress(writer.summary())
            writer.finish()
        return writer.summary()


class _Writer:
    """Turns answers into rows, rows into shards, and knows how far it has come."""

    def __init__(self, output: Output, job: Job, reader: Reader) -> None:
        self._output, self._job, self._reader = output, job, reader
        self._columns = columns_of(output.schema, job)
        self._form = sinks.form(output.form, self._columns)
        self._lines: list[bytes] = []
        self._timings: list[bytes] = []
        self._size = 0
        self._slowest = (0.0, "")
        start = Cursor(self._run_hash(), counts=dict.fromkeys(STATUSES, 0))
        if output.overwrite:
            clear(output.folder)
        self.cursor = self._resumed(start)
        self._resumed_rows = self.cursor.rows
        reader.position = self.cursor.position
        self.is_complete = (output.folder / MANIFEST).exists()

    def add(self, answer: Answer[Record]) -> None:
        """Take one more row; a full shard is written at once."""
        assert answer.found is not None
        row = self._job.row(answer.record, answer.found)
        shape = shaped(self._output.schema, self._columns, row)
        data = line(shape)
        self._lines.append(data)
        self._size += len(data)
        self._slowest = max(self._slowest, (answer.elapsed_ms, row.id))
        elapsed = {"id": row.id, "elapsed_ms": round(answer.elapsed_ms, 1)}
        self._timings.append(line(elapsed))
        counts = {**self.cursor.counts, row.status: self.cursor.counts[row.status] + 1}
        checksum = sinks.checksum_of(self.cursor.checksum, data, hashlib.sha256)
        self.cursor = replace(
            self.cursor,
            rows=self.cursor.rows + 1,
            counts=counts,
            checksum=checksum,
            position=answer.record.after,
        )
        if len(self._lines) >= self._output.shard_rows or self._size >= self._output.shard_bytes:
            self._write_shard()

    def finish(self) -> None:
        """Write what is left, and the manifest, which says that all is there."""
        if self._lines:
            self._write_shard()
        self.cursor = replace(self.cursor, position=self._reader.position)
        output, files = self._output, self._reader.files
        sinks.write(output.folder / MANIFEST, manifest(output, self._job, self.cursor, files))

    def summary(self) -> Summary:
        """Return the state of affairs."""
        return Summary(
            self.cursor.rows,
            self.cursor.counts,
            self.cursor.position.ignored,
            self.cursor.checksum,
            self._resumed_rows,
            self._reader.done_bytes,
            self._reader.total_bytes,
            self._slowest,
        )

    def _write_shard(self) -> None:
        folder, number = self._output.folder, self.cursor.shards
        self.cursor = replace(self.cursor, shards=number + 1)
        data = self._form.encode(self._lines, self.cursor)
        # Times differ from run to run, so they have a file of their own; it may get lost.
        timing = folder / f"timing-{number:05d}.jsonl"
        sinks.write(timing, b"".join(self._timings), is_forced=False)
        sinks.write(folder / sinks.shard_name(number, self._form), data)
        self._lines, self._timings, self._size = [], [], 0

    def _run_hash(self) -> str:
        output = self._output
        said = [self._job.config_hash, VERSION, self._reader.fingerprint]
        said += [output.form, output.schema, str(output.shard_rows), str(output.shard_bytes)]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]

    def _resumed(self, start: Cursor) -> Cursor:
        """Return where an earlier run stopped; refuse to mix two different ones."""
        folder = self._output.folder
        files = written(folder)
        sinks.remove([path for path in files if path.name.endswith(".tmp")])
        shards = [path.name for path in files if re.match(r"part-.*(gz|parquet)$", path.name)]
        if not shards and not (folder / MANIFEST).exists():
            return start
        anew = "choose another output, or --overwrite to start anew"
        if shards != [sinks.shard_name(number, self._form) for number in range(len(shards))]:
            raise UsageError(f"{folder}: shards of another form, or some are missing; {anew}")
        try:
            last = self._form.cursor(folder / shards[-1]) if shards else start
        except (OSError, ValueError) as error:
            raise UsageError(f"{folder / shards[-1]} cannot be read ({error}); {anew}") from error
        if last.run != start.run:
            message = f"{folder} holds rows of another configuration, version or input; {anew}"
            raise UsageError(message)
        return self._finished(last)

    def _finished(self, last: Cursor) -> Cursor:
        """Return the cursor with what only the end of a run knows."""
        path = self._output.folder / MANIFEST
        if not path.exists():
            return last
        try:
            ignored = int(json.loads(path.read_bytes())["ignored"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path} cannot be read ({error}); --overwrite starts anew") from error
        return replace(last, position=Position(len(self._reader.files), 0, ignored))
