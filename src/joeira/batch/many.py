"""Pages in memory, many at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from joeira.batch.job import Job
from joeira.batch.rows import Record, Row
from joeira.batch.workers import Workers

Source = str | bytes | tuple[str | bytes, str | None]


def extract_many(
    pages: Iterable[Source], *, job: Job | None = None, workers: int | None = None
) -> Iterator[Row]:
    """Yield one row for each page, in their order, worked on by several processes.

    A page that crashes, hangs or eats memory gives a row that says so; rows are true if something
    was extracted.

    Args:
        pages: HTML as text or bytes, or pairs of HTML and address. They are taken as needed.
        job: What to extract.
        workers: Number of processes; one for each processor if not given.
    """
    job = job or Job()
    with Workers(job, workers) as team:
        for answer in team.answers(map(_record, range(1 << 62), pages)):
            assert answer.found is not None
            yield job.row(answer.record, answer.found)


def _record(number: int, page: object) -> Record:
    html, url = page if isinstance(page, tuple) else (page, None)
    if isinstance(html, str | bytes):
        return Record(str(number), url, html)
    return Record(str(number), url, b"", problem=f"HTML is str or bytes, not {type(html).__name__}")
