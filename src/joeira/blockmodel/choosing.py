"""From probabilities to a choice: which blocks of a page are kept, and which are left out again.

1. Of all sets of blocks the one with the best expected F measure is kept.
2. Tables of data and listings are kept whole, or at least their rows: with holes they mislead.
3. What is no part of the subject is left out again, each block with its `Reason`: later copies of a
   text, buttons, and what readers wrote or signed.
4. Headings ride with what they head: one whose section is kept is taken in, one whose section is
   dropped is left out.

Pages repeat themselves for reasons that have nothing to do with what they say: a menu for small
screens and one for large ones, slides that turn in a circle, a notice under every item, a quoted
post under each answer. One copy is enough.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import cached_if_short
from joeira._native import native_available
from joeira.arrays import Bools, Floats, Ints
from joeira.arrays.strings import SPACE, Words
from joeira.arrays.trees import inside
from joeira.blockmodel.columns import Matrix
from joeira.blockmodel.completion import complete
from joeira.blockmodel.model import (
    DOUBTED,
    SHARED_DOUBT,
    Scores,
    best_expected_f,
    is_forum_address,
)
from joeira.blockmodel.reasons import Reason
from joeira.blockmodel.view import BlockView
from joeira.page import Page, tags
from joeira.page.addresses import own_address
from joeira.page.comments import (
    named_comments,
    named_reviews,
    named_signatures,
)

_BROAD: Final = ("collection", "listing", "documentation", "service")
"""Types of pages of which most that is not frame is content."""
_UNFOLDING: Final = ("article", "service")
"""Types of pages on which a button may be the title of what it unfolds."""
_ASIDES: Final[Mapping[str, tuple[Reason, Callable[[Page], Bools | None]]]] = {
    "article": (Reason.COMMENT, named_comments),
    "product": (Reason.REVIEW, named_reviews),
    "forum": (Reason.SIGNATURE, named_signatures),
}
"""By type of page: what such pages name that is not what they are about, and which texts it is."""
_BUTTON: Final = tags.NUMBER["button"]
_H1: Final = tags.NUMBER["h1"]
_SPACE: Final = int(SPACE)
_PERHAPS: Final = 0.2
"""Chance of a page type that cannot be ruled out."""
_FORUM_PERHAPS: Final = 0.1
"""Chance of a forum from which on comments are the subject, unless an article is certain."""
_OTHER_ADDRESS: Final = 0.22
"""Share of forum pages whose address does not tell: how much likelier a forum is without it."""
_ARTICLE_TIMES: Final = 3
_ARTICLE_WORDS: Final = 100
"""An article is certain that is so many times as likely as a forum, with so many kept words before
the first comment."""
_SHORT_PAGE_SHARE: Final = 0.1
"""Share of a page's words that makes few words of content enough."""


class Preferences(Protocol):
    """What somebody wants of a choice; `joeira.content.learned.Learned` says more about each."""

    @property
    def beta(self) -> float:
        """Weight of recall against precision."""

    @property
    def breadth(self) -> float:
        """How much more recall counts on broad pages."""

    @property
    def min_content_words(self) -> float:
        """Expected words of content without which a page has none, if it has many others."""

    @property
    def min_article_words(self) -> float:
        """Kept words before the first comment, review or signature without which they stay."""

    @property
    def min_copy_words(self) -> float:
        """Words of a block that is kept only once."""


class TextChoice(NamedTuple):
    """What is kept of the texts of a page; what is in no block is not kept, and has no reason."""

    keep: Bools
    """Per text: is it kept in the end?"""
    revision: NDArray[np.int8] | None
    """Per text: the `Reason` for which it is left out again, or taken in; None where none is."""
    probability: Floats
    kept_words: float


class Choice(NamedTuple):
    """What is kept of the blocks of a page."""

    keep: Bools
    """Per block: is it in the set with the best expected F measure?"""
    left_out: NDArray[np.int8]
    """Per block: the `Reason` for which it is left out again; 0 for those that are not."""
    taken_in: NDArray[np.int8]
    """Per block: the `Reason` for which it is kept although not in that set; 0 for the others."""
    expected_f: float
    content_words: float
    """Words of content that the page is expected to have."""

    @property
    def kept(self) -> Bools:
        """Per block: is it kept in the end?"""
        kept: Bools = (self.keep & (self.left_out == 0)) | (self.taken_in > 0)
        return kept

    def per_text(self, view: BlockView, probability: Floats) -> TextChoice:
        """Return what this choice of blocks with some probabilities says about each text."""
        if native_available:
            chosen = (self.keep, self.left_out, self.taken_in)
            return TextChoice(*view.choosing.per_text(*chosen, probability))
        kept, revision, words = self.kept, np.maximum(self.left_out, self.taken_in), view.words
        return TextChoice(
            view.per_text(kept),
            view.per_text(revision) if revision.any() else None,
            view.per_text(probability),
            float(words[kept].sum()),
        )


