"""Many pages at once: exactly one row for every page, whatever the pages do.

`run` goes from files to shards of rows and can be killed at any moment; `extract_many` is the same
for pages in memory.
"""

from joeira.batch.job import Job, extract_many
from joeira.batch.output import Output
from joeira.batch.rows import Row
from joeira.batch.runner import Summary, run
from joeira.isolation.work import Limits

__all__ = ["Job", "Limits", "Output", "Row", "Summary", "extract_many", "run"]
