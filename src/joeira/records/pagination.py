"""Links to the other pages of a list: next, previous, first, last and numbered ones.

Numbers are what pages have in common in every language. Links whose texts are ascending numbers,
with little between them and with addresses made alike, are the pages of a list. The number that is
no link, or leads to the page itself, is where one is; what stands beside the numbers and leads
where the next number does is the next page, whatever its words are. Words, arrows, ``rel`` and
classes say the same where there are no numbers. Lists that go over several pages are one table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from joeira.errors import UsageError
from joeira.page import Page, addresses
from joeira.records.result import Cell, Column, Fields, Record, RecordTable
from joeira.records.wrapper import WrappedTable

NEXT, PREVIOUS, FIRST, LAST = "next", "previous", "first", "last"
ROLES: Final = (NEXT, PREVIOUS, FIRST, LAST)


@dataclass(frozen=True)
class Link:
    """A link to another page of a list."""

    url: str
    """Where it leads; absolute where the address of the page is known."""
    text: str
    """What it says; '' for a picture that says nothing."""
    xpath: str
    """XPath of the link on the page."""
    confidence: float
    """How sure it is, from 0 to 1."""


@dataclass(frozen=True)
class PageLinks:
    """The links of a page to the other pages of its list; falsy when there are none."""

    next: Link | None = None
    previous: Link | None = None
    first: Link | None = None
    last: Link | None = None
    numbered: tuple[Link, ...] = ()
    """Links with the number of a page, in page order, each address once."""

    def __bool__(self) -> bool:
        """Return whether there is any link."""
        return bool(self.numbered) or any(getattr(self, role) for role in ROLES)


def find_page_links(page: Page) -> PageLinks:
    """Return the links of a page to the other pages of its list."""
    links = _Links(page)
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
    named = {role: links.link(found) for role, found in chosen.items()}
    if NEXT not in named and (other := _declared(links) or _load_more(links)) is not None:
        named[NEXT] = other
    return PageLinks(**named, numbered=numbered)


@dataclass(frozen=True)
class _Found:
    """The number of an anchor, and how sure its role is."""

    number: int
    confidence: float


def _keep_best(chosen: dict[str, _Found], role: str, found: _Found) -> None:
    if role not in chosen or found.confidence > chosen[role].confidence:
        chosen[role] = found


# Links of the page ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Anchor:
    """A link of the page."""

    row: int
    url: str
    text: str
    """What it shows or, for a picture, what that says."""
    hints: str
    """Its rel, class, id and title in lower case, and the classes right around it."""
    rel: frozenset[str]
    gap: str
    """Text between the link before and this one."""

    @cached_property
    def value(self) -> int | None:
        """The page number that it shows."""
        number = _NUMBER.fullmatch(self.text)
        return int(number[1]) if number else None

    @cached_property
    def pattern(self) -> str:
        """The address with 0 for every number in it."""
        return _DIGITS.sub("0", self.url)


_TABLE_PARTS = frozenset(("td", "th", "tr", "tbody", "thead"))
_NUMBER = re.compile(r"[\[(\s]*(\d{1,5})[\])\s.]*")
_DIGITS = re.compile(r"\d+")
_MAX_TEXT_CHARS = 60
_MAX_LINKS = 5_000


class _Links:
    """The links of a page in page order, with what stands between them."""

    def __init__(self, page: Page) -> None:
        """Read the links of a page."""
        self.page = page
        self.base = addresses.base_of(page)
        self.own = _without_fragment(addresses.own_address(page) or "")
        self.anchors: list[_Anchor] = []
        index = page.text_index
        before = 0
        names = ("href", "rel", "class", "id", "title", "aria-label")
        for row, values in page.attributes.read("a[href]", names):
            href, rel, *said = (value or "" for value in values)
            first, last = int(index[row]), int(index[page.end[row]])
            text = page.joined(first, last) if last - first <= _MAX_TEXT_CHARS else "..."
            gap = _squeezed(page, before, first)
            url = self.address(href)
            if url is None or len(self.anchors) >= _MAX_LINKS:
                continue
            before = last
            around = " ".join(self._names_around(row))
            title = said[2] or said[3]
            text = text or title or self._picture(row)
            hints = " ".join((*said[:2], title, around)).lower()
            rels = frozenset(rel.lower().split())
            self.anchors.append(_Anchor(row, url, text[:_MAX_TEXT_CHARS], hints, rels, gap))

    def address(self, href: str) -> str | None:
        """Return where a link leads; None for scripts and places on the page itself."""
        if not href.strip() or href.strip().startswith("#"):
            return None
        address = addresses.clean(href, self.base, addresses.LINK_SCHEMES)
        if not address or address.startswith("mailto:"):
            return None
        # The next page of a list is on the same host; buttons that share it show numbers too.
        return address if not self.own or _host(address) in ("", _host(self.own)) else None

    def _names_around(self, row: int) -> Iterator[str]:
        """Yield the classes and ids of the elements right around a link."""
        page = self.page
        left = 3
        while left:
            row = int(page.parent[row])
            if row <= 0:
                return
            left -= page.tag_name(row) not in _TABLE_PARTS  # up to the table itself
            yield page.classes[1][page.classes[0][row]]
            yield page.ids[1][page.ids[0][row]]

    def _picture(self, row: int) -> str:
        """Return what the picture in a link says."""
        page = self.page
        for inner in range(row + 1, min(int(page.end[row]), row + 10)):
            attributes = page.attributes.of(inner) if not page.is_text[inner] else {}
            for name in ("alt", "title", "aria-label"):
                if attributes.get(name):
                    return attributes[name]
        return ""

    def link(self, found: _Found) -> Link:
        """Return a link for other programs."""
        anchor = self.anchors[found.number]
        xpath = self.page.xpath(anchor.row)
        return Link(anchor.url, anchor.text, xpath, round(min(found.confidence, 0.99), 2))

    def is_here(self, anchor: _Anchor) -> bool:
        """Return whether a link leads to the page itself."""
        return bool(self.own) and _without_fragment(anchor.url) == self.own


def _squeezed(page: Page, first: int, last: int) -> str:
    """Return texts as a line; long ones only as being long."""
    if last - first > _MAX_TEXT_CHARS:
        return "." * _MAX_TEXT_CHARS
    return page.joined(first, last) if last > first else ""


def _host(url: str) -> str:
    """Return the host of an address; '' where it has none, or none that can be read."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _without_fragment(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


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


