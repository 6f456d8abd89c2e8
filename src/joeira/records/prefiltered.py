"""Any record method behind the TPS filter: it reads the page that the filter leaves.

The published methods filter rows and have a parameter for it. Other methods read whole pages, so
here the page is pruned as the filter was published, keeping its structure, and read again: the
records found are rows of that smaller page, `Records.page`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from joeira.page import Page, parse
from joeira.page.tag_paths import Prefilter, named_filter
from joeira.params import check, param
from joeira.records.result import Records
from joeira.render import html


@dataclass(frozen=True)
class Prefiltered:
    """Find records by another method in what the filter leaves of a page."""

    method: Any
    """A configured record method."""
    prefilter: Prefilter = param(
        "tps", "What is left of the page before: all of it, or its main region by tag paths."
    )

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Records:
        """Return the records of the page that is left."""
        chosen = named_filter(self.prefilter)
        if chosen:
            page = parse(html.pruned(page, chosen.apply(page).kept), page.url)
        records: Records = self.method.extract(page)
        return records
