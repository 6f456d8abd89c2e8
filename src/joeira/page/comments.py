"""User contributions: comments below an article, reviews of a product, signatures.

Structure alone tells: an element whose class or id speaks of comments, or that says in schema.org's
words that it is one. A page that is nearly all such, as forums are, has no article beside them, so
there nothing is marked, unless an article stands before the first of them. Forms for writing a
comment are not comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from joeira._lazy import cached_if_short
from joeira._native import native_available
from joeira.arrays import Bools, Ints
from joeira.arrays.strings import Words
from joeira.arrays.trees import inside
from joeira.page import tags

if native_available:
    from joeira._native import choosing as kernels

if TYPE_CHECKING:
    from joeira.page.model import Page

MAX_SHARE: Final = 0.8
"""An element with more of the page's words is the page, not the comments under an article."""
ARTICLE_WORDS: Final = 200
"""Words of prose before the first comment that make an article, however long the comments are: more
than nearly all opening posts of forums have."""
MIN_WORDS: Final = 5
"""Less is a counter or a link to the comments."""


class _Names(NamedTuple):
    """Class and id names that speak of something."""

    pattern: re.Pattern[str]
    stems: Words
    """One of these is in every such name; they are found much faster than the pattern."""
    speaks: Callable[[str], bool]
    """Tells whether a name is like the pattern; the pages of a site share their names."""

    @classmethod
    def of(cls, pattern: str, stems: str) -> _Names:
        """Return the names of a pattern, whatever their case."""
        compiled = re.compile(pattern, re.IGNORECASE)

        @cached_if_short(entries=1 << 12, longest=100)
        def speaks(name: str) -> bool:
            return compiled.search(name) is not None

        return cls(compiled, Words(stems.split()), speaks)


_COMMENTS: Final = _Names.of(
    r"(?:^|[\s_-])(?:(?:user|reader|post|article|blog|page|entry|fb|wp|usr)[_-]?)?"
    r"(?:comments?|commentlist|commentaires?|kommentare?|coment[aá]rios?|comentarios?|disqus|"
    r"discussion|replies|responses)"
    r"(?:[_-]?(?:list|area|section|thread|wrap|wrapper|container|block|body|content|text|box|item))?"
    r"(?=\s|$|[_-]?\d)",
    "omment oment disqus iscussion eplies esponses",
)
_REVIEWS: Final = _Names.of(
    r"(?<!p)reviews|bewertungen|avalia[cç][oõ]es|opiniones|recensioni",
    "eviews ewertungen valia piniones ecensioni",
)
"""In the plural: one review may be a critic's, or the last step of an order."""
_SIGNATURES: Final = _Names.of(r"signature", "ignature")
_DECLARED_TYPES: Final = ("schema.org/Comment", "schema.org/UserComments")
_DECLARING: Final = frozenset(("itemtype=omment", "itemprop=omment"))
_PROSE_WORDS: Final = 20
"""Words of a block that is prose, if few of them are linked."""
_APART: Final = tags.table("form button textarea select nav footer")


def comments(page: Page) -> Bools:
    """Return per text whether it belongs to a comment under an article."""
    return _under_article(page, *_comment_rows(page))


def _under_article(page: Page, rows: Ints, declared: bool) -> Bools:
    """Return per text whether it is below a row that speaks of comments, beside an article."""
    if not len(rows):
        return np.zeros(len(page.text_rows), bool)
    words = _words_below(page, rows)
    total = int(page.text_words.sum())
    most = MAX_SHARE * max(total, 1)
    # What declares its posts to be comments is a forum: what stands first is a post as well.
    if not declared and _prose_before(page, rows) >= ARTICLE_WORDS:
        most = total
    is_comment = _texts_below(page, rows[words <= most])
    if page.text_words[is_comment].sum() > most:
        is_comment[:] = False
    return is_comment


def named_comments(page: Page) -> Bools | None:
    """Return per text whether the page calls it a comment, be it all that the page has.

    For those who know by other means that there is an article. None where nothing is called so.
    """
    rows, declared = _comment_rows(page)
    if not len(rows):
        return None
    return _under_article(page, rows, declared) if declared else _texts_below(page, rows)


def named_reviews(page: Page) -> Bools:
    """Return per text whether it stands in what the page calls reviews."""
    return _texts_in(page, _rows_named(page, _REVIEWS))


