"""Cells: the short texts of a page that say who wrote something, or when, and what it declares.

Cells look alike when their elements, and those around them, have the same tags and classes. Of a
class only the first word counts, without digits: the rest says which of two rows is the odd one, or
what rank an author has.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from joeira.arrays import Bools, Floats, Hashes, Ints, trees
from joeira.arrays.strings import collapse
from joeira.metadata.dates import first_day, writes_month_first
from joeira.page import Page, tags
from joeira.page.addresses import LINK_SCHEMES, base_of, clean

MAX_CELLS: Final = 20_000
"""So many short texts are looked at."""
MAX_POSTS: Final = 1_000
"""Further posts of a page are not read."""
MAX_GROUPS: Final = 60
"""So many groups of like cells are looked at, the largest first."""
MAX_SAMPLE: Final = 40
"""So many cells tell what their kind is."""
MAX_LINKS: Final = 50
"""So many links of a post are looked at for the one to itself."""
MAX_CELL_CHARS: Final = 100
MAX_NAME_CHARS: Final = 40
MAX_DAY_CHARS: Final = 24
"""Of a day and a month without a year."""
MAX_LINK_WORDS: Final = 12
"""A link with more is no link but broken markup: whole posts lie in it."""
UNKEPT: Final = 0.3
"""How much a word counts that the method did not keep, which may be wrong."""

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
_CLOCK: Final = re.compile(
    r"[\s,]*(?:um|at|à)?\s*\d\d?[:.h]\d\d(?::\d\d)?\s*(?:[ap]\.?m\.?|uhr)?\s*", re.IGNORECASE
)
_SHORT_YEAR: Final = re.compile(r"['’](\d\d)\b")
_NUMBERS: Final = re.compile(r"(?<!\d)(\d\d?)[/-](\d\d?)[/-](?:\d\d){1,2}(?!\d)")
_DIGITS: Final = re.compile(r"\d+")
_NAME: Final = re.compile(
    r"user-?_?name|author|poster|nick|\bname|creator|by-?line|autor|auteur|screen-?name|\bfn\b",
    re.IGNORECASE,
)
_PERSON: Final = re.compile(
    r"user(?!content)|member|profile|mitglied|membre|usuario|utente|people|handle", re.IGNORECASE
)
_PERSON_LINK: Final = re.compile(
    r"user|member|profil|author|people|/u/|/@|mitglied|membre|account|[?&;](?:u|uid)=",
    re.IGNORECASE,
)
_NOT_POSTED: Final = re.compile(
    r"join|regist|member since|seit|inscri|dabei|last|edit|zuletzt|modifi|geändert|bearbeitet"
    r"|updated|activ|注册|编辑|最后",
    re.IGNORECASE,
)
_CREATED: Final = re.compile(r"datePublished|dateCreated|commentTime")
_COUNT: Final = re.compile(r"#?\d+")
_STRONG: Final = tags.table("b strong h1 h2 h3 h4 h5 h6 cite dt th")
_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_ITEMS: Final = (
    "Question", "Answer", "Comment", "UserComments", "DiscussionForumPosting", "SocialMediaPosting"
)  # fmt: skip
_ITEM_TEXTS: Final = "[itemprop=text],[itemprop=articleBody],[itemprop=commentText]"


class Cell(NamedTuple):
    """A short text that may say who or when."""

    text: int
    """Number of the text."""
    row: int
    line: str
    """What it says."""
    sign: int
    """Equal for cells whose elements, and the elements around these, look alike."""


def is_date(line: str) -> bool:
    """Return whether a short text shows a date, or how long ago something was."""
    if read_day(line) or _RELATIVE.search(line):
        return True
    return len(line) <= MAX_DAY_CHARS and first_day(f"{line} 2000") is not None


def read_day(line: str, *, month_first: bool = False) -> str | None:
    """Return the ISO day of a short text; None where it has none, or no year."""
    return first_day(_SHORT_YEAR.sub(r"20\1", line), month_first=month_first)


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a page, and what else tells its posts."""

    page: Page
    keep: Bools
    """Per text: is it content?"""
    is_readers: bool = False
    """Whether only what is kept counts: what readers wrote under an article."""

    # Likeness ----------------------------------------------------------------------------------

    @cached_property
    def own(self) -> Hashes:
        """Per row: sign of its tag and the first word of its class."""
        numbers, names = self.page.classes
        first = [_DIGITS.sub("", name.split()[0]) if name.strip() else "" for name in names]
        kinds = {name: number for number, name in enumerate(dict.fromkeys(first))}
        by_class = np.array([kinds[name] for name in first], np.uint64)[numbers]
        return self.page.tag_symbol + by_class * tags.CLASS_STEP

    @cached_property
    def pair(self) -> Hashes:
        """Per row: sign of itself and its parent."""
        return self.own + _STEP * self.own[np.maximum(self.page.parent, 0)]

    @cached_property
    def triple(self) -> Hashes:
        """Per row: sign of itself, its parent and its grandparent."""
        return self.own + _STEP * self.pair[np.maximum(self.page.parent, 0)]

    # Texts -------------------------------------------------------------------------------------

    @cached_property
    def weights(self) -> Floats:
        """Per text: its words, of which those that the method did not keep count less."""
        factors: Floats = np.where(self.keep, 1.0, 0.0 if self.is_readers else UNKEPT)
        return factors * self.page.text_words

    @cached_property
    def short(self) -> list[Cell]:
        """Every short text that people see."""
        page = self.page
        is_short = (page.text_chars > 0) & (page.text_chars <= MAX_CELL_CHARS)
        is_short &= ~page.in_head[page.text_rows]
        if self.is_readers:
            is_short &= self.keep
        numbers = np.flatnonzero(is_short)[:MAX_CELLS]
        rows = page.text_rows[numbers]
        signs = self.pair[page.parent[rows]].tolist()
        lines = [collapse(page.texts[number]) for number in numbers.tolist()]
        return list(map(Cell, numbers.tolist(), rows.tolist(), lines, signs))

    @cached_property
    def dates(self) -> list[Cell]:
        """The cells that show a date; the first one of each ``<time>``."""
        rows = np.array([cell.row for cell in self.short], np.int64)
        times = self.page.rows_of("time").astype(np.int64)
        dates, before = [], -1
        for cell, time in zip(
            self.short, trees.enclosing(times, self.page.end, rows).tolist(), strict=True
        ):
            if time != before if time >= 0 else is_date(cell.line):
                dates.append(cell)
            before = time
        return dates

    @cached_property
    def names(self) -> list[Cell]:
        """The cells that link to somebody, or are called after authors."""
        return [
            cell
            for cell in self.short
            if len(cell.line) <= MAX_NAME_CHARS
            and (self.links_person(cell) or _NAME.search(self.called(self._element(cell))))
        ]

    def _element(self, cell: Cell) -> int:
        return int(self.page.parent[cell.row])

    # Dates -------------------------------------------------------------------------------------

    def day(self, cell: Cell) -> str | None:
        """Return the ISO day of a cell, by what it shows or else by attributes around it."""
        day, row = read_day(cell.line, month_first=self._month_first), cell.row
        for _ in range(3):
            if day:
                return day
            row = int(self.page.parent[row])
            day = self._stated(row)
        return day

    def clock(self, cell: Cell) -> int:
        """Return the number of the text after a date if it is the hour, else -1."""
        after = cell.text + 1
        is_clock = after < len(self.page.texts) and _CLOCK.fullmatch(self.page.texts[after])
        return after if is_clock else -1

    def _stated(self, row: int) -> str | None:
        """Return the ISO day that an attribute of an element states."""
        attributes = self.page.attributes.of(row)
        values = (value for name, value in attributes.items() if name != "href")
        read = partial(first_day, month_first=self._month_first)
        return next(filter(None, map(read, values)), None)

    @cached_property
    def _month_first(self) -> bool:
        """Whether 3/4/2020 is in March: as other dates of the page are, or as its language is."""
        numbers = [match for cell in self.dates if (match := _NUMBERS.search(cell.line))]
        if any(int(match[1]) > 12 for match in numbers):
            return False
        return any(int(match[2]) > 12 for match in numbers) or writes_month_first(self.page)

    def hidden_day(self, start: int, stop: int) -> str | None:
        """Return the first day in some rows that only a script would show."""
        rows = self._without_text
        between = rows[bisect_left(rows, start) : bisect_left(rows, stop)]
        return next(filter(None, map(self._stated, between)), None)

    @cached_property
    def _without_text(self) -> list[int]:
        """Rows of elements without text that may state a date."""
        rows = self.page.attributes.matching("time,[datetime],[title]")
        texts = self.page.text_index
        return [row for row in rows if texts[row] == texts[self.page.end[row]]]

    # People ------------------------------------------------------------------------------------

    def links_person(self, cell: Cell) -> bool:
        """Return whether a cell links to what looks like the page of a person."""
        return _PERSON_LINK.search(self.link(cell.row)) is not None

    def speaks_of_people(self, cell: Cell) -> float:
        """Return how much classes, ids and properties around a cell speak of people."""
        row = self._element(cell)
        for weight in (1.0, 0.8, 0.6, 0.4):
            if row <= 0:
                break
            called = self.called(row)
            if _NAME.search(called):
                return weight
            if _PERSON.search(called):
                return weight / 2
            row = int(self.page.parent[row])
        return 0.0

    def called(self, row: int) -> str:
        """Return class and id of an element, and which property it is of what."""
        numbers, names = self.page.classes
        ids, id_names = self.page.ids
        return f"{names[numbers[row]]} {id_names[ids[row]]} {self._properties.get(row, '')}"

    @cached_property
    def _properties(self) -> dict[int, str]:
        """By row: the property that it is; all kinds of things have a name."""
        properties = zip(*self.page.attributes.column("itemprop"), strict=True)
        return {row: name for row, name in properties if name != "name"}

    @cached_property
    def pictured(self) -> set[str]:
        """What pictures are said to show: avatars have the names of people."""
        return {collapse(alt or "") for _, (alt,) in self.page.attributes.read("img[alt]", ["alt"])}

    def date_merit(self, kind: list[Cell]) -> float:
        """Return how well cells of one kind, in the order of posts, say when these were written."""
        page = self.page
        days = [day for cell in kind if (day := self.day(cell))]
        later = sum(one <= other for one, other in pairwise(days))
        earlier = sum(one >= other for one, other in pairwise(days))
        ordered = max(later, earlier) / (len(days) - 1) if len(days) > 1 else 0.5
        labels = [f"{page.texts[max(0, cell.text - 1)][-40:]} {cell.line}" for cell in kind]
        doubtful = sum(bool(_NOT_POSTED.search(label)) for label in labels) / len(kind)
        names = [self.called(int(page.parent[cell.row])) for cell in kind]
        created = sum(bool(_CREATED.search(name)) for name in names) / len(kind)
        return 0.1 + ordered - doubtful + created / 2

    def author_merit(self, kind: list[Cell], first: set[Cell]) -> float:
        """Return how well cells of one kind say who wrote posts, of which each has a first cell."""
        page = self.page
        some = kind[:MAX_SAMPLE]
        looks = cues = 0.0
        for cell in some:
            element = int(page.parent[cell.row])
            looks += 0.4 * bool(_STRONG[page.known_tag[[element, page.parent[element]]]].any())
            looks += 0.5 * (cell in first)
            looks -= 0.5 * (cell.line[-1] in ".:!?,;")
            cues += max(self.speaks_of_people(cell), 1.0 * (cell.line in self.pictured))
            cues += 1.0 * self.links_person(cell) + 0.25 * bool(self.link(cell.row))
            cues += 0.5 * bool(self.in_author[cell.row])
        score = (looks + cues) / len(some) - 0.4
        # People differ; what all posts have in common is a button or a label.
        lines = Counter(_DIGITS.sub("0", cell.line) for cell in some)
        line, alike = lines.most_common(1)[0]
        if len(some) > 2:
            score += 0.25 if alike <= 0.5 * len(some) else -0.25
            score -= alike > 0.9 * len(some) and ("0" in line or cues < 0.6 * len(some))
        return score

    # Links -------------------------------------------------------------------------------------

    @cached_property
    def _targets(self) -> dict[int, str]:
        return dict(zip(*self.page.attributes.column("href"), strict=True))

    @cached_property
    def link_rows(self) -> Ints:
        """Per row: row of the link that it is in, -1 for none."""
        links = self.page.rows_of("a").astype(np.int64)
        return trees.enclosing(links, self.page.end, np.arange(len(self.page)))

    def link(self, row: int) -> str:
        """Return the address that a row links to, as written; '' when it links to nothing."""
        return self._targets.get(int(self.link_rows[row]), "") or ""

    def address(self, link: str) -> str | None:
        """Return a link as an address that can be followed."""
        return clean(link, self._base, LINK_SCHEMES) if link else None

    @cached_property
    def _base(self) -> str | None:
        return base_of(self.page)

    @cached_property
    def in_short_link(self) -> Bools:
        """Per text: is it in a link of a few words?"""
        words = trees.subtree_sums(self.page.words, self.page.end)
        link = self.link_rows[self.page.text_rows]
        is_short: Bools = (link >= 0) & (words[link] <= MAX_LINK_WORDS)
        return is_short

    def permalink(
        self, rows: tuple[int, int], body: tuple[int, int], date: Cell | None
    ) -> str | None:
        """Return the address of a post: of a link in it to itself, or by its id."""
        page = self.page
        numbers, names = page.ids
        ids = {names[number] for number in np.unique(numbers[slice(*rows)])} - {""}
        links = np.unique(self.link_rows[slice(*rows)])
        links = links[(links >= rows[0]) & ~((links >= body[0]) & (links < body[1]))]
        by_row = {row: self.link(row) for row in links[:MAX_LINKS].tolist()}
        dated = self.link(date.row) if date else ""
        counted = (link for row, link in by_row.items() if _COUNT.fullmatch(page.text_of(row)))
        to_itself = (link for link in by_row.values() if link.partition("#")[2] in ids)
        for link in (*to_itself, dated, *counted):
            address = self.address(link)
            if address:
                return address
        own = names[numbers[rows[0]]]
        return self.address(f"#{own}") if own and page.url else None

    # What the page declares --------------------------------------------------------------------

    @cached_property
    def in_author(self) -> Bools:
        """Per row: does the page declare it to be the author of something?"""
        marked = np.zeros(len(self.page), bool)
        marked[self.page.attributes.matching("[itemprop=author],[itemprop=creator]")] = True
        return trees.inside(marked, self.page.end)

    @cached_property
    def items(self) -> dict[int, str]:
        """By row, in order: what the page declares to be posts, in schema.org's words."""
        selector = ",".join(f"[itemtype$='schema.org/{kind}']" for kind in _ITEMS)
        rows = sorted(self.page.attributes.matching(selector))[:MAX_POSTS]
        kinds = (self.page.attributes.get(row, "itemtype") or "" for row in rows)
        return {row: kind.rpartition("/")[2] for row, kind in zip(rows, kinds, strict=True)}

    @cached_property
    def item_texts(self) -> Ints:
        """Rows of what the page declares to be the text of something."""
        return np.array(sorted(self.page.attributes.matching(_ITEM_TEXTS)), np.int64)

    def declared(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield the list of posts that the page declares, if it does: see `alike` and `regions`."""
        starts = np.array(list(self.items), np.int64)
        if len(starts) < 2:
            return
        stops = np.minimum(self.page.end[starts], np.append(starts[1:], len(self.page)))
        following = np.append(self.item_texts, len(self.page))
        has_text = following[self.item_texts.searchsorted(starts)] < stops
        if has_text.mean() > 0.5:  # the others are the thread or the page as a whole
            starts, stops = starts[has_text], stops[has_text]
        yield starts, starts, stops

    def alike(self) -> Iterator[Ints]:
        """Yield the rows of dates, or names, that look alike, largest groups first."""
        groups: dict[int, list[int]] = defaultdict(list)
        for kind in (self.dates, self.names):
            rows = np.array([cell.row for cell in kind], np.int64)
            above = self.page.parent[rows]
            for signs in (self.triple, self.pair, self.own):
                for row, sign in zip(rows.tolist(), signs[above].tolist(), strict=True):
                    groups[sign].append(row)
        distinct = {tuple(sorted(set(rows))[:MAX_POSTS]) for rows in groups.values()}
        several = [rows for rows in distinct if len(rows) > 1]
        several.sort(key=lambda rows: (-len(rows), rows))
        yield from (np.array(rows, np.int64) for rows in several[:MAX_GROUPS])


def regions(page: Page, anchors: Ints) -> tuple[Ints, Ints]:
    """Return the first row of each post, and the row after its last.

    A post is the largest subtree around its cell without another's; where these hold little, as a
    line above each post does, it is all that follows up to the next.
    """
    common = _common_depths(page, anchors)
    depth = np.maximum(np.append(common, -1), np.append(-1, common)) + 1
    tops = anchors.copy()
    while (going := page.depth[tops] > depth).any():
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
    siblings = np.flatnonzero(page.parent == page.parent[tops[last]])
    begin, own = siblings.searchsorted(tops[last - 1 : last + 1]).tolist()
    return int(page.end[siblings[min(2 * own - begin, len(siblings)) - 1]])


def _common_depths(page: Page, anchors: Ints) -> Ints:
    """Return the depth of the lowest common ancestor of each row and the next."""
    one, other = anchors[:-1].copy(), anchors[1:].copy()
    while (apart := one != other).any():
        deeper = apart & (page.depth[one] >= page.depth[other])
        shallower = apart & (page.depth[other] >= page.depth[one])
        one[deeper], other[shallower] = page.parent[one[deeper]], page.parent[other[shallower]]
    return page.depth[one].astype(np.int64)