def choose(matrix: Matrix, scores: Scores, wanted: Preferences) -> Choice:
    """Return what is kept of a page, and what of it is left out again."""
    probability = scores.probability
    is_broad = sum([scores.page_types[kind] for kind in _BROAD]) > 0.5
    beta = wanted.beta * wanted.breadth if is_broad else wanted.beta
    keep, expected, content_words = _best(matrix.view, probability, beta)
    if is_too_little(matrix.view, content_words, wanted.min_content_words):
        keep[:] = False
    if matrix.view.page.is_plain_text and keep.any():
        taken_in = np.where(keep, 0, Reason.PLAIN_TEXT).astype(np.int8)
        return Choice(keep, np.zeros_like(taken_in), taken_in, expected, content_words)
    complete(matrix.view, keep, probability)
    left_out = reasons_to_leave_out(matrix, keep, scores, wanted)
    if scores.likeliest_type[0] != "forum":  # where headings are names and dates of posts
        taken_in = follow_sections(matrix.view, keep, left_out, scores)
    else:
        taken_in = np.zeros(len(keep), np.int8)
    return Choice(keep, left_out, taken_in, expected, content_words)


def _best(view: BlockView, probability: Floats, beta: float) -> tuple[Bools, float, float]:
    """Return the best blocks, their expected F measure, and how many words are expected."""
    if native_available:
        return view.choosing.best(probability, beta * beta, SHARED_DOUBT, DOUBTED)
    keep, expected = best_expected_f(probability, view.words, beta, SHARED_DOUBT)
    return keep, expected, float(np.add.reduce(probability * view.words))


def is_too_little(view: BlockView, content_words: float, min_words: float) -> bool:
    """Return whether so few words of content are expected that a page is held to have none.

    A short page may well be short content; not so one that waits for its scripts.
    """
    if content_words >= min_words:
        return False
    if content_words < max(1, _SHORT_PAGE_SHARE * view.total_words):
        return True
    from joeira.page.embedded import waits_for_scripts

    return waits_for_scripts(view.page)


def reasons_to_leave_out(
    matrix: Matrix, keep: Bools, scores: Scores, wanted: Preferences
) -> NDArray[np.int8]:
    """Return per block the `Reason` to leave it out although it was chosen; 0 for none.

    Comments under an article, reviews of a product and signatures in a forum are all that the page
    names so, chosen or not: each of them says what it is.
    """
    kind, _ = scores.likeliest_type
    view, left_out = matrix.view, np.zeros(len(keep), np.int8)
    repeated = repeated_blocks(matrix, keep)
    if repeated and scores.page_types["documentation"] < _PERHAPS:
        for block in later_copies(view, repeated, wanted.min_copy_words):
            left_out[block] = Reason.COPY
    if repeated and kind != "forum":  # where what is repeated is a quotation, perhaps folded
        for block in hidden_copies(view, repeated, left_out):
            left_out[block] = Reason.COPY
    if kind not in _UNFOLDING and view.page.tag_counts[_BUTTON]:
        _leave_out_buttons(view, keep, left_out)
    if kind in _ASIDES:
        reason, named = _ASIDES[kind]
        min_words = wanted.min_article_words
        if kind == "article":
            min_words = max(min_words, _least_article(view.page, scores))
        asides = named(view.page) if min_words < np.inf else None
        if asides is not None and native_available:
            view.choosing.leave_out_asides(keep, left_out, asides, min_words, reason)
        elif asides is not None:
            left_out[_asides(view, keep & (left_out == 0), asides, min_words)] = reason
    return left_out


def _leave_out_buttons(view: BlockView, keep: Bools, left_out: NDArray[np.int8]) -> None:
    if native_available:
        view.choosing.leave_out_tag(keep, left_out, _BUTTON, Reason.BUTTON)
    else:
        left_out[keep & view.is_button] = Reason.BUTTON


def _least_article(page: Page, scores: Scores) -> float:
    """Return how many words make an article certain that has comments under it."""
    forum, article = (scores.page_types[kind] for kind in ("forum", "article"))
    if forum < _FORUM_PERHAPS:
        return 0
    address = own_address(page)
    if address and not is_forum_address(address):
        forum *= _OTHER_ADDRESS
    if forum < _FORUM_PERHAPS:
        return 0
    return _ARTICLE_WORDS if article >= _ARTICLE_TIMES * forum else np.inf