def may_be_of_readers(page: Page, rows: Set[int]) -> bool:
    """Return whether one of some elements is called after comments or reviews: quick for few.

    Texts that are in no such element, on a page that declares no comments, are neither of them.
    """
    for numbers, present in (page.classes, page.ids):
        number_of = numbers.data  # faster than an array to look single rows up in
        around = {present[number_of[row]] for row in rows}
        joined = "\n".join(around).lower()
        for names in (_COMMENTS, _REVIEWS):
            if names.stems.are_in(joined) and any(map(names.pattern.search, around)):
                return True
    return False


def declares_comments(page: Page) -> bool:
    """Return whether a page says of some element, in schema.org's words, that it is a comment."""
    if not page.attributes.may_have(_DECLARING):
        return False
    return any(
        values.get("itemprop") == "comment" or values.get("itemtype", "").endswith(_DECLARED_TYPES)
        for _, values in page.attributes.described
    )


def named_signatures(page: Page) -> Bools:
    """Return per text whether it stands in what the page calls a signature."""
    return _texts_in(page, _rows_named(page, _SIGNATURES))


def _comment_rows(page: Page) -> tuple[Ints, bool]:
    """Return the rows that speak of comments, and whether some are declared to be comments."""
    declared = _declared_rows(page) if page.attributes.may_have(_DECLARING) else set()
    rows = _rows_named(page, _COMMENTS)
    if declared:
        rows = np.array(sorted(declared.union(rows.tolist())), np.int64)
    if not len(rows):
        return rows, False
    return rows[_with_words(page, rows)], bool(declared)


def _with_words(page: Page, rows: Ints) -> Bools:
    """Return which of some rows have more below them than a counter has, and are no forms."""
    if native_available:
        characters = page.characters.classes, page.characters.starts
        return _below(page).with_words(rows, _APART, characters, MIN_WORDS)
    some: Bools = (_words_below(page, rows) >= MIN_WORDS) & ~_APART[page.known_tag[rows]]
    return some


def _below(page: Page) -> kernels.Below:
    return kernels.Below(page.known_tag, page.end, page.text_rows)


def _declared_rows(page: Page) -> set[int]:
    """Return the rows that are declared to be comments, in schema.org's words."""
    types = zip(*page.attributes.column("itemtype"), strict=True)
    names = zip(*page.attributes.column("itemprop"), strict=True)
    declared = {row for row, kind in types if kind.endswith(_DECLARED_TYPES)}
    return declared.union(row for row, name in names if name == "comment")


def _words_below(page: Page, rows: Ints) -> Ints:
    """Return the words below each of some rows."""
    total = np.concatenate(([0], page.text_words.cumsum()))
    first, stop = page.text_index.take(rows), page.text_index.take(page.end.take(rows))
    below: Ints = total.take(stop) - total.take(first)
    return below


def _texts_below(page: Page, rows: Ints) -> Bools:
    """Return per text whether it is below one of some rows, and not in a form or the like."""
    if native_available:
        return _below(page).texts_below(rows, _APART)
    is_below = _texts_in(page, rows)
    if len(rows):
        is_below &= ~inside(_APART.take(page.known_tag), page.end).take(page.text_rows)
    return is_below


def _texts_in(page: Page, rows: Ints) -> Bools:
    """Return per text whether it is below one of some rows."""
    if not len(rows):
        return np.zeros(len(page.text_rows), bool)
    if native_available:
        return _below(page).texts_below(rows)
    is_top = np.zeros(len(page), bool)
    is_top[rows] = True
    is_below: Bools = inside(is_top, page.end)[page.text_rows]
    return is_below


def _rows_named(page: Page, names: _Names) -> Ints:
    """Return the elements that have one of some names."""
    found = []
    for numbers, present in (page.classes, page.ids):
        # Others ask for all classes as one text, too; for all ids nobody does.
        if present is page.classes[1] and not names.stems.are_in(page.class_text):
            continue
        with_stem = names.stems.are_in_names(present)
        matching = [number for number in with_stem if names.speaks(present[number])]
        if matching:
            found.append((numbers, len(present), matching))
    if not found:  # as on most pages
        return _NO_ROWS
    return tags.rows_with(*found)


_NO_ROWS: Final = np.zeros(0, np.int64)


def _prose_before(page: Page, rows: Ints) -> int:
    """Return the words of prose before the first of some rows."""
    blocks = page.blocks
    words = blocks.sums(page.text_words)
    linked = blocks.sums(page.text_words * page.text_linked)
    prose = (words >= _PROSE_WORDS) & (3 * linked < words)
    begins = page.text_rows[blocks.first[:-1]]
    return int(words[prose & (begins < rows[0])].sum()) if len(rows) else 0
