"""Dates: published and modified, by markup, ``<time>``, the address and the text near the title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice

import numpy as np

from joeira.arrays.strings import DIGIT
from joeira.metadata import date_forms
from joeira.metadata.claims import Claim
from joeira.metadata.items import Item, texts
from joeira.metadata.statements import Statements
from joeira.metadata.visible import short_text
from joeira.page import Page

MAX_ITEMS = 20
MAX_TIMES = 20
MAX_BLOCKS = 400
MAX_SHOWN = 6
MAX_CHARS = 160
"""Of a block that shows a date beside little else."""

_PUBLISHED = {
    "article:published_time": 0.93, "og:article:published_time": 0.85, "datepublished": 0.85,
    "parsely-pub-date": 0.9, "sailthru.date": 0.85, "citation_publication_date": 0.85,
    "citation_online_date": 0.85, "citation_date": 0.8, "dc.date": 0.75, "dcterms.date": 0.75,
    "dc.date.issued": 0.8, "dcterms.created": 0.75, "dcterms.issued": 0.8, "dc.date.created": 0.75,
    "date": 0.75, "pubdate": 0.8, "publishdate": 0.8, "publish-date": 0.8, "publication_date": 0.8,
    "published_time": 0.8, "article_date_original": 0.85, "cxenseparse:recs:publishtime": 0.85,
    "originalpublicationdate": 0.85, "og:published_time": 0.8, "article.published": 0.85,
    "datecreated": 0.7, "created": 0.6, "article:date": 0.7, "rnews:datepublished": 0.8,
    "displaydate": 0.7, "ptime": 0.7, "pdate": 0.7, "dat": 0.5, "sort_date": 0.5,
    "vr:published_time": 0.8, "date.created": 0.7, "release_date": 0.7, "og:pubdate": 0.7,
    "og:regdate": 0.7, "last-modified": 0.1, "publish_date": 0.8, "mediator_published_time": 0.8,
}  # fmt: skip
_MODIFIED = {
    "article:modified_time": 0.9, "og:updated_time": 0.8, "datemodified": 0.85,
    "dcterms.modified": 0.8, "dc.date.modified": 0.8, "last-modified": 0.6, "lastmod": 0.6,
    "article:updated_time": 0.8, "og:article:modified_time": 0.8, "revised": 0.5,
}  # fmt: skip
_DATE_CLASS = re.compile(r"date|time(?!line)|publi|posted|byline|meta|datum|fecha", re.IGNORECASE)
_CHANGED = re.compile(
    r"upd|modif|edited|revis|aktualisier|geändert|mis à jour|actualizad|aggiornat|atualizad|laatst",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"comment|related|footer|copyright|sidebar|widget|recent|teaser|event|popular", re.IGNORECASE
)


def published(said: Statements, title_row: int = -1) -> Iterator[Claim]:
    """Yield days on which the page may have been published.

    Args:
        said: The statements of the page.
        title_row: Where the page shows its title; -1 if nobody knows.
    """
    month_first = _month_first(said)
    yield from _metas(said, _PUBLISHED, month_first)
    yield from _items(
        said, ("datePublished", "dateCreated", "uploadDate", "datePosted"), month_first
    )
    if said.page.url:
        day = date_forms.in_address(said.page.url)
        if day:
            yield Claim(day, "address", "url", -1, 0.85)
    yield from _shown(said, title_row, month_first)


def modified(said: Statements) -> Iterator[Claim]:
    """Yield days on which the page may have been changed last."""
    month_first = _month_first(said)
    yield from _metas(said, _MODIFIED, month_first)
    yield from _items(said, ("dateModified",), month_first)


def _month_first(said: Statements) -> bool:
    """Return whether 3/4/2020 is in March: in American English, and English that says no more."""
    language = (said.page.attributes.get(0, "lang") or "en").lower() if len(said.page) else "en"
    if language.startswith("en"):
        host = said.page.url or ""
        return not (
            language.endswith(("gb", "au", "nz", "ie", "in", "za"))
            or re.search(r"\.(uk|au|nz|ie|in)/", host)
        )
    return False


def _metas(said: Statements, names: dict[str, float], month_first: bool) -> Iterator[Claim]:
    for name, confidence in names.items():
        for meta in said.named(name)[:1]:
            day = date_forms.first_day(meta.content, month_first=month_first)
            if day:
                yield Claim(day, meta.source, name, meta.row, confidence)


def _items(said: Statements, names: tuple[str, ...], month_first: bool) -> Iterator[Claim]:
    for item in said.items[:MAX_ITEMS]:
        for name in names:
            for number, value in enumerate(item.properties.get(name, ())[:1]):
                for text in texts(value)[:1]:
                    day = date_forms.first_day(text, month_first=month_first)
                    if day:
                        factor = 1 if name.startswith(("dateP", "dateM")) else 0.8
                        row = item.row_of(name, number)
                        yield Claim(
                            day, item.source, item.key(name), row, _confidence(item) * factor
                        )


def _confidence(item: Item) -> float:
    if item.is_aside:
        return 0.2
    if _is_live(item):
        return 0.97
    return 0.88 if item.is_article else 0.85 if item.is_work or item.is_page else 0.4


def _is_live(item: Item) -> bool:
    """Return whether an item is a live blog that says when it began."""
    live = not item.is_aside and "liveblogposting" in item.types
    return live and "datePublished" in item.properties


def _shown(said: Statements, title_row: int, month_first: bool) -> Iterator[Claim]:
    """Yield the dates that the page shows; in a live blog they are those of its entries."""
    near = _near(said, title_row, month_first)
    most = 0.3 if any(map(_is_live, said.items[:MAX_ITEMS])) else 1.0
    for claim in (*_times(said, title_row, month_first), *near):
        yield claim._replace(confidence=min(claim.confidence, most))


def _times(said: Statements, title_row: int, month_first: bool) -> Iterator[Claim]:
    page = said.page
    found = []
    numbers, classes = page.classes
    for row in page.rows_of("time")[:MAX_TIMES].tolist():
        stated = page.attributes.get(row, "datetime") or ""
        text = short_text(page, row)
        day = date_forms.first_day(stated) or date_forms.first_day(text, month_first=month_first)
        if not day:
            continue
        near = f"{classes[numbers[row]]} {classes[numbers[page.parent[row]]]}"[:300]
        before = text + " " + (short_text(page, int(page.parent[row]))[:40])
        changed = _CHANGED.search(near) or _CHANGED.search(before)
        found.append((row, day, bool(changed) or bool(_ASIDE.search(near))))
    for number, (row, day, doubtful) in enumerate(found):
        confidence = 0.88 if number == 0 else 0.25
        if title_row >= 0 and row < title_row - 40:
            confidence *= 0.7
        yield Claim(day, "time", "datetime", row, 0.3 if doubtful else confidence)


def _near(said: Statements, title_row: int, month_first: bool) -> list[Claim]:
    """Return dates in short blocks, with more confidence near the title and in named elements.

    As the last resort, where no short block has one, dates in long blocks count too.
    """
    page = said.page
    owners = page.blocks.owner
    title_block = int(np.searchsorted(owners, title_row)) if title_row >= 0 else -1
    texts = _with_digits(page, max(0, title_block - 12))
    short = {number: text for number, text in texts.items() if len(text) <= MAX_CHARS}
    found = _first_days(short, month_first)
    is_last = not found
    claims: list[Claim] = []
    for number, day in (found or _first_days(texts, month_first)).items():
        owner = int(owners[number])
        is_near = title_block >= 0 and -4 <= number - title_block <= 12
        confidence = 0.2 if is_last else _near_confidence(page, owner, texts[number], is_near)
        confidence *= 0.3 if claims else 1
        claims.append(Claim(day, "text", "near title", owner, confidence))
    return claims


def _near_confidence(page: Page, owner: int, text: str, is_near: bool) -> float:
    """Return the confidence in the date that a short block shows."""
    numbers, classes = page.classes
    near = f"{classes[numbers[owner]]} {classes[numbers[page.parent[owner]]]}"[:300]
    if _CHANGED.search(text[:60]) or _ASIDE.search(near):
        return 0.3
    confidence = 0.85 if is_near else 0.4
    if _DATE_CLASS.search(near):
        confidence += 0.05
    return confidence - 0.2 if len(text) > 60 else confidence


def _with_digits(page: Page, begin: int) -> dict[int, str]:
    """Return the texts of the next blocks that have as many digits as dates have."""
    digits = page.blocks.sums(page.characters.count_class(DIGIT))[begin : begin + MAX_BLOCKS]
    numbers = np.flatnonzero(digits >= date_forms.MIN_DIGITS) + begin
    first = page.blocks.first
    found = map(page.joined, first[numbers].tolist(), first[numbers + 1].tolist())
    return dict(zip(numbers.tolist(), found, strict=True))


def _first_days(blocks: dict[int, str], month_first: bool) -> dict[int, str]:
    """Return the days of the first blocks that have one."""
    read = partial(date_forms.first_day, month_first=month_first)
    days = ((number, read(text)) for number, text in blocks.items())
    return dict(islice(((number, day) for number, day in days if day), MAX_SHOWN))