def _runs(links: _Links) -> Iterator[_Run]:
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


def _continues(links: _Links, before: int, number: int) -> bool:
    """Return whether a number goes on where another one was."""
    anchors = links.anchors
    if (anchors[number].value or 0) <= (anchors[before].value or 0) or number - before > 2:  # noqa: PLR2004 - one link between
        return False
    between = anchors[before + 1 : number + 1]
    return all(len(a.gap) <= _MAX_GAP_CHARS for a in between) and all(
        len(a.text) <= len("...") + 2 for a in between[:-1]
    )


def _run(links: _Links, members: list[int]) -> _Run:
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
    if here is None and values[0] == 2:  # noqa: PLR2004 - the first page is no link
        here = 1
    return _Run(tuple(members), tuple(values), here)


def _gap_number(links: _Links, members: list[int], values: list[int]) -> int | None:
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


def _text_after(links: _Links, number: int) -> str:
    page = links.page
    stop = int(page.text_index[page.end[links.anchors[number].row]])
    return _squeezed(page, stop, min(stop + 3, len(page.texts)))


def _good_runs(links: _Links) -> list[_Run]:
    """Return the runs that are pages of the list, those of other things left out."""
    scored = [(score, run) for run in _runs(links) if (score := _score(links, run)) > 0]
    best = max((score for score, _ in scored), default=0.0)
    return [run for score, run in scored if score >= max(_LEAST_SCORE, best - _SCORE_RANGE)]


_LEAST_SCORE = 2.0
_SCORE_RANGE = 2.0


def _score(links: _Links, run: _Run) -> float:
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
    own = _DIGITS.sub("0", links.own)
    if own and (own == pattern or _stem(own) == _stem(pattern)):
        score += 1.0
    if any(True for _ in _beside(links, run)):
        score += 1.5
    return score


def _counts_up(anchors: Sequence[_Anchor]) -> bool:
    """Return whether one number of the addresses goes up with the numbers of the pages."""
    columns = list(zip(*(map(int, (d[:9] for d in _DIGITS.findall(a.url))) for a in anchors),
                       strict=False))  # fmt: skip
    return any(
        all(x < y for x, y in pairwise(column)) and len(set(column)) > 1 for column in columns
    )


