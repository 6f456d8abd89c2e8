"""Authors: who wrote the page, by markup, by links to authors and by visible bylines.

Names of people and desks are taken out of bylines and kept apart from what is no name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import compress, islice
from typing import NamedTuple

import numpy as np

from joeira._lazy import cached_if_short
from joeira._native import native_available
from joeira.arrays.strings import UNSPACED_RANGES, Words
from joeira.metadata.about import host_words
from joeira.metadata.claims import Claim, Shown, short_text
from joeira.metadata.statements import Statements
from joeira.metadata.structured import Item, texts
from joeira.page import Page
from joeira.page.tags import rows_with

MAX_NAME_CHARS = 60
MAX_NAME_WORDS = 7
MAX_AUTHORS = 20

# "by" in the languages in which bylines were seen; the words before a name, never part of one.
_BEFORE = re.compile(
    r"^\W*(?:(?:post author|written|words?|posted|published|story|text|report(?:ed|ing)?|"
    r"review(?:ed)?|article|photos?|created|started|submitted|updated|asked|answered|medically|fact|checked|edited|"
    r"erstellt|geschrieben|veröffentlicht|verfasst|ein (?:artikel|gastbeitrag|beitrag|kommentar)|"
    r"publié|écrit|rédigé|propos recueillis|escrito|publicado|scritto|pubblicato|"
    r"tekst|foto|autore?|autor(?:ka|zy|in|es|a)?|auteurs?|authors?|автор|συντάκτης|door|"
    r"par|por|von|by|af|av|de|di|da|od|作者|文|记者|記者|撰文)\b\s*[:：/-]?\s*)+"
    r"|^\W*(?:作者|文|记者|記者|撰文)\s*[:：/]\s*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\s*[;|•·/、，\n]\s*|\s*&\s*|\s+[–—-]\s+|"
    r"\s+(?:and|und|et|y|e|och|og|en|ja|i|a|и|και|with|mit|avec|im Gespräch mit)\s+"
)
_COMMA = re.compile(r"\s*,\s*")
_ADDRESS = re.compile(r"https?://|www\.|@\w|\w@|\.(?:com|org|net|de|fr|php|html)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>|\"[^\"]*\"|\S+@\S+|\S*(?:://|www\.)\S*")
_ASIDE_MARK = re.compile(r"[(\[<\"@]|://|www\.")
"""One of these is in all that stands aside."""
_DIGIT = re.compile(r"\d")
_CREDENTIAL = re.compile(
    r"(?:[A-Z]\.?){2,5}|[A-Z][a-z]?[A-Z][A-Za-z]{0,3}|Ph\.?D\.?|Dr\.?|Jr\.?|Sr\.?|M\.?D\.?|R\.?D\.?|Esq\.?|I{2,3}"
)
_NOBODY = {
    phrase.strip()
    for phrase in """
    about the author, admin, administrator, am, anonymous, at, author, authors, by,
    editor, editorial, el, false, follow, guest, il, le, member, n/a, na, name, no author,
    none, null, on, posts, profile, root, said, say, share, siteadmin, staff, test, true,
    undefined, unknown, user, view all posts, view profile, webmaster, website, wordpress
    """.split(",")
}
_PHRASE = re.compile(
    r"\b(?:updated|published|posted|minutes?|read|comments?|share|follow|subscribe|click|copyright|"
    r"reserved|january|february|march|april|june|july|august|september|october|november|december|"
    r"lesezeit|uhr|stand|more from|view all|all posts|learn more|about the)\b",
    re.IGNORECASE,
)
_PHRASE_STEMS = Words(
    ("updated", "published", "posted", "minute", "read", "comment", "share", "follow", "subscribe",
     "click", "copyright", "reserved", "january", "february", "march", "april", "june", "july",
     "august", "september", "october", "november", "december", "lesezeit", "uhr", "stand",
     "more from", "view all", "all posts", "learn more", "about the")
)  # fmt: skip
"""One of these is in every such phrase; they are found much faster than the pattern."""


@cached_if_short(entries=64, longest=300)  # several sources name the same people
def people(text: str) -> tuple[str, ...]:
    """Return the names in a byline, in order and without repetition; nothing when it has none."""
    text = " ".join(text.split())[:300]
    if _ASIDE_MARK.search(text):
        text = _ASIDE.sub(" ", text)
    by_key: dict[str, str] = {}
    for part in _BETWEEN.split(_after_by(text)):
        for name in _comma_parts(part):
            clean = _clean(name)
            if clean:
                by_key.setdefault(clean.casefold(), clean)
    return distinct(by_key.values())


def distinct(found: Iterable[str]) -> tuple[str, ...]:
    """Return names once each, without phrases that only end in one, as *All posts by Ann Lee*."""
    names = list(dict.fromkeys(found))[:MAX_AUTHORS]
    if len(names) < 2:
        return (*names,)
    return tuple(
        name
        for name in names
        if not any(name != other and name.endswith(f" {other}") for other in names)
    )


def _comma_parts(part: str) -> list[str]:
    """Split at commas, where what follows is a name and not a degree or a role."""
    pieces = [piece for piece in _COMMA.split(part) if piece]
    if len(pieces) == 2 and " " not in pieces[0] and " " not in pieces[1].strip():
        # "Surname, Given"
        if not _CREDENTIAL.fullmatch(pieces[1]):
            return [f"{pieces[1]} {pieces[0]}"]
        return [part]
    if any(_CREDENTIAL.fullmatch(piece) for piece in pieces[1:]):
        return [part]
    return pieces


def _after_by(text: str) -> str:
    """Return a text without the words before a name."""
    match = _BEFORE.match(text)
    return text[match.end() :] if match else text


def _clean(name: str) -> str:
    name = _after_by(name).strip(" \t.,:;-–—|*·•\u200b")
    if len(name) > MAX_NAME_CHARS or len(name.split()) > MAX_NAME_WORDS:
        return ""
    if name.casefold() in _NOBODY or _ADDRESS.search(name) or _DIGIT.search(name):
        return ""
    may_be_phrase = not name.isascii() or _PHRASE_STEMS.are_in(name.lower())
    if len(name) < 2 or (may_be_phrase and _PHRASE.search(name)):
        return ""
    return name


MAX_BYLINES = 12
MAX_CALLED_BYLINES = 60
MAX_BLOCKS = 200
MAX_BYLINE_CHARS = 150
MAX_CLASS_CHARS = 200
MAX_TEXTS_AFTER_TITLE = 12
"""A byline stands that near to the title, on pages about things."""
_ASIDE_CONFIDENCE = 0.2
"""In the author of a thing beside the page's subject."""

