"""Metadata of a page: title, author, date and so on, each with its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from joeira._lazy import lazy_names

if TYPE_CHECKING:
    from joeira.metadata.claims import Candidate
    from joeira.metadata.model import FIELDS, Metadata
    from joeira.metadata.product import Product

_MODULE_OF = {
    "FIELDS": "joeira.metadata.model",
    "Candidate": "joeira.metadata.claims",
    "Metadata": "joeira.metadata.model",
    "Product": "joeira.metadata.product",
}

__all__ = ["FIELDS", "Candidate", "Metadata", "Product"]

if not TYPE_CHECKING:  # a checker would believe that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
