"""Links to the other pages of a list: next, previous, first, last and numbered ones.

Numbers are what pages have in common in every language. Links whose texts are ascending numbers,
with little between them and with similar addresses, are the pages of a list. The number that is not
a link, or leads to the page itself, is the current page; whatever stands beside the numbers and
leads to the same address as the next number is the next page, whatever its words are. Without
numbers, words, arrows, ``rel`` and classes give the roles.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from joeira.page import Page
from joeira.records.page_links import (
    DIGITS,
    FIRST,
    LAST,
    MAX_TEXT_CHARS,
    MAX_WORDS_CHARS,
    NEXT,
    PREVIOUS,
    ROLES,
    SAID_BY_NAME,
    TRIMMED,
    Anchor,
    Links,
    hinted_role,
    role_in_words,
    squeezed,
)


@dataclass(frozen=True)
class Link:
    """A link to another page of a list."""

    url: str
    """Address of the link; absolute if the address of the page is known."""
    text: str
    """Text of the link; '' for an image without text."""
    xpath: str
    """XPath of the link on the page."""
    confidence: float
    """Confidence from 0 to 1."""


@dataclass(frozen=True)
class PageLinks:
    """The links of a page to the other pages of its list; falsy if there are none."""

    next: Link | None = None
    previous: Link | None = None
    first: Link | None = None
    last: Link | None = None
    numbered: tuple[Link, ...] = ()
    """Links with the number of a page, in page order, each address once."""

    def by_role(self) -> Iterator[tuple[str, Link]]:
        """Yield each link with its role: ``next``, ``previous`` ... ``numbered``."""
        for role in ROLES:
            if (link := getattr(self, role)) is not None:
                yield role, link
        for link in self.numbered:
            yield "numbered", link

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: each role with its link or None, and the numbered links."""
        return asdict(self)

    def __bool__(self) -> bool:
        """Return whether there is any link."""
        return bool(self.numbered) or any(getattr(self, role) for role in ROLES)


def find_page_links(page: Page) -> PageLinks:
    """Return the links of a page to the other pages of its list."""
    links = Links(page)
    runs = _good_runs(links)
    chosen: dict[str, _Found] = {}
    for run in runs:
        for role, number, confidence in _beside(links, run):
            _keep_best(chosen, role, _Found(number, confidence))
    for number, anchor in enumerate(links.anchors):
        for role, confidence in _said(anchor, links):
            _keep_best(chosen, role, _Found(number, confidence))
    numbered = _numbered(links, runs)
    chosen = _without_contradictions(chosen)
    named = {role: _link(links, found) for role, found in chosen.items()}
    if NEXT not in named and (other := _declared(links) or _load_more(links)) is not None:
        named[NEXT] = other
    return PageLinks(**named, numbered=numbered)


@dataclass(frozen=True)
class _Found:
    """The number of an anchor, and how sure its role is."""

    number: int
    confidence: float


def _link(links: Links, found: _Found) -> Link:
    """Return a link for other programs."""
    anchor = links.anchors[found.number]
    xpath = links.page.xpath(anchor.row)
    return Link(anchor.url, anchor.text, xpath, round(min(found.confidence, 0.99), 2))


def _keep_best(chosen: dict[str, _Found], role: str, found: _Found) -> None:
    if role not in chosen or found.confidence > chosen[role].confidence:
        chosen[role] = found


# Numbers ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    """Ascending numbers that follow each other, most of them links."""

    members: tuple[int, ...]
    """Numbers of the anchors."""
    values: tuple[int, ...]
    """What they say."""
    here: int | None
    """The number of the page itself."""

    @property
    def first(self) -> int:
        """Number of the first anchor."""
        return self.members[0]

    @property
    def last(self) -> int:
        """Number of the last anchor."""
        return self.members[-1]


_MAX_GAP_CHARS = 30
_CALENDAR = re.compile(r"calend|datepick|archive-day|\bday\b|wp-cal")
_PAGER = re.compile(r"pag|pager|nav|pg\b|seite|strana|result")
_CURRENT = re.compile(r"\b(?:current|active|selected|actual|actif|aktiv|on|curr?)\b|current|active")


def _runs(links: Links) -> Iterator[_Run]:
    """Yield the runs of numbers on a page."""
    run: list[int] = []
    for number, anchor in enumerate(links.anchors):
        if anchor.value is None:
            continue
        if run and not _continues(links, run[-1], number):
            yield _run(links, run)
            run = []
        run.append(number)
    if run:
        yield _run(links, run)


