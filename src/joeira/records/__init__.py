"""Data records of one page: one published method per file, and the learned default.

The classes are imported when they are first asked for: ``joeira.records.Auto(min_score=0.5)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from joeira._lazy import lazy_names

if TYPE_CHECKING:
    from joeira.records.html_tables import HTMLTables
    from joeira.records.learned import Auto
    from joeira.records.mdr import MDR
    from joeira.records.subtree_classes import SubtreeClasses

_MODULE_OF = {
    "Auto": "joeira.records.learned",
    "HTMLTables": "joeira.records.html_tables",
    "MDR": "joeira.records.mdr",
    "SubtreeClasses": "joeira.records.subtree_classes",
}

__all__ = ["MDR", "Auto", "HTMLTables", "SubtreeClasses"]

if not TYPE_CHECKING:  # a checker would believe that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
