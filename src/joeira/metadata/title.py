"""The title: headings, titles stated by markup, and ``<title>`` without the name of the site."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from joeira.arrays.lazy import cached_if_short
from joeira.metadata import site
from joeira.metadata.claims import Claim, short_text
from joeira.metadata.statements import Statements
from joeira.metadata.structured import Item, texts

MAX_TITLE_CHARS = 500
MAX_HEADINGS = 10

_METAS = {
    "og:title": 0.8, "twitter:title": 0.75, "citation_title": 0.9, "dc.title": 0.7,
    "dcterms.title": 0.7, "parsely-title": 0.85, "sailthru.title": 0.85, "title": 0.6,
    "headline": 0.8, "article:title": 0.8,
}  # fmt: skip
_HEADINGS = ((0.85, 0.3, 0.4), (0.45, 0.05, 0.6), (0.4, 0.03, 0.8))
"""Of an only h1, the first of several, a later one: confidence when at least a share of its words
is in stated titles, confidence otherwise, that share."""
_TRUSTED = 0.5
WITNESSES = dict.fromkeys(
    ("opengraph", "twitter", "title", "meta", "dublin-core", "parsely", "sailthru"), "head"
)
"""Elements of the head repeat one title, written for search engines; they count as one source."""
_BETWEEN = re.compile(
    r"\s+[|\-–—·•»«:/~>]+\s+|\s*[|｜]\s*|\s*_\s*|\s+[-–—](?=\S)|(?<=[^\x00-\u2e7f])[-–—](?=[^\x00-\u2e7f])|\s*[：]\s*"
)
_MARK = re.compile("[|\\-–—·•»«:/~>｜_：]")
"""Every separator has one: most titles need not be searched for each."""
_NOT_WORDS = re.compile(r"[\W_]+")


def titles(said: Statements, sitename: Sequence[str]) -> Iterator[Claim]:
    """Yield what may be the title of a page.

    Args:
        said: The statements of the page.
        sitename: Names of the site, to be taken off titles.
    """
    stated = list(_stated(said, site_keys(said, sitename)))
    yield from _headings(said, stated)
    yield from stated


def _stated(said: Statements, known: set[str]) -> Iterator[Claim]:
    """Yield titles that markup and ``<title>`` give, without the name of the site."""
    for name, confidence in _METAS.items():
        for meta in said.named(name)[:1]:
            yield from _cut(Claim(meta.content, meta.source, name, meta.row, confidence), known)
    for item in said.items[:20]:
        for name in ("headline", "name"):
            for number, value in enumerate(item.properties.get(name, ())[:1]):
                confidence = _of_item(item, name)
                for text in texts(value)[:1]:
                    row = item.row_of(name, number)
                    if confidence:
                        claim = Claim(text, item.source, item.key(name), row, confidence)
                        yield from _cut(claim, known)
    for row in said.page.rows_of("title")[:1]:
        text = short_text(said.page, int(row))
        yield from _cut(Claim(text, "title", "title", int(row), 0.68), known)


def same(value: object) -> str:
    """Return what two titles have in common when only case, spaces and punctuation differ."""
    return _words_of(str(value))


@cached_if_short(entries=64, longest=1000)  # the few titles of a page are compared over and over
def _words_of(title: str) -> str:
    text = unicodedata.normalize("NFKC", title).casefold().replace("\xad", "")
    return _NOT_WORDS.sub(" ", text).strip() or text.strip()


def _of_item(item: Item, name: str) -> float:
    if item.is_aside:
        return 0.0
    if item.is_article:
        return 0.8 if name == "headline" else 0.6
    if item.is_work:
        return 0.6
    return 0.7 if item.is_page else 0.0


def _headings(said: Statements, stated: Sequence[Claim]) -> Iterator[Claim]:
    """Yield headings: the more of their words the stated titles have, the better."""
    page = said.page
    rows = page.rows_of("h1")[:MAX_HEADINGS].tolist()
    filled = [(row, text) for row in rows if (text := short_text(page, row))]
    # Whether an only heading is shown makes no difference, and style sheets take time to read.
    several = len(filled) > 1
    shown = [pair for pair in filled if several and not page.hidden[pair[0]]] or filled
    familiar = {word for claim in stated for word in same(claim.value).split()}
    trusted = {same(claim.value) for claim in stated if claim.confidence > _TRUSTED}
    for number, (row, text) in enumerate(shown):
        words = same(text).split()
        overlap = sum(word in familiar for word in words) / max(1, len(words))
        place = 0 if len(shown) == 1 else 1 if number == 0 else 2
        agreeing, other, enough = _HEADINGS[place]
        confidence = agreeing if overlap >= enough or not familiar else other
        if _has_kicker(same(text), trusted):
            confidence *= 0.4
        yield Claim(text, "heading", "h1", row, confidence)
    if not shown:
        for row in page.rows_of("h2")[:3].tolist():
            text = short_text(page, row)
            if text:
                yield Claim(text, "heading", "h2", row, 0.15)


def _has_kicker(heading: str, trusted: set[str]) -> bool:
    """Return whether a heading is a stated title with some words before it."""
    return any(heading.endswith(f" {title}") and len(title.split()) >= 3 for title in trusted)


def site_keys(said: Statements, sitename: Sequence[str]) -> set[str]:
    """Return what names the site, in a form to compare with parts of titles."""
    names = {same(name).replace(" ", "") for name in sitename}
    return (names | site.host_words(said.page.url)) - {""}


def _cut(claim: Claim, known: set[str]) -> Iterator[Claim]:
    """Yield a claimed title without the name of the site, then as it is, with less confidence."""
    text = str(claim.value)[:MAX_TITLE_CHARS]
    cut = without_site(text, known)
    if cut != text:
        yield Claim(cut, claim.source, claim.key, claim.row, claim.confidence)
        yield Claim(text, claim.source, claim.key, claim.row, 0.05)
        return
    parts = list(_parts(text))
    if len(parts) > 1:
        yield Claim(text, claim.source, claim.key, claim.row, 0.2 * claim.confidence)
        yield Claim(text[: parts[-2][1]].strip(), claim.source, claim.key, claim.row, 0.55)
        for start, stop, _ in parts[:4]:
            yield Claim(text[start:stop].strip(), claim.source, claim.key, claim.row, 0.3)
        return
    yield Claim(text, claim.source, claim.key, claim.row, claim.confidence)


def without_site(text: str, known: set[str]) -> str:
    """Return a title without leading and trailing parts that name the site."""
    parts = list(_parts(text))
    first, last = 0, len(parts)
    while last - first > 1 and _is_site(text[parts[last - 1][0] : parts[last - 1][1]], known):
        last -= 1
    while last - first > 1 and _is_site(text[parts[first][0] : parts[first][1]], known):
        first += 1
    return text[parts[first][0] : parts[last - 1][1]].strip() if parts else text


def _parts(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start and stop of the parts of a title, and the separator before each."""
    start, before = 0, ""
    for match in _BETWEEN.finditer(text) if _MARK.search(text) else ():
        if match.start() > start:
            yield start, match.start(), before
        start, before = match.end(), match[0]
    if start < len(text):
        yield start, len(text), before


def _is_site(part: str, known: set[str]) -> bool:
    key = same(part).replace(" ", "")
    if key in known:
        return True
    bare = key.removesuffix("com").removesuffix("org").removesuffix("net").removeprefix("www")
    return bare in known or key.removeprefix("the") in known
