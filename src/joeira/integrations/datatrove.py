"""A block for datatrove pipelines: HTML in, text out, without losing documents.

Put it where one of datatrove's own extractors would stand. Those drop documents that they cannot
read; this one passes them on with empty text, and their metadata say why.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from joeira.batch import Job, extract_many
from joeira.integrations import missing

try:
    from datatrove.pipeline.base import PipelineStep
except ImportError as error:
    raise missing(error, "datatrove") from None

_METADATA = ("title", "author", "date", "language")


class Joeira(PipelineStep):
    """Replaces the HTML of each document with its main content."""

    name = "Joeira"
    type = "EXTRACTOR"

    def __init__(self, job: Job | None = None, workers: int = 1) -> None:
        """Keep what to extract, and the number of processes for each task of the pipeline."""
        super().__init__()
        self._job = job or Job(metadata=_METADATA)
        self._workers = workers

    def run(self, data: Iterable[Any], rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Yield every document, in order, with its text, status and metadata."""
        waiting: deque[Any] = deque()

        def pages() -> Iterator[tuple[str, str | None]]:
            for document in data or ():
                waiting.append(document)
                url = document.metadata.get("url")
                yield document.text, url if isinstance(url, str) else None

        for row in extract_many(pages(), job=self._job, workers=self._workers):
            document = waiting.popleft()
            document.text = row.text or ""
            extracted = {"status": row.status, "reason": row.reason, "title": row.title}
            extracted |= {"author": row.author, "published": row.date, "language": row.language}
            document.metadata |= {k: v for k, v in extracted.items() if v is not None}
            self.stat_update("total", row.status)
            yield document
