"""Data frames with one row for every page.

What travels through Spark are the names of files and offsets in them, and rows. Pages do not: each
executor reads them from storage that all machines share, and works on them in processes of its own
that can be killed, as `joeira.batch` does.
"""

# Annotations are not postponed here: Spark reads those of the functions it is given.
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from joeira.batch import Job, output, storage, web_files
from joeira.batch.job import columns_of, shaped, site_method_for
from joeira.batch.rows import Capture, Kind, line
from joeira.batch.sites import MAX_PAGES, MIN_PAGES, Learning, Site, Sites, site_of, without_poison
from joeira.batch.sources import Reader, can_seek, expand, record_at
from joeira.errors import UsageError
from joeira.isolation.work import Work
from joeira.isolation.workers import Workers

MAX_PARTITIONS = 1000
"""Files are divided into at most so many parts, each of which one process reads."""
_BATCH_ROWS = 200
_BATCH_BYTES = 16 << 20
_SPARK_KINDS = {"string": "string", "float64": "double", "int64": "bigint", "date32": "date"}
_PLACES = "site string, url string, number bigint, path string, offset bigint"


def extract_warcs(
    spark: Any, paths: Sequence[str | Path], job: Job | None = None, *, schema: str = "joeira"
) -> Any:
    """Return a `DataFrame` with one row for every page of WARC files, or other inputs of a batch.

    Args:
        spark: A session.
        paths: Files and folders that all machines see under the same names.
        job: What to extract.
        schema: Names of the columns: ``joeira`` or ``fineweb``.
    """
    job = (job or Job()).for_schema(schema)
    files = expand(paths)
    if job.site_method:
        raise UsageError("sites are learned by learn_and_extract_sites")

    def extracted(batches: Iterator[Any]) -> Iterator[Any]:
        return _rows(Reader(_files(files, batches)), job, schema)

    return _numbers(spark, files).mapInArrow(extracted, _columns(job, schema))


