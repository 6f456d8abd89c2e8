"""Text outside the tree of a page: in templates, in script data, or in unclosed elements.

Many pages hand their text to a program instead of a reader: as JSON of which scripts make elements,
as a template, or as structured data for search engines. Others lost their tree: an element that is
never closed, such as ``<title>`` or ``<noscript>``, swallows all that follows. Nothing here is ever
executed; the strings of the data are read as they stand, and what is read is bounded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Final, NamedTuple

from joeira._native import native_available
from joeira.arrays.strings import Characters
from joeira.page.model import Page
from joeira.page.parse import parse

if native_available:
    from joeira._native import raw_texts as kernels

MIN_WORDS: Final = 50
"""Minimum length of text that counts as embedded."""
MAX_CHARS: Final = 4_000_000
"""Characters of a page that are searched."""
MAX_ELEMENTS: Final = 500
"""Elements of one kind that are searched."""
_LITERAL_CHARS: Final = 40
"""Shorter strings are names, addresses and labels."""
_PROSE_WORDS: Final = 8
_MAX_LITERALS: Final = 20_000
_CODE_SHARE: Final = 0.03
"""Share of brackets and the like that no prose reaches."""
_NESTED: Final = 2
"""How often data may stand in a string of other data."""
_MIN_END_TAGS: Final = 20
"""So many end tags in an element that has none make it one that swallowed others."""

_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")
_CODE: Final = re.compile(r"[{}\[\]=;|\\<>_]")
_SENTENCE: Final = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f\u06d4\u0964](?:\W|$)")
_KEY: Final = re.compile(r"([A-Za-z_$][\w$]{0,60})\s*:[\s\[]*$")
_HYDRATION: Final = re.compile(
    r"(__(?<!\w__)[A-Za-z]\w{0,60})[\"'\])\s]{0,5}(?:=(?!=)|(?:\|\|\[\])?\)?\.push\()"
)
"""Data for scripts is put into, or added to, a variable whose name begins so.

