"""The page table: one parse, one row per node, one column per property."""

from joeira.page.blocks import Blocks
from joeira.page.model import Page, Region
from joeira.page.parse import parse

__all__ = ["Blocks", "Page", "Region", "parse"]
