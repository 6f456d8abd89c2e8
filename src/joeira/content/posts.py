"""Posts: what people wrote one after another, in forum threads, questions with answers, comments.

Structure alone finds them. Every post shows when it was written, or who wrote it, in a cell of its
own, and these cells look alike. So cells that hold a date, or a name, are grouped by their element
and the two above it; around each cell of a group stands the largest subtree that holds no other,
and that is a post. What the posts of a group have in common then tells the parts of a post apart:
the body is the element that nearly every post has once, and that holds nearly all of what is not
said twice; the author is in the cell that speaks of members, or whose words an avatar repeats.
"""

from __future__ import annotations

import re
from bisect import bisect_left as bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from joeira.arrays import Bools, Floats, Hashes, Ints, trees
from joeira.arrays.strings import collapse
from joeira.metadata.dates import first_day
from joeira.page import Page, tags
from joeira.page.addresses import LINK_SCHEMES, base_of, clean
from joeira.page.comments import named_signatures
from joeira.render import text as plain_text

if TYPE_CHECKING:
    from joeira.content.result import Content

MAX_POSTS: Final = 2_000
"""Further posts of a page are not read."""
MAX_CELLS: Final = 20_000
"""So many short texts are looked at."""
MAX_GROUPS: Final = 24
"""So many groups of like cells are tried, those with the most words around them first."""
MAX_CELL_CHARS: Final = 100
MAX_NAME_CHARS: Final = 40
MAX_LINK_WORDS: Final = 12
MIN_SHARE: Final = 0.5
"""Of the posts of a list: so many have what all of them are said to have."""


@dataclass(frozen=True)
class Post:
    """What one person wrote at one time in a thread, under a question, or under an article."""

    position: int
    """Place among the posts of the page, from 1."""
    author: str | None
    """Name as the page shows it."""
    author_url: str | None
    """Address that the name links to."""
    date: str | None
    """ISO day; None where the page says none, or only how long ago it was."""
    date_text: str | None
    """The date as the page shows it, with the hour where it has one."""
    text: str
    """What was written, without author, signature and buttons; '' for a mere picture."""
    depth: int = 0
    """How many posts the page nests it in: 0 in a flat thread, 1 for a reply to a comment."""
    is_question: bool = False
    """Whether the page marks it as a question."""
    is_answer: bool = False
    """Whether the page marks it as an answer."""
    permalink: str | None = None
    """Address of this post alone."""
    rows: tuple[int, int] = field(default=(0, 0), repr=False, compare=False)
    """Rows of the page from which to which it goes, with all that belongs to it."""
    body_rows: tuple[int, int] = field(default=(0, 0), repr=False, compare=False)
    """Rows of the element that holds its text."""
    cell_rows: tuple[int, ...] = field(default=(), repr=False, compare=False)
    """Rows of the texts that show author and date."""

    @property
    def heading(self) -> str:
        """Author and date on one line: ``Ann · 2024-05-06``; '' where neither is known."""
        return " · ".join(filter(None, (self.author, self.date or self.date_text)))

    def to_dict(self) -> dict[str, object]:
        """Return the post as plain data."""
        return {
            "position": self.position,
            "author": self.author,
            "author_url": self.author_url,
            "date": self.date,
            "date_text": self.date_text,
            "text": self.text,
            "depth": self.depth,
            "is_question": self.is_question,
            "is_answer": self.is_answer,
            "permalink": self.permalink,
        }


def find_posts(content: Content) -> tuple[Post, ...]:
    """Return the posts that a page's content is made of; none where it is no thread."""
    view = _View(content.page, content.keep)
    threads = sorted(_threads(view), key=lambda thread: -thread.score)
    if not threads or threads[0].score < MIN_SCORE:
        return ()
    chosen = [threads[0]]
    around, taken = threads[0].post_of_text >= 0, threads[0].in_posts
    for thread in threads[1:]:
        inside = thread.in_posts & around
        if thread.is_dated and inside.any() and not (thread.in_posts & (taken | ~around)).any():
            chosen.append(thread)
            taken = taken | inside
    posts = [post for thread in chosen for post in thread.posts()]
    opening = _opening(view, chosen[0]) if content.pagetype and content.pagetype[0] == "forum" else None
    return _numbered([*posts, *filter(None, (opening,))])


