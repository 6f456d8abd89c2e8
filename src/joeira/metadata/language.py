"""The language of a page and the direction in which it is read.

The language of a text is that of its script, then of its most frequent words. A script that one
language writes decides by itself; among the languages of a shared script, the one whose frequent
words make up most of the text wins. Of texts too short for that, py3langid is asked where it is
installed (extra ``lang``); else nothing is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.arrays.strings import DIGIT, WORD, Characters, class_table
from joeira.metadata.claims import Claim, Shown, Value, best_yet, settled
from joeira.metadata.statements import Statements
from joeira.metadata.structured import texts
from joeira.page import Page

if native_available:
    from joeira._native import characters as kernels

MAX_CHARS = 4_000
"""So much of a text tells its language; twice as much told no other on pages of four data sets."""
MIN_LETTERS = 20
MIN_HITS = 3
MIN_CONFIDENCE = 0.3
"""Less than this, and frequent words leave the decision to others."""
LIBRARY_CONFIDENCE = 0.4
"""In py3langid's answers, which were right for 97 to 100 % of texts of 120 characters."""

_SCRIPTS = {
    "kana": "\u3040-\u30ff", "hangul": "\uac00-\ud7af\u1100-\u11ff", "han": "\u3400-\u9fff",
    "greek": "\u0370-\u03ff\u1f00-\u1fff", "cyrillic": "\u0400-\u04ff", "hebrew": "\u0590-\u05ff",
    "arabic": "\u0600-\u06ff\u0750-\u077f", "devanagari": "\u0900-\u097f", "thai": "\u0e00-\u0e7f",
    "bengali": "\u0980-\u09ff", "tamil": "\u0b80-\u0bff", "telugu": "\u0c00-\u0c7f",
    "gujarati": "\u0a80-\u0aff", "gurmukhi": "\u0a00-\u0a7f", "kannada": "\u0c80-\u0cff",
    "malayalam": "\u0d00-\u0d7f", "sinhala": "\u0d80-\u0dff", "lao": "\u0e80-\u0eff",
    "myanmar": "\u1000-\u109f", "georgian": "\u10a0-\u10ff", "armenian": "\u0530-\u058f",
    "khmer": "\u1780-\u17ff", "ethiopic": "\u1200-\u137f",
    "latin": "A-Za-z\u00c0-\u024f\u1e00-\u1eff",
}  # fmt: skip
_ONE_LANGUAGE = {
    "kana": "ja", "hangul": "ko", "han": "zh", "greek": "el", "hebrew": "he", "thai": "th",
    "bengali": "bn", "tamil": "ta", "telugu": "te", "gujarati": "gu", "gurmukhi": "pa",
    "kannada": "kn", "malayalam": "ml", "sinhala": "si", "lao": "lo", "myanmar": "my",
    "georgian": "ka", "armenian": "hy", "khmer": "km", "ethiopic": "am",
}  # fmt: skip
_MIN_KANA = 0.05
"""Japanese mixes kana into Han; Chinese quotes them at most."""
_MAX_SYMBOLS = 20
"""So many characters that western Europe does not write may all be symbols: arrows, emoji."""
RIGHT_TO_LEFT = ("hebrew", "arabic")
WESTERN, LATIN, LETTER = 256, 512, 1024
"""What a character is: one of western Europe's encoding, a Latin letter of it, a letter at all."""

Codes = NDArray[np.uint32]
"""The code points of a text."""


def codes_of(text: str) -> Codes:
    """Return the code points of the beginning of a text, which tells its language."""
    return np.frombuffer(text[:MAX_CHARS].encode("utf-32-le", "surrogatepass"), np.uint32)


def sample_of(page: Page, numbers: NDArray[np.intp]) -> Codes:
    """Return the code points of the beginning of some texts, a line break between each two."""
    if native_available:
        return page.characters._strings.joined(numbers, MAX_CHARS)
    return codes_of("\n".join(map(page.text, numbers.tolist())))


def _text_of(codes: Codes) -> str:
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


def scripts(codes: Codes) -> Counter[str]:
    """Return how many letters of each script a text has."""
    table = _script_table()
    counts = np.bincount(table.take(codes, mode="clip"), minlength=len(_SCRIPTS) + 1)
    named = zip(_SCRIPTS, counts[:-1].tolist(), strict=True)
    return Counter({script: count for script, count in named if count})


