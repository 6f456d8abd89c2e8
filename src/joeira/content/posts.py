"""Posts in forum threads, questions with answers, and comments.

Structure alone finds them. Every post shows when it was written, or who wrote it, in a cell of its
own (`joeira.content.post_cells`), and these cells look alike. Around each cell of a group of like
ones stands the largest subtree that holds no other: that is a post. Or the page declares its posts
in schema.org's words. What the posts of a list have in common then tells the parts of a post apart:
the body is the element that nearly every post has once, and that holds nearly all of what is not
said twice; the author is in the cell that speaks of members, or whose words an avatar repeats; the
date is in the cell whose dates follow one another. Of all lists, that one is the thread which holds
most of the page's content.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from joeira.arrays import Bools, Floats, Ints, trees
from joeira.arrays.strings import collapse
from joeira.content.post_cells import MAX_POSTS, Cell, Cells
from joeira.page import Page
from joeira.render import text as plain_text

if TYPE_CHECKING:
    from joeira.content.result import Content

MAX_THREADS: Final = 24
"""So many groups of like cells are tried, those with the most words around them first."""
MIN_SHARE: Final = 0.5  # of the posts of a list, which have what all are said to have
MIN_SCORE: Final = 0.1  # of a list that is a thread
MIN_OPENING_WORDS: Final = 8
MAX_DOUBT: Final = 0.6  # a page that is less probably one of these may be a thread all the same
_LIKE_THREADS: Final = ("article", "listing")
DECLARED_BONUS: Final = 1.1
BODY_SHARE: Final = 0.85  # of the prose of a post that looks unlike the others

_BEFORE_NAME: Final = re.compile(
    r"(?i)^(?:(?:posted|written|started|asked|answered|created|geschrieben|erstellt|publié|écrit)"
    r"\s+)?(?:by|von|par|por|de|di|作者)\b[:：]?\s+"
)
_DIGITS: Final = re.compile(r"\d+")
_AROUND_DATES: Final = " ,;:|•·-–—«»()"
_TINY: Final = 1e-9


@dataclass(frozen=True)
class Post:
    """One contribution to a thread, to a question, or to the comments below an article."""

    position: int
    """Position among the posts of the page, from 1."""
    author: str | None
    """Name as the page shows it."""
    author_url: str | None
    """Address that the name links to."""
    date: str | None
    """ISO date; None if the page gives none, or only how long ago it was."""
    date_text: str | None
    """The date as the page shows it, including any time."""
    text: str
    """The text, without author, signature and buttons; '' for a post with only an image."""
    depth: int = 0
    """Depth of nesting: 0 in a flat thread, 1 for a reply to a comment."""
    is_question: bool = False
    """Whether the page marks it as a question."""
    is_answer: bool = False
    """Whether the page marks it as an answer."""
    permalink: str | None = None
    """Address of this post alone."""
    rows: tuple[int, int] = field(default=(0, 0), repr=False, compare=False)
    """First row of the post and one past its last, including nested posts."""
    text_rows: tuple[int, ...] = field(default=(), repr=False, compare=False)
    """Rows of its text, in order."""
    cell_rows: tuple[int, ...] = field(default=(), repr=False, compare=False)
    """Rows of the texts that show author and date."""

    @property
    def heading(self) -> str:
        """Author and date on one line: ``Ann · 2024-05-06``; '' if neither is known."""
        return " · ".join(filter(None, (self.author, self.date or self.date_text)))

    def to_dict(self) -> dict[str, Any]:
        """Return the post as plain data, without the rows of the page."""
        return {part.name: getattr(self, part.name) for part in fields(self) if part.compare}


def find_posts(content: Content, *, is_readers: bool = False) -> tuple[Post, ...]:
    """Return the posts of some content; none if it is not a thread.

    Args:
        content: The content of a page.
        is_readers: Whether the content consists of reader comments only.
    """
    if not content:
        return ()
    kind, probability = content.pagetype or ("forum", 1.0)
    is_forum = kind == "forum"
    if not (is_readers or is_forum or (kind in _LIKE_THREADS and probability < MAX_DOUBT)):
        return ()
    cells = Cells(content.page, content.keep, is_readers)
    thread = max(_threads(cells), key=lambda thread: thread.score, default=None)
    is_certain = is_readers or (is_forum and content.pagetype is not None)
    posts: list[Post] = []
    if thread and thread.score >= MIN_SCORE:
        if not (thread.is_signed if is_certain else thread.is_dated):
            return ()
        posts = list(thread.posts(content.visible_only))
    if is_certain and not (posts and is_readers):
        posts += _opening(cells, posts, content.visible_only)
    in_order = sorted(posts, key=lambda post: post.rows[0])
    texts = _texts(content.page, [post.text_rows for post in in_order if post.text_rows])
    return tuple(
        replace(post, position=place, text=texts.get(post.text_rows, ""))
        for place, post in enumerate(in_order, 1)
    )


def _texts(page: Page, posts: list[tuple[int, ...]]) -> dict[tuple[int, ...], str]:
    """Return what was written in each post, by its rows; in one pass if none is nested."""
    is_flat = all(one[-1] < other[0] for one, other in pairwise(posts))
    texts: dict[tuple[int, ...], str] = {}
    for group in [posts] if is_flat else [[rows] for rows in posts]:
        keep = np.isin(page.text_rows, [row for rows in group for row in rows])
        parts = plain_text.render_parts(page, keep, {rows[0]: "" for rows in group})
        texts.update(zip(group, parts, strict=True))
    return texts


def _opening(cells: Cells, replies: list[Post], visible_only: bool) -> Iterator[Post]:
    """Yield the post that opens a thread, where it looks unlike the replies or has none."""
    page = cells.page
    stop = replies[0].rows[0] if replies else len(page)
    is_before = (page.text_rows < stop) & cells.keep & ~cells.in_short_link
    weights = np.where(is_before & ~cells.in_heading, cells.weights, 0)
    prose = trees.subtree_sums(page.spread(weights), page.end)
    enough = (prose >= BODY_SHARE * weights.sum()) & (page.end <= stop) & ~page.is_text
    if weights.sum() < MIN_OPENING_WORDS or not enough.any():
        return
    body = top = int(enough.nonzero()[0][-1])
    # Who wrote it, and when, stands near: in the part of the page that the replies end.
    while page.parent[top] > 0 and page.end[page.parent[top]] <= stop:
        top = int(page.parent[top])
    around = range(int(page.parent[top]) + 1, stop)
    near = [[cell for cell in kind if cell.row in around] for kind in (cells.names, cells.dates)]
    if not all(near):
        return
    author, date = (min(kind, key=lambda cell: abs(cell.row - body)) for kind in near)
    begin = min(body, author.row, date.row)
    alone = _Thread(cells, *np.array([[begin], [stop], [stop]]))
    opening = alone.read(0, _Parts(body, author, date), visible_only)
    # A summary of the thread names its first post.
    if not any(opening.author == post.author and opening.date == post.date for post in replies[:1]):
        yield opening


def _threads(cells: Cells) -> Iterator[_Thread]:
    """Yield the lists of posts that the page declares, or that like cells suggest."""
    for rows in cells.declared():
        yield _Thread(cells, *rows, is_declared=True)
    total = np.concatenate(([0], np.cumsum(cells.weights)))[cells.page.text_index]
    suggested = []
    for anchors in cells.alike():
        thread = _Thread(cells, *_regions(cells.page, anchors))
        around = float((total[thread.stops] - total[thread.starts]).sum())
        suggested.append((around, thread))
    suggested.sort(key=lambda pair: -pair[0])
    yield from (thread for _, thread in suggested[:MAX_THREADS])


def _regions(page: Page, anchors: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the first row of each post, the row after its last, and that after its replies.

    A post is the largest subtree around its cell without another's; where these hold little, as a
    line above each post does, it is all that follows up to the next.
    """
    tops = trees.lone_subtrees(anchors, page.parent, page.depth).astype(np.int64)
    stops = page.end[tops].astype(np.int64)
    parents = page.parent[tops]
    beside = np.flatnonzero(parents[1:] == parents[:-1])
    words = np.concatenate(([0], np.cumsum(page.words)))
    inside = (words[stops[beside]] - words[tops[beside]]).sum()
    if (words[tops[beside + 1]] - words[stops[beside]]).sum() > inside:
        stops[beside] = tops[beside + 1]
        last = int(beside[-1]) + 1
        # The last one has as many elements as the one before.
        siblings = np.flatnonzero(page.parent == parents[last])
        before, own = siblings.searchsorted(tops[last - 1 : last + 1]).tolist()
        stops[last] = page.end[siblings[min(2 * own - before, len(siblings)) - 1]]
    # One that shares its element with deeper ones only, its replies, has it up to the first.
    is_first = np.append(-1, anchors[:-1]) < parents
    shares = trees.next_as_high(page.depth[anchors], anchors, len(page)) < page.end[parents]
    branches = np.where(is_first & ~shares, page.end[parents], stops)
    for number in np.flatnonzero(anchors[1:] < branches[:-1]).tolist():
        reply = int(anchors[number + 1])
        while page.parent[reply] != parents[number]:
            reply = int(page.parent[reply])
        stops[number] = reply
    return tops, stops, branches


