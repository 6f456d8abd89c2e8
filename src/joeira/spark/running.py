"""Whole runs: every part of the inputs is a small run of its own that can be resumed.

A part is one task of Spark. Whoever gets it writes its shards, as `joeira.batch.run` does, and all
that a later run has to know travels in them. So it does not matter who dies, and when.
"""

# Annotations are not postponed here: Spark reads those of the functions it is given.
import json
import os
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from heapq import nsmallest
from pathlib import Path
from typing import Any

from joeira import api
from joeira.batch import Job, Output, Summary, sites
from joeira.batch.output import (
    Cursor,
    ignored_in,
    last_cursor,
    prepare,
    run_hash,
    shards_in,
    write_manifest,
)
from joeira.batch.rows import STATUSES, Capture, Position
from joeira.batch.runner import Writer
from joeira.batch.sites import MAX_PAGES, MIN_PAGES, Site
from joeira.batch.sources import Reader, expand
from joeira.batch.targets import Folder, Target
from joeira.errors import JoeiraError, OutputError, UsageError
from joeira.isolation.workers import require_processes
from joeira.spark.frames import MAX_PARTITIONS, learn, places_of_pages, require_seekable, team

_LOCK = ".spark.lock"
_TOLD = "said string, error binary"


def run(
    inputs: Sequence[str | Path],
    output: Output | str | Path,
    job: Job | None = None,
    *,
    master: str = "local[*]",
) -> Summary:
    """Extract from every page of the inputs with Spark, to shards and a manifest.

    If a run is stopped for any reason, starting it again in the same way resumes it. Rows,
    their order, counts and checksum are those of `joeira.batch.run`; only their division into
    shards is another.

    Args:
        inputs: Files and folders that all machines see under the same names.
        output: A folder that all machines see or an address of fsspec, for Parquet, or more
            precise wishes.
        job: What to extract.
        master: Which Spark to use, such as ``local[*]`` or ``spark://host:7077``.
    """
    require_processes()
    output = output if isinstance(output, Output) else Output(output, "parquet")
    job = (job or Job()).for_schema(output.schema)
    if isinstance(output.target, Folder):
        output = replace(output, folder=output.target.path.resolve())
    files = expand(inputs, output.folder)
    if job.site_method:
        require_seekable(files)
    with output.target.locked():
        prepare(output)
        plan = _Plan.of(files, output, job)
        total = _sum(plan.cursors())
        resumed_rows = total.rows
        ignored = ignored_in(output.folder, plan.run)
        if ignored is None:
            session = _session(master)
            try:
                if job.site_method:
                    _learn_sites(session, plan)
                total = _sum(_write_parts(session, plan))
            finally:
                with suppress(Exception):  # what ended the run is what has to be told
                    session.stop()
            write_manifest(output, job, replace(total, run=plan.run), files)
            if isinstance(output.target, Folder):
                output.target.remove([_LOCK])
            ignored = total.position.ignored
    return Summary(total.rows, total.counts, ignored, total.checksum, resumed_rows)


