"""Segments of one page: one published method per file, and the learned default.

The classes are imported when they are first asked for: ``joeira.segments.TreeCut(size_power=1.5)``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joeira.segments.density import BlockFusion
    from joeira.segments.headings import Headings
    from joeira.segments.learned import TreeCut
    from joeira.segments.tps import TPS
    from joeira.segments.vips import VIPS

_MODULE_OF = {
    "BlockFusion": "density",
    "Headings": "headings",
    "TPS": "tps",
    "TreeCut": "learned",
    "VIPS": "vips",
}

__all__ = ["TPS", "VIPS", "BlockFusion", "Headings", "TreeCut"]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
