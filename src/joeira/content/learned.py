"""The learned default: a model of blocks, decoded by expected F1.

Not from one paper. Each block of the page gets 131 features (`joeira.blockmodel.columns`), many of
them ideas of the published methods turned into columns: link density, tag path groups, subtree
classes, the node with most of the prose. Two learned models turn them into a probability that the
block is main content; the set of blocks with the best expected word F1 is kept, and of it what is
not the page's subject is left out again (`joeira.blockmodel.choosing`).

`joeira.models` holds the weights and a card that says what they were learned from and how well they
do; `python -m training` makes them again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from joeira.blockmodel import model as scoring
from joeira.blockmodel.choosing import Choice, choose
from joeira.blockmodel.explanations import BlockExplanations
from joeira.blockmodel.reasons import Reasons
from joeira.content.result import Content, Revised
from joeira.page import Page
from joeira.papers import Paper
from joeira.params import check, param

FEW_WORDS = 40
"""With fewer kept words a page may have its text elsewhere than in its tree."""
MUCH_MORE = 10
"""How many times as long a text beside the tree must be to be preferred to what is in it."""


@dataclass(frozen=True)
class Learned:
    """Keep the blocks with the best expected F measure under the learned block model."""

    beta: float = param(
        0.9,
        "Weight of recall against precision: 2 favours recall, 0.5 precision. A little "
        "below 1 by default: as good as 1 on pages like those it was fitted on, and "
        "better on pages of other kinds, of which the model is less sure.",
        gt=0,
    )
    breadth: float = param(
        1.3,
        "How much more recall counts where a page is rather a list, documentation or "
        "about a service than an article, a thread or a product.",
        gt=0,
    )
    min_content_words: float = param(
        10.0,
        "A page with fewer expected words of content has none, unless they are a tenth of its "
        "words: a short page may be short content. One that waits for scripts has none.",
        ge=0,
    )
    min_article_words: float = param(
        50.0,
        "Comments under an article, reviews of a product and signatures in a forum are "
        "dropped where so many words are kept before the first of them; comments only where "
        "the page is surely no forum.",
        ge=0,
    )
    min_copy_words: float = param(
        8.0,
        "A block of so many words is kept once, however often a page repeats it elsewhere; "
        "unless the page may be documentation, which repeats itself on purpose. Copies under "
        "one parent stay, as those of a refrain.",
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
        """Return the main content of a page.

        Where the tree of the page has none, it is looked for in what scripts would make of the page
        (`joeira.page.embedded`): the result then has a page of its own, and says so.
        """
        content, words = self._of_tree(page)
        if words >= FEW_WORDS:
            return content
        return self._embedded(page, words) or content

    def _embedded(self, page: Page, words: int) -> Content | None:
        """Return content that is not in the tree of a page, or that is much more of it."""
        from joeira.page.embedded import longest_text

        embedded = longest_text(page)
        if embedded is None:
            return None
        if words and not (embedded.is_certain and embedded.words >= MUCH_MORE * words):
            return None
        content, _ = self._of_tree(embedded.page(page))
        if not content:
            return None
        notes = (embedded.note(words), *page.notes, content.note)
        return replace(content, note="; ".join(filter(None, notes)))

    def _of_tree(self, page: Page) -> tuple[Content, int]:
        """Return what is content in the tree of a page, and how many words it has."""
        model = scoring.load()
        matrix = model.features(page)
        scores = model.score(matrix)
        choice = choose(matrix, scores, self)
        kept = choice.per_text(matrix.view, scores.probability)
        reasons: Reasons = BlockExplanations(page, scores.probability, choice.keep)
        if kept.revision is not None:
            reasons = Revised(reasons, kept.revision, page)
        some = bool(np.count_nonzero(choice.keep))
        note = _note(page, choice, some)
        if matrix.view.cut:
            note = "; ".join(filter(None, (matrix.view.cut, note)))
        content = Content(
            page,
            kept.keep,
            kept.probability,
            reasons,
            "learned",
            note=note,
            page_confidence=model.expected_quality(choice.expected_f) if some else None,
            pagetype=scores.likeliest_type if some else None,
        )
        return content, int(kept.kept_words)


_FEEDS: Final = {
    "rss": "an RSS feed",
    "rdf:rdf": "an RDF document",
    "feed": "an Atom feed",
    "urlset": "a sitemap",
    "sitemapindex": "a sitemap",
    "opml": "an outline (OPML)",
}
"""By first element: documents for programs that are sometimes taken for pages."""


def _note(page: Page, choice: Choice, some: bool) -> str:
    """Return what is to be said of a page that is no web page, or has no content."""
    if not _FEEDS.keys().isdisjoint(page.foreign_names):
        after = page.body + 1
        if after < len(page) and page.tag_name(after) in _FEEDS:
            return f"{_FEEDS[page.tag_name(after)]}, not a web page"
    return "" if some else _why_nothing(page, choice.content_words)


def _why_nothing(page: Page, content_words: float) -> str:
    from joeira.page.embedded import waits_for_scripts

    scripts = "perhaps scripts build it in the browser"
    if page.in_head[page.text_rows].all():
        return "" if page.notes else f"the page has no text: {scripts}"
    told = f"only about {content_words:.0f} words of content expected, too few for a page"
    return f"{told}; {scripts}" if waits_for_scripts(page) else told
