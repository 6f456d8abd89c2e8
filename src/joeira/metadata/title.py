"""The title: headings, titles stated by markup, and ``<title>`` without the name of the site."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from urllib.parse import unquote

from joeira._lazy import Answers, Lazy, cached_if_short
from joeira.metadata import about
from joeira.metadata.claims import Claim, short_text, unescaped
from joeira.metadata.statements import Statements
from joeira.metadata.structured import Item, texts
from joeira.page import Page

MAX_TITLE_CHARS = 500
MAX_HEADINGS = 10
_MAX_CASES = 3
"""Of so many headings all choices are gone through: sooner than style sheets are read."""

_METAS = {
    "og:title": 0.75, "twitter:title": 0.75, "citation_title": 0.9, "dc.title": 0.7,
    "dcterms.title": 0.7, "parsely-title": 0.85, "sailthru.title": 0.85, "title": 0.6,
    "headline": 0.8, "article:title": 0.8,
}  # fmt: skip
_ITEM_NAMES = ("headline", "name")
_HEADINGS = ((0.85, 0.6, 0.4), (0.45, 0.05, 0.6), (0.4, 0.03, 0.8))
"""Of an only h1, the first of several, a later one: confidence when at least a share of its words
is in stated titles, confidence otherwise, that share."""
_TRUSTED = 0.5
_OF_THE_SITE = 0.1
"""What is left of the confidence in a heading that names the site."""
_KICKED = 0.4
"""What is left of the confidence in a title with a kicker before what another source has."""
_SLUG = 0.85
_MIN_SLUG_WORDS = 5
_MIN_SLUG_OVERLAP = 0.8
_UNSURE = 0.5
"""Confidence in a title without its last part, where nobody says that this is the site."""
_MAX_SITE_WORDS = 4
"""A part with more words after a dash or a colon belongs to the title."""
WITNESSES = dict.fromkeys(
    ("opengraph", "twitter", "title", "meta", "dublin-core", "parsely", "sailthru"), "head"
)
"""Elements of the head repeat one title, written for search engines; they count as one source."""
_BETWEEN = re.compile(
    r"[\s|｜_：–—-](?:"  # what all begin with, so that a search passes over all else at once
    r"(?<=\s)\s*(?:[|\-–—·•»«:/~>]+\s+|[|｜_：]\s*|[-–—](?=\S))"
    r"|(?<=[|｜_：])\s*|(?<=[^\x00-\u2e7f][-–—])(?=[^\x00-\u2e7f]))"
)
"""Between two parts of a title: any mark between spaces, some with fewer spaces or none."""
_MARK = re.compile("[|\\-–—·•»«:/~>｜_：]")
"""Every separator has one: most titles need not be searched for each."""
_NOT_WORDS = re.compile(r"[\W_]+")
_PLAIN = bytes(
    ord(" ") if _NOT_WORDS.match(chr(code)) else ord(chr(code).lower()) for code in range(128)
).ljust(256)
"""Of ASCII, letters in lower case and digits as they are; anything else is space."""
_DASHED = re.compile(r"\s*[-–—:/：]+\s*")
_APOSTROPHE = re.compile(r"(?<=\w)['’ʼ](?=\w)")
_LETTERS = str.maketrans(
    {"ä": "a", "ö": "o", "ü": "u", "å": "a", "ø": "o", "ł": "l", "ı": "i", "đ": "d"}
)
_SECTIONS = {
    "news", "world news", "uk news", "us news", "latest news", "nachrichten", "aktuell", "noticias",
    "actualités", "actualité", "notizie", "notícias", "nieuws", "nyheter", "nyheder", "uutiset",
    "wiadomości", "haberler", "новости", "новини", "新闻", "新聞", "ニュース", "sport", "sports",
    "politics", "politik", "opinion", "business", "blog", "blog archive", "blog archiv",
}  # fmt: skip
"""Parts that name a section of the site, as sites in many languages call them."""


Heading = tuple[int, str]
"""Row and text of a heading."""
Parts = Sequence[tuple[int, int, str]]
"""Start and stop of the parts of a title, and the separator before each."""


class Titles:
    """What may be the title of a page."""

    def __init__(self, said: Statements, sitename: Sequence[str]) -> None:
        """Read what the page states; `sitename` are names of the site, to be taken off titles."""
        self._said = said
        self.keys = Answers(same)
        """What titles have in common, by title: the few of a page are compared over and over."""
        self._known = site_keys(said, sitename)
        raw = list(_stated(said))
        parts = Answers(_parts)
        whole = _continued(raw, parts)
        self._stated = [cut for claim in raw for cut in _cut(claim, parts, self._known, whole)]
        self._familiar = {*" ".join({self.keys[claim.value] for claim in self._stated}).split()}
        self._is_certain = any(claim.confidence > _TRUSTED for claim in self._stated)
        rows = said.page.rows_of("h1")[:MAX_HEADINGS].tolist()
        self._filled = [(row, text) for row in rows if (text := short_text(said.page, row))]

    def claims(self, shown: Sequence[Heading] | None = None) -> Iterator[Claim]:
        """Yield all claims; which headings of several are shown is found out unless it is given."""
        if shown is None:
            shown = _shown(self._said.page, self._filled) or self._filled
        claims = _doubt_kickers([*self._headings(shown), *self._stated], self.keys)
        yield from claims
        if len(self._slug) >= _MIN_SLUG_WORDS:
            yield from _of_address(self._slug, claims)

    @Lazy
    def _slug(self) -> list[str]:
        return _slug_words(self._said.page.url)

    def _headings(self, shown: Sequence[Heading]) -> Iterator[Claim]:
        """Yield headings: the more of their words the stated titles have, the better."""
        page, familiar = self._said.page, self._familiar
        for number, (row, text) in enumerate(shown):
            words = self.keys[text].split()
            overlap = sum(map(familiar.__contains__, words)) / max(1, len(words))
            place = 0 if len(shown) == 1 else 1 if number == 0 else 2
            agreeing, other, enough = _HEADINGS[place]
            confidence = agreeing if overlap >= enough or not familiar else other
            if self._is_certain and _is_site(text, self._known):
                confidence *= _OF_THE_SITE
            yield Claim(text, "heading", "h1", row, confidence)
        if not shown:
            for row in page.rows_of("h2")[:3].tolist():
                text = short_text(page, row)
                if text:
                    yield Claim(text, "heading", "h2", row, 0.15)

    def cases(self) -> Iterator[Sequence[Heading]]:
        """Yield every choice of the headings that may be shown, if they are several but few.

        Where the title is the same in all of them, nobody has to find out which one is true.
        """
        if 1 < len(self._filled) <= _MAX_CASES:
            for count in range(1, len(self._filled) + 1):
                yield from combinations(self._filled, count)


def _stated(said: Statements) -> Iterator[Claim]:
    """Yield titles that markup and ``<title>`` give, as they are."""
    for meta, confidence in said.first_named(_METAS):
        yield Claim(meta.content, meta.source, meta.name, meta.row, confidence)
    for item in said.items_with(_ITEM_NAMES, 20):
        for name, confidence in _of_item(item):
            for value in item.values(name)[:1]:
                for text in texts(value)[:1]:
                    yield Claim(text, item.source, item.key(name), item.row_of(name, 0), confidence)
    for row in said.page.rows_of("title")[:1].tolist():
        text = unescaped(short_text(said.page, row))
        yield Claim(text, "title", "title", row, 0.68)


def _continued(raw: Sequence[Claim], parts: Answers[Parts]) -> set[str]:
    """Return the stated titles that another one continues: what follows there is the site."""
    texts = {str(claim.value)[:MAX_TITLE_CHARS] for claim in raw}
    several = ((text, parts[text]) for text in texts)
    return {text[: some[-2][1]].strip() for text, some in several if len(some) > 1} & texts


def same(value: object) -> str:
    """Return what two titles have in common when only case, spaces and punctuation differ."""
    return _words_of(str(value))


@cached_if_short(entries=64, longest=1000)  # the few titles of a page are compared over and over
def _words_of(title: str) -> str:
    if title.isascii():
        words = title.encode().translate(_PLAIN).decode().split()
        return " ".join(words) or title.lower().strip()
    text = unicodedata.normalize("NFKC", title).casefold().replace("\xad", "")
    return _NOT_WORDS.sub(" ", text).strip() or text.strip()


def _of_item(item: Item) -> tuple[tuple[str, float], ...]:
    """Return the properties of a thing that may be the title, with the confidence in each."""
    if item.is_aside:
        return ()
    if item.is_article or item.is_work:
        return ("headline", 0.8 if item.is_article else 0.6), ("name", 0.6)
    return (("headline", 0.7), ("name", 0.7)) if item.is_page else ()


def _shown(page: Page, headings: list[Heading]) -> list[Heading]:
    """Return the headings that are shown.

    Whether an only one is makes no difference, and style sheets take time to read.
    """
    if len(headings) < 2:
        return headings
    from joeira.page.hiding import are_hidden  # reads style sheets, which few pages need

    hidden = are_hidden(page, [row for row, _ in headings])
    return [heading for heading, is_hidden in zip(headings, hidden, strict=True) if not is_hidden]


def _doubt_kickers(claims: list[Claim], keys: Answers[str]) -> list[Claim]:
    """Return the claims; one that is a trusted title with some words before it is less trusted."""
    trusted = {keys[claim.value] for claim in claims if claim.confidence > _TRUSTED}
    ends = tuple(f" {title}" for title in trusted if len(title.split()) >= 3)
    if not ends:
        return claims
    return [
        claim.trusted(claim.confidence * _KICKED) if keys[claim.value].endswith(ends) else claim
        for claim in claims
    ]


def _of_address(slug: list[str], claims: Sequence[Claim]) -> Iterator[Claim]:
    """Yield the title that words of the page's address spell, as the nearest claim has it.

    Headlines are rewritten, addresses are not: an address of many words has the first headline.
    """
    in_slug = _pairs_and_words(slug)
    overlaps: dict[str, tuple[float, Claim]] = {}
    for claim in claims:
        words = _pairs_and_words(_folded_words(str(claim.value)))
        if words and (claim.confidence > _UNSURE or claim.source == "heading"):
            overlap = len(words & in_slug) / len(words | in_slug)
            overlaps.setdefault(same(claim.value), (overlap, claim))
    near = [pair for pair in overlaps.values() if pair[0] >= _MIN_SLUG_OVERLAP]
    if near:
        _, claim = max(near, key=lambda pair: pair[0])
        yield Claim(claim.value, "address", "path", -1, _SLUG)


def _pairs_and_words(words: list[str]) -> set[object]:
    return {*words, *pairwise(words)}


def _slug_words(address: str | None) -> list[str]:
    """Return the words of the longest part of a path, as addresses spell them."""
    path = unquote(about.path(address)[:2_000])
    return max((_folded_words(part) for part in path.split("/")), key=len, default=[])


@cached_if_short(entries=64, longest=1000)  # the same titles come from several sources
def _folded_words(text: str) -> list[str]:
    """Return the words of a text without accents; addresses write ä as a or as ae."""
    text = _APOSTROPHE.sub("", text.casefold())
    for pair, letter in (("ae", "a"), ("oe", "o"), ("ue", "u"), ("ß", "ss")):
        text = text.replace(pair, letter)
    if not text.isascii():
        bare = unicodedata.normalize("NFD", text.translate(_LETTERS))
        text = "".join(letter for letter in bare if not unicodedata.combining(letter))
    return [word for word in _NOT_WORDS.split(text) if len(word) > 1]


def site_keys(said: Statements, sitename: Sequence[str]) -> set[str]:
    """Return what names the site, in a form to compare with parts of titles."""
    names = {same(name).replace(" ", "") for name in sitename}
    return names.union(about.host_words(said.page.url)) - {""}


def _cut(
    claim: Claim, parts_of: Answers[Parts], known: set[str], whole: set[str]
) -> Iterator[Claim]:
    """Yield a claimed title without the name of the site, then as it is, with less confidence."""
    text = str(claim.value)[:MAX_TITLE_CHARS]
    parts = parts_of[text]
    cut = _without_site(text, parts, known)
    if cut != text:
        yield claim.saying(cut)
        yield Claim(text, claim.source, claim.key, claim.row, 0.05)
        return
    if len(parts) > 1 and text not in whole:
        start, stop, separator = parts[-1]
        is_dashed = _DASHED.fullmatch(separator) is not None
        if not (is_dashed and claim.key.endswith("headline")):
            is_long = len(text[start:stop].split()) > _MAX_SITE_WORDS
            doubt = 0.6 if is_long and is_dashed else 1.0
            yield claim.trusted((0.2 if doubt == 1.0 else 0.8) * claim.confidence)
            yield claim.saying(text[: parts[-2][1]].strip()).trusted(_UNSURE * doubt)
            for start, stop, _ in parts[:4]:
                yield claim.saying(text[start:stop].strip()).trusted(0.3)
            return
    yield claim.saying(text)


def without_site(text: str, known: set[str]) -> str:
    """Return a title without leading and trailing parts that name the site."""
    return _without_site(text, _parts(text), known)


def _without_site(text: str, parts: Parts, known: set[str]) -> str:
    first, last = 0, len(parts)
    while last - first > 1 and _is_site(text[parts[last - 1][0] : parts[last - 1][1]], known):
        last -= 1
    while last - first > 1 and _is_site(text[parts[first][0] : parts[first][1]], known):
        first += 1
    while last - first > 1 and _is_section(text, parts[last - 1]):
        last -= 1
    return text[parts[first][0] : parts[last - 1][1]].strip() if parts else text


def _is_section(text: str, part: tuple[int, int, str]) -> bool:
    start, stop, separator = part
    return "|" in separator and same(text[start:stop]) in _SECTIONS


def _parts(text: str) -> Parts:
    """Return start and stop of the parts of a title, and the separator before each."""
    parts = []
    start, before = 0, ""
    for match in _BETWEEN.finditer(text) if _MARK.search(text) else ():
        if match.start() > start:
            parts.append((start, match.start(), before))
        start, before = match.end(), match[0]
    if start < len(text):
        parts.append((start, len(text), before))
    return parts


def _is_site(part: str, known: set[str]) -> bool:
    key = same(part).replace(" ", "")
    if key in known:
        return True
    bare = key.removesuffix("com").removesuffix("org").removesuffix("net").removeprefix("www")
    return bare in known or key.removeprefix("the") in known
