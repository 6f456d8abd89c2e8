"""Joeira: main content, segments, data records and site templates of web pages, from one parse.

Importing the package loads almost nothing: each name imports what it needs on first use.
"""

from typing import TYPE_CHECKING

from joeira._lazy import lazy_names
from joeira._version import __version__

if TYPE_CHECKING:
    from joeira import batch, content, errors, records, segments, sites
    from joeira._native import native_available
    from joeira.api import (
        extract,
        find_pages,
        find_records,
        learn_records,
        learn_site,
        load_records,
        load_site,
        segment,
    )
    from joeira.arrays import Case
    from joeira.arrays.strings import Characters
    from joeira.batch.job import Job, extract_many
    from joeira.batch.rows import Row
    from joeira.batch.runner import Summary
    from joeira.blockmodel.reasons import Reasons
    from joeira.content.explanation import BlockDecision, Explanation
    from joeira.content.posts import Post
    from joeira.content.result import Content
    from joeira.errors import InputError, JoeiraError, OutputError, UsageError
    from joeira.isolation.work import Limits
    from joeira.metadata.claims import Candidate
    from joeira.metadata.model import Metadata
    from joeira.metadata.product import Product
    from joeira.page.attributes import Attributes
    from joeira.page.blocks import Blocks
    from joeira.page.model import Page, Region
    from joeira.page.parse import parse
    from joeira.records.result import Cell, Column, Record, Records, RecordTable
    from joeira.segments.result import Group, Segments
    from joeira.sites.result import Drift, LearnedSite, SiteModel

_MODULE_OF = {
    "Attributes": "joeira.page.attributes",
    "BlockDecision": "joeira.content.explanation",
    "Blocks": "joeira.page.blocks",
    "Candidate": "joeira.metadata.claims",
    "Case": "joeira.arrays",
    "Cell": "joeira.records.result",
    "Characters": "joeira.arrays.strings",
    "Column": "joeira.records.result",
    "Content": "joeira.content.result",
    "Drift": "joeira.sites.result",
    "Explanation": "joeira.content.explanation",
    "Group": "joeira.segments.result",
    "InputError": "joeira.errors",
    "Job": "joeira.batch.job",
    "JoeiraError": "joeira.errors",
    "LearnedSite": "joeira.sites.result",
    "Limits": "joeira.isolation.work",
    "Metadata": "joeira.metadata.model",
    "OutputError": "joeira.errors",
    "Page": "joeira.page.model",
    "Post": "joeira.content.posts",
    "Product": "joeira.metadata.product",
    "Reasons": "joeira.blockmodel.reasons",
    "Record": "joeira.records.result",
    "RecordTable": "joeira.records.result",
    "Records": "joeira.records.result",
    "Region": "joeira.page.model",
    "Row": "joeira.batch.rows",
    "Segments": "joeira.segments.result",
    "SiteModel": "joeira.sites.result",
    "Summary": "joeira.batch.runner",
    "UsageError": "joeira.errors",
    "batch": "joeira.batch",
    "content": "joeira.content",
    "errors": "joeira.errors",
    "extract": "joeira.api",
    "extract_many": "joeira.batch.job",
    "find_pages": "joeira.api",
    "find_records": "joeira.api",
    "learn_records": "joeira.api",
    "learn_site": "joeira.api",
    "load_records": "joeira.api",
    "load_site": "joeira.api",
    "native_available": "joeira._native",
    "parse": "joeira.page.parse",
    "records": "joeira.records",
    "segment": "joeira.api",
    "segments": "joeira.segments",
    "sites": "joeira.sites",
}

__all__ = [
    "Attributes",
    "BlockDecision",
    "Blocks",
    "Candidate",
    "Case",
    "Cell",
    "Characters",
    "Column",
    "Content",
    "Drift",
    "Explanation",
    "Group",
    "InputError",
    "Job",
    "JoeiraError",
    "LearnedSite",
    "Limits",
    "Metadata",
    "OutputError",
    "Page",
    "Post",
    "Product",
    "Reasons",
    "Record",
    "RecordTable",
    "Records",
    "Region",
    "Row",
    "Segments",
    "SiteModel",
    "Summary",
    "UsageError",
    "__version__",
    "batch",
    "content",
    "errors",
    "extract",
    "extract_many",
    "find_pages",
    "find_records",
    "learn_records",
    "learn_site",
    "load_records",
    "load_site",
    "native_available",
    "parse",
    "records",
    "segment",
    "segments",
    "sites",
]

if not TYPE_CHECKING:  # a checker would believe that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
