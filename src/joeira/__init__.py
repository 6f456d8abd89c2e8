"""Joeira: main content, segments, data records and site templates of web pages, from one parse."""

from typing import TYPE_CHECKING, Any

from joeira import content, segments, sites
from joeira._version import __version__
from joeira.api import extract, find_records, learn_site, load_site, segment
from joeira.content.result import Content
from joeira.page import Blocks, Page, Region, parse
from joeira.records.result import Record, Records, RecordTable
from joeira.segments.result import Segments
from joeira.sites.result import SiteModel

if TYPE_CHECKING:
    from joeira import batch
    from joeira.batch import extract_many

__all__ = [
    "Blocks",
    "Content",
    "Page",
    "Record",
    "RecordTable",
    "Records",
    "Region",
    "Segments",
    "SiteModel",
    "__version__",
    "batch",
    "content",
    "extract",
    "extract_many",
    "find_records",
    "learn_site",
    "load_site",
    "parse",
    "segment",
    "segments",
    "sites",
]


if not TYPE_CHECKING:  # a checker would believe that every name exists

    def __getattr__(name: str) -> Any:
        """Import what works with processes only when it is asked for."""
        if name not in ("batch", "extract_many"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        package = importlib.import_module("joeira.batch")
        return package if name == "batch" else package.extract_many
