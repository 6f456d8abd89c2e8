"""The learned default: a model of blocks, decoded by expected F1.

Not from one paper. Each block of the page gets some 220 features (`joeira.blockmodel.columns`),
most of them ideas of the published methods turned into columns: BTE's best range, CETR's smoothed
ratio, NCE's separator, tag path groups, subtree classes. Two learned models turn them into a
probability that the block is main content; the set of blocks with the best expected word F1 is
kept, and of it what is not the page's subject is left out again (`joeira.blockmodel.choosing`).

`joeira.models` holds the weights and a card that says what they were learned from and how well they
do; `python -m training` makes them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from joeira.blockmodel import columns
from joeira.blockmodel import model as scoring
from joeira.blockmodel.choosing import choose
from joeira.blockmodel.explanations import BlockExplanations
from joeira.content.result import Content, without
from joeira.page import Page
from joeira.papers import Paper
from joeira.params import check, param


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
        choice = choose(matrix, scores, self)
        some = bool(choice.keep.any())
        content = Content(
            page,
            matrix.view.per_text(choice.keep),
            matrix.view.per_text(scores.probability),
            BlockExplanations(page, scores.probability, choice.keep),
            "learned",
            note="" if some else _why_nothing(page, choice.content_words),
            page_confidence=model.expected_quality(choice.expected_f) if some else None,
            pagetype=scores.likeliest_type if some else None,
        )
        if not choice.left_out.any():
            return content
        return without(content, matrix.view.per_text(choice.left_out))


def _why_nothing(page: Page, content_words: float) -> str:
    if not page.texts:
        return "the page has no text: perhaps scripts build it in the browser"
    return f"about {content_words:.0f} words of content expected: too few to be a page's content"