_METAS = {
    "author": 0.78, "article:author": 0.35, "parsely-author": 0.85, "sailthru.author": 0.85,
    "dc.creator": 0.7, "dcterms.creator": 0.7, "dc.creator.personalname": 0.7, "authors": 0.7,
    "citation_author": 0.9, "article:author_name": 0.8, "byl": 0.8, "cxenseparse:author": 0.8,
    "creator": 0.5, "twitter:data1": 0.9, "vr:author": 0.7, "byline": 0.7, "og:article:author": 0.5,
}  # fmt: skip
_ITEM_NAMES = {"author": 1.0, "creator": 0.9}
_BYLINE = re.compile(r"[\s_-](?:by-?line|aut(?:h?o|eu)r(?!i[sz])|writer(?!ev)|contributor)")
_BYLINE_STEMS = Words("byline by-line author autor auteur writer contributor".split())
"""One of these is in every such name."""
_NAME_CLASS = re.compile(
    r"author[\w-]*name|byline[\w-]*name|name[\w-]*author|fn\b|byline[\w-]*author"
)
_NOT_BYLINE = Words(
    "bio avatar image img photo social comment box widget related descr about card title job role "
    "list follow date time".split()
)
_BY_READERS = re.compile(r"comment|review(?!ed|er)")
_UNSPACED = re.compile(f"[{UNSPACED_RANGES}]")
_BY_WORDS = "by von par por di dı dİ av door od af 作者 文 记者 記者"
_BY_BEGINNING = re.compile(rf"\s*(?:{_BY_WORDS.replace(' ', '|')}|\S{{0,4}}+\s*+\Z)", re.IGNORECASE)
"""How the first text of a block begins that may say so, or how little it has of that."""
_BY = re.compile(
    r"(?:by|von|par|por|di|av|door|od|af)\s*:?\s+(?=[^\W\d_])|(?:作者|文|记者|記者)\s*[:：/]",
    re.IGNORECASE,
)
MAX_BY_CHARS = 80


class Names(NamedTuple):
    """What tells whether those that a page names are its authors."""

    sitenames: frozenset[str]
    """Names of the site, capitals made small: as an author it is better than nobody, no better."""
    of_things: bool
    """Whether the page is about a product or lists things. People named on it wrote reviews or what
    is listed, and a shop is not the author of what it sells."""