def _western(text: str) -> bytes | None:
    """Return a text in western Europe's encoding, if that can write all letters of it."""
    try:
        return text.encode("ascii" if text.isascii() else "cp1252")
    except UnicodeEncodeError:
        others = set(text) - _western_characters()
    has_letters = len(others) > _MAX_SYMBOLS or any(map(_is_letter, others))
    return None if has_letters else text.encode("cp1252", "replace")


@cache
def _western_characters() -> frozenset[str]:
    return frozenset(bytes(range(256)).decode("cp1252", "ignore"))


def _is_letter(character: str) -> bool:
    """Return whether a character is one of a script, or of a word."""
    code = ord(character)
    is_of_script = code < len(_script_table()) and _script_table()[code] < len(_SCRIPTS)
    return bool(is_of_script) or character.isalnum()


def _western_letters(data: bytes) -> int:
    """Return how many letters a text in that encoding has: all of them are Latin."""
    return len(data) - len(data.translate(None, _western_alphabet()))


@cache
def _western_alphabet() -> bytes:
    """Return the bytes of western Europe's encoding that are letters, all of them Latin."""
    is_latin = re.compile(f"[{_SCRIPTS['latin']}]").match
    return bytes(code for code in range(256) if is_latin(bytes([code]).decode("cp1252", "ignore")))


@cache
def _script_table() -> NDArray[np.uint8]:
    """Return the number of each character's script; one more than there are for all others."""
    table = np.full(0x10000, len(_SCRIPTS), np.uint8)
    for number, ranges in enumerate(_SCRIPTS.values()):
        for at in range(0, len(ranges), 3):
            table[ord(ranges[at]) : ord(ranges[at + 2]) + 1] = number
    return table


def detect(text: str) -> tuple[str, float] | None:
    """Return the language of a text and the confidence in it; None when the text does not tell."""
    codes = codes_of(text)
    found, is_little = _by_letters_and_words(codes)
    return (_by_library(codes) or found) if is_little else found


def _by_letters_and_words(codes: Codes) -> tuple[tuple[str, float] | None, bool]:
    """Return what script and words tell, and whether that is so little that py3langid is asked."""
    western = _western_votes(codes)
    if western is not None:
        letters, favourite, number = western
        if letters < MIN_LETTERS:
            return None, False
        by_words = _by_votes(favourite, number)
        return by_words, by_words is None or by_words[1] < MIN_CONFIDENCE
    found = scripts(codes)
    letters = found.total()
    if letters < MIN_LETTERS:
        return None, False
    if found["kana"] > _MIN_KANA * (found["han"] + found["kana"]) and found["kana"]:
        found["kana"] += found.pop("han", 0)
    script, count = max(found.items(), key=lambda pair: _weight(*pair))
    if script in _ONE_LANGUAGE:
        return (_ONE_LANGUAGE[script], round(count / letters, 3)), False
    words = _words(_text_of(codes).lower())
    by_words = _by_votes(_favourite(words, _frequent(script)), len(words))
    return by_words, by_words is None or by_words[1] < MIN_CONFIDENCE


def _weight(script: str, count: int) -> float:
    """Letters that stand for syllables or words weigh more than those of alphabets."""
    return count * (3.0 if script in ("han", "kana", "hangul") else 1.0)


Word = TypeVar("Word", str, bytes)
_Frequent = dict[Word, tuple[tuple[str, ...], float]]
"""The languages of each frequent word, and the root of their number."""
_Favourite = tuple[str, float, float]
"""The language with the most votes of words, these votes, and those of the next one."""


def _western_votes(codes: Codes) -> tuple[int, _Favourite, int] | None:
    """Return the letters of a text, the language its words vote for, and the number of all words.

    None if western Europe's encoding cannot write all its letters.
    """
    if native_available:
        return _frequent_counter().cast(codes)
    data = _western(_text_of(codes))
    if data is None:
        return None
    words = data.translate(_small_letters()).split()
    return _western_letters(data), _favourite(words, _frequent_western()), len(words)


