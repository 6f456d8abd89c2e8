"""Cells: the short texts of a page that show an author or a date, and what the page declares.

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
from joeira.metadata.dates import day_shown, first_day, shows_date
from joeira.metadata.statements import writes_month_first
from joeira.page import Page, tags
from joeira.page.addresses import LINK_SCHEMES, base_of, clean
from joeira.page.comments import named_signatures

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
MAX_LINK_WORDS: Final = 12
"""A link with more text is broken markup that contains whole posts."""
UNKEPT: Final = 0.3
"""How much a word counts that the method did not keep, which may be wrong."""

_CLOCK: Final = re.compile(
    r"[\s,]*(?:um|at|à)?\s*\d\d?[:.h]\d\d(?::\d\d)?\s*(?:[ap]\.?m\.?|uhr)?\s*", re.IGNORECASE
)
_NUMBERS: Final = re.compile(r"(?<!\d)(\d\d?)[/-](\d\d?)[/-](?:\d\d){1,2}(?!\d)")
_NO_LETTER: Final = re.compile(r"[\W\d_]*")
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
_QUESTION: Final = re.compile(r"(?:^|[\s_-])question(?=[\s_-]|$)", re.IGNORECASE)
_ANSWER: Final = re.compile(r"(?:^|[\s_-])answer(?=[\s_-]|$)", re.IGNORECASE)
_COUNT: Final = re.compile(r"#?\d+")
_STRONG: Final = tags.table("b strong h1 h2 h3 h4 h5 h6 cite dt th")
_BUTTONS: Final = tags.table("button select nav label")
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
    def in_heading(self) -> Bools:
        """Per text: is it in a heading?"""
        return self._within(tags.HEADINGS)

    @cached_property
    def in_button(self) -> Bools:
        """Per text: is it in a button or the like?"""
        return self._within(_BUTTONS)

    @cached_property
    def is_apart(self) -> Bools:
        """Per text: is it no part of what somebody wrote, but a button or a signature?"""
        return self.in_button | named_signatures(self.page)

    def _within(self, kinds: Bools) -> Bools:
        page = self.page
        within: Bools = trees.inside(kinds[page.known_tag], page.end)[page.text_rows]
        return within

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
            if time != before if time >= 0 else shows_date(cell.line):
                dates.append(cell)
            before = time
        return dates

    @cached_property
    def words(self) -> list[Cell]:
        """The cells that may be a name: short, with letters, no dates and no buttons."""
        dates = {cell.text for cell in self.dates}
        return [
            cell
            for cell in self.short
            if len(cell.line) <= MAX_NAME_CHARS
            and cell.text not in dates
            and not _NO_LETTER.fullmatch(cell.line)
            and not self.in_button[cell.text]
        ]

    @cached_property
    def names(self) -> list[Cell]:
        """The cells that link to somebody, or are called after authors."""
        return [
            cell
            for cell in self.short
            if len(cell.line) <= MAX_NAME_CHARS
            and (
                self.links_person(cell)
                or _NAME.search(self.called(int(self.page.parent[cell.row])))
            )
        ]

    # Dates -------------------------------------------------------------------------------------

    def day(self, cell: Cell) -> str | None:
        """Return the ISO day of a cell, by what it shows or else by attributes around it."""
        day, row = day_shown(cell.line, month_first=self._month_first), cell.row
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
        index, end = self.page.text_index, self.page.end
        return [row for row in rows if index[row] == index[end[row]]]

    # People ------------------------------------------------------------------------------------

    def links_person(self, cell: Cell) -> bool:
        """Return whether a cell links to what looks like the page of a person."""
        return _PERSON_LINK.search(self.link(cell.row)) is not None

    def speaks_of_people(self, cell: Cell) -> float:
        """Return how much classes, ids and properties around a cell speak of people."""
        row = int(self.page.parent[cell.row])
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
        page, kind = self.page, kind[:MAX_SAMPLE]
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
        page, some, looks, cues = self.page, kind[:MAX_SAMPLE], 0.0, 0.0
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
            score -= alike > 0.9 * len(some) and (line[0] == "0" or cues < 0.6 * len(some))
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
        dated = self.link(date.row) if date and not self.links_person(date) else ""
        counted = (link for row, link in by_row.items() if _COUNT.fullmatch(page.text_of(row)))
        to_itself = (link for link in by_row.values() if link.partition("#")[2] in ids)
        for link in (dated, *counted, *to_itself):
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

    def item_kind(self, start: int, body: int, *, is_first: bool) -> str:
        """Return what the page declares a post to be; or what its class says: ``Question``."""
        rows = np.array(list(self.items), np.int64)
        item = int(trees.enclosing(rows, self.page.end, np.array([body]))[0])
        # A question together with its answers is the item around all of them.
        if item >= 0 and (item >= start or is_first):
            return self.items[item]
        called = self.called(start)
        return (
            "Question" if _QUESTION.search(called) else "Answer" if _ANSWER.search(called) else ""
        )

    @cached_property
    def item_texts(self) -> Ints:
        """Rows of what the page declares to be the text of something."""
        return np.array(sorted(self.page.attributes.matching(_ITEM_TEXTS)), np.int64)

    def declared(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield the posts that the page declares, if it does: starts, stops, ends of replies."""
        starts = np.array(list(self.items), np.int64)
        if len(starts) < 2:
            return
        stops = np.minimum(self.page.end[starts], np.append(starts[1:], len(self.page)))
        following = np.append(self.item_texts, len(self.page))
        has_text = following[self.item_texts.searchsorted(starts)] < stops
        if has_text.mean() > 0.5:  # the others are the thread or the page as a whole
            starts, stops = starts[has_text], stops[has_text]
        yield starts, stops, self.page.end[starts].astype(np.int64)

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
