"""Joeira: main content, segments, data records and site templates of web pages, from one parse."""

from importlib.metadata import version

from joeira import content
from joeira.api import extract
from joeira.page import Blocks, Page, Region, parse
from joeira.results import Content

__version__ = version("joeira")
__all__ = ["Blocks", "Content", "Page", "Region", "__version__", "content", "extract", "parse"]