def _favourite(words: list[Word], table: _Frequent[Word]) -> _Favourite:
    """Return what has the most votes, of equals the one that had the first of them; '' is none."""
    votes: dict[str, float] = {}
    for word, times in Counter(filter(table.__contains__, words)).items():
        # A word of many languages tells little about each of them.
        languages, root = table[word]
        vote = times / root
        for language in languages:
            votes[language] = votes.get(language, 0.0) + vote
    *_, second, most = (0.0, 0.0, *sorted(votes.values()))
    return max(votes, key=votes.__getitem__, default=""), most, second


def _by_votes(favourite: _Favourite, words: int) -> tuple[str, float] | None:
    """Return the favourite of a number of words and the confidence in it, if it has some votes."""
    best, most, second = favourite
    if most < MIN_HITS:
        return None
    share = most / words
    confidence = min(1.0, 4 * share) * min(1.0, 3 * (most - second) / most)
    return best, round(confidence, 3)


class LibraryNeeded(BaseException):
    """A text has to be told by py3langid, which is not loaded; no failure, so nobody catches it."""


_may_load = ContextVar("_may_load", default=True)


@contextmanager
def without_loading() -> Iterator[None]:
    """Raise `LibraryNeeded` within, where py3langid would have to be loaded, which takes long."""
    before = _may_load.set(False)
    try:
        yield
    finally:
        _may_load.reset(before)


def load_library() -> None:
    """Load py3langid, if it is installed."""
    _by_library(codes_of("Impressum, Kontakt, Anfahrt"))


def _by_library(codes: Codes) -> tuple[str, float] | None:
    """Return what py3langid says, in which short texts have more to tell; None without it."""
    is_loaded = _classifier.cache_info().currsize > 0
    if not (is_loaded or _may_load.get()) and find_spec("py3langid") is not None:
        raise LibraryNeeded
    classify = _classifier()
    if classify is None:
        return None
    code = _code(str(classify(_text_of(codes))[0]))
    return (code, LIBRARY_CONFIDENCE) if code else None


@lru_cache(maxsize=1)
def _classifier() -> Callable[[str], tuple[str, float]] | None:
    try:
        from py3langid import classify
    except ImportError:
        return None
    return cast("Callable[[str], tuple[str, float]]", classify)


def _words(text: str) -> list[str]:
    """Return the runs of letters in a text."""
    characters = Characters.of([text])
    is_letter = (characters.classes & (WORD | DIGIT)) == WORD
    is_letter &= characters.codes != ord("_")
    letters = np.where(is_letter, characters.codes, np.uint32(ord(" ")))
    return letters.tobytes().decode("utf-32-le", "surrogatepass").split()


@cache
def _small_letters() -> bytes:
    """Return a table from bytes of western Europe's encoding to small letters, or to a space."""
    characters = (bytes([code]).decode("cp1252", "ignore") for code in range(256))
    letters = (each if re.fullmatch(r"[^\W\d_]", each) else " " for each in characters)
    return "".join(letters).lower().encode("cp1252")


@lru_cache(maxsize=8)  # more than there are scripts
def _frequent(script: str) -> _Frequent[str]:
    """Return the frequent words of a script."""
    lists = (files("joeira.metadata") / "data" / "frequent_words.txt").read_text("utf-8")
    section = lists.partition(f"[{script}]\n")[2].partition("\n[")[0]
    table: dict[str, list[str]] = {}
    for line in section.splitlines():
        language, _, words = line.partition(":")
        for word in dict.fromkeys(words.split()):
            table.setdefault(word, []).append(language)
    return {word: (tuple(languages), len(languages) ** 0.5) for word, languages in table.items()}


@cache
def _frequent_western() -> _Frequent[bytes]:
    """Return the frequent Latin words that western Europe's encoding can write, written so."""
    encoded = ((_western(word), known) for word, known in _frequent("latin").items())
    return {word: known for word, known in encoded if word is not None}


@cache
def _frequent_counter() -> kernels.Votes:
    """Return what counts the votes, given what each character is in western Europe's encoding."""
    is_letter = (_script_table() < len(_SCRIPTS)) | ((class_table() & WORD) != 0)
    kinds = ord(" ") + LETTER * is_letter.astype(np.uint16)
    for code in range(256):
        for character in bytes([code]).decode("cp1252", "ignore"):
            is_latin = code in _western_alphabet()
            kinds[ord(character)] = _small_letters()[code] | WESTERN | (LATIN if is_latin else 0)
    return kernels.Votes(_frequent_western(), kinds, _MAX_SYMBOLS)