@dataclass(frozen=True)
class _Plan:
    """What driver and executors have to agree on."""

    files: Sequence[str]
    output: Output
    job: Job
    parts: int
    run: str

    @classmethod
    def of(cls, files: Sequence[str], output: Output, job: Job) -> "_Plan":
        parts = min(len(files), MAX_PARTITIONS)
        inputs = f"{Reader(files).fingerprint} in {parts} parts"
        return cls(files, output, job, parts, run_hash(output, job, inputs))

    def name(self, part: int) -> str:
        """Return how the names of the shards of a part begin."""
        return f"part-{part:05d}"

    def reader(self, part: int) -> Reader:
        """Return what reads the files of a part."""
        first, end = (number * len(self.files) // self.parts for number in (part, part + 1))
        return Reader(self.files[first:end])

    def cursors(self) -> list[Cursor]:
        """Return the progress of each part; refuse to resume a different run."""
        shards: dict[str, list[str]] = {}
        for shard in shards_in(self.output.folder):
            shards.setdefault(shard.rpartition("-")[0], []).append(shard)
        start = Cursor(self.run)
        return [last_cursor(self.output, start, name, known) for name, known in shards.items()]


def _sum(cursors: Iterable[Cursor]) -> Cursor:
    """Return counts and checksum of all parts together."""
    counts = Counter(dict.fromkeys(STATUSES, 0))
    checksum = ignored = 0
    for cursor in cursors:
        counts.update(cursor.counts)
        checksum += int(cursor.checksum, 16)
        ignored += cursor.position.ignored
    return Cursor(
        rows=counts.total(),
        position=Position(ignored=ignored),
        counts=dict(counts),
        checksum=f"{checksum % (1 << 128):032x}",
    )


def _session(master: str) -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError("Spark needs PySpark: pip install 'joeira[spark]'") from None
    if master.startswith("local"):  # where Spark would take any python3 that it finds
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return SparkSession.builder.master(master).appName("joeira batch").getOrCreate()


def _write_parts(session: Any, plan: _Plan) -> list[Cursor]:
    """Have all parts written; return how far each has come, which is to its end."""

    def write(batches: Iterator[Any]) -> Iterator[Any]:
        for part in (part for batch in batches for part in batch.column("id").to_pylist()):
            yield _told(partial(_write_part, plan, part))

    parts = session.range(0, plan.parts, 1, plan.parts)
    return [Cursor.from_json(said) for said in _said(parts.mapInArrow(write, _TOLD))]


def _learn_sites(session: Any, plan: _Plan) -> None:
    """Have all sites learned, those aside that an earlier run has learned."""
    with sites.kept(plan.output.target, plan.run) as found:
        if sites.read(found) is None:
            _learn_into(found, session, plan)


def _learn_into(found: sites.Sites, session: Any, plan: _Plan) -> None:
    import pyarrow

    def of_site(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        places = (place for batch in batches for place in batch.to_pylist())
        first = nsmallest(MAX_PAGES, places, key=lambda place: (place["number"], place["offset"]))
        yield _told(partial(_learn_site, plan, first))

    pages = places_of_pages(session, plan.files).where("site not like ' %'")
    for said in _said(pages.groupBy("site").applyInArrow(of_site, _TOLD)):
        told = json.loads(said)
        found.pages.update(told["pages"])
        found.problems.update(told["problems"])
    found.save()


def _said(told: Any) -> Iterator[str]:
    """Yield what tasks said; raise the first error among it."""
    for said, error in told.collect():
        if error is not None:
            raise pickle.loads(error)
        yield said


# In the executors --------------------------------------------------------------------------------


def _told(work: Callable[[], str]) -> Any:
    """Return what somebody says, or an error that means something to the user, for the driver."""
    import pyarrow

    said = error = None
    try:
        said = work()
    except JoeiraError as problem:
        error = pickle.dumps(problem)
    schema = pyarrow.schema([("said", pyarrow.string()), ("error", pyarrow.binary())])
    return pyarrow.RecordBatch.from_pylist([{"said": said, "error": error}], schema)


def _write_part(plan: _Plan, part: int) -> str:
    """Write what is missing of a part; return how far it has come."""
    with _alone(plan.output.target, part), ExitStack() as stack:
        reader = plan.reader(part)
        writer = Writer(plan.output, plan.job, reader, plan.run, plan.name(part))
        records: Iterable[Capture] = reader
        if plan.job.site_method:
            known = sites.read(stack.enter_context(sites.kept(plan.output.target, plan.run)))
            assert known is not None
            records = map(known.assigned, reader)
        for answer in team(plan.job).answers(records):
            writer.add(answer)
        writer.finish(reader.position.ignored)
        return writer.cursor.to_json()


def _learn_site(plan: _Plan, places: Sequence[dict[str, Any]]) -> str:
    """Learn a site from its first pages, if they are enough; return what became of it."""
    with sites.kept(plan.output.target, plan.run) as found:
        if len(places) >= MIN_PAGES:
            name = places[0]["site"]
            if found.has(name):
                found.pages[name] = api.load_site(found.brought(sites.file_name(name))).pages
            else:
                pages = tuple((place["path"], place["offset"]) for place in places)
                learn(Site(name, pages), found, plan.job)
        return json.dumps(found.to_dict())


@contextmanager
def _alone(target: Target, part: int) -> Iterator[None]:
    """Wait until nobody else writes a part: tasks may outlive a run that was killed.

    Stores know no locks. There, who comes second to a shard finds the same bytes, or ends.
    """
    if not isinstance(target, Folder):
        yield
        return
    import fcntl  # which Windows has not; `require_processes` has said so by then

    try:
        file = (target.path / _LOCK).open("ab")
        fcntl.lockf(file, fcntl.LOCK_EX, 1, part)  # works on storage that machines share, too
    except OSError as error:
        raise OutputError(f"{target.at(_LOCK)}: {error.strerror or error}") from error
    with file:
        yield