def _stem(url: str) -> str:
    """Return an address without its query and what often follows it on further pages."""
    return re.sub(r"(?:[-_/]?(?:page|p|seite)?[-_/]?0)?(?:\.\w+)?/?$", "", url.partition("?")[0])


_MAX_BESIDE = 3


def _beside(links: _Links, run: _Run) -> Iterator[tuple[str, int, float]]:
    """Yield the roles of the links right before and after a run: (role, number, confidence)."""
    url_of = dict(zip(run.values, (links.anchors[n].url for n in run.members), strict=True))
    patterns = {links.anchors[number].pattern for number in run.members}
    here = run.here
    for number in set(range(run.first, run.last)).difference(run.members):
        if (role := _role_in_words(links.anchors[number])) in (NEXT, PREVIOUS):
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
                or len(anchor.text) > _MAX_BESIDE_CHARS
            ):
                break
            if anchor.value is not None:
                break
            role = _role_in_words(anchor)
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


_MAX_BESIDE_CHARS = 30


def _numbered(links: _Links, runs: Iterable[_Run]) -> tuple[Link, ...]:
    """Return the links of runs, each address once."""
    numbered: dict[str, Link] = {}
    for run in runs:
        confidence = 0.6 + 0.1 * min(len(run.members), 3)
        for number in run.members:
            anchor = links.anchors[number]
            numbered.setdefault(anchor.url, links.link(_Found(number, confidence)))
    return tuple(numbered.values())


# Words ------------------------------------------------------------------------------------------

_WORDS = {
    NEXT: "next|next page|nextpage|newer|newer posts|newer entries|newer post|forward|forwards|"
    "continue|continued|more results|weiter|nächste|nächste seite|vorwärts|neuere|volgende|"
    "volgende pagina|verder|suivant|suivante|suivants|page suivante|siguiente|siguientes|"
    "página siguiente|pagina siguiente|próximo|próxima|proximo|proxima|próxima página|seguinte|"
    "avançar|successivo|successiva|successivi|pagina successiva|avanti|prossima|següent|"
    "следующая|следующие|следующий|следующая страница|след|вперед|вперёд|далее|дальше|наступна|"
    "następna|następne|następny|następna strona|dalej|další|další strana|následující|ďalšia|ďalej|"
    "következő|tovább|următoarea|următor|înainte|следваща|sljedeća|sledeća|naslednja|sonraki|"
    "sonraki sayfa|ileri|nästa|nästa sida|neste|neste side|næste|seuraava|järgmine|επόμενη|"
    "επόμενο|επόμενη σελίδα|下一页|下一頁|下页|下頁|后一页|次|次へ|次の記事|次のページ|次ページ|"
    "다음|다음 페이지|التالي|التالية|הבא|הבאה|बाद|अगला|ถัดไป|หน้าถัดไป|trang sau|tiếp|tiếp theo|"
    "berikutnya|selanjutnya|seterusnya",
    PREVIOUS: "prev|prev page|previous|previous page|previous posts|older|older posts|"
    "older entries|older post|back|backward|zurück|vorherige|vorherige seite|ältere|vorige|"
    "vorige pagina|terug|précédent|précédente|précédents|page précédente|anterior|anteriores|"
    "página anterior|pagina anterior|voltar|precedente|precedenti|pagina precedente|indietro|"
    "предыдущая|предыдущие|предыдущий|предыдущая страница|пред|назад|попередня|poprzednia|"
    "poprzedni|poprzednie|poprzednia strona|wstecz|předchozí|předchozí strana|predchádzajúca|"
    "előző|vissza|anterioară|înapoi|предишна|prethodna|prejšnja|önceki|önceki sayfa|geri|"
    "föregående|föregående sida|förra|forrige|forrige side|edellinen|eelmine|προηγούμενη|"
    "προηγούμενο|προηγούμενη σελίδα|上一页|上一頁|上页|上頁|前一页|前|前へ|前の記事|前のページ|"
    "前ページ|이전|이전 페이지|السابق|السابقة|הקודם|הקודמת|पिछला|ก่อนหน้า|trang trước|sebelumnya",
    FIRST: "first|first page|erste|erste seite|anfang|eerste|première|premier|primera|primero|"
    "primeira|primeiro|inicio|início|inici|prima|primo|inizio|первая|в начало|начало|перша|"
    "pierwsza|první|prvá|első|prima pagină|ilk|ilk sayfa|första|første|ensimmäinen|πρώτη|首页|"
    "首頁|第一页|第一頁|最初|最初へ|처음|الأولى|start",
    LAST: "last|last page|letzte|letzte seite|ende|laatste|dernière|dernier|fin|última|último|"
    "ultima|ultimo|final|fim|fine|последняя|в конец|конец|остання|ostatnia|poslední|posledná|"
    "utolsó|son|son sayfa|sista|siste|sidste|viimeinen|τελευταία|末页|末頁|尾页|尾頁|最后一页|"
    "最後|最後へ|마지막|الأخيرة|end",
}  # fmt: skip
_ROLE_OF = {word: role for role in reversed(ROLES) for word in _WORDS[role].split("|")}
_ARROWS = {
    **dict.fromkeys(("›", ">", "→", "▶", "►", "»", "⟩", "❯", "→→", "⇒", "▸", "&gt;"), NEXT),
    **dict.fromkeys(("‹", "<", "←", "◀", "◄", "«", "⟨", "❮", "←←", "⇐", "◂", "&lt;"), PREVIOUS),
    **dict.fromkeys((">>", "»»", "››", ">|", "⏭", ">>|", "»|"), LAST),
    **dict.fromkeys(("<<", "««", "‹‹", "|<", "⏮", "|<<", "|«"), FIRST),
}
_TRIMMED = re.compile(r"[\s.:;,…\-–—()\[\]<>«»‹›←→▶◀►◄❯❮|/]+")
_ROLE_HINT = re.compile(r"(?<![a-z])(next|prev|previous|first|last)(?![a-z])")
_SAID_BY_NAME = {"prev": PREVIOUS, "previous": PREVIOUS}


