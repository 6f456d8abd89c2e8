"""Batches of pages: exactly one row for every page, whatever happens.

`run` reads files, writes shards of rows and can be killed at any moment; `extract_many` does the
same for pages in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from joeira._lazy import lazy_names

if TYPE_CHECKING:
    from joeira.batch.job import Job, extract_many
    from joeira.batch.output import Output
    from joeira.batch.rows import Row
    from joeira.batch.runner import Summary, run
    from joeira.isolation.work import Limits

_MODULE_OF = {
    "Job": "joeira.batch.job",
    "Limits": "joeira.isolation.work",
    "Output": "joeira.batch.output",
    "Row": "joeira.batch.rows",
    "Summary": "joeira.batch.runner",
    "extract_many": "joeira.batch.job",
    "run": "joeira.batch.runner",
}

__all__ = ["Job", "Limits", "Output", "Row", "Summary", "extract_many", "run"]

if not TYPE_CHECKING:  # a checker would believe that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
