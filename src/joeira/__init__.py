"""Joeira: main content, segments, data records and site templates of web pages, from one parse."""

from importlib.metadata import version

from joeira import content, segments, sites
from joeira.api import extract, find_records, learn_site, load_site, segment
from joeira.page import Blocks, Page, Region, parse
from joeira.results import Content, Record, Records, RecordTable, Segments, SiteModel

__version__ = version("joeira")
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
    "content",
    "extract",
    "find_records",
    "learn_site",
    "load_site",
    "parse",
    "segment",
    "segments",
    "sites",
]
