"""Which texts are what readers wrote under an article.

Structure alone tells: an element whose class or id speaks of comments, or that says in schema.org's
words that it is one. A page that is nearly all such, as forums are, has no article beside them, so
there nothing is marked, unless an article stands before the first of them. Forms for writing a
comment are not comments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from joeira.kernels.trees import inside
from joeira.page import tags

if TYPE_CHECKING:
    from joeira.page.model import Page

MAX_SHARE: Final = 0.8
"""An element with more of the page's words is the page, not the comments under an article."""
ARTICLE_WORDS: Final = 200
"""Words of prose before the first comment that make an article, however long the comments are: more
than nearly all opening posts of forums have."""
MIN_WORDS: Final = 5
"""Less is a counter or a link to the comments."""

_NAME: Final = re.compile(
    r"(?:^|[\s_-])(?:(?:user|reader|post|article|blog|page|entry|fb|wp|usr)[_-]?)?"
    r"(?:comments?|commentlist|commentaires?|kommentare?|coment[aá]rios?|comentarios?|disqus|"
    r"discussion|replies|responses)"
    r"(?:[_-]?(?:list|area|section|thread|wrap|wrapper|container|block|body|content|text|box|item))?"
    r"(?=\s|$|[_-]?\d)",
    re.IGNORECASE,
)
_STEMS: Final = "omment oment disqus iscussion eplies esponses".split()
"""One of these is in every such name; they are found much faster than the pattern."""
_DECLARED: Final = (
    "[itemtype$='schema.org/Comment'],[itemtype$='schema.org/UserComments'],[itemprop=comment]"
)
_PROSE_WORDS: Final = 20
"""Words of a block that is prose, if few of them are linked."""
_APART: Final = tags.table("form button textarea select nav footer")


def comments(page: Page) -> NDArray[np.bool_]:
    """Return, per text, whether it belongs to a comment under an article."""
    declared = page.attributes.matching(_DECLARED)
    rows = set(declared)
    for numbers, names in (page.classes, page.ids):
        told = _speaking_of_comments(names)
        if told:
            rows.update(np.flatnonzero(np.isin(numbers, told) & ~page.is_text).tolist())
    marked = np.zeros(len(page), bool)
    chosen = np.array(sorted(rows), np.int64)
    if not len(chosen):
        return marked[page.text_rows]
    total = np.concatenate(([0], np.cumsum(page.words)))
    words = total[page.end[chosen]] - total[chosen]
    some = (words >= MIN_WORDS) & ~_APART[page.known_tag[chosen]]
    most = MAX_SHARE * max(int(total[-1]), 1)
    # What declares its posts to be comments is a forum: what stands first is a post as well.
    if not declared and _prose_before(page, chosen[some]) >= ARTICLE_WORDS:
        most = int(total[-1])
    marked[chosen[some & (words <= most)]] = True
    apart = inside(_APART[page.known_tag], page.end)
    found: NDArray[np.bool_] = (inside(marked, page.end) & ~apart)[page.text_rows]
    if page.words[page.text_rows][found].sum() > most:
        found[:] = False
    return found


def _speaking_of_comments(names: Sequence[str]) -> list[int]:
    """Return the numbers of the names that speak of comments."""
    joined = "\n".join(names).lower()
    stems = [stem for stem in _STEMS if stem in joined]
    return [
        number
        for number, name in enumerate(names if stems else ())
        if any(stem in name.lower() for stem in stems) and _NAME.search(name)
    ]


def _prose_before(page: Page, rows: NDArray[np.int64]) -> int:
    """Return the words of prose before the first of some rows."""
    blocks = page.blocks
    words = blocks.sums(page.text_words)
    linked = blocks.sums(page.text_words * page.text_linked)
    prose = (words >= _PROSE_WORDS) & (3 * linked < words)
    begins = page.text_rows[blocks.first[:-1]]
    return int(words[prose & (begins < rows[0])].sum()) if len(rows) else 0
