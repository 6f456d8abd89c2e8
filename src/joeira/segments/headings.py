"""Headings: every heading starts a segment, and so does every part with its own tag.

Not from one paper: the simplest reading of a page's own structure, to hold other methods against.
A segment ends where the next one begins, where the element that holds its heading ends, or where a
``<nav>``, ``<main>``, ``<header>``, ``<footer>``, ``<aside>``, ``<article>``, ``<section>`` or
``<form>`` begins or ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from joeira.page import Page, tags
from joeira.papers import Paper
from joeira.params import check, param
from joeira.segments.result import Segments

_NAMED: Final = tags.table("nav main header footer aside article section form")


@dataclass(frozen=True)
class Headings:
    """Start a segment at every heading."""

    max_level: int = param(6, "Headings from ``h1`` to this level start segments.", ge=1, le=6)

    papers: ClassVar[tuple[Paper, ...]] = ()

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Segments:
        """Return what follows each heading."""
        levels = tags.table(" ".join(f"h{level}" for level in range(1, self.max_level + 1)))
        heading = np.flatnonzero(levels[page.known_tag])
        named = np.flatnonzero(_NAMED[page.known_tag])
        begins = np.zeros(len(page.texts) + 1, bool)
        begins[page.text_index[heading]] = True
        begins[page.text_index[page.end[page.parent[heading]]]] = True
        begins[page.text_index[named]] = True
        begins[page.text_index[page.end[named]]] = True
        if len(page):
            begins[page.text_index[page.body]] = True
        return Segments.of_runs(page, np.cumsum(begins[:-1]), "headings")