_NAMING_AUTHORS = frozenset(("rel=uthor",))
SHOWN = {"link": 0.67, "byline": 0.85, "text": 0.4}
"""Sources of what a page shows, with the highest confidence in each."""
_MIN_OF_THINGS = 0.5
"""In the author of a thing: more than in any of a further byline or of a text."""
_FURTHER = 0.2
"""So much less may the bylines after the first be trusted."""
_DOUBTFUL = 0.15
"""In a byline of a class that is called after something else as well."""


def stated(said: Statements, known: Names) -> Iterator[Claim]:
    """Yield sets of authors, each as one source in the markup has them."""
    return _weighed(said, _stated(said), known, -1)


def shown(said: Statements, known: Names, title_row: int) -> Iterator[Shown]:
    """Yield sets of authors that links and bylines show, what may settle the value first.

    Args:
        said: The statements of the page.
        known: What is known about the page.
        title_row: Where the page shows its title; -1 if nobody knows.
    """

    def own(claims: Iterable[Claim]) -> list[Claim]:
        return list(_weighed(said, said.own(claims), known, title_row))

    links = own(_links(said))
    trust = _called_bylines(said.page)
    highest = max(trust.values(), default=0.0)
    yield {"byline": highest, "text": SHOWN["text"]}, links
    bylines = _bylines(said.page, trust)
    first = list(islice(bylines, 1))
    found = links + own(first)
    if known.of_things:  # what else is shown is never trusted enough there
        yield {}, found
        return
    if first:
        further = max(highest * _FURTHER, _DOUBTFUL)
        yield {"byline": further, "text": SHOWN["text"]}, found
    others = list(bylines)
    if others:
        found = found + own(others)
        yield {"text": SHOWN["text"]}, found
    seen = {same(claim.value) for claim in (*first, *others)}
    yield {}, found + own(_by_words(said.page, seen))


def _weighed(
    said: Statements, claims: Iterable[Claim], known: Names, title_row: int
) -> Iterator[Claim]:
    for claim in claims:
        names = [name.casefold() for name in claim.value]
        of_the_site = known.sitenames.issuperset(names)
        if known.of_things:
            hosts = host_words(said.page.url)
            is_host = hosts.issuperset(re.sub(r"\W", "", name) for name in names)
            if of_the_site or is_host or not _is_of_page(said, claim, title_row):
                continue
        yield claim.trusted(claim.confidence * 0.6) if of_the_site else claim


def _is_of_page(said: Statements, claim: Claim, title_row: int) -> bool:
    """Return whether a claim on a page about things is about the page: stated, or by the title."""
    if claim.source not in SHOWN:
        return claim.confidence > _ASIDE_CONFIDENCE
    page = said.page
    after = int(page.text_index[claim.row] - page.text_index[page.end[title_row]])
    is_near = title_row >= 0 and 0 <= after <= MAX_TEXTS_AFTER_TITLE
    if not is_near or claim.confidence < _MIN_OF_THINGS or _is_in_record(page, claim.row):
        return False
    numbers, _ = page.classes
    alike = np.flatnonzero(numbers == numbers[claim.row])[:MAX_BYLINES].tolist()
    return len({same(people(short_text(page, row))) for row in alike}) == 1


def _is_in_record(page: Page, row: int) -> bool:
    """Return whether a row lies in one of several elements of a list."""
    while row > 0:
        parent = int(page.parent[row])
        if page.tag_name(row) in ("li", "tr", "article"):
            rows = page.rows_of(page.tag_name(row))
            if np.count_nonzero(page.parent[rows] == parent) > 1:
                return True
        row = parent
    return False


def _stated(said: Statements) -> Iterator[Claim]:
    for name in said.present(_METAS):
        found = said.named(name)[:20]
        metas = [meta for meta in found if not (meta.is_property and said.items)]
        if not metas or (name == "twitter:data1" and not _labelled_author(said)):
            continue
        persons = [person for meta in metas for person in people(meta.content)]
        if persons:
            value = distinct(persons)
            yield Claim(value, metas[0].source, name, metas[0].row, _METAS[name])
    named = [
        (item, name, value)
        for item in said.items_with(_ITEM_NAMES, 20)
        if not item.is_by_reader
        for name in _ITEM_NAMES
        if (value := _of_item(item, name))
    ]
    theirs = said.are_by_readers([item.row for item, *_ in named])
    for (item, name, value), is_theirs in zip(named, theirs, strict=True):
        if not is_theirs:
            confidence = _confidence(item) * _ITEM_NAMES[name]
            yield Claim(value, item.source, item.key(name), item.row_of(name, 0), confidence)


def same(value: object) -> object:
    """Return what two sets of authors have in common when they name the same people."""
    return (
        frozenset(" ".join(name.casefold().split()) for name in value)
        if isinstance(value, tuple)
        else value
    )