def _role_in_words(anchor: _Anchor) -> str | None:
    """Return what the text of a link says it leads to, or else an arrow, or its class."""
    if len(anchor.text) > _MAX_BESIDE_CHARS:
        return None
    words = _TRIMMED.sub(" ", anchor.text).strip().casefold()
    if words in _ROLE_OF:
        return _ROLE_OF[words]
    if not words:
        arrow = "".join(anchor.text.split())
        hinted = _hinted(anchor)
        return hinted or _ARROWS.get(arrow)
    if anchor.value is None and len(words.split()) > 1:
        # "Next 20 results", "nächste Seite »": the first word counts where it is no other thing.
        head = words.split()[0]
        pages = _PAGE_WORDS.search(words)
        if pages and head in _ROLE_OF:
            return _ROLE_OF[head]
    return None


_PAGE_WORDS = re.compile(
    r"\bpages?\b|seite|página|pagina|strona|stran|страниц|sida|side\b|\bposts?\b|entries|results|\d"
)


def _hinted(anchor: _Anchor) -> str | None:
    """Return what the rel or the class of a link says it leads to."""
    for role in (NEXT, "prev", FIRST, LAST):
        if role in anchor.rel:
            return _SAID_BY_NAME.get(role, role)
    own = anchor.hints
    words = {_SAID_BY_NAME.get(word, word) for word in _ROLE_HINT.findall(own)}
    return words.pop() if len(words) == 1 else None


def _said(anchor: _Anchor, links: _Links) -> Iterator[tuple[str, float]]:
    """Yield the role that a link claims wherever it stands, and how sure that is."""
    if links.is_here(anchor) and not anchor.rel & {"next", "prev"}:
        return
    role = _role_in_words(anchor)
    by_rel = next((_SAID_BY_NAME.get(r, r) for r in ("next", "prev") if r in anchor.rel), None)
    if by_rel is not None and role in (None, by_rel):
        yield by_rel, 0.85
    if role is None:
        return
    words = _TRIMMED.sub(" ", anchor.text).strip()
    in_pager = bool(_PAGER.search(anchor.hints))
    if words and role in (NEXT, PREVIOUS):
        yield role, 0.7 if in_pager else 0.55
    elif in_pager and (words or _hinted(anchor)):
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


