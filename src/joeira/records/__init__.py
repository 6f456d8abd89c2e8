"""Methods for the data records of one page: one published method per file, and the learned default.

The classes are imported on first use: ``joeira.records.Auto(min_score=0.5)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from joeira._lazy import lazy_names

if TYPE_CHECKING:
    from joeira.records.html_tables import HTMLTables
    from joeira.records.learned import Auto
    from joeira.records.mdr import MDR
    from joeira.records.merging import DetailLinks, MergedTable, merge_tables
    from joeira.records.pagination import Link, PageLinks
    from joeira.records.result import Fields
    from joeira.records.subtree_classes import CollectionClasses, SubtreeClasses
    from joeira.records.wrapper import Wrapper, WrapperCheck, WrapperColumn

_MODULE_OF = {
    "Auto": "joeira.records.learned",
    "CollectionClasses": "joeira.records.subtree_classes",
    "DetailLinks": "joeira.records.merging",
    "Fields": "joeira.records.result",
    "HTMLTables": "joeira.records.html_tables",
    "Link": "joeira.records.pagination",
    "MDR": "joeira.records.mdr",
    "MergedTable": "joeira.records.merging",
    "PageLinks": "joeira.records.pagination",
    "SubtreeClasses": "joeira.records.subtree_classes",
    "Wrapper": "joeira.records.wrapper",
    "WrapperCheck": "joeira.records.wrapper",
    "WrapperColumn": "joeira.records.wrapper",
    "merge_tables": "joeira.records.merging",
}

__all__ = [
    "MDR",
    "Auto",
    "CollectionClasses",
    "DetailLinks",
    "Fields",
    "HTMLTables",
    "Link",
    "MergedTable",
    "PageLinks",
    "SubtreeClasses",
    "Wrapper",
    "WrapperCheck",
    "WrapperColumn",
    "merge_tables",
]

if not TYPE_CHECKING:  # a checker would believe that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