_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{2,8})*", re.IGNORECASE)
_METAS = {
    "content-language": 0.7, "language": 0.7, "og:locale": 0.7, "dc.language": 0.75,
    "dcterms.language": 0.75, "citation_language": 0.8,
}  # fmt: skip
_OLD_CODES = {"iw": "he", "in": "id", "ji": "yi", "nb": "no", "nn": "no", "zho": "zh", "eng": "en"}


_ELSEWHERE = {
    "json-ld": 0.75, "microdata": 0.75, "rdfa": 0.75, "opengraph": 0.7, "meta": 0.7,
    "dublin-core": 0.75, "citation": 0.8,
}  # fmt: skip
"""The highest confidence in what each kind of source but attributes states."""


def stated(said: Statements) -> Iterator[Claim]:
    """Yield languages that the page states."""
    yield from _in_attributes(said.page)
    yield from _elsewhere(said)


def _in_attributes(page: Page) -> Iterator[Claim]:
    for row in (0, page.body) if len(page) else ():
        said = page.attributes.of(row)
        for name in ("lang", "xml:lang"):
            if code := _code(said.get(name)):
                yield Claim(code, "attribute", f"{page.tag_name(row)} {name}", row, 0.8)


def _elsewhere(said: Statements) -> Iterator[Claim]:
    for item in said.items[:10]:
        if item.is_work or item.is_page:
            for number, value in enumerate(item.values("inLanguage")[:1]):
                for each in texts(value)[:1]:
                    code = _code(each)
                    if code:
                        row = item.row_of("inLanguage", number)
                        yield Claim(code, item.source, item.key("inLanguage"), row, 0.75)
    for meta, confidence in said.first_named(_METAS):
        code = _code(meta.content)
        if code:
            yield Claim(code, meta.source, meta.name, meta.row, confidence)


def _claimed(found: tuple[str, float] | None) -> list[Claim]:
    """Return the claim that a text makes: templates state a language, a long text does not lie."""
    return [Claim(found[0], "detection", "text", -1, _trust(found[1]))] if found else []


def _trust(confidence: float) -> float:
    return 0.6 + 0.38 * confidence


SHOWN = {"words": _trust(1.0), "library": _trust(LIBRARY_CONFIDENCE)}
"""The ways to tell the language of a text, each with its highest confidence: script and words, or
where these tell little py3langid, which takes long to load for a page that states the same."""


def written(codes: Codes) -> Iterator[Shown]:
    """Yield the language that the main text of a page is written in, once."""
    found, is_little = _by_letters_and_words(codes)
    if not is_little:
        yield {}, _claimed(found)
        return
    yield {"library": SHOWN["library"]}, []
    yield {}, _claimed(_by_library(codes) or found)


def found_first(said: Statements, codes: Codes) -> Value | None:
    """Return the best language; mostly attributes and text agree, and nothing else is read."""
    attributes, elsewhere = list(_in_attributes(said.page)), None
    for later, shown in written(codes):
        value = settled([*attributes, *shown], str, {**later, **_ELSEWHERE})
        if value is None:
            elsewhere = list(_elsewhere(said)) if elsewhere is None else elsewhere
            value = best_yet([*attributes, *elsewhere, *shown], str, later)
        if value is not None:
            return value
    return None


def direction(said: Statements, codes: Codes) -> Iterator[Claim]:
    """Yield reading directions: ``ltr`` or ``rtl``."""
    page = said.page
    for row in (0, page.body):
        stated = (page.attributes.get(row, "dir") or "").strip().lower() if len(page) else ""
        if stated in ("ltr", "rtl"):
            yield Claim(stated, "attribute", f"{page.tag_name(row)} dir", row, 0.8)
    found = scripts(codes)
    if found.total():
        backwards = sum(found[name] for name in RIGHT_TO_LEFT) / found.total()
        value = "rtl" if backwards > 0.5 else "ltr"
        yield Claim(value, "detection", "text", -1, 0.6 + 0.38 * abs(2 * backwards - 1))


def _code(value: str | None) -> str | None:
    """Return the language of a code such as ``pt-BR`` or ``en_US``."""
    match = _CODE.match(value.strip()) if value else None
    if match is None or match[1].lower() in ("und", "xx", "zxx", "mul"):
        return None
    code = match[1].lower()
    return _OLD_CODES.get(code, code)