def _opening(view: _View, thread: _Thread) -> Post | None:
    """Return the post that opens a thread, where it looks unlike the replies."""
    page, start = view.page, int(thread.starts[0])
    is_before = (page.text_rows < start) & view.keep & ~view.in_short_link
    heading = trees.inside(tags.HEADINGS[page.known_tag], page.end)[page.text_rows]
    weights = np.where(is_before & ~heading, view.weights, 0)
    if weights.sum() < MIN_OPENING_WORDS:
        return None
    sums = trees.subtree_sums(page.spread(weights), page.end)
    whole = np.flatnonzero((sums >= 0.85 * weights.sum()) & (page.end <= start) & ~page.is_text)
    if not len(whole):
        return None
    body = int(whole[-1])
    # Who wrote it and when stands near: in the part of the page that ends where the replies begin.
    top = body
    while page.parent[top] >= 0 and page.end[page.parent[top]] <= start:
        top = int(page.parent[top])
    around = int(page.parent[top])
    cells = [
        next((cell for cell in kind if around < cell.row < start), None)
        for kind in (view.names, view.dates)
    ]
    if not any(cells):
        return None
    alone = _Thread(view, np.array([body]), np.array([around]), np.array([start]))
    opening, first = alone.read(0, 0, body, *cells), next(thread.posts())
    is_same = opening.author == first.author and opening.date in (None, first.date)
    return None if is_same else opening  # a summary of the thread names its first post


MIN_SCORE: Final = 0.1
MIN_OPENING_WORDS: Final = 8
DECLARED_BONUS: Final = 1.1
EPSILON: Final = 1e-9

_RELATIVE: Final = re.compile(
    r"\b\d+\s*(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mos?|months?"
    r"|y|yrs?|years?)\b.{0,20}\bago\b|\b(?:an?|one|last)\s+(?:minute|hour|day|week|month|year)s?\b"
    r"(?:\s+ago)?|\bjust now\b"
    r"|\b(?:vor|il y a|hace|há)\s+\S+\s+\w+|\b\d+\s*(?:jahre?|monate?|wochen?|tage?|stunden?)\b"
    r"|\b(?:yesterday|today|heute|gestern|aujourd.hui|hier|ayer|hoy|ieri|oggi|ontem|hoje|wczoraj"
    r"|сегодня|вчера)\b.{0,20}\d[:h.]\d\d"
    r"|昨天|前天|今天|(?:\d+|几)\s*(?:秒|分钟|小时|天|周|个?月|年)前",
    re.IGNORECASE,
)
_NOT_POSTED: Final = re.compile(
    r"join|regist|member since|seit|inscri|dabei|last|edit|zuletzt|modifi|geändert|bearbeitet"
    r"|updated|activ|注册|编辑|最后",
    re.IGNORECASE,
)
_CREATED: Final = re.compile(r"datePublished|dateCreated|commentTime")
_SHORT_YEAR: Final = re.compile(r"['’](\d\d)\b")
_NAME: Final = re.compile(
    r"user-?_?name|author|poster|nick|\bname|creator|by-?line|autor|auteur|screen-?name|\bfn\b",
    re.IGNORECASE,
)
_PERSON: Final = re.compile(
    r"user(?!content)|member|profile|mitglied|membre|usuario|utente|people|handle", re.IGNORECASE
)
_PERSON_LINK: Final = re.compile(
    r"user|member|profil|author|people|/u/|/@|mitglied|membre|account|[?&;](?:u|uid)=", re.IGNORECASE
)
_BEFORE_NAME: Final = re.compile(
    r"^(?:(?:posted|written|started|asked|answered|created|geschrieben|erstellt|publié|écrit)\s+)?"
    r"(?:by|von|par|por|de|di|作者)\b[:：]?\s*", re.IGNORECASE
)
_DIGITS: Final = re.compile(r"\d+")
_NO_LETTER: Final = re.compile(r"[\W\d_]*")
_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_STRONG: Final = tags.table("b strong h1 h2 h3 h4 h5 h6 cite dt th")
_APART: Final = tags.table("button select nav label")