def learn_and_extract_sites(
    spark: Any, paths: Sequence[str | Path], job: Job | None = None, *, schema: str = "joeira"
) -> Any:
    """Return a `DataFrame` as `extract_warcs` does, with what the sites of the pages have taught.

    Only addresses and places of pages are shuffled. Whoever gets a site reads its pages at their
    places, learns from the first hundred, and holds no more than a few pages at a time.

    Args:
        spark: A session.
        paths: Files and folders that all machines see under the same names; not such that can only
            be read from the beginning, as compressed JSON lines.
        job: What to extract.
        schema: Names of the columns: ``joeira`` or ``fineweb``.
    """
    job = (job or Job()).for_schema(schema)
    job = job if job.site_method else replace(job, site_method=site_method_for(job.task))
    files = expand(paths)
    require_seekable(files)
    import pyarrow

    def of_site(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        found = [place for batch in batches for place in batch.to_pylist()]
        return _site_rows(found, job, schema)

    pages = places_of_pages(spark, files)
    return pages.groupBy("site").applyInArrow(of_site, _columns(job, schema))


def require_seekable(files: Sequence[str]) -> None:
    """Refuse files whose pages cannot be read at their places."""
    for name in files:
        if Path(name).exists() and not can_seek(name):
            raise UsageError(f"{name} cannot be read at an offset: unpack it first")
    on_web = [name for name in files if name.startswith(storage.WEB)]
    for name in {urlsplit(each).netloc: each for each in on_web}.values():
        try:
            has_ranges = web_files.about(name).has_ranges
        except OSError as error:
            raise UsageError(f"{name}: {error.strerror or error}; check the address") from error
        if not has_ranges:
            raise UsageError(f"{name}: the server does not support ranges: download it first")


def places_of_pages(spark: Any, files: Sequence[str]) -> Any:
    """Return a `DataFrame` of where the pages of files lie, and which sites they belong to.

    What belongs to no site goes with its file, under a name that begins with a space.
    """

    def places(batches: Iterator[Any]) -> Iterator[Any]:
        return _places(files, _files(files, batches))

    return _numbers(spark, files).mapInArrow(places, _PLACES)


def _numbers(spark: Any, files: Sequence[str]) -> Any:
    """Return the numbers of the files, well divided."""
    return spark.range(0, len(files), 1, min(len(files), MAX_PARTITIONS))


def _files(files: Sequence[str], batches: Iterable[Any]) -> list[str]:
    return [files[number] for batch in batches for number in batch.column("id").to_pylist()]


def _columns(job: Job, schema: str) -> str:
    """Return the columns in Spark's types."""
    columns = columns_of(schema, job)
    return ", ".join(f"`{name}` {_spark_type(kind)}" for name, kind in columns.items())


def _spark_type(kind: Kind) -> str:
    """Return the name of Spark's type for a kind."""
    if isinstance(kind, dict):
        fields = ", ".join(f"`{name}`: {_spark_type(kind[name])}" for name in kind)
        return f"struct<{fields}>"
    return f"array<{_spark_type(kind[0])}>" if isinstance(kind, list) else _SPARK_KINDS[kind]


# In the executors --------------------------------------------------------------------------------


@lru_cache(maxsize=4)  # starting takes a second, and an executor lives for many tasks
def team(work: Work) -> Workers:
    """Return the processes of this executor that do such work."""
    return Workers(work, 1)


def _rows(records: Iterable[Capture], job: Job, schema: str) -> Iterator[Any]:
    """Yield the rows of records as batches of Arrow."""
    columns = columns_of(schema, job)
    form = output.Parquet(columns)
    kept: list[list[Any]] = []
    size = 0
    for answer in team(job).answers(records):
        assert answer.found is not None
        values = shaped(schema, columns, job.row(answer.record, answer.found))
        kept.append(form.kept(values))
        size += len(line(values))
        if len(kept) >= _BATCH_ROWS or size >= _BATCH_BYTES:
            yield from form.table(kept).to_batches()
            kept, size = [], 0
    if kept:
        yield from form.table(kept).to_batches()


def _places(files: Sequence[str], mine: Sequence[str]) -> Iterator[Any]:
    """Yield where the pages of files lie, and which sites they belong to."""
    import pyarrow

    number_of = {name: number for number, name in enumerate(files)}
    reader = iter(Reader(mine))
    while records := list(islice(reader, 1000)):
        columns = {
            "site": [("" if r.problem else site_of(r)) or f" {r.source}" for r in records],
            "url": [r.url for r in records],
            "number": [number_of[r.source] for r in records],
            "path": [r.source for r in records],
            "offset": [r.offset for r in records],
        }
        yield pyarrow.RecordBatch.from_pydict(columns)


def _site_rows(places: list[dict[str, Any]], job: Job, schema: str) -> Iterator[Any]:
    """Yield the rows of all pages of a site, learned first if there are enough of them."""
    places.sort(key=lambda place: (place["number"], place["offset"]))
    with tempfile.TemporaryDirectory(prefix="joeira-") as folder:
        found = Sites(Path(folder))
        name = places[0]["site"]
        if len(places) >= MIN_PAGES and not name.startswith(" "):
            first = tuple((place["path"], place["offset"]) for place in places[:MAX_PAGES])
            learn(Site(name, first), found, job)
        yield from _rows(map(found.assigned, map(_read_again, places)), job, schema)


def learn(site: Site, found: Sites, job: Job) -> None:
    """Learn a site, without the pages that take their process with them if there are such."""
    learners = team(Learning(job))
    (answer,) = learners.answers([site])
    if not found.add(answer):
        (answer,) = learners.answers([without_poison(site, team(job))])
        found.add(answer)


def _read_again(place: dict[str, Any]) -> Capture:
    record = record_at(place["path"], place["offset"])
    if record is not None:
        return record
    name, offset = place["path"], place["offset"]
    problem = "it is no longer there: the file has changed"
    return Capture(f"{name}:{offset}", place["url"], b"", name, offset, problem=problem)