@dataclass(frozen=True)
class _Parts:
    """Where the parts of a post are."""

    body: int
    """Row of the element that holds its text; -1 where there is none."""
    author: Cell | None = None
    date: Cell | None = None


@dataclass(frozen=True, eq=False)
class _Thread:
    """A list of what may be posts."""

    cells: Cells
    starts: Ints
    stops: Ints
    branches: Ints
    """Per post: the row after its replies, where they are nested in it."""
    is_declared: bool = False

    # Bodies ------------------------------------------------------------------------------------

    @cached_property
    def post_of_text(self) -> Ints:
        """Per text: number of its post, -1 for none."""
        rows = self.cells.page.text_rows
        place = self.starts.searchsorted(rows, "right") - 1
        return np.where((place >= 0) & (rows < self.stops[place]), place, -1)

    @cached_property
    def prose(self) -> Floats:
        """Per text: its weight as prose; 0 if it is repeated, linked or a button."""
        cells, page = self.cells, self.cells.page
        numbers = np.flatnonzero(self.post_of_text >= 0)
        posts, rows = self.post_of_text[numbers], page.text_rows[numbers]
        # A quote repeats what was said before too, but deeper down.
        depths = page.depth[rows] - page.depth[self.starts[posts]]
        signs = cells.pair[page.parent[rows]] + depths.astype(np.uint64)
        lines = (_DIGITS.sub("0", page.texts[n].strip().lower()[:200]) for n in numbers.tolist())
        keys = list(zip(lines, signs.tolist(), strict=True))
        posts_of: dict[tuple[str, int], set[int]] = defaultdict(set)
        for key, post in zip(keys, posts.tolist(), strict=True):
            posts_of[key].add(post)
        prose = np.zeros(len(page.texts))
        prose[numbers] = cells.weights[numbers] * [len(posts_of[key]) == 1 for key in keys]
        prose[cells.is_apart | cells.in_heading | cells.in_short_link] = 0
        prose[[cell.text for cell in cells.dates]] = 0
        return prose

    @cached_property
    def common_bodies(self) -> Ints:
        """Per post: row of the element that holds its text in most posts; -1 where it has none."""
        page, count = self.cells.page, len(self.starts)
        bodies = np.full(count, -1, np.int64)
        place = self.starts.searchsorted(np.arange(len(page)), "right") - 1
        inside = (place >= 0) & (page.end <= self.stops[place]) & ~page.is_text
        rows = np.flatnonzero(inside)
        prose = trees.subtree_sums(page.spread(self.prose), page.end)[rows]
        words = trees.subtree_sums(page.words, page.end)[rows]
        post, sign = place[rows], self.cells.pair[rows]
        # Of the elements of a post that look alike, the one with the most prose.
        order = np.lexsort((rows, -prose, post, sign))
        new = np.ones(len(order), bool)
        new[1:] = (np.diff(post[order]) != 0) | (sign[order[1:]] != sign[order[:-1]])
        best = order[new]
        whole = np.maximum(_TINY, self._prose_of_posts[post[best]])
        quality = prose[best] / whole * prose[best] / np.maximum(1, words[best])
        _, group, sizes = np.unique(sign[best], return_inverse=True, return_counts=True)
        merit = np.bincount(group, quality * np.sqrt(whole), len(sizes))
        merit[sizes < max(2, MIN_SHARE * count)] = 0
        if merit.any():
            chosen = best[group == merit.argmax()]
            bodies[post[chosen]] = rows[chosen]
        texts = self.cells.item_texts
        texts = texts[inside[texts]][::-1]
        bodies[place[texts]] = texts  # the first that each post declares
        return bodies

    @cached_property
    def _prose_of_posts(self) -> Floats:
        prose: Floats = np.zeros(len(self.starts) + 1)
        np.add.at(prose, self.post_of_text + 1, self.prose)
        return prose[1:]

    @cached_property
    def bodies(self) -> Ints:
        """Per post: row of the element that holds its text; -1 where there is none."""
        page, bodies = self.cells.page, self.common_bodies.copy()
        prose = trees.subtree_sums(page.spread(self.prose), page.end)
        for number in np.flatnonzero((bodies < 0) & (self._prose_of_posts > 0)).tolist():
            start, stop = int(self.starts[number]), int(self.stops[number])
            enough = prose[start:stop] >= BODY_SHARE * self._prose_of_posts[number]
            enough &= ~page.is_text[start:stop] & (page.end[start:stop] <= stop)
            if enough.any():
                bodies[number] = start + enough.nonzero()[0][-1]
        return bodies

    @cached_property
    def in_bodies(self) -> Bools:
        """Per text: is it in a body?"""
        page = self.cells.page
        marked = np.zeros(len(page), bool)
        marked[self.bodies[self.bodies >= 0]] = True
        inside: Bools = trees.inside(marked, page.end)[page.text_rows]
        return inside

    # Which list is the thread ------------------------------------------------------------------

    @cached_property
    def score(self) -> float:
        """How much of what the page says is in the posts, and how regular they are."""
        cells, page, count = self.cells, self.cells.page, len(self.starts)
        said = self.in_bodies & ~cells.in_short_link
        last_text = page.text_index[self.stops[-1]] if count == MAX_POSTS else len(said)
        inside = cells.weights[said].sum() / max(1.0, cells.weights[:last_text].sum())
        known = 0.4 + 0.3 * bool(self.authors) + 0.3 * bool(self.dates)
        # Cells in a body: those of quotes, or of many posts that were taken for one.
        crowd = self.in_bodies[[cell.text for cell in (*cells.dates, *cells.names)]].sum() / count
        # A body of nothing but links is an entry of a menu; one without text is a picture.
        bodies = self.common_bodies[self.common_bodies >= 0]
        first, last = page.text_index[bodies], page.text_index[page.end[bodies]]
        before = np.concatenate(([0], np.cumsum(said)))
        regular = ((before[last] > before[first]) | (first == last)).sum() / count
        # Posts are elements of one kind.
        alike = np.bincount(page.known_tag[self.starts]).max() / count
        regular = regular**2 * (DECLARED_BONUS if self.is_declared else alike)
        return float(inside * regular * known / (1 + crowd / 3))

    @property
    def is_signed(self) -> bool:
        """Whether posts have an author or a date."""
        return max(len(self.authors), len(self.dates)) >= MIN_SHARE * len(self.starts)

    @property
    def is_dated(self) -> bool:
        """Whether nearly all posts have an author and a date."""
        return min(len(self.authors), len(self.dates)) >= 0.8 * len(self.starts)

    # Authors and dates -------------------------------------------------------------------------

    def _best_cells(
        self, candidates: Iterable[Cell], score_of: Callable[[list[Cell]], float]
    ) -> dict[int, Cell]:
        """Return by post the first cell of the best kind that it has."""
        kinds: dict[tuple[int, bool, bool], dict[int, Cell]] = defaultdict(dict)
        for cell in candidates:
            post = int(self.post_of_text[cell.text])
            if post >= 0:
                in_body = bool(self.in_bodies[cell.text])
                is_author = bool(self.cells.in_author[cell.row])
                kinds[cell.sign, is_author, in_body].setdefault(post, cell)
        scored = []
        for (_, _, in_body), kind in kinds.items():
            share = len(kind) / len(self.starts)
            score = score_of(list(kind.values()))
            # In a body, what looks like a cell may be what somebody wrote.
            if score > 0 and (not in_body or share >= 0.9):
                scored.append((score + share - in_body, kind))
        best: dict[int, Cell] = {}
        for _, kind in sorted(scored, key=lambda pair: -pair[0]):
            best = kind | best
        return best

    @cached_property
    def dates(self) -> dict[int, Cell]:
        """By post: the cell that says when it was written."""
        return self._best_cells(self.cells.dates, self.cells.date_merit)

    @cached_property
    def authors(self) -> dict[int, Cell]:
        """By post: the cell that says who wrote it."""
        by_post: dict[int, Cell] = {}
        for cell in self.cells.words:
            by_post.setdefault(int(self.post_of_text[cell.text]), cell)
        first = set(by_post.values())
        return self._best_cells(self.cells.words, lambda kind: self.cells.author_merit(kind, first))

    # Posts -------------------------------------------------------------------------------------

    def posts(self, visible_only: bool) -> Iterator[Post]:
        """Yield the posts without what was written in them."""
        for number, depth in enumerate(self._depths()):
            body = int(self.bodies[number])
            parts = _Parts(body, self.authors.get(number), self.dates.get(number))
            if self.common_bodies[number] >= 0 or parts.author or parts.date:
                yield replace(self.read(number, parts, visible_only), depth=depth)

    def _depths(self) -> list[int]:
        """Return how many posts each one is nested in."""
        depths: list[int] = []
        around: list[int] = []
        for start, branch in zip(self.starts.tolist(), self.branches.tolist(), strict=True):
            while around and around[-1] <= start:
                around.pop()
            depths.append(len(around))
            around.append(branch)
        if min(depths[1:], default=0) > 0:  # all are nested in the first, which opens the thread
            depths = [max(0, depth - 1) for depth in depths]
        return depths

    def read(self, number: int, parts: _Parts, visible_only: bool) -> Post:
        """Return a post, given its parts."""
        cells, page = self.cells, self.cells.page
        author, date = parts.author, parts.date
        start, stop = int(self.starts[number]), int(self.stops[number])
        body = (parts.body, int(page.end[parts.body])) if parts.body >= 0 else (start, stop)
        shown = [cell.text for cell in (date, author) if cell]
        if date and (clock := cells.clock(date)) >= 0:
            shown.insert(1, clock)
        mask = self._mask(body, shown, visible_only)
        kind = cells.item_kind(start, body[0], is_first=number == 0)
        dated = " ".join(page.texts[text] for text in shown[: len(shown) - bool(author)])
        return Post(
            position=0,
            author=_BEFORE_NAME.sub("", author.line) if author else None,
            author_url=cells.address(cells.link(author.row)) if author else None,
            date=cells.day(date) if date else cells.hidden_day(start, stop),
            date_text=collapse(dated).strip(_AROUND_DATES) or None,
            text="",
            is_question=kind == "Question",
            is_answer=kind == "Answer",
            permalink=cells.permalink((start, stop), body, date),
            rows=(start, stop),
            text_rows=tuple(page.text_rows[mask].tolist()),
            cell_rows=tuple(sorted(page.text_rows[shown].tolist())),
        )

    def _mask(self, body: tuple[int, int], shown: list[int], visible_only: bool) -> Bools:
        """Return per text whether it is what was written, and not who did when, as is `shown`."""
        page = self.cells.page
        first, last = page.text_index[list(body)].tolist()
        mask = np.zeros(len(page.texts), bool)
        mask[first:last] = ~self.cells.is_apart[first:last]
        if visible_only:
            mask[first:last] &= page.hidden[page.text_rows[first:last]] == 0
        within = [text for text in shown if mask[text]]
        if within:  # leave out what else stands there, above the body or below
            texts = np.flatnonzero(mask)
            before, after = texts[texts <= max(within)], texts[texts >= min(within)]
            is_head = self.prose[before].sum() <= self.prose[after].sum()
            mask[before if is_head else after] = False
        return mask
