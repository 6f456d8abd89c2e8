"""Data records of one page: one published method per file, and the learned default.

The classes are imported when they are first asked for: ``joeira.records.Auto(min_score=0.5)``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joeira.records.html_tables import HTMLTables
    from joeira.records.learned import Auto
    from joeira.records.mdr import MDR
    from joeira.records.subtree_classes import SubtreeClasses

_MODULE_OF = {
    "Auto": "learned",
    "HTMLTables": "html_tables",
    "MDR": "mdr",
    "SubtreeClasses": "subtree_classes",
}

__all__ = ["MDR", "Auto", "HTMLTables", "SubtreeClasses"]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