def repeated_blocks(matrix: Matrix, keep: Bools) -> list[list[int]]:
    """Return the kept blocks with the same characters, white space apart: groups of two or more.

    The hashes of blocks take all numbers for the same: only what these cannot tell apart is read.
    """
    view, page = matrix.view, matrix.view.page
    if native_available:
        read = page.characters
        characters = (read.codes, read.classes, read.starts)
        return view.choosing.repeated_blocks(keep, matrix.words.copies, characters, _SPACE)
    alike = (keep & (matrix.words.copies > 1)).nonzero()[0]
    groups = defaultdict(list)
    for block, start, end in zip(
        alike, *(bounds[alike] for bounds in view.text_bounds), strict=True
    ):
        groups["".join("".join(page.texts[start:end]).split())].append(int(block))
    return [group for group in groups.values() if len(group) > 1]


def later_copies(view: BlockView, repeated: list[list[int]], min_words: float) -> list[int]:
    """Return which blocks of at least so many words repeat a block elsewhere above them.

    Siblings of the first are no copies: a refrain, or a step of a recipe, is meant to be repeated.
    """
    later: list[int] = []
    groups = _elsewhere(view, repeated, min_words)
    if not groups:
        return later
    texts = view.texts_of([block for group in groups for block, _ in group])
    for group in groups:
        parent_of_first: dict[str, int] = {}
        for block, parent in group:
            if parent_of_first.setdefault(texts[block], parent) != parent:
                later.append(block)
    return later


def _elsewhere(
    view: BlockView, repeated: list[list[int]], min_words: float
) -> list[list[tuple[int, int]]]:
    """Return the long blocks of each group with the row above each, if it is not one for all."""
    if native_available:
        return view.choosing.elsewhere(repeated, min_words)
    words, owner, parent_of = view.words, view.owner, view.page.parent
    groups = []
    for group in repeated:  # of few blocks
        long = [block for block in group if words.item(block) >= min_words]
        parents = [parent_of.item(owner.item(block)) for block in long]
        if len(set(parents)) > 1:
            groups.append(list(zip(long, parents, strict=True)))
    return groups


_HIDING: Final = re.compile(
    r"(?:^|[\s_-])(?:sr-only|screen-?reader(?:-text|-only)?|visually-?hidden|visuallyhidden|hidden|"
    r"d-none|hide|off-?screen|invisible|a11y-hidden)(?=$|[\s_-])",
    re.IGNORECASE,
)
"""Classes that say themselves that nobody sees what they are on."""
_HIDING_WORDS: Final = Words(("hid", "sr-only", "screen", "d-none", "invisible"))


def hidden_copies(
    view: BlockView, repeated: list[list[int]], left_out: NDArray[np.int8]
) -> list[int]:
    """Return which blocks that are not left out are hidden and say what one of the others shows.

    Prices and dates, for example, are written twice, once for those who hear a page read. Names
    tell what is hidden: to read style sheets would take longer than all the rest.
    """
    hidden = hidden_blocks(view, [*chain.from_iterable(repeated)])
    if not hidden:
        return []
    groups = [[block for block in group if not left_out[block]] for group in repeated]
    groups = [group for group in groups if 0 < len(hidden.intersection(group)) < len(group)]
    texts = view.texts_of(chain.from_iterable(groups))
    copies: list[int] = []
    for group in groups:
        said = {texts[block] for block in group if block not in hidden}
        copies += [block for block in group if block in hidden and texts[block] in said]
    return copies


@cached_if_short(entries=1 << 12, longest=100)  # the pages of a site share their names
def _is_hiding(name: str) -> bool:
    return _HIDING_WORDS.are_in(name.lower()) and _HIDING.search(name) is not None


def hidden_blocks(view: BlockView, blocks: list[int]) -> set[int]:
    """Return which of some blocks lie in an element whose class hides it."""
    page, (numbers, names) = view.page, view.page.classes

    if native_available:
        return view.choosing.hidden(blocks, numbers, names, _is_hiding)
    hides = np.array([number > 0 and _is_hiding(name) for number, name in enumerate(names)])
    is_hidden = inside(hides.take(numbers), page.end)
    return {block for block in blocks if is_hidden[page.text_rows[view.text_bounds[0][block]]]}


def _asides(view: BlockView, keep: Bools, is_aside: Bools, min_words: float) -> NDArray[np.intp]:
    """Return the blocks of such texts, if some are kept and enough else before the first."""
    asides = is_aside.take(view.text_bounds[0]).nonzero()[0]
    first = asides[keep[asides]][:1].sum()  # 0, which nothing is before, without any
    before = view.words[:first][keep[:first]].sum()
    return asides if before >= min_words else asides[:0]


