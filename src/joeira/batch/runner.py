"""A whole run: from inputs to shards and a manifest, resuming an earlier run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from joeira.batch.job import Job, columns_of, shaped
from joeira.batch.output import (
    Cursor,
    Output,
    checksum_of,
    form_of,
    ignored_in,
    last_cursor,
    prepare,
    run_hash,
    shard_name,
    shards_in,
    write_manifest,
)
from joeira.batch.rows import FAILURES, STATUSES, Capture, Position, line
from joeira.batch.sources import Fetch, Reader, expand, is_page_address
from joeira.errors import UsageError
from joeira.isolation.workers import Answer, Workers, require_processes


@dataclass(frozen=True)
class Summary:
    """The outcome or current state of a run."""

    rows: int
    counts: dict[str, int]
    """Rows of each status."""
    ignored: int
    """Records of WARC files that are not pages."""
    checksum: str
    resumed_rows: int
    """Rows written by an earlier run."""
    done_bytes: int = 0
    total_bytes: int = 0
    slowest: tuple[float, str] = (0.0, "")
    """Milliseconds and id."""

    @property
    def failed(self) -> int:
        """Number of rows without a result, except empty ones."""
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

    If a run is stopped for any reason, starting it again in the same way resumes it.

    Args:
        inputs: HTML files, folders, JSONL, WARC, or lists of them.
        output: A folder or an address of fsspec, or more precise wishes.
        job: What to extract.
        workers: Number of processes; by default one per processor.
        progress: Called with the current state after every row.
        fetch: Fetches pages from web addresses; without it, they are skipped.
    """
    require_processes()
    output = output if isinstance(output, Output) else Output(output)
    job = (job or Job()).for_schema(output.schema)
    reader = Reader(expand(inputs, output.folder), fetch=fetch)
    if job.site_method and any(map(is_page_address, reader.files)):
        raise UsageError("--site needs local pages: fetch them first, without --site")
    with output.target.locked(), ExitStack() as stack:
        prepare(output)
        if not job.site_method:  # they start while this process prepares the output
            team = stack.enter_context(Workers(job, workers))
        writer = Writer(output, job, reader, run_hash(output, job, reader.fingerprint))
        ignored = ignored_in(output.folder, writer.cursor.run)
        if ignored is not None:
            writer.finish(ignored)
        else:
            records: Iterable[Capture] = reader
            if job.site_method:
                from joeira.batch import sites  # here, because few runs need it

                kept = stack.enter_context(sites.kept(output.target, writer.cursor.run))
                learned = sites.learn(Reader(reader.files), kept, job, workers)
                records = map(learned.assigned, reader)
                team = stack.enter_context(Workers(job, workers))
            for answer in team.answers(records):
                writer.add(answer)
                if progress:
                    progress(writer.summary())
            writer.finish(reader.position.ignored)
            write_manifest(output, job, writer.cursor, reader.files)
        return writer.summary()


class Writer:
    """Turns answers into rows, rows into shards, and knows how far it has come."""

    def __init__(
        self, output: Output, job: Job, reader: Reader, run: str, name: str = "part"
    ) -> None:
        """Make the reader resume an earlier run.

        Args:
            output: Where the rows go.
            job: What is extracted.
            reader: Where the records come from.
            run: Hash of all that the rows depend on.
            name: How the names of shards begin; nobody else may write such.
        """
        self._output, self._job, self._reader, self._name = output, job, reader, name
        self._columns = columns_of(output.schema, job)
        self._form = form_of(output.form, self._columns)
        self._kept, self._timings, self._size = list[Any](), list[bytes](), 0
        self._slowest = (0.0, "")
        shards = [each for each in shards_in(output.folder) if each.startswith(f"{name}-")]
        new = Cursor(run, counts=dict.fromkeys(STATUSES, 0))
        self.cursor = last_cursor(output, new, name, shards)
        self._resumed_rows = self.cursor.rows
        reader.position = self.cursor.position

    def add(self, answer: Answer[Capture]) -> None:
        """Take one more row; a full shard is written at once."""
        assert answer.found is not None
        row = self._job.row(answer.record, answer.found)
        values = shaped(self._output.schema, self._columns, row)
        data = line(values)
        self._kept.append(self._form.kept(values, data))
        self._size += len(data)
        self._slowest = max(self._slowest, (answer.elapsed_ms, row.id))
        self._timings.append(line({"id": row.id, "elapsed_ms": round(answer.elapsed_ms, 1)}))
        cursor = self.cursor
        counts = {**cursor.counts, row.status: cursor.counts[row.status] + 1}
        checksum = checksum_of(cursor.checksum, data, hashlib.sha256)
        self.cursor = replace(
            cursor,
            rows=cursor.rows + 1,
            counts=counts,
            checksum=checksum,
            position=answer.record.after,
        )
        if len(self._kept) >= self._output.shard_rows or self._size >= self._output.shard_bytes:
            self._write_shard()

    def finish(self, ignored: int) -> None:
        """Write what is left."""
        if self._kept:
            self._write_shard()
        self._reader.position = Position(len(self._reader.files), 0, ignored)
        self.cursor = replace(self.cursor, position=self._reader.position)

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
        target, number = self._output.target, self.cursor.shards
        self.cursor = replace(self.cursor, shards=number + 1)
        data = self._form.encode(self._kept, self.cursor)
        # Times differ from run to run, so they have a file of their own; it may get lost.
        timing = f"{self._name.replace('part', 'timing')}-{number:05d}.jsonl"
        target.write(timing, b"".join(self._timings), is_forced=False)
        target.write(shard_name(self._name, number, self._form), data)
        self._kept, self._timings, self._size = [], [], 0
