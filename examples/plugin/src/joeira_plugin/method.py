"""Longest: the longest block of a page is its content, and so are those that are nearly as long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from joeira.arrays import Case
from joeira.content.result import Content, ReasonTable
from joeira.page import Page
from joeira.papers import Paper
from joeira.params import check, param


class LongestCase(Case):
    """What a text is; the names are the codes that programs see."""

    LONG = 0, "its block has {score:.0%} of the characters of the longest"
    SHORT = 1, "its block has only {score:.0%} of the characters of the longest"


@dataclass(frozen=True)
class Longest:
    """Keep the longest block, and those that are nearly as long."""

    min_share: float = param(0.5, "Share of the longest block's length to be kept.", ge=0, le=1)

    task: ClassVar[str] = "content"
    papers: ClassVar[tuple[Paper, ...]] = ()

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Content:
        """Return the longest blocks."""
        chars = page.blocks.sums(page.text_chars)
        share = (chars / max(chars.max(initial=0), 1))[page.blocks.of_text]
        share[page.in_head[page.text_rows]] = 0.0
        cases = np.where(share >= self.min_share, LongestCase.LONG, LongestCase.SHORT)
        reasons = ReasonTable(cases, LongestCase, share)
        return Content(page, (cases == LongestCase.LONG) & (share > 0), share, reasons, "longest")
