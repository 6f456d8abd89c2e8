"""The learned default: a model of blocks, decoded by expected F1.

Not from one paper. Each block of the page gets some 220 features (`joeira.blockmodel`), most of
them ideas of the published methods turned into columns: BTE's best range, CETR's smoothed ratio,
NCE's separator, tag path groups, subtree classes. Two learned families turn them into a probability
that the block is main content; the set of blocks with the best expected word F1 is kept.

`joeira.models` holds the weights and a card that says what they were learned from and how well they
do; `python -m training` makes them again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from joeira.blockmodel import columns
from joeira.blockmodel import model as scoring
from joeira.blockmodel.choosing import best_expected_f, complete, later_copies
from joeira.blockmodel.explanations import Evidence
from joeira.content import result
from joeira.content.result import Content
from joeira.page import Page
from joeira.page.comments import named_comments, named_reviews, named_signatures
from joeira.papers import Paper
from joeira.params import check, param

_COPY, _COMMENT, _REVIEW, _SIGNATURE, _BUTTON = range(1, 6)
_LEFT_OUT = (
    "",
    "the same text is kept further up",
    result.COMMENT,
    result.REVIEW,
    "a signature",
    "a button",
)
_ASIDES = {
    "article": (named_comments, _COMMENT),
    "product": (named_reviews, _REVIEW),
    "forum": (named_signatures, _SIGNATURE),
}
"""What pages of a type name that is not what they are about."""
_UNFOLDING = ("article", "service")
"""Types of pages on which a button may be the title of what it unfolds."""
_BROAD = ("collection", "listing", "documentation", "service")
"""Types of pages of which most that is not frame is content."""
_PERHAPS = 0.2
"""Chance of a page type that cannot be ruled out."""


@dataclass(frozen=True, eq=False)
class Choice:
    """What is kept of the blocks of a page."""

    keep: NDArray[np.bool_]
    """The blocks with the best expected F measure."""
    left_out: NDArray[np.int8]
    """Why some of them are left out again: a number of `_LEFT_OUT`, 0 for the others."""
    expected_f: float
    content_words: float
    """Words of content that the page is expected to have."""


@dataclass(frozen=True)
class Learned:
    """Keep the blocks with the best expected F measure under the learned block model."""

    beta: float = param(
        0.85,
        "Weight of recall against precision: 2 favours recall, 0.5 precision. A little "
        "below 1 by default: as good as 1 on pages like those it was fitted on, and "
        "better on pages of other kinds, of which the model is less sure.",
        gt=0,
    )
    breadth: float = param(
        1.2,
        "How much more recall counts where a page is rather a list, documentation or "
        "about a service than an article, a thread or a product.",
        gt=0,
    )
    min_content_words: float = param(
        10.0, "A page with fewer expected words of content has none.", ge=0
    )
    min_article_words: float = param(
        50.0,
        "Comments under an article, reviews of a product and signatures in a forum are "
        "dropped where so many words are kept before the first of them.",
        ge=0,
    )
    min_copy_words: float = param(
        8.0,
        "A block of so many words is kept once, however often a page repeats it; unless "
        "the page may be documentation, which repeats itself on purpose.",
        ge=1,
    )

    papers: ClassVar[tuple[Paper, ...]] = ()

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

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
        matrix = columns.matrix(page, model.tables)
        scores = model.score(matrix)
        choice = self.choose(matrix, scores)
        kind, share = max(scores.page_types.items(), key=lambda item: item[1])
        some = bool(choice.keep.any())
        content = Content(
            page,
            _per_text(page, matrix, choice.keep),
            _per_text(page, matrix, scores.probability),
            Evidence(page, scores.probability, choice.keep),
            "learned",
            note="" if some else _why_nothing(page, choice.content_words),
            page_confidence=model.expected_quality(choice.expected_f) if some else None,
            pagetype=(kind, share) if some else None,
        )
        if not choice.left_out.any():
            return content
        return result.without(content, _per_text(page, matrix, choice.left_out), _LEFT_OUT, "")

    def choose(self, matrix: columns.Matrix, scores: scoring.Scores) -> Choice:
        """Return what is kept of a page, and what of it is left out again."""
        probability, words = scores.probability, matrix.view.words
        types = scores.page_types
        is_broad = sum(types[kind] for kind in _BROAD) > 0.5
        beta = self.beta * self.breadth if is_broad else self.beta
        keep, expected = best_expected_f(probability, words, beta)
        content_words = float((probability * words).sum())
        if content_words < self.min_content_words:
            keep[:] = False
        complete(matrix.view, keep, probability)
        left_out = np.zeros(len(keep), np.int8)
        if types["documentation"] < _PERHAPS:
            left_out[later_copies(matrix, keep, self.min_copy_words)] = _COPY
        kind = max(types, key=types.__getitem__)
        if kind not in _UNFOLDING:
            left_out[keep & matrix.view.is_button] = _BUTTON
        named, number = _ASIDES.get(kind, (None, 0))
        if named:
            left_out[self._asides(matrix, keep & (left_out == 0), named)] = number
        return Choice(keep, left_out, expected, content_words)

    def _asides(
        self,
        matrix: columns.Matrix,
        keep: NDArray[np.bool_],
        named: Callable[[Page], NDArray[np.bool_]],
    ) -> NDArray[np.intp]:
        """Return the blocks so named, if some are kept and enough else before the first of them."""
        view = matrix.view
        if view.words[keep].sum() < self.min_article_words:
            return np.zeros(0, np.intp)
        asides = np.flatnonzero(named(view.page)[view.text_bounds[0]])
        first = asides[keep[asides]][:1].sum()  # 0, which nothing is before, without any
        before = view.words[:first][keep[:first]].sum()
        return asides if before >= self.min_article_words else asides[:0]


def _why_nothing(page: Page, content_words: float) -> str:
    if not page.texts:
        return "the page has no text: perhaps scripts build it in the browser"
    return f"about {content_words:.0f} words of content expected: too few to be a page's content"


def _per_text(page: Page, matrix: columns.Matrix, values: NDArray[Any]) -> NDArray[Any]:
    """Return a value per block as a value per text; texts of the head get 0."""
    first = page.blocks.first
    of_block = np.zeros(len(first) - 1, values.dtype)
    of_block[matrix.view.chosen] = values
    return of_block.repeat(first[1:] - first[:-1])
