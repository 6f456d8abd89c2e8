"""BTE, body text extraction: the one range of the source with most words and fewest tags.

1. The source is a sequence of tags and words.
2. The body text is the range that maximises words inside it plus tags outside it; tags outside are
   all tags minus tags inside, so this is the range with the largest sum of 1 per word and -1 per
   tag. The paper tries all pairs of ends; here the best range is found in one pass. Of equally good
   ranges the shortest that ends first is taken.

Departures:

- Script and style elements are dropped first, with their tags; comments are no tokens.
- Tags are those of the parsed document: omitted end tags and implied elements count.
- In scripts that put no spaces between words every character is a word.
- A text without words (a lone dash) is kept when it lies inside the range.
- `tag_cost` weighs a tag against a word; 1 is the paper's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from joeira.arrays import markup, ranges
from joeira.contracts import Paper
from joeira.errors import require
from joeira.page import Page, tags
from joeira.results import Content, ReasonTable

_CODE = tags.table("script style")


@dataclass(frozen=True)
class BTE:
    """Keep the range of the page with most words and fewest tags.

    A text's score is the words minus the tags of the best range that holds the text.
    """

    tag_cost: float = 1
    """Words that must be won to pay for a tag inside the range."""

    paper: ClassVar[Paper] = Paper(
        "A. Finn, N. Kushmerick and B. Smyth",
        2001,
        "Fact or fiction: content classification for digital libraries",
        "DELOS Workshop on Personalisation and Recommender Systems in Digital Libraries",
    )

    def __post_init__(self) -> None:
        """Check the parameters."""
        require(
            0 < self.tag_cost < math.inf, f"tag_cost must be a positive number, not {self.tag_cost}"
        )

    def extract(self, page: Page, /) -> Content:
        """Return the texts of the best range."""
        code = np.flatnonzero(_CODE[page.known_tag])
        tag_counts = markup.without(page.tags_before, code, page.end)
        tags_between = markup.between(tag_counts, page.text_rows)
        # Text k is preceded by run 2 k, its tags, and is itself run 2 k + 1, its words.
        runs = ranges.alternate(-self.tag_cost * tags_between, page.text_words)
        best = ranges.best_range(runs)
        keep = np.zeros(len(page.texts), bool)
        if best.score > 0:
            keep[best.start // 2 : best.stop // 2] = True
        scores = ranges.best_sum_through(runs)[1::2]
        sentences = (
            f"outside the best range, {best.score:g} more words than tags: "
            "with this text a range has {score:g}",
            "inside the range with {score:g} more words than tags",
        )
        reasons = ReasonTable(keep.astype(np.int8), sentences, scores)
        return Content(page, keep, scores, reasons, "bte")
