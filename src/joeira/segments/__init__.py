"""Methods for the segments of one page: one published method per file, and the learned default.

The classes are imported on first use: ``joeira.segments.TreeCut(size_power=1.5)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from joeira._lazy import lazy_names

if TYPE_CHECKING:
    from joeira.segments.density import BlockFusion
    from joeira.segments.headings import Headings
    from joeira.segments.learned import TreeCut
    from joeira.segments.tps import TPS
    from joeira.segments.vips import VIPS

_MODULE_OF = {
    "BlockFusion": "joeira.segments.density",
    "Headings": "joeira.segments.headings",
    "TPS": "joeira.segments.tps",
    "TreeCut": "joeira.segments.learned",
    "VIPS": "joeira.segments.vips",
}

__all__ = ["TPS", "VIPS", "BlockFusion", "Headings", "TreeCut"]

if not TYPE_CHECKING:  # a checker would believe that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