def _labelled_author(said: Statements) -> bool:
    return any(
        "by" in meta.content.lower()
        or "author" in meta.content.lower()
        or "verfasst" in meta.content.lower()
        for meta in said.named("twitter:label1")[:1]
    )


def _of_item(item: Item, name: str) -> tuple[str, ...]:
    persons: list[str] = []
    for value in item.values(name):
        for text in texts(value):
            persons += people(text)
    return distinct(persons)


def _confidence(item: Item) -> float:
    if item.is_aside:
        return _ASIDE_CONFIDENCE
    if item.is_article:
        return 0.84 if item.source == "json-ld" else 0.65
    return 0.8 if item.is_work or item.is_page else 0.15


def _links(said: Statements) -> Iterator[Claim]:
    page = said.page
    if not page.attributes.may_have(_NAMING_AUTHORS):
        return
    persons: list[str] = []
    first = -1
    for row in page.attributes.select("a[rel~='author' i]")[:5]:
        names = people(short_text(page, row)[:MAX_BYLINE_CHARS])
        if names and first < 0:
            first = row
        persons += names
    if persons:
        yield Claim(distinct(persons), "link", "rel=author", first, SHOWN["link"])


def _called_bylines(page: Page) -> dict[int, float]:
    """Return the numbers of the classes called after authors, and the confidence in each."""
    if not _BYLINE_STEMS.are_in(page.class_text):
        return {}
    _, classes = page.classes
    trust = {number: _trust(classes[number]) for number in _BYLINE_STEMS.are_in_names(classes)}
    return {number: known for number, known in trust.items() if known is not None}


@cached_if_short(entries=256, longest=MAX_CLASS_CHARS)  # pages of one site name classes alike
def _trust(name: str) -> float | None:
    """Return the confidence in the first byline of a class that is called so; 0: nobody's.

    None for a class that is not called after authors.
    """
    name = name[:MAX_CLASS_CHARS].lower()
    if not _BYLINE.search(f"\n{name}"):
        return None
    if _BY_READERS.search(name):
        return 0.0
    if _NOT_BYLINE.are_in(name):
        return _DOUBTFUL
    return SHOWN["byline"] if _NAME_CLASS.search(name) else 0.7


def _bylines(page: Page, trust: Mapping[int, float]) -> Iterator[Claim]:
    """Yield bylines: short texts in elements that call themselves so."""
    if not trust:
        return
    numbers, classes = page.classes
    seen: set[object] = set()
    for row in rows_with((numbers, len(classes), [*trust]))[:MAX_CALLED_BYLINES].tolist():
        number = int(numbers[row])
        text = short_text(page, row) if trust[number] else ""
        names = people(text) if len(text) <= MAX_BYLINE_CHARS else ()
        if names and same(names) not in seen:
            is_best = not seen or trust[number] == _DOUBTFUL
            seen.add(same(names))
            key = f".{classes[number][:MAX_CLASS_CHARS].split()[0]}"
            yield Claim(names, "byline", key, row, trust[number] * (1 if is_best else _FURTHER))
        if len(seen) >= MAX_BYLINES:
            break


def _by_words(page: Page, seen: set[object]) -> Iterator[Claim]:
    """Yield the first name after a mere "by", in a block of its own outside of navigation."""
    first = page.blocks.first
    for number in _begun_by(page):
        start = int(first[number])
        text = page.joined(start, int(first[number + 1]))
        if len(text) <= MAX_BY_CHARS and _BY.match(text) and not _is_in_nav(page, start):
            names = people(text)
            if names and same(names) not in seen and all(map(_is_full_name, names)):
                yield Claim(names, "text", "by", int(page.blocks.owner[number]), SHOWN["text"])
                break


def _begun_by(page: Page) -> Iterable[int]:
    """Return which of the first blocks may begin with "by": no others are put together."""
    first = page.blocks.first
    if native_available:
        characters = page.characters
        return characters._strings.begun(characters.classes, first, MAX_BLOCKS, _BY_WORDS)
    begun = (_BY_BEGINNING.match(page.text(start)) for start in first[:MAX_BLOCKS].tolist())
    return compress(range(len(page.blocks)), begun)


def _is_in_nav(page: Page, text: int) -> bool:
    row, rows = int(page.text_rows[text]), page.rows_of("nav")
    return bool(((rows <= row) & (row < page.end[rows])).any())


def _is_full_name(name: str) -> bool:
    """Return whether words after a mere "by" may be a person: menus say "by price" as well."""
    words = name.split()
    if len(words) == 1:
        return _UNSPACED.match(name) is not None
    return not (words[0][0].islower() or words[-1][0].islower())