_DECLARED_TEXT: Final = "[itemprop=text],[itemprop=articleBody],[itemprop=commentText]"
_DECLARED: Final = (
    "Question", "Answer", "Comment", "UserComments", "DiscussionForumPosting", "SocialMediaPosting"
)


class _Cell(NamedTuple):
    """A short text that may say who or when."""

    text: int
    """Number of the text."""
    row: int
    """Row of the text."""
    line: str
    sign: int
    """Equal for cells that look alike."""


@dataclass(frozen=True, eq=False)
class _View:
    """What the finder looks at in a page."""

    page: Page
    keep: Bools

    @cached_property
    def own(self) -> Hashes:
        """Per row: sign of its tag and the first word of its class, digits left out."""
        numbers, names = self.page.classes
        first = [_DIGITS.sub("", name.split()[0]) if name.strip() else "" for name in names]
        kinds = {name: number for number, name in enumerate(dict.fromkeys(first))}
        by_class = np.array([kinds[name] for name in first], np.uint64)[numbers]
        return (self.page.tag_symbol + by_class * tags.CLASS_STEP).astype(np.uint64)

    @cached_property
    def pair(self) -> Hashes:
        """Per row: sign of itself and its parent."""
        return self.own + _STEP * self.own[np.maximum(self.page.parent, 0)]

    @cached_property
    def triple(self) -> Hashes:
        """Per row: sign of itself, its parent and its grandparent."""
        return self.own + _STEP * self.pair[np.maximum(self.page.parent, 0)]

    @cached_property
    def weights(self) -> Floats:
        """Per text: its words, of which those that the method did not keep count less."""
        return self.page.text_words * np.where(self.keep, 1.0, 0.3)

    @cached_property
    def cells(self) -> list[_Cell]:
        """Short texts outside the head."""
        page = self.page
        short = (page.text_chars > 0) & (page.text_chars <= MAX_CELL_CHARS)
        short &= ~page.in_head[page.text_rows]
        numbers = np.flatnonzero(short)[:MAX_CELLS].tolist()
        rows = page.text_rows[numbers]
        signs = self.pair[page.parent[rows]].tolist()
        lines = [collapse(page.texts[number]) for number in numbers]
        return list(map(_Cell, numbers, rows.tolist(), lines, signs))

    @cached_property
    def dates(self) -> list[_Cell]:
        """The cells that show a date."""
        rows = np.array([cell.row for cell in self.cells], np.int64)
        times = self.page.rows_of("time").astype(np.int64)
        time_of = trees.enclosing(times, self.page.end, rows).tolist()
        dates, last = [], -1
        for cell, time in zip(self.cells, time_of, strict=True):
            if (time >= 0 and time != last) or (time < 0 and is_date(cell.line)):
                dates.append(cell)
            last = time
        return dates

    @cached_property
    def stated(self) -> list[int]:
        """Rows of elements without text that may state a date."""
        rows = self.page.attributes.matching("time,[datetime],[title]")
        texts = self.page.text_index
        return [row for row in rows if texts[row] == texts[self.page.end[row]]]

    @cached_property
    def names(self) -> list[_Cell]:
        """The cells that link to somebody, or are called after authors."""
        return [
            cell
            for cell in self.cells
            if len(cell.line) <= MAX_NAME_CHARS
            and (
                _PERSON_LINK.search(self.link(cell.row))
                or _NAME.search(self.called(int(self.page.parent[cell.row])))
            )
        ]

    @cached_property
    def _links(self) -> dict[int, str]:
        return dict(zip(*self.page.attributes.column("href"), strict=True))

    @cached_property
    def _link_rows(self) -> Ints:
        return trees.enclosing(
            self.page.rows_of("a").astype(np.int64), self.page.end, np.arange(len(self.page))
        )

    def link(self, row: int) -> str:
        """Return the address that a row links to, as written; '' when it links to nothing."""
        return self._links.get(int(self._link_rows[row]), "") or ""

    @cached_property
    def in_short_link(self) -> Bools:
        """Per text: is it in a link of a few words? Broken markup links whole posts."""
        words = trees.subtree_sums(self.page.words, self.page.end)
        link = self._link_rows[self.page.text_rows]
        short: Bools = (link >= 0) & (words[link] <= MAX_LINK_WORDS)
        return short

    @cached_property
    def base(self) -> str | None:
        return base_of(self.page)

    def address(self, link: str) -> str | None:
        """Return a link as an address that can be followed."""
        return clean(link, self.base, LINK_SCHEMES) if link else None

    def called(self, row: int) -> str:
        """Return class and id of an element, and which property of a post it is."""
        numbers, names = self.page.classes
        ids, id_names = self.page.ids
        return f"{names[numbers[row]]} {id_names[ids[row]]} {self._properties.get(row, '')}"

    @cached_property
    def _properties(self) -> dict[int, str]:
        return dict(zip(*self.page.attributes.column("itemprop"), strict=True))

    @cached_property
    def in_author(self) -> Bools:
        """Per row: does the page declare it to be the author of something?"""
        marked = np.zeros(len(self.page), bool)
        marked[self.page.attributes.matching("[itemprop=author],[itemprop=creator]")] = True
        return trees.inside(marked, self.page.end)

    @cached_property
    def declared(self) -> Ints:
        """Rows of what the page declares to be posts, in schema.org's words."""
        selector = ",".join(f"[itemtype$='schema.org/{kind}']" for kind in _DECLARED)
        return np.array(sorted(self.page.attributes.matching(selector))[:MAX_POSTS], np.int64)

    @cached_property
    def declared_texts(self) -> Ints:
        """Rows of what the page declares to be the text of something."""
        return np.array(sorted(self.page.attributes.matching(_DECLARED_TEXT)), np.int64)


