"""Names of people and desks: taken out of bylines, told from what is no name."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_NAME_CHARS = 60
MAX_NAME_WORDS = 7
MAX_AUTHORS = 20

# "by" in the languages in which bylines were seen; the words before a name, never part of one.
_BEFORE = re.compile(
    r"^\W*(?:(?:written|words?|posted|published|story|text|report(?:ed|ing)?|review(?:ed)?|article|"
    r"photos?|created|started|submitted|updated|asked|answered|medically|fact|checked|edited|"
    r"erstellt|geschrieben|veröffentlicht|verfasst|ein (?:artikel|gastbeitrag|beitrag|kommentar)|"
    r"publié|écrit|rédigé|propos recueillis|escrito|publicado|scritto|pubblicato|"
    r"tekst|foto|autore?|autor(?:ka|zy|in|es|a)?|auteurs?|authors?|автор|συντάκτης|door|"
    r"par|por|von|by|af|av|de|di|da|od|作者|文|记者|記者|撰文)\b\s*[:：/-]?\s*)+"
    r"|^\W*(?:作者|文|记者|記者|撰文)\s*[:：/]\s*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\s*[;|•·/、，\n]\s*|\s+(?:and|und|et|y|e|och|og|en|ja|i|a|и|και|with|mit|avec)\s+|\s*&\s*|\s+[–—-]\s+"
)
_COMMA = re.compile(r"\s*,\s*")
_ADDRESS = re.compile(r"https?://|www\.|@\w|\w@|\.(?:com|org|net|de|fr|php|html)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>|\"[^\"]*\"|\S+@\S+|\S*(?:://|www\.)\S*")
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


def people(text: str) -> tuple[str, ...]:
    """Return the names in a byline, in order and without repetition; nothing when it has none."""
    text = _ASIDE.sub(" ", " ".join(text.split())[:300])
    found: dict[str, str] = {}
    for part in _BETWEEN.split(_BEFORE.sub("", text)):
        for name in _comma_parts(part):
            clean = _clean(name)
            if clean:
                found.setdefault(clean.casefold(), clean)
    return distinct(found.values())


def distinct(found: Iterable[str]) -> tuple[str, ...]:
    """Return names once each, without phrases that only end in one, as *All posts by Ann Lee*."""
    names = list(dict.fromkeys(found))[:MAX_AUTHORS]
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


def _clean(name: str) -> str:
    name = _BEFORE.sub("", name).strip(" \t.,:;-–—|*·•\u200b")
    if len(name) > MAX_NAME_CHARS or len(name.split()) > MAX_NAME_WORDS:
        return ""
    if name.casefold() in _NOBODY or _ADDRESS.search(name) or _DIGIT.search(name):
        return ""
    if len(name) < 2 or _PHRASE.search(name):
        return ""
    return name
