"""BTE, body text extraction: ranges of the source with many words and few tags.

`BTE` keeps the one range with most words and fewest tags:

1. The source is a sequence of tags and words.
2. The body text is the range that maximises words inside it plus tags outside it; tags outside are
   all tags minus tags inside, so this is the range with the largest sum of 1 per word and -1 per
   tag. The paper tries all pairs of ends; here the best range is found in one pass. Of equally good
   ranges the shortest that ends first is taken.

`MultiBTE` keeps several ranges. Pinto et al. look for more than one stretch of the page where words
come fast and tags slowly. The sources at hand do not say how they find the stretches, so this does:

1. All maximal scoring runs of words, 1 each, and tags, -1 each, are found in one pass (Ruzzo and
   Tompa 1999).
2. Runs that score at least `min_score` and at least `min_share` of the best score are kept.

Departures of both:

- Script and style elements are dropped first, with their tags; comments are no tokens.
- Tags are those of the parsed document: omitted end tags and implied elements count.
- In scripts that put no spaces between words every character is a word.
- A text without words (a lone dash) is kept when it lies inside a range.
- `tag_cost` weighs a tag against a word; 1 is the paper's.

In `MultiBTE` the search for runs and both limits are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from joeira.arrays import Case, markup, ranges
from joeira.content.result import Content, ReasonTable
from joeira.page import Page, tags
from joeira.papers import FINN_2001, PINTO_2002, Paper
from joeira.params import check, param

_CODE = tags.table("script style")


class RangeCase(Case):
    """Where a text is, seen from the best range."""

    OUTSIDE_RANGE = (
        0,
        "outside the best range, which has {best:g} more words than tags; a range with this text "
        "has {score:g}",
    )
    IN_RANGE = 1, "inside the range with {score:g} more words than tags"


@dataclass(frozen=True)
class BTE:
    """Keep the range of the page with the most words and the fewest tags.

    The score of a text is the number of words minus tags of the best range that contains it.
    """

    tag_cost: float = param(1, "Number of words that outweigh one tag inside the range.", gt=0)

    papers: ClassVar[tuple[Paper, ...]] = (FINN_2001,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

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
        reasons = ReasonTable(keep.astype(np.int8), RangeCase, scores, {"best": best.score})
        return Content(page, keep, scores, reasons, "bte")


class RunCase(Case):
    """Where a text is, seen from the maximal runs."""

    OUTSIDE_RUNS = 0, "outside every run with more words than tags"
    LOW_RUN = 1, "in a run with {score:g} more words than tags, less than {limit:g}"
    HIGH_RUN = 2, "in a run with {score:g} more words than tags, at least {limit:g}"


@dataclass(frozen=True)
class MultiBTE:
    """Keep all ranges of the page with clearly more words than tags.

    The score of a text is the number of words minus tags of the maximal run that contains it, or 0
    if there is none.
    """

    tag_cost: float = param(1, "Number of words that outweigh one tag inside a run.", gt=0)
    min_score: float = param(20, "Minimum number of words minus tags of a run that is kept.", ge=0)
    min_share: float = param(0.1, "Minimum share of the best run's score.", ge=0, le=1)

    papers: ClassVar[tuple[Paper, ...]] = (PINTO_2002,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Content:
        """Return the texts of the runs that score enough."""
        code = np.flatnonzero(_CODE[page.known_tag])
        tag_counts = markup.without(page.tags_before, code, page.end)
        tags_between = markup.between(tag_counts, page.text_rows)
        # Text k is preceded by run 2 k, its tags, and is itself run 2 k + 1, its words.
        values = ranges.alternate(-self.tag_cost * tags_between, page.text_words)
        runs = ranges.maximal_runs(values)
        limit = max(self.min_score, self.min_share * runs.scores.max(initial=0))

        run_of_text = runs.of_positions(np.arange(1, len(values), 2))
        scores = np.append(runs.scores, 0.0)[run_of_text]
        in_run = np.where(scores >= limit, RunCase.HIGH_RUN, RunCase.LOW_RUN)
        cases = np.where(run_of_text < 0, RunCase.OUTSIDE_RUNS, in_run)
        reasons = ReasonTable(cases, RunCase, scores, {"limit": limit})
        return Content(page, cases == RunCase.HIGH_RUN, scores, reasons, "bte_multi")