def is_date(line: str) -> bool:
    """Return whether a short text shows a date, or how long ago something was."""
    return bool(read_day(line) or _RELATIVE.search(line) or _without_year(line))


def read_day(line: str) -> str | None:
    """Return the ISO day of a short text."""
    return first_day(_SHORT_YEAR.sub(r"20\1", line))


def _without_year(line: str) -> bool:
    """Return whether a text is a day and a month."""
    return len(line) <= 24 and bool(first_day(f"{line} 2000"))


def _threads(view: _View) -> Iterator[_Thread]:
    """Yield the lists of posts that like cells suggest."""
    groups: dict[int, list[int]] = defaultdict(list)
    for cells in (view.dates, view.names):
        rows = np.array([cell.row for cell in cells], np.int64)
        above = view.page.parent[rows]
        for signs in (view.triple, view.pair, view.own):
            for row, sign in zip(rows.tolist(), signs[above].tolist(), strict=True):
                groups[sign].append(row)
    distinct = {tuple(sorted(set(rows))[:MAX_POSTS]) for rows in groups.values()}
    total = np.concatenate(([0], np.cumsum(view.weights)))
    index = view.page.text_index
    candidates = []
    for rows in sorted(distinct):
        if len(rows) >= 2:
            anchors = np.array(rows, np.int64)
            starts, stops = _regions(view, anchors)
            around = float((total[index[stops]] - total[index[starts]]).sum())
            candidates.append((around, anchors, starts, stops))
    yield from _declared_threads(view)
    candidates.sort(key=lambda candidate: -candidate[0])
    for _, anchors, starts, stops in candidates[:MAX_GROUPS]:
        yield _Thread(view, anchors, starts, stops)


def _declared_threads(view: _View) -> Iterator[_Thread]:
    """Yield the list of posts that the page declares, if it does."""
    starts = view.declared
    if len(starts) < 2:
        return
    stops = np.minimum(view.page.end[starts], np.append(starts[1:], len(view.page)))
    first = np.searchsorted(view.declared_texts, starts)
    has_text = np.append(view.declared_texts, len(view.page))[first] < stops
    if has_text.mean() > MIN_SHARE:  # the others are the thread or the page as a whole
        starts, stops = starts[has_text], stops[has_text]
    yield _Thread(view, starts, starts, stops, is_declared=True)