HEADS_KEPT_CHANCE: Final = 0.25
"""Less likely headings over kept text are none of its own, such as names of advertisements."""
HEADS_NOTHING_CHANCE: Final = 0.4
"""Likelier headings are content by themselves, such as the names of a list of products."""
_LEVELS: Final = 6
_LINKED: Final = 0.5
"""Headings with a larger share of linked words lead away from the text around them."""


def follow_sections(
    view: BlockView, keep: Bools, left_out: NDArray[np.int8], scores: Scores
) -> NDArray[np.int8]:
    """Mark headings over nothing that is kept in `left_out`; return the `Reason` of those taken in.

    A heading without a text of its own, as of a row of cards, goes by the section around it, or by
    its heading where that has only such headings. What may be a title, any ``h1`` or what has
    neither one nor kept text before it, stays as it was; but the first ``h1`` is taken in like any
    heading, except on articles, whose titles the model knows.
    """
    if not any(view.page.tag_counts[_H1 : _H1 + _LEVELS]):
        return np.zeros(len(keep), np.int8)
    is_article = scores.likeliest_type[0] == "article"
    # Documentation links the parts of its subject.
    most_linked = _LINKED if scores.page_types["documentation"] < _PERHAPS else np.inf
    if native_available:
        return view.choosing.follow_sections(
            keep,
            left_out,
            scores.probability,
            (_H1, not is_article, Reason.HEADS_NOTHING, Reason.HEADS_KEPT),
            (HEADS_KEPT_CHANCE, HEADS_NOTHING_CHANCE, most_linked),
        )
    taken_in = np.zeros(len(keep), np.int8)
    headings = view.is_heading.nonzero()[0]
    kept = keep & (left_out == 0)
    if not len(headings) or not kept.any():
        return taken_in
    level = view.page.tag.take(view.owner.take(headings)).astype(np.int64) - _H1
    title = -1 if is_article else view.first_h1
    stop = section_ends(view, headings, level)
    words, kept_words = (
        np.concatenate(([0.0], np.cumsum(np.where(counts & ~view.is_heading, view.words, 0))))
        for counts in (np.ones_like(kept), kept)
    )
    chance = scores.probability.take(headings)
    is_part = np.logical_or.accumulate(level == 0) | (kept_words.take(headings) > 0)
    is_part |= kept.take(np.minimum(headings + 1, len(kept) - 1))
    is_part &= level > 0
    is_empty = words.take(stop) == words.take(headings + 1)
    heads_kept = kept_words.take(stop) > kept_words.take(headings + 1)
    goes = is_part & ~is_empty & ~heads_kept & (chance < HEADS_NOTHING_CHANCE)
    left_out[headings[goes & kept.take(headings)]] = Reason.HEADS_NOTHING
    outer = _outer_headings(level)
    is_between = kept_words.take(headings) > kept_words.take(headings.take(outer))
    is_between &= kept_words.take(stop.take(outer)) > kept_words.take(headings)
    is_between |= is_empty.take(outer) & kept.take(headings.take(outer))
    rides = is_part & (heads_kept | (is_empty & (outer >= 0) & is_between))
    rides |= (headings == title) & heads_kept
    rides &= (chance >= HEADS_KEPT_CHANCE) & ~keep.take(headings)
    rides &= view.link_density.take(headings) < most_linked
    taken_in[headings[rides]] = Reason.HEADS_KEPT
    return taken_in


def _begins(view: BlockView) -> NDArray[np.int32]:
    """Return, per block, the row of its first text."""
    return view.page.text_rows.take(view.text_bounds[0])


def _outer_headings(level: Ints) -> NDArray[np.intp]:
    """Return, per heading, the number of the last higher one before it; -1 where there is none."""
    number = np.arange(len(level))
    outer = np.full(len(level), -1)
    for own in range(1, level.max(initial=0) + 1):
        last = np.maximum.accumulate(np.where(level < own, number, -1))
        outer = np.where(level == own, last, outer)
    return outer


def section_ends(view: BlockView, headings: Ints, level: Ints) -> Ints:
    """Return, per heading, one past the last block of its section.

    A section reaches to the next heading that is as high, and no further than the smallest element
    that holds both the heading and the text after it.
    """
    page, size, begins = view.page, view.size, _begins(view)
    after = begins.take(np.minimum(headings + 1, size - 1))
    around = begins.take(headings).astype(np.intp)
    for step in page.ladder[::-1]:
        above = step.take(around)
        around = np.where(page.end.take(above) <= after, above, around)
    holder = np.maximum(page.parent.take(around), 0)
    stop = np.searchsorted(begins, page.end.take(holder))
    for number in range(level.max(initial=-1) + 1):
        high = np.append(headings[level <= number], size)
        own = level == number
        following = high.take(np.searchsorted(high, headings[own], side="right"), mode="clip")
        stop[own] = np.minimum(stop[own], following)
    return np.maximum(stop, headings + 1)