def _continues(links: Links, before: int, number: int) -> bool:
    """Return whether a number continues a run."""
    anchors = links.anchors
    if (anchors[number].value or 0) <= (anchors[before].value or 0) or number - before > 2:
        return False
    between = anchors[before + 1 : number + 1]
    return all(len(a.gap) <= _MAX_GAP_CHARS for a in between) and all(
        len(a.text) <= len("...") + 2 for a in between[:-1]
    )


def _run(links: Links, members: list[int]) -> _Run:
    """Return a run with the number of the page itself, where it can be told."""
    anchors = links.anchors
    values = [int(anchors[number].value or 0) for number in members]
    here = next(
        (
            int(value)
            for number, value in zip(members, values, strict=True)
            if links.is_here(anchors[number])
            or _CURRENT.search(anchors[number].hints.split(" ", 1)[0])
        ),
        None,
    )
    if here is None:
        here = _gap_number(links, members, values)
    if here is None and values[0] == 2:
        here = 1
    return _Run(tuple(members), tuple(values), here)


def _gap_number(links: Links, members: list[int], values: list[int]) -> int | None:
    """Return the number that stands between, before or after links without being one."""
    anchors = links.anchors
    for number, value in zip(members, values, strict=True):
        for plain in map(int, re.findall(r"(?<![\d.,])\d{1,5}(?![\d.,])", anchors[number].gap)):
            if plain == value - 1 and plain not in values:
                return plain
    after = members[-1] + 1
    text = anchors[after].gap if after < len(anchors) else _text_after(links, members[-1])
    plain_after = re.match(r"\W*(\d{1,5})\b", text)
    if plain_after and int(plain_after[1]) == values[-1] + 1:
        return int(plain_after[1])
    return None


def _text_after(links: Links, number: int) -> str:
    page = links.page
    stop = int(page.text_index[page.end[links.anchors[number].row]])
    return squeezed(page, stop, min(stop + 3, len(page.texts)))


def _good_runs(links: Links) -> list[_Run]:
    """Return the runs that are pages of the list, those of other things left out."""
    scored = [(score, run) for run in _runs(links) if (score := _score(links, run)) > 0]
    best = max((score for score, _ in scored), default=0.0)
    return [run for score, run in scored if score >= max(_LEAST_SCORE, best - _SCORE_RANGE)]


_LEAST_SCORE = 2.0
_SCORE_RANGE = 2.0


def _score(links: Links, run: _Run) -> float:
    """Return how much speaks for a run of numbers being pages."""
    anchors = [links.anchors[number] for number in run.members]
    if any(_CALENDAR.search(anchor.hints) for anchor in anchors):
        return 0.0
    patterns = Counter(anchor.pattern for anchor in anchors)
    pattern, alike = patterns.most_common(1)[0]
    if len({anchor.url for anchor in anchors}) < len(anchors) or alike < len(anchors) - 1:
        return 0.0
    values = sorted({*run.values, *([run.here] if run.here is not None else [])})
    if not any(y - x == 1 for x, y in pairwise(values)):
        return 0.0  # how many to show on a page, or years
    score = min(len(anchors), 4) * 0.5
    if len(anchors) > 1 and _counts_up([a for a in anchors if a.pattern == pattern]):
        score += 1.0
    if any(_PAGER.search(anchor.hints) for anchor in anchors):
        score += 1.0
    if run.here is not None:
        score += 1.0
    own = DIGITS.sub("0", links.own)
    if own and (own == pattern or _stem(own) == _stem(pattern)):
        score += 1.0
    if any(True for _ in _beside(links, run)):
        score += 1.5
    return score


def _counts_up(anchors: Sequence[Anchor]) -> bool:
    """Return whether one number of the addresses goes up with the numbers of the pages."""
    columns = list(zip(*(map(int, (d[:9] for d in DIGITS.findall(a.url))) for a in anchors),
                       strict=False))  # fmt: skip
    return any(
        all(x < y for x, y in pairwise(column)) and len(set(column)) > 1 for column in columns
    )


def _stem(url: str) -> str:
    """Return an address without its query and what often follows it on further pages."""
    return re.sub(r"(?:[-_/]?(?:page|p|seite)?[-_/]?0)?(?:\.\w+)?/?$", "", url.partition("?")[0])


_MAX_BESIDE = 3