def _declared(links: _Links) -> Link | None:
    """Return the next page that the head of the page declares."""
    page = links.page
    for row, (rel, href) in page.attributes.read("link[rel][href]", ("rel", "href")):
        if "next" in (rel or "").lower().split() and (url := links.address(href or "")):
            return Link(url, "", page.xpath(row), 0.5)
    return None


def _load_more(links: _Links) -> Link | None:
    """Return the address that a button for more names."""
    page = links.page
    selector = ",".join(f"[{name}]" for name in _LOADERS)
    for row, values in page.attributes.read(selector, _LOADERS):
        for value in filter(None, values):
            looks_like_one = "/" in value or "?" in value
            url = links.address(value) if looks_like_one else None
            if url:
                return Link(url, page.text_of(row)[:_MAX_TEXT_CHARS], page.xpath(row), 0.6)
    return None


# Lists over several pages -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MergedTable(WrappedTable):
    """A list that several pages show in parts, as one table; each cell knows its page."""

    kept: tuple[Record, ...] = field(kw_only=True, repr=False)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records in the order of the pages, each once."""
        return self.kept


def merge_tables(tables: Sequence[RecordTable], key: str | None = None) -> RecordTable:
    """Return the records of several tables as one table, each record once.

    Columns are those of all tables, by name. Of records with the same key the first is kept.

    Args:
        tables: At least one table.
        key: Name of the column that tells records apart. Without one it is the link that leads to
            the page of a record or, where there is none, the whole record.
    """
    if not tables:
        raise UsageError("there is no table to merge")
    columns = list({str(c): c for table in reversed(tables) for c in reversed(table.columns)}
                   .values())[::-1]  # fmt: skip
    names = [str(column) for column in columns]
    if key is not None and key not in names:
        raise UsageError(f"no column {key!r} to tell records apart: {', '.join(names)}")
    seen: set[object] = set()
    records: list[Record] = []
    lines: list[list[Cell | None]] = []
    parts: list[NDArray[np.integer[Any]]] = []
    for table in tables:
        place = {str(column): number for number, column in enumerate(table.columns)}
        telling = key if key is not None else detail_links(table).name
        bounds = np.searchsorted(table.record_of, np.arange(len(table) + 1)).tolist()
        for number, (record, cells) in enumerate(zip(table.records, table.cells, strict=True)):
            line = [cells[place[name]] if name in place else None for name in names]
            cell = cells[place[telling]] if telling in place else None
            same: object = cell.value if cell else tuple(c.value if c else None for c in line)
            if same not in seen:
                seen.add(same)
                records.append(record)
                lines.append(line)
                parts.append(table.slices[bounds[number] : bounds[number + 1]])
    first = tables[0]
    cells_of = tuple(zip(*lines, strict=True)) if lines else tuple(() for _ in columns)
    fields = Fields(tuple(columns), cells_of, first.record_css, first.record_xpath)
    return MergedTable(
        first.page,
        first.region,
        np.concatenate(parts) if parts else first.slices[:0],
        np.repeat(np.arange(len(parts)), [len(part) for part in parts]),
        min(table.score for table in tables),
        f"{len(records)} records of {len(tables)} tables",
        given=fields,
        kept=tuple(records),
    )


class DetailLinks(tuple[str | None, ...]):
    """Where the records of a table lead, one address or None for each; empty without a column."""

    column: Column | None = None

    @property
    def name(self) -> str:
        """Name of the column; '' where there is none."""
        return "" if self.column is None else str(self.column)


def detail_links(table: RecordTable) -> DetailLinks:
    """Return the column of links that lead to the page of each record."""
    base = _host(addresses.own_address(table.page) or "")
    best, best_score = None, _LEAST_LINK_SCORE
    for number, column in enumerate(table.columns):
        cells = [cell for cell in table.fields.cells[number] if cell is not None]
        if column.kind != "link" or not cells:
            continue
        urls = {cell.url for cell in cells if cell.url}
        inner = sum(_host(url) in ("", base) for url in urls) / len(urls) if base else 1.0
        words = sum(len(cell.text) for cell in cells) / len(cells)
        score = len(urls) / len(table) + 0.3 * inner + 0.2 * min(words / 20, 1.0)
        if score > best_score:
            best, best_score = number, score
    if best is None:
        return DetailLinks()
    links = DetailLinks(cell.url if cell else None for cell in table.fields.cells[best])
    links.column = table.columns[best]
    return links


_LEAST_LINK_SCORE = 0.7