def _regions(view: _View, anchors: Ints) -> tuple[Ints, Ints]:
    """Return the first row of each post, and the row after its last.

    A post is the largest subtree around its cell without another's; where these hold little, as a
    line above each post does, it is all that follows up to the next.
    """
    page = view.page
    common = _common_depths(page, anchors)
    depth = np.maximum(np.append(common, -1), np.append(-1, common)) + 1
    tops = anchors.copy()
    while True:
        going = page.depth[tops] > depth
        if not going.any():
            break
        tops[going] = page.parent[tops[going]]
    stops = page.end[tops].astype(np.int64)
    beside = np.flatnonzero(page.parent[tops[1:]] == page.parent[tops[:-1]])
    if len(beside):
        words = np.concatenate(([0], np.cumsum(page.words)))
        inside = (words[stops[beside]] - words[tops[beside]]).sum()
        between = (words[tops[beside + 1]] - words[stops[beside]]).sum()
        if between > inside:
            stops[beside] = tops[beside + 1]
            last = int(beside[-1]) + 1
            stops[last] = _last_stop(page, tops, last)
    return tops, stops


def _last_stop(page: Page, tops: Ints, last: int) -> int:
    """Return where the last post ends, if it has as many elements as the one before."""
    parent = page.parent[tops[last]]
    children = np.flatnonzero(page.parent == parent)
    size = int(((children >= tops[last - 1]) & (children < tops[last])).sum())
    own = children[children >= tops[last]][:size]
    return int(page.end[own[-1]])


def _common_depths(page: Page, anchors: Ints) -> Ints:
    """Return the depth of the lowest common ancestor of each row and the next."""
    one, other = anchors[:-1].copy(), anchors[1:].copy()
    while True:
        apart = one != other
        if not apart.any():
            return page.depth[one].astype(np.int64)
        deeper = apart & (page.depth[one] >= page.depth[other])
        shallower = apart & (page.depth[other] >= page.depth[one])
        one[deeper] = page.parent[one[deeper]]
        other[shallower] = page.parent[other[shallower]]