The two letters come first, since those are found faster than the border of a word.
"""
_SELF_CLOSED: Final = re.compile(
    r"<(iframe|noscript|script|style|textarea|title)\b([^<>]*)/>", re.IGNORECASE
)
_TEMPLATE_TYPES: Final = re.compile(r"text/(?:html|template|ng-template|x-[\w-]+)", re.IGNORECASE)
_DATA_TYPES: Final = re.compile(r"application/(?:[\w.-]+\+)?json", re.IGNORECASE)
_SWALLOWERS: Final = ("title", "iframe", "noscript", "textarea", "noframes", "noembed", "style")
_JSON: Final = json.JSONDecoder(strict=False)
_MAX_FACTS: Final = 10
"""Pieces of structured data that go with a text."""
_ARTICLE_KEYS: Final = ("articleBody", "text")
"""Where structured data has the text of an article, or of a post."""

_WAITING: Final = re.compile(
    r"java ?script|enable cookies|checking (?:if )?(?:you|your|the site)|just a moment|one moment|"
    r"please wait|redirecting|\bloading\b|bitte warten|wird geladen|chargement|veuillez patienter|"
    r"cargando|carregando|aguarde|caricamento|\u0437\u0430\u0433\u0440\u0443\u0437\u043a|"
    r"\u52a0\u8f7d\u4e2d|\u8f7d\u5165\u4e2d|\u8bf7\u7a0d|\u8aad\u307f\u8fbc|\ub85c\ub529",
    re.IGNORECASE,
)
_MOUNTS: Final = frozenset(
    "root app __next __nuxt ___gatsby svelte app-root react-root main-app application".split()
)
_WAITING_CHARS: Final = 2000


def waits_for_scripts(page: Page) -> bool:
    """Return whether a page of few words says that scripts fill it, or has an empty place for them.

    For pages that may be empty: others may well speak of such things.
    """
    if _WAITING.search(page.text_of(page.body)[:_WAITING_CHARS]):
        return True
    if not len(page.rows_of("script")):
        return False
    numbers, names = page.ids
    mounts = [number for number, name in enumerate(names) if name.lower() in _MOUNTS]
    rows = [*page.rows_of("app-root").tolist()]
    rows += (row for row, number in enumerate(numbers.tolist()) if number in mounts)
    return any(page.text_index[row] == page.text_index[page.end[row]] for row in rows)


@dataclass(frozen=True)
class Embedded:
    """Text found beside the tree of a page."""

    html: str
    """The text as HTML."""
    place: str
    """Where it was, in words."""
    words: int
    is_certain: bool
    """Is it surely meant to be read as the text of the page?"""
    title: str = ""
    """The title of a page whose head was swallowed, too."""

    def page(self, around: Page) -> Page:
        """Return a page of its own for the text, with address and head of the page it is in."""
        attributes = around.attributes
        heads = around.rows_of("head")[:1].tolist()
        head = f"<title>{escape(self.title)}</title>"
        if heads and not self.title:
            head = attributes.node_html(heads[0])
        facts = attributes.select('body script[type="application/ld+json"]')[:_MAX_FACTS]
        head += "".join(map(attributes.node_html, facts))
        language = attributes.get(0, "lang")
        opened = f'<html lang="{escape(language)}">' if language else "<html>"
        return parse(f"<!DOCTYPE html>{opened}{head}<body>{self.html}</body></html>", around.url)

    def note(self, words: int) -> str:
        """Return the note on a result from here, where the tree has so many words."""
        some = f"only {words} words of" if words else "no"
        return f"the page itself has {some} content; this text was found in {self.place}"


def longest_text(page: Page) -> Embedded | None:
    """Return the longest text that a page has beside its tree; None where there is none."""
    sources = (_swallowed(page), _templates(page), _scripts(page))
    longest = None
    for embedded in _bounded(sources):
        if embedded.words >= MIN_WORDS and (longest is None or embedded.words > longest.words):
            longest = embedded
    return longest


def _bounded(sources: Iterable[Iterator[tuple[int, list[Embedded]]]]) -> Iterator[Embedded]:
    """Yield what sources find until they have read all that may be read."""
    left = MAX_CHARS
    for source in sources:
        for chars, found in source:
            yield from found
            left -= chars
            if left < 0:
                return


def _swallowed(page: Page) -> Iterator[tuple[int, list[Embedded]]]:
    """Yield what elements hold that should not hold elements."""
    for name in _SWALLOWERS:
        for row in page.rows_of(name)[:MAX_ELEMENTS].tolist():
            yield _swallowed_by(page, row, name)
    for row in page.rows_of("script")[:MAX_ELEMENTS].tolist():
        if page.attributes.get(row, "src") is not None:
            yield _swallowed_by(page, row, "script")


def _swallowed_by(page: Page, row: int, name: str) -> tuple[int, list[Embedded]]:
    text = page.attributes.inner_text(row)[:MAX_CHARS]
    if text.count("</") < _MIN_END_TAGS:
        return len(text), []
    title = ""
    if name == "title":
        title, text = _split_title(text)
    html = _SELF_CLOSED.sub(r"<\1\2></\1>", text)
    place = f"<{name}>, which is never closed" if name != "noscript" else "<noscript>"
    return len(text), [Embedded(html, place, _words(html), is_certain=True, title=title)]


def _split_title(text: str) -> tuple[str, str]:
    """Return the title, to the first tag or the end of its line, and what it swallowed."""
    end = min(place for place in (text.find("<"), text.find("\n"), len(text)) if place >= 0)
    return text[:end].strip()[:300] or "-", text[end:]


def _templates(page: Page) -> Iterator[tuple[int, list[Embedded]]]:
    for row in page.rows_of("template")[:MAX_ELEMENTS].tolist():
        html = page.attributes.node_html(row)[:MAX_CHARS]
        html = html[html.find(">") + 1 :].removesuffix("</template>")
        yield len(html), [Embedded(html, "a <template>", _words(html), is_certain=False)]
    for row in page.rows_of("script")[:MAX_ELEMENTS].tolist():
        kind = page.attributes.get(row, "type") or ""
        if _TEMPLATE_TYPES.match(kind):
            html = page.attributes.inner_text(row)[:MAX_CHARS]
            place = f'a <script type="{kind[:40]}">'
            yield len(html), [Embedded(html, place, _words(html), is_certain=False)]


def _scripts(page: Page) -> Iterator[tuple[int, list[Embedded]]]:
    """Yield the longest prose of each script that holds data."""
    for row in page.rows_of("script")[:MAX_ELEMENTS].tolist():
        kind = page.attributes.get(row, "type") or ""
        text = page.attributes.inner_text(row)[:MAX_CHARS]
        if "ld+json" in kind.lower():
            prose = [literal for literal in _prose(text) if literal.key in _ARTICLE_KEYS]
            yield len(text), _longest_group(prose, "JSON-LD", is_certain=True)
        elif _DATA_TYPES.match(kind):
            name = page.attributes.get(row, "id") or kind
            yield len(text), _longest_group(_prose(text), f"data for scripts ({name[:60]})")
        elif not kind or "javascript" in kind.lower() or kind == "module":
            match = _HYDRATION.search(text)
            if match:
                yield len(text), _longest_group(_prose(text), f"data for scripts ({match[1]})")


class _Literal(NamedTuple):
    """A string of data that is prose, with the key it stands under."""

    key: str
    text: str
    words: int


def _longest_group(
    literals: Iterable[_Literal], place: str, *, is_certain: bool = False
) -> list[Embedded]:
    """Return the prose under the key with most of it, as HTML; each string once."""
    groups: dict[str, dict[str, int]] = {}
    for literal in literals:
        groups.setdefault(literal.key, {})[literal.text] = literal.words
    if not groups:
        return []
    key = max(groups, key=lambda name: sum(groups[name].values()))
    html = "\n".join(map(_as_html, groups[key]))
    words = sum(groups[key].values())
    return [Embedded(html, f"{place}, under {json.dumps(key)}", words, is_certain)]


def _as_html(text: str) -> str:
    """Return HTML as it is, and lines of text as paragraphs."""
    if _TAG.search(text):
        return f"<div>{text}</div>"
    lines = (line.strip() for line in text.splitlines())
    return "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines if line)


def _prose(text: str, depth: int = 0) -> Iterator[_Literal]:
    """Yield the strings of data that read like prose, also those of data in a string."""
    key = ""
    found = kernels.literals if native_available else _literals
    for before, last, raw in found(text, _LITERAL_CHARS, _MAX_LITERALS):
        # In a list the key is that of the string before, so the last that is in none decides.
        key = key if before is None else _key(before, last)
        string = _decoded(raw)
        if string.count('":') >= 2 and depth < _NESTED:
            yield from _prose(string, depth + 1)
            continue
        # Without a key it may be a message of a program. Most is no sentence, with tags or without.
        if not key or not _SENTENCE.search(string):
            continue
        plain = _TAG.sub(" ", string)
        if len(_CODE.findall(plain)) > _CODE_SHARE * len(plain) or not _SENTENCE.search(plain):
            continue
        words = _words(plain)
        if words >= _PROSE_WORDS:
            yield _Literal(key, string, words)


def _literals(text: str, least: int, most: int) -> Iterator[tuple[str | None, str, str]]:
    """Yield the longer strings in double quotes, as `joeira._native.raw_texts` finds them.

    One pass over what stands between quotes: no backtracking, however the text is broken.
    """
    before, last, count = "", "", 0
    parts: list[str] = []
    deciding: tuple[str | None, str] = None, ""
    is_inside = False
    for piece in text.split('"'):
        if not is_inside:
            before, is_inside = piece, True
            continue
        if piece.endswith("\\") and (len(piece) - len(piece.rstrip("\\"))) % 2:
            parts.append(piece)
            continue  # the quote after it is part of the string
        raw = '"'.join([*parts, piece]) if parts else piece
        if before.strip() != ",":
            deciding = before, last
        if len(raw) >= least:
            yield *deciding, raw
            deciding, count = (None, ""), count + 1
            if count == most:
                return
        last, is_inside = raw[:60], False
        if parts:
            parts = []


def _key(before: str, last: str) -> str:
    """Return the key of a string that is not the next one of a list; '' where there is none."""
    mark = before.strip()
    if mark.startswith(":") and not mark.strip(":[ \n\t"):
        return last
    match = _KEY.search(before[-80:])
    return match[1] if match else ""


def _decoded(raw: str) -> str:
    """Return the characters that a string of JSON stands for; as it is where it is not JSON."""
    if "\\" not in raw:
        return raw
    try:
        string = _JSON.decode(f'"{raw}"')
    except ValueError:
        return raw.replace("\\n", "\n").replace('\\"', '"').replace("\\/", "/")
    return str(string)


def _words(html: str) -> int:
    return int(Characters.of([_TAG.sub(" ", html)]).words().sum())