def _beside(links: Links, run: _Run) -> Iterator[tuple[str, int, float]]:
    """Yield the roles of the links right before and after a run: (role, number, confidence)."""
    url_of = dict(zip(run.values, (links.anchors[n].url for n in run.members), strict=True))
    patterns = {links.anchors[number].pattern for number in run.members}
    here = run.here
    for number in set(range(run.first, run.last)).difference(run.members):
        if (role := role_in_words(links.anchors[number])) in (NEXT, PREVIOUS):
            yield role, number, 0.9
    for side in (-1, 1):
        number = run.first if side < 0 else run.last
        for _ in range(_MAX_BESIDE):
            gap_of, number = (number, number - 1) if side < 0 else (number + 1, number + 1)
            if not 0 <= number < len(links.anchors):
                break
            anchor = links.anchors[number]
            if (
                len(links.anchors[gap_of].gap) > _MAX_GAP_CHARS
                or len(anchor.text) > MAX_WORDS_CHARS
            ):
                break
            if anchor.value is not None:
                break
            role = role_in_words(anchor)
            alike = anchor.pattern in patterns or anchor.url in url_of.values()
            if role is not None:
                yield role, number, 0.95 if alike else 0.8
            elif here is not None and anchor.url == url_of.get(here + 1) and side > 0:
                yield NEXT, number, 0.9
            elif here is not None and anchor.url == url_of.get(here - 1) and side < 0:
                yield PREVIOUS, number, 0.9
            elif not anchor.text and alike and here is None:
                yield (NEXT if side > 0 else PREVIOUS), number, 0.6
            elif not alike:
                break


def _numbered(links: Links, runs: Iterable[_Run]) -> tuple[Link, ...]:
    """Return the links of runs, each address once."""
    numbered: dict[str, Link] = {}
    for run in runs:
        confidence = 0.6 + 0.1 * min(len(run.members), 3)
        for number in run.members:
            anchor = links.anchors[number]
            numbered.setdefault(anchor.url, _link(links, _Found(number, confidence)))
    return tuple(numbered.values())


# Words -----------------------------------------------------------------------------------------


def _said(anchor: Anchor, links: Links) -> Iterator[tuple[str, float]]:
    """Yield the role that a link claims wherever it stands, and how sure that is."""
    if links.is_here(anchor) and not anchor.rel & {"next", "prev"}:
        return
    role = role_in_words(anchor)
    by_rel = next((SAID_BY_NAME.get(r, r) for r in ("next", "prev") if r in anchor.rel), None)
    if by_rel is not None and role in (None, by_rel):
        yield by_rel, 0.85
    if role is None:
        return
    words = TRIMMED.sub(" ", anchor.text).strip()
    in_pager = bool(_PAGER.search(anchor.hints))
    if words and role in (NEXT, PREVIOUS):
        yield role, 0.7 if in_pager else 0.55
    elif in_pager and (words or hinted_role(anchor)):
        yield role, 0.45


def _without_contradictions(chosen: dict[str, _Found]) -> dict[str, _Found]:
    """Return the links without those that cannot be right together."""
    kept = dict(chosen)
    following, before = kept.get(NEXT), kept.get(PREVIOUS)
    if following and before and following.number == before.number:
        del kept[NEXT if following.confidence < before.confidence else PREVIOUS]
    # "Home" and "End" are words of menus too: they count beside the others.
    known = [kept[role].number for role in (NEXT, PREVIOUS) if role in kept]
    for role in (FIRST, LAST):
        near = [number for number in known if abs(number - kept[role].number) <= _MAX_APART] \
            if role in kept else []  # fmt: skip
        if role in kept and not near and kept[role].confidence < _BESIDE_NUMBERS:
            del kept[role]
    return kept


_MAX_APART = 3
_BESIDE_NUMBERS = 0.6


# More of the same page --------------------------------------------------------------------------

_LOADERS = ("data-next-url", "data-next-page-url", "data-load-more-url", "data-next-href",
            "data-url-next", "data-next-page", "data-ajax-url")  # fmt: skip


def _declared(links: Links) -> Link | None:
    """Return the next page that the head of the page declares."""
    page = links.page
    for row, (rel, href) in page.attributes.read("link[rel][href]", ("rel", "href")):
        if "next" in (rel or "").lower().split() and (url := links.address(href or "")):
            return Link(url, "", page.xpath(row), 0.5)
    return None


def _load_more(links: Links) -> Link | None:
    """Return the address that a button for more names."""
    page = links.page
    for row, said in page.attributes.having(*_LOADERS):
        for value in filter(None, map(said.get, _LOADERS)):
            looks_like_one = "/" in value or "?" in value
            url = links.address(value) if looks_like_one else None
            if url:
                return Link(url, page.text_of(row)[:MAX_TEXT_CHARS], page.xpath(row), 0.6)
    return None
