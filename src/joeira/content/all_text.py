"""All text of the page: the baseline that every method has to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from joeira.arrays import Case
from joeira.blockmodel.reasons import Reason
from joeira.content.result import Content, ReasonTable
from joeira.page import Page
from joeira.papers import Paper


class TextCase(Case):
    """What a text is."""

    HEAD = 0, Reason.HEAD.sentence
    TEXT = 1, "text of the page"


@dataclass(frozen=True)
class AllText:
    """Keep every text of the page except those in the head."""

    papers: ClassVar[tuple[Paper, ...]] = ()

    def extract(self, page: Page, /) -> Content:
        """Return all text of the page."""
        keep = ~page.in_head[page.text_rows]
        scores = keep.astype(float)
        reasons = ReasonTable(keep.astype(np.int8), TextCase, scores)
        return Content(page, keep, scores, reasons, "all_text")
