"""For pandas: an accessor of columns that hold HTML, there after this module is imported.

::

    import joeira.integrations.pandas
    frame["html"].joeira.extract(frame["url"])
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from joeira import api
from joeira.batch import Job
from joeira.integrations import missing
from joeira.integrations.frames import COLUMNS, Columns
from joeira.page import parse

try:
    import pandas
except ImportError as error:
    raise missing(error, "pandas") from None


@pandas.api.extensions.register_series_accessor("joeira")
class PageColumn:
    """What can be made of a column of pages; what is returned has the index of the column."""

    def __init__(self, pages: Any) -> None:
        """Keep the column."""
        self._pages = pages

    def text(self) -> Any:
        """Return the main content of each page as plain text."""
        return self.extract(columns=["text"])["text"]

    def markdown(self) -> Any:
        """Return the main content of each page as Markdown."""
        job = Job(markdown=True, metadata=())
        return self.extract(columns=["markdown"], job=job)["markdown"]

    def extract(
        self,
        urls: Iterable[Any] | None = None,
        columns: Iterable[str] = COLUMNS,
        job: Job | None = None,
        workers: int = 0,
    ) -> Any:
        """Return a frame with text, metadata, status and reason of each page.

        Args:
            urls: Addresses of the pages.
            columns: Names of columns of a batch's rows.
            job: What to extract.
            workers: Processes, which a page may crash without harm; 0 reads them in this one.
        """
        wanted = Columns(columns=tuple(columns), job=job or Job(), workers=workers)
        return pandas.DataFrame(wanted.extract(self._pages, urls), index=self._pages.index)

    def records(self, method: str = "learned") -> Any:
        """Return the records of the best list of each page as one frame; `page` is its index."""
        frames = {}
        for name, html in self._pages.items():
            if not isinstance(html, str | bytes):
                continue
            for table in api.find_records(parse(html), method)[:1]:
                frames[name] = table.to_pandas()
        return pandas.concat(frames, names=["page", "record"]) if frames else pandas.DataFrame()
