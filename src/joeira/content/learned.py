"""The learned default: a model of blocks, decoded by expected F1.

Not from one paper. Each block of the page gets some 220 features (`joeira.features`), most of them
ideas of the published methods turned into columns: BTE's best range, CETR's smoothed ratio, NCE's
separator, tag path groups, subtree classes. Two learned families turn them into a probability that
the block is main content; the set of blocks with the best expected word F1 is kept.

`joeira.models` holds the weights and a card that says what they were learned from and how well they
do; `python -m joeira.training` makes them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from joeira import features
from joeira.contracts import Paper
from joeira.errors import require
from joeira.features import scoring
from joeira.features.evidence import Evidence
from joeira.kernels.decoding import best_expected_f
from joeira.page import Page
from joeira.results import Content
from joeira.results.table_rows import complete_rows


@dataclass(frozen=True)
class Learned:
    """Keep the blocks with the best expected F measure under the learned block model."""

    beta: float = 0.9
    """Weight of recall against precision: 2 favours recall, 0.5 precision.

    A little below 1 by default: as good as 1 on pages like those it was fitted on, and better on
    pages of other kinds, of which the model is less sure.
    """
    min_content_words: float = 10.0
    """A page with fewer expected words of content has none."""
    min_article_words: float = 100.0
    """Comments are dropped where so many words are kept before the first of them and the page is
    rather an article than a forum or a product, where what readers write is content."""

    paper: ClassVar[Paper | None] = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        require(self.beta > 0, "beta must be above 0")
        require(self.min_content_words >= 0, "min_content_words must not be negative")
        require(self.min_article_words >= 0, "min_article_words must not be negative")

    @classmethod
    def precision(cls) -> Learned:
        """Return a preset that keeps only what is surely content."""
        return cls(beta=0.5)

    @classmethod
    def recall(cls) -> Learned:
        """Return a preset that keeps whatever may be content."""
        return cls(beta=2.0)

    def extract(self, page: Page, /) -> Content:
        """Return the main content of a page."""
        model = scoring.load()
        matrix = features.matrix(page, model.tables)
        scores = model.score(matrix)
        words = matrix.view.words
        keep, expected = best_expected_f(scores.probability, words, self.beta)
        content_words = float((scores.probability * words).sum())
        note = ""
        if content_words < self.min_content_words:
            keep[:] = False
            expected = 0.0
            note = _why_nothing(page, content_words)
        complete_rows(matrix.view, keep)
        kind, share = max(scores.page_types.items(), key=lambda item: item[1])
        content = Content(
            page,
            _per_text(page, matrix, keep).astype(bool),
            _per_text(page, matrix, scores.probability),
            Evidence(page, scores.probability, keep),
            "learned",
            note=note,
            page_confidence=model.expected_quality(expected) if keep.any() else None,
            pagetype=(kind, share) if keep.any() else None,
        )
        readers = max(scores.page_types["forum"], scores.page_types["product"])
        under_article = scores.page_types["article"] > readers and self._has_article(content)
        return content.without_comments() if under_article else content

    def _has_article(self, content: Content) -> bool:
        """Return whether comments are kept, and enough else before the first of them."""
        page, keep = content.page, content.keep
        first = int(np.argmax(page.in_comments & keep))
        before = float(page.text_words[:first][keep[:first]].sum())
        return bool(page.in_comments[first] and keep[first]) and before >= self.min_article_words


def _why_nothing(page: Page, content_words: float) -> str:
    if not page.texts:
        return "the page has no text: perhaps scripts build it in the browser"
    return f"about {content_words:.0f} words of content expected: too few to be a page's content"


def _per_text(page: Page, matrix: features.Matrix, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return a value per block as a value per text; texts of the head get 0."""
    first, stop = matrix.view.text_bounds
    lengths = stop - first
    column = np.zeros(len(page.texts))
    start = np.repeat(first - np.cumsum(lengths) + lengths, lengths)
    column[start + np.arange(len(start))] = np.repeat(values, lengths)
    return column