@dataclass(frozen=True, eq=False)
class _Thread:
    """A list of what may be posts."""

    view: _View
    anchors: Ints
    starts: Ints
    stops: Ints
    is_declared: bool = False

    @cached_property
    def post_of_text(self) -> Ints:
        """Per text: number of its post, -1 for none."""
        rows = self.view.page.text_rows
        place = np.searchsorted(self.starts, rows, "right") - 1
        return np.where((place >= 0) & (rows < self.stops[place]), place, -1)

    @cached_property
    def in_posts(self) -> Bools:
        """Per text: is it in a body?"""
        page = self.view.page
        marked = np.zeros(len(page), bool)
        marked[self.bodies[self.bodies >= 0]] = True
        inside: Bools = trees.inside(marked, page.end)[page.text_rows]
        return inside

    @cached_property
    def prose(self) -> Floats:
        """Per text: its words, unless it is no prose: said in several posts, a cell, a button."""
        page = self.view.page
        numbers = np.flatnonzero(self.post_of_text >= 0)
        posts = self.post_of_text[numbers]
        # A quote repeats what was said before too, but deeper down.
        depths = page.depth[page.text_rows[numbers]] - page.depth[self.starts[posts]]
        signs = self.view.pair[page.parent[page.text_rows[numbers]]] + depths.astype(np.uint64)
        lines = [_DIGITS.sub("0", page.texts[number].strip().lower()[:200]) for number in numbers]
        keys = list(zip(lines, signs.tolist(), strict=True))
        posts_of: dict[tuple[str, int], set[int]] = defaultdict(set)
        for key, post in zip(keys, posts.tolist(), strict=True):
            posts_of[key].add(post)
        prose = np.zeros(len(page.texts))
        once = [len(posts_of[key]) == 1 for key in keys]
        prose[numbers] = self.view.weights[numbers] * np.array(once, bool)
        prose[self.view.in_short_link] = 0
        heading = trees.inside(tags.HEADINGS[page.known_tag], page.end)[page.text_rows]
        prose[named_signatures(page) | self._apart | heading] = 0
        prose[[cell.text for cell in self.view.dates]] = 0
        return prose

    @cached_property
    def _apart(self) -> Bools:
        page = self.view.page
        apart: Bools = trees.inside(_APART[page.known_tag], page.end)[page.text_rows]
        return apart

    @cached_property
    def common_bodies(self) -> Ints:
        """Per post: row of the element that holds its text in most posts; -1 where it has none."""
        page, count = self.view.page, len(self.starts)
        bodies = np.full(count, -1, np.int64)
        place = np.searchsorted(self.starts, np.arange(len(page)), "right") - 1
        inside = (place >= 0) & (page.end <= self.stops[place]) & ~page.is_text
        rows = np.flatnonzero(inside)
        prose = trees.subtree_sums(page.spread(self.prose), page.end)[rows]
        words = trees.subtree_sums(page.words, page.end)[rows]
        post, sign = place[rows], self.view.pair[rows]
        order = np.lexsort((rows, -prose, post, sign))
        first = np.ones(len(order), bool)
        first[1:] = (np.diff(post[order]) != 0) | (sign[order[1:]] != sign[order[:-1]])
        best = order[first]
        of_post = np.bincount(self.post_of_text + 1, self.prose, count + 1)[1:]
        covered = prose[best] / np.maximum(EPSILON, of_post[post[best]])
        quality = covered * prose[best] / np.maximum(1, words[best])
        _, group, sizes = np.unique(sign[best], return_inverse=True, return_counts=True)
        merit = np.bincount(group, quality * np.sqrt(of_post[post[best]]))
        merit[sizes < max(2, MIN_SHARE * count)] = 0
        if merit.any():
            chosen = best[group == merit.argmax()]
            bodies[post[chosen]] = rows[chosen]
        texts = self.view.declared_texts
        texts = texts[inside[texts]][::-1]
        bodies[place[texts]] = texts  # the first of each post
        return bodies

    @cached_property
    def bodies(self) -> Ints:
        """Per post: row of the element that holds its text; -1 where there is none."""
        bodies = self.common_bodies.copy()
        of_post = np.bincount(self.post_of_text + 1, self.prose, len(bodies) + 1)[1:]
        for number in np.flatnonzero((bodies < 0) & (of_post > 0)).tolist():
            bodies[number] = self._densest(number)
        return bodies

    def _densest(self, number: int) -> int:
        """Return the smallest element of a post that holds nearly all of its prose."""
        page = self.view.page
        prose = trees.subtree_sums(page.spread(self.prose), page.end)
        start, stop = int(self.starts[number]), int(self.stops[number])
        rows = start + np.flatnonzero(~page.is_text[start:stop] & (page.end[start:stop] <= stop))
        enough = rows[prose[rows] >= 0.85 * prose[rows].max(initial=0)]
        return int(enough[-1]) if len(enough) else -1

    @cached_property
    def score(self) -> float:
        """How much of what the page says is in the posts, and how regular they are."""
        weights, starts = self.view.weights, self.starts
        said = self.in_posts & ~self.view.in_short_link
        inside = float(weights[said].sum())
        index = self.view.page.text_index
        counts = np.concatenate(([0], np.cumsum(said)))
        bodies = self.common_bodies[self.common_bodies >= 0]
        first, last = index[bodies], index[self.view.page.end[bodies]]
        # A body of nothing but links is an entry of a menu; one without text is a picture.
        regular = float(((counts[last] > counts[first]) | (first == last)).sum() / len(starts)) ** 2
        if self.is_declared:
            regular *= DECLARED_BONUS
        else:  # posts are elements of one kind
            regular *= float(np.bincount(self.view.page.known_tag[starts]).max() / len(starts))
        known = 0.4 + 0.3 * bool(self.authors) + 0.3 * bool(self.dates)
        # Cells in a body: those of quotes, or of many posts that were taken for one.
        cells = [cell.text for cell in (*self.view.dates, *self.view.names)]
        crowd = self.in_posts[cells].sum() / len(starts)
        return inside / max(1.0, float(weights.sum())) * regular * known / (1 + crowd / 3)

    @property
    def is_dated(self) -> bool:
        """Whether most posts have an author and a date."""
        return min(len(self.authors), len(self.dates)) >= 0.8 * len(self.starts)

    def _best_cells(
        self, cells: Iterable[_Cell], score_of: Callable[[dict[int, _Cell]], float]
    ) -> dict[int, _Cell]:
        """Return for each post the first cell of the best kind that it has."""
        kinds: dict[int, dict[int, _Cell]] = defaultdict(dict)
        for cell in cells:
            post = int(self.post_of_text[cell.text])
            if post >= 0:
                declared = bool(self.view.in_author[cell.row])
                sign = cell.sign * 4 + 2 * declared + bool(self.in_posts[cell.text])
                kinds[sign].setdefault(post, cell)
        scored = []
        for sign, kind in kinds.items():
            share = len(kind) / len(self.starts)
            score = score_of(kind)
            # In a body, what looks like a cell may be what somebody wrote.
            if score > 0 and (sign % 2 == 0 or share >= 0.9):
                scored.append((score + share - sign % 2, kind))
        best: dict[int, _Cell] = {}
        for _, kind in sorted(scored, key=lambda pair: -pair[0]):
            best = kind | best
        return best

    @cached_property
    def dates(self) -> dict[int, _Cell]:
        """By post: the cell that says when it was written."""
        return self._best_cells(self.view.dates, self._date_score)

    def _date_score(self, cells: dict[int, _Cell]) -> float:
        page = self.view.page
        days = [day for _, cell in sorted(cells.items()) if (day := self.day(cell))]
        ups = sum(a <= b for a, b in zip(days, days[1:], strict=False))
        downs = sum(a >= b for a, b in zip(days, days[1:], strict=False))
        ordered = max(ups, downs) / (len(days) - 1) if len(days) > 1 else 0.5
        labels = [
            f"{page.texts[cell.text - 1][-40:]} {cell.line}" for cell in cells.values() if cell.text
        ]
        doubtful = sum(bool(_NOT_POSTED.search(label)) for label in labels) / len(cells)
        called = [self.view.called(int(page.parent[cell.row])) for cell in cells.values()]
        created = sum(bool(_CREATED.search(name)) for name in called) / len(cells)
        return 0.1 + ordered - doubtful + created / 2

    def day(self, cell: _Cell) -> str | None:
        """Return the ISO day of a cell, by what it shows or else by its attributes."""
        day = read_day(cell.line)
        row = cell.row
        for _ in range(3):
            if day:
                return day
            row = int(self.view.page.parent[row])
            attributes = self.view.page.attributes.of(row)
            stated = (value for name, value in attributes.items() if name != "href")
            day = next(filter(None, map(first_day, stated)), None)
        return day

    def _stated_day(self, start: int, stop: int) -> str | None:
        """Return the day of an element for dates that shows nothing until a script fills it."""
        for row in self.view.stated[bisect(self.view.stated, start) : bisect(self.view.stated, stop)]:
            day = next(filter(None, map(first_day, self.view.page.attributes.of(row).values())), None)
            if day:
                return day
        return None

    @cached_property
    def authors(self) -> dict[int, _Cell]:
        """By post: the cell that says who wrote it."""
        dates = {cell.text for cell in self.view.dates}
        short = (
            cell
            for cell in self.view.cells
            if len(cell.line) <= MAX_NAME_CHARS
            and cell.text not in dates
            and not _NO_LETTER.fullmatch(cell.line)
            and not self._apart[cell.text]
        )
        return self._best_cells(short, self._author_score)

    def _author_score(self, cells: dict[int, _Cell]) -> float:
        view, page = self.view, self.view.page
        some = list(cells.values())[:40]
        score = cues = 0.0
        for cell in some:
            element = int(page.parent[cell.row])
            link = view.link(cell.row)
            cue = max(self._called_name(element), 1.0 * (cell.line in self._pictured))
            cue += 1.0 * bool(_PERSON_LINK.search(link)) + 0.25 * bool(link)
            cues += cue + 0.5 * bool(view.in_author[cell.row])
            score += 0.4 * bool(_STRONG[page.known_tag[[element, page.parent[element]]]].any())
            score += 0.5 * (self._first_words.get(int(self.post_of_text[cell.text])) == cell.text)
            score -= 0.5 * (cell.line[-1] in ".:!?,;")
        score, cues = score / len(some), cues / len(some)
        # People differ; what all posts have in common is a button or a label.
        alike = Counter(_DIGITS.sub("0", cell.line) for cell in some).most_common(1)[0][1]
        if len(some) > 2:
            score += 0.25 if alike <= 0.5 * len(some) else -0.25
            if alike > 0.9 * len(some) and cues < 0.6:
                score -= 1
        return score + cues - 0.4

    def _called_name(self, element: int) -> float:
        """Return how much the names of an element and those above it speak of people."""
        for weight in (1.0, 0.8, 0.6, 0.4):
            if element <= 0:
                break
            called = self.view.called(element)
            if _NAME.search(called):
                return weight
            if _PERSON.search(called):
                return weight / 2
            element = int(self.view.page.parent[element])
        return 0.0

    @cached_property
    def _first_words(self) -> dict[int, int]:
        """By post: its first text that has letters and no date."""
        dates = {cell.text for cell in self.view.dates}
        first: dict[int, int] = {}
        for cell in self.view.cells:
            if cell.text not in dates and not _NO_LETTER.fullmatch(cell.line):
                first.setdefault(int(self.post_of_text[cell.text]), cell.text)
        return first

    @cached_property
    def _pictured(self) -> set[str]:
        """What pictures are said to show: avatars have the names of people."""
        return {
            collapse(alt or "")
            for _, (alt,) in self.view.page.attributes.read("img[alt]", ["alt"])
        }

    def posts(self) -> Iterator[Post]:
        """Yield the posts."""
        depths = self._depths()
        for number in range(len(self.starts)):
            yield self._post(number, depths[number])

    def _depths(self) -> list[int]:
        """Return how many posts each one is nested in."""
        open_depths: list[int] = []
        depths = []
        for depth in self.view.page.depth[self.anchors].tolist():
            while open_depths and open_depths[-1] >= depth:
                open_depths.pop()
            depths.append(len(open_depths))
            open_depths.append(depth)
        if min(depths[1:], default=0) > 0:  # all are nested in the first, which opens the thread
            depths = [max(0, depth - 1) for depth in depths]
        return depths

    def _text(self, mask: Bools, body: int) -> str:
        """Return the kept texts as people read them, without the bullet of a list of posts."""
        page = self.view.page
        text = plain_text.render(page, mask)
        if text.startswith("- "):
            first = page.text_rows[mask.argmax()]
            item = trees.enclosing(page.rows_of("li").astype(np.int64), page.end, first[None])
            return text[2:] if item[0] <= body else text
        return text

    def _leave_out_head(self, mask: Bools, cells: list[int]) -> None:
        """Leave out the texts around author and date, where they stand in the body as well."""
        inside = [cell for cell in cells if mask[cell]]
        if not inside:
            return
        texts = np.flatnonzero(mask)
        before, after = texts[texts <= max(inside)], texts[texts >= min(inside)]
        prose = self.prose
        mask[before if prose[before].sum() <= prose[after].sum() else after] = False

    def _post(self, number: int, depth: int) -> Post:
        author, date = self.authors.get(number), self.dates.get(number)
        return self.read(number, depth, int(self.bodies[number]), author, date)

    def read(
        self, number: int, depth: int, body: int, author: _Cell | None, date: _Cell | None
    ) -> Post:
        """Return a post, given its parts."""
        view, page = self.view, self.view.page
        cells = tuple(cell.row for cell in (author, date) if cell)
        start, stop = int(self.starts[number]), int(self.stops[number])
        body_rows = (body, int(page.end[body])) if body >= 0 else (start, stop)
        mask = (page.text_rows >= body_rows[0]) & (page.text_rows < body_rows[1])
        mask &= ~self._apart & ~named_signatures(page)
        self._leave_out_head(mask, [cell.text for cell in (author, date) if cell])
        return Post(
            position=0,
            author=_BEFORE_NAME.sub("", author.line) if author else None,
            author_url=view.address(view.link(author.row)) if author else None,
            date=self.day(date) if date else self._stated_day(start, stop),
            date_text=date.line if date else None,
            text=self._text(mask, body_rows[0]),
            depth=depth,
            rows=(start, stop),
            body_rows=body_rows,
            cell_rows=cells,
        )


def _numbered(posts: Iterable[Post]) -> tuple[Post, ...]:
    from dataclasses import replace

    in_order = sorted(posts, key=lambda post: post.rows[0])
    return tuple(replace(post, position=place) for place, post in enumerate(in_order, 1))
